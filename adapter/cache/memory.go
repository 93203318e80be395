package cache

import (
	"context"
	"sync"
	"time"

	"docledger/domain/billing"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
)

// maxPlans limits the number of plans in one process.
const maxPlans = 100_000

// Memory stores plans in the process. It is for an installation with one process.
type Memory struct {
	flights flights
	plans   *otter.Cache[uuid.UUID, cachedPlan]
}

type cachedPlan struct {
	record     billing.Record
	generation uint64
}

var _ billing.PlanCache = (*Memory)(nil)

// NewMemory returns an empty cache; clock may be nil.
func NewMemory(clock otter.Clock) (*Memory, error) {
	plans, err := otter.New(&otter.Options[uuid.UUID, cachedPlan]{
		MaximumSize: maxPlans, Clock: clock, ExpiryCalculator: otter.ExpiryWriting[uuid.UUID, cachedPlan](billing.CacheTTL),
	})
	if err != nil {
		return nil, err
	}
	return &Memory{plans: plans}, nil
}

// Load implements billing.PlanCache.
func (m *Memory) Load(ctx context.Context, organization uuid.UUID, fill func(context.Context) (billing.Record, error)) (billing.Record, error) {
	generation := m.flights.generation(organization)
	if r, ok := m.present(organization, generation); ok {
		return r, nil
	}
	return m.flights.do(ctx, flight{organization, generation, ""}, func(ctx context.Context) (billing.Record, error) {
		// The previous fill may have ended after the first lookup.
		if r, ok := m.present(organization, generation); ok {
			return r, nil
		}
		r, err := fill(ctx)
		if err == nil {
			// A fill that started before an invalidation has an old generation, and
			// no reader uses it.
			m.plans.Set(organization, cachedPlan{r, generation})
		}
		return r, err
	})
}

func (m *Memory) present(organization uuid.UUID, generation uint64) (billing.Record, bool) {
	k, ok := m.plans.GetIfPresent(organization)
	return k.record, ok && k.generation == generation
}

// Invalidate implements billing.PlanCache.
func (m *Memory) Invalidate(_ context.Context, organization uuid.UUID) error {
	m.flights.invalidate(organization)
	m.plans.Invalidate(organization)
	return nil
}

// flight identifies one fill. Only loads that started in the same generation share
// its result.
type flight struct {
	organization uuid.UUID
	generation   uint64
	guard        string
}

// flights lets concurrent misses share one call.
type flights struct {
	mu sync.Mutex
	// generations are those of at most maxPlans organizations that were invalidated. The others
	// have the generation since. last is the newest generation.
	generations map[uuid.UUID]uint64
	since, last uint64
	running     map[flight]*call
}

type call struct {
	done   chan struct{}
	record billing.Record
	err    error
}

func (f *flights) generation(organization uuid.UUID) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if generation, ok := f.generations[organization]; ok {
		return generation
	}
	return f.since
}

func (f *flights) invalidate(organization uuid.UUID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.generations == nil {
		f.generations = map[uuid.UUID]uint64{}
	}
	f.last++
	f.generations[organization] = f.last
	if len(f.generations) > maxPlans {
		// This is one more invalidation of all other organizations, so that none is remembered.
		clear(f.generations)
		f.since = f.last
	}
}

// fillTimeout limits a fill that no caller waits for any more.
const fillTimeout = 30 * time.Second

// do runs fill once for all callers of the same flight. A cancelled caller does not
// cancel the call for the others.
func (f *flights) do(ctx context.Context, key flight, fill func(context.Context) (billing.Record, error)) (billing.Record, error) {
	f.mu.Lock()
	c, ok := f.running[key]
	if !ok {
		c = &call{done: make(chan struct{})}
		if f.running == nil {
			f.running = map[flight]*call{}
		}
		f.running[key] = c
		go f.run(context.WithoutCancel(ctx), key, c, fill)
	}
	f.mu.Unlock()
	select {
	case <-c.done:
		return c.record, c.err
	case <-ctx.Done():
		return billing.Record{}, ctx.Err()
	}
}

func (f *flights) run(ctx context.Context, key flight, c *call, fill func(context.Context) (billing.Record, error)) {
	ctx, cancel := context.WithTimeout(ctx, fillTimeout)
	defer cancel()
	defer close(c.done)
	defer func() {
		f.mu.Lock()
		delete(f.running, key)
		f.mu.Unlock()
	}()
	c.record, c.err = fill(ctx)
}
