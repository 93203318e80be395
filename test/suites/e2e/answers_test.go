package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"testing"

	"docledger/adapter/extract/pdf/pdftest"
	"docledger/test/lib/generator"
	"docledger/test/lib/harness"
)

// TestListsCanBePaged reads lists item by item and compares them with the
// complete lists.
func TestListsCanBePaged(t *testing.T) {
	t.Parallel()
	l, _ := harness.NewLedgerA(t)
	s := harness.Start(t, harness.Options{}.With(l))
	org := s.NewOrganization("Pages")
	token, entity := org.Admin.Token, org.Entity.String()
	s.Do(http.MethodPost, "/api/entities", token, object{"name": "Second"}).OK()
	for _, content := range [][]byte{harness.UBL("P-1"), harness.UBLOf("P-2", "200.00", "38.00", "2380.00")} {
		s.Extract(token, s.Upload(token, org.Entity, "p.xml", content).OK().Text("id")).OK()
	}
	id := s.Connect(org, org.Entity, l, l.Tenants[0])
	if again := s.Connect(org, org.Entity, l, l.Tenants[1]); again != id {
		t.Fatalf("connecting again made %s of %s", again, id)
	}
	organizations := "/api/v1/integrations/" + id + "/accounting-organizations?entity_id=" + entity
	now := map[any]bool{}
	for i, list := 0, s.Do(http.MethodGet, organizations, token, nil).OK(); i < list.Len("items"); i++ {
		now[list.At("items", i, "connected_now")] = true
	}
	if !now[true] || !now[false] {
		t.Errorf("after a second consent connected_now is %v", now)
	}
	pays := object{"provider": l.Provider, "organization_id": l.Tenants[0], "pays_tax": true}
	s.Do(http.MethodPut, "/api/v1/integrations/"+id, token, object{"entity_id": entity, "status": "PENDING", "public_metadata": pays}).OK()
	lists := "/api/v1/integrations/" + id
	for _, path := range []string{
		"/api/entities", "/api/documents", "/api/invoices", organizations,
		lists + "/accounting-accounts", lists + "/accounting-tax-rates", lists + "/accounting-currencies",
	} {
		at, err := url.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		whole := s.Do(http.MethodGet, path, token, nil).OK()
		if whole.Len("items") < 2 || whole.At("next_cursor") != nil {
			t.Errorf("%s: %s", path, whole.Raw)
		}
		query := at.Query()
		query.Set("limit", "1")
		for i := range whole.Len("items") {
			at.RawQuery = query.Encode()
			page := s.Do(http.MethodGet, at.String(), token, nil).OK()
			if page.Len("items") != 1 || text(t, page.At("items", 0)) != text(t, whole.At("items", i)) {
				t.Errorf("%s: page %d is %s", path, i, page.Raw)
			}
			if last := i == whole.Len("items")-1; last != (page.At("next_cursor") == nil) {
				t.Errorf("%s: page %d of %d leads to %q", path, i, whole.Len("items"), page.Text("next_cursor"))
			}
			query.Set("cursor", page.Text("next_cursor"))
		}
	}
}

// TestOrganizationsNameTheirCurrency reads the organization of ACCOUNTING_B
// before the setup.
func TestOrganizationsNameTheirCurrency(t *testing.T) {
	t.Parallel()
	l, _ := harness.NewLedgerB(t)
	s := harness.Start(t, harness.Options{}.With(l))
	org := s.NewOrganization("Currency")
	id := s.Connect(org, org.Entity, l, l.Tenants[0])
	list := s.Do(http.MethodGet, "/api/v1/integrations/"+id+"/accounting-organizations?entity_id="+org.Entity.String(), org.Admin.Token, nil).OK()
	if got := list.Text("items", 0, "base_currency"); len(got) != 3 {
		t.Errorf("base_currency is %q: %s", got, list.Raw)
	}
}

// TestPlansAreShownAsSold lists two prices without a common value.
func TestPlansAreShownAsSold(t *testing.T) {
	t.Parallel()
	clock := at(t, "2026-03-10T08:00:00Z")
	p := newProcessor(t, clock)
	product := p.do(http.MethodPost, "/v1/products", "name", "Group", "metadata[max_invoices_per_month]", "1000")["id"].(string)
	p.do(http.MethodPost, "/v1/prices", "product", product, "currency", "usd", "unit_amount", "90000", "recurring[interval]", "month",
		"recurring[interval_count]", "3", "lookup_key", "group_quarterly")
	yearly := p.do(http.MethodPost, "/v1/prices", "product", product, "currency", "usd", "unit_amount", "300000", "recurring[interval]", "year")
	p.env["PAYMENT_PRODUCTS"] += "," + product
	s := p.start(clock)
	org := s.NewOrganization("Plans")
	plans := s.Do(http.MethodGet, "/api/billing/plans", org.Admin.Token, nil).OK()
	seen := map[string]int{}
	for i := range plans.Len("items") {
		for _, field := range []string{"name", "currency", "interval", "amount"} {
			seen[plans.Text("items", i, field)]++
		}
		if n := plans.Number("items", i, "interval_count"); n == 3 {
			seen["every 3"]++
		}
	}
	if plans.Len("items") != 3 || seen["EUR"] != 1 || seen["USD"] != 2 || seen["year"] != 1 || seen["every 3"] != 1 {
		t.Errorf("plans %s, with %v", plans.Raw, yearly["id"])
	}
}

// TestPagesAndAttachmentsOfAPDF verifies the data of a PDF with two pages and
// two embedded files.
func TestPagesAndAttachmentsOfAPDF(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Attachments")
	token := org.Admin.Token
	hybrid := pdftest.Hybrid("", []string{"factur-x.xml", "terms.txt"}, harness.UBL("H-1"), []byte("our terms"))
	up := s.Upload(token, org.Entity, "h.pdf", hybrid).OK()
	s.Extract(token, up.Text("id")).OK()
	doc := s.Do(http.MethodGet, "/api/documents/"+up.Text("id"), token, nil).OK()
	files := map[string]string{}
	for i := range doc.Len("attachments") {
		files[doc.Text("attachments", i, "name")] = doc.Text("attachments", i, "media_type")
	}
	if len(files) != 2 || files["terms.txt"] == files["factur-x.xml"] || doc.Number("page_count") != 1 {
		t.Errorf("document %s", doc.Raw)
	}
	whole := printedPage("Invoice date: 3 May 2024", "")
	// The totals are on the second page.
	var first, second generator.Page
	for _, line := range whole.Texts {
		if line.Y > 60+18*11 {
			second.Texts = append(second.Texts, line)
			continue
		}
		first.Texts = append(first.Texts, line)
	}
	data, ok := (&generator.Document{Pages: []generator.Page{first, second}}).PDF()
	if !ok {
		t.Fatal("the pages cannot be written")
	}
	two := s.Upload(token, org.Entity, "two.pdf", data).OK()
	inv := s.Extract(token, two.Text("id")).OK()
	pages := map[any]bool{}
	fields, _ := inv.At("fields").(map[string]any)
	for _, evidence := range fields {
		pages[evidence.(map[string]any)["page"]] = true
	}
	if doc := s.Do(http.MethodGet, "/api/documents/"+two.Text("id"), token, nil).OK(); doc.Number("page_count") != 2 || !pages[1.0] || !pages[2.0] {
		t.Errorf("document %s with evidence on pages %v", doc.Raw, pages)
	}
}

// TestBillsOfTheLedgerAreNamed syncs invoices whose bills exist already. The
// error names each bill.
func TestBillsOfTheLedgerAreNamed(t *testing.T) {
	t.Parallel()
	w := newSettingsWorld(t)
	w.ledger()
	for _, number := range []string{"B-1", "B-2"} {
		sync := func(content []byte) harness.Response {
			inv := w.extract(content)
			path := "/api/invoices/" + inv.Text("id")
			inv = w.s.Do(http.MethodPatch, path, w.token, map[string]any{"currency": "GBP"}).OK()
			approval := map[string]any{"version": inv.Number("version")}
			if inv.Len("duplicates") > 0 {
				approval["acknowledge_checks"] = []string{"not_a_duplicate"}
			}
			w.s.Do(http.MethodPost, path+"/approve", w.token, approval).OK()
			return w.s.Do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/sync", w.token, nil).OK()
		}
		first := sync(harness.UBL(number))
		again := sync(append(harness.UBL(number), '\n'))
		if again.Text("status") != "SYNC_FAILED" || again.Text("sync", "error", "code") != "already_in_ledger" ||
			again.Text("sync", "error", "candidates", 0, "id") != first.Text("sync", "remote_id") || again.Text("sync", "error", "candidates", 0, "name") != number {
			t.Errorf("%s again: %s", number, again.Raw)
		}
	}
}

// TestManyWrongValuesAreCut verifies that an error lists the first invalid
// values and sets more.
func TestManyWrongValuesAreCut(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Wrong")
	body := object{"name": "Wrong"}
	for i := range 30 {
		body[fmt.Sprintf("unknown_%d", i)] = i
	}
	r := s.Do(http.MethodPost, "/api/entities", org.Admin.Token, body).Want(400, "invalid_request")
	if n := r.Len("error", "details", "fields"); n > 20 || r.At("error", "details", "more") != true {
		t.Errorf("%d fields: %s", n, r.Raw)
	}
}

// TestValidationCountsAndNamesTheFormat validates both syntaxes and counts the
// elements that violate a rule.
func TestValidationCountsAndNamesTheFormat(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Formats")
	validate := func(content []byte) harness.Response {
		inv := s.Extract(org.Admin.Token, s.Upload(org.Admin.Token, org.Entity, "v.xml", content).OK().Text("id")).OK()
		return s.Do(http.MethodGet, "/api/invoices/"+inv.Text("id")+"/validation", org.Admin.Token, nil).OK()
	}
	twice := validate(peppol(t, "V-1", `unitCode="HUR"`, `unitCode="NONE"`))
	if twice.Text("format") != "ubl" || twice.Number("findings", 0, "count") != 2 {
		t.Errorf("two lines with an unknown unit: %s", twice.Raw)
	}
	cii, err := os.ReadFile("../../../adapter/extract/einvoice/rules/testdata/cii.xml")
	if err != nil {
		t.Fatal(err)
	}
	if v := validate(cii); v.Text("format") != "cii" {
		t.Errorf("CII: %s", v.Raw)
	}
}
