package storetest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
	"docledger/domain/money"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// testInvoiceSorts reads each order in pages of two, for an administrator, for
// one entity and for a member of one restricted entity. Equal and missing values
// lose and repeat nothing.
func testInvoiceSorts(t *testing.T, b *bench) {
	s := b.organization(t)
	member := uuid.New()
	visible, hidden := b.entity(t, s, member), b.entity(t, s, uuid.New())
	var all []*invoice.Invoice
	for i, values := range []struct{ issued, due, gross string }{
		{"2026-03-01", "", "10.00"}, {"2026-03-01", "2026-04-01", ""}, {"", "2026-04-01", "10.00"}, {"", "", "-3.5"},
		{"1999-12-31", "2026-01-01", "10"}, {"2026-03-02", "2025-01-01", "99999999999.9999"}, {"2026-03-01", "2026-04-01", "10.0001"},
	} {
		e := visible
		if i == 1 || i == 4 {
			e = hidden
		}
		all = append(all, b.invoice(t, b.document(t, e), func(inv *invoice.Invoice) {
			if values.issued != "" {
				inv.IssueDate = date(values.issued)
			}
			inv.DueDate = inv.IssueDate
			if values.due != "" {
				inv.DueDate = date(values.due)
			}
			inv.GrossTotal = nil
			if values.gross != "" {
				gross := money.MustParse(values.gross)
				inv.GrossTotal = &gross
			}
			inv.UpdatedAt = b.at.Add(time.Duration(i%3) * time.Hour)
		}))
	}
	gross := func(inv *invoice.Invoice) money.Decimal {
		if inv.GrossTotal == nil {
			return money.MustParse("-99999999999999")
		}
		return *inv.GrossTotal
	}
	for by, compare := range map[invoice.SortKey]func(x, y *invoice.Invoice) int{
		invoice.SortByCreation:  func(x, y *invoice.Invoice) int { return 0 },
		invoice.SortByUpdate:    func(x, y *invoice.Invoice) int { return x.UpdatedAt.Compare(y.UpdatedAt) },
		invoice.SortByIssueDate: func(x, y *invoice.Invoice) int { return cmp.Compare(x.IssueDate.String(), y.IssueDate.String()) },
		invoice.SortByDueDate:   func(x, y *invoice.Invoice) int { return cmp.Compare(x.DueDate.String(), y.DueDate.String()) },
		invoice.SortByGross:     func(x, y *invoice.Invoice) int { return gross(x).Cmp(gross(y)) },
	} {
		sorted := slices.SortedFunc(slices.Values(all), func(x, y *invoice.Invoice) int {
			return cmp.Or(compare(x, y), cmp.Compare(x.ID.String(), y.ID.String()))
		})
		for name, reader := range map[string]struct {
			scope  identity.Scope
			entity uuid.UUID
		}{
			"organization": {s, uuid.Nil}, "entity": {s, visible.ID},
			"member": {identity.Scope{OrganizationID: s.OrganizationID, Member: member}, uuid.Nil},
		} {
			for _, ascending := range []bool{true, false} {
				var want, got []uuid.UUID
				for _, inv := range sorted {
					if name == "organization" || inv.EntityID == visible.ID {
						want = append(want, inv.ID)
					}
				}
				if !ascending {
					slices.Reverse(want)
				}
				for after := ""; ; {
					list, err := b.Invoices().List(b.ctx, reader.scope, invoice.Filter{EntityID: reader.entity},
						invoice.Sort{By: by, Ascending: ascending}, page.Request{Limit: 2, After: after})
					must(t, err)
					for _, inv := range list.Items {
						got = append(got, inv.ID)
					}
					if after = list.Next; after == "" || len(got) > len(all) {
						break
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s by %q, ascending %t: got %v, want %v", name, by, ascending, got, want)
				}
			}
		}
	}
}

// testInvoiceSelections filters by values of the invoice, its checks, its document and its sync.
func testInvoiceSelections(t *testing.T, b *bench) {
	s := b.organization(t)
	e, uploader := b.entity(t, s), uuid.New()
	low, high := money.MustParse("10.00"), money.MustParse("10.0001")
	first := b.invoice(t, b.document(t, e, func(d *document.Document) { d.Origin, d.CreatedBy = document.FromUpload, uploader }), func(inv *invoice.Invoice) {
		inv.Type, inv.Currency, inv.GrossTotal, inv.UpdatedAt = invoice.TypeCreditNote, "EUR", &low, b.at
		inv.Checks = []invoice.Check{{Rule: "tax_sum", Severity: invoice.Blocking}, {Rule: "gross_sum", Severity: invoice.Warning, Passed: true}}
	})
	second := b.invoice(t, b.document(t, e, func(d *document.Document) { d.Origin, d.CreatedBy = document.FromTrigger, uuid.Nil }), func(inv *invoice.Invoice) {
		inv.Type, inv.Currency, inv.GrossTotal, inv.UpdatedAt = invoice.TypeInvoice, "PLN", &high, b.at.Add(time.Minute)
		inv.Checks = []invoice.Check{{Rule: "sum", Severity: invoice.Warning}, {Rule: "sum", Severity: invoice.Warning}, {Rule: "taxasum", Severity: invoice.Blocking}}
	})
	third := b.invoice(t, b.document(t, e), func(inv *invoice.Invoice) {
		inv.Type, inv.Currency, inv.GrossTotal, inv.UpdatedAt = invoice.TypeCorrection, "CHF", nil, b.at.Add(-time.Minute)
		inv.Checks = []invoice.Check{{Rule: invoice.RuleNotADuplicate, Severity: invoice.Warning}}
	})
	yes, no := true, false
	sync := filled[ledgersync.Sync]()
	sync.State = invoice.SyncEnded
	b.put(t, s, second.ID, sync)
	for name, test := range map[string]struct {
		filter invoice.Filter
		want   string
	}{
		"type":              {invoice.Filter{Types: []invoice.Type{invoice.TypeCreditNote}}, "1"},
		"types":             {invoice.Filter{Types: []invoice.Type{invoice.TypeCreditNote, invoice.TypeInvoice}}, "21"},
		"currency":          {invoice.Filter{Currencies: []string{"PLN"}}, "2"},
		"at least":          {invoice.Filter{GrossMin: &high}, "2"},
		"at most":           {invoice.Filter{GrossMax: &low}, "1"},
		"both bounds":       {invoice.Filter{GrossMin: &low, GrossMax: &high}, "21"},
		"updated since":     {invoice.Filter{UpdatedSince: b.at.Add(time.Minute)}, "2"},
		"failed check":      {invoice.Filter{FailedChecks: []string{"tax_sum"}}, "1"}, // _ is not a wildcard
		"passed check":      {invoice.Filter{FailedChecks: []string{"gross_sum"}}, ""},
		"no part of a rule": {invoice.Filter{FailedChecks: []string{"sum"}}, "2"},
		"failed checks":     {invoice.Filter{FailedChecks: []string{"sum", "tax_sum"}}, "21"},
		"sync state":        {invoice.Filter{SyncStates: []invoice.SyncState{invoice.SyncEnded}}, "2"},
		"other sync state":  {invoice.Filter{SyncStates: []invoice.SyncState{invoice.SyncDone}}, ""},
		"source":            {invoice.Filter{Sources: []document.Origin{document.FromTrigger}}, "2"},
		"uploader":          {invoice.Filter{CreatedBy: uploader}, "1"},
		"all together": {invoice.Filter{
			CreatedBy: uploader, Sources: []document.Origin{document.FromUpload}, FailedChecks: []string{"tax_sum"}, Currencies: []string{"EUR"},
		}, "1"},
		"duplicate":      {invoice.Filter{HasDuplicate: &yes}, "3"},
		"no duplicate":   {invoice.Filter{HasDuplicate: &no}, "21"},
		"both, of a set": {invoice.Filter{HasDuplicate: &no, Currencies: []string{"EUR"}}, "1"},
	} {
		list, err := b.Invoices().List(b.ctx, s, test.filter, invoice.Sort{By: invoice.SortByUpdate}, page.Request{})
		must(t, err)
		var got string
		for _, inv := range list.Items {
			got += map[uuid.UUID]string{first.ID: "1", second.ID: "2", third.ID: "3"}[inv.ID]
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
	// A correction that makes a check pass ends the match.
	_, err := b.Invoices().Update(b.ctx, s, first.ID, 0, func(inv *invoice.Invoice) error { inv.Checks[0].Passed = true; return nil })
	must(t, err)
	list, err := b.Invoices().List(b.ctx, s, invoice.Filter{FailedChecks: []string{"tax_sum"}}, invoice.Sort{}, page.Request{})
	if err != nil || len(list.Items) != 0 {
		t.Errorf("a check that passes now: %d, %v", len(list.Items), err)
	}
}

// testLargeAmounts filters by amounts of 15 digits, which are compared exactly, and by bounds beyond
// every stored amount.
func testLargeAmounts(t *testing.T, b *bench) {
	s := b.organization(t)
	e := b.entity(t, s)
	amounts := []string{"899999999999999.9998", "899999999999999.9999", "-899999999999999.9999", "1.00"}
	for _, amount := range amounts {
		gross := money.MustParse(amount)
		b.invoice(t, b.document(t, e), func(inv *invoice.Invoice) { inv.GrossTotal = &gross })
	}
	b.invoice(t, b.document(t, e), func(inv *invoice.Invoice) { inv.GrossTotal = nil })
	for _, test := range []struct {
		least, most string
		want        int
	}{
		{"899999999999999.9998", "", 2},
		{"899999999999999.9999", "", 1},
		{"", "899999999999999.9998", 3},
		{"", "-899999999999999.9999", 1},
		{"-899999999999999.9998", "", 3},
		{"999999999999999.9999", "", 0},
		{"", "999999999999999.9999", 4},
		{"-999999999999999.9999", "", 4},
		{"", "-999999999999999.9999", 0},
		{"-999999999999999.9999", "999999999999999.9999", 4},
	} {
		var f invoice.Filter
		for text, bound := range map[string]**money.Decimal{test.least: &f.GrossMin, test.most: &f.GrossMax} {
			if text != "" {
				amount := money.MustParse(text)
				*bound = &amount
			}
		}
		list, err := b.Invoices().List(b.ctx, s, f, invoice.Sort{}, page.Request{Limit: 10})
		must(t, err)
		if len(list.Items) != test.want {
			t.Errorf("from %q to %q: %d invoices, want %d", test.least, test.most, len(list.Items), test.want)
		}
	}
}
