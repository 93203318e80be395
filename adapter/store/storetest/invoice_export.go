package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// testExport exports more invoices than are read at a time, with and without lines.
func testExport(t *testing.T, b *bench) {
	s := b.organization(t)
	e := b.entity(t, s)
	amount := func(text string) *money.Decimal { d := money.MustParse(text); return &d }
	var want []uuid.UUID
	for n := range 12 {
		inv := b.invoice(t, b.document(t, e))
		changed, err := b.Invoices().Update(b.ctx, s, inv.ID, 0, func(inv *invoice.Invoice) error {
			inv.Lines = nil
			for range 1500 { // more than exports read at a time
				inv.Lines = append(inv.Lines, invoice.Line{Position: len(inv.Lines) + 1, Description: fmt.Sprint(n)})
			}
			rate := amount("19")
			inv.Taxes = []invoice.Tax{{Category: "S", Rate: rate, Base: amount("100"), Amount: amount("19.005")}}
			inv.ExternalID = fmt.Sprint("x", n)
			return nil
		})
		must(t, err)
		want = append(want, changed.ID)
	}
	slices.SortFunc(want, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	all := func(f invoice.Filter, rows invoice.ExportRows) (ids []uuid.UUID, found []invoice.Exported) {
		t.Helper()
		must(t, b.Invoices().Export(b.ctx, s, f, rows, time.Minute, func(page []invoice.Exported) error {
			for _, x := range page {
				ids = append(ids, x.ID)
			}
			found = append(found, page...)
			return nil
		}))
		return ids, found
	}
	for _, rows := range []invoice.ExportRows{invoice.ExportInvoices, invoice.ExportLines, invoice.ExportTaxes} {
		ids, found := all(invoice.Filter{}, rows)
		if !slices.Equal(ids, want) {
			t.Fatalf("%s: %v, want %v", rows, ids, want)
		}
		for _, x := range found {
			if rows == invoice.ExportLines && (len(x.Lines) != 1500 || x.Lines[1499].Position != 1500) || rows != invoice.ExportLines && x.Lines != nil {
				t.Errorf("%s: %d lines", rows, len(x.Lines))
			}
			if taxes := x.Taxes; rows == invoice.ExportTaxes && (len(taxes) != 1 || invoice.Show(taxes[0].Amount) != "19.005" || invoice.Show(taxes[0].Base) != "100.00") {
				t.Errorf("taxes: %+v", taxes)
			}
		}
	}
	if ids, found := all(invoice.Filter{ExternalIDs: []string{"x3"}}, invoice.ExportInvoices); len(ids) != 1 || found[0].ExternalID != "x3" {
		t.Errorf("by external id: %v", ids)
	}
	ended := errors.New("ended")
	visits := 0
	err := b.Invoices().Export(b.ctx, s, invoice.Filter{}, invoice.ExportLines, time.Minute, func([]invoice.Exported) error {
		visits++
		// The export holds no connection, so that a pool of one suffices.
		_, err := b.Invoices().Get(b.ctx, s, want[0])
		must(t, err)
		if visits == 2 {
			return ended
		}
		return nil
	})
	if !errors.Is(err, ended) || visits != 2 {
		t.Errorf("%d visits, then %v", visits, err)
	}
	err = b.Invoices().Export(b.ctx, s, invoice.Filter{}, invoice.ExportInvoices, time.Nanosecond, func([]invoice.Exported) error {
		t.Error("a read after its time limit has a result")
		return nil
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a read ended with %v, want its time limit", err)
	}
	other := b.organization(t)
	must(t, b.Invoices().Export(b.ctx, other, invoice.Filter{}, invoice.ExportInvoices, time.Minute, func([]invoice.Exported) error {
		t.Error("another organization exports them")
		return nil
	}))
}
