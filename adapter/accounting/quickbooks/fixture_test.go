package quickbooks_test

import (
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"docledger/adapter/accounting/quickbooks"
	"docledger/adapter/sim/definition/definitiontest"
	"docledger/adapter/sim/kit"
	sim "docledger/adapter/sim/quickbooks"
	"docledger/domain/accounting"
	"docledger/domain/accounting/accountingtest"
	"docledger/domain/calendar"
	"docledger/domain/money"
	"docledger/domain/secret"
)

const (
	clientID     = "canary-client-93cd"
	clientSecret = "canary-secret-8e2a +/="
)

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// fixture controls the simulator directly.
type fixture struct {
	t   testing.TB
	sim *sim.Server
	url string
}

// open starts a simulator without rate limits and a connector that uses it.
func open(t testing.TB, change func(*quickbooks.Options)) (*quickbooks.Connector, *fixture) {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	origin := "http://" + listener.Listener.Addr().String()
	limits := sim.DefaultLimits()
	limits.Minute, limits.Second = 0, 0
	server := sim.New(sim.Options{
		Origin: origin, Start: start, Limits: &limits,
		Clients: []sim.Client{{
			ID: clientID, Name: "docledger", Secret: clientSecret, RedirectURIs: []string{accountingtest.RedirectURI},
		}},
	})
	listener.Config.Handler = definitiontest.Handler(t, "quickbooks", server)
	listener.Start()
	t.Cleanup(listener.Close)
	o := quickbooks.Options{
		ClientID: clientID, ClientSecret: secret.New(clientSecret), URL: origin + "/", LoopbackHTTP: true,
		Timeout: time.Minute, Now: server.Kit.Clock.Now,
	}
	if change != nil {
		change(&o)
	}
	c, err := quickbooks.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, &fixture{t, server, origin}
}

func TestContract(t *testing.T) {
	t.Parallel()
	accountingtest.Run(t, func(t testing.TB) (accountingtest.Connector, accountingtest.World) {
		c, w := open(t, nil)
		return accountingtest.Of(t, quickbooks.Descriptor(), c), w
	})
}

func TestBookingContract(t *testing.T) {
	t.Parallel()
	accountingtest.RunBooking(t, func(t testing.TB) (accountingtest.Bookkeeper, accountingtest.BookingWorld) {
		c, w := open(t, nil)
		return accountingtest.BookkeeperOf(t, quickbooks.Descriptor(), c), w
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
func (w *fixture) Tenants() []string        { return []string{sim.VATCompany, sim.USCompany} }
func (w *fixture) Withdraw()                { w.sim.Disconnect("") }
func (w *fixture) TakeOff(tenant string)    { w.sim.Disconnect(tenant) }
func (w *fixture) ForgetKeys()              { w.sim.ForgetRequests() }
func (w *fixture) Repair()                  { w.sim.Kit.ClearFaults() }

func (w *fixture) Consent(authorizationURL string, tenants ...string) url.Values {
	w.t.Helper()
	if !strings.HasPrefix(authorizationURL, w.url+"/connect/oauth2?") {
		w.t.Fatalf("the consent page is at %s", authorizationURL)
	}
	to, err := w.sim.Consent(authorizationURL, tenants...)
	w.must(err)
	u, err := url.Parse(to)
	w.must(err)
	return u.Query()
}

func (w *fixture) Decline(authorizationURL string) url.Values { return w.Consent(authorizationURL) }

// entities maps each list to the entity that it queries.
var entities = map[accountingtest.List]string{
	accountingtest.ListAccounts: "Account", accountingtest.ListContacts: "Vendor", accountingtest.ListTaxRates: "TaxCode",
}

func (w *fixture) Seed(tenant string, l accountingtest.List, count int) {
	w.t.Helper()
	w.must(w.sim.Seed(tenant, entities[l], count))
}

func (w *fixture) AddAccount(tenant, name, accountType string, archived bool) string {
	w.t.Helper()
	id, err := w.sim.AddAccount(tenant, sim.Account{Name: name, Type: accountType, Inactive: archived})
	w.must(err)
	return id
}

const below = "/v3/company/*/"

// calls maps each call to its requests. All queries share one address, so the count filters by
// query text.
var calls = map[accountingtest.Call]struct {
	matches []string
	entity  string
}{
	accountingtest.ListOrganizations: {[]string{"GET " + below + "companyinfo/*"}, ""},
	accountingtest.ListAccounts:      {[]string{"GET " + below + "query"}, "Account"},
	accountingtest.ListContacts:      {[]string{"GET " + below + "query"}, "Vendor"},
	accountingtest.ListTaxRates:      {[]string{"GET " + below + "query"}, "TaxCode"},
	accountingtest.ListCurrencies:    {[]string{"GET " + below + "preferences"}, ""},
	accountingtest.CallToken:         {[]string{"POST /oauth2/v1/tokens/bearer"}, ""},
	accountingtest.CallRevoke:        {[]string{"POST /v2/oauth2/tokens/revoke"}, ""},
	accountingtest.CallRules:         {[]string{"GET " + below + "preferences"}, ""},
	accountingtest.CallBook:          {[]string{"POST " + below + "bill", "POST " + below + "vendorcredit"}, ""},
	accountingtest.CallFind:          {[]string{"GET " + below + "query"}, "Bill"},
	accountingtest.CallReadBill:      {[]string{"GET " + below + "bill/*", "GET " + below + "vendorcredit/*"}, ""},
	accountingtest.CallCreateContact: {[]string{"POST " + below + "vendor"}, ""},
	accountingtest.CallAttach:        {[]string{"POST " + below + "upload"}, ""},
	accountingtest.CallAttachments:   {[]string{"GET " + below + "query"}, "Attachable"},
}

func (w *fixture) Break(c accountingtest.Call, f accountingtest.Failure, times int) {
	w.t.Helper()
	if len(calls[c].matches) == 0 {
		w.t.Fatalf("no request is defined for %s", c)
	}
	for _, match := range calls[c].matches {
		w.must(w.sim.Kit.Inject(kit.Fault{Match: match, Times: times, Action: string(f)}))
	}
}

func (w *fixture) Count(c accountingtest.Call) (n int) {
	for _, r := range w.sim.Kit.Requests() {
		q, err := url.ParseQuery(r.Query)
		w.must(err)
		for _, match := range calls[c].matches {
			if ok, err := path.Match(match, r.Method+" "+r.Path); ok && err == nil &&
				(calls[c].entity == "" || strings.Contains(q.Get("query")+" ", " FROM "+calls[c].entity+" ")) {
				n++
			}
		}
	}
	return n
}

// noTax returns the tax codes that mean "no tax".
func (w *fixture) noTax(tenant string) string {
	if tenant == sim.USCompany {
		return "NON"
	}
	return "9" // the last tax code of the generated data
}

func (w *fixture) Bills(tenant string) (out []accountingtest.LedgerBill) {
	w.t.Helper()
	for _, d := range w.sim.Documents(tenant) {
		b := accountingtest.LedgerBill{
			ID: d.ID, Kind: accounting.PurchaseBill, Contact: d.VendorID, Number: d.Number, Currency: d.Currency, Date: w.day(d.Date),
			Total: money.MustParse(d.Total), TaxTotal: money.MustParse(d.Tax), Text: d.Note, Removed: d.Deleted, Files: d.Attachments,
		}
		if d.Type == "VendorCredit" {
			b.Kind = accounting.SupplierCredit
		}
		if d.DueDate != "" {
			b.DueDate = w.day(d.DueDate)
		}
		for _, l := range d.Lines {
			b.Text += "\n" + l.Description
			line := accountingtest.LedgerLine{Account: l.AccountID, Amount: money.MustParse(l.Amount)}
			if l.TaxCodeID != w.noTax(tenant) {
				line.TaxRate = l.TaxCodeID
			}
			b.Lines = append(b.Lines, line)
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
	entity := "Bill"
	if kind == accounting.SupplierCredit {
		entity = "VendorCredit"
	}
	id, err := w.sim.TypeDocument(tenant, entity, contact, number, total.String())
	w.must(err)
	return id
}

// kindOf returns the kind of a document, which its id does not show.
func (w *fixture) kindOf(tenant, id string) string {
	w.t.Helper()
	docs := w.sim.Documents(tenant)
	for i := len(docs) - 1; i >= 0; i-- {
		if docs[i].ID == id && !docs[i].Deleted {
			return docs[i].Type
		}
	}
	w.t.Fatalf("there is no document %s", id)
	return ""
}

func (w *fixture) RemoveBill(tenant, id string) {
	w.must(w.sim.DeleteDocument(tenant, w.kindOf(tenant, id), id))
}

func (w *fixture) Renumber(tenant, id, number string) {
	w.must(w.sim.Renumber(tenant, w.kindOf(tenant, id), id, number))
}

func (w *fixture) ClosePeriod(tenant string, until calendar.Date) {
	w.must(w.sim.CloseBooks(tenant, until.Time()))
}

func (w *fixture) AddTaxRate(tenant, name string, percent money.Decimal) string {
	w.t.Helper()
	id, err := w.sim.AddTaxCode(tenant, sim.TaxCode{Name: name, Purchases: []sim.Rate{{Name: name, Percent: percent.String()}}})
	w.must(err)
	return id
}

func (w *fixture) AddContact(tenant string, c accounting.Contact) string {
	w.t.Helper()
	id, err := w.sim.AddVendor(tenant, sim.Vendor{DisplayName: c.Name, Email: c.Email, TaxIdentifier: c.TaxID})
	w.must(err)
	return id
}
