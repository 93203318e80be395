package pdftext

import (
	"slices"
	"strings"

	"docledger/domain/extraction/textrules"
)

// owner returns the parties of a document that prints two addresses without a label of a party, if only
// one of them states a tax identifier, an account or a contact: it is the seller's. Nothing else in the
// document may state a tax identifier or a contact, and no other name can be a party.
func (n *nameFacts) owner(sellers, buyers []*candidate) (seller, buyer *candidate) {
	if n.s.labelsBuyer() {
		return nil, nil
	}
	var heads []*candidate
	for _, c := range sellers {
		if hasDigit(c.value) && !textrules.IsCompany(c.value) || pureLabel(c.seg) || !n.heads(c) || n.repeated(c) {
			continue
		}
		if slices.ContainsFunc(heads, func(o *candidate) bool { return n.blocks[o.seg] == n.blocks[c.seg] }) {
			return nil, nil
		}
		if heads = append(heads, c); len(heads) > 2 {
			return nil, nil
		}
	}
	if len(heads) != 2 {
		return nil, nil
	}
	const own = statesTax | statesAccount | statesContact
	first, second := n.statedIn(heads[0])&own, n.statedIn(heads[1])&own
	switch {
	case first != 0 && second == 0:
		seller, buyer = heads[0], heads[1]
	case second != 0 && first == 0:
		seller, buyer = heads[1], heads[0]
	default:
		return nil, nil
	}
	if n.sectionOf(seller) != groupNone || n.sectionOf(buyer) != groupNone || n.statedOutside(n.blocks[seller.seg])&(statesTax|statesContact) != 0 {
		return nil, nil
	}
	at := slices.IndexFunc(buyers, func(c *candidate) bool { return c.key == buyer.key })
	if at < 0 || !n.onlyParties(seller, buyer, sellers) {
		return nil, nil
	}
	return seller, buyers[at]
}

// repeated reports whether the line below a name in its block contains it: the name is a brand.
func (n *nameFacts) repeated(c *candidate) bool {
	b, at := n.blocks[c.seg], n.index[c.seg]
	return b != nil && at+1 < len(b.segments) && strings.Contains(compact(b.segments[at+1].text), compact(c.value))
}

// statedIn returns what the block of a name states.
func (n *nameFacts) statedIn(c *candidate) int {
	out := 0
	for _, seg := range n.blocks[c.seg].segments {
		out |= statements(seg)
	}
	return out
}

// statedOutside returns what the document states outside a block and the lines of the invoice.
func (n *nameFacts) statedOutside(b *block) int {
	out := 0
	for _, seg := range n.s.segments {
		if !seg.used && n.blocks[seg] != b {
			out |= statements(seg)
		}
	}
	return out
}
