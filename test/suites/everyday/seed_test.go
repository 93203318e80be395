package everyday

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/extract/worker"
	sim "docledger/adapter/sim/clerk"
	simxero "docledger/adapter/sim/xero"
	"docledger/test/lib/harness"
	"docledger/test/suites/assistant"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	os.Exit(m.Run())
}

// The entities of the organization. Assistants may do everything in the first
// one. The second one has the default setting.
const (
	foods   = "Northern Foods"
	harbour = "Harbour Works"
)

// bill is a seeded invoice. Amounts are in cents.
type bill struct {
	entity, supplier, number, issued, due string
	lines                                 []int // net amounts
	percent                               int
	currency                              string // "" is EUR
	order                                 string
	credit                                bool
	wrong                                 int // added to the stated total
}

func (b bill) net() (sum int) {
	for _, l := range b.lines {
		sum += l
	}
	return sum
}

func (b bill) tax() int   { return b.net() * b.percent / 100 }
func (b bill) gross() int { return b.net() + b.tax() + b.wrong }

// file is the name of the file that the bill was uploaded as.
func (b bill) file() string { return strings.ToLower(b.number) + ".xml" }

// money renders cents as a decimal string.
func money(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// bills are the seeded invoices. Each supplier belongs to the tasks of one
// group, so that no task changes the answer of another one.
func bills() []bill {
	var all []bill
	add := func(b bill) { all = append(all, b) }
	for month := 1; month <= 6; month++ {
		day := fmt.Sprintf("2026-%02d", month)
		add(bill{foods, "Nordwind Energie", fmt.Sprintf("NW-10%d", month), day + "-10", day + "-28", []int{10_000 + 1_000*month}, 20, "", "", false, 0})
		add(bill{foods, "Lakeside Rent", fmt.Sprintf("LR-30%d", month), day + "-01", day + "-15", []int{200_000}, 20, "", "", false, 0})
	}
	contoso := func(number string, lines ...int) bill {
		return bill{foods, "Contoso Office", number, "2026-07-" + number[4:], "2026-08-20", lines, 20, "", "", false, 0}
	}
	wrong := contoso("CO-203", 31_000)
	wrong.wrong = 500
	ordered := contoso("CO-207", 17_000)
	ordered.order = "PO-9042"
	all = append(all, contoso("CO-201", 11_000), contoso("CO-202", 12_000), wrong, contoso("CO-204", 14_000),
		contoso("CO-205", 15_000), contoso("CO-206", 5_000, 6_000, 7_000), ordered, contoso("CO-208", 18_000))
	for i := range 3 {
		n := fmt.Sprint(i + 1)
		add(bill{foods, "Spamco Ads", "SP-40" + n, "2026-08-0" + n, "2026-09-0" + n, []int{4_000 + i*100}, 20, "", "", false, 0})
	}
	for i := range 3 {
		n := fmt.Sprint(i + 1)
		add(bill{foods, "Muster GmbH", "MU-50" + n, "2026-09-0" + n, "2026-10-0" + n, []int{50_000 + i*1_000}, 20, "", "", false, 0})
	}
	add(bill{foods, "Tokyo Parts", "TP-551", "2026-09-11", "2026-10-11", []int{70_000}, 20, "JPY", "", false, 0})
	add(bill{foods, "Retour Handel", "RG-601", "2026-05-05", "2026-06-05", []int{9_900}, 20, "", "", true, 0})
	add(bill{foods, "Twin Supply", "TW-701", "2026-10-01", "2026-11-01", []int{30_000}, 20, "", "", false, 0})
	add(bill{foods, "Twin Supply", "TW 701", "2026-10-01", "2026-11-01", []int{30_000}, 20, "", "", false, 0})
	for i := range 4 {
		n := fmt.Sprint(i + 1)
		add(bill{harbour, "Dockside Cranes", "DC-80" + n, "2026-10-0" + n, "2026-11-0" + n, []int{80_000 + i*5_000}, 20, "", "", false, 0})
	}
	for s := range 10 {
		for i := range 3 {
			add(bill{harbour, fmt.Sprintf("Trader %02d", s), fmt.Sprintf("T%02d-%d", s, i), fmt.Sprintf("2026-0%d-%02d", i+2, s+10), "2026-12-31",
				[]int{1_000*s + 300*i + 777}, 20, "", "", false, 0})
		}
	}
	return all
}

// where returns the bills that match.
func where(match func(bill) bool) (found []bill) {
	for _, b := range bills() {
		if match(b) {
			found = append(found, b)
		}
	}
	return found
}

func of(supplier string) func(bill) bool { return func(b bill) bool { return b.supplier == supplier } }

// ubl renders the bill.
func (b bill) ubl() []byte {
	currency := b.currency
	if currency == "" {
		currency = "EUR"
	}
	kind := "380"
	if b.credit {
		kind = "381"
	}
	amount := func(name string, cents int) string {
		return fmt.Sprintf(`<cbc:%s currencyID="%s">%s</cbc:%s>`, name, currency, money(cents), name)
	}
	category := fmt.Sprintf(`<cbc:ID>S</cbc:ID><cbc:Percent>%d</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>`, b.percent)
	party := func(name string) string {
		return `<cac:Party><cac:PartyLegalEntity><cbc:RegistrationName>` + name + `</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party>`
	}
	var x strings.Builder
	x.WriteString(`<?xml version="1.0" encoding="UTF-8"?><Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">`)
	fmt.Fprintf(&x, `<cbc:ID>%s</cbc:ID><cbc:IssueDate>%s</cbc:IssueDate><cbc:DueDate>%s</cbc:DueDate><cbc:InvoiceTypeCode>%s</cbc:InvoiceTypeCode><cbc:DocumentCurrencyCode>%s</cbc:DocumentCurrencyCode>`,
		b.number, b.issued, b.due, kind, currency)
	if b.order != "" {
		fmt.Fprintf(&x, `<cac:OrderReference><cbc:ID>%s</cbc:ID></cac:OrderReference>`, b.order)
	}
	x.WriteString(`<cac:AccountingSupplierParty>` + party(b.supplier) + `</cac:AccountingSupplierParty><cac:AccountingCustomerParty>` + party(b.entity) + `</cac:AccountingCustomerParty>`)
	x.WriteString(`<cac:TaxTotal>` + amount("TaxAmount", b.tax()) + `<cac:TaxSubtotal>` + amount("TaxableAmount", b.net()) + amount("TaxAmount", b.tax()) + `<cac:TaxCategory>` + category + `</cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>`)
	x.WriteString(`<cac:LegalMonetaryTotal>` + amount("LineExtensionAmount", b.net()) + amount("TaxExclusiveAmount", b.net()) + amount("TaxInclusiveAmount", b.gross()) + amount("PayableAmount", b.gross()) + `</cac:LegalMonetaryTotal>`)
	for i, l := range b.lines {
		fmt.Fprintf(&x, `<cac:InvoiceLine><cbc:ID>%d</cbc:ID><cbc:InvoicedQuantity unitCode="C62">1</cbc:InvoicedQuantity>%s<cac:Item><cbc:Name>Item %d of %s</cbc:Name><cac:ClassifiedTaxCategory>%s</cac:ClassifiedTaxCategory></cac:Item><cac:Price>%s</cac:Price></cac:InvoiceLine>`,
			i+1, amount("LineExtensionAmount", l), i+1, b.number, category, amount("PriceAmount", l))
	}
	x.WriteString(`</Invoice>`)
	return []byte(x.String())
}

type object = map[string]any

// world is the seeded service with a connected assistant.
type world struct {
	*harness.Server
	t        *testing.T
	person   string // the token of the user
	session  *assistant.Session
	entities map[string]string // id by name
	invoices map[string]string // id by number
}

// seeded starts a service with the bills of a bookkeeper of two companies. The
// first one is connected to an accounting system.
func seeded(t *testing.T) *world {
	t.Helper()
	provider := harness.NewProvider(t, sim.Options{
		Users: []sim.User{
			{ID: "user_ada", Email: "ada@example.com", FirstName: "Ada"}, {ID: "user_bob", Email: "bob@example.com", FirstName: "Bob"},
		},
		Organizations: []sim.Organization{{ID: "org_acme", Name: "Acme"}},
		Memberships: []sim.Membership{
			{UserID: "user_ada", OrganizationID: "org_acme", Role: "org:admin"}, {UserID: "user_bob", OrganizationID: "org_acme", Role: "org:member"},
		},
		Settings: sim.Settings{AutoApprove: true},
	})
	ledger, _ := harness.NewLedgerA(t)
	o := harness.Options{}.WithProvider(provider).With(ledger)
	w := &world{Server: harness.Start(t, o), t: t, entities: map[string]string{}, invoices: map[string]string{}}
	w.person = provider.Session("user_ada", "org_acme", sim.TokenOptions{})
	w.Do(http.MethodGet, "/api/me", provider.Session("user_bob", "org_acme", sim.TokenOptions{}), nil).OK() // creates the membership
	for _, name := range []string{foods, harbour} {
		w.entities[name] = w.Do(http.MethodPost, "/api/entities", w.person, object{"name": name, "base_currency": "EUR"}).OK().Text("id")
	}
	integration := w.Activate(harness.Organization{Admin: harness.Person{Token: w.person}}, harness.ID(t, w.entities[foods]), ledger, simxero.TaxedOrganization)
	accounts := w.Do(http.MethodGet, "/api/v1/integrations/"+integration+"/accounting-accounts", w.person, nil).OK()
	w.Do(http.MethodPut, "/api/settings/"+w.entities[foods], w.person, object{
		"assistant_actions": "ALL", "default_account_id": item(w, accounts, "name", "Cost of Goods Sold"),
	}).OK()
	w.upload()
	for _, number := range []string{"MU-501", "MU-502", "MU-503", "TP-551"} {
		w.act(number, "approve")
	}
	w.act("MU-501", "sync")
	w.act("TP-551", "sync")
	w.Upload(w.person, harness.ID(t, w.entities[foods]), "broken.pdf", []byte("%PDF-1.7\nnothing else"))
	w.Eventually("the broken file fails", waitLimit, func() bool {
		return w.Do(http.MethodGet, "/api/documents?status=FAILED", w.person, nil).OK().Len("items") == 1
	}, func() string { return string(w.Do(http.MethodGet, "/api/documents", w.person, nil).Raw) })
	var err error
	w.session, err = assistant.Connect(t.Context(), w.URL+"/mcp?toolsets=all", assistant.Options{
		Token: provider.OAuth("user_ada", "org_acme", harness.OAuthClient, sim.TokenOptions{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.session.Close() })
	return w
}

// upload uploads and extracts all bills.
func (w *world) upload() {
	w.t.Helper()
	var documents []string
	for _, b := range bills() {
		up := w.Upload(w.person, harness.ID(w.t, w.entities[b.entity]), b.file(), b.ubl()).OK()
		documents = append(documents, up.Text("id"))
	}
	for i, b := range bills() {
		w.invoices[b.number] = w.Extract(w.person, documents[i]).OK().Text("id")
	}
}

// act is an action of the user in the web application.
func (w *world) act(number, action string) {
	w.t.Helper()
	path := "/api/invoices/" + w.invoices[number]
	var body any
	if action == "approve" {
		body = object{"version": w.Do(http.MethodGet, path, w.person, nil).OK().Number("version")}
	}
	w.Do(http.MethodPost, path+"/"+action, w.person, body).OK()
}

// invoice reads a field of an invoice as the user.
func (w *world) invoice(number string, path ...any) string {
	w.t.Helper()
	return fmt.Sprint(w.Do(http.MethodGet, "/api/invoices/"+w.invoices[number], w.person, nil).OK().At(path...))
}

// item returns the id of the item of a list with a value.
func item(w *world, list harness.Response, field, value string) string {
	w.t.Helper()
	for i := range list.Len("items") {
		if list.Text("items", i, field) == value {
			return list.Text("items", i, "id")
		}
	}
	w.t.Fatalf("there is no %s %q", field, value)
	return ""
}

// joined sorts values and joins them.
func joined(values []string) string {
	values = slices.Clone(values)
	slices.Sort(values)
	return strings.Join(values, ", ")
}
