package e2e

import (
	"encoding/json"
	"net/http"
	"testing"

	"docledger/openapi"
	"docledger/test/lib/harness"
)

// corrections has two values for each key of InvoicePatch, as the invoice shows
// them.
var corrections = map[string][2]any{
	"document_type":             {"CREDIT_NOTE", "INVOICE"},
	"invoice_number":            {"N-1", "N-2"},
	"issue_date":                {"2026-02-01", "2026-02-02"},
	"due_date":                  {"2026-03-01", "2026-03-02"},
	"delivery_date":             {"2026-01-31", nil},
	"posting_date":              {"2026-02-05", nil},
	"currency":                  {"USD", "GBP"},
	"tax_currency":              {"EUR", nil},
	"seller":                    {party("a"), party("b")},
	"buyer":                     {party("c"), party("d")},
	"purchase_order":            {"PO-1", nil},
	"external_id":               {"E-1", "E-2"},
	"payment":                   {payment("a", "DE89370400440532013000"), payment("b", "DE02120300000000202051")},
	"billing_period":            {object{"start": "2026-01-01", "end": "2026-01-31"}, object{"start": "2026-02-01", "end": nil}},
	"preceding_invoices":        {[]any{object{"number": "P-1", "issue_date": "2025-12-01"}, object{"number": "P-2", "issue_date": nil}}, []any{}},
	"taxes":                     {[]any{tax("S", "19", "100.00", "19.00"), tax("Z", "0", "10.00", "0.00")}, []any{}},
	"allowances":                {[]any{allowance("1.00", "10.00", "10", "early", "95", "S", "19"), allowance("2.00", nil, nil, nil, nil, nil, nil)}, []any{}},
	"charges":                   {[]any{allowance("3.00", "30.00", "10", "freight", "FC", "S", "19")}, []any{}},
	"net_total":                 {"200.00", "201.00"},
	"tax_total":                 {"38.00", "39.00"},
	"tax_total_in_tax_currency": {"40.00", nil},
	"gross_total":               {"238.00", "240.00"},
	"prepaid_total":             {"5.00", nil},
	"withheld_total":            {"6.00", nil},
	"payable_rounding":          {"0.01", nil},
	"amount_due":                {"227.01", "240.00"},
	"contact_id":                {"contact-1", nil},
	"note":                      {"first", "second"},
}

type object = map[string]any

func party(name string) object {
	return object{
		"name": "Name " + name, "trading_name": "Trade " + name, "tax_id": "T" + name, "registration_id": "R" + name,
		"email": name + "@example.com", "phone": "1" + name, "iban": "DE" + name, "bic": "BIC" + name,
		"address": object{
			"line1": "1" + name, "line2": "2" + name, "line3": "3" + name, "city": "City " + name, "postal_code": "P" + name, "region": "R" + name,
			"country": map[bool]string{true: "FR", false: "DE"}[name == "a"],
		},
	}
}

func payment(name, iban string) object {
	return object{"iban": iban, "bic": "BIC" + name, "reference": "REF" + name, "terms": "terms " + name}
}

func tax(category, rate, base, amount string) object {
	return object{"category": category, "rate": rate, "base": base, "amount": amount}
}

func allowance(amount string, base, percentage, reason, code, category, rate any) object {
	return object{
		"amount": amount, "base": base, "percentage": percentage, "reason": reason, "reason_code": code, "tax_category": category, "tax_rate": rate,
	}
}

// TestEveryCorrectionIsShown sets each value that callers can correct, twice,
// and reads it back.
func TestEveryCorrectionIsShown(t *testing.T) {
	t.Parallel()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := harness.Start(t, harness.Options{Env: map[string]string{"WEB_URL": "https://app.example"}})
	org := s.NewOrganization("Corrections")
	inv := s.Extract(org.Admin.Token, s.Upload(org.Admin.Token, org.Entity, "c.xml", harness.UBL("C-9")).OK().Text("id")).OK()
	path := "/api/invoices/" + inv.Text("id")
	if got := inv.Text("web_url"); got != "https://app.example/invoices/"+inv.Text("id") {
		t.Errorf("web_url is %q", got)
	}
	list := func() harness.Response {
		return s.Do(http.MethodGet, "/api/invoices", org.Admin.Token, nil).OK()
	}
	before := list()
	for key := range doc.Components.Schemas["InvoicePatch"].Value.Properties {
		if key == "lines" {
			continue // below
		}
		values, ok := corrections[key]
		if !ok {
			t.Errorf("%s has no values in the test", key)
			continue
		}
		for _, value := range values {
			s.Do(http.MethodPatch, path, org.Admin.Token, object{key: value}).OK()
			got := s.Do(http.MethodGet, path, org.Admin.Token, nil).OK()
			if want, is := text(t, value), text(t, got.At(key)); want != is {
				t.Errorf("%s: %s is shown as %s", key, want, is)
			}
		}
	}
	s.Do(http.MethodPatch, path, org.Admin.Token, object{"document_type": "CREDIT_NOTE"}).OK()
	for key, want := range map[string]any{"document_type": "CREDIT_NOTE", "net_total": "201.00", "currency": "GBP", "invoice_number": "N-2"} {
		if got := list().At("items", 0, key); got != want || got == before.At("items", 0, key) {
			t.Errorf("the list shows %s %v, want %v", key, got, want)
		}
	}
	if got := list(); got.Text("items", 0, "web_url") != inv.Text("web_url") || got.Number("items", 0, "checks_failed", "blocking") == 0 {
		t.Errorf("the list shows %s", got.Raw)
	}
	line := object{
		"description": "Screws", "quantity": "3", "unit": "KGM", "unit_price": "7.5", "price_base_quantity": "100",
		"net_amount": "22.50", "tax_rate": "7", "tax_category": "AA", "account_id": "4711", "tax_rate_id": "R7",
	}
	added := s.Do(http.MethodPatch, path, org.Admin.Token, object{"lines": []any{line}}).OK()
	for key, value := range line {
		if got := added.At("lines", 1, key); got != value {
			t.Errorf("lines[1].%s is %v, want %v", key, got, value)
		}
	}
	if added.Text("lines", 1, "account_source") != "HUMAN" || added.Text("lines", 1, "tax_source") != "HUMAN" || added.Number("lines_total") != 2 {
		t.Errorf("the line is %s", added.Raw)
	}
	lines := s.Do(http.MethodGet, path+"/lines?limit=1", org.Admin.Token, nil).OK()
	if lines.Text("next_cursor") == "" {
		t.Errorf("a page of one line: %s", lines.Raw)
	}
}

func text(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
