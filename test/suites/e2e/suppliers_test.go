package e2e

import (
	"net/http"
	"strings"
	"testing"

	"docledger/test/lib/harness"
)

const (
	ibanOne = "DE89370400440532013000"
	ibanTwo = "DE02120300000000202051"
)

// paidTo returns the sample invoice of a supplier that states only its name, with the bank account.
func paidTo(supplier, number, iban string) []byte {
	means := `<cac:PaymentMeans><cbc:PaymentMeansCode>58</cbc:PaymentMeansCode><cac:PayeeFinancialAccount><cbc:ID>` + iban +
		`</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans><cac:TaxTotal>`
	return []byte(strings.Replace(string(harness.UBLFrom(supplier, number, "EUR", "19")), "<cac:TaxTotal>", means, 1))
}

// desk is an organization with one entity whose administrator uploads and decides.
type desk struct {
	t   *testing.T
	s   *harness.Server
	org harness.Organization
}

func newDesk(t *testing.T) desk {
	t.Helper()
	s := harness.Start(t, harness.Options{})
	return desk{t, s, s.NewOrganization("Desk")}
}

func (d desk) extract(name string, content []byte) harness.Response {
	d.t.Helper()
	up := d.s.Upload(d.org.Admin.Token, d.org.Entity, name, content).OK()
	return d.s.Extract(d.org.Admin.Token, up.Text("id")).OK()
}

func (d desk) do(method, path string, body any) harness.Response {
	d.t.Helper()
	return d.s.Do(method, path, d.org.Admin.Token, body)
}

func (d desk) approve(inv harness.Response, acknowledged ...string) harness.Response {
	d.t.Helper()
	body := map[string]any{"version": inv.At("version")}
	if len(acknowledged) > 0 {
		body["acknowledge_checks"] = acknowledged
	}
	return d.do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/approve", body)
}

func (d desk) invoice(inv harness.Response) harness.Response {
	d.t.Helper()
	return d.do(http.MethodGet, "/api/invoices/"+inv.Text("id"), nil).OK()
}

// bankCheck returns severity and result of bank_account_known; "" if it was not evaluated.
func bankCheck(inv harness.Response) string {
	for _, c := range inv.At("checks").([]any) {
		c := c.(map[string]any)
		if c["rule"] == "bank_account_known" {
			if c["passed"] == true {
				return "passed"
			}
			return c["severity"].(string)
		}
	}
	return ""
}

func TestABankAccountOfASupplierIsConfirmedByAPersonOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := d.extract("1.xml", paidTo("Acme Paper", "A-1", ibanOne))
	if got := bankCheck(first); got != "WARNING" {
		t.Fatalf("the first account of a new supplier: %q", got)
	}
	if first.At("supplier_id") != nil {
		t.Error("an invoice has a supplier before one exists")
	}
	d.approve(first).OK()
	supplier := d.invoice(first).Text("supplier_id")
	path := "/api/suppliers/" + supplier
	if got := d.do(http.MethodGet, path, nil).OK(); got.Text("name") != "Acme Paper" || got.At("ibans", 0, "known") != true || got.At("invoices_count") != 1.0 {
		t.Errorf("the supplier of the first invoice: %s", got.Raw)
	}

	again := d.extract("2.xml", paidTo("ACME  Paper", "A-2", "DE89 3704 0044 0532 0130 00"))
	if got := bankCheck(again); got != "passed" || again.Text("supplier_id") != supplier {
		t.Errorf("a known account: %q of %v", got, again.At("supplier_id"))
	}

	changed := d.extract("3.xml", paidTo("Acme Paper", "A-3", ibanTwo))
	if got := bankCheck(changed); got != "BLOCKING" || changed.Text("status") != "NEEDS_REVIEW" {
		t.Fatalf("another account: %q, %s", got, changed.Text("status"))
	}
	if r := d.approve(changed); r.Status != http.StatusBadRequest || r.Text("error", "code") != "checks_failed" {
		t.Errorf("approved without an acknowledgement: %d %s", r.Status, r.Raw)
	}
	d.approve(changed, "bank_account_known").OK()
	next := d.extract("4.xml", paidTo("Acme Paper", "A-4", ibanTwo))
	if got := bankCheck(next); got != "BLOCKING" {
		t.Errorf("approving confirmed the account: %q", got)
	}

	confirm := path + "/bank-accounts/confirm"
	if r := d.do(http.MethodPost, confirm, map[string]any{"iban": ibanTwo}); r.Status != http.StatusBadRequest {
		t.Errorf("confirmed without a way of checking: %d", r.Status)
	}
	if r := d.do(http.MethodPost, confirm, map[string]any{"iban": "FR7630006000011234567890189", "method": "phone"}); r.Status != http.StatusBadRequest {
		t.Errorf("confirmed an account that no invoice stated: %d", r.Status)
	}
	d.s.Do(http.MethodPost, confirm, d.org.Admin.Token, map[string]any{"iban": ibanTwo, "method": "phone"}, "If-Match", `"99"`).Want(http.StatusBadRequest, "version_conflict")
	confirmed := d.do(http.MethodPost, confirm, map[string]any{"iban": "DE02 1203 0000 0000 2020 51", "method": "phone"}).OK()
	if confirmed.At("ibans", 1, "confirmed", "method") != "phone" || confirmed.At("ibans", 1, "known") != true {
		t.Errorf("confirmed: %s", confirmed.Raw)
	}
	if version := d.do(http.MethodPost, confirm, map[string]any{"iban": ibanTwo, "method": "letter"}).OK().At("version"); version != confirmed.At("version") {
		t.Error("confirming again changed the supplier")
	}
	if got := d.invoice(next); bankCheck(got) != "passed" || got.Text("status") != "EXTRACTED" {
		t.Errorf("the open invoice was not checked again: %s %q", got.Text("status"), bankCheck(got))
	}
	var kinds []string
	for _, e := range d.do(http.MethodGet, "/api/events?subject_id="+supplier, nil).OK().At("items").([]any) {
		kinds = append(kinds, e.(map[string]any)["type"].(string))
	}
	if got := strings.Join(kinds, " "); got != "supplier.created supplier.bank_account_new supplier.changed" {
		t.Errorf("events: %s", got)
	}
}

// TestAnOpenInvoiceOfANewSupplierIsCheckedOnApproval covers two invoices that were extracted before
// their supplier existed: the second one must not bring its account in.
func TestAnOpenInvoiceOfANewSupplierIsCheckedOnApproval(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := d.extract("1.xml", paidTo("Twice", "T-1", ibanOne))
	second := d.extract("2.xml", paidTo("Twice", "T-2", ibanTwo))
	d.approve(first).OK()
	if r := d.approve(second); r.Status != http.StatusBadRequest || r.Text("error", "code") != "checks_failed" {
		t.Errorf("the second account: %d %s", r.Status, r.Raw)
	}
	if got := d.invoice(second); bankCheck(got) != "BLOCKING" || got.Text("status") != "NEEDS_REVIEW" {
		t.Errorf("the refused invoice: %q %s", bankCheck(got), got.Text("status"))
	}
}

func TestSuppliersAreFoundChangedAndMerged(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	supplierOf := func(name, number, iban string) (id string) {
		inv := d.extract(number+".xml", paidTo(name, number, iban))
		d.approve(inv).OK()
		return d.invoice(inv).Text("supplier_id")
	}
	acme, copied := supplierOf("Acme Paper", "M-1", ibanOne), supplierOf("Ácme Papier", "M-2", ibanTwo)
	if acme == copied {
		t.Fatal("two names are one supplier")
	}
	list := func(query string) (names []string) {
		for _, item := range d.do(http.MethodGet, "/api/suppliers?"+query, nil).OK().At("items").([]any) {
			names = append(names, item.(map[string]any)["name"].(string))
		}
		return names
	}
	if got := list("entity_id=" + d.org.Entity.String() + "&limit=1"); len(got) != 1 || got[0] != "Ácme Papier" {
		t.Errorf("the newest supplier: %q", got)
	}
	if got := list("q=acme%20papi"); len(got) != 1 || got[0] != "Ácme Papier" {
		t.Errorf("found by a part of the name: %q", got)
	}
	if got := list("q=" + ibanOne[4:10]); len(got) != 1 || got[0] != "Acme Paper" {
		t.Errorf("found by a part of the account: %q", got)
	}

	renamed := d.do(http.MethodPatch, "/api/suppliers/"+acme, map[string]any{"name": "Acme", "tax_ids": []string{"DE136695976"}}).OK()
	if renamed.Text("name") != "Acme" || renamed.At("aliases", 0) != "Acme Paper" {
		t.Errorf("renamed: %s", renamed.Raw)
	}
	if r := d.s.Do(http.MethodPatch, "/api/suppliers/"+acme, d.org.Admin.Token, map[string]any{"name": "Other"}, "If-Match", `"1"`); r.Status != http.StatusBadRequest {
		t.Errorf("a stale version: %d", r.Status)
	}
	for _, key := range []string{"contact_id", "default_account_id", "default_tax_rate_id"} {
		r := d.do(http.MethodPatch, "/api/suppliers/"+acme, map[string]any{key: "400"}).Want(http.StatusBadRequest, "invalid_request")
		if r.Text("error", "details", "fields", 0, "field") != key {
			t.Errorf("%s without a ledger: %s", key, r.Raw)
		}
	}
	merge := "/api/suppliers/" + copied + "/merge"
	if r := d.do(http.MethodPost, merge, map[string]any{"into": copied}); r.Status != http.StatusBadRequest {
		t.Errorf("merged into itself: %d", r.Status)
	}
	merged := d.do(http.MethodPost, merge, map[string]any{"into": acme}).OK()
	if merged.Text("id") != acme || merged.At("invoices_count") != 2.0 || merged.At("ibans", 1, "known") != false {
		t.Errorf("merged: %s", merged.Raw)
	}
	if again := d.do(http.MethodPost, merge, map[string]any{"into": acme}).OK(); again.At("version") != merged.At("version") {
		t.Error("merging again changed the supplier")
	}
	if got := d.do(http.MethodGet, "/api/suppliers/"+copied, nil).OK().Text("id"); got != acme {
		t.Errorf("the merged id leads to %s", got)
	}
	if got := list("q=acme"); len(got) != 1 {
		t.Errorf("after the merge there are %q", got)
	}
	items := d.do(http.MethodGet, "/api/invoices?supplier_id="+acme, nil).OK().At("items").([]any)
	if len(items) != 2 {
		t.Errorf("%d invoices of the supplier", len(items))
	}
	if got := d.extract("next.xml", paidTo("Ácme Papier", "M-3", ibanTwo)); got.Text("supplier_id") != acme || bankCheck(got) != "BLOCKING" {
		t.Errorf("an invoice under the merged name: %v %q", got.At("supplier_id"), bankCheck(got))
	}
}
