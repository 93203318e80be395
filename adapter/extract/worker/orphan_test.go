package worker_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"docledger/adapter/extract/worker"
)

// makeOrphan reads a document that never ends, until somebody kills this
// process.
func makeOrphan(path string) {
	p := worker.New(worker.Config{Size: 1})
	read(context.Background(), p, path) //nolint:errcheck // it does not return
}

func TestNoChildOutlivesItsParent(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"hang.pdf", "wait.pdf"} {
		path := store(t, name, sound)
		parent := exec.Command(os.Args[0])
		parent.Env = append(os.Environ(), orphanMaker+"="+path)
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		child := begun(t, path)
		if err := parent.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		parent.Wait() //nolint:errcheck // it was killed
		eventually(t, func() bool { return ended(child) })
	}
}

// ended says that a process is gone, or dead and not yet waited for by
// whoever inherited it.
func ended(pid int) bool {
	if gone(pid) {
		return true
	}
	state, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && bytes.Contains(state, []byte(") Z "))
}
