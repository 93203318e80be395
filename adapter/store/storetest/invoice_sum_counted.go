package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// testCountedSums stores, changes, moves and deletes invoices at random, counts some of them in between,
// and compares the sums with those that read every invoice.
func testCountedSums(t *testing.T, b *bench) {
	const seed, steps = 1, 60
	b.playSums(t, seed, steps)
}

var errKilled = errors.New("killed")

// testCountedSumsAtOnce changes invoices while two others count after each change. Half of the
// transactions that count do not end. Afterwards the sums equal those that read every invoice.
func testCountedSumsAtOnce(t *testing.T, b *bench) {
	p := &sumPlay{bench: b, draw: rand.New(rand.NewPCG(1, 0)), scope: b.organization(t), member: newID()} //nolint:gosec // repeatable, not secret
	p.entities = []*entity.Entity{b.entity(t, p.scope), b.entity(t, p.scope), b.entity(t, p.scope)}
	for range 12 {
		d := b.document(t, p.entities[0])
		p.there = append(p.there, played{b.invoice(t, d, p.content, p.created), d.ID})
	}
	var writers sync.WaitGroup
	const changes = 15
	changed := make(chan struct{}, 3*changes) // counting without a pause would leave the writers of SQLite no turn
	for w := range 3 {
		draw := &sumPlay{draw: rand.New(rand.NewPCG(uint64(w), 1))} //nolint:gosec // repeatable, not secret
		writers.Go(func() {
			for range changes {
				n := 3 + draw.draw.IntN(len(p.there)-3) // another writer deletes the first three
				_, err := b.Invoices().Update(b.ctx, p.scope, p.there[n].inv.ID, 0, func(inv *invoice.Invoice) error {
					draw.content(inv)
					inv.EntityID = p.entities[draw.draw.IntN(3)].ID
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				changed <- struct{}{}
			}
			must(t, b.db.Exec("DELETE FROM documents WHERE id = ?", p.there[w].document).Error)
		})
	}
	var counters sync.WaitGroup
	for n := range 2 {
		draw := rand.New(rand.NewPCG(uint64(n), 2)) //nolint:gosec // repeatable, not secret
		counters.Go(func() {
			for range changed {
				killed := draw.IntN(2) == 0
				err := b.InTx(b.ctx, func(ctx context.Context) error {
					if err := b.Invoices().CountSums(ctx); err != nil || !killed {
						return err
					}
					return errKilled
				})
				if err != nil && !errors.Is(err, errKilled) {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(changed)
	counters.Wait()
	for range 5 {
		p.compare(t, "while some changes are not merged")
	}
	must(t, b.Invoices().CountSums(b.ctx))
	for range 5 {
		p.compare(t, "after all changes are merged")
	}
}

// played is an invoice of the test and its document.
type played struct {
	inv      *invoice.Invoice
	document uuid.UUID
}

// sumPlay is a random history of invoices.
type sumPlay struct {
	*bench
	draw     *rand.Rand
	scope    identity.Scope
	member   uuid.UUID
	entities []*entity.Entity
	there    []played
}

func (b *bench) playSums(t *testing.T, seed uint64, steps int) {
	t.Helper()
	p := &sumPlay{bench: b, draw: rand.New(rand.NewPCG(seed, 0)), scope: b.organization(t), member: newID()} //nolint:gosec // repeatable, not secret
	p.entities = []*entity.Entity{b.entity(t, p.scope), b.entity(t, p.scope, p.member), b.entity(t, p.scope, newID())}
	other := b.organization(t)
	b.invoice(t, b.document(t, b.entity(t, other)))
	for step := range steps {
		p.step(t)
		if step%3 == 0 {
			must(t, b.Invoices().CountSums(b.ctx))
			if got := p.sums(t, other, invoice.Filter{}, []invoice.SumKey{invoice.SumByCurrency}); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"EUR": 1 -`) {
				t.Fatalf("seed %d, step %d: the sums of the other organization are %s", seed, step, got)
			}
		}
		p.compare(t, fmt.Sprintf("seed %d, step %d", seed, step))
	}
	var counted int64
	must(t, b.db.Table("invoice_sums").Count(&counted).Error)
	if counted == 0 {
		t.Error("no invoice was counted, so the test proves nothing")
	}
	for _, of := range p.there {
		must(t, b.db.Exec("DELETE FROM documents WHERE id = ?", of.document).Error)
	}
	must(t, b.Invoices().CountSums(b.ctx))
	for _, table := range []string{"invoice_sums", "invoice_sum_totals", "invoice_sum_changes", "invoices_uncounted", "invoice_sync_differences", "invoice_sources"} {
		var n int64
		must(t, b.db.Table(table).Where("organization_id = ?", p.scope.OrganizationID).Count(&n).Error)
		if n > 0 {
			t.Errorf("seed %d: %s has %d rows of deleted invoices", seed, table, n)
		}
	}
}

// step changes one invoice.
func (p *sumPlay) step(t *testing.T) {
	t.Helper()
	n := p.draw.IntN(13)
	if len(p.there) < 5 || n < 4 {
		d := p.document(t, p.entities[p.draw.IntN(len(p.entities))], func(d *document.Document) {
			d.Origin = []document.Origin{document.FromUpload, document.FromEmail, document.FromFolder}[p.draw.IntN(3)]
		})
		p.there = append(p.there, played{p.invoice(t, d, p.content, p.created), d.ID})
		return
	}
	at := p.draw.IntN(len(p.there))
	of := &p.there[at]
	if n == 4 {
		must(t, p.db.Exec("DELETE FROM documents WHERE id = ?", of.document).Error)
		p.there = slices.Delete(p.there, at, at+1)
		return
	}
	if n > 9 {
		p.sync(t, of)
		return
	}
	_, err := p.Invoices().Update(p.ctx, p.scope, of.inv.ID, 0, func(inv *invoice.Invoice) error {
		switch n {
		case 5:
			inv.EntityID = p.entities[p.draw.IntN(len(p.entities))].ID
		case 6:
			inv.Status = []invoice.Status{invoice.Rejected, invoice.Approved, invoice.Synced, invoice.SyncFailed}[p.draw.IntN(4)]
		default:
			p.content(inv)
		}
		of.inv = inv
		return nil
	})
	must(t, err)
}

// sync draws the state of the sync of an invoice, mostly with the status of the invoice that follows from it.
func (p *sumPlay) sync(t *testing.T, of *played) {
	t.Helper()
	states := []invoice.SyncState{invoice.SyncQueued, invoice.SyncRunning, invoice.SyncChecking, invoice.SyncDone, invoice.SyncDone, invoice.SyncEnded, ""}
	state, status := states[p.draw.IntN(len(states))], invoice.Approved
	switch state {
	case invoice.SyncDone:
		status = invoice.Synced
	case invoice.SyncEnded:
		status = invoice.SyncFailed
	}
	follows := p.draw.IntN(3) > 0
	_, _, err := p.Bookings().Change(p.ctx, p.scope, of.inv.ID, func(inv *invoice.Invoice, _ *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		if follows {
			inv.Status = status
		}
		of.inv = inv
		if state == "" {
			return nil, follows, nil
		}
		return &ledgersync.Sync{SyncView: invoice.SyncView{State: state, IntegrationID: newID()}}, follows, nil
	})
	must(t, err)
}

// created draws the time of creation.
func (p *sumPlay) created(inv *invoice.Invoice) {
	inv.CreatedAt = time.Date(2026, time.January, 30, 23, 59, 59, 999_999_000, time.UTC).Add(time.Duration(p.draw.IntN(80)) * 12 * time.Hour)
}

// content draws the values that sums read. Some are not counted in groups, because they are too large.
func (p *sumPlay) content(inv *invoice.Invoice) {
	pick := func(texts ...string) string { return texts[p.draw.IntN(len(texts))] }
	amount := func() *money.Decimal {
		text := fmt.Sprintf("%d.%02d", p.draw.IntN(1000), p.draw.IntN(100))
		switch p.draw.IntN(12) {
		case 0:
			return nil
		case 1:
			text = "-" + text
		case 2:
			text = "12345678901.5"
		case 3:
			text = "0.0001"
		}
		d := money.MustParse(text)
		return &d
	}
	rate := func() *money.Decimal {
		text := pick("19", "19.00", "7.5", "7.50", "100", "")
		if text == "" {
			return nil
		}
		d := money.MustParse(text)
		return &d
	}
	inv.Status, inv.Currency = invoice.Extracted, pick("EUR", "USD", "")
	inv.Type = []invoice.Type{invoice.TypeInvoice, invoice.TypeCreditNote, invoice.TypeCorrection}[p.draw.IntN(3)]
	inv.IssueDate = calendar.Date{}
	if p.draw.IntN(5) > 0 {
		inv.IssueDate = calendar.Date{Year: 2026, Month: 1, Day: 30}.AddDays(p.draw.IntN(40))
	}
	inv.DueDate = calendar.Date{}
	if p.draw.IntN(5) > 0 {
		inv.DueDate = calendar.Date{Year: 2026, Month: 1, Day: 30}.AddDays(p.draw.IntN(40))
	}
	inv.Seller.TaxID, inv.Seller.Name = pick("DE1", "DE2", ""), pick("Acme", "acme ltd", "Zeta", "", "Müller  & \"Söhne\"", "東京商事 Acme", `50%_a\b OR c*`, "Łódź\nStraße")
	inv.Number, inv.PurchaseOrder = pick("R-1", "R-1", "R-1", "Acme 5", "東京商事"), pick("", "", "Order 5", "zeta", "MULLER & 'SOHNE'", "50%_A\\B")
	inv.NetTotal, inv.TaxTotal, inv.GrossTotal, inv.AmountDue = amount(), amount(), amount(), amount()
	inv.Taxes, inv.Lines = nil, nil
	for range p.draw.IntN(4) {
		inv.Taxes = append(inv.Taxes, invoice.Tax{Category: pick("S", "Z", ""), Rate: rate(), Base: amount(), Amount: amount()})
		inv.Lines = append(inv.Lines, invoice.Line{AccountID: pick("400", "500", ""), NetAmount: amount(), TaxCategory: pick("S", "Z", ""), TaxRate: rate()})
	}
}

// sums returns the sums as text.
func (p *sumPlay) sums(t *testing.T, s identity.Scope, f invoice.Filter, keys []invoice.SumKey) string {
	t.Helper()
	sums, err := p.Invoices().Sum(p.ctx, s, f, keys)
	must(t, err)
	var b strings.Builder
	for _, sum := range sums {
		fmt.Fprintf(&b, "%s %q %q %s %s %q %q %s %q %q: %d", sum.EntityID, sum.SellerTaxID, sum.SellerName, sum.Status, sum.Type, sum.Month, sum.TaxCategory, invoice.Show(sum.TaxRate), sum.AccountID, sum.Currency, sum.Count)
		for _, amount := range []*money.Decimal{sum.Net, sum.Tax, sum.Gross, sum.Due} {
			if amount == nil {
				b.WriteString(" -")
				continue
			}
			b.WriteString(" " + amount.String())
		}
		b.WriteString("\n")
	}
	return b.String()
}

// compare compares sums by groups with those that the store reads from the invoices, because no group has
// the time of the last update. testInvoiceSums compares these with known values.
func (p *sumPlay) compare(t *testing.T, when string) {
	t.Helper()
	day := func(month time.Month, day int) calendar.Date {
		return calendar.Date{Year: 2026, Month: month, Day: day}
	}
	at := func(month time.Month, day, hour int) time.Time {
		return time.Date(2026, month, day, hour, 30*min(hour, 1), 0, 0, time.UTC)
	}
	february := invoice.Filter{IssueDateFrom: day(time.February, 1), IssueDateTo: day(time.February, 28)}
	filters := []invoice.Filter{
		{}, {EntityID: p.entities[1].ID}, {Currencies: []string{"EUR", "USD"}},
		{Statuses: []invoice.Status{invoice.Extracted, invoice.Rejected}, Types: []invoice.Type{invoice.TypeCreditNote}},
		february, {IssueDateTo: february.IssueDateTo}, {IssueDateFrom: february.IssueDateTo},
		{IssueDateFrom: day(time.January, 31), IssueDateTo: day(time.March, 3)}, {IssueDateFrom: day(time.February, 10), EntityID: p.entities[0].ID},
		{IssueDateTo: day(time.March, 2), Types: []invoice.Type{invoice.TypeInvoice}}, {IssueDateFrom: day(time.February, 3), IssueDateTo: day(time.March, 3)},
		{DueDateTo: day(time.February, 28)}, {DueDateFrom: day(time.January, 31), DueDateTo: day(time.March, 2), EntityID: p.entities[1].ID},
		{DueDateFrom: day(time.February, 1), SyncStates: []invoice.SyncState{invoice.SyncDone}}, {DueDateTo: day(time.February, 20), IssueDateTo: day(time.February, 20)},
		{CreatedTo: at(time.March, 1, 0)}, {CreatedFrom: at(time.January, 31, 12), CreatedTo: at(time.March, 5, 7), Currencies: []string{"EUR"}},
		{CreatedFrom: at(time.February, 1, 0), SyncStates: []invoice.SyncState{invoice.SyncEnded, invoice.SyncDone}}, {CreatedFrom: at(time.February, 5, 0), DueDateFrom: day(time.February, 1)},
		{SyncStates: []invoice.SyncState{invoice.SyncDone}}, {SyncStates: []invoice.SyncState{invoice.SyncDone, invoice.SyncQueued}, EntityID: p.entities[0].ID},
		{SyncStates: []invoice.SyncState{invoice.SyncEnded, invoice.SyncRunning}, Statuses: []invoice.Status{invoice.SyncFailed, invoice.Approved, invoice.Rejected}},
		{SyncStates: []invoice.SyncState{invoice.SyncDone}, Statuses: []invoice.Status{invoice.Extracted}}, {SyncStates: []invoice.SyncState{invoice.SyncChecking}},
		{SyncStates: []invoice.SyncState{invoice.SyncDone}, IssueDateFrom: day(time.January, 31), IssueDateTo: day(time.March, 3)},
		{Sources: []document.Origin{document.FromEmail}}, {Sources: []document.Origin{document.FromUpload, document.FromFolder}, EntityID: p.entities[0].ID},
		{Sources: []document.Origin{document.FromUpload}, IssueDateFrom: day(time.January, 31), IssueDateTo: day(time.March, 3)},
		{Sources: []document.Origin{document.FromUpload, document.FromEmail}, SyncStates: []invoice.SyncState{invoice.SyncDone}},
		{Sources: []document.Origin{document.FromUpload}, CreatedTo: at(time.March, 1, 0)}, {Sources: []document.Origin{document.FromTrigger}},
	}
	groups := [][]invoice.SumKey{
		{invoice.SumByCurrency}, {invoice.SumByEntity, invoice.SumByStatus, invoice.SumByType}, {invoice.SumByMonth}, {invoice.SumBySupplier}, {invoice.SumByEntity, invoice.SumBySupplier},
		{invoice.SumByTax}, {invoice.SumByStatus, invoice.SumByTax}, {invoice.SumByAccount}, {invoice.SumByAccount, invoice.SumByType}, {invoice.SumByAccount, invoice.SumByTax},
		{invoice.SumBySupplier, invoice.SumByStatus}, {invoice.SumByType, invoice.SumBySupplier}, {invoice.SumBySupplier, invoice.SumByMonth}, {invoice.SumByMonth, invoice.SumByTax},
		{invoice.SumByAccount, invoice.SumByMonth}, {invoice.SumBySupplier, invoice.SumByAccount}, {invoice.SumByAccount, invoice.SumBySupplier, invoice.SumByMonth},
		{invoice.SumBySupplier, invoice.SumByTax}, {invoice.SumByTax, invoice.SumBySupplier, invoice.SumByCurrency}, {invoice.SumBySupplier, invoice.SumByTax, invoice.SumByAccount},
		{invoice.SumByTax, invoice.SumByMonth, invoice.SumBySupplier},
	}
	for reader, scope := range []identity.Scope{
		p.scope, {OrganizationID: p.scope.OrganizationID, Member: p.member},
		{OrganizationID: p.scope.OrganizationID, Key: &identity.KeyRights{EntityIDs: []uuid.UUID{p.entities[2].ID, p.entities[0].ID}}},
		{OrganizationID: p.scope.OrganizationID, Key: &identity.KeyRights{}},
	} {
		for range 4 {
			f := filters[p.draw.IntN(len(filters))]
			keys := groups[p.draw.IntN(len(groups))]
			plain := f
			plain.UpdatedSince = time.Unix(0, 0)
			if got, want := p.sums(t, scope, f, keys), p.sums(t, scope, plain, keys); got != want {
				t.Fatalf("%s: the sums by %v with the filter %+v of reader %d are\n%swant\n%s", when, keys, f, reader, got, want)
			}
		}
	}
}
