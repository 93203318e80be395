package storetest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/domain/page"

	"github.com/google/uuid"
)

func testInvoices(t *testing.T, b *bench) {
	s := b.organization(t)
	d := b.document(t, b.entity(t, s))
	inv := filled[invoice.Invoice]()
	inv.DocumentID, inv.EntityID, inv.OrganizationID, inv.LinesTotal = d.ID, d.EntityID, d.OrganizationID, 1
	inv.Sync, inv.Duplicates = nil, nil // stored by Bookings and Duplicates
	evidence := inv.Fields["key"]
	inv.Fields = map[string]invoice.Evidence{"seller.tax_id": evidence, "lines[0].net_amount": evidence, "lines[7].unit": evidence, "lines": evidence}
	must(t, b.Invoices().Add(b.ctx, &inv))
	got, err := b.Invoices().Get(b.ctx, s, inv.ID)
	must(t, err)
	same(t, "what was stored", *got, inv)
	list, err := b.Invoices().List(b.ctx, s, invoice.Filter{}, invoice.Sort{}, page.Request{})
	must(t, err)
	blocking, warning := inv.Failed()
	want := invoice.Summary{
		ID: inv.ID, DocumentID: d.ID, EntityID: d.EntityID, OrganizationID: d.OrganizationID, Status: inv.Status, Type: inv.Type,
		Number: inv.Number, IssueDate: inv.IssueDate, DueDate: inv.DueDate, Currency: inv.Currency,
		SellerName: inv.Seller.Name, SellerTaxID: inv.Seller.TaxID, BuyerName: inv.Buyer.Name, BuyerTaxID: inv.Buyer.TaxID,
		NetTotal: inv.NetTotal, TaxTotal: inv.TaxTotal, GrossTotal: inv.GrossTotal, AmountDue: inv.AmountDue,
		FailedBlocking: blocking, FailedWarning: warning, ExternalID: inv.ExternalID, AssignedTo: inv.AssignedTo, Version: inv.Version, CreatedAt: inv.CreatedAt, UpdatedAt: inv.UpdatedAt,
	}
	same(t, "the list", list.Items, []invoice.Summary{want})

	second := newInvoice(d, b.at)
	wantCode(t, b.Invoices().Add(b.ctx, second), fault.CodeConflict) // a document has only one
	second.DocumentID = newID()
	wantCode(t, b.Invoices().Add(b.ctx, second), fault.CodeNotFound)

	bare := b.invoice(t, b.document(t, b.entity(t, s)))
	got, err = b.Invoices().Get(b.ctx, s, bare.ID)
	must(t, err)
	if got.NetTotal != nil || got.Fields != nil || got.Approval != nil || !got.IssueDate.IsZero() || len(got.Lines) != 0 {
		t.Errorf("an invoice that states nothing came back as %+v", got)
	}
	testInvoiceUpdate(t, b, &inv)
}

func testInvoiceUpdate(t *testing.T, b *bench, inv *invoice.Invoice) {
	s := scopeOf(inv)
	changed, err := b.Invoices().Update(b.ctx, s, inv.ID, inv.Version, func(inv *invoice.Invoice) error {
		inv.Number, inv.NetTotal, inv.Approval, inv.Rejection = "New", nil, nil, nil
		inv.Checks = append(inv.Checks, invoice.Check{Rule: "r", Severity: invoice.Blocking}, invoice.Check{Severity: invoice.Warning})
		inv.DocumentID = newID() // no change
		return nil
	})
	must(t, err)
	got, err := b.Invoices().Get(b.ctx, s, inv.ID)
	must(t, err)
	same(t, "what was changed", got, changed)
	if got.Number != "New" || got.Version != inv.Version+1 || got.DocumentID != inv.DocumentID {
		t.Errorf("changed to %+v", got)
	}
	if !got.UpdatedAt.After(inv.UpdatedAt) {
		t.Error("updated_at did not move")
	}
	_, err = b.Invoices().Update(b.ctx, s, inv.ID, inv.Version, func(*invoice.Invoice) error { return nil })
	wantCode(t, err, fault.CodeVersionConflict)
	unchanged, err := b.Invoices().Update(b.ctx, s, inv.ID, 0, func(inv *invoice.Invoice) error {
		inv.Number = "Never"
		return invoice.ErrUnchanged
	})
	must(t, err)
	same(t, "what was left unchanged", unchanged, got)
	_, err = b.Invoices().Update(b.ctx, s, inv.ID, 0, func(*invoice.Invoice) error { return errStop })
	if err != errStop {
		t.Errorf("error %v", err)
	}
	again, err := b.Invoices().Get(b.ctx, s, inv.ID)
	must(t, err)
	same(t, "what a refused change left", again, got)
}

func testLines(t *testing.T, b *bench) {
	s := b.organization(t)
	const total = invoice.FirstLines + 50
	inv := b.invoice(t, b.document(t, b.entity(t, s)), func(inv *invoice.Invoice) {
		inv.Fields = map[string]invoice.Evidence{}
		for i := range total {
			inv.Lines = append(inv.Lines, invoice.Line{ID: newID(), Position: i + 1, Description: fmt.Sprint("line ", i)})
			inv.Fields[fmt.Sprintf("lines[%d]", i)] = invoice.Evidence{Source: invoice.FromXML, Confidence: 1}
			inv.Fields[fmt.Sprintf("lines[%d].description", i)] = invoice.Evidence{Source: invoice.FromXML, SourceText: fmt.Sprint(i)}
		}
	})
	got, err := b.Invoices().Get(b.ctx, s, inv.ID)
	must(t, err)
	if len(got.Lines) != invoice.FirstLines || got.LinesTotal != total || len(got.Fields) != 2*invoice.FirstLines {
		t.Errorf("%d lines of %d with %d pieces of evidence", len(got.Lines), got.LinesTotal, len(got.Fields))
	}
	read := func() (lines []invoice.Line) {
		for i, l := range pages(t, 70, func(p page.Request) (page.Of[invoice.ListedLine], error) {
			return b.Invoices().Lines(b.ctx, s, inv.ID, p)
		}) {
			if _, ok := l.Fields[fmt.Sprintf("lines[%d]", i)]; !ok && l.Description != "new" {
				t.Errorf("line %d is listed with the evidence %v", i, l.Fields)
			}
			lines = append(lines, l.Line)
		}
		return lines
	}
	if lines := read(); !reflect.DeepEqual(lines, inv.Lines) {
		t.Errorf("%d lines in pages, want %d", len(lines), total)
	}
	// A correction replaces one line in the middle; all others remain.
	changed, err := b.Invoices().Update(b.ctx, s, inv.ID, 0, func(inv *invoice.Invoice) error {
		if len(inv.Lines) != total || inv.Fields["lines[249].description"].SourceText != "249" {
			t.Errorf("a change saw %d lines and %d pieces of evidence", len(inv.Lines), len(inv.Fields))
		}
		inv.Lines = slices.Delete(inv.Lines, 3, 5)
		inv.Lines = append(inv.Lines, invoice.Line{Position: 9999, Description: "new"})
		return nil
	})
	must(t, err)
	if changed.LinesTotal != total-1 || len(changed.Lines) != invoice.FirstLines {
		t.Errorf("changed: %d of %d lines", len(changed.Lines), changed.LinesTotal)
	}
	lines := read()
	last := lines[len(lines)-1]
	if len(lines) != total-1 || lines[3].ID != inv.Lines[5].ID || last.Description != "new" || last.ID == uuid.Nil {
		t.Errorf("after the change: %d lines, the last %+v", len(lines), last)
	}
	_, err = b.Invoices().Lines(b.ctx, s, newID(), page.Request{})
	wantCode(t, err, fault.CodeNotFound)
}

func testDecimals(t *testing.T, b *bench) {
	s := b.organization(t)
	e := b.entity(t, s)
	for _, text := range []string{
		"0", "0.00", "-0.01", "10.50", "10.5000", "0.1", "0.3", "123456789012345.6789", "-999999999999999.9999",
		"922337203685477.5807", "922337203685477.5808", "900719925474099.3", "1.0000000001",
	} {
		d := money.MustParse(text)
		inv := b.invoice(t, b.document(t, e), func(inv *invoice.Invoice) {
			inv.NetTotal, inv.PrepaidTotal, inv.Lines = &d, &d, []invoice.Line{{ID: newID(), UnitPrice: &d}}
			inv.Taxes = []invoice.Tax{{Amount: &d}}
		})
		got, err := b.Invoices().Get(b.ctx, s, inv.ID)
		must(t, err)
		for where, n := range map[string]*money.Decimal{
			"column": got.NetTotal, "body": got.PrepaidTotal, "line": got.Lines[0].UnitPrice, "list in the body": got.Taxes[0].Amount,
		} {
			if n == nil || n.String() != text {
				t.Errorf("%s of the %s came back as %v", text, where, n)
			}
		}
	}
	// A value that the column cannot compare is not found and is not an error.
	for query, want := range map[string]int{"922337203685477.5807": 1, "922337203685477.5808": 0, "0.3": 1, "0.30": 1, "10.5": 2} {
		list, err := b.Invoices().List(b.ctx, s, invoice.Filter{Query: query}, invoice.Sort{}, page.Request{})
		must(t, err)
		if len(list.Items) != want {
			t.Errorf("search for %s: %d invoices, want %d", query, len(list.Items), want)
		}
	}
}

func testInvoiceFilters(t *testing.T, b *bench) {
	s := b.organization(t)
	e, other := b.entity(t, s), b.entity(t, s)
	gross := money.MustParse("1234.50")
	first := b.invoice(t, b.document(t, e, func(d *document.Document) { d.Filename = "Scan_100%.pdf" }), func(inv *invoice.Invoice) {
		inv.Number, inv.Seller.Name, inv.PurchaseOrder, inv.GrossTotal = "RE-2026/001", "Müller & Søn Straße GmbH", "PO_7", &gross
		inv.IssueDate, inv.DueDate, inv.Status = date("2026-01-10"), date("2026-02-10"), invoice.NeedsReview
	})
	second := b.invoice(t, b.document(t, other, func(d *document.Document) { d.Filename = "scan X100.pdf" }), func(inv *invoice.Invoice) {
		inv.Number, inv.Seller.Name, inv.IssueDate, inv.CreatedAt = "FA 9", "ŁÓDŹ Élan", date("2026-03-01"), b.at.Add(time.Hour)
	})
	for name, test := range map[string]struct {
		filter invoice.Filter
		want   string // numbers of first (1) and second (2), newest first
	}{
		"all":            {invoice.Filter{}, "21"},
		"entity":         {invoice.Filter{EntityID: e.ID}, "1"},
		"status":         {invoice.Filter{Statuses: []invoice.Status{invoice.NeedsReview}}, "1"},
		"statuses":       {invoice.Filter{Statuses: invoice.Statuses()}, "21"},
		"issued from":    {invoice.Filter{IssueDateFrom: date("2026-01-11")}, "2"},
		"issued on":      {invoice.Filter{IssueDateFrom: date("2026-01-10"), IssueDateTo: date("2026-01-10")}, "1"},
		"due from":       {invoice.Filter{DueDateFrom: date("2026-01-01")}, "1"},
		"due to":         {invoice.Filter{DueDateTo: date("2026-02-09")}, ""},
		"created from":   {invoice.Filter{CreatedFrom: b.at.Add(time.Hour)}, "2"},
		"created to":     {invoice.Filter{CreatedTo: b.at.Add(time.Hour)}, "1"},
		"number":         {invoice.Filter{Query: "re-2026/"}, "1"},
		"umlaut":         {invoice.Filter{Query: "MULLER"}, "1"},
		"sharp s":        {invoice.Filter{Query: "strasse"}, "1"},
		"accented query": {invoice.Filter{Query: "é lan"}, ""},
		"accents":        {invoice.Filter{Query: "elan"}, "2"},
		"stroke":         {invoice.Filter{Query: "lodz"}, "2"},
		"o with stroke":  {invoice.Filter{Query: "son"}, "1"},
		"purchase order": {invoice.Filter{Query: "po_7"}, "1"},
		"file name":      {invoice.Filter{Query: "SCAN"}, "21"},
		"no wildcard %":  {invoice.Filter{Query: "100%"}, "1"},
		"no wildcard _":  {invoice.Filter{Query: "n_1"}, "1"},
		"backslash":      {invoice.Filter{Query: `\`}, ""},
		"amount":         {invoice.Filter{Query: "1234.5"}, "1"},
		"amount, comma":  {invoice.Filter{Query: "1.234,50"}, "1"},
		"amount, groups": {invoice.Filter{Query: "1,234.50"}, "1"},
		"not a part":     {invoice.Filter{Query: "234.50"}, ""},
		"across values":  {invoice.Filter{Query: "gmbh po"}, ""},
		"white space":    {invoice.Filter{Query: " Fa   9 "}, "2"},
		"all together":   {invoice.Filter{EntityID: e.ID, Query: "muller", DueDateTo: date("2026-02-10")}, "1"},
	} {
		list, err := b.Invoices().List(b.ctx, s, test.filter, invoice.Sort{}, page.Request{})
		must(t, err)
		var got string
		for _, inv := range list.Items {
			got += map[uuid.UUID]string{first.ID: "1", second.ID: "2"}[inv.ID]
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func testHostileText(t *testing.T, b *bench) {
	s := b.organization(t)
	hostile := "a\x00b\xff'\"\\u0000\\" + strings.Repeat("ä", 5000)
	d := b.document(t, b.entity(t, s), func(d *document.Document) {
		d.Filename, d.Failure, d.SourcePath = hostile, &document.Failure{Message: hostile}, hostile
	})
	inv := b.invoice(t, d, func(inv *invoice.Invoice) {
		inv.Number, inv.Seller.Name, inv.Note, inv.Lines = hostile, hostile, hostile, []invoice.Line{{ID: newID(), Description: hostile}}
		inv.Fields = map[string]invoice.Evidence{hostile: {SourceText: hostile}}
	})
	got, err := b.Invoices().Get(b.ctx, s, inv.ID)
	must(t, err)
	want := strings.ReplaceAll(strings.ToValidUTF8(hostile, "\ufffd"), "\x00", "\ufffd")
	for where, text := range map[string]string{
		"number": got.Number, "seller": got.Seller.Name, "note": got.Note, "line": got.Lines[0].Description, "evidence": got.Fields[want].SourceText,
	} {
		if text != want {
			t.Errorf("%s came back as %.20q… of %d bytes", where, text, len(text))
		}
	}
	list, err := b.Invoices().List(b.ctx, s, invoice.Filter{Query: hostile[:13] + strings.Repeat("ä", 10)}, invoice.Sort{}, page.Request{})
	if err != nil || len(list.Items) != 1 {
		t.Errorf("search: %d, %v", len(list.Items), err)
	}
}

func date(text string) calendar.Date {
	d, err := calendar.Parse(text)
	if err != nil {
		panic(err)
	}
	return d
}
