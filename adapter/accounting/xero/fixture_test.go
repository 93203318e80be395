package xero_test

import (
	"net/http/httptest"
	"net/url"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"docledger/adapter/accounting/xero"
	"docledger/adapter/sim/definition/definitiontest"
	"docledger/adapter/sim/kit"
	sim "docledger/adapter/sim/xero"
	"docledger/domain/accounting"
	"docledger/domain/accounting/accountingtest"
	"docledger/domain/calendar"
	"docledger/domain/money"
	"docledger/domain/secret"
)

const (
	clientID     = "canary-client-77ab"
	clientSecret = "canary-secret-4f1d +/="
)

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// fixture controls the simulator directly.
type fixture struct {
	t   testing.TB
	sim *sim.Server
	url string
}

// open starts a simulator without rate limits and a connector that uses it.
func open(t testing.TB, change func(*xero.Options)) (*xero.Connector, *fixture) {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	origin := "http://" + listener.Listener.Addr().String()
	limits := sim.DefaultLimits()
	limits.Concurrent, limits.Minute, limits.Day, limits.AppMinute = 0, 0, 0, 0
	server := sim.New(sim.Options{
		Origin: origin, Start: start, Limits: &limits,
		Clients: []sim.Client{{
			ID: clientID, Name: "docledger", Secret: clientSecret, RedirectURIs: []string{accountingtest.RedirectURI},
		}, {ID: "native", RedirectURIs: []string{accountingtest.RedirectURI}}},
	})
	listener.Config.Handler = definitiontest.Handler(t, "xero", server)
	listener.Start()
	t.Cleanup(listener.Close)
	o := xero.Options{
		ClientID: clientID, ClientSecret: secret.New(clientSecret), URL: origin + "/", LoopbackHTTP: true,
		Timeout: time.Minute, Now: server.Kit.Clock.Now,
	}
	if change != nil {
		change(&o)
	}
	c, err := xero.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, &fixture{t, server, origin}
}

func TestContract(t *testing.T) {
	t.Parallel()
	accountingtest.Run(t, func(t testing.TB) (accountingtest.Connector, accountingtest.World) {
		c, w := open(t, nil)
		return accountingtest.Of(t, xero.Descriptor(), c), w
	})
}

// TestContractWithoutSecret runs the contract for an application that uses PKCE instead of a
// secret.
func TestContractWithoutSecret(t *testing.T) {
	t.Parallel()
	accountingtest.Run(t, func(t testing.TB) (accountingtest.Connector, accountingtest.World) {
		c, w := open(t, func(o *xero.Options) { o.ClientID, o.ClientSecret = "native", secret.Text{} })
		return accountingtest.Of(t, xero.Descriptor(), c), w
	})
}

func TestBookingContract(t *testing.T) {
	t.Parallel()
	accountingtest.RunBooking(t, func(t testing.TB) (accountingtest.Bookkeeper, accountingtest.BookingWorld) {
		c, w := open(t, nil)
		return accountingtest.BookkeeperOf(t, xero.Descriptor(), c), w
	})
}

func (w *fixture) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *fixture) Now() time.Time           { return w.sim.Kit.Clock.Now() }
func (w *fixture) Advance(by time.Duration) { w.sim.Kit.Clock.Advance(by) }
func (w *fixture) Tenants() []string        { return []string{sim.TaxedOrganization, sim.UntaxedOrganization} }
func (w *fixture) Withdraw()                { w.sim.Withdraw() }
func (w *fixture) TakeOff(tenant string)    { w.must(w.sim.TakeOff(tenant)) }
func (w *fixture) ForgetKeys()              { w.sim.ForgetKeys() }
func (w *fixture) Repair()                  { w.sim.Kit.ClearFaults() }

func (w *fixture) Consent(authorizationURL string, tenants ...string) url.Values {
	w.t.Helper()
	if !strings.HasPrefix(authorizationURL, w.url+"/identity/connect/authorize?") {
		w.t.Fatalf("the consent page is at %s", authorizationURL)
	}
	to, err := w.sim.Consent(authorizationURL, tenants...)
	w.must(err)
	u, err := url.Parse(to)
	w.must(err)
	return u.Query()
}

func (w *fixture) Decline(authorizationURL string) url.Values { return w.Consent(authorizationURL) }

func (w *fixture) Seed(tenant string, l accountingtest.List, count int) {
	w.t.Helper()
	for n := 1; n <= count; n++ {
		name, status := "Seeded "+strconv.Itoa(n), ""
		if n%10 == 0 {
			status = "ARCHIVED"
		}
		var err error
		switch l {
		case accountingtest.ListAccounts:
			_, err = w.sim.AddAccount(tenant, sim.Account{Name: name, Type: "EXPENSE", Code: "S" + strconv.Itoa(n), Status: status})
		case accountingtest.ListContacts:
			_, err = w.sim.AddContact(tenant, sim.Contact{Name: name, Status: status})
		case accountingtest.ListTaxRates:
			_, err = w.sim.AddTaxRate(tenant, sim.TaxRate{Name: name, TaxType: "SEED" + strconv.Itoa(n), Rate: "5", Status: status})
		default:
			w.t.Fatalf("cannot seed %s", l)
		}
		w.must(err)
	}
}

func (w *fixture) AddAccount(tenant, name, accountType string, archived bool) string {
	w.t.Helper()
	a := sim.Account{Name: name, Type: accountType, Code: "N" + strconv.Itoa(len(name))}
	if archived {
		a.Status = "ARCHIVED"
	}
	id, err := w.sim.AddAccount(tenant, a)
	w.must(err)
	return id
}

// calls maps each call to its requests.
var calls = map[accountingtest.Call][]string{
	accountingtest.ListOrganizations: {"GET /connections"},
	accountingtest.ListAccounts:      {"GET /api.xro/2.0/Accounts"},
	accountingtest.ListContacts:      {"GET /api.xro/2.0/Contacts"},
	accountingtest.ListTaxRates:      {"GET /api.xro/2.0/TaxRates"},
	accountingtest.ListCurrencies:    {"GET /api.xro/2.0/Currencies"},
	accountingtest.CallToken:         {"POST /connect/token"},
	accountingtest.CallRevoke:        {"POST /connect/revocation"},
	accountingtest.CallRules:         {"GET /api.xro/2.0/Organisation"},
	accountingtest.CallBook:          {"PUT /api.xro/2.0/Invoices", "PUT /api.xro/2.0/CreditNotes"},
	accountingtest.CallFind:          {"GET /api.xro/2.0/Invoices", "GET /api.xro/2.0/CreditNotes"},
	accountingtest.CallReadBill:      {"GET /api.xro/2.0/Invoices/*", "GET /api.xro/2.0/CreditNotes/*"},
	accountingtest.CallCreateContact: {"PUT /api.xro/2.0/Contacts"},
	accountingtest.CallAttach:        {"PUT /api.xro/2.0/*/*/Attachments/*"},
	accountingtest.CallAttachments:   {"GET /api.xro/2.0/*/*/Attachments"},
}

func (w *fixture) Break(c accountingtest.Call, f accountingtest.Failure, times int) {
	w.t.Helper()
	if len(calls[c]) == 0 {
		w.t.Fatalf("no request is defined for %s", c)
	}
	for _, match := range calls[c] {
		w.must(w.sim.Kit.Inject(kit.Fault{Match: match, Times: times, Action: string(f)}))
	}
}

func (w *fixture) Count(c accountingtest.Call) (n int) {
	for _, r := range w.sim.Kit.Requests() {
		for _, match := range calls[c] {
			if ok, err := path.Match(match, r.Method+" "+r.Path); ok && err == nil {
				n++
			}
		}
	}
	return n
}

func (w *fixture) Bills(tenant string) (out []accountingtest.LedgerBill) {
	w.t.Helper()
	for _, d := range w.sim.Documents(tenant) {
		b := accountingtest.LedgerBill{
			ID: d.ID, Kind: accounting.PurchaseBill, Contact: d.ContactID, Number: d.Number, Currency: d.Currency,
			Date: w.day(d.Date), Total: money.MustParse(d.Total), TaxTotal: money.MustParse(d.Tax), Text: d.Link,
			Removed: d.Status == "DELETED" || d.Status == "VOIDED",
		}
		if d.Type == "ACCPAYCREDIT" {
			b.Kind = accounting.SupplierCredit
		}
		if d.DueDate != "" {
			b.DueDate = w.day(d.DueDate)
		}
		for _, l := range d.Lines {
			b.Text += "\n" + l.Description
			if l.TaxType == "" {
				continue // a line of text
			}
			b.Lines = append(b.Lines, accountingtest.LedgerLine{
				Account: l.AccountID, Amount: money.MustParse(l.Amount), TaxRate: strings.TrimPrefix(l.TaxType, "NONE"),
			})
		}
		for _, f := range d.Attachments {
			b.Files = append(b.Files, f.Name)
		}
		out = append(out, b)
	}
	return out
}

func (w *fixture) day(text string) calendar.Date {
	w.t.Helper()
	d, err := calendar.Parse(text)
	w.must(err)
	return d
}

func (w *fixture) TypeBill(tenant string, kind accounting.BillKind, contact, number string, total money.Decimal) string {
	w.t.Helper()
	document := "ACCPAY"
	if kind == accounting.SupplierCredit {
		document = "ACCPAYCREDIT"
	}
	id, err := w.sim.TypeDocument(tenant, document, contact, number, total.String())
	w.must(err)
	return id
}

func (w *fixture) RemoveBill(tenant, id string)       { w.must(w.sim.SetStatus(tenant, id, "DELETED")) }
func (w *fixture) Renumber(tenant, id, number string) { w.must(w.sim.Renumber(tenant, id, number)) }

func (w *fixture) ClosePeriod(tenant string, until calendar.Date) {
	w.must(w.sim.LockUntil(tenant, until.Time()))
}

func (w *fixture) AddTaxRate(tenant, name string, percent money.Decimal) string {
	w.t.Helper()
	id, err := w.sim.AddTaxRate(tenant, sim.TaxRate{Name: name, Rate: percent.String()})
	w.must(err)
	return id
}

func (w *fixture) AddContact(tenant string, c accounting.Contact) string {
	w.t.Helper()
	id, err := w.sim.AddContact(tenant, sim.Contact{Name: c.Name, Email: c.Email, TaxNumber: c.TaxID, IsSupplier: c.IsSupplier})
	w.must(err)
	return id
}
