// Package memlimit sets the memory limit of the Go runtime from the limit of the
// container. The garbage collector then works harder before the kernel kills the
// process.
package memlimit

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// Root is the mount point of control groups.
const Root = "/sys/fs/cgroup"

// reserve is the divisor of the container's memory for everything outside this heap:
// stacks, the page cache of the database, and the start of child processes.
const reserve = 10 // one tenth

// Set sets the runtime's memory limit from the limit of the container. children is
// the amount that child processes may use; at least a quarter remains for this
// process. Set keeps a limit that GOMEMLIMIT has set. It returns the limit that it
// set, or 0.
func Set(root string, children int64) int64 {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return 0
	}
	limit := For(Container(root), children)
	if limit > 0 {
		debug.SetMemoryLimit(limit)
	}
	return limit
}

// For returns the limit of this process in a container with a limit of container
// bytes; 0 if the container has no limit.
func For(container, children int64) int64 {
	if container <= 0 {
		return 0
	}
	return max(container-container/reserve-children, container/4)
}

// Container returns the memory limit of the control group, of version 2 or 1; 0
// for none.
func Container(root string) int64 {
	for _, name := range []string{"memory.max", "memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue
		}
		// Version 1 uses a huge number for no limit. Version 2 uses a word.
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err != nil || n >= 1<<60 {
			return 0
		}
		return n
	}
	return 0
}
