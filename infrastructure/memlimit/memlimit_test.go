package memlimit_test

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"docledger/infrastructure/memlimit"
)

func TestContainer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file, text string
		want       int64
	}{
		"version 2":           {"memory.max", "536870912\n", 512 << 20},
		"version 2, no limit": {"memory.max", "max\n", 0},
		"version 1":           {"memory/memory.limit_in_bytes", "268435456\n", 256 << 20},
		"version 1, no limit": {"memory/memory.limit_in_bytes", "9223372036854771712\n", 0},
		"no control group":    {"other", "1", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			path := filepath.Join(root, test.file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := memlimit.Container(root); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}

func TestFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ container, children, want int64 }{
		{0, 100, 0}, {1000, 0, 900}, {1000, 400, 500}, {1000, 900, 250},
	} {
		if got := memlimit.For(test.container, test.children); got != test.want {
			t.Errorf("For(%d, %d) = %d, want %d", test.container, test.children, got, test.want)
		}
	}
}

// TestSet checks that Set changes the limit of this process and keeps an existing
// limit.
func TestSet(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "memory.max"), []byte("1073741824"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := memlimit.For(1<<30, 0)
	if got := memlimit.Set(root, 0); got != want || debug.SetMemoryLimit(-1) != want {
		t.Errorf("set %d, the runtime has %d, want %d", got, debug.SetMemoryLimit(-1), want)
	}
	if got := memlimit.Set(root, 1<<29); got != 0 || debug.SetMemoryLimit(-1) != want {
		t.Errorf("a limit that was set was changed to %d", debug.SetMemoryLimit(-1))
	}
}
