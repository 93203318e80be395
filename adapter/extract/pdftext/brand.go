package pdftext

import (
	"slices"
	"strings"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// leastComplete is the minimum probability of a complete name that the beginning of the name is added to.
const leastComplete = 0.0005

// completeBrands adds the probability of a brand to the complete name that begins with it: a letterhead
// often has only the first words of the seller's name in large type. If several names begin with it, a
// person decides.
func (n *nameFacts) completeBrands(sellers []*candidate) {
	for _, brand := range slices.Clone(sellers) {
		if brand.p < leastComplete || hasDigit(brand.value) || textrules.IsCompany(brand.value) {
			continue
		}
		var full *candidate
		several := false
		for _, o := range sellers {
			switch {
			case o == brand || o.p < leastComplete || !n.completes(o, brand):
			case full == nil || strings.HasPrefix(full.key, o.key):
				full = o
			case !strings.HasPrefix(o.key, full.key):
				several = true
			}
		}
		if full != nil {
			full.absorb(brand)
			full.assumed = several
		}
	}
	sortByProbability(sellers)
}

// completes reports whether a name continues a brand and is complete: it has a legal form, or an address
// that is not the brand's, and it is not in the section of another party.
func (n *nameFacts) completes(full, brand *candidate) bool {
	if !strings.HasPrefix(full.key, brand.key) {
		return false
	}
	words, first := strings.Fields(full.value), strings.Fields(brand.value)
	if len(first) >= len(words) || invoice.FoldName(strings.Join(words[:len(first)], " ")) != brand.key || hasDigit(full.value) || separators.MatchString(full.value) {
		return false
	}
	if !textrules.IsCompany(full.value) && (namesStreet(full.value) || !n.hasAddress(full) || n.hasAddress(brand) && !n.follows(full, brand)) {
		return false
	}
	section := n.sectionOf(full)
	return section != groupBuyer && section != groupOtherParty
}

// follows reports whether a name is printed directly below another one in its block.
func (n *nameFacts) follows(c, above *candidate) bool {
	b := n.blocks[above.seg]
	return b != nil && slices.ContainsFunc(append([]*segment{c.seg}, c.again...), func(seg *segment) bool {
		return n.blocks[seg] == b && n.index[seg] == n.index[above.seg]+1
	})
}
