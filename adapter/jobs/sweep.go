package jobs

import (
	"context"
	"fmt"
	"time"
)

// taskTimeout bounds one task of one sweep.
const taskTimeout = 30 * time.Second

func (r *Runner) sweepUntil(ctx context.Context) {
	tick := time.NewTicker(r.cfg.SweepEvery)
	defer tick.Stop()
	for {
		if err := run(ctx, Task{Run: r.owner.requeueLostFetches}); err != nil && ctx.Err() == nil {
			r.log.Warn("jobs that never began could not be given back", "error", err)
		}
		if err := r.owner.withSweepLock(ctx, r.sweep); err != nil && ctx.Err() == nil {
			r.log.Warn("the sweep could not run", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// runFastTasks runs what is due by the clock.
func (r *Runner) runFastTasks(ctx context.Context) {
	if len(r.cfg.FastTasks) == 0 {
		return
	}
	tick := time.NewTicker(fastTaskInterval)
	defer tick.Stop()
	for {
		for _, t := range r.cfg.FastTasks {
			if err := run(ctx, t); err != nil && ctx.Err() == nil {
				r.log.Warn("what is due could not be looked for", "task", t.Name, "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sweep runs every task; one that fails keeps none of the others from running.
func (r *Runner) sweep(ctx context.Context) {
	tasks := append([]Task{{Name: "rescue", Run: func(ctx context.Context) error { return r.owner.requeueOrphans(ctx, false) }}}, r.cfg.Sweeps...)
	for _, t := range tasks {
		if err := run(ctx, t); err != nil && ctx.Err() == nil {
			r.log.Warn("a part of the sweep failed", "task", t.Name, "error", err)
		}
	}
}

func run(ctx context.Context, t Task) (err error) {
	ctx, cancel := context.WithTimeout(ctx, taskTimeout)
	defer cancel()
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	return t.Run(ctx)
}
