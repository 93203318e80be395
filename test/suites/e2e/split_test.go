package e2e

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"docledger/test/lib/generator"
	"docledger/test/lib/harness"
)

// printedFile is a PDF with a page for each text of replacements of the printed
// invoice.
func printedFile(t *testing.T, numbers ...string) []byte {
	t.Helper()
	d := &generator.Document{}
	for _, number := range numbers {
		page := printedPage("Invoice date: 3 May 2024", "")
		for i := range page.Texts {
			page.Texts[i].Text = strings.ReplaceAll(page.Texts[i].Text, "A-17", number)
		}
		d.Pages = append(d.Pages, page)
	}
	data, ok := d.PDF()
	if !ok {
		t.Fatal("the pages cannot be written")
	}
	return data
}

// TestPDFWithSeveralInvoicesIsSplit verifies the parts of a printed file: their
// pages, their invoices, and that each is extracted again on its own.
func TestPDFWithSeveralInvoicesIsSplit(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Split")
	up := s.Upload(org.Admin.Token, org.Entity, "three.pdf", printedFile(t, "A-17", "A-18", "A-19")).OK()
	parent := ended(s, org, up.Text("id"))
	if parent.Text("status") != "SPLIT" || parent.Number("page_count") != 3 {
		t.Fatalf("the file is %s", parent.Raw)
	}
	list := s.Do(http.MethodGet, "/api/documents?entity_id="+org.Entity.String(), org.Admin.Token, nil).OK()
	seen := map[string]string{}
	for i := range list.Len("items") {
		if list.At("items", i, "parent_id") == nil {
			continue
		}
		id := list.Text("items", i, "id")
		from := list.Number("items", i, "pages", "from")
		inv := s.Do(http.MethodGet, "/api/invoices/"+list.Text("items", i, "invoice_id"), org.Admin.Token, nil).OK()
		number := inv.Text("invoice_number")
		seen[number] = id
		if want := map[string]float64{"A-17": 1, "A-18": 2, "A-19": 3}[number]; float64(from) != want || float64(list.Number("items", i, "pages", "to")) != want || list.Number("items", i, "page_count") != 1 {
			t.Errorf("%s: %s", number, list.Raw)
		}
		if inv.Number("fields", "invoice_number", "page") != 1 {
			t.Errorf("%s: the evidence is on page %v of its part", number, inv.At("fields", "invoice_number", "page"))
		}
		// The first page of a part is that of its invoice.
		words := s.Do(http.MethodGet, "/api/documents/"+id+"/pages/1/words", org.Admin.Token, nil).OK()
		if !strings.Contains(string(words.Raw), number) {
			t.Errorf("%s: the words are %s", number, words.Raw)
		}
		s.Do(http.MethodGet, "/api/documents/"+id+"/pages/1", org.Admin.Token, nil).OK()
		s.Do(http.MethodGet, "/api/documents/"+id+"/pages/2", org.Admin.Token, nil).Want(http.StatusNotFound, "not_found")
		again := s.Do(http.MethodPost, "/api/invoices/extract", org.Admin.Token, map[string]any{"document_id": id, "force": true}).OK()
		if again.Text("invoice_number") != number || again.Text("id") != inv.Text("id") {
			t.Errorf("%s extracted again: %s", number, again.Raw)
		}
	}
	if len(seen) != 3 {
		t.Errorf("the parts are %v", seen)
	}
	r := s.Extract(org.Admin.Token, up.Text("id")).Want(http.StatusBadRequest, "conflict")
	if len(r.At("error", "details", "children").([]any)) != 3 {
		t.Errorf("the parent's children: %s", r.Raw)
	}
}

// TestSplitIsCorrected joins and cuts the pages of a file differently.
func TestSplitIsCorrected(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Correct")
	id := s.Upload(org.Admin.Token, org.Entity, "three.pdf", printedFile(t, "A-17", "A-18", "A-19")).OK().Text("id")
	parent := ended(s, org, id)
	split := func(body string, headers ...string) harness.Response {
		t.Helper()
		return s.Send(http.MethodPost, "/api/documents/"+id+"/split", org.Admin.Token, strings.NewReader(body), append(headers, "Content-Type", "application/json")...)
	}
	// parts returns the parts by their pages, without those that were replaced.
	parts := func() map[string]harness.Response {
		out := map[string]harness.Response{}
		list := s.Do(http.MethodGet, "/api/documents?entity_id="+org.Entity.String(), org.Admin.Token, nil).OK()
		for i := range list.Len("items") {
			if list.At("items", i, "parent_id") == nil {
				continue
			}
			d := ended(s, org, list.Text("items", i, "id"))
			if d.At("invoice_id") != nil {
				inv := s.Do(http.MethodGet, "/api/invoices/"+d.Text("invoice_id"), org.Admin.Token, nil).OK()
				if inv.Text("status") == "REJECTED" {
					continue
				}
			}
			out[strings.Trim(strings.Join([]string{strconv.Itoa(d.Number("pages", "from")), strconv.Itoa(d.Number("pages", "to"))}, "-"), " ")] = d
		}
		return out
	}
	first := parts()
	for _, bad := range []string{`{"parts":[{"from":2,"to":1}]}`, `{"parts":[{"from":1,"to":4}]}`, `{"parts":[{"from":1,"to":2},{"from":2,"to":3}]}`, `{"parts":[]}`} {
		split(bad).Want(http.StatusBadRequest, "invalid_request")
	}
	split(`{"parts":[{"from":1,"to":1}]}`, "If-Match", `"1"`).Want(http.StatusBadRequest, "version_conflict")
	done := split(`{"parts":[{"from":1,"to":2},{"from":3,"to":3}]}`, "If-Match", parent.Header.Get("ETag")).OK()
	if done.Text("status") != "SPLIT" {
		t.Errorf("split: %s", done.Raw)
	}
	now := parts()
	if len(now) != 2 || now["1-2"].Status == 0 || now["3-3"].Text("id") != first["3-3"].Text("id") {
		t.Errorf("the parts are %v", now)
	}
	split(`{"parts":[{"from":1,"to":2},{"from":3,"to":3}]}`).OK()
	if again := parts(); len(again) != 2 || again["1-2"].Text("id") != now["1-2"].Text("id") {
		t.Errorf("split again: %v", again)
	}
	s.Do(http.MethodPost, "/api/documents/"+now["3-3"].Text("id")+"/split", org.Admin.Token, map[string]any{"parts": []any{map[string]int{"from": 1, "to": 1}}}).
		Want(http.StatusBadRequest, "conflict")

	inv := s.Do(http.MethodGet, "/api/invoices/"+now["3-3"].Text("invoice_id"), org.Admin.Token, nil).OK()
	failed := []string{}
	for i := range inv.Len("checks") {
		if inv.At("checks", i, "passed") == false && inv.Text("checks", i, "severity") == "BLOCKING" {
			failed = append(failed, inv.Text("checks", i, "rule"))
		}
	}
	s.Do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/approve", org.Admin.Token, map[string]any{"version": inv.Number("version"), "acknowledge_checks": failed}).OK()
	split(`{"parts":[{"from":1,"to":3}]}`).Want(http.StatusBadRequest, "conflict")
	if kept := parts(); len(kept) != 2 {
		t.Errorf("a refused split changed the parts: %v", kept)
	}
	// The approved part stays where it is part of the new split.
	split(`{"parts":[{"from":1,"to":1},{"from":3,"to":3}]}`).OK()
	if last := parts(); len(last) != 2 || last["1-1"].Status == 0 || last["3-3"].Text("id") != now["3-3"].Text("id") {
		t.Errorf("the last parts are %v", last)
	}
}
