// Package filling fills a database with many invoices of one organization for
// measurements. It stores one document and its invoice through the store, and multiplies
// their rows with SQL, so that new columns need no change here. Seed and number of
// invoices determine all values but the ids of the organization and its entities.
package filling

import (
	"context"
	"fmt"
	"time"

	"docledger/adapter/store"
	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/domain/organization"
	"docledger/infrastructure/database"

	"github.com/google/uuid"
)

// Options say what a database is filled with.
type Options struct {
	Seed     uint64
	Invoices int
	Entities int       // 100 by default
	Until    time.Time // when the newest invoice was created; by default now
	// Organization is filled; by default a new one.
	Organization uuid.UUID
	// Uncounted leaves the groups of the sums empty. Lists do not read them.
	Uncounted bool
}

// Filled says what is in the database.
type Filled struct {
	Organization uuid.UUID
	Entities     []uuid.UUID // the first has a fourth of the invoices
	Member       uuid.UUID   // a user who sees two of the entities, but not the first
	Assignee     uuid.UUID   // a user to whom every hundredth invoice is assigned
	Until        time.Time
}

const (
	// Years is the time over which the invoices were created.
	Years = 5
	// Suppliers is the number of sellers. Half of the invoices are of fifty of them.
	Suppliers       = 400
	defaultEntities = 100
	maxInvoices     = 2_000_000
	part            = 100_000 // rows of one statement
)

// Supplier returns the id of a supplier.
func Supplier(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("00000000-0000-7000-8000-%012x", n+1))
}

// Fill adds the invoices to a database with the current schema.
func Fill(ctx context.Context, db *database.DB, o Options) (Filled, error) {
	if o.Invoices < 1 || o.Invoices > maxInvoices {
		return Filled{}, fmt.Errorf("the number of invoices must be from 1 to %d", maxInvoices)
	}
	if o.Entities == 0 {
		o.Entities = defaultEntities
	}
	if o.Until.IsZero() {
		o.Until = time.Now().UTC().Truncate(time.Microsecond)
	}
	f := Filled{Organization: o.Organization, Member: uuid.New(), Assignee: uuid.New(), Until: o.Until}
	s, err := store.New(ctx, db.Gorm, store.Options{})
	if err != nil {
		return f, err
	}
	model, err := f.addModel(ctx, s, o)
	if err != nil {
		return f, err
	}
	m := &multiplier{ctx: ctx, db: db, postgres: db.Dialect == database.Postgres, options: o, model: model}
	if err := m.run(f); err != nil {
		return f, err
	}
	if o.Uncounted {
		return f, nil
	}
	return f, s.Invoices().CountSums(ctx)
}

// addModel stores the organization, its entities, and the invoice that is multiplied.
func (f *Filled) addModel(ctx context.Context, s *store.Store, o Options) (*invoice.Invoice, error) {
	if f.Organization == uuid.Nil {
		f.Organization = uuid.New()
		if err := s.Organizations().Add(ctx, &organization.Organization{ID: f.Organization, Name: "Measured"}); err != nil {
			return nil, err
		}
	}
	for n := range o.Entities {
		e := &entity.Entity{
			ID: uuid.New(), OrganizationID: f.Organization, Name: fmt.Sprint("Entity ", n), LegalName: fmt.Sprintf("Entity %d Ltd", n),
			Access: entity.AccessRestricted, DefaultRole: identity.Viewer, Version: 1,
		}
		if n == 1 || n == 2 {
			e.Members = []entity.Member{{UserID: f.Member, Role: identity.Viewer}}
		}
		if err := s.Entities().Add(ctx, e); err != nil {
			return nil, err
		}
		settings := entity.DefaultSettings(f.Organization, e.ID)
		settings.Version = 1
		if err := s.Settings().Add(ctx, &settings); err != nil {
			return nil, err
		}
		f.Entities = append(f.Entities, e.ID)
	}
	d := &document.Document{
		ID: uuid.New(), EntityID: f.Entities[0], OrganizationID: f.Organization, Filename: "model.xml", MediaType: "application/xml",
		SHA256: "model", SizeBytes: 4000, PageCount: 1, Origin: document.FromUpload, Status: document.Extracted, Version: 1, CreatedAt: o.Until,
	}
	if _, err := s.Documents().Add(ctx, d); err != nil {
		return nil, err
	}
	inv := &invoice.Invoice{
		ID: uuid.New(), DocumentID: d.ID, EntityID: d.EntityID, OrganizationID: f.Organization, Status: invoice.Approved,
		Content: content(), Fields: evidence(), Version: 1, CreatedAt: o.Until, UpdatedAt: o.Until,
	}
	return inv, s.Invoices().Add(ctx, inv)
}

func content() invoice.Content {
	amount := func(text string) *money.Decimal { d := money.MustParse(text); return &d }
	party := func(name, tax string) invoice.Party {
		return invoice.Party{Name: name, TaxID: tax, Email: "billing@example.com", Address: invoice.Address{
			Line1: "Main Street 12", City: "Berlin", PostalCode: "10115", Country: "DE",
		}}
	}
	line := func(position int, text, net string) invoice.Line {
		return invoice.Line{
			ID: uuid.New(), Position: position, Description: text, Quantity: amount("1"), Unit: "C62", UnitPrice: amount(net),
			NetAmount: amount(net), TaxRate: amount("19"), TaxCategory: "S", AccountID: fmt.Sprint(4900 + position),
		}
	}
	return invoice.Content{
		Type: invoice.TypeInvoice, Number: "R-1", Currency: "EUR", IssueDate: calendar.Date{Year: 2026, Month: 1, Day: 2},
		DueDate: calendar.Date{Year: 2026, Month: 2, Day: 1}, Seller: party("Supplier", "DE123456789"), Buyer: party("Entity 0 Ltd", "DE987654321"),
		Payment:  invoice.Payment{IBAN: "DE75512108001245126199", Reference: "R-1"},
		Lines:    []invoice.Line{line(1, "Delivered goods of a month", "60.00"), line(2, "Service of a month", "40.00")},
		Taxes:    []invoice.Tax{{Category: "S", Rate: amount("19"), Base: amount("100.00"), Amount: amount("19.00")}},
		NetTotal: amount("100.00"), TaxTotal: amount("19.00"), GrossTotal: amount("119.00"), AmountDue: amount("119.00"),
	}
}

func evidence() map[string]invoice.Evidence {
	found := map[string]invoice.Evidence{}
	for _, field := range []string{
		"invoice_number", "issue_date", "due_date", "currency", "seller.name", "seller.tax_id", "buyer.name", "buyer.tax_id", "payment.iban",
		"net_total", "tax_total", "gross_total", "amount_due", "lines[0].description", "lines[0].net_amount", "lines[1].description", "lines[1].net_amount",
	} {
		found[field] = invoice.Evidence{Source: invoice.FromXML, SourceText: "as stated in " + field, Confidence: 1}
	}
	return found
}
