//go:build !race

package worker_test

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"testing"

	"docledger/adapter/extract/pdf/pdftest"
	"docledger/adapter/extract/worker"
)

func init() {
	crowd = func() {
		const left = 8 << 20 // for the runtime
		var limit syscall.Rlimit
		status, err := os.ReadFile("/proc/self/status")
		_, after, _ := bytes.Cut(status, []byte("VmData:"))
		var kB uint64
		if _, scanned := fmt.Sscan(string(after), &kB); err != nil || scanned != nil || syscall.Getrlimit(syscall.RLIMIT_DATA, &limit) != nil {
			panic("the memory of this process is not known")
		}
		const access, kind = syscall.PROT_READ | syscall.PROT_WRITE, syscall.MAP_PRIVATE | syscall.MAP_ANON
		if _, err := syscall.Mmap(-1, 0, int(limit.Cur-kB<<10-left), access, kind); err != nil {
			panic(err)
		}
	}
}

// A child that other documents left too little memory costs a document its words no more than a
// new child.
func TestCrowdedChildIsReplaced(t *testing.T) {
	t.Parallel()
	words := func(p *worker.Pool, name string, data []byte) string {
		pages, err := p.Text(t.Context(), store(t, name, data), worker.TextOptions{})
		if err != nil || len(pages) == 0 || len(pages[0].Words) == 0 {
			t.Fatalf("%s: %d pages, %v", name, len(pages), err)
		}
		return fmt.Sprint(pages)
	}
	dense := pdftest.Amounts(3500, 7)
	want := words(open(t, worker.Config{Size: 1}), "dense.pdf", dense)
	p := open(t, worker.Config{Size: 1})
	words(p, "small.pdf", printed(mediaBox, twoCells)) // needs no more memory of the engine
	if got := words(p, "crowd.pdf", dense); got != want {
		t.Error("the words are not those from a new child")
	}
}
