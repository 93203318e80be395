// Package memlimit tells the Go runtime how much memory the container allows,
// so that the collector works harder instead of the kernel ending the process.
package memlimit

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// Root is where control groups are mounted.
const Root = "/sys/fs/cgroup"

// reserve is the part of the container's memory that is no heap of this process
// at all: stacks, the page cache of the database, and what children start with.
const reserve = 10 // one tenth

// Set sets the runtime's memory limit from that of the container. children is
// how much the child processes may take of it; at least a quarter stays for this
// process. A limit that GOMEMLIMIT has set stays. It returns the limit that it
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

// For returns the limit of this process in a container that allows so many
// bytes; 0 where the container has no limit.
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
		// Version 1 writes a huge number for no limit, version 2 a word.
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err != nil || n >= 1<<60 {
			return 0
		}
		return n
	}
	return 0
}
