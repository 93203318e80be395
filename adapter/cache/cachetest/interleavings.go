package cachetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"docledger/domain/billing"

	"github.com/google/uuid"
)

// The steps of one event and of two readers. Each reader starts a load, reads from
// the processor if the cache requires it, and returns the value, which the cache then
// stores. The event changes the plan at the processor, removes the entry, responds,
// and removes the entry again when its job commits.
const (
	begin1, read1, keep1 = "begin1", "read1", "keep1"
	begin2, read2, keep2 = "begin2", "read2", "keep2"
	change, remove       = "change", "remove"
	answer, removeAgain  = "answer", "remove again"
)

// interleavings runs every order of the steps, each with a new organization. No load
// that starts after the response may return the plan from before the event, and the
// cache may not store that plan.
func interleavings(t *testing.T, e Env) {
	count := 0
	orders([][]string{{begin1, read1, keep1}, {begin2, read2, keep2}, {change, remove, answer, removeAgain}}, nil, func(order []string) {
		count++
		if problem := play(e, order); problem != "" {
			t.Errorf("%s: %s", strings.Join(order, ", "), problem)
		}
	})
	if count != 4200 { // 10! / (3! 3! 4!)
		t.Errorf("%d orders were run", count)
	}
}

// orders calls each with every merge of the sequences.
func orders(sequences [][]string, sofar []string, each func([]string)) {
	ended := true
	for i, s := range sequences {
		if len(s) == 0 {
			continue
		}
		ended = false
		rest := append([][]string{}, sequences...)
		rest[i] = s[1:]
		orders(rest, append(sofar[:len(sofar):len(sofar)], s[0]), each)
	}
	if ended {
		each(sofar)
	}
}

// stuck ends a run in which a reader waits for an event that never comes.
const stuck = 20 * time.Second

// table is one run: the plan at the processor and the progress of each reader.
type table struct {
	e        Env
	org      uuid.UUID
	plan     string
	answered bool
	removed  int // number of removals, because fills are shared only between removals
	readers  map[string]*reader
	problem  string
}

type reader struct {
	late    bool // started after the response
	filling bool // reads from the processor itself
	removed int  // value of table.removed at its start
	started chan struct{}
	waits   chan struct{}
	give    chan string
	got     chan string
	read    string
	done    bool
}

func play(e Env, order []string) string {
	w := &table{e: e, org: uuid.New(), plan: "old", readers: map[string]*reader{}}
	for _, step := range order {
		switch step {
		case change:
			w.plan = "new"
		case remove, removeAgain:
			w.removed++
			if err := e.Other.Invalidate(context.Background(), w.org); err != nil {
				return err.Error()
			}
		case answer:
			w.answered = true
		default:
			w.step(step[:len(step)-1], step[len(step)-1:])
		}
		if w.problem != "" {
			return w.problem
		}
	}
	for name, c := range map[string]billing.PlanCache{"this": e.Cache, "the other": e.Other} {
		r, err := c.Load(context.Background(), w.org, func(context.Context) (billing.Record, error) { return plan("new"), nil })
		if err != nil || r.CurrentPlan != "new" {
			return fmt.Sprintf("in the end %s process sees %q, %v", name, r.CurrentPlan, err)
		}
	}
	return ""
}

func (w *table) step(step, name string) {
	r := w.readers[name]
	switch {
	case step == "begin":
		w.begin(name)
	case !r.filling: // the cache or the fill of the other reader returns the value
	case step == "read":
		r.read = w.plan
	default:
		r.give <- r.read
		w.end(r)
		for _, other := range w.readers { // the reader that shared the fill
			if other != r && !other.done && !other.filling {
				w.end(other)
			}
		}
	}
}

// begin starts a load. It waits until the load has a value, reads from the processor,
// or shares the fill of the other reader in the same process.
func (w *table) begin(name string) {
	r := &reader{
		late: w.answered, removed: w.removed,
		started: make(chan struct{}), waits: make(chan struct{}, 8), give: make(chan string), got: make(chan string, 1),
	}
	w.readers[name] = r
	cache := w.e.Cache
	if name == "2" {
		cache = w.e.Other
	}
	go func() {
		record, err := cache.Load(waiting{context.Background(), r.waits}, w.org, func(context.Context) (billing.Record, error) {
			close(r.started)
			return plan(<-r.give), nil
		})
		if err != nil {
			record.CurrentPlan = err.Error()
		}
		r.got <- record.CurrentPlan
	}()
	var shares chan struct{}
	if w.e.Cache == w.e.Other {
		for _, other := range w.readers {
			if other != r && other.filling && !other.done && other.removed == w.removed {
				shares = r.waits
			}
		}
	}
	select {
	case <-r.started:
		r.filling = true
	case got := <-r.got:
		r.got <- got
		w.end(r)
	case <-shares:
	case <-time.After(stuck):
		w.problem = "reader " + name + " neither fills nor returns"
	}
}

// end receives the result of a reader.
func (w *table) end(r *reader) {
	r.done = true
	select {
	case got := <-r.got:
		if got != "new" && got != "old" || r.late && got != "new" {
			w.problem = fmt.Sprintf("a reader (after the answer: %t) gets %q", r.late, got)
		}
	case <-time.After(stuck):
		w.problem = "a reader never returns"
	}
}

// waiting is a context that reports when a caller starts to wait for its end. A load
// does so when it shares the fill of another load.
type waiting struct {
	context.Context
	waits chan<- struct{}
}

// Done implements context.Context.
func (w waiting) Done() <-chan struct{} {
	select {
	case w.waits <- struct{}{}:
	default: // already reported
	}
	return w.Context.Done()
}
