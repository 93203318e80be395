package pdftext

import (
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
)

// group is the meaning of a label for the values next to it.
type group int

const (
	groupNone group = iota
	groupNumber
	groupWeakNumber
	groupTitle
	groupIssue
	groupDate
	groupDue
	groupDelivery
	groupOtherDate
	groupOrder
	groupTaxID
	groupBuyerTaxID
	groupRegistration
	groupAccount
	groupSeller
	groupBuyer
	groupOtherParty
	groupName
	groupAddress
	groupContact
	groupTotal
	groupTerms
	groupOther
	groups // number of groups
)

var groupNames = [groups]string{
	"none", "number", "weak_number", "title", "issue", "date", "due", "delivery", "other_date", "order", "tax_id", "buyer_tax_id", "registration",
	"account", "seller", "buyer", "other_party", "name", "address", "contact", "total", "terms", "other",
}

func groupOf(l textrules.Label) group {
	switch l.Role {
	case textrules.RoleNumber:
		if l.Weak {
			return groupWeakNumber
		}
		return groupNumber
	case textrules.RoleTitle, textrules.RoleCreditTitle:
		return groupTitle
	case textrules.RoleIssueDate:
		return groupIssue
	case textrules.RoleDate:
		return groupDate
	case textrules.RoleDueDate:
		return groupDue
	case textrules.RoleDelivery:
		return groupDelivery
	case textrules.RoleOtherDate:
		return groupOtherDate
	case textrules.RoleOrder:
		return groupOrder
	case textrules.RoleTaxID:
		return groupTaxID
	case textrules.RoleBuyerTaxID:
		return groupBuyerTaxID
	case textrules.RoleRegistration, textrules.RoleNationalTaxID:
		return groupRegistration
	case textrules.RoleIBAN, textrules.RoleBIC, textrules.RoleBank, textrules.RoleReference:
		return groupAccount
	case textrules.RoleSeller, textrules.RolePayee:
		return groupSeller
	case textrules.RoleBuyer:
		return groupBuyer
	case textrules.RoleOtherParty:
		return groupOtherParty
	case textrules.RoleName:
		return groupName
	case textrules.RoleAddress:
		return groupAddress
	case textrules.RoleContact:
		return groupContact
	case textrules.RoleTerms:
		return groupTerms
	case textrules.RoleOtherNumber, textrules.RoleSeries:
		return groupOther
	}
	return groupTotal
}

// tag is a label with its position relative to a value.
type tag struct {
	group    group
	weak     bool
	pure     bool    // its segment contains only the label
	distance float64 // in words within a line, in line heights across lines
}

// surroundings are the labels near a value.
type surroundings struct {
	same, left, above, below tag
	next                     tag // the second label above, for columns of values
	after                    tag // in the same segment
	firstInSegment           bool
}

// around finds the labels near the bytes from start to end of a segment.
func (s *parsedDocument) around(seg *segment, start, end int) surroundings {
	var out surroundings
	out.firstInSegment = strings.Trim(seg.text[:start], " :#.-(") == ""
	for m := len(seg.labels) - 1; m >= 0; m-- {
		label := seg.labels[m]
		if at := seg.tokens[label.To-1].End; at <= start {
			between := 0
			for _, t := range seg.tokens[label.To:] {
				if t.End <= start && len(t.Text) > 1 {
					between++
				}
			}
			out.same = tag{groupOf(label.Label), label.Weak, false, float64(between)}
			break
		}
	}
	for _, label := range seg.labels {
		if at := seg.tokens[label.From].Start; at >= end {
			out.after = tag{groupOf(label.Label), label.Weak, false, float64(at - end)}
			break
		}
	}
	l := s.lines[seg.line]
	if out.firstInSegment {
		out.left = s.tagLeft(l, seg)
	}
	out.above, out.next = s.tagsAbove(seg, start, end)
	out.below = s.tagBelow(seg)
	return out
}

// tagLeft returns the label of the preceding segment in the line.
func (s *parsedDocument) tagLeft(l *line, seg *segment) tag {
	at := seg.at
	step := -1
	if l.right {
		step = 1
	}
	for i, skipped := at+step, 0; i >= 0 && i < len(l.segments); i += step {
		b := l.segments[i]
		if len(b.labels) > 0 {
			last := b.labels[len(b.labels)-1]
			if hasDigit(b.text) && len(b.amounts)+len(b.dates) > 0 && b.labels[0].From > 0 {
				return tag{}
			}
			gap := max(seg.x0-b.x1, b.x0-seg.x1) / s.height
			t := tag{groupOf(last.Label), last.Weak, pureLabel(b), gap}
			if rest := len(b.tokens) - last.To; rest > 2 {
				return tag{}
			}
			return t
		}
		if skipped++; skipped > 1 || !isFiller(b.text) {
			return tag{}
		}
	}
	return tag{}
}

// pureLabel reports whether a segment contains labels and little else.
func pureLabel(seg *segment) bool {
	if seg.pure == 0 {
		seg.pure = -1
		if isPureLabel(seg) {
			seg.pure = 1
		}
	}
	return seg.pure > 0
}

func isPureLabel(seg *segment) bool {
	covered := 0
	for _, m := range seg.labels {
		covered += m.To - m.From
	}
	letters := 0
	for _, t := range seg.tokens {
		if strings.ContainsFunc(t.Text, unicode.IsLetter) {
			letters++
		}
	}
	return covered > 0 && covered*2 >= letters && !hasDigit(seg.text)
}

// maxReach is the maximum distance of a label above a value, in character heights.
const maxReach = 9

// tagsAbove returns the labels of the nearest segments above a value that are not
// values.
func (s *parsedDocument) tagsAbove(seg *segment, start, end int) (first, second tag) {
	x0, x1 := seg.span(start, max(end, start+1))
	if x0 > x1 {
		x0, x1 = seg.x0, seg.x1
	}
	seen := 0
	for i := seg.line - 1; i >= 0 && seen < 4; i-- {
		l := s.lines[i]
		if l.page != seg.page || seg.y0-l.y1 > maxReach*s.height {
			break
		}
		for _, a := range l.segments {
			if a.x1 < x0-s.height/2 || a.x0 > x1+s.height/2 {
				continue
			}
			seen++
			distance := (seg.y0 - a.y1) / s.height
			if len(a.labels) == 0 || !pureLabel(a) {
				distance += 100
			}
			t := tag{distance: distance, pure: pureLabel(a)}
			if len(a.labels) > 0 {
				t.group, t.weak = groupOf(a.labels[len(a.labels)-1].Label), a.labels[0].Weak
			}
			if seen == 1 {
				first = t
				continue
			}
			if t.pure && t.group != groupNone {
				return first, t
			}
		}
	}
	return first, second
}

// tagBelow returns the label directly below a value.
func (s *parsedDocument) tagBelow(seg *segment) tag {
	for i := seg.line + 1; i < len(s.lines) && i <= seg.line+2; i++ {
		l := s.lines[i]
		if l.page != seg.page || l.y0-seg.y1 > 2.5*s.height {
			break
		}
		for _, b := range l.segments {
			if b.x1 < seg.x0 || b.x0 > seg.x1 {
				continue
			}
			if len(b.labels) > 0 && pureLabel(b) {
				return tag{groupOf(b.labels[0].Label), b.labels[0].Weak, true, (b.y0 - seg.y1) / s.height}
			}
			return tag{}
		}
	}
	return tag{}
}

// addLabels adds features of the labels near a value: labels of the wanted groups, of
// other groups, or none.
func (f *features) addLabels(at surroundings, kinds ...group) {
	f.addSide("same", at.same, kinds)
	f.addSide("left", at.left, kinds)
	f.addSide("above", at.above, kinds)
	f.addSide("next", at.next, kinds)
	f.addSide("below", at.below, kinds)
	for _, k := range kinds {
		f.add(f.joined("near_", groupNames[k]), at.nearness(k))
	}
	f.flag("first_in_segment", at.firstInSegment)
}

// nearness returns how closely a label of a group belongs to the value, from 0 to 1,
// at any side.
func (at *surroundings) nearness(g group) float64 {
	best := 0.0
	for i, t := range []tag{at.same, at.left, at.above, at.next} {
		if t.group != g {
			continue
		}
		strength := []float64{1, 0.95, 0.9, 0.5}[i]
		switch {
		case t.distance >= 100:
			strength = 0.2 // a sentence above
		case i == 0 && t.distance > 0:
			strength -= 0.1 * min(t.distance, 5)
		case i >= 2:
			strength -= 0.05 * min(t.distance, 8)
		}
		if t.weak {
			strength *= 0.6
		}
		best = max(best, strength)
	}
	return best
}

func (f *features) addSide(side string, t tag, kinds []group) {
	other := t.group != groupNone
	for _, k := range kinds {
		f.flag(f.joined(side, "_", groupNames[k]), t.group == k)
		other = other && t.group != k
	}
	f.flag(f.joined(side, "_other"), other)
	f.flag(f.joined(side, "_weak"), t.weak)
	f.flag(f.joined(side, "_pure"), t.pure)
	f.add(f.joined(side, "_distance"), min(t.distance, 200))
}

// addPlace adds the position of a segment.
func (f *features) addPlace(s *parsedDocument, seg *segment) {
	size := s.sizes[seg.page]
	f.add("page", float64(min(seg.page, 4)))
	f.add("y", seg.y0/max(size[1], 1))
	f.add("x", (seg.x0+seg.x1)/2/max(size[0], 1))
	f.add("height", (seg.y1-seg.y0)/max(s.height, 1))
	f.add("line", float64(min(seg.line, 60)))
	f.flag("used", seg.used)
	f.add("words", float64(min(len(seg.words), 30)))
	f.add("side_by_side", float64(min(len(s.lines[seg.line].segments), 6)))
}
