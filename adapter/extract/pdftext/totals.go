package pdftext

import (
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
	"docledger/domain/money"
)

// stated is an amount with its label.
type stated struct {
	role   textrules.Role
	label  string // as printed, folded; "" for a row of a tax table
	weak   bool
	amount *amount
	seg    *segment // of the amount
	rate   *money.Decimal
	base   *amount // base of a tax, if its row has one
}

// totals are the amounts below and next to the table of lines.
type totals struct {
	rows []stated
}

var totalRoles = []textrules.Role{
	textrules.RoleNet, textrules.RoleSubtotal, textrules.RoleTax, textrules.RoleTaxTotal, textrules.RoleGross, textrules.RoleTotal, textrules.RoleDue,
	textrules.RolePrepaid, textrules.RolePrevious, textrules.RoleAllowance, textrules.RoleCharge,
}

// findTotals collects the labelled amounts outside the table of lines.
func (s *parsedDocument) findTotals() *totals {
	t := &totals{}
	for i, l := range s.lines {
		before := len(t.rows)
		for k, seg := range l.segments {
			if seg.used {
				continue
			}
			for m := range seg.labels {
				s.readTotal(t, i, k, m)
			}
		}
		if len(t.rows) == before {
			s.readRateRow(t, l)
		}
		s.readHeadedTotals(t, i)
	}
	return t
}

// readTotal reads the amount of one label: after it in its segment, in the segments
// to its right, or, for the amount due, below it.
func (s *parsedDocument) readTotal(t *totals, at, k, m int) {
	l := s.lines[at]
	seg := l.segments[k]
	label := seg.labels[m]
	role := label.Role
	if role == textrules.RoleDueDate && s.amountDueOn(seg, label) {
		role = textrules.RoleDue
	}
	if !slices.Contains(totalRoles, role) {
		return
	}
	found, rate := s.behind(seg, m)
	homes := make([]*segment, len(found))
	for i := range homes {
		homes[i] = seg
	}
	tax := role == textrules.RoleTax || role == textrules.RoleTaxTotal
	if (len(found) == 0 && !trailsOff(seg, label) || tax) && s.isLead(seg, m) {
		more, where, following := s.amountsAfter(l, k, rate)
		found, homes, rate = append(found, more...), append(homes, where...), following
	}
	if len(found) == 3 && !tax && found[0].value.Add(found[1].value).Equal(found[2].value) {
		for i, part := range []textrules.Role{textrules.RoleNet, textrules.RoleTaxTotal, textrules.RoleGross} {
			t.rows = append(t.rows, stated{role: part, weak: true, amount: found[i], seg: homes[i]})
		}
		return
	}
	if len(found) == 0 && !trailsOff(seg, label) && k == len(l.segments)-1 && s.isLead(seg, m) {
		found, homes = s.centred(at, seg)
	}
	if len(found) == 0 && (role == textrules.RoleDue || role == textrules.RoleGross) && len(seg.labels) == 1 {
		found, homes = s.below(at, seg)
	}
	if len(found) == 0 {
		return
	}
	if role == textrules.RoleTotal && netAndTax(found) {
		for i, part := range []textrules.Role{textrules.RoleSubtotal, textrules.RoleTaxTotal} {
			t.rows = append(t.rows, stated{role: part, weak: true, amount: found[i], seg: homes[i]})
		}
		return
	}
	last := len(found) - 1
	text := textrules.Fold(seg.text[seg.tokens[label.From].Start:seg.tokens[label.To-1].End])
	row := stated{role: role, label: text, weak: label.Weak, amount: found[last], seg: homes[last], rate: rate}
	if role == textrules.RoleTax || role == textrules.RoleTaxTotal {
		row.base = baseOf(found, rate)
	}
	t.rows = append(t.rows, row)
}

// netAndTax reports whether the two amounts of a row of totals can be net amount and
// tax: the second is a part of the first within the range of tax rates.
func netAndTax(found []*amount) bool {
	if len(found) != 2 || !found[0].showsMoney() || !found[1].showsMoney() {
		return false
	}
	net, tax := found[0].value, found[1].value
	return tax.Sign() > 0 && tax.Mul(money.FromInt(3)).Cmp(net) < 0
}

// isLead reports whether the amounts next to a segment belong to its m-th label: no
// earlier label of a total lacks an amount.
func (s *parsedDocument) isLead(seg *segment, m int) bool {
	for i := range seg.labels[:m] {
		if slices.Contains(totalRoles, seg.labels[i].Role) {
			if found, _ := s.behind(seg, i); len(found) == 0 {
				return false
			}
		}
	}
	return true
}

// amountDueOn reports whether a label of the due date is also that of the amount.
func (s *parsedDocument) amountDueOn(seg *segment, label textrules.Match) bool {
	return strings.Contains(textrules.Fold(seg.text[seg.tokens[label.From].Start:seg.tokens[label.To-1].End]), "amount due")
}

// trailsOff reports whether a text continues after its label, so that the following
// amounts have another meaning.
func trailsOff(seg *segment, label textrules.Match) bool {
	words := 0
	for i := range seg.amounts {
		if a := &seg.amounts[i]; !a.percent && seg.starts[a.from] >= seg.tokens[label.To-1].End {
			return true
		}
	}
	for _, t := range seg.tokens[label.To:] {
		if strings.ContainsFunc(t.Text, unicode.IsLetter) {
			words++
		}
	}
	const most = 4 // maximum words of an addition such as "incl. VAT in euro"
	return words > most
}

// behind returns the amounts after a label and before the next one, and the rate
// among them or directly before the label.
func (s *parsedDocument) behind(seg *segment, m int) (found []*amount, rate *money.Decimal) {
	label := seg.labels[m]
	from, to := seg.tokens[label.From].Start, len(seg.text)
	for _, next := range seg.labels[m+1:] {
		if slices.Contains(totalRoles, next.Role) {
			to = seg.tokens[next.From].Start
			break
		}
	}
	for i := range seg.amounts {
		a := &seg.amounts[i]
		at := seg.starts[a.from]
		switch {
		case a.percent && (m == 0 || at >= from) && at < to:
			v := a.value
			rate = &v
		case at >= from && at < to && a.isMoney() && !seg.within(a, label) && !seg.inSentence(a):
			found = append(found, a)
		}
	}
	return found, rate
}

// inSentence reports whether a word follows a number, so that it is not an amount of
// money: "balance at 30 days".
func (seg *segment) inSentence(a *amount) bool {
	if a.to >= len(seg.words) || len(a.currencies) > 0 {
		return false
	}
	at := seg.starts[a.to]
	for _, m := range seg.labels {
		if seg.tokens[m.From].Start == at {
			return false
		}
	}
	next := seg.words[a.to].text
	return strings.ContainsFunc(next, unicode.IsLetter) && !strings.HasPrefix(next, "(")
}

// within reports whether a number is part of the label.
func (seg *segment) within(a *amount, label textrules.Match) bool {
	return seg.starts[a.from] < seg.tokens[label.To-1].End
}

// amountsAfter returns the consecutive amounts in the segments after a segment.
func (s *parsedDocument) amountsAfter(l *line, k int, rate *money.Decimal) ([]*amount, []*segment, *money.Decimal) {
	var found []*amount
	var homes []*segment
	step := 1
	if l.right {
		step = -1
	}
	for i := k + step; i >= 0 && i < len(l.segments); i += step {
		seg := l.segments[i]
		if seg.wordy() || seg.used || strings.Contains(seg.text, "+") {
			break
		}
		for j := range seg.amounts {
			a := &seg.amounts[j]
			if a.percent {
				v := a.value
				rate = &v
			} else if a.isMoney() {
				found = append(found, a)
				homes = append(homes, seg)
			}
		}
	}
	return found, homes, rate
}

// wordy reports whether a segment contains letters other than currencies and amounts.
func (seg *segment) wordy() bool {
	taken := make([]bool, len(seg.words))
	for _, a := range seg.amounts {
		for i := a.from; i < a.to; i++ {
			taken[i] = true
		}
	}
	for i, w := range seg.words {
		if !taken[i] && strings.ContainsFunc(w.text, unicode.IsLetter) && textrules.Currencies(w.text) == nil {
			return true
		}
	}
	return false
}

// centred returns the amount to the right of a label that is alone in a line of its own, because it is
// centred next to a label of two lines.
func (s *parsedDocument) centred(at int, label *segment) ([]*amount, []*segment) {
	for i := max(at-1, 0); i <= at+1 && i < len(s.lines); i++ {
		l := s.lines[i]
		if i == at || l.page != label.page || len(l.segments) != 1 || l.y0 >= label.y1 || label.y0 >= l.y1 {
			continue
		}
		seg := l.segments[0]
		if seg.x0 > label.x1 && !seg.used && len(seg.amounts) == 1 && seg.amounts[0].isMoney() && seg.amounts[0].showsMoney() && !seg.wordy() {
			return []*amount{&seg.amounts[0]}, []*segment{seg}
		}
	}
	return nil, nil
}

// below returns the amount below a label, within a few lines.
func (s *parsedDocument) below(at int, label *segment) ([]*amount, []*segment) {
	for _, l := range s.lines[at+1:] {
		if l.page != label.page || l.y0-label.y1 > 6*s.height {
			break
		}
		for _, seg := range l.segments {
			if seg.x1 < label.x0 || seg.x0 > label.x1 || seg.used || textrules.Currencies(seg.text) != nil {
				continue // only a currency before the amount, as on a Swiss QR-bill
			}
			if len(seg.amounts) == 1 && seg.amounts[0].isMoney() && seg.amounts[0].showsMoney() && !seg.wordy() {
				return []*amount{&seg.amounts[0]}, []*segment{seg}
			}
			return nil, nil
		}
	}
	return nil, nil
}

var taxTolerance = money.MustParse("0.06")

// baseOf returns the taxable amount of a tax at a rate.
func baseOf(found []*amount, rate *money.Decimal) *amount {
	if len(found) < 2 || rate == nil {
		return nil
	}
	tax := found[len(found)-1]
	for _, a := range found[:len(found)-1] {
		if textrules.IsTaxOf(a.value, *rate, tax.value, taxTolerance) {
			return a
		}
	}
	return nil
}

// readRateRow reads a row of a tax table without a label: a rate, a base and the tax,
// and often their sum.
func (s *parsedDocument) readRateRow(t *totals, l *line) {
	var found []*amount
	var homes []*segment
	var rate *money.Decimal
	for _, seg := range l.segments {
		if seg.used {
			return
		}
		for i := range seg.amounts {
			a := &seg.amounts[i]
			if a.percent {
				v := a.value
				rate = &v
			} else if a.isMoney() {
				found, homes = append(found, a), append(homes, seg)
			}
		}
	}
	if len(found) < 2 || len(found) > 4 {
		return
	}
	for i := range found {
		for j := i + 1; j < len(found); j++ {
			base, tax := found[i], found[j]
			if rate == nil || !textrules.IsTaxOf(base.value, *rate, tax.value, taxTolerance) || tax.value.IsZero() != rate.IsZero() {
				continue
			}
			t.rows = append(t.rows, stated{role: textrules.RoleTax, amount: tax, seg: homes[j], rate: rate, base: base})
			for k := j + 1; k < len(found); k++ {
				if base.value.Add(tax.value).Equal(found[k].value) {
					t.rows = append(t.rows, stated{role: textrules.RoleTotal, weak: true, amount: found[k], seg: homes[k]})
				}
			}
			return
		}
	}
}
