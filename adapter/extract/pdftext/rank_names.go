package pdftext

import (
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// nameFacts are properties that all candidates of a party's name share.
type nameFacts struct {
	s       *parsedDocument
	blocks  map[*segment]*block
	index   map[*segment]int // of a segment in its block
	lower   string           // the whole document, folded and without spaces
	domains []string         // of e-mail and web addresses
	footer  string           // the lowest lines of all pages, folded
	seller  map[string]float64
	buyer   map[string]float64
	imprint imprint
	towns   map[string][]*segment // the first two texts with a post code for each town, folded; made when needed

	longer   map[string]int  // how many names continue a name, in lower case
	extended map[string]bool // the names that continue another one
}

var domainForm = textrules.MustPattern(`(?i)(?:@|www\.|https?://)([a-z0-9][a-z0-9.-]*[a-z0-9])\.[a-z]{2,}`)

func (s *parsedDocument) nameFacts() *nameFacts {
	n := &nameFacts{s: s, blocks: map[*segment]*block{}, index: map[*segment]int{}, seller: map[string]float64{}, buyer: map[string]float64{}}
	p := s.findParties()
	for _, b := range p.blocks {
		for i, seg := range b.segments {
			n.blocks[seg], n.index[seg] = b, i
		}
	}
	for _, c := range p.seller {
		n.seller[invoice.FoldName(c.name)] += c.weight
	}
	for _, c := range p.buyer {
		n.buyer[invoice.FoldName(c.name)] += c.weight
	}
	var all, footer strings.Builder
	folded := make([]string, len(s.segments))
	for k, seg := range s.segments {
		text := compact(seg.text)
		folded[k] = text
		if all.Len() < 200_000 {
			all.WriteString(text)
			all.WriteByte('\n')
		}
		if seg.y0 > 0.85*s.sizes[seg.page][1] && footer.Len() < 20_000 {
			footer.WriteString(text)
			footer.WriteByte('\n')
		}
		if len(n.domains) < 20 && strings.ContainsAny(seg.text, "@.") {
			for _, m := range domainForm.FindAllStringSubmatch(seg.text, 5) {
				n.domains = append(n.domains, compact(strings.ReplaceAll(strings.ReplaceAll(m[1], "-", ""), ".", "")))
			}
		}
	}
	n.lower, n.footer, n.imprint = all.String(), footer.String(), s.readImprint(folded)
	return n
}

// nameCandidate is a text that can be a party's name.
type nameCandidate struct {
	name       string
	seg        *segment
	start, end int // byte offsets in the segment
	piece      int // 0 the whole segment, 1 after a label, 2 before a separator, 3 before a comma, 4 joined
}

// partyCandidates returns the candidates of a party's name with their features.
func (s *parsedDocument) partyCandidates(n *nameFacts, training bool) []candidate {
	names := s.nameCandidates()
	repeated := map[string]int{}
	for _, c := range names {
		repeated[compact(c.name)]++
	}
	n.readExtensions(names)
	var out []candidate
	for i := range names {
		c := candidate{found: found{value: names[i].name, seg: names[i].seg}}
		c.from, c.to = names[i].seg.wordsAt(names[i].start, names[i].end)
		c.features = newFeatures(rankSeller, training)
		n.describe(&c.features, &names[i], repeated)
		out = append(out, c)
	}
	return out
}

// amountRight reports whether an amount of money is at the right of a text: it is the
// label of a row.
func (s *parsedDocument) amountRight(seg *segment) bool {
	return slices.ContainsFunc(s.lines[seg.line].segments, func(b *segment) bool {
		return b.x0 > seg.x1 && slices.ContainsFunc(b.amounts, func(a amount) bool { return a.showsMoney() })
	})
}

// valueBelow reports whether a number or a date is directly below a text next to
// others: it is the title of a column.
func (s *parsedDocument) valueBelow(seg *segment) bool {
	under := s.under(seg.line, seg)
	if len(under) == 0 || len(s.lines[seg.line].segments) < 2 {
		return false
	}
	b := under[0].seg
	return hasDigit(b.text) && !strings.ContainsFunc(b.text, unicode.IsLetter) || len(b.dates) > 0
}

// readExtensions finds the names that continue another name of the document, such as
// "Herrmann Ltd." after "Herrmann".
func (n *nameFacts) readExtensions(names []nameCandidate) {
	n.longer, n.extended = map[string]int{}, map[string]bool{}
	known := map[string]bool{}
	for _, c := range names {
		known[strings.ToLower(c.name)] = true
	}
	for name := range known {
		words := strings.Fields(name)
		for i := 1; i < len(words); i++ {
			if start := strings.Trim(strings.Join(words[:i], " "), " ,;"); known[start] {
				n.longer[start]++
				n.extended[name] = true
			}
		}
	}
}

func (n *nameFacts) describe(f *features, c *nameCandidate, repeated map[string]int) {
	s, seg := n.s, c.seg
	at := s.around(seg, c.start, c.end)
	f.addLabels(at, groupSeller, groupBuyer, groupOtherParty, groupName, groupAccount, groupContact, groupAddress, groupTaxID, groupTitle, groupOther)
	f.addPlace(s, seg)
	f.add("piece", float64(c.piece))
	f.addWords(c.name)
	folded := compact(c.name)
	f.add("count", float64(min(strings.Count(n.lower, folded), 6)))
	f.add("in_footer", float64(min(strings.Count(n.footer, folded), 2)))
	f.add("repeated", float64(min(repeated[folded], 5)))
	f.add("seller_rule", min(n.seller[invoice.FoldName(c.name)], 3))
	f.add("buyer_rule", min(n.buyer[invoice.FoldName(c.name)], 3))
	f.add("domain", n.domainMatch(c.name))
	rest := seg.text[c.end:]
	f.flag("address_behind", hasDigit(rest))
	f.flag("tax_id_behind", hasRole(seg, textrules.RoleTaxID, textrules.RoleRegistration, textrules.RoleIBAN))
	f.flag("phone_behind", strings.ContainsAny(rest, "@") || hasRole(seg, textrules.RoleOtherNumber, textrules.RoleSeries, textrules.RoleContact))
	f.add("rest", float64(min(len(rest), 120)))
	f.add("before", float64(min(c.start, 60)))
	f.add("longer", float64(min(n.longer[strings.ToLower(c.name)], 3)))
	f.flag("extended", n.extended[strings.ToLower(c.name)])
	f.flag("honored", strings.HasPrefix(strings.TrimSpace(rest), "御中") || strings.HasPrefix(strings.TrimSpace(rest), "様"))
	f.flag("ends_with_colon", strings.HasPrefix(strings.TrimSpace(rest), ":"))
	f.flag("amount_right", s.amountRight(seg))
	f.flag("value_below", s.valueBelow(seg))
	n.addBlock(f, seg)
	section := s.addSection(f, seg)
	named := at.nearness(groupName)
	for _, g := range []group{groupSeller, groupBuyer, groupOtherParty} {
		value := 0.0
		if section == g {
			value = named
		}
		f.add(f.joined("named_", groupNames[g]), value)
	}
	f.addLineage(s, seg)
}

// addWords adds features of the words of a name.
func (f *features) addWords(name string) {
	tokens := textrules.Tokens(name)
	covered, roles := 0, textrules.FindLabels(tokens)
	for _, m := range roles {
		covered += m.To - m.From
	}
	first := group(0)
	if len(roles) > 0 && roles[0].From == 0 {
		first = groupOf(roles[0].Label)
	}
	notName, address, bank, small, caps, numbers := 0, 0, 0, 0, 0, 0
	words := strings.Fields(name)
	for i, w := range words {
		plain := strings.Trim(w, ".,:;()&")
		folded := textrules.Fold(plain)
		if textrules.IsWord("notname", folded) {
			notName++
		}
		if textrules.IsWord("address", folded) {
			address++
		}
		if textrules.IsWord("bank", folded) || namesBank(folded) {
			bank++
		}
		r := []rune(plain)
		switch {
		case len(r) == 0:
		case unicode.IsDigit(r[0]):
			numbers++
		case unicode.IsLower(r[0]) && i > 0 && len(r) > 3:
			small++
		case unicode.IsUpper(r[0]):
			caps++
		}
	}
	count := float64(max(len(words), 1))
	f.flag("company", textrules.IsCompany(name))
	f.add("name_words", count)
	f.add("name_length", float64(len([]rune(name))))
	f.add("covered", float64(covered)/float64(max(len(tokens), 1)))
	f.flag("starts_with_label", len(roles) > 0 && roles[0].From == 0)
	f.add("first_group", float64(first))
	f.add("not_name", float64(notName)/count)
	f.add("address_words", float64(address)/count)
	f.add("bank_words", float64(bank))
	f.add("small", float64(small)/count)
	f.add("capitalized", float64(caps)/count)
	f.add("numbers", float64(numbers)/count)
	f.flag("has_digit", hasDigit(name))
	f.flag("upper", name == strings.ToUpper(name) && name != strings.ToLower(name))
	f.flag("comma", strings.Contains(name, ","))
	f.flag("separator", strings.ContainsAny(name, "·•|/:"))
	f.flag("ampersand", strings.ContainsAny(name, "&"))
	f.flag("hyphen", strings.Contains(name, "-"))
	f.flag("stop", strings.HasSuffix(name, "."))
	f.flag("contact", contact.MatchString(name))
	f.flag("postcode", postcode.MatchString(name))
	f.flag("house_number", houseNumber.MatchString(name))
	f.flag("lower_start", len(name) > 0 && unicode.IsLower([]rune(name)[0]))
	f.flag("ideographic", textrules.IsIdeographic(name))
	f.flag("kind", textrules.KindOf(name) != "")
	f.flag("country", len(textrules.Countries(tokens)) > 0)
	f.add("heads", float64(len(textrules.FindHeads(name, tokens))))
}

// namesBank reports whether a word contains the word for a bank: "Kantonalbank".
func namesBank(folded string) bool {
	for _, part := range []string{"bank", "banque", "banca", "banco", "sparkasse", "banka", "bankas", "pankki", "τραπεζα", "銀行"} {
		if strings.Contains(folded, part) {
			return true
		}
	}
	return false
}

// domainMatch returns the part of the name that occurs in an address of the document.
func (n *nameFacts) domainMatch(name string) float64 {
	best := 0.0
	for _, w := range strings.Fields(name) {
		w = compact(strings.Trim(w, ".,&-"))
		if len(w) < 4 || textrules.IsLegalForm(w) {
			continue
		}
		for _, d := range n.domains {
			if strings.Contains(d, w) {
				best = max(best, float64(len(w))/float64(max(len(d), 1)))
			}
		}
	}
	return best
}

// addBlock adds features of the block that contains a segment.
func (n *nameFacts) addBlock(f *features, seg *segment) {
	var size, index, below int
	var post, street, tax, iban, phone, mail, date, money, amounts bool
	postAt := 9
	if b := n.blocks[seg]; b != nil {
		size, index = len(b.segments), n.index[seg]
		for i := index + 1; i < len(b.segments) && i <= index+6; i++ {
			line := b.segments[i]
			below++
			if line.hasPostcode() && len(line.dates) == 0 {
				post = true
				postAt = min(postAt, i-index)
			}
			street = street || i == index+1 && hasDigit(line.text) && len(line.labels) == 0
		}
		for _, line := range b.segments[max(index-6, 0):min(index+10, len(b.segments))] {
			tax = tax || hasRole(line, textrules.RoleTaxID, textrules.RoleRegistration, textrules.RoleNationalTaxID)
			iban = iban || hasRole(line, textrules.RoleIBAN, textrules.RoleBIC)
			phone = phone || hasRole(line, textrules.RoleOtherNumber, textrules.RoleSeries, textrules.RoleContact)
			mail = mail || strings.Contains(line.text, "@")
			date = date || len(line.dates) > 0
			for i := range line.amounts {
				money = money || line.amounts[i].showsMoney()
			}
			amounts = amounts || len(line.amounts) > 0
		}
	}
	f.add("block_size", float64(min(size, 12)))
	f.add("block_index", float64(min(index, 12)))
	f.add("block_below", float64(below))
	f.add("post_at", float64(postAt))
	f.flag("block_post", post)
	f.flag("block_street", street)
	f.flag("block_tax", tax)
	f.flag("block_iban", iban)
	f.flag("block_phone", phone)
	f.flag("block_mail", mail)
	f.flag("block_date", date)
	f.flag("block_money", money)
	f.flag("block_amounts", amounts)
}

// addSection adds the last heading of a party above a segment in its column, or across
// the whole page, and returns its meaning.
func (s *parsedDocument) addSection(f *features, seg *segment) group {
	kind, distance, columns := groupNone, 60.0, 0.0
	inLine := groupNone
	for _, other := range s.lines[seg.line].segments {
		if other == seg || other.x0 > seg.x0 {
			continue
		}
		for _, m := range other.labels {
			if g := groupOf(m.Label); g == groupSeller || g == groupBuyer || g == groupOtherParty {
				inLine = g
			}
		}
	}
	for i := seg.line - 1; i >= 0 && kind == groupNone; i-- {
		l := s.lines[i]
		if l.page != seg.page || seg.y0-l.y1 > 25*s.height {
			break
		}
		for _, a := range l.segments {
			across := len(l.segments) == 1 && len(a.labels) > 0 && pureLabel(a)
			if !across && (a.x0 > seg.x0+3*s.height || a.x1 < seg.x0-30*s.height) || len(a.labels) == 0 {
				continue
			}
			for _, m := range a.labels {
				g := groupOf(m.Label)
				if (g == groupSeller || g == groupBuyer || g == groupOtherParty) && m.From <= 1 && !m.Weak {
					kind, distance = g, (seg.y0-a.y1)/s.height
					columns = max(0, seg.x0-a.x0) / s.height
				}
			}
		}
	}
	f.flag("section_seller", kind == groupSeller)
	f.flag("section_buyer", kind == groupBuyer)
	f.flag("section_other", kind == groupOtherParty)
	f.add("section_distance", distance)
	f.add("section_column", columns)
	f.flag("line_seller", inLine == groupSeller)
	f.flag("line_buyer", inLine == groupBuyer)
	f.flag("line_other", inLine == groupOtherParty)
	return kind
}

// addLineage adds the position of a segment relative to the first lines and to the
// title.
func (f *features) addLineage(s *parsedDocument, seg *segment) {
	first := true
	for _, l := range s.lines[:seg.line] {
		if l.page == seg.page && len(l.segments) > 0 {
			first = false
			break
		}
	}
	titleAbove, tableAbove := false, false
	for _, l := range s.lines[:min(seg.line, 80)] {
		for _, a := range l.segments {
			titleAbove = titleAbove || hasRole(a, textrules.RoleTitle, textrules.RoleCreditTitle) && a.labels[0].From == 0 && len(a.tokens) <= 5
			tableAbove = tableAbove || a.used
		}
	}
	f.flag("first_line", first)
	f.flag("title_above", titleAbove)
	f.flag("table_above", tableAbove)
	under := s.under(seg.line, seg)
	f.add("aligned_below", float64(len(under)))
	post := false
	for _, u := range under {
		post = post || u.seg.hasPostcode() && len(u.seg.dates) == 0
	}
	f.flag("post_below", post)
	f.flag("digit_below", len(under) > 0 && hasDigit(under[0].seg.text))
}
