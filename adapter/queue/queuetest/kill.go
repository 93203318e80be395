package queuetest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"docledger/domain/job"
)

// childEnv holds the URL of the database that a child process works on.
const childEnv = "DOCLEDGER_TEST_JOBS_CHILD"

// Child makes the test binary a worker that never ends a job, where RunKilled
// started it so. It belongs at the start of TestMain.
func Child(open func(t testing.TB, url string) *Env) {
	url := os.Getenv(childEnv)
	if url == "" {
		return
	}
	t := &childTB{}
	open(t, url).Start(t, func(context.Context, job.ExtractDocument) error {
		fmt.Println("working")
		select {}
	})
	select {}
}

// childTB is the testing.TB of a process that runs no test.
type childTB struct{ testing.TB }

func (*childTB) Helper()        {}
func (*childTB) Cleanup(func()) {}
func (*childTB) Fatal(args ...any) {
	fmt.Println(args...)
	os.Exit(1)
}

// RunKilled kills a process in the middle of a job; the next one must end it
// within five seconds.
func RunKilled(t *testing.T, url string, open func(t testing.TB, url string) *Env) {
	env := open(t, url)
	env.Enqueue(t)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+url)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != "working" {
		t.Fatalf("the child said %q (%v)", line, err)
	}
	env.awaitStates(t, "running")
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	began := time.Now()
	env.Start(t, func(context.Context, job.ExtractDocument) error { return nil })
	env.awaitStates(t, "completed")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}
