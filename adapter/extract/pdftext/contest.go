package pdftext

import (
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
)

// contestsSeller reports whether the document also names somebody else as a possible seller:
// factoring companies, groups, platforms and the makers of software print their names,
// addresses and tax identifiers at the end of a page as well. It needs a person then.
func (n *nameFacts) contestsSeller(seller, buyer *candidate, all []*candidate) bool {
	if n.namesSeller(seller) {
		return false
	}
	if isStreet(seller) || !n.supported(seller) {
		return true
	}
	if n.imprint.text == "" {
		return false
	}
	if n.sharesAddress(seller, buyer) {
		return true
	}
	if n.onlyBelow(seller) {
		return n.introduced(seller) || strings.Contains(n.imprint.text, compact(buyer.value)) ||
			!textrules.IsCompany(seller.value) && n.brands(seller, buyer) ||
			n.anyOther(seller, buyer, all, func(o *candidate) bool {
				return n.labelled(o) || n.rivalAbove(o, buyer) || n.rivalBelow(o, seller) || n.ownsOther(o, seller) ||
					n.resembles(o) && !n.resembles(seller)
			})
	}
	if strings.Contains(n.imprint.text, compact(seller.value)) {
		return false
	}
	if n.onlyBelow(buyer) {
		return true // the imprint is the seller's
	}
	// A company may print the imprint of another one, unless it can be the recipient.
	const likeness, half = 0.01, 0.5
	sure := textrules.IsCompany(seller.value) && buyer.p >= half
	brand := !textrules.IsCompany(seller.value) && !n.hasAddress(seller)
	return n.anyOther(seller, buyer, all, func(o *candidate) bool {
		return n.rivalBelow(o, seller) && (n.resembles(o) && !n.resembles(seller) ||
			!sure && textrules.IsCompany(o.value) && (o.p >= likeness || n.hasAddress(o) || brand))
	})
}

// supported reports whether anything besides its place shows that a name is the seller's: its
// legal form, an address of a mailbox or page, the tax identifier, account or contact next to
// it, the imprint, or another place where it is printed.
func (n *nameFacts) supported(c *candidate) bool {
	around := n.s.statedAround(n.imprint.states, c.seg.line)
	large := c.seg.y1-c.seg.y0 > 1.25*n.s.height
	return large || textrules.IsCompany(c.value) || n.resembles(c) || n.hasAddress(c) || around&(statesTax|statesAccount|statesContact) != 0 ||
		strings.Contains(n.imprint.text, compact(c.value)) || strings.Count(n.lower, compact(c.value)) > 1
}

// sharesAddress reports whether the names of both parties are next to each other in one address:
// they are a company and its contact.
func (n *nameFacts) sharesAddress(a, b *candidate) bool {
	block := n.blocks[a.seg]
	return block != nil && block == n.blocks[b.seg] && n.index[b.seg] == n.index[a.seg]+1 && len(wordsFrom(a.seg, a.to)) == 0 &&
		strings.Count(n.lower, compact(a.value)) == 1 && n.hasAddress(b)
}

// anyOther reports whether a text that is neither party, nor a form of its name, has a
// property.
func (n *nameFacts) anyOther(seller, buyer *candidate, all []*candidate, is func(*candidate) bool) bool {
	a, b := compact(seller.value), compact(buyer.value)
	for _, o := range all {
		key := compact(o.value)
		if o.seg == nil || o.key == seller.key || o.key == buyer.key || strings.Contains(key, a) || strings.Contains(a, key) ||
			strings.Contains(key, b) || strings.Contains(b, key) || n.isBank(o) {
			continue
		}
		if is(o) {
			return true
		}
	}
	return false
}

func (n *nameFacts) below(c *candidate) bool { return c.seg != nil && n.imprint.below[c.seg.line] }

// onlyBelow reports whether a name is printed at the end of the document only.
func (n *nameFacts) onlyBelow(c *candidate) bool {
	name := compact(c.value)
	return n.below(c) && !slices.ContainsFunc(n.s.segments, func(seg *segment) bool {
		return !n.imprint.below[seg.line] && strings.Contains(compact(seg.text), name)
	})
}

// namesSeller reports whether the label of the seller belongs to a name above the lines.
func (n *nameFacts) namesSeller(c *candidate) bool {
	return !n.below(c) && n.sectionOf(c) == groupSeller
}

// sectionOf returns the party of the last heading before a name.
func (n *nameFacts) sectionOf(c *candidate) group {
	var f features
	start := c.seg.starts[min(c.from, len(c.seg.starts)-1)]
	at := n.s.around(c.seg, start, start+len(c.value))
	for _, g := range []group{at.same.group, at.left.group} {
		if g == groupSeller || g == groupBuyer || g == groupOtherParty {
			return g
		}
	}
	return n.s.addSection(&f, c.seg)
}

// headsNumber reports whether a number is directly below a name: it can be an unknown label.
func (n *nameFacts) headsNumber(c *candidate) bool {
	b, at := n.blocks[c.seg], n.index[c.seg]
	return b != nil && at+1 < len(b.segments) && !textrules.IsCompany(c.value) && countDigits(b.segments[at+1].text) > 0 &&
		!strings.ContainsFunc(b.segments[at+1].text, unicode.IsLetter)
}

// labelled reports whether the label of the seller is directly above or before a name.
func (n *nameFacts) labelled(o *candidate) bool {
	const near = 2
	if hasDigit(o.value) || pureLabel(o.seg) || len(o.seg.starts) == 0 {
		return false
	}
	start := o.seg.starts[min(o.from, len(o.seg.starts)-1)]
	at := n.s.around(o.seg, start, start+len(o.value))
	for _, l := range []tag{at.same, at.left, at.above} {
		if l.group != groupNone {
			return l.group == groupSeller && !l.weak && l.distance < near
		}
	}
	return false
}

// introduced reports whether words before a name say what it is, such as "Printed by".
func (n *nameFacts) introduced(c *candidate) bool {
	if len(c.seg.starts) == 0 || c.from == 0 {
		return false
	}
	return strings.ContainsAny(c.seg.text[:c.seg.starts[min(c.from, len(c.seg.starts)-1)]], "abcdefghijklmnopqrstuvwxyz") &&
		n.sectionOf(c) != groupSeller
}

// resembles reports whether an address of a mailbox or page contains a part of a name.
func (n *nameFacts) resembles(c *candidate) bool {
	return slices.ContainsFunc(n.domains, func(d string) bool { return isDomainOf(d, c.value) })
}

// ownsOther reports whether a name of the imprint has an address that is not the seller's.
func (n *nameFacts) ownsOther(o, seller *candidate) bool {
	return o.from == 0 && !hasDigit(o.value) && strings.Contains(n.imprint.text, compact(o.value)) &&
		slices.ContainsFunc(n.domains, func(d string) bool { return isDomainOf(d, o.value) && !isDomainOf(d, seller.value) })
}

// isDomainOf reports whether a domain contains the first or the longest word of a name. Domains omit
// letters, accents and the ends of long names. Other words, such as "Service" and "Media", are common
// to many domains.
func isDomainOf(d, name string) bool {
	const shortest, longest = 4, 5
	whole := latin(name)
	if len(d) >= longest && (strings.HasPrefix(whole, d) || len(whole) >= longest && strings.HasPrefix(d, whole[:longest])) {
		return true
	}
	var words []string
	length := 0
	for _, w := range strings.Fields(name) {
		if w = compact(strings.Trim(w, ".,&-")); w != "" && !textrules.IsLegalForm(w) {
			words, length = append(words, w), max(length, len(w))
		}
	}
	for i, w := range words {
		if len(w) >= shortest && (i == 0 || len(w) == length) && strings.Contains(d, w[:min(len(w), longest)]) {
			return true
		}
	}
	return false
}

// latin returns the letters of a name that a domain can have.
func latin(name string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// rivalAbove reports whether a name above the lines has the label of the seller, can be the seller
// according to the ranker, or is apart from the buyer and has a legal form, an address, or another
// place where it is printed.
func (n *nameFacts) rivalAbove(o, buyer *candidate) bool {
	const possible, remote = 0.01, 0.0005
	if n.below(o) || hasDigit(o.value) || pureLabel(o.seg) {
		return false
	}
	switch n.sectionOf(o) {
	case groupSeller:
		return o.p > remote || n.hasAddress(o)
	case groupOtherParty:
		return false
	}
	// A text that is in the imprint as well can be the town of its address.
	if o.p <= remote || startsLower(o.value) || n.valueRight(o.seg) || !textrules.IsCompany(o.value) && strings.Contains(n.imprint.text, compact(o.value)) {
		return false
	}
	block := n.blocks[o.seg]
	if o.p >= possible {
		return true
	}
	if block != nil && block == n.blocks[buyer.seg] {
		return false
	}
	return textrules.IsCompany(o.value) && o.from == 0 || strings.Count(n.lower, compact(o.value)) > 1 ||
		block != nil && o.from == 0 && o.to == len(o.seg.words) && n.hasAddress(o)
}

// valueRight reports whether a number is to the right of a text: it is the label of a row.
func (n *nameFacts) valueRight(seg *segment) bool {
	for _, o := range n.s.lines[seg.line].segments {
		if o.x0 > seg.x1 && hasDigit(o.text) && !strings.ContainsFunc(o.text, unicode.IsLetter) {
			return true
		}
	}
	return false
}

// rivalBelow reports whether the imprint names a company, or a text with an address, that is
// no part of the seller's address.
func (n *nameFacts) rivalBelow(o, seller *candidate) bool {
	const remote = 0.003
	if !n.below(o) || !strings.Contains(n.imprint.text, compact(o.value)) {
		return false
	}
	if textrules.IsCompany(o.value) {
		return true
	}
	if o.p < remote || hasDigit(o.value) || o.from > 0 || namesStreet(o.value) || n.isTown(o.seg) || len(textrules.Countries(textrules.Tokens(o.value))) > 0 {
		return false
	}
	ends := !hasDigit(strings.Join(wordsFrom(seller.seg, seller.to), " ")) // its address is below it
	if b := n.blocks[o.seg]; ends && b != nil && b == n.blocks[seller.seg] && n.index[o.seg] > n.index[seller.seg] {
		return false
	}
	return n.hasAddress(o)
}

// brands reports whether the page begins with another name in large type.
func (n *nameFacts) brands(seller, buyer *candidate) bool {
	const large, top = 1.4, 0.15
	for _, seg := range n.s.segments {
		if seg.page != 1 || seg.y0 > top*n.s.sizes[1][1] {
			continue
		}
		name := trimName(seg.text)
		if seg.y1-seg.y0 < large*n.s.height || len(seg.labels) > 0 || hasDigit(name) || !plausibleName(name) || textrules.KindOf(name) != "" ||
			n.s.titled(seg) || sameName(name, buyer.value) {
			continue
		}
		if !sharesWord(name, seller.value) {
			return true
		}
	}
	return false
}

// sharesWord reports whether two names have a word in common.
func sharesWord(a, b string) bool {
	text := compact(b)
	for _, w := range strings.Fields(a) {
		if w = compact(strings.Trim(w, ".,&-")); len(w) > 2 && strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// ownedByOther reports whether the name next to a tax identifier below the lines of the invoice, in
// its line or the lines above it, is a company that is neither party.
func (s *parsedDocument) ownedByOther(id *segment, seller, buyer string) bool {
	const reach = 2
	if !s.belowTable(id) {
		return false
	}
	for at := id.line; at >= 0 && at >= id.line-reach && s.lines[at].page == id.page; at-- {
		other := false
		for _, seg := range s.lines[at].segments {
			if sharesName(seller, seg.text) {
				return false
			}
			other = other || slices.ContainsFunc(strings.FieldsFunc(seg.text, isBreak), func(part string) bool {
				return textrules.IsCompany(part) && !isBankName(part) && !isDomainName(part) && !sameName(part, buyer)
			})
		}
		if other {
			return true
		}
	}
	return false
}

// sharesName reports whether a text contains a word of a name that is no legal form.
func sharesName(name, text string) bool {
	text = compact(text)
	for w := range strings.FieldsSeq(name) {
		if w = compact(strings.Trim(w, ".,&-")); len(w) > 2 && !textrules.IsLegalForm(w) && strings.Contains(text, w) {
			return true
		}
	}
	return strings.Contains(text, compact(name))
}

// isBreak reports whether a character separates the statements of an imprint.
func isBreak(r rune) bool { return strings.ContainsRune("·•|,;", r) }

// isDomainName reports whether a text is the address of a mailbox or page.
func isDomainName(text string) bool {
	return strings.Contains(text, "@") || strings.Contains(text, "www.")
}
