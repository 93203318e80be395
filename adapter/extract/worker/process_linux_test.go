package worker

import (
	"os"
	"testing"
	"time"
)

// TestProcessorTimeIsExact fails for a clock that counts ticks of the system: then all times
// are multiples of a tick.
func TestProcessorTimeIsExact(t *testing.T) {
	t.Parallel()
	const tick, readings = 10 * time.Millisecond, 10
	last := time.Duration(0)
	for range readings {
		now := processorTime(os.Getpid())
		if now <= 0 || now < last {
			t.Fatalf("the processor time is %v after %v", now, last)
		}
		if last = now; now%tick != 0 {
			return
		}
	}
	t.Errorf("all times are multiples of %v", tick)
}

func TestProcessorTimeOfNoProcess(t *testing.T) {
	t.Parallel()
	const beyond = 1<<22 + 1 // above the highest number of a process
	if took := processorTime(beyond); took != 0 {
		t.Errorf("a process that does not exist took %v", took)
	}
}
