package invoice

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"docledger/domain/fault"

	"github.com/google/uuid"
)

// Correction is a person's change of an invoice, keyed by path. It changes only the values that it
// names; "" clears a value.
type Correction struct {
	Values            map[string]string // header values, by path of Fields
	Lines             []LineCorrection
	Taxes             *[]Tax // replaces the whole list; nil keeps it
	Allowances        *[]AllowanceCharge
	Charges           *[]AllowanceCharge
	PrecedingInvoices *[]Reference
}

// LineCorrection changes or removes the line with the given id. Without an id it appends a line.
type LineCorrection struct {
	ID      uuid.UUID
	Deleted bool
	Values  map[string]string // by path of LineFields
}

// Changed is one value that a correction changed.
type Changed struct{ Path, From, To string }

// Outcome describes the effect of a correction.
type Outcome struct {
	Changes   []Changed // in the order of paths
	Document  bool      // values of the document changed, not only the coding and the note
	Coding    bool      // the coding changed
	Bill      bool      // values that a bill depends on changed, not only the note and the id of another program
	Withdrawn bool      // an approval was withdrawn (domain D2)
}

// OnlyNote reports whether the correction changes only the note and the id of another program.
// They may change in any status, because no bill depends on them.
func (c Correction) OnlyNote() bool {
	for path := range c.Values {
		if billDependsOn(path) {
			return false
		}
	}
	return len(c.Values) > 0 && c.empty()
}

func billDependsOn(path string) bool { return path != "note" && path != "external_id" }

// codes reports whether a value belongs to the coding.
func codes(path string) bool {
	if _, field, ok := strings.Cut(path, "]."); ok {
		return LineFields[field].Coding
	}
	return Fields[path].Coding && billDependsOn(path)
}

func (c Correction) empty() bool {
	return len(c.Lines) == 0 && c.Taxes == nil && c.Allowances == nil && c.Charges == nil && c.PrecedingInvoices == nil
}

// Correct applies a correction. newID provides the ids of added lines. Correct returns ErrUnchanged
// if nothing changes. One fault names every wrong value; the invoice is then of no use.
func (inv *Invoice) Correct(c Correction, newID func() uuid.UUID) (out Outcome, err error) {
	if !c.OnlyNote() {
		if err := inv.allow("correct"); err != nil {
			return out, err
		}
	}
	var wrong fault.Fields
	for _, path := range slices.Sorted(maps.Keys(c.Values)) {
		f, ok := Fields[path]
		if !ok {
			wrong.Add(path, "cannot be changed")
			continue
		}
		from := f.Get(inv)
		if err := f.Set(inv, c.Values[path]); err != nil {
			if err := wrong.Take(err); err != nil {
				return out, err
			}
			continue
		}
		if to := f.Get(inv); to != from {
			out.Changes = append(out.Changes, Changed{path, from, to})
			inv.markHuman(path, from)
			out.Document = out.Document || !f.Coding
		}
	}
	lines, touched, err := inv.correctLines(c.Lines, newID)
	if err := errors.Join(wrong.Take(err), wrong.Err()); err != nil {
		return out, err
	}
	lists := inv.replaceLists(c)
	out.Changes = append(append(out.Changes, lines...), lists...)
	if len(out.Changes) == 0 {
		return out, ErrUnchanged
	}
	if touched {
		// The stated line total (BT-106) refers to the previous lines.
		inv.LineTotal = nil
	}
	out.Document = out.Document || touched || len(lists) > 0
	out.Bill = out.Document || slices.ContainsFunc(out.Changes, func(ch Changed) bool { return billDependsOn(ch.Path) })
	out.Coding = slices.ContainsFunc(out.Changes, func(ch Changed) bool { return codes(ch.Path) })
	if out.Document {
		out.Withdrawn = inv.WithdrawApproval()
	}
	return out, nil
}

// WithdrawApproval returns an approved invoice to review, and reports whether there was an approval.
func (inv *Invoice) WithdrawApproval() bool {
	if inv.Status != Approved && inv.Status != SyncFailed {
		return false
	}
	inv.Status, inv.Approval = NeedsReview, nil
	return true
}

// markHuman records that a person set the value. It keeps the first corrected value as the
// original.
func (inv *Invoice) markHuman(path, from string) {
	if inv.Fields == nil {
		inv.Fields = map[string]Evidence{}
	}
	e := Evidence{Source: ByHuman, Confidence: 1, Original: &from}
	if old, ok := inv.Fields[path]; ok && old.Source == ByHuman {
		e.Original = old.Original
	}
	inv.Fields[path] = e
}

// correctLines applies the changes of lines. document reports whether any value other than the
// coding changed.
func (inv *Invoice) correctLines(cs []LineCorrection, newID func() uuid.UUID) (changes []Changed, document bool, err error) {
	at := make(map[uuid.UUID]int, len(inv.Lines))
	for i, l := range inv.Lines {
		at[l.ID] = i
	}
	before, last := len(inv.Lines), inv.lastPosition()
	dropped := map[int]bool{}
	var wrong fault.Fields
	for n, c := range cs {
		where := fmt.Sprintf("lines[%d]", n)
		i, known := at[c.ID]
		switch {
		case c.ID == uuid.Nil && c.Deleted:
			wrong.Add(where+".id", "is required to remove a line")
			continue
		case c.ID == uuid.Nil:
			if len(inv.Lines)-len(dropped) >= MaxLines {
				wrong.Add(where, "would be one more than the %d lines that an invoice may have", MaxLines)
				return nil, false, wrong.Err()
			}
			last++
			i = len(inv.Lines)
			inv.Lines = append(inv.Lines, Line{ID: newID(), Position: last})
			document = true
		case !known || dropped[i]:
			wrong.Add(where+".id", "is not a line of this invoice")
			continue
		case c.Deleted:
			changes = append(changes, Changed{fmt.Sprintf("lines[%d]", i), inv.Lines[i].Description, ""})
			dropped[i], document = true, true
			continue
		}
		changed, touched, err := inv.correctLine(i, where, c.Values)
		if err := wrong.Take(err); err != nil {
			return nil, false, err
		}
		changes, document = append(changes, changed...), document || touched
	}
	if err := wrong.Err(); err != nil {
		return nil, false, err
	}
	if len(inv.Lines) != before || len(dropped) > 0 {
		inv.markHuman("lines", fmt.Sprint(before))
	}
	inv.dropLines(dropped)
	inv.LinesTotal = len(inv.Lines)
	return changes, document, nil
}

func (inv *Invoice) correctLine(at int, where string, values map[string]string) (changes []Changed, document bool, err error) {
	var wrong fault.Fields
	for _, path := range slices.Sorted(maps.Keys(values)) {
		f, ok := LineFields[path]
		if !ok {
			wrong.Add(where+"."+path, "cannot be changed")
			continue
		}
		line := &inv.Lines[at]
		from := f.Get(line)
		if err := f.Set(line, values[path]); err != nil {
			if fe, ok := fault.As(err); ok && len(fe.Fields) == 1 {
				wrong.Add(where+"."+path, "%s", fe.Fields[0].Reason)
				continue
			}
			return nil, false, err
		}
		if to := f.Get(line); to != from {
			full := fmt.Sprintf("lines[%d].%s", at, path)
			changes = append(changes, Changed{full, from, to})
			inv.markHuman(full, from)
			document = document || !f.Coding
		}
	}
	return changes, document, wrong.Err()
}

// Check returns the fault for the values that are wrong on any invoice.
func (c Correction) Check() error {
	var wrong fault.Fields
	var scratch Invoice
	for _, path := range slices.Sorted(maps.Keys(c.Values)) {
		if f, ok := Fields[path]; ok {
			if err := wrong.Take(f.Set(&scratch, c.Values[path])); err != nil {
				return err
			}
		}
	}
	scratch.Lines = make([]Line, 1)
	for n, line := range c.Lines {
		_, _, err := scratch.correctLine(0, fmt.Sprintf("lines[%d]", n), line.Values)
		if err := wrong.Take(err); err != nil {
			return err
		}
	}
	return wrong.Err()
}

func (inv *Invoice) lastPosition() int {
	last := 0
	for _, l := range inv.Lines {
		last = max(last, l.Position)
	}
	return last
}

// dropLines removes lines by index. It moves the evidence of the lines after them, because evidence
// paths contain the index.
func (inv *Invoice) dropLines(dropped map[int]bool) {
	if len(dropped) == 0 {
		return
	}
	to := make([]int, len(inv.Lines))
	kept := make([]Line, 0, len(inv.Lines)-len(dropped))
	for i, l := range inv.Lines {
		to[i] = -1
		if !dropped[i] {
			to[i] = len(kept)
			kept = append(kept, l)
		}
	}
	moved := make(map[string]Evidence, len(inv.Fields))
	for path, e := range inv.Fields {
		i, rest, ok := lineIndex(path)
		switch {
		case !ok || i >= len(to):
			moved[path] = e
		case to[i] >= 0:
			moved[fmt.Sprintf("lines[%d]%s", to[i], rest)] = e
		}
	}
	inv.Lines, inv.Fields = kept, moved
}

// lineIndex parses the index in a path such as lines[3].quantity, and returns the rest of the path.
func lineIndex(path string) (i int, rest string, ok bool) {
	after, ok := strings.CutPrefix(path, "lines[")
	if !ok {
		return 0, "", false
	}
	number, rest, ok := strings.Cut(after, "]")
	if !ok {
		return 0, "", false
	}
	i, err := strconv.Atoi(number)
	return i, rest, err == nil && i >= 0
}

func (inv *Invoice) replaceLists(c Correction) (changes []Changed) {
	note := func(path string, before, after int) {
		changes = append(changes, Changed{path, fmt.Sprint(before), fmt.Sprint(after)})
		inv.markHuman(path, fmt.Sprint(before))
	}
	if c.Taxes != nil && !slices.EqualFunc(inv.Taxes, *c.Taxes, equalTax) {
		note("taxes", len(inv.Taxes), len(*c.Taxes))
		inv.Taxes = *c.Taxes
	}
	if c.PrecedingInvoices != nil && !slices.Equal(inv.PrecedingInvoices, *c.PrecedingInvoices) {
		note("preceding_invoices", len(inv.PrecedingInvoices), len(*c.PrecedingInvoices))
		inv.PrecedingInvoices = *c.PrecedingInvoices
	}
	for _, kind := range []struct {
		path     string
		isCharge bool
		list     *[]AllowanceCharge
	}{{"allowances", false, c.Allowances}, {"charges", true, c.Charges}} {
		if kind.list == nil {
			continue
		}
		old, others := inv.splitAllowances(kind.isCharge)
		if slices.EqualFunc(old, *kind.list, equalAllowance) {
			continue
		}
		note(kind.path, len(old), len(*kind.list))
		if kind.isCharge {
			inv.ChargeTotal = nil
		} else {
			inv.AllowanceTotal = nil
		}
		inv.AllowancesCharges = append(others, *kind.list...)
	}
	return changes
}

func (inv *Invoice) splitAllowances(isCharge bool) (these, others []AllowanceCharge) {
	for _, a := range inv.AllowancesCharges {
		if a.IsCharge == isCharge {
			these = append(these, a)
		} else {
			others = append(others, a)
		}
	}
	return these, others
}

func equalTax(a, b Tax) bool {
	return a.Category == b.Category && Show(a.Rate) == Show(b.Rate) && Show(a.Base) == Show(b.Base) && Show(a.Amount) == Show(b.Amount)
}

func equalAllowance(a, b AllowanceCharge) bool {
	return a.Reason == b.Reason && a.ReasonCode == b.ReasonCode && a.TaxCategory == b.TaxCategory &&
		Show(a.Amount) == Show(b.Amount) && Show(a.Base) == Show(b.Base) &&
		Show(a.Percentage) == Show(b.Percentage) && Show(a.TaxRate) == Show(b.TaxRate)
}

// KeepHuman copies to inv every value that a person set in old, so that another extraction never
// overwrites it (domain D20). Lines are matched by position.
func (inv *Invoice) KeepHuman(old *Invoice) {
	for path, e := range old.Fields {
		if e.Source != ByHuman {
			continue
		}
		if f, ok := Fields[path]; ok {
			// A stored value is well-formed, so Set cannot fail.
			_ = f.Set(inv, f.Get(old))
			inv.Fields[path] = e
			continue
		}
		inv.keepHumanList(old, path, e)
	}
	inv.keepHumanLines(old)
	inv.ContactID, inv.PostingDate = old.ContactID, old.PostingDate
	inv.ExternalID, inv.AssignedTo = old.ExternalID, old.AssignedTo
}

func (inv *Invoice) keepHumanList(old *Invoice, path string, e Evidence) {
	switch path {
	case "taxes":
		inv.Taxes = old.Taxes
	case "preceding_invoices":
		inv.PrecedingInvoices = old.PrecedingInvoices
	case "allowances", "charges":
		these, _ := old.splitAllowances(path == "charges")
		_, others := inv.splitAllowances(path == "charges")
		inv.AllowancesCharges = append(others, these...)
	default:
		return
	}
	inv.Fields[path] = e
}

// keepHumanLines keeps all old lines if a person changed any of them. A mixture of corrected and
// new lines would match neither version of the document.
func (inv *Invoice) keepHumanLines(old *Invoice) {
	touched := false
	for path, e := range old.Fields {
		touched = touched || e.Source == ByHuman && strings.HasPrefix(path, "lines")
	}
	if !touched {
		for i := range min(len(inv.Lines), len(old.Lines)) {
			inv.Lines[i].ID = old.Lines[i].ID
		}
		return
	}
	maps.DeleteFunc(inv.Fields, func(path string, _ Evidence) bool { return strings.HasPrefix(path, "lines") })
	for path, e := range old.Fields {
		if strings.HasPrefix(path, "lines") {
			inv.Fields[path] = e
		}
	}
	inv.Lines, inv.LinesTotal = old.Lines, len(old.Lines)
}
