package duplicates

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/domain/duplicate"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

type clock struct{}

func (clock) Now() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }

// pairs keeps postponed checks in memory, and the size of each transaction.
type pairs struct {
	duplicate.Repository
	partners  []uuid.UUID
	postponed map[uuid.UUID][]duplicate.Recheck
	fails     uuid.UUID // the organization without a turn
	inTx      int
	sizes     []int
}

func (p *pairs) InTurn(ctx context.Context, organization uuid.UUID, fn func(context.Context) error) error {
	if organization == p.fails {
		return errors.New("no turn")
	}
	p.inTx = 0
	err := fn(ctx)
	p.sizes = append(p.sizes, p.inTx)
	return err
}

func (p *pairs) Partners(context.Context, uuid.UUID, uuid.UUID) ([]uuid.UUID, error) {
	return p.partners, nil
}

func (p *pairs) Postpone(_ context.Context, organization uuid.UUID, ids []uuid.UUID, assistant bool, _ time.Time) error {
	for _, id := range ids {
		p.postponed[organization] = append(p.postponed[organization], duplicate.Recheck{InvoiceID: id, Assistant: assistant})
	}
	return nil
}

func (p *pairs) Postponed(_ context.Context, organization uuid.UUID, limit int) ([]duplicate.Recheck, error) {
	due := p.postponed[organization]
	return slices.Clone(due[:min(limit, len(due))]), nil
}

func (p *pairs) Postponing(_ context.Context, limit int) (out []uuid.UUID, err error) {
	if p.fails != uuid.Nil {
		out = append(out, p.fails)
	}
	for organization, due := range p.postponed {
		if len(due) > 0 {
			out = append(out, organization)
		}
	}
	return out[:min(limit, len(out))], nil
}

func (p *pairs) Rechecked(_ context.Context, organization, id uuid.UUID) error {
	p.inTx++
	p.postponed[organization] = slices.DeleteFunc(p.postponed[organization], func(r duplicate.Recheck) bool { return r.InvoiceID == id })
	return nil
}

func (p *pairs) Defer(_ context.Context, organization, id uuid.UUID, _ time.Time) error {
	last := func(r duplicate.Recheck) bool { return r.InvoiceID == id }
	due := slices.DeleteFunc(p.postponed[organization], last)
	p.postponed[organization] = append(due, duplicate.Recheck{InvoiceID: id})
	return nil
}

// failing are invoices of which one cannot be read.
type failing struct {
	closed
	id uuid.UUID
}

func (f failing) Update(ctx context.Context, s identity.Scope, id uuid.UUID, v int, fn func(*invoice.Invoice) error) (*invoice.Invoice, error) {
	if id == f.id {
		return nil, errors.New("unreadable")
	}
	return f.closed.Update(ctx, s, id, v, fn)
}

// TestFailedRecheckDoesNotStall evaluates all invoices except the one that always fails, which is
// counted.
func TestFailedRecheckDoesNotStall(t *testing.T) {
	t.Parallel()
	organization, bad := uuid.New(), uuid.New()
	p := &pairs{postponed: map[uuid.UUID][]duplicate.Recheck{organization: {{InvoiceID: bad}}}}
	for range 50 {
		p.postponed[organization] = append(p.postponed[organization], duplicate.Recheck{InvoiceID: uuid.New()})
	}
	s := &Service{Pairs: p, Invoices: failing{id: bad}, Clock: clock{}}
	total := 0
	for range 5 {
		n, err := s.Sweep(t.Context())
		if err == nil || !strings.Contains(err.Error(), bad.String()) {
			t.Errorf("the failure is %v", err)
		}
		total += n
	}
	if left := p.postponed[organization]; total != 50 || len(left) != 1 || left[0].InvoiceID != bad {
		t.Errorf("%d evaluated, %d left", total, len(left))
	}
}

// closed are invoices that are no longer in review.
type closed struct{ invoice.Repository }

func (closed) Update(_ context.Context, _ identity.Scope, id uuid.UUID, _ int, fn func(*invoice.Invoice) error) (*invoice.Invoice, error) {
	inv := &invoice.Invoice{ID: id, Status: invoice.Synced}
	return inv, fn(inv)
}

// TestRecheckIsBounded rejects an invoice with hundreds of duplicates, in two organizations. No
// transaction evaluates more than recheckBatch of them. A third organization that fails does not
// delay the others.
func TestRecheckIsBounded(t *testing.T) {
	t.Parallel()
	p := &pairs{postponed: map[uuid.UUID][]duplicate.Recheck{}}
	for range 230 {
		p.partners = append(p.partners, uuid.New())
	}
	s := &Service{Pairs: p, Invoices: closed{}, Clock: clock{}}
	for range 2 {
		inv := &invoice.Invoice{ID: uuid.New(), OrganizationID: uuid.New()}
		err := s.InTurn(t.Context(), inv.OrganizationID, func(ctx context.Context) error { return s.Rejected(ctx, inv, false) })
		if err != nil {
			t.Fatal(err)
		}
	}
	p.fails = uuid.New()
	total, calls := 0, 0
	for ; total < 420 && calls < 10; calls++ {
		n, err := s.Sweep(t.Context())
		if err == nil {
			t.Error("the failure is hidden")
		}
		if total += n; n > recheckBatch*recheckBatches {
			t.Errorf("one call evaluated %d", n)
		}
	}
	if total != 420 || slices.Max(p.sizes) != recheckBatch {
		t.Errorf("%d of 420 later, in transactions of %v", total, p.sizes)
	}
	p.fails = uuid.Nil
	if n, err := s.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("then %d, %v", n, err)
	}
}

// unknown has the given candidates, and fails where it is asked about an invoice that is not stored yet.
type unknown struct {
	duplicate.Repository
	candidates []duplicate.Record
	added      []duplicate.Match
}

func (u *unknown) Candidates(context.Context, uuid.UUID, duplicate.Record) ([]duplicate.Record, error) {
	return u.candidates, nil
}

func (*unknown) Dismissed(context.Context, uuid.UUID, uuid.UUID) ([]uuid.UUID, error) {
	return nil, errors.New("asked for the dismissed pairs of a new invoice")
}

func (u *unknown) Add(_ context.Context, _, _ uuid.UUID, matches []duplicate.Match, _ time.Time) error {
	u.added = append(u.added, matches...)
	return nil
}

func (*unknown) PostponedFor(context.Context, uuid.UUID, uuid.UUID) (duplicate.Recheck, bool, error) {
	return duplicate.Recheck{}, false, errors.New("asked for the check of a new invoice")
}

func (*unknown) Keep(context.Context, uuid.UUID, uuid.UUID, []duplicate.Match, time.Time) ([]duplicate.Match, []uuid.UUID, error) {
	return nil, nil, errors.New("asked for the pairs of a new invoice")
}

// TestANewInvoiceIsOnlyCompared checks that nothing is read about an invoice that is not stored yet.
func TestANewInvoiceIsOnlyCompared(t *testing.T) {
	t.Parallel()
	stored := &unknown{}
	s := &Service{Pairs: stored, Clock: clock{}}
	inv := &invoice.Invoice{ID: uuid.New(), OrganizationID: uuid.New()}
	found, err := s.FindNew(t.Context(), inv, "bytes")
	if err != nil || !found.New {
		t.Fatalf("%+v, %v", found, err)
	}
	if fresh, err := s.Keep(t.Context(), inv, found, false); err != nil || len(fresh) > 0 {
		t.Errorf("%v, %v", fresh, err)
	}
	stored.candidates = []duplicate.Record{{InvoiceID: uuid.New(), Bytes: "bytes"}}
	if found, err = s.FindNew(t.Context(), inv, "bytes"); err != nil || len(found.Matches) != 1 || !slices.Equal(found.Open, found.Matches) {
		t.Fatalf("an invoice with the same bytes: %+v, %v", found, err)
	}
	fresh, err := s.Keep(t.Context(), inv, found, false)
	if err != nil || !slices.Equal(fresh, found.Matches) || !slices.Equal(stored.added, found.Matches) {
		t.Errorf("new %v, stored %v, %v", fresh, stored.added, err)
	}
}
