package store_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/page"
	"docledger/infrastructure/database"

	"github.com/google/uuid"
)

func newStore(t *testing.T) *store.Store {
	t.Helper()
	return patient(t, openPostgres(t, 8))
}

// patient returns a store in which readers of events wait long for older transactions. Those of other
// databases of the server count, too, and other packages are tested at the same time.
func patient(t *testing.T, db *database.DB) *store.Store {
	t.Helper()
	s, err := store.New(context.Background(), db.Gorm, store.Options{SettleTimeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func appendEvent(ctx context.Context, t *testing.T, s *store.Store, scope identity.Scope) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	if err := s.Events().Append(ctx, event.Event{ID: id, OrganizationID: scope.OrganizationID}); err != nil {
		t.Error(err)
	}
	return id
}

// follow reads the log to its current end.
func follow(t *testing.T, s *store.Store, scope identity.Scope, after string, limit int) (ids []uuid.UUID, next string) {
	t.Helper()
	for {
		p, err := s.Events().List(context.Background(), scope, event.Filter{}, page.Request{Limit: limit, After: after})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Items {
			ids = append(ids, e.ID)
		}
		if after = p.Next; len(p.Items) == 0 {
			return ids, after
		}
	}
}

// An event that is written first and committed last is returned exactly once to a reader that
// follows the log, in any order of commits.
func TestEventsOfLateCommits(t *testing.T) {
	t.Parallel()
	db := openPostgres(t, 8)
	s := patient(t, db)
	ctx := context.Background()
	hasty, err := store.New(ctx, db.Gorm, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scope := identity.Scope{OrganizationID: uuid.New()}
	var late, meanwhile uuid.UUID
	var seen []uuid.UUID
	var cursor string
	err = s.InTx(ctx, func(inTx context.Context) error {
		late = appendEvent(inTx, t, s, scope)
		meanwhile = appendEvent(ctx, t, s, scope)
		seen, cursor = follow(t, hasty, scope, "", 10)
		if len(seen) != 0 {
			t.Errorf("%d events were shown while an older transaction was open", len(seen))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	seen, cursor = follow(t, s, scope, cursor, 10)
	if want := []uuid.UUID{late, meanwhile}; !slices.Equal(seen, want) {
		t.Errorf("seen %v, want %v", seen, want)
	}
	if again, _ := follow(t, s, scope, cursor, 10); len(again) != 0 {
		t.Errorf("seen again: %v", again)
	}
}

// A reader follows the log during concurrent writes in transactions of different lengths. It gets
// each event once, and the events of one transaction in their order.
func TestEventsOfManyWriters(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := context.Background()
	scope := identity.Scope{OrganizationID: uuid.New()}
	const writers, rounds = 6, 25
	var mu sync.Mutex
	var written []uuid.UUID
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for r := range rounds {
				var ids []uuid.UUID
				rollBack := (w+r)%7 == 0
				_ = s.InTx(ctx, func(ctx context.Context) error {
					for range 1 + (w*r)%4 {
						ids = append(ids, appendEvent(ctx, t, s, scope))
					}
					if rollBack {
						return context.Canceled
					}
					return nil
				})
				if !rollBack {
					mu.Lock()
					written = append(written, ids...)
					mu.Unlock()
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	var seen []uuid.UUID
	var cursor string
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		var ids []uuid.UUID
		ids, cursor = follow(t, s, scope, cursor, 3)
		seen = append(seen, ids...)
	}
	byID := func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(seen, byID)
	slices.SortFunc(written, byID)
	if !slices.Equal(seen, written) {
		t.Errorf("seen %d events, written %d", len(seen), len(written))
	}
}

// A caller that has just written an event finds it in the log, although an earlier transaction is
// still open.
func TestEventsWaitForOlderTransactions(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := context.Background()
	scope := identity.Scope{OrganizationID: uuid.New()}
	open, release := make(chan struct{}), make(chan struct{})
	var other sync.WaitGroup
	other.Go(func() {
		_ = s.InTx(ctx, func(inTx context.Context) error {
			appendEvent(inTx, t, s, identity.Scope{OrganizationID: uuid.New()})
			close(open)
			<-release
			return nil
		})
	})
	<-open
	mine := appendEvent(ctx, t, s, scope)
	time.AfterFunc(20*time.Millisecond, func() { close(release) })
	seen, _ := follow(t, s, scope, "", 10)
	other.Wait()
	if !slices.Equal(seen, []uuid.UUID{mine}) {
		t.Errorf("seen %v, want %v", seen, mine)
	}
}

// A dump is restored into a cluster with lower transaction ids. This neither hides events nor
// moves readers back.
func TestEventsSurviveARestore(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := openPostgres(t, 4)
	before := patient(t, db)
	scope := identity.Scope{OrganizationID: uuid.New()}
	old := []uuid.UUID{appendEvent(ctx, t, before, scope), appendEvent(ctx, t, before, scope)}
	if seen, _ := follow(t, before, scope, "", 1); !slices.Equal(seen, old) {
		t.Fatalf("before: %v", seen)
	}
	// The other cluster would have stored ids far above those of this one.
	if err := db.Gorm.Exec("UPDATE events SET position = position + 5000000000").Error; err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		s := patient(t, db)
		seen, cursor := follow(t, s, scope, "", 1)
		if !slices.Equal(seen, old) {
			t.Errorf("round %d: seen %v, want %v", round, seen, old)
		}
		next := appendEvent(ctx, t, s, scope)
		// The event is returned after transactions of other databases that began before it have
		// ended.
		tick := time.NewTicker(5 * time.Millisecond)
		seen = nil
		for deadline := time.Now().Add(20 * time.Second); len(seen) == 0 && time.Now().Before(deadline); <-tick.C {
			seen, _ = follow(t, s, scope, cursor, 1)
		}
		tick.Stop()
		if !slices.Equal(seen, []uuid.UUID{next}) {
			t.Errorf("round %d: then %v, want %v", round, seen, next)
		}
		old = append(old, next)
	}
}
