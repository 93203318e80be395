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
// often has only the first words of the seller's name in large type. If several names begin with it, or the
// brand alone has the address, a person decides.
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
			full.assumed = full.assumed || several || n.elsewhere(full, brand)
			full.absorb(brand)
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

// elsewhere reports whether a brand has an address and the complete name has none or another one: another
// company of the same group, such as one that receives the payment, also begins with the brand.
func (n *nameFacts) elsewhere(full, brand *candidate) bool {
	if n.follows(full, brand) {
		return false
	}
	here, there := n.postcodes(brand), n.postcodes(full)
	return len(here) > 0 && !slices.ContainsFunc(there, func(code string) bool { return slices.Contains(here, code) })
}

// postcodes returns what can be post codes in the line of a name and in the lines below it in its block.
func (n *nameFacts) postcodes(c *candidate) []string {
	texts := []string{strings.Join(wordsFrom(c.seg, c.to), " ")}
	if b := n.blocks[c.seg]; b != nil {
		at := n.index[c.seg] + 1
		for _, seg := range b.segments[at:min(at+linesOfAddress, len(b.segments))] {
			if len(seg.dates) == 0 {
				texts = append(texts, seg.text)
			}
		}
	}
	var out []string
	for _, text := range texts {
		if code := strings.Trim(postcode.FindString(text), " ,-"); code != "" {
			out = append(out, code)
		}
	}
	return out
}
