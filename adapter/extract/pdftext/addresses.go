package pdftext

import (
	"slices"
	"strings"

	"docledger/domain/extraction/textrules"
)

// onlyParties reports whether no other name than two can be a party: each is the only name of
// its own address, no other address is printed, and no other company is named.
func (n *nameFacts) onlyParties(seller, buyer *candidate, all []*candidate) bool {
	a, b := n.blocks[seller.seg], n.blocks[buyer.seg]
	if a == nil || b == nil || a == b || !n.heads(seller) || !n.heads(buyer) {
		return false
	}
	texts := n.textOf(a) + "\n" + n.textOf(b)
	for _, seg := range n.s.segments {
		if seg.used || !seg.hasPostcode() || !seg.statesPlace() || n.blocks[seg] == a || n.blocks[seg] == b {
			continue
		}
		// A line with the seller's name is its imprint or the line above the address of a window.
		if text := compact(seg.text); !strings.Contains(texts, text) && !strings.Contains(text, compact(seller.value)) {
			return false
		}
	}
	return !n.anyOther(seller, buyer, all, func(o *candidate) bool { return textrules.IsCompany(o.value) && !hasDigit(o.value) || n.labelled(o) })
}

// accountForm matches the beginning of an IBAN in groups.
var accountForm = textrules.MustPattern(`^[A-Z]{2}\d{2} [A-Z\d]{4} [A-Z\d]{4}`)

// statesPlace reports whether a text with a number that can be a post code is more than an identifier or
// a date.
func (seg *segment) statesPlace() bool {
	const few = 3 // words of a label and its number
	money := slices.ContainsFunc(seg.amounts, func(a amount) bool { return a.showsMoney() })
	return len(seg.words) > 1 && len(seg.dates) == 0 && !money && !accountForm.MatchString(seg.text) && textrules.KindOf(seg.text) == "" && !slices.ContainsFunc(seg.labels, func(m textrules.Match) bool {
		switch m.Role {
		case textrules.RoleIBAN, textrules.RoleBIC, textrules.RoleNumber, textrules.RoleOrder, textrules.RoleReference, textrules.RoleContact, textrules.RoleRegistration, textrules.RoleTitle:
			return true
		case textrules.RoleOtherNumber:
			return m.From == 0 || len(seg.words) <= few
		}
		return false
	})
}

// heads reports whether a name is a whole line above the lines of the invoice, begins an address, and is
// followed by a street or a post code.
func (n *nameFacts) heads(c *candidate) bool {
	b, at := n.blocks[c.seg], n.index[c.seg]
	if c.from > 0 || c.to < len(c.seg.words) || n.below(c) || isStreet(c) || !n.hasAddress(c) || !hasDigit(b.segments[at+1].text) || n.continues(c.seg) {
		return false
	}
	return at == 0 || b.segments[at-1].onlyLabels() || b.segments[at-1].hasPostcode() // below the line of the sender
}

// onlyLabels reports whether a text consists of labels: "Hotel Edelweiss" contains one.
func (seg *segment) onlyLabels() bool {
	covered := 0
	for _, m := range seg.labels {
		covered += m.To - m.From
	}
	return covered > 0 && covered == len(seg.tokens)
}

// continues reports whether another text follows a text closely in its line.
func (n *nameFacts) continues(seg *segment) bool {
	const near = 2.5
	return slices.ContainsFunc(n.s.lines[seg.line].segments, func(o *segment) bool {
		return o.x0 >= seg.x1 && o.x0-seg.x1 < near*n.s.height
	})
}

// textOf returns the text of a block, folded and without spaces.
func (n *nameFacts) textOf(b *block) string {
	var out strings.Builder
	for _, seg := range b.segments {
		out.WriteString(compact(seg.text))
		out.WriteByte('\n')
	}
	return out.String()
}
