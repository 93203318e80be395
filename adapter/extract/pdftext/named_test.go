package pdftext

import (
	"slices"
	"testing"

	"docledger/domain/extraction"
)

// A reminder names the invoices that it reminds of.
func TestRemindersNameInvoices(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines []string
		want  []string
	}{
		"a label":              {[]string{"PAYMENT REMINDER", "Invoice number: RE-2026-17", "Customer no: 70042", "Amount due: 119.00 EUR"}, []string{"RE-2026-17"}},
		"only the word":        {[]string{"REMINDER", "Invoice No. 4711 of 3 May 2026"}, []string{"4711"}},
		"German":               {[]string{"Mahnung", "Rechnung Nr. 2026-0815 vom 03.05.2026"}, []string{"2026-0815"}},
		"a list of invoices":   {[]string{"Payment reminder", "50@Invoice number|250@Date|400@Amount", "50@A-1001|250@03.05.2026|400@119,00", "50@A-1002|250@04.05.2026|400@238,00", "Please pay soon"}, []string{"A-1001", "A-1002"}},
		"a list under a title": {[]string{"Payment reminder", "50@Invoice|250@Date|400@Amount", "50@A-1001|250@03.05.2026|400@119,00"}, []string{"A-1001"}},
		"a sentence":           {[]string{"Final reminder", "Our invoice A-1001 of 3 May 2026 over 119.00 EUR is still open."}, []string{"A-1001"}},
		"without labels":       {[]string{"Payment reminder", "We have no payment for A-1001 of 03.05.2026 yet.", "Open are 119.00 EUR."}, []string{"A-1001"}},
		"other labels":         {[]string{"Payment reminder", "Customer no: 70042", "Order no: 88123", "Tel. 0123456", "Still open: A-1001"}, []string{"A-1001"}},
		"nothing":              {[]string{"Payment reminder", "Please pay what is open since 2025."}, nil},
	} {
		s := parseDocument(texts(append([]string{"Maple Tools Ltd", "12 Oak Street"}, test.lines...)...))
		s.readAmounts()
		s.chooseTable()
		f := s.noInvoice()
		if f == nil || f.Kind != extraction.Reminder {
			t.Errorf("%s: %v, want a reminder", name, f)
			continue
		}
		if !slices.Equal(f.Numbers, test.want) {
			t.Errorf("%s: names %q, want %q", name, f.Numbers, test.want)
		}
	}
}

func TestTitlesAboveRemindersAreOfInvoices(t *testing.T) {
	t.Parallel()
	if f := parseDocument(texts("Maple Tools Ltd", "Invoice 7", "Reminder", "12 Oak Street")).noInvoice(); f != nil {
		t.Errorf("an invoice with a reminder below its title: %v", f)
	}
	if f := parseDocument(texts("Maple Tools Ltd", "Quote", "Invoice number: 7", "12 Oak Street")).noInvoice(); f != nil {
		t.Errorf("a number label below another title: %v", f)
	}
	large := texts("Maple Tools Ltd", "Reminder", "Invoice 7", "12 Oak Street")
	for i := range large[0].Words {
		if w := &large[0].Words[i]; w.Text == "Invoice" || w.Text == "7" {
			w.Box[1] -= 4.0 / 842
		}
	}
	if f := parseDocument(large).noInvoice(); f != nil {
		t.Errorf("an invoice in larger type: %v", f)
	}
}

// The number of texts that a reminder names is bounded.
func TestRemindersNameFewInvoices(t *testing.T) {
	t.Parallel()
	lines := []string{"Payment reminder"}
	for i := range 80 {
		lines = append(lines, "We wait for B"+string(rune('A'+i%26))+string(rune('A'+i/26))+"1001 now")
	}
	if f := parseDocument(texts(lines...)).noInvoice(); f == nil || len(f.Numbers) != extraction.MaxNumbers {
		t.Errorf("%v", f)
	}
}
