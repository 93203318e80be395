package emails

import (
	"context"
	"errors"
	"slices"
	"testing"

	"docledger/domain/email"
	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// offices are entities with the addresses at which they receive e-mail.
type offices struct {
	entity.Reader
	email.Intakes
	entities map[uuid.UUID]*entity.Entity
	intakes  []*email.Intake
	fails    error
}

// add adds an entity of an organization of its own. It returns its id.
func (o *offices) add(token string, archived bool) uuid.UUID {
	e := &entity.Entity{ID: uuid.New(), OrganizationID: uuid.New(), Archived: archived}
	o.entities[e.ID] = e
	o.intakes = append(o.intakes, &email.Intake{EntityID: e.ID, OrganizationID: e.OrganizationID, Token: token})
	return e.ID
}

// GetForOperator implements entity.Owners.
func (o *offices) GetForOperator(_ context.Context, id uuid.UUID) (*entity.Entity, error) {
	if e := o.entities[id]; e != nil {
		return e, o.fails
	}
	return nil, fault.Missing("entity")
}

// OfTokenForReceiver implements email.Intakes.
func (o *offices) OfTokenForReceiver(_ context.Context, token string) (*email.Intake, error) {
	i := slices.IndexFunc(o.intakes, func(i *email.Intake) bool { return i.Token == token })
	if i < 0 {
		return nil, o.fails
	}
	return o.intakes[i], o.fails
}

// readers is offices as an entity.Reader, the Get of which differs from that of email.Intakes.
type readers struct{ *offices }

// Get implements entity.Reader.
func (r readers) Get(ctx context.Context, _ identity.Scope, id uuid.UUID) (*entity.Entity, error) {
	return r.GetForOperator(ctx, id)
}

// List implements entity.Reader.
func (r readers) List(ctx context.Context, s identity.Scope, f entity.Filter, p page.Request) (page.Of[entity.Entity], error) {
	return r.Reader.List(ctx, s, f, p)
}

// intakes is offices as email.Intakes.
type intakes struct{ *offices }

// Get implements email.Intakes.
func (r intakes) Get(_ context.Context, _ identity.Scope, id uuid.UUID) (*email.Intake, error) {
	i := slices.IndexFunc(r.intakes, func(i *email.Intake) bool { return i.EntityID == id })
	return r.intakes[i], nil
}

// TestRecipientsOf verifies who receives a message of a mailbox: never the entity of EMAIL_IMAP_ENTITY if the
// message is for another one that is archived or had the address.
func TestRecipientsOf(t *testing.T) {
	t.Parallel()
	o := &offices{entities: map[uuid.UUID]*entity.Entity{}}
	open, closed := "aaaaaaaaaaaaaaaaaaaaaaaaa2", "aaaaaaaaaaaaaaaaaaaaaaaaa3"
	fallback, recipient := o.add("aaaaaaaaaaaaaaaaaaaaaaaaa4", false), o.add(open, false)
	archived := o.add(closed, true)
	replaced := newToken()
	const refused, waits = fault.NotFound, fault.Conflict
	for name, c := range map[string]struct {
		addresses []string
		def       uuid.UUID
		want      uuid.UUID  // zero: none
		kind      fault.Kind // why
	}{
		"own address":                  {[]string{"a@example.com", open + "@IN.example.com"}, fallback, recipient, 0},
		"own tag":                      {[]string{"invoices+" + open + "@example.com"}, fallback, recipient, 0},
		"no address":                   {nil, fallback, fallback, 0},
		"other domain":                 {[]string{"a@example.com", "news+letter@example.com"}, fallback, fallback, 0},
		"other domain without one":     {[]string{"a@example.com"}, uuid.Nil, uuid.Nil, refused},
		"unknown address":              {[]string{"a@example.com", "someone@in.example.com"}, fallback, uuid.Nil, refused},
		"replaced address":             {[]string{replaced + "+tag@in.example.com"}, fallback, uuid.Nil, refused},
		"replaced tag":                 {[]string{"invoices+" + replaced + "@example.com"}, fallback, uuid.Nil, refused},
		"archived":                     {[]string{closed + "@in.example.com"}, fallback, uuid.Nil, waits},
		"archived tag":                 {[]string{"invoices+" + closed + "@example.com"}, fallback, uuid.Nil, waits},
		"archived and unknown":         {[]string{"someone@in.example.com", closed + "@in.example.com"}, fallback, uuid.Nil, waits},
		"archived and open":            {[]string{closed + "@in.example.com", open + "@in.example.com"}, fallback, recipient, 0},
		"archived default":             {[]string{"a@example.com"}, archived, uuid.Nil, waits},
		"missing default":              {[]string{"a@example.com"}, uuid.New(), uuid.Nil, waits},
		"archived default, own":        {[]string{open + "@in.example.com"}, archived, recipient, 0},
		"unknown and archived default": {[]string{"someone@in.example.com"}, archived, uuid.Nil, refused},
	} {
		m := &Mailbox{Service: &Service{Intakes: intakes{o}, Entities: readers{o}, Domain: "in.example.com"}, Owners: o, Entity: c.def}
		got, err := m.RecipientsOf(t.Context(), c.addresses)
		f, _ := fault.As(err)
		switch {
		case c.want != uuid.Nil && (err != nil || len(got) != 1 || got[0].EntityID != c.want):
			t.Errorf("%s: %v, %v", name, got, err)
		case c.want == uuid.Nil && (f == nil || f.Kind != c.kind || got != nil):
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	// The other ways to receive still refuse an archived entity.
	s := &Service{Intakes: intakes{o}, Entities: readers{o}, Domain: "in.example.com"}
	if _, err := s.Lookup(t.Context(), closed+"@in.example.com"); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("an archived entity by SMTP: %v", err)
	}
	if i, err := s.Lookup(t.Context(), open+"@in.example.com"); err != nil || i.EntityID != recipient {
		t.Errorf("an open entity by SMTP: %v", err)
	}
	o.fails = errors.New("the database is away")
	m := &Mailbox{Service: s, Owners: o, Entity: fallback}
	for _, address := range []string{open + "@in.example.com", "a@example.com"} {
		if _, err := m.RecipientsOf(t.Context(), []string{address}); !errors.Is(err, o.fails) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
