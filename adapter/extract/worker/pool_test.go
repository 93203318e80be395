package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"docledger/adapter/extract/pdf/pdftest"
	"docledger/adapter/extract/worker"
	"docledger/domain/extraction"
)

// orphanMaker makes this binary a parent that gets killed.
const orphanMaker = "DOCLEDGER_TEST_ORPHAN"

func TestMain(m *testing.M) {
	worker.OnDocument(misbehave)
	worker.ServeIfChild()
	if path := os.Getenv(orphanMaker); path != "" {
		makeOrphan(path)
		return
	}
	os.Exit(m.Run())
}

// crowd takes nearly all memory that this process may still have, where the system limits it.
var crowd = func() {}

// documents is how many requests about documents this child has had.
var documents int

// misbehave does in a child what a document's name says.
func misbehave(path string) {
	documents++
	switch base := filepath.Base(path); {
	case strings.HasPrefix(base, "hang"):
		mark(path)
		for spins := uint64(0); ; spins++ {
			runtime.KeepAlive(spins)
		}
	case strings.HasPrefix(base, "wait"):
		mark(path)
		select {}
	case strings.HasPrefix(base, "panic"):
		panic("on purpose")
	case strings.HasPrefix(base, "exit"):
		os.Exit(3)
	case strings.HasPrefix(base, "die"):
		syscall.Kill(os.Getpid(), syscall.SIGKILL) //nolint:errcheck // nothing comes after it
	case strings.HasPrefix(base, "babble"):
		fmt.Print("this is no frame")
		os.Exit(0)
	case strings.HasPrefix(base, "devour"):
		var held [][]byte
		for {
			b := make([]byte, 16<<20)
			for i := 0; i < len(b); i += 4096 { // each page, so that the memory is in use
				b[i] = 1
			}
			held = append(held, b)
			_ = held
		}
	case strings.HasPrefix(base, "crowd") && documents > 1:
		crowd()
	case strings.HasPrefix(base, "environment"):
		os.WriteFile(path+".seen", []byte(strings.Join(os.Environ(), "\n")), 0o600) //nolint:errcheck // the test misses it
	}
}

// mark notifies a test that the child has started, with the child's process id.
func mark(path string) {
	os.WriteFile(path+".tmp", fmt.Append(nil, os.Getpid()), 0o600) //nolint:errcheck // the test would wait in vain
	os.Rename(path+".tmp", path+".begun")                          //nolint:errcheck // as above
}

// begun waits for mark and returns the child's process id.
func begun(t *testing.T, path string) (pid int) {
	t.Helper()
	eventually(t, func() bool {
		b, err := os.ReadFile(path + ".begun")
		if err != nil {
			return false
		}
		_, err = fmt.Sscan(string(b), &pid)
		return err == nil
	})
	return pid
}

// eventually waits until a condition holds.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the condition never held")
		}
	}
}

func open(t testing.TB, c worker.Config) *worker.Pool {
	t.Helper()
	p := worker.New(c)
	t.Cleanup(func() { p.Close() }) //nolint:errcheck // it never fails
	return p
}

// sound is a PDF with an embedded invoice, which needs no PDF engine.
var sound = pdftest.Hybrid("Invoice 1", []string{"a.xml"}, []byte(ubl))

const ubl = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
 xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
 <cbc:ID>W-1</cbc:ID><cbc:IssueDate>2026-05-04</cbc:IssueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode></Invoice>`

func read(ctx context.Context, p *worker.Pool, path string) (*extraction.Result, error) {
	return p.PDF(ctx, worker.Document{Path: path})
}

func store(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantReason(t *testing.T, err error, want extraction.Reason) {
	t.Helper()
	var failure *extraction.Failure
	if !errors.As(err, &failure) || failure.Reason != want || failure.Message == "" {
		t.Errorf("error = %v, want %s", err, want)
	}
}

func TestMisbehaviourHarmsOneDocument(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]extraction.Reason{
		"hang.pdf":   extraction.TimedOut,
		"wait.pdf":   extraction.TimedOut,
		"panic.pdf":  extraction.Crashed,
		"exit.pdf":   extraction.Crashed,
		"die.pdf":    extraction.Crashed,
		"babble.pdf": extraction.Crashed,
		"devour.pdf": extraction.OutOfMemory,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := worker.Config{Size: 1}
			switch want {
			case extraction.TimedOut:
				c.Deadline = 2 * time.Second
			case extraction.OutOfMemory:
				c.Deadline = time.Minute // the memory must end first, also on a busy machine
			}
			p := open(t, c)
			good := store(t, "good.pdf", sound)
			for range 2 {
				_, err := read(t.Context(), p, store(t, name, sound))
				wantReason(t, err, want)
				if f := asFailure(err); f == nil || f.Passing != (want == extraction.Crashed) {
					t.Errorf("another try is worth it: %+v", f)
				}
				if r, err := read(t.Context(), p, good); err != nil || r.PageCount != 1 {
					t.Errorf("the next document: %+v, %v", r, err)
				}
			}
		})
	}
}

func asFailure(err error) *extraction.Failure {
	var f *extraction.Failure
	errors.As(err, &f)
	return f
}

func TestWarmChildIsUsedAgain(t *testing.T) {
	t.Parallel()
	p := open(t, worker.Config{Size: 3})
	path := store(t, "good.pdf", sound)
	var first []int
	for range 5 {
		r, err := read(t.Context(), p, path)
		if err != nil || r.Drafts[0].Content.Number != "W-1" {
			t.Fatalf("%+v, %v", r, err)
		}
		if first == nil {
			first = p.Children()
		}
		if now := p.Children(); len(now) != 1 || !slices.Equal(now, first) {
			t.Fatalf("children %v, at first %v", now, first)
		}
	}
}

func TestChildThatDiesIdleIsReplaced(t *testing.T) {
	t.Parallel()
	p := open(t, worker.Config{Size: 1})
	path := store(t, "good.pdf", sound)
	if _, err := read(t.Context(), p, path); err != nil {
		t.Fatal(err)
	}
	old := p.Children()[0]
	if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return gone(old) })
	if _, err := read(t.Context(), p, path); err != nil {
		t.Errorf("after the death of the idle child: %v", err)
	}
}

// gone says that a process has ended and was waited for.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestChildKilledAtWork(t *testing.T) {
	t.Parallel()
	p := open(t, worker.Config{Size: 1})
	path := store(t, "wait.pdf", sound)
	failed := make(chan error, 1)
	go func() {
		_, err := read(context.Background(), p, path)
		failed <- err
	}()
	if err := syscall.Kill(begun(t, path), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wantReason(t, <-failed, extraction.Crashed)
}

func TestCancelEndsTheChild(t *testing.T) {
	t.Parallel()
	p := open(t, worker.Config{Size: 1})
	path := store(t, "hang.pdf", sound)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := read(ctx, p, path)
		failed <- err
	}()
	pid := begun(t, path)
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) || asFailure(err) != nil {
		t.Errorf("error = %v, want canceled", err)
	}
	if !gone(pid) {
		t.Error("the child is still there")
	}
}

func TestTheWaitForAPlaceIsNoFaultOfTheDocument(t *testing.T) {
	t.Parallel()
	p := open(t, worker.Config{Size: 1, Deadline: 2 * time.Second})
	path := store(t, "wait.pdf", sound)
	var busy sync.WaitGroup
	busy.Go(func() { read(context.Background(), p, path) }) //nolint:errcheck // it is to hang
	begun(t, path)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := read(ctx, p, store(t, "good.pdf", sound)); !errors.Is(err, context.DeadlineExceeded) || asFailure(err) != nil {
		t.Errorf("error = %v, want the end of the wait", err)
	}
	busy.Wait()
}

func TestClosedPool(t *testing.T) {
	t.Parallel()
	p := worker.New(worker.Config{})
	path := store(t, "good.pdf", sound)
	if _, err := read(t.Context(), p, path); err != nil {
		t.Fatal(err)
	}
	children := p.Children()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range children {
		if !gone(pid) {
			t.Errorf("child %d is still there", pid)
		}
	}
	if _, err := read(t.Context(), p, path); err == nil || asFailure(err) != nil {
		t.Errorf("error = %v", err)
	}
}

func TestNoSecretReachesAChild(t *testing.T) {
	t.Setenv("PAYMENTS_API_KEY", "sk_secret")
	p := open(t, worker.Config{Size: 1})
	path := store(t, "environment.pdf", sound)
	if _, err := read(t.Context(), p, path); err != nil {
		t.Fatal(err)
	}
	seen, err := os.ReadFile(path + ".seen")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(seen), "secret") || strings.Contains(string(seen), "PAYMENTS") {
		t.Errorf("the child sees %s", seen)
	}
}

func TestMissingFile(t *testing.T) {
	t.Parallel()
	p := open(t, worker.Config{Size: 1})
	if _, err := read(t.Context(), p, filepath.Join(t.TempDir(), "none")); err == nil || asFailure(err) != nil {
		t.Errorf("error = %v, want one that is no failure of a document", err)
	}
}
