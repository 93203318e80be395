//go:build !race

package worker_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"docledger/adapter/extract/worker"
	"docledger/domain/extraction"
)

// A cache folder that cannot be made is no fault of any document.
func TestReaderThatCannotStartIsUnavailable(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "base")
	if err := os.WriteFile(base, nil, 0o600); err != nil { // a file where the folder is to be
		t.Fatal(err)
	}
	p := open(t, worker.Config{Size: 1, CacheDir: filepath.Join(base, "cache")})
	printed := store(t, "printed.pdf", printed(mediaBox, twoCells))
	if p.Fault() != nil {
		t.Errorf("an unused reader has the fault %v", p.Fault())
	}
	for range 2 {
		_, err := read(context.Background(), p, printed)
		if !errors.Is(err, extraction.ErrUnavailable) || asFailure(err) != nil {
			t.Fatalf("error = %v, want that the reader is unavailable", err)
		}
	}
	if !errors.Is(p.Fault(), extraction.ErrUnavailable) {
		t.Errorf("the fault is %v", p.Fault())
	}
	// What needs no engine is read meanwhile, and compared with no page.
	r, err := p.PDF(t.Context(), worker.Document{Path: store(t, "good.pdf", sound), Compare: true})
	if err != nil || len(r.Checks) != 0 {
		t.Errorf("a PDF with embedded data: %+v, %v", r, err)
	}
	if err := os.Remove(base); err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(base, "cache"))
	p.RetryNow()
	if err := p.Prewarm(t.Context()); err != nil || p.Fault() != nil {
		t.Fatalf("once the folder can be made: %v, fault %v", err, p.Fault())
	}
	if _, err := read(t.Context(), p, printed); errors.Is(err, extraction.ErrUnavailable) {
		t.Errorf("the document: %v", err)
	}
}

// A cache that is emptied while the service runs costs no document its
// extraction.
func TestCacheThatVanishes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache")
	fill(t, dir)
	p := open(t, worker.Config{Size: 1, CacheDir: dir})
	if err := p.Prewarm(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	printed := store(t, "printed.pdf", printed(mediaBox, twoCells))
	if _, err := read(t.Context(), p, printed); !errors.Is(err, extraction.ErrUnavailable) || asFailure(err) != nil {
		t.Fatalf("error = %v, want that the reader is unavailable", err)
	}
	if !errors.Is(p.Fault(), extraction.ErrUnavailable) {
		t.Errorf("the fault is %v", p.Fault())
	}
	fill(t, dir)
	removeCode(t, dir)
	_, err := read(t.Context(), p, printed)
	wantReason(t, err, extraction.NoTextLayer) // four words are no invoice
	if p.Fault() != nil {
		t.Errorf("once it is filled again the fault is %v", p.Fault())
	}
	if !hasCode(t, dir) {
		t.Error("after the fault, no child prepared the engine")
	}
}

// The services of one process load the engine once before their first documents.
func TestPoolsShareThePreparation(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache")
	fill(t, dir)
	removeCode(t, dir)
	for _, first := range []bool{true, false} {
		p := open(t, worker.Config{Size: 1, CacheDir: dir})
		if err := p.Prewarm(t.Context()); err != nil {
			t.Fatal(err)
		}
		if hasCode(t, dir) != first {
			t.Errorf("a child prepared the engine: %t, want %t", !first, first)
		}
		if first {
			removeCode(t, dir)
		}
		_, err := read(t.Context(), p, store(t, "printed.pdf", printed(mediaBox, twoCells)))
		wantReason(t, err, extraction.NoTextLayer)
	}
}

// code returns the files of a folder with code that is not compiled. Prewarm writes one.
func code(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "pdfium-*.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func hasCode(t *testing.T, dir string) bool {
	t.Helper()
	return len(code(t, dir)) > 0
}

func removeCode(t *testing.T, dir string) {
	t.Helper()
	for _, path := range code(t, dir) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// fill copies the compiled engine, which takes less than compiling it.
func fill(t *testing.T, dir string) {
	t.Helper()
	if err := open(t, worker.Config{Size: 1}).Prewarm(t.Context()); err != nil {
		t.Fatal(err)
	}
	from, err := worker.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a folder
		t.Fatal(err)
	}
}
