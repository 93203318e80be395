package queue

import (
	"context"
	"fmt"
	"time"
)

// taskTimeout limits one task of one sweep.
const taskTimeout = 30 * time.Second

func (r *Runner) sweepUntil(ctx context.Context) {
	tick := time.NewTicker(r.cfg.SweepEvery)
	defer tick.Stop()
	for {
		if err := run(ctx, Task{Run: r.owner.requeueLostFetches}); err != nil && ctx.Err() == nil {
			r.log.Warn("requeueing lost fetches failed", "error", err)
		}
		if err := r.owner.withSweepLock(ctx, r.sweep); err != nil && ctx.Err() == nil {
			r.log.Warn("sweep failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// runFastTasks runs the fast tasks at their interval.
func (r *Runner) runFastTasks(ctx context.Context) {
	if len(r.cfg.FastTasks) == 0 {
		return
	}
	tick := time.NewTicker(fastTaskInterval)
	defer tick.Stop()
	for {
		for _, t := range r.cfg.FastTasks {
			if err := run(ctx, t); err != nil && ctx.Err() == nil {
				r.log.Warn("fast task failed", "task", t.Name, "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sweep runs every task. A failing task does not stop the others.
func (r *Runner) sweep(ctx context.Context) {
	tasks := append([]Task{{Name: "rescue", Run: func(ctx context.Context) error { return r.owner.requeueOrphans(ctx, false) }}}, r.cfg.Sweeps...)
	for _, t := range tasks {
		if err := run(ctx, t); err != nil && ctx.Err() == nil {
			r.log.Warn("sweep task failed", "task", t.Name, "error", err)
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
