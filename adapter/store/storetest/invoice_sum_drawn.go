package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// testDrawnSums draws invoices, filters and keys, and compares the sums with those of this program over all invoices.
// testCountedSums compares two statements of the store, which can have the same fault.
func testDrawnSums(t *testing.T, b *bench) {
	const seed, rounds, changes, filters = 7, 4, 10, 90
	p := &sumPlay{bench: b, draw: rand.New(rand.NewPCG(seed, 0)), scope: b.organization(t), member: newID()} //nolint:gosec // repeatable, not secret
	p.entities = []*entity.Entity{b.entity(t, p.scope), b.entity(t, p.scope), b.entity(t, p.scope)}
	found := 0
	for round := range rounds {
		for range changes {
			p.step(t)
		}
		p.moveDates(t)
		if round > 0 {
			must(t, b.Invoices().CountSums(b.ctx))
			p.step(t)
		}
		all, origins := p.stored(t), p.origins(t)
		for range filters {
			f, keys := p.filter(), p.keys()
			matching := slices.DeleteFunc(slices.Clone(all), func(inv *invoice.Invoice) bool {
				return len(f.Sources) > 0 && !slices.Contains(f.Sources, origins[inv.DocumentID])
			})
			scope := p.scope
			if p.draw.IntN(3) == 0 {
				scope.Key = &identity.KeyRights{EntityIDs: []uuid.UUID{p.entities[0].ID, p.entities[2].ID}}
			}
			sums, err := b.Invoices().Sum(b.ctx, scope, f, keys)
			must(t, err)
			got, want := []string{}, addUp(matching, scope, f, keys)
			for _, sum := range sums {
				got = append(got, sumText(sum))
			}
			slices.Sort(got)
			if found += len(want); !slices.Equal(got, want) {
				t.Fatalf("round %d: the sums by %v with the filter %+v and the rights %+v are\n%s\nwant\n%s", round, keys, f, scope.Key, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
	if found < filters {
		t.Errorf("the filters match %d groups, so the test proves little", found)
	}
}

// moveDates gives some invoices dates at the ends of the calendar and of months.
func (p *sumPlay) moveDates(t *testing.T) {
	t.Helper()
	for _, of := range p.there {
		if p.draw.IntN(3) > 0 {
			continue
		}
		_, err := p.Invoices().Update(p.ctx, p.scope, of.inv.ID, 0, func(inv *invoice.Invoice) error {
			inv.IssueDate, inv.DueDate = p.day(), p.day()
			return nil
		})
		must(t, err)
	}
}

func (p *sumPlay) day() calendar.Date {
	days := []calendar.Date{
		{}, {Year: 1, Month: 1, Day: 1}, {Year: 1, Month: 1, Day: 2}, {Year: 1, Month: 1, Day: 31}, {Year: 9999, Month: 12, Day: 1}, {Year: 9999, Month: 12, Day: 31},
		{Year: 2025, Month: 12, Day: 31}, {Year: 2026, Month: 1, Day: 31}, {Year: 2026, Month: 2, Day: 1}, {Year: 2026, Month: 2, Day: 28}, {Year: 2026, Month: 3, Day: 1}, {Year: 2026, Month: 3, Day: 31},
	}
	return days[p.draw.IntN(len(days))]
}

// stored reads the invoices of the test with their lines and the state of their sync.
func (p *sumPlay) stored(t *testing.T) []*invoice.Invoice {
	t.Helper()
	all := make([]*invoice.Invoice, len(p.there))
	for i, of := range p.there {
		inv, err := p.Invoices().Get(p.ctx, p.scope, of.inv.ID)
		must(t, err)
		all[i] = inv
	}
	return all
}

// origins reads the origins of all documents.
func (p *sumPlay) origins(t *testing.T) map[uuid.UUID]document.Origin {
	t.Helper()
	var rows []struct {
		ID     uuid.UUID
		Origin document.Origin
	}
	must(t, p.db.Table("documents").Select("id, origin").Find(&rows).Error)
	origins := map[uuid.UUID]document.Origin{}
	for _, row := range rows {
		origins[row.ID] = row.Origin
	}
	return origins
}

// someOf draws some of the values, maybe none.
func someOf[T any](draw *rand.Rand, values ...T) (some []T) {
	for _, value := range values {
		if draw.IntN(2) == 0 {
			some = append(some, value)
		}
	}
	return some
}

// filter draws a filter. Each part is absent in most of them, so that many have groups.
func (p *sumPlay) filter() (f invoice.Filter) {
	seldom := func(n int) bool { return p.draw.IntN(n) == 0 }
	if seldom(4) {
		f.EntityID = p.entities[p.draw.IntN(len(p.entities))].ID
	}
	if seldom(4) {
		f.Statuses = someOf(p.draw, invoice.Extracted, invoice.Rejected, invoice.Approved, invoice.Synced, invoice.SyncFailed)
	}
	if seldom(4) {
		f.Types = someOf(p.draw, invoice.TypeInvoice, invoice.TypeCreditNote, invoice.TypeCorrection)
	}
	if seldom(4) {
		f.Currencies = someOf(p.draw, "EUR", "USD", "CHF")
	}
	if seldom(3) {
		f.SyncStates = someOf(p.draw, invoice.SyncQueued, invoice.SyncRunning, invoice.SyncChecking, invoice.SyncDone, invoice.SyncEnded)
	}
	if seldom(3) {
		f.Sources = someOf(p.draw, document.FromUpload, document.FromEmail, document.FromFolder)
	}
	if seldom(4) {
		// Some texts are those of a seller, of another text, of both, or of none, and the last ones those of an amount.
		texts := []string{
			"acme", "ACME ltd", "R-1", "zeta", "order 5", "rechnung", "none", "ac", "0.0001", "12345678901.50",
			"muller & ", "MÜLLER &", `"söhne"`, "東京商事", "東京", "商事 acme", "50%", `%_a\b`, " or c*", "c*", "ł", "lodz strasse", "DZ\u00a0 ß", "a\"b", "acme AND zeta", "R-1 acme", "-9000",
		}
		f.Query = texts[p.draw.IntN(len(texts))]
	}
	if seldom(12) {
		least := money.MustParse("100")
		f.GrossMin = &least
	}
	bounds := []int{1, 2, 3}[p.draw.IntN(3)] // from, to, both
	switch dates := p.draw.IntN(6); dates {
	case 0, 1:
		from, to := &f.IssueDateFrom, &f.IssueDateTo
		if dates == 0 {
			from, to = &f.DueDateFrom, &f.DueDateTo
		}
		if bounds&1 > 0 {
			*from = p.day()
		}
		if bounds&2 > 0 {
			*to = p.day()
		}
	case 2, 3:
		if bounds&1 > 0 {
			f.CreatedFrom = p.time()
		}
		if bounds&2 > 0 {
			f.CreatedTo = p.time()
		}
	}
	return f
}

// time draws a time in a random zone, often the first of a month in UTC.
func (p *sumPlay) time() time.Time {
	hours := []time.Duration{0, 0, 0, -1, 12}[p.draw.IntN(5)] * time.Hour
	at := time.Date(2026, time.Month(1+p.draw.IntN(4)), 1, 0, 0, 0, 0, time.UTC).Add(hours)
	switch p.draw.IntN(12) {
	case 0:
		at = time.Date(9999, time.December, 31, 23, 30, 0, 0, time.UTC)
	case 1:
		at = time.Date(10000, time.January, 1, 0, 30, 0, 0, time.UTC) // in a zone to the west, it is a time of 9999
	case 2:
		at = time.Date(0, time.December, 31, 23, 0, 0, 0, time.UTC)
	case 3:
		at = at.Add(300 * time.Nanosecond)
	}
	return at.In(time.FixedZone("", 3600*(p.draw.IntN(25)-12)))
}

func (p *sumPlay) keys() []invoice.SumKey {
	some := someOf(p.draw, invoice.SumByStatus, invoice.SumByEntity, invoice.SumByType, invoice.SumByMonth)
	if p.draw.IntN(2) == 0 {
		some = nil
	}
	all := []invoice.SumKey{invoice.SumBySupplier, invoice.SumByTax, invoice.SumByAccount, invoice.SumByMonth}
	for n := p.draw.IntN(3); n > 0; n-- {
		if key := all[p.draw.IntN(len(all))]; !slices.Contains(some, key) {
			some = append(some, key)
		}
	}
	return append(some, invoice.SumByCurrency)
}

// fold returns a text of this test without upper case, marks and repeated space.
func fold(text string) string {
	text = strings.NewReplacer("ü", "u", "ö", "o", "ó", "o", "ź", "z", "ł", "l", "ß", "ss").Replace(strings.ToLower(text))
	return strings.Join(strings.Fields(text), " ")
}

// has reports whether a filter of this test matches an invoice.
func has(f invoice.Filter, inv *invoice.Invoice) bool {
	day := func(d, from, to calendar.Date) bool {
		first := calendar.Date{Year: 1, Month: 1, Day: 1}
		return from.IsZero() && to.IsZero() || first.Before(d) && !d.Before(from) && (to.IsZero() || !to.Before(d))
	}
	var state invoice.SyncState
	if inv.Sync != nil {
		state = inv.Sync.State
	}
	from, to := f.CreatedFrom.Truncate(time.Microsecond), f.CreatedTo.Truncate(time.Microsecond)
	const file = "rechnung.pdf" // that of each document
	text, query := fold(inv.Number)+"\n"+fold(inv.Seller.Name)+"\n"+fold(inv.PurchaseOrder)+"\n"+file, fold(f.Query)
	amount, err := money.Parse(query)
	found := strings.Contains(text, query) || err == nil && slices.ContainsFunc([]*money.Decimal{inv.NetTotal, inv.GrossTotal, inv.AmountDue}, func(of *money.Decimal) bool {
		return of != nil && of.Cmp(amount) == 0
	})
	switch {
	case f.EntityID != uuid.Nil && inv.EntityID != f.EntityID,
		len(f.Statuses) > 0 && !slices.Contains(f.Statuses, inv.Status), len(f.Types) > 0 && !slices.Contains(f.Types, inv.Type),
		len(f.Currencies) > 0 && !slices.Contains(f.Currencies, inv.Currency), len(f.SyncStates) > 0 && !slices.Contains(f.SyncStates, state),
		!f.CreatedFrom.IsZero() && inv.CreatedAt.Before(from), !f.CreatedTo.IsZero() && !inv.CreatedAt.Before(to),
		!found, f.GrossMin != nil && (inv.GrossTotal == nil || inv.GrossTotal.Cmp(*f.GrossMin) < 0):
		return false
	}
	return day(inv.IssueDate, f.IssueDateFrom, f.IssueDateTo) && day(inv.DueDate, f.DueDateFrom, f.DueDateTo)
}

// addUp returns the texts of the sums of invoices.
func addUp(all []*invoice.Invoice, s identity.Scope, f invoice.Filter, keys []invoice.SumKey) []string {
	by := func(key invoice.SumKey) bool { return slices.Contains(keys, key) }
	groups, counted := map[string]*invoice.Sum{}, map[string]bool{}
	add := func(inv *invoice.Invoice, sum invoice.Sum, amounts ...*money.Decimal) {
		sum.Currency = inv.Currency
		if by(invoice.SumByEntity) {
			sum.EntityID = inv.EntityID
		}
		if by(invoice.SumBySupplier) {
			if sum.SellerTaxID = inv.Seller.TaxID; inv.Seller.TaxID == "" {
				sum.SellerName = inv.Seller.Name
			}
		}
		if by(invoice.SumByStatus) {
			sum.Status = inv.Status
		}
		if by(invoice.SumByType) {
			sum.Type = inv.Type
		}
		if by(invoice.SumByMonth) && !inv.IssueDate.IsZero() {
			sum.Month = inv.IssueDate.String()[:len("2006-01")]
		}
		key := sumText(sum)
		if groups[key] == nil {
			groups[key] = &sum
		}
		group := groups[key]
		if of := key + inv.ID.String(); !counted[of] {
			counted[of] = true
			group.Count++
		}
		for i, into := range []**money.Decimal{&group.Net, &group.Tax, &group.Gross, &group.Due}[:len(amounts)] {
			if amounts[i] == nil {
				continue
			}
			amount := *amounts[i]
			if inv.Type == invoice.TypeCreditNote {
				amount = amount.Neg()
			}
			if *into != nil {
				amount = amount.Add(**into)
			}
			*into = &amount
		}
	}
	for _, inv := range all {
		if inv.Status == invoice.Rejected || !has(f, inv) || s.Key != nil && !slices.Contains(s.Key.EntityIDs, inv.EntityID) {
			continue
		}
		switch {
		case by(invoice.SumByAccount):
			for _, l := range inv.Lines {
				sum := invoice.Sum{AccountID: l.AccountID}
				if by(invoice.SumByTax) {
					sum.TaxCategory, sum.TaxRate = l.TaxCategory, l.TaxRate
				}
				add(inv, sum, l.NetAmount)
			}
		case by(invoice.SumByTax):
			for _, x := range inv.Taxes {
				var gross *money.Decimal
				if x.Base != nil && x.Amount != nil {
					both := x.Base.Add(*x.Amount)
					gross = &both
				}
				add(inv, invoice.Sum{TaxCategory: x.Category, TaxRate: x.Rate}, x.Base, x.Amount, gross)
			}
		default:
			add(inv, invoice.Sum{}, inv.NetTotal, inv.TaxTotal, inv.GrossTotal, inv.AmountDue)
		}
	}
	texts := []string{}
	for _, group := range groups {
		texts = append(texts, sumText(*group))
	}
	slices.SortFunc(texts, cmp.Compare)
	return texts
}

// sumText returns a sum as text, without the name of a seller with a tax identifier, which depends on the order of the
// database.
func sumText(s invoice.Sum) string {
	if s.SellerTaxID != "" {
		s.SellerName = ""
	}
	normal := func(d *money.Decimal) string {
		if d == nil {
			return "-"
		}
		return d.Normal()
	}
	return fmt.Sprintf("%s %q %q %s %s %q %q %s %q %q: %d %s %s %s %s", s.EntityID, s.SellerTaxID, s.SellerName, s.Status, s.Type, s.Month, s.TaxCategory, normal(s.TaxRate), s.AccountID, s.Currency,
		s.Count, normal(s.Net), normal(s.Tax), normal(s.Gross), normal(s.Due))
}
