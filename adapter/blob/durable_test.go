package blob

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEachFolderIsSyncedUntilItsNameIsDurable checks which folders are synced for a new blob: its own
// always, and those above only while their names can be lost.
func TestEachFolderIsSyncedUntilItsNameIsDurable(t *testing.T) {
	t.Parallel()
	f, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var broken error
	var synced []string
	f.sync = func(path string) error {
		name, err := filepath.Rel(f.root, path)
		synced = append(synced, filepath.ToSlash(name))
		return errors.Join(err, broken)
	}
	keep := func(begin string) error {
		t.Helper()
		synced = nil
		file, err := f.tmp.Create()
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		key := begin + strings.Repeat("0", 64-len(begin))
		if err := f.keep(file, key); err != nil {
			return err
		}
		if _, err := os.Stat(f.path(key)); err != nil {
			t.Error(err)
		}
		return nil
	}
	remove := func(name string) func() {
		return func() {
			if err := os.RemoveAll(filepath.Join(f.root, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name, begin string
		before      func()
		want        []string
	}{
		{"the first", "ab01aa", nil, []string{"ab/01", "ab", "."}},
		{"in the same folder", "ab01bb", nil, []string{"ab/01"}},
		{"in a new folder", "ab02aa", nil, []string{"ab/02", "ab"}},
		{"in another first folder", "ac01aa", nil, []string{"ac/01", "ac", "."}},
		{"in a removed folder", "ab01cc", remove("ab/01"), []string{"ab/01", "ab"}},
		{"in a removed first folder", "ab02bb", remove("ab"), []string{"ab/02", "ab", "."}},
		{"in the other removed folder", "ab01dd", nil, []string{"ab/01", "ab"}},
		{"again", "ab02cc", nil, []string{"ab/02"}},
	} {
		if c.before != nil {
			c.before()
		}
		if err := keep(c.begin); err != nil || !slices.Equal(synced, c.want) {
			t.Errorf("%s: synced %q, %v, want %q", c.name, synced, err, c.want)
		}
	}
	broken = errors.New("the disk is full")
	if keep("0101aa") == nil {
		t.Error("a failed sync is no error")
	}
	broken = nil
	if err := keep("0101bb"); err != nil || len(synced) != 3 {
		t.Errorf("after a failed sync: synced %q, %v", synced, err)
	}
}
