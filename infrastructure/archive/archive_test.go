package archive_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docledger/infrastructure/archive"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestArchiveRoundTrip(t *testing.T) {
	t.Parallel()
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "a.tar")
	must(t, os.WriteFile(path+".part", []byte("of an earlier attempt"), 0o644))
	w, err := archive.Create(path)
	must(t, err)
	if _, err := archive.Create(path); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("two writers opened one archive: %v", err)
	}
	must(t, w.Add(ctx, "one", 3, strings.NewReader("abc")))
	must(t, w.Add(ctx, "none", 0, strings.NewReader("")))
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the archive has its final name before it is complete: %v", err)
	}
	must(t, w.Commit())
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("other users can read the archive: %s", info.Mode())
	}
	if _, err := archive.Create(path); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("an existing archive was replaced: %v", err)
	}
	r, err := archive.Open(ctx, path)
	must(t, err)
	for _, want := range []string{"abc", ""} {
		m, err := r.Next()
		must(t, err)
		content, err := io.ReadAll(r)
		if err != nil || string(content) != want || m.Size != int64(len(want)) {
			t.Errorf("%s contains %q, %v", m.Name, content, err)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last member: %v", err)
	}
	must(t, r.Close())
}

// TestUnfinishedArchiveLeavesNothing checks that a failed, oversized or aborted write
// leaves no file.
func TestUnfinishedArchiveLeavesNothing(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		size int64
	}{"too short": {context.Background(), 4}, "too long": {context.Background(), 2}, "ended": {ended, 3}} {
		dir := t.TempDir()
		w, err := archive.Create(filepath.Join(dir, "a.tar"))
		must(t, err)
		if err := w.Add(c.ctx, "one", c.size, strings.NewReader("abc")); err == nil {
			t.Errorf("%s: written", name)
		}
		must(t, w.Abort())
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
}
