package cputime_test

import (
	"bufio"
	"os/exec"
	"testing"
	"time"

	"docledger/test/lib/cputime"
)

// A child counts while it runs, and counts no less after its end.
func TestAllChildrenCountsRunningOnes(t *testing.T) {
	before, known := cputime.AllChildren()
	if !known {
		t.Fatal("the processor time of children is not known")
	}
	child := exec.Command("sh", "-c", `i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; read line`)
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	running, _ := cputime.AllChildren()
	const tick = 10 * time.Millisecond
	if running-before < tick {
		t.Errorf("a running child took %v, want at least %v", running-before, tick)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	child.Wait() //nolint:errcheck // read fails at the end of its input
	if ended, _ := cputime.AllChildren(); ended < running-2*tick {
		t.Errorf("all children took %v after the end of one, before it %v", ended, running)
	}
}
