package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"docledger/adapter/blob"
	"docledger/adapter/blob/blobtest"
	"docledger/domain/document"
)

func open(t testing.TB, dir string) *blob.Folder {
	t.Helper()
	f, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFolder(t *testing.T) {
	// Not parallel: the contract tests measure the allocations of the process.
	blobtest.Run(t, func(t testing.TB) document.Blobs { return open(t, t.TempDir()) })
}

// TestASmallBlobTakesLittleMemory checks that the buffer of a blob is used again.
func TestASmallBlobTakesLittleMemory(t *testing.T) {
	// Not parallel: it measures the allocations of the process.
	const blobs, limit = 100, 64 << 10
	f := open(t, t.TempDir())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range blobs {
		if _, _, err := f.Put(context.Background(), bytes.NewReader([]byte{byte(i)})); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / blobs; each > limit {
		t.Errorf("a blob of one byte takes %d bytes of memory", each)
	}
}

func TestFailedWriteLeavesNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := open(t, dir)
	for range 2 {
		if _, _, err := f.Put(context.Background(), bytes.NewReader([]byte("a"))); err != nil {
			t.Fatal(err)
		}
	}
	broken := io.MultiReader(bytes.NewReader([]byte("b")), iotestErr{})
	if _, _, err := f.Put(context.Background(), broken); err == nil {
		t.Error("no error")
	}
	wantFiles(t, filepath.Join(dir, "tmp"), 0)
	info, err := os.Stat(filepath.Join(dir, "ca", "97", "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("other users can read it: %s", info.Mode())
	}
}

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, errors.New("cut") }

// TestLeftovers checks that the next start removes files of a killed process and
// keeps files that another process is writing.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := open(t, dir)
	tmp := filepath.Join(dir, "tmp")
	if err := os.WriteFile(filepath.Join(tmp, "put-1"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	started, goOn := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		first := true
		_, _, err := f.Put(context.Background(), readFunc(func(p []byte) (int, error) {
			if !first {
				return 0, io.EOF
			}
			first = false
			close(started)
			<-goOn
			return len(p), nil
		}))
		done <- err
	}()
	<-started
	open(t, dir)
	wantFiles(t, tmp, 1)
	close(goOn)
	if err := <-done; err != nil {
		t.Error(err)
	}
	wantFiles(t, tmp, 0)
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func wantFiles(t *testing.T, dir string, want int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != want {
		t.Errorf("%d files in %s, want %d", len(entries), dir, want)
	}
}
