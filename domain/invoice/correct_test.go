package invoice_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"docledger/domain/fault"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

func two() *invoice.Invoice {
	gross, net := money.MustParse("119.00"), money.MustParse("100.00")
	return &invoice.Invoice{
		Status: invoice.Extracted, Version: 1,
		Content: invoice.Content{
			Type: invoice.TypeInvoice, Number: "A-1", Currency: "EUR", GrossTotal: &gross, NetTotal: &net, LineTotal: &net,
			Lines: []invoice.Line{{ID: uuid.New(), Position: 1, Description: "one"}, {ID: uuid.New(), Position: 2, Description: "two"}},
		},
		Fields: map[string]invoice.Evidence{
			"gross_total": {Source: invoice.FromXML, Confidence: 1},
			"lines[0]":    {Source: invoice.FromXML, SourceText: "first"},
			"lines[1]":    {Source: invoice.FromXML, SourceText: "second"},
		},
	}
}

func TestCorrectTellsWhatChanged(t *testing.T) {
	t.Parallel()
	inv := two()
	out, err := inv.Correct(invoice.Correction{Values: map[string]string{
		"gross_total": "120.00", "invoice_number": "A-1", "seller.address.city": "Lyon",
	}}, uuid.New)
	if err != nil || out.Withdrawn || !out.Document {
		t.Fatal(err, out)
	}
	want := []invoice.Changed{{Path: "gross_total", From: "119.00", To: "120.00"}, {Path: "seller.address.city", From: "", To: "Lyon"}}
	if !slices.Equal(out.Changes, want) {
		t.Errorf("changes are %v, want %v", out.Changes, want)
	}
	if e := inv.Fields["gross_total"]; e.Source != invoice.ByHuman || *e.Original != "119.00" {
		t.Errorf("evidence is %+v", e)
	}
	if _, err := inv.Correct(invoice.Correction{Values: map[string]string{"gross_total": "121"}}, uuid.New); err != nil {
		t.Fatal(err)
	}
	if e := inv.Fields["gross_total"]; *e.Original != "119.00" {
		t.Errorf("a second correction forgot the document's value: %s", *e.Original)
	}
	_, err = inv.Correct(invoice.Correction{Values: map[string]string{"gross_total": "121"}}, uuid.New)
	if !errors.Is(err, invoice.ErrUnchanged) {
		t.Errorf("no change is %v", err)
	}
}

func TestCorrectRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		correction invoice.Correction
		field      string
	}{
		"ImpossibleDate": {invoice.Correction{Values: map[string]string{"issue_date": "2026-02-30"}}, "issue_date"},
		"Word":           {invoice.Correction{Values: map[string]string{"gross_total": "many"}}, "gross_total"},
		"TooFine":        {invoice.Correction{Values: map[string]string{"gross_total": "1.00001"}}, "gross_total"},
		"TooLarge":       {invoice.Correction{Values: map[string]string{"gross_total": "1000000000000000"}}, "gross_total"},
		"ReadOnly":       {invoice.Correction{Values: map[string]string{"status": "APPROVED"}}, "status"},
		"UnknownLine":    {invoice.Correction{Lines: []invoice.LineCorrection{{ID: uuid.New(), Values: map[string]string{"unit": "h"}}}}, "lines[0].id"},
		"DeleteNothing":  {invoice.Correction{Lines: []invoice.LineCorrection{{Deleted: true}}}, "lines[0].id"},
		"LineNumber":     {invoice.Correction{Lines: []invoice.LineCorrection{{Values: map[string]string{"quantity": "x"}}}}, "lines[0].quantity"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := two().Correct(c.correction, uuid.New)
			f, ok := fault.As(err)
			if !ok || f.Kind != fault.Invalid || len(f.Fields) != 1 || f.Fields[0].Field != c.field {
				t.Errorf("the fault is %v, want one about %s", err, c.field)
			}
		})
	}
}

func TestCorrectLines(t *testing.T) {
	t.Parallel()
	inv := two()
	added := uuid.New()
	_, err := inv.Correct(invoice.Correction{Lines: []invoice.LineCorrection{
		{ID: inv.Lines[0].ID, Deleted: true},
		{Values: map[string]string{"description": "three", "net_amount": "7.00"}},
		{ID: inv.Lines[1].ID, Values: map[string]string{"account_id": "400"}},
	}}, func() uuid.UUID { return added })
	if err != nil {
		t.Fatal(err)
	}
	if len(inv.Lines) != 2 || inv.LinesTotal != 2 || inv.Lines[0].Description != "two" || inv.Lines[1].ID != added || inv.Lines[1].Position != 3 {
		t.Errorf("lines are %+v", inv.Lines)
	}
	if inv.Lines[0].AccountSource != invoice.CodedByHuman {
		t.Errorf("the account's source is %q", inv.Lines[0].AccountSource)
	}
	if inv.Fields["lines[0]"].SourceText != "second" {
		t.Errorf("evidence did not move with its line: %v", inv.Fields)
	}
	if inv.LineTotal != nil {
		t.Error("the stated sum of the old lines still applies to the new ones")
	}
}

func TestCorrectionsOfTheCoding(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{"note": false, "external_id": false, "invoice_number": false, "contact_id": true} {
		inv := two()
		out, err := inv.Correct(invoice.Correction{Values: map[string]string{path: "7"}}, uuid.New)
		if err != nil || out.Coding != want {
			t.Errorf("%s: %+v, %v; want %v", path, out, err, want)
		}
	}
	for path, want := range map[string]bool{"description": false, "account_id": true, "tax_rate_id": true} {
		inv := two()
		out, err := inv.Correct(invoice.Correction{Lines: []invoice.LineCorrection{{ID: inv.Lines[0].ID, Values: map[string]string{path: "7"}}}}, uuid.New)
		if err != nil || out.Coding != want {
			t.Errorf("a line's %s: %+v, %v; want %v", path, out, err, want)
		}
	}
}

func TestCorrectionAndApproval(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{"note": false, "contact_id": false, "invoice_number": true, "gross_total": true} {
		inv := two()
		if err := inv.Approve(uuid.New(), time.Now(), 1, nil); err != nil {
			t.Fatal(err)
		}
		out, err := inv.Correct(invoice.Correction{Values: map[string]string{path: "7"}}, uuid.New)
		if err != nil || out.Withdrawn != want || (inv.Approval == nil) != want {
			t.Errorf("%s: %+v, %v; want %v", path, out, err, want)
		}
	}
	rejected := two()
	if err := rejected.Reject(uuid.New(), time.Now(), "no"); err != nil {
		t.Fatal(err)
	}
	if _, err := rejected.Correct(invoice.Correction{Values: map[string]string{"note": "x"}}, uuid.New); err != nil {
		t.Errorf("a note on a rejected invoice: %v", err)
	}
	_, err := rejected.Correct(invoice.Correction{Values: map[string]string{"note": "y", "currency": "USD"}}, uuid.New)
	if fault.CodeOf(err) != fault.CodeConflict {
		t.Errorf("a currency on a rejected invoice: %v", err)
	}
}

// TestTransitions checks the transition table of domain D2.
func TestTransitions(t *testing.T) {
	t.Parallel()
	actions := map[string]func(*invoice.Invoice) error{
		"approve": func(i *invoice.Invoice) error { return i.Approve(uuid.New(), time.Now(), i.Version, nil) },
		"reject":  func(i *invoice.Invoice) error { return i.Reject(uuid.New(), time.Now(), "no") },
		"reopen":  func(i *invoice.Invoice) error { return i.Reopen() },
	}
	type outcome struct {
		to        invoice.Status
		unchanged bool
		conflict  bool
	}
	refused, same := outcome{conflict: true}, outcome{unchanged: true}
	want := map[invoice.Status]map[string]outcome{
		invoice.Extracted:   {"approve": {to: invoice.Approved}, "reject": {to: invoice.Rejected}, "reopen": refused},
		invoice.NeedsReview: {"approve": {to: invoice.Approved}, "reject": {to: invoice.Rejected}, "reopen": same},
		invoice.Approved:    {"approve": same, "reject": {to: invoice.Rejected}, "reopen": {to: invoice.NeedsReview}},
		invoice.Synced:      {"approve": refused, "reject": refused, "reopen": refused},
		invoice.SyncFailed:  {"approve": refused, "reject": {to: invoice.Rejected}, "reopen": {to: invoice.NeedsReview}},
		invoice.Rejected:    {"approve": refused, "reject": same, "reopen": {to: invoice.NeedsReview}},
	}
	for _, from := range invoice.Statuses() {
		for _, name := range slices.Sorted(maps.Keys(actions)) {
			inv := &invoice.Invoice{Status: from, Version: 3}
			err := actions[name](inv)
			got := outcome{unchanged: errors.Is(err, invoice.ErrUnchanged), conflict: fault.CodeOf(err) == fault.CodeConflict}
			if err == nil {
				got.to = inv.Status
			}
			if got != want[from][name] {
				t.Errorf("%s from %s: %+v, want %+v", name, from, got, want[from][name])
			}
			if f, ok := fault.As(err); ok && (f.Details["status"] != string(from) || f.Details["allowed"] == nil) {
				t.Errorf("%s from %s does not list the allowed actions: %v", name, from, f.Details)
			}
		}
	}
}

func TestKeepHuman(t *testing.T) {
	t.Parallel()
	old := two()
	if _, err := old.Correct(invoice.Correction{Values: map[string]string{"seller.name": "Right", "contact_id": "c-1", "external_id": "order-1"}}, uuid.New); err != nil {
		t.Fatal(err)
	}
	old.AssignedTo = uuid.New()
	fresh := two()
	fresh.ExternalID = "of the document"
	fresh.Number = "A-2"
	fresh.KeepHuman(old)
	if fresh.Seller.Name != "Right" || fresh.Number != "A-2" || fresh.ContactID != "c-1" || fresh.Lines[0].ID != old.Lines[0].ID {
		t.Errorf("kept %+v", fresh)
	}
	if fresh.ExternalID != "order-1" || fresh.AssignedTo != old.AssignedTo {
		t.Errorf("external id %q, assigned to %s", fresh.ExternalID, fresh.AssignedTo)
	}
	if _, err := old.Correct(invoice.Correction{Lines: []invoice.LineCorrection{{ID: old.Lines[0].ID, Deleted: true}}}, uuid.New); err != nil {
		t.Fatal(err)
	}
	again := two()
	again.KeepHuman(old)
	if len(again.Lines) != 1 || again.Lines[0].Description != "two" {
		t.Errorf("a removed line came back: %+v", again.Lines)
	}
}

// BenchmarkDeleteLines removes half of the maximum number of lines of an invoice.
func BenchmarkDeleteLines(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		inv := &invoice.Invoice{Status: invoice.Extracted, Fields: map[string]invoice.Evidence{}}
		var c invoice.Correction
		for i := range invoice.MaxLines {
			l := invoice.Line{ID: uuid.New(), Position: i + 1}
			inv.Lines = append(inv.Lines, l)
			inv.Fields[fmt.Sprintf("lines[%d]", i)] = invoice.Evidence{Source: invoice.FromXML}
			if i%2 == 0 {
				c.Lines = append(c.Lines, invoice.LineCorrection{ID: l.ID, Deleted: true})
			}
		}
		b.StartTimer()
		if _, err := inv.Correct(c, uuid.New); err != nil || len(inv.Lines) != invoice.MaxLines/2 {
			b.Fatal(err)
		}
	}
}

// TestOneFaultNamesEveryWrongValue expects the wrong values of the header and of each
// line in one fault, by their paths in the request.
func TestOneFaultNamesEveryWrongValue(t *testing.T) {
	t.Parallel()
	inv := two()
	c := invoice.Correction{
		Values: map[string]string{"gross_total": "x", "issue_date": "2026-02-30", "note": "good", "document_type": "LETTER"},
		Lines: []invoice.LineCorrection{
			{ID: inv.Lines[0].ID, Values: map[string]string{"quantity": "many", "unit": "C62", "net_amount": "1,0"}},
			{ID: uuid.New(), Values: map[string]string{"unit": "C62"}}, {Deleted: true},
		},
	}
	for what, run := range map[string]struct {
		err  error
		want []string
	}{
		"of the invoice": {func() error { _, err := inv.Correct(c, uuid.New); return err }(), []string{
			"document_type", "gross_total", "issue_date", "lines[0].net_amount", "lines[0].quantity", "lines[1].id", "lines[2].id",
		}},
		"of any invoice": {c.Check(), []string{"document_type", "gross_total", "issue_date", "lines[0].net_amount", "lines[0].quantity"}},
	} {
		f, ok := fault.As(run.err)
		if !ok {
			t.Fatalf("%s: %v", what, run.err)
		}
		var named []string
		for _, field := range f.Fields {
			named = append(named, field.Field)
		}
		if !slices.Equal(named, run.want) {
			t.Errorf("%s: %v, want %v", what, named, run.want)
		}
	}
	if err := (invoice.Correction{Values: map[string]string{"note": "good"}}).Check(); err != nil {
		t.Errorf("a good correction: %v", err)
	}
}
