package integrations

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"docledger/domain/integration"
	"docledger/usecase"
)

const (
	// admissionTimeout is the maximum wait for admission; a longer wait returns RetryAfter. A short value
	// wastes calls, because an attempt that is sent away starts from scratch: with 2 s, provider B
	// accepted 7 of 20 invoices in the time in which it accepts 19 with 10 s.
	admissionTimeout = 10 * time.Second
	// leaveTimeout limits recording the end of a call.
	leaveTimeout = 5 * time.Second
)

// RateLimiter implements integration.RateLimiter across processes: one RateTracker counts all calls
// to a tenant.
type RateLimiter struct {
	Meters integration.Meters
	Clock  usecase.Clock
	IDs    usecase.IDs
	// Pause waits for d, or returns the context's error.
	Pause func(ctx context.Context, d time.Duration) error
	Log   *slog.Logger
}

var _ integration.RateLimiter = (*RateLimiter)(nil)

// Enter implements integration.RateLimiter.
func (g *RateLimiter) Enter(ctx context.Context, c integration.Call) (leave func(integration.Observation), err error) {
	key, id := integration.MeterKey(c.Provider, c.Tenant), g.IDs.New().String()
	for until := g.Clock.Now().Add(admissionTimeout); ; {
		var v integration.Decision
		now := g.Clock.Now()
		if err := g.Meters.Change(ctx, key, func(m *integration.RateTracker) { v = m.Admit(now, id, c) }); err != nil {
			return nil, fmt.Errorf("admit call: %w", err)
		}
		if v.Admitted {
			stop := g.stay(ctx, key, id)
			return func(o integration.Observation) {
				stop()
				g.leave(ctx, key, id, c, o)
			}, nil
		}
		if now.Add(v.Wait).After(until) {
			return nil, tooLong(c.Provider, v)
		}
		if err := g.Pause(ctx, v.Wait); err != nil {
			return nil, err
		}
	}
}

func tooLong(p integration.Provider, v integration.Decision) error {
	if v.Failing {
		return integration.Unavailable(p, v.Wait, integration.ErrCircuitOpen)
	}
	return integration.RateLimited(p, v.Wait, errors.New("delayed by the rate limiter"))
}

// stay sends heartbeats while a call is running.
func (g *RateLimiter) stay(ctx context.Context, key, id string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(integration.HeartbeatInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			now := g.Clock.Now()
			// A call that is no longer counted admits another one, which the provider may refuse.
			// That has no further effect.
			if err := g.Meters.Change(ctx, key, func(m *integration.RateTracker) { m.Heartbeat(now, id) }); err != nil && ctx.Err() == nil {
				g.Log.WarnContext(ctx, "heartbeat of provider call failed", "error", err)
			}
		}
	}()
	return cancel
}

// leave records what a response reported, even if the caller has gone. If that fails, the call
// keeps its slot until its heartbeat expires, which is the safe direction.
func (g *RateLimiter) leave(ctx context.Context, key, id string, c integration.Call, o integration.Observation) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	now := g.Clock.Now()
	if err := g.Meters.Change(ctx, key, func(m *integration.RateTracker) { m.Finish(now, id, c, o) }); err != nil {
		g.Log.WarnContext(ctx, "provider response could not be recorded", "provider", c.Provider, "error", err)
	}
}
