package e2e

import (
	"net/http"
	"strings"
	"testing"

	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// importLedgers imports the ledgers that are due, which a worker does every minute.
func (d desk) importLedgers() {
	d.t.Helper()
	if _, err := d.s.Service.Suppliers.ImportDue(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

// taxRate returns the first active tax rate of a percentage.
func (d desk) taxRate(integration, percent string) string {
	d.t.Helper()
	rates := d.do(http.MethodGet, "/api/v1/integrations/"+integration+"/accounting-tax-rates", nil).OK()
	for i := range rates.Len("items") {
		if strings.HasPrefix(rates.Text("items", i, "rate"), percent) && rates.Text("items", i, "status") == "ACTIVE" {
			return rates.Text("items", i, "id")
		}
	}
	d.t.Fatalf("no tax rate of %s %%", percent)
	return ""
}

// TestContactsOfTheLedgerAreSuppliers imports each simulated ledger. After a bill of a contact was
// coded by a person, the import proposes its account and tax rate in an entity that never had an
// invoice of it.
func TestContactsOfTheLedgerAreSuppliers(t *testing.T) {
	t.Parallel()
	for provider, open := range map[string]func(testing.TB) *harness.Ledger{
		"ACCOUNTING_A": func(t testing.TB) *harness.Ledger { l, _ := harness.NewLedgerA(t); return l },
		"ACCOUNTING_B": func(t testing.TB) *harness.Ledger { l, _ := harness.NewLedgerB(t); return l },
	} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			l := open(t)
			s := harness.Start(t, harness.Options{}.With(l))
			d := desk{t, s, s.NewOrganization("Contacts")}
			id := s.Activate(d.org, d.org.Entity, l, l.Tenants[0])
			d.importLedgers()
			contacts := d.do(http.MethodGet, "/api/v1/integrations/"+id+"/accounting-contacts", nil).OK()
			linked := map[string]string{}
			for after := ""; ; {
				page := d.do(http.MethodGet, "/api/suppliers?limit=200"+after, nil).OK()
				for i := range page.Len("items") {
					if contact := page.At("items", i, "contact_id"); contact != nil {
						linked[contact.(string)] = page.Text("items", i, "id")
					}
				}
				if page.At("next_cursor") == nil {
					break
				}
				after = "&cursor=" + page.Text("next_cursor")
			}
			name, contact := "", ""
			for i := range contacts.Len("items") {
				if contacts.Text("items", i, "status") != "ACTIVE" {
					continue
				}
				if linked[contacts.Text("items", i, "id")] == "" {
					t.Errorf("contact %s is no supplier", contacts.Text("items", i, "name"))
				}
				if contacts.At("items", i, "tax_id") == nil && name == "" {
					name, contact = contacts.Text("items", i, "name"), contacts.Text("items", i, "id")
				}
			}
			account := d.do(http.MethodGet, "/api/v1/integrations/"+id+"/accounting-accounts?account_types=EXPENSE", nil).OK().Text("items", 0, "id")
			currency, percent := "EUR", "19"
			if provider == "ACCOUNTING_B" {
				currency, percent = "GBP", "20"
			}
			rate := d.taxRate(id, percent)

			inv := d.extract("1.xml", harness.UBLFrom(name, "L-1", currency, percent))
			if inv.Text("supplier_id") != linked[contact] {
				t.Errorf("the invoice of contact %s has the supplier %v", name, inv.At("supplier_id"))
			}
			line := map[string]any{"id": inv.Text("lines", 0, "id"), "account_id": account, "tax_rate_id": rate}
			inv = d.do(http.MethodPatch, "/api/invoices/"+inv.Text("id"), map[string]any{"lines": []any{line}}).OK()
			d.approve(inv).OK()
			synced := d.do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/sync", nil).OK()
			if synced.Text("status") != "SYNCED" || synced.Text("contact_id") != contact {
				t.Fatalf("synced: %s", synced.Raw)
			}

			// Another entity takes the ledger over.
			d.do(http.MethodDelete, "/api/v1/integrations/"+id, nil).OK()
			d.org.Entity = uuid.MustParse(d.do(http.MethodPost, "/api/entities", map[string]any{"name": "Second"}).OK().Text("id"))
			s.Activate(d.org, d.org.Entity, l, l.Tenants[0])
			d.importLedgers()
			next := d.extract("2.xml", harness.UBLFrom(name, "L-2", currency, percent))
			if next.Text("lines", 0, "account_id") != account || next.Text("lines", 0, "account_source") != "LEDGER" ||
				next.Text("lines", 0, "tax_rate_id") != rate || next.Text("lines", 0, "tax_source") != "LEDGER" {
				t.Errorf("the usual coding of the ledger: %v", next.At("lines", 0))
			}
			supplier := d.do(http.MethodGet, "/api/suppliers/"+next.Text("supplier_id"), nil).OK()
			if supplier.Text("default_account_source") != "LEDGER" || supplier.Text("default_tax_rate_source") != "LEDGER" {
				t.Errorf("the defaults of the ledger: %s", supplier.Raw)
			}
		})
	}
}
