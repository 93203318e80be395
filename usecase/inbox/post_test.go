package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	domain "docledger/domain/inbox"
	"docledger/domain/job"
	"docledger/usecase/inbox"

	"github.com/google/uuid"
)

// desk is a database that keeps what a transaction commits, and lets tests hold
// transactions up. A message named "bad" fails, one named "panic" panics.
type desk struct {
	domain.Repository
	job.Queue

	mu      sync.Mutex
	held    chan struct{} // nil: nothing is held
	batches [][]string
	kept    map[string]bool
	jobs    int
	before  int
	states  []domain.State
	log     strings.Builder
}

func (d *desk) InTx(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) }

func (d *desk) hold() (release func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	held := make(chan struct{})
	d.held = held
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.held = nil
		close(held)
	}
}

func (d *desk) Add(ctx context.Context, messages []*domain.Message) (added []uuid.UUID, err error) {
	d.mu.Lock()
	held := d.held
	d.mu.Unlock()
	if held != nil {
		<-held
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for _, m := range messages {
		switch m.EventID {
		case "bad":
			return nil, errors.New("bad")
		case "panic":
			panic("panic")
		}
		names = append(names, m.EventID)
	}
	d.batches = append(d.batches, names)
	for _, m := range messages {
		if !d.kept[m.EventID] {
			d.kept[m.EventID] = true
			d.states = append(d.states, m.State)
			added = append(added, m.ID)
		}
	}
	return added, nil
}

func (d *desk) EnqueueAll(_ context.Context, jobs []job.Args, _ job.Priority) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.jobs += len(jobs)
	return nil
}

func (d *desk) Before(_ context.Context, messages []*domain.Message) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range messages {
		if m.Sender != domain.Payments {
			return errors.New("another sender's event")
		}
		d.before++
	}
	return nil
}

func (d *desk) Handle(context.Context, *domain.Message) error { return nil }

// other takes the events of another sender.
type other struct{ *desk }

func (o other) Before(_ context.Context, messages []*domain.Message) error {
	for _, m := range messages {
		if m.Sender != domain.Identity {
			return errors.New("another sender's event")
		}
	}
	return nil
}

func (d *desk) Now() time.Time { return time.Now() }

func (d *desk) New() uuid.UUID { return uuid.New() }

func newService() (*inbox.Service, *desk) {
	d := &desk{kept: map[string]bool{}}
	return &inbox.Service{
		Inbox: d, Queue: d, UnitOfWork: d, Clock: d, IDs: d, Log: slog.New(slog.NewTextHandler(&d.log, nil)),
		Handlers: map[domain.Sender]inbox.Handler{domain.Payments: d, domain.Identity: other{d}},
	}, d
}

// answers are what became of events by name.
type answers struct {
	mu   sync.Mutex
	of   map[string]error
	done sync.WaitGroup
}

// receive passes on an event and returns when the event waits at the expected point.
func (a *answers) receive(ctx context.Context, s *inbox.Service, sender domain.Sender, name string, size int) {
	a.done.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				a.put(name, fmt.Errorf("panicked: %v", p))
			}
		}()
		a.put(name, s.Receive(ctx, sender, inbox.Event{ID: name, Body: []byte(strings.Repeat("x", size))}))
	})
	synctest.Wait()
}

func (a *answers) put(name string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = map[string]error{}
	}
	a.of[name] = err
}

func TestEventsThatComeTogetherShareATransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newService()
		var a answers
		a.receive(t.Context(), s, domain.Payments, "alone", 1)
		release := d.hold()
		for n := range 100 {
			sender := domain.Payments
			if n%5 == 4 {
				sender = domain.Identity
			}
			a.receive(t.Context(), s, sender, fmt.Sprint("e", n%90), 1) // ten of them twice
		}
		if len(a.of) != 1 {
			t.Errorf("%d are answered before they are kept", len(a.of))
		}
		release()
		a.done.Wait()
		for name, err := range a.of {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		sizes := []int{}
		for _, b := range d.batches {
			sizes = append(sizes, len(b))
		}
		slices.Sort(sizes)
		if !slices.Equal(sizes, []int{1, 1, 1, 1, 33, 64}) || len(d.kept) != 91 || d.jobs != 91 || d.before != 81 {
			t.Errorf("transactions of %v kept %d events with %d jobs, prepared for %d", sizes, len(d.kept), d.jobs, d.before)
		}
	})
}

func TestOneEventsFailureIsItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newService()
		var a answers
		release := d.hold()
		for _, name := range []string{"first", "second", "third", "before", "bad", "after"} {
			a.receive(t.Context(), s, domain.Payments, name, 1)
		}
		release()
		a.done.Wait()
		for name, err := range a.of {
			if (err != nil) != (name == "bad") || d.kept[name] != (name != "bad") {
				t.Errorf("%s: %v, kept %t", name, err, d.kept[name])
			}
		}
	})
}

func TestPanicAnswersEverybodyAndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newService()
		var a answers
		release := d.hold()
		for _, name := range []string{"first", "second", "third", "leads", "panic", "follows"} {
			a.receive(t.Context(), s, domain.Payments, name, 1)
		}
		release()
		a.done.Wait()
		for _, name := range []string{"leads", "panic", "follows"} {
			if a.of[name] == nil || d.kept[name] {
				t.Errorf("%s: %v, kept %t", name, a.of[name], d.kept[name])
			}
		}
		a.receive(t.Context(), s, domain.Payments, "later", 1)
		a.done.Wait()
		if a.of["later"] != nil || !d.kept["later"] {
			t.Errorf("after a panic: %v", a.of["later"])
		}
	})
}

func TestGivingUpTakesNobodyElseAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newService()
		var a answers
		ctx, giveUp := context.WithCancel(t.Context())
		release := d.hold()
		a.receive(ctx, s, domain.Payments, "writing", 1)
		a.receive(t.Context(), s, domain.Payments, "second", 1)
		a.receive(t.Context(), s, domain.Payments, "third", 1)
		a.receive(ctx, s, domain.Payments, "waiting", 1)
		a.receive(t.Context(), s, domain.Payments, "stays", 1)
		giveUp()
		synctest.Wait()
		if !errors.Is(a.of["waiting"], context.Canceled) || len(a.of) != 1 {
			t.Errorf("answered are %v", a.of)
		}
		release()
		a.done.Wait()
		for name, kept := range map[string]bool{"writing": true, "second": true, "third": true, "waiting": false, "stays": true} {
			if d.kept[name] != kept || kept && a.of[name] != nil {
				t.Errorf("%s: kept %t, %v", name, d.kept[name], a.of[name])
			}
		}
	})
}

func TestTransactionsAreBoundedInBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newService()
		var a answers
		release := d.hold()
		for n := range 12 {
			a.receive(t.Context(), s, domain.Payments, fmt.Sprint(n), 1<<20)
		}
		a.receive(t.Context(), s, domain.Payments, "huge", 5<<20)
		release()
		a.done.Wait()
		for _, b := range d.batches {
			if len(b) > 4 || slices.Contains(b, "huge") && len(b) > 1 {
				t.Errorf("one transaction keeps %v", b)
			}
		}
		if len(d.kept) != 13 {
			t.Errorf("%d events are kept", len(d.kept))
		}
	})
}

// TestUnreadableEvents stores each signed event that cannot be interpreted once,
// logs it once and makes no job for it, with an id and without one.
func TestUnreadableEvents(t *testing.T) {
	t.Parallel()
	s, d := newService()
	long := strings.Repeat("é", 300)
	for range 3 {
		for _, e := range []inbox.Event{
			{ID: "evt_1", Type: "customer.subscription.created", Body: []byte("{}"), Unreadable: "no customer"},
			{Body: []byte("["), Unreadable: "no JSON"},
			{Body: []byte("]"), Unreadable: "no JSON"},
			{ID: long, Type: long, Body: []byte("x"), Unreadable: "no event"},
		} {
			if err := s.Receive(t.Context(), domain.Payments, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(d.kept) != 4 || d.jobs != 0 || d.before != 0 || !d.kept["evt_1"] {
		t.Errorf("%d events kept with %d jobs, prepared for %d", len(d.kept), d.jobs, d.before)
	}
	for id := range d.kept {
		if id == "" || len(id) > 255 {
			t.Errorf("an event is kept as %q", id)
		}
	}
	for _, state := range d.states {
		if state != domain.Failed {
			t.Errorf("an event is kept as %s", state)
		}
	}
	if n := strings.Count(d.log.String(), "level=ERROR"); n != 4 || !strings.Contains(d.log.String(), "event=evt_1 type=customer.subscription.created") {
		t.Errorf("%d lines are logged:\n%s", n, d.log.String())
	}
}
