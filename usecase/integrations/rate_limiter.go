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
	// Whoever waits at a gate longer than this is told when to come back. An
	// attempt that is sent away begins anew, and spends on the way again what the
	// provider allows: with 2 s in place of 10, 7 of 20 invoices were booked at B
	// in the time in which now 19 are.
	patience = 10 * time.Second
	// leaveTimeout bounds writing down that a call is over.
	leaveTimeout = 5 * time.Second
)

// RateLimiter is the integration.RateLimiter of all processes: what they send to a tenant is
// counted in one meter.
type RateLimiter struct {
	Meters integration.Meters
	Clock  usecase.Clock
	IDs    usecase.IDs
	// Pause waits, or returns the context's error.
	Pause func(ctx context.Context, d time.Duration) error
	Log   *slog.Logger
}

var _ integration.RateLimiter = (*RateLimiter)(nil)

// Enter implements integration.RateLimiter.
func (g *RateLimiter) Enter(ctx context.Context, c integration.Call) (leave func(integration.Observation), err error) {
	key, id := integration.MeterKey(c.Provider, c.Tenant), g.IDs.New().String()
	for until := g.Clock.Now().Add(patience); ; {
		var v integration.Decision
		now := g.Clock.Now()
		if err := g.Meters.Change(ctx, key, func(m *integration.RateTracker) { v = m.Admit(now, id, c) }); err != nil {
			return nil, fmt.Errorf("pass the gate: %w", err)
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
	return integration.RateLimited(p, v.Wait, errors.New("held back before it would be refused"))
}

// stay says of a call that it is under way, as long as it is.
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
			// A call that is not counted any more lets another one through, which
			// the provider may refuse; it harms nothing else.
			if err := g.Meters.Change(ctx, key, func(m *integration.RateTracker) { m.Heartbeat(now, id) }); err != nil && ctx.Err() == nil {
				g.Log.WarnContext(ctx, "a call under way could not be counted", "error", err)
			}
		}
	}()
	return cancel
}

// leave writes down what an answer told, whoever still waits for it. A meter
// that misses it holds the call's place until that runs out, so it errs on the
// safe side.
func (g *RateLimiter) leave(ctx context.Context, key, id string, c integration.Call, o integration.Observation) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	now := g.Clock.Now()
	if err := g.Meters.Change(ctx, key, func(m *integration.RateTracker) { m.Finish(now, id, c, o) }); err != nil {
		g.Log.WarnContext(ctx, "a provider's answer could not be counted", "provider", c.Provider, "error", err)
	}
}
