package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	simclerk "docledger/adapter/sim/clerk"
	simxero "docledger/adapter/sim/xero"
	"docledger/openapi"
	"docledger/test/lib/generator"
	"docledger/test/lib/harness"

	"github.com/getkin/kin-openapi/openapi3"
)

// effect runs steps that must show a setting. values are the values to compare;
// nil means every value of the specification. play returns the result of the
// steps, without the setting itself, its event and versions.
type effect struct {
	values []any
	play   func(w *settingsWorld) any
}

// effects has a scenario for each key of SettingsUpdate.
// TestEverySettingHasAnEffect fails for a key without one.
var effects = map[string]effect{
	"default_currency": {values: []any{"EUR", "USD", nil}, play: func(w *settingsWorld) any {
		return w.extract(withoutCurrency("C-1")).At("currency")
	}},
	"date_order": {play: func(w *settingsWorld) any {
		var seen []any
		for _, printed := range []string{"03/05/2024", "04/06/2024", "24-03-05"} {
			inv := w.extract(printedInvoice(w.t, printed))
			seen = append(seen, inv.At("issue_date"), inv.At("fields", "issue_date", "alternatives"))
		}
		return seen
	}},
	// These time zones differ by 26 hours, so that their dates always differ.
	"timezone": {values: []any{"Etc/GMT+12", "Pacific/Kiritimati"}, play: func(w *settingsWorld) any {
		tomorrow := time.Now().In(time.FixedZone("Kiritimati", 14*60*60)).AddDate(0, 0, 1)
		return w.extract(dated("T-1", tomorrow.Format(time.DateOnly))).At("status")
	}},
	"auto_extract": {play: func(w *settingsWorld) any {
		first := w.upload(harness.UBL("X-1"))
		w.set("auto_extract", true)
		// The queue is worked off in order: an extraction of the first document
		// started before the last of these ends.
		for _, number := range []string{"X-2", "X-3", "X-4"} {
			w.settled(w.upload(harness.UBL(number)))
		}
		return w.get("/api/documents/"+first).Text("status") == "UPLOADED"
	}},
	"auto_sync": {play: func(w *settingsWorld) any {
		w.ledger()
		return w.approve(w.extract(harness.UBL("S-1")), "").At("sync") != nil
	}},
	"approval_required": {play: func(w *settingsWorld) any {
		return w.extract(ours("A-1")).At("status")
	}},
	"auto_approve_ignore": {values: []any{[]string{}, []string{"buyer_is_entity"}}, play: func(w *settingsWorld) any {
		w.set("approval_required", false)
		return w.extract(harness.UBL("I-1")).At("status")
	}},
	"review_threshold": {values: []any{0.9, 0.4}, play: func(w *settingsWorld) any {
		w.set("default_currency", "EUR")
		return w.extract(withoutCurrency("R-1")).At("status")
	}},
	// null stops the sync of the entity.
	"accounting_integration_id": {values: []any{"$integration", nil}, play: func(w *settingsWorld) any {
		inv := w.approve(w.extract(harness.UBL("B-1")), "")
		return w.s.Do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/sync", w.token, nil).Status
	}},
	"default_account_id": {values: []any{"400", "500", nil}, play: func(w *settingsWorld) any {
		return w.extract(harness.UBL("D-1")).At("lines", 0, "account_id")
	}},
	"default_tax_rate_id": {values: []any{"RATE1", "RATE2", nil}, play: func(w *settingsWorld) any {
		return w.extract(harness.UBL("D-2")).At("lines", 0, "tax_rate_id")
	}},
	"tax_mappings": {values: []any{[]any{}, mapping("RATE1"), mapping("RATE2")}, play: func(w *settingsWorld) any {
		return w.extract(harness.UBL("M-1")).At("lines", 0, "tax_rate_id")
	}},
	"duplicate_policy": {play: func(w *settingsWorld) any {
		w.extract(harness.UBL("DP-1"))
		again := strings.Replace(string(harness.UBL("DP-1")), "2026-01-15", "2026-01-16", 1)
		return w.extract([]byte(again)).At("status")
	}},
	"four_eyes": {play: func(w *settingsWorld) any {
		inv := w.extract(harness.UBL("F-1"))
		return w.s.Do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/approve", w.token, map[string]any{"version": inv.Number("version")}).Status
	}},
	"assistant_actions": {play: func(w *settingsWorld) any {
		path := "/api/invoices/" + w.extract(harness.UBL("Y-1")).Text("id")
		return []int{
			w.s.Do(http.MethodPatch, path, w.assistant, map[string]any{"note": "seen"}).Status,
			w.s.Do(http.MethodPost, path+"/reject", w.assistant, map[string]any{"reason": "no"}).Status,
		}
	}},
	"einvoice_rules": {play: func(w *settingsWorld) any {
		inv := w.extract(peppol(w.t, "E-1", `unitCode="C62"`, `unitCode="NONE"`))
		severity, _, _, _ := check(inv, "einvoice_rules")
		return []string{inv.Text("status"), severity}
	}},
	"einvoice_rules_by_profile": {values: []any{
		nil, []any{map[string]any{"profile": "EN16931", "effect": "OFF"}, map[string]any{"profile": "PEPPOL_BIS_3", "effect": "BLOCK"}},
	}, play: func(w *settingsWorld) any {
		inv := w.extract(peppol(w.t, "P-1", `unitCode="C62"`, `unitCode="NONE"`))
		severity, passed, _, _ := check(inv, "einvoice_rules")
		return []any{inv.Text("status"), severity, passed}
	}},
	"route_by_buyer": {play: func(w *settingsWorld) any {
		w.s.Do(http.MethodPost, "/api/entities", w.token, map[string]any{"name": "Buyer", "tax_ids": []string{"DE129273398"}}).OK()
		return w.extract(addressedTo("RB-1", "DE129273398", "Buyer")).Text("entity_id") == w.org.Entity.String()
	}},
	"bill_status": {play: func(w *settingsWorld) any {
		w.ledger()
		inv := w.approve(w.extract(harness.UBL("L-1")), "GBP")
		if synced := w.s.Do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/sync", w.token, nil).OK(); synced.Text("status") != "SYNCED" {
			w.t.Fatalf("not synced: %s", synced.Raw)
		}
		return w.sim.Documents(w.books.Tenants[0])[0].Status
	}},
}

func mapping(rate string) any {
	return []any{map[string]any{"category": "S", "rate": "19", "tax_rate_id": rate}}
}

func withoutCurrency(number string) []byte {
	text := strings.ReplaceAll(string(harness.UBL(number)), ` currencyID="EUR"`, "")
	return []byte(strings.Replace(text, "<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>", "", 1))
}

func dated(number, day string) []byte {
	return []byte(strings.NewReplacer("2026-01-15", day, "2026-02-14", "2099-12-01").Replace(string(harness.UBL(number))))
}

// ours is an invoice to the entity that passes every check.
func ours(number string) []byte {
	return []byte(strings.ReplaceAll(string(harness.UBL(number)), "Buyer Ltd", "Settings Company"))
}

func printedInvoice(t *testing.T, date string) []byte {
	t.Helper()
	data, ok := (&generator.Document{Pages: []generator.Page{printedPage("Invoice date: "+date, "")}}).PDF()
	if !ok {
		t.Fatal("the page cannot be written")
	}
	return data
}

// printedPage is a page with an invoice in English. dated and footer are lines
// of it.
func printedPage(dated, footer string) generator.Page {
	var page generator.Page
	for i, line := range [][3]string{
		{"Maple Tools Ltd", "", "INVOICE"}, {"12 Oak Street"}, {"Toronto"}, {}, {"Bill to:", "", "Invoice No: A-17"},
		{"Granite Inc", "", dated}, {"9 High Road"}, {},
		{"Description", "Qty", "Amount"}, {"Steel bracket", "2", "20.00"}, {"Drill", "1", "80.00"}, {},
		{"", "Net total", "$100.00"}, {"", "Tax 20%", "$20.00"}, {"", "Total", "$120.00"}, {footer},
	} {
		for column, text := range line {
			if text != "" {
				page.Texts = append(page.Texts, generator.Text{X: []float64{50, 300, 400}[column], Y: 60 + 18*float64(i), Size: 10, Text: text})
			}
		}
	}
	return page
}

// settingsWorld is an entity of a separate service for one scenario.
type settingsWorld struct {
	t         *testing.T
	s         *harness.Server
	org       harness.Organization
	token     string // of its administrator
	assistant string // an OAuth token of the same person
	books     *harness.Ledger
	sim       *simxero.Server
	connected string // the integration of the ledger
}

func newSettingsWorld(t *testing.T) *settingsWorld {
	t.Helper()
	w := &settingsWorld{t: t}
	w.books, w.sim = harness.NewLedgerA(t)
	p := harness.NewProvider(t, simclerk.Options{
		Users:         []simclerk.User{{ID: "user_ada", Email: "ada@example.com"}},
		Organizations: []simclerk.Organization{{ID: "org_acme", Name: "Settings"}},
		Memberships:   []simclerk.Membership{{UserID: "user_ada", OrganizationID: "org_acme", Role: "org:admin"}},
	})
	o := harness.Options{}.WithProvider(p).With(w.books)
	w.s = harness.Start(t, o)
	w.org = w.s.NewOrganization("Settings")
	w.s.Link(w.org.ID, "org_acme")
	w.token = w.org.Admin.Token
	w.assistant = p.OAuth("user_ada", "org_acme", harness.OAuthClient, simclerk.TokenOptions{})
	return w
}

func (w *settingsWorld) get(path string) harness.Response {
	w.t.Helper()
	return w.s.Do(http.MethodGet, path, w.token, nil).OK()
}

func (w *settingsWorld) set(key string, value any) {
	w.t.Helper()
	w.s.Do(http.MethodPut, "/api/settings/"+w.org.Entity.String(), w.token, map[string]any{key: value}).OK()
}

func (w *settingsWorld) upload(content []byte) (document string) {
	w.t.Helper()
	return w.s.Upload(w.token, w.org.Entity, "s", content).OK().Text("id")
}

func (w *settingsWorld) extract(content []byte) harness.Response {
	w.t.Helper()
	return w.s.Extract(w.token, w.upload(content)).OK()
}

// settled waits until a document was extracted without a request.
func (w *settingsWorld) settled(document string) {
	w.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); w.get("/api/documents/"+document).Text("status") != "EXTRACTED"; <-tick.C {
		if time.Since(began) > 30*time.Second {
			w.t.Fatal("the document was not extracted")
		}
	}
}

// approve approves an invoice, in another currency if one is named.
func (w *settingsWorld) approve(inv harness.Response, currency string) harness.Response {
	w.t.Helper()
	path := "/api/invoices/" + inv.Text("id")
	if currency != "" {
		inv = w.s.Do(http.MethodPatch, path, w.token, map[string]any{"currency": currency}).OK()
	}
	return w.s.Do(http.MethodPost, path+"/approve", w.token, map[string]any{"version": inv.Number("version")}).OK()
}

// ledger connects the entity's ledger, with an account and tax rates.
func (w *settingsWorld) ledger() {
	w.t.Helper()
	w.connected = w.s.Activate(w.org, w.org.Entity, w.books, w.books.Tenants[0])
	lists := "/api/v1/integrations/" + w.connected
	w.set("default_account_id", w.get(lists+"/accounting-accounts?account_types=EXPENSE").Text("items", 0, "id"))
	w.set("default_tax_rate_id", w.get(lists+"/accounting-tax-rates").Text("items", 0, "id"))
}

// TestEverySettingHasAnEffect runs the same steps with each value of each key
// that callers can set. The results must differ. It fails for a setting without
// effect and for a key without a scenario.
func TestEverySettingHasAnEffect(t *testing.T) {
	t.Parallel()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	settable := doc.Components.Schemas["SettingsUpdate"].Value.Properties
	for key := range effects {
		if settable[key] == nil {
			t.Errorf("%s is not settable", key)
		}
	}
	readOnly := []string{"entity_id", "version", "updated_at"} // accepted as they were read
	for key, property := range settable {
		if slices.Contains(readOnly, key) {
			continue
		}
		e, ok := effects[key]
		if !ok {
			t.Errorf("%s has no scenario: show what it changes", key)
			continue
		}
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			values := e.values
			if values == nil {
				values = listed(t, property.Value)
			}
			if len(values) < 2 {
				t.Fatalf("%d values", len(values))
			}
			outcomes := map[string]any{}
			for _, value := range values {
				w := newSettingsWorld(t)
				if key == "accounting_integration_id" {
					w.ledger()
				}
				if value == "$integration" {
					value = w.connected
				}
				w.set(key, value)
				outcome, err := json.Marshal(e.play(w))
				if err != nil {
					t.Fatal(err)
				}
				if other, same := outcomes[string(outcome)]; same {
					t.Errorf("%v and %v both lead to %s", other, value, outcome)
				}
				outcomes[string(outcome)] = fmt.Sprint(value)
			}
		})
	}
}

// listed returns the values of a Boolean or an enumeration.
func listed(t *testing.T, schema *openapi3.Schema) []any {
	t.Helper()
	if schema.Type.Is(openapi3.TypeBoolean) {
		return []any{true, false}
	}
	return slices.DeleteFunc(slices.Clone(schema.Enum), func(v any) bool { return v == nil })
}
