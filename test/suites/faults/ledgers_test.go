package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"testing"
	"time"

	"docledger/adapter/sim/kit"
	simquickbooks "docledger/adapter/sim/quickbooks"
	simxero "docledger/adapter/sim/xero"
	"docledger/cmd/service"
	"docledger/domain/accounting"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/test/lib/harness"
	"docledger/usecase/entities"
	"docledger/usecase/integrations"

	"github.com/google/uuid"
)

// testLedger is a simulated ledger of this process and the entity that syncs to it.
type testLedger struct {
	*harness.Ledger
	kit      *kit.Kit
	currency string
	rate     string   // percent
	paths    []string // paths of the calls that fail
	entity   uuid.UUID
	bills    func() []bill
}

// bill is a bill in a ledger.
type bill struct {
	number, contact string
	files           int
}

// newTestLedgers starts both simulated ledgers without limits.
func newTestLedgers(t *testing.T) []*testLedger {
	a, simA := harness.NewLedgerA(t)
	simA.SetLimits(func(l *simxero.Limits) { l.Concurrent, l.Minute, l.Day, l.AppMinute = 0, 0, 0, 0 })
	b, simB := harness.NewLedgerB(t)
	simB.SetLimits(func(l *simquickbooks.Limits) { l.Minute, l.Second = 0, 0 })
	return []*testLedger{
		{
			Ledger: a, kit: simA.Kit, currency: "EUR", rate: "19",
			paths: []string{"* /api.xro/2.0/Invoices", "* /api.xro/2.0/Contacts", "* /api.xro/2.0/Invoices/**", "* /api.xro/2.0/*"},
			bills: func() (list []bill) {
				for _, d := range simA.Documents(a.Tenants[0]) {
					list = append(list, bill{d.Number, d.ContactID, len(d.Attachments)})
				}
				return list
			},
		},
		{
			Ledger: b, kit: simB.Kit, currency: "GBP", rate: "20",
			paths: []string{"* /v3/company/*/bill", "* /v3/company/*/vendor", "* /v3/company/*/upload", "* /v3/company/*/*"},
			bills: func() (list []bill) {
				for _, d := range simB.Documents(b.Tenants[0]) {
					list = append(list, bill{d.Number, d.VendorID, len(d.Attachments)})
				}
				return list
			},
		},
	}
}

// disturb makes calls fail in every way until ctx ends.
func (b *testLedger) disturb(ctx context.Context, draw *rand.Rand) {
	actions := []string{"commit_then_drop", "commit_then_drop", "drop", "garbage", "status:500", "status:503", "status:429", "delay:1500ms"}
	const pending = 3 // at most
	tick := time.NewTicker(150 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			b.kit.ClearFaults()
			return
		case <-tick.C:
		}
		if len(b.kit.Faults()) < pending {
			f := kit.Fault{Match: b.paths[draw.IntN(len(b.paths))], Action: actions[draw.IntN(len(actions))]}
			if err := b.kit.Inject(f); err != nil {
				panic(err)
			}
		}
	}
}

// connect creates an entity that syncs to the ledger, automatically if auto is
// true.
func (b *testLedger) connect(t *testing.T, s *service.Service, admin identity.Actor, auto bool) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, pays := context.Background(), true
	e, err := s.Entities.Create(ctx, admin, entities.CreateInput{Values: entities.Values{Name: b.Provider}})
	must(err)
	b.entity = e.ID
	asked, err := s.Integrations.Authorize(ctx, admin, integrations.AuthorizeInput{
		EntityID: e.ID, Provider: integration.Provider(b.Provider), RedirectURL: harness.RedirectURL,
	})
	must(err)
	to, err := b.Consent(asked.URL, b.Tenants[0])
	must(err)
	back, err := url.Parse(to)
	must(err)
	_, err = s.Integrations.Callback(ctx, back.Query())
	must(err)
	_, err = s.Integrations.SetUp(ctx, admin, asked.IntegrationID, e.ID, 0, integrations.Setup{
		Status: "PENDING", Provider: b.Provider, OrganizationID: &b.Tenants[0], PaysTax: &pays,
	})
	must(err)
	accounts, err := s.Integrations.Accounts(ctx, admin, asked.IntegrationID, accounting.ClassFilter{accounting.Expense}, integrations.Part{})
	must(err)
	rate := b.taxRate(t, s, admin, asked.IntegrationID)
	_, err = s.Settings.Update(ctx, admin, e.ID, 0, func(v *entity.Settings) {
		v.DefaultAccountID, v.ApprovalRequired, v.AutoSync = accounts.Items[0].ID, false, auto
		v.AutoApproveIgnore = []string{invoice.RuleBuyerIsEntity}
		v.TaxMappings = []entity.TaxMapping{{Category: "S", Rate: b.rate, TaxRateID: rate}}
	})
	must(err)
}

func (b *testLedger) taxRate(t *testing.T, s *service.Service, admin identity.Actor, id uuid.UUID) string {
	t.Helper()
	rates, err := s.Integrations.TaxRates(context.Background(), admin, id, integrations.Part{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rates.Items {
		if r.Purchases && r.State == accounting.InUse && r.Rate.Equal(money.MustParse(b.rate)) {
			return r.ID
		}
	}
	t.Fatalf("%s has no rate of %s %%", b.Provider, b.rate)
	return ""
}

// invoice is number n of the ledger, of one of many suppliers.
func (b *testLedger) invoice(n, suppliers int) (number string, content []byte) {
	number = fmt.Sprintf("%s-%d", b.Provider[len(b.Provider)-1:], n)
	return number, harness.UBLFrom(fmt.Sprintf("Supplier %03d", n%suppliers), number, b.currency, b.rate)
}
