package sync

import (
	"context"
	"sync"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/integration"
	"docledger/domain/ledgersync"

	"github.com/google/uuid"
)

const (
	// readingTTL is how long data of a ledger is reused. A hundred syncs in a row need no more
	// reads than one.
	readingTTL  = 30 * time.Second
	maxReadings = 64
)

// ledgerCache caches data of ledgers; the zero value is an empty cache.
type ledgerCache struct {
	mu      sync.Mutex
	entries map[readingKey]*reading
}

// readingKey separates the data of different tenants.
type readingKey struct {
	integration, grant uuid.UUID
	tenant             string
}

// reading is the cached data of one ledger. turn contains a token unless a read is in progress.
type reading struct {
	turn          chan struct{}
	ledger        ledgersync.Ledger
	until         time.Time
	contacts      []accounting.Contact
	contactsUntil time.Time
}

func (l *ledgerCache) of(i *integration.Integration) *reading {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := readingKey{i.ID, i.GrantID, i.Tenant()}
	if e, ok := l.entries[key]; ok {
		return e
	}
	if l.entries == nil || len(l.entries) >= maxReadings {
		l.entries = map[readingKey]*reading{}
	}
	e := &reading{turn: make(chan struct{}, 1)}
	e.turn <- struct{}{}
	l.entries[key] = e
	return e
}

// forget drops the cached data of an integration's ledger.
func (l *ledgerCache) forget(id uuid.UUID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.entries {
		if key.integration == id {
			delete(l.entries, key)
		}
	}
}

func (e *reading) lock(ctx context.Context) error {
	select {
	case <-e.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *reading) unlock() { e.turn <- struct{}{} }

// readLedger reads the data that a bill is validated against.
func (s *Service) readLedger(ctx context.Context, r *run) (ledgersync.Ledger, error) {
	e := s.readings.of(r.integration)
	if err := e.lock(ctx); err != nil {
		return ledgersync.Ledger{}, err
	}
	defer e.unlock()
	if s.Clock.Now().Before(e.until) {
		return e.ledger, nil
	}
	var ledger ledgersync.Ledger
	err := s.with(ctx, r, func(ctx context.Context, a integration.Access) (err error) {
		if ledger.Rules, err = r.ledger.Booker.Rules(ctx, a); err != nil {
			return err
		}
		if ledger.Accounts, err = r.ledger.Accounts.Accounts(ctx, a, nil); err != nil {
			return err
		}
		ledger.TaxRates, err = r.ledger.TaxRates.TaxRates(ctx, a)
		return err
	})
	if err != nil {
		return ledgersync.Ledger{}, err
	}
	e.ledger, e.until = ledger, s.Clock.Now().Add(readingTTL)
	return ledger, nil
}

// contacts returns the ledger's contacts; fresh bypasses the cache.
func (s *Service) contacts(ctx context.Context, r *run, fresh bool) ([]accounting.Contact, error) {
	e := s.readings.of(r.integration)
	if err := e.lock(ctx); err != nil {
		return nil, err
	}
	defer e.unlock()
	if !fresh && s.Clock.Now().Before(e.contactsUntil) {
		return e.contacts, nil
	}
	var list []accounting.Contact
	err := s.with(ctx, r, func(ctx context.Context, a integration.Access) (err error) {
		list, err = r.ledger.Contacts.Contacts(ctx, a)
		return err
	})
	if err != nil {
		return nil, err
	}
	e.contacts, e.contactsUntil = list, s.Clock.Now().Add(readingTTL)
	return list, nil
}
