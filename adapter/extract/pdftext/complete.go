package pdftext

import (
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// complete adjusts the probabilities of names by what the names say themselves. A bank
// is the account's, not the party. A name without its legal form, a logo in lower case,
// and a name without its first word are other forms of a complete name.
func (n *nameFacts) complete(values []*candidate) []*candidate {
	n.without(values, n.isBank)
	n.without(values, isStreet)
	byKey := make(map[string]*candidate, len(values))
	for _, c := range values {
		byKey[c.key] = c
	}
	for _, long := range slices.Clone(values) {
		first, rest, more := strings.Cut(long.value, " ")
		if !more {
			continue
		}
		other := func(name string) *candidate {
			if short := byKey[invoice.FoldName(name)]; short != nil && short != long && short.p > 0 && long.p > 0 {
				return short
			}
			return nil
		}
		if form := textrules.WithoutForm(long.value); form != "" {
			if short := other(form); short != nil {
				long.absorb(short)
			}
		}
		if short := other(first); short != nil && isLogo(short.value, first) {
			long.assumed = !n.completes(long, short)
			long.absorb(short)
		}
		if short := other(rest); short != nil && short.p < 6*long.p && n.isTail(short.value, long.value, first) {
			long.assumed = long.assumed || short.p > long.p && n.printsAlone(short.value, long.value)
			long.absorb(short)
		}
	}
	for _, short := range values {
		if long := n.completed(short, values); long != nil {
			long.absorb(short)
		}
	}
	sortByProbability(values)
	return values
}

// completed returns the complete name that a name printed in two lines begins: the first line ends with a
// word that joins names, or the second one has only the rest of a legal form.
func (n *nameFacts) completed(short *candidate, values []*candidate) *candidate {
	words := strings.Fields(short.value)
	if short.p <= 0 || len(words) == 0 {
		return nil
	}
	open := openEnd(words[len(words)-1])
	for _, long := range values {
		rest, ok := strings.CutPrefix(long.value, short.value+" ")
		if !ok || long.seg != short.seg || long.p <= 0 || strings.Contains(long.seg.text, long.value) {
			continue
		}
		if open && textrules.IsCompany(long.value) && !strings.Contains(rest, short.value) ||
			!slices.ContainsFunc(strings.Fields(rest), func(w string) bool { return !textrules.IsLegalForm(w) }) {
			return long
		}
	}
	return nil
}

// formBelow reports whether the text directly below a name without a legal form ends with one: the name
// can continue there.
func (n *nameFacts) formBelow(c *candidate) bool {
	b, at := n.blocks[c.seg], n.index[c.seg]
	if b == nil || at+1 >= len(b.segments) || textrules.IsCompany(c.value) || len(wordsFrom(c.seg, c.to)) > 0 {
		return false
	}
	below := b.segments[at+1]
	return below.y0-c.seg.y1 < 1.3*n.s.height && below.y1-below.y0 > 0.9*(c.seg.y1-c.seg.y0) && !hasDigit(below.text) && len(below.labels) == 0 &&
		textrules.IsCompany(below.text) && !sharesWord(c.value, below.text)
}

// withLabel reports whether a name without a legal form follows a label without a colon in its line, and is
// never printed without it: the label can be its first word, as in "Clinic Oak".
func (n *nameFacts) withLabel(c *candidate) bool {
	if c.seg == nil || c.from != 1 || textrules.IsCompany(c.value) || len(c.seg.labels) == 0 || strings.ContainsAny(c.seg.words[0].text, ":.#") {
		return false
	}
	m := c.seg.labels[0]
	return m.From == 0 && m.Role == textrules.RoleSeller && n.hasAddress(c) && !n.printsAlone(c.value, c.seg.text)
}

// printsAlone reports whether a part of a name is printed without the rest as well.
func (n *nameFacts) printsAlone(part, name string) bool {
	return strings.Count(n.lower, compact(part)) > strings.Count(n.lower, compact(name))
}

// absorb adds the probability of another form of the name.
func (c *candidate) absorb(other *candidate) {
	c.again = append(append(c.again, other.seg), other.again...)
	c.p, other.p = c.p+other.p, 0
}

// without lowers the probability of names with a property.
func (n *nameFacts) without(values []*candidate, is func(*candidate) bool) {
	const remains = 0.1
	lost := 0.0
	for _, c := range values {
		if is(c) {
			lost += (1 - remains) * c.p
			c.p *= remains
		}
	}
	for _, c := range values {
		c.p /= max(1-lost, remains)
	}
}

// houseBehind matches the number of a house behind a street.
var houseBehind = textrules.MustPattern(`^[ ,.]*(?:n[.o°º]* *)?\d`)

// isStreet reports whether a text begins or ends with a word for a street, and the number of
// a house follows it.
func isStreet(c *candidate) bool {
	words := strings.Fields(c.value)
	if len(words) == 0 || c.seg == nil || textrules.IsCompany(c.value) || !isAddressWord(words[0]) && !isAddressWord(words[len(words)-1]) {
		return false
	}
	_, rest, ok := strings.Cut(c.seg.text, c.value)
	return ok && houseBehind.MatchString(rest)
}

// isBank reports whether a name contains a word for a bank, or is printed once, directly
// above the number of an account. A line with an address, or above a tax identifier as well, is the
// imprint of a company.
func (n *nameFacts) isBank(c *candidate) bool {
	if isBankName(c.value) {
		return true
	}
	return n.headsAccount(c) && !hasDigit(strings.Join(wordsFrom(c.seg, c.to), " "))
}

// headsAccount reports whether a name is printed once, directly above the number of an account without a
// tax identifier. With an address in its line it is a company or a bank.
func (n *nameFacts) headsAccount(c *candidate) bool {
	b, at := n.blocks[c.seg], n.index[c.seg]
	if b == nil || at+1 >= len(b.segments) {
		return false
	}
	below := b.segments[at+1]
	return hasRole(below, textrules.RoleIBAN, textrules.RoleBIC) && statements(below)&statesTax == 0 && strings.Count(n.lower, compact(c.value)) == 1
}

// isBankName reports whether a name has the word for a bank.
func isBankName(name string) bool {
	for w := range strings.FieldsSeq(name) {
		w = textrules.Fold(strings.Trim(w, ".,:;()&"))
		for _, end := range []string{"bank", "banken", "banka", "bankasi", "banque", "banca", "banco", "sparkasse", "pankki", "τραπεζα", "銀行"} {
			if strings.HasSuffix(w, end) {
				return true
			}
		}
	}
	return false
}

// isLogo reports whether a text is the first word of a name in lower case, as logos
// are: "acme." of "Acme Supplies".
func isLogo(text, first string) bool {
	text = strings.Trim(text, " .")
	return text != "" && text == strings.ToLower(text) && first != text && strings.ToLower(first) == text
}

// isTail reports whether the first word of a name can be left out: "Hotel" of "Hotel
// Rose Ltd". A label is no part of a name. One word must never be printed without the first.
func (n *nameFacts) isTail(short, long, first string) bool {
	r := []rune(first)
	return len(r) > 2 && unicode.IsUpper(r[0]) && (len(strings.Fields(short)) > 1 || !n.printsAlone(short, long)) &&
		!slices.ContainsFunc(textrules.FindLabels(textrules.Tokens(first)), func(m textrules.Match) bool { return !m.Weak })
}

// stated reports whether a form states a name: the label of a name in the section of
// the party, and no other text is about as likely.
func (n *nameFacts) stated(c *candidate, all []*candidate, g group) bool {
	const likelier, floor = 5, 0.3
	if c.p < floor || n.isBank(c) {
		return false
	}
	for _, o := range all {
		if o != c && o.p*likelier > c.p {
			return false
		}
	}
	var f features
	start := c.seg.starts[min(c.from, len(c.seg.starts)-1)]
	at := n.s.around(c.seg, start, start+len(c.value))
	return at.nearness(groupName) >= 0.7 && n.s.addSection(&f, c.seg) == g
}

// isTown reports whether a segment is the town of an address of the document: it is
// printed after a post code as well.
func (n *nameFacts) isTown(seg *segment) bool {
	if n.towns == nil {
		n.towns = map[string][]*segment{}
		for _, other := range n.s.segments {
			var to invoice.Address
			if !splitTown(other.text, &to) {
				continue
			}
			if name := invoice.FoldName(to.City); len(n.towns[name]) < 2 {
				n.towns[name] = append(n.towns[name], other)
			}
		}
	}
	return slices.ContainsFunc(n.towns[invoice.FoldName(seg.text)], func(other *segment) bool { return other != seg })
}

// namesStreet reports whether a text contains a word of addresses.
func namesStreet(text string) bool {
	return slices.ContainsFunc(strings.Fields(text), isAddressWord)
}

func isAddressWord(w string) bool { return textrules.IsWord("address", strings.Trim(w, ".,:;()/")) }
