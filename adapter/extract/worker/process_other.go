//go:build !linux

package worker

import (
	"os"
	"os/exec"
	"runtime/debug"
	"time"
)

func executable() (string, error) { return os.Executable() }

// detach has nothing to do: a child ends when its standard input does.
func detach(*exec.Cmd) {}

func limitMemory(n int64) {
	if n > 0 {
		debug.SetMemoryLimit(n / 2)
	}
}

// resident can't be known here.
func resident(int) int64 { return 0 }

// processorTime cannot be known here.
func processorTime(int) time.Duration { return 0 }

// preferLarge does nothing where large pages can't be asked for.
func preferLarge([]byte) {}

// canZero reports that zero does not work: memory cannot be made zero faster than
// an instance starts.
const canZero = false

func zero([]byte) bool { return false }
