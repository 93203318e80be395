package pdftext

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// naming is a possible name of a party and its evidence.
type naming struct {
	name     string
	seg      *segment
	weight   float64
	labelled bool
}

// parties determines seller and buyer.
type parties struct {
	s      *parsedDocument
	blocks []*block
	seller []naming
	buyer  []naming
}

// block is a column of consecutive lines with small distances, usually an address.
type block struct{ segments []*segment }

func (b *block) last() *segment { return b.segments[len(b.segments)-1] }

// findBlocks groups the segments outside the table of lines into blocks.
func (s *parsedDocument) findBlocks() []*block {
	var out []*block
	for _, seg := range s.segments {
		if seg.used {
			continue
		}
		var home *block
		for _, b := range slices.Backward(out) {
			last := b.last()
			if last.page != seg.page || seg.y0-last.y1 > 6*s.height {
				break
			}
			aligned := min(abs(seg.x0-last.x0), abs(seg.x1-last.x1)) < s.height*0.8
			if aligned && seg.line > last.line && seg.y0-last.y1 < 2.2*s.height {
				home = b
				break
			}
		}
		if home == nil {
			home = &block{}
			out = append(out, home)
		}
		home.segments = append(home.segments, seg)
	}
	return out
}

func abs(f float64) float64 { return max(f, -f) }

var (
	separators = textrules.MustPattern(`\s+[·•●∙|–—*-]\s+|\s*[·•●∙|]\s*`)
	postcode   = textrules.MustPattern(`(?:^|\s|-)(?:\d{6}|〒|\d{5}(?:-\d{3,4})?|\d{4} ?[A-Z]{2}|\d{4}|\d{2}-\d{3}|\d{3} \d{2}|\d{4}-\d{3}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})(?:\s|,|$)`)
	// houseNumber matches a house number before the name of a street.
	houseNumber = textrules.MustPattern(`^\d+[A-Za-z]?,? \p{L}`)
	contact     = textrules.MustPattern(`(?i)@|www\.|https?:|\.(com|de|fr|nl|es|it|eu|org|net|co\.uk|pl|pt|gr|bg)\b|^[+(\d][\d ()/.-]{6,}$`)
)

// findParties collects the evidence for the names of both parties.
func (s *parsedDocument) findParties() *parties {
	if s.parties != nil {
		return s.parties
	}
	p := &parties{s: s, blocks: s.findBlocks()}
	s.parties = p
	p.byLabels()
	p.byForms()
	p.bySalutation()
	p.bySenderLine()
	p.byBlocks()
	p.byPhrases()
	return p
}

// byLabels reads the names that labels announce.
func (p *parties) byLabels() {
	for i, l := range p.s.lines {
		for k, seg := range l.segments {
			if seg.used {
				continue
			}
			for m, label := range seg.labels {
				if label.From != 0 || !p.announces(seg, m) {
					continue
				}
				switch label.Role {
				case textrules.RoleSeller, textrules.RolePayee:
					if n, ok := p.named(i, k, m); ok {
						n.labelled = label.Role == textrules.RoleSeller
						if !n.labelled {
							n.weight = 0.5
						}
						p.seller = append(p.seller, n)
					}
				case textrules.RoleBuyer:
					if n, ok := p.named(i, k, m); ok {
						n.labelled = true
						p.buyer = append(p.buyer, n)
					}
				}
			}
		}
	}
}

// announces reports whether a label is not part of a sentence: it ends its segment or
// a colon follows.
func (p *parties) announces(seg *segment, m int) bool {
	label := seg.labels[m]
	rest := strings.TrimSpace(seg.text[seg.tokens[label.To-1].End:])
	return rest == "" || rest[0] == ':' || rest == "." || !label.Weak && textrules.IsIdeographic(seg.text) || strings.HasPrefix(rest, "/")
}

// named reads the name at the places of a label.
func (p *parties) named(at, k, m int) (naming, bool) {
	seg := p.s.lines[at].segments[k]
	places := p.s.places(at, k, m)
	end := seg.tokens[seg.labels[m].To-1].End
	rest := strings.Trim(seg.text[end:], " :.-=#)(/")
	if m+1 < len(seg.labels) && seg.labels[m+1].Role == textrules.RoleBuyer {
		rest = "" // "Käufer/Leistungsempfänger"
	}
	if rest != "" {
		places = places[:1]
	} else if under := p.s.under(at, seg); !strings.HasSuffix(strings.TrimSpace(seg.text), ":") || len(places) == 0 || places[0].seg.startsWithLabel() {
		places = append(under, places...)
	} else {
		places = append(places, under...)
	}
	for _, u := range p.s.under(at, seg) {
		if n, ok := p.nameRow(u.seg); ok && rest == "" {
			n.weight = 1
			return n, true
		}
	}
	for _, pl := range places {
		if n, ok := p.nameAt(pl); ok {
			n.weight = pl.factor
			return n, true
		}
	}
	return naming{}, false
}

// under returns the texts directly below a label that are aligned with it.
func (s *parsedDocument) under(at int, seg *segment) []place {
	var out []place
	const lines = 4
	for _, l := range s.lines[at+1 : min(at+1+lines, len(s.lines))] {
		for _, b := range l.segments {
			if b.page == seg.page && abs(b.x0-seg.x0) < 1.2*s.height && b.y0-seg.y1 < 7*s.height {
				out = append(out, place{b, 0, 0.95})
			}
		}
	}
	return out
}

// nameAt reads a name from a place, or from the line below if the place starts with a
// label such as "Name:" or a number.
func (p *parties) nameAt(pl place) (naming, bool) {
	seg := pl.seg
	from := pl.from
	if from == 0 && seg.startsWithLabel() {
		first := seg.labels[0]
		switch first.Role {
		case textrules.RoleBuyer, textrules.RoleSeller: // "ATTN: name", but not a name such as "Lieferant GmbH"
			from = seg.tokens[first.To-1].End
			if !strings.HasPrefix(strings.TrimSpace(seg.text[from:]), ":") {
				from = 0
			}
			if strings.Trim(seg.text[from:], " :.") == "" {
				return naming{}, false
			}
		default:
			if n, ok := p.nameRow(seg); ok {
				return n, true
			}
			return naming{}, false
		}
	}
	name := trimName(seg.text[from:])
	if from == 0 && strings.HasSuffix(seg.text, ":") {
		if n, ok := p.nameRow(seg); ok {
			return n, true
		}
	}
	if !isName(name) {
		return naming{}, false
	}
	return naming{name: name, seg: seg}, true
}

var attention = textrules.MustPattern(`(?i)^(?:attn|att|attention|c/o|z\.? ?hd\.?|t\.a\.v\.|name|firma|company|to the attention of)\s*[:.]\s*`)

// trimName removes an address, a salutation or a second part from a name.
func trimName(text string) string {
	original := text
	text = strings.Trim(text, " :.-=#/")
	text = attention.ReplaceAllString(text, "")
	if strings.Count(text, "(") == 0 {
		text = strings.TrimRight(text, ")")
	}
	for _, suffix := range []string{" 御中", "御中", " 様", "様"} {
		text = strings.TrimSuffix(text, suffix)
	}
	if parts := separators.Split(text); len(parts) > 2 || len(parts) == 2 && strings.ContainsAny(parts[1], "0123456789") {
		text = parts[0]
	}
	parts := strings.Split(text, ",")
	name := parts[0]
	if n := listedNames(parts); n > 1 {
		name, parts = strings.Join(parts[:n], ","), parts[n-1:]
	}
	for _, part := range parts[1:] {
		words := strings.Fields(part)
		if len(words) == 0 || !textrules.IsLegalForm(words[0]) || len(words) > 2 {
			break
		}
		name += "," + part
	}
	name = cutAfterForm(strings.Trim(name, " ;:-"))
	return restoreStop(name, original)
}

// listedNames returns how many parts between commas make one name of several people:
// "Wade, Martin and Bernard".
func listedNames(parts []string) int {
	const most = 4
	for i, part := range parts[:min(len(parts), most)] {
		words := strings.Fields(part)
		if len(words) == 0 || len(words) > 5 || hasDigit(part) || i == 0 && textrules.IsCompany(part) {
			return 0
		}
		if i > 0 && slices.ContainsFunc(words[1:], joiner) {
			return i + 1
		}
	}
	return 0
}

// cutAfterForm removes a house number and the following text after the legal form of
// a company.
func cutAfterForm(name string) string {
	words := strings.Fields(name)
	for i := 1; i+1 < len(words); i++ {
		if textrules.IsLegalForm(words[i]) && words[i+1][0] >= '0' && words[i+1][0] <= '9' {
			return strings.Join(words[:i+1], " ")
		}
	}
	return name
}

// restoreStop restores the full stop of an abbreviation such as "Inc.".
func restoreStop(name, text string) string {
	if i := strings.Index(text, name); i >= 0 && strings.HasPrefix(text[i+len(name):], ".") {
		return name + "."
	}
	return name
}

// isName reports whether a text can be the name of a party.
func isName(name string) bool {
	letters, digits := 0, 0
	if strings.HasPrefix(name, "(") || textrules.IsLegalForm(name) {
		return false
	}
	for _, r := range name {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	least := 3
	if textrules.IsIdeographic(name) {
		least = 2
	}
	if words := strings.Fields(name); len(words) > 7 && !textrules.IsCompany(name) {
		return false
	}
	if houseNumber.MatchString(name) && !textrules.IsCompany(name) {
		return false
	}
	if letters < least || digits > letters || len([]rune(name)) > 80 || contact.MatchString(name) || len(textrules.FindDates(name)) > 0 {
		return false
	}
	tokens := textrules.Tokens(name)
	covered := 0
	for _, m := range textrules.FindLabels(tokens) {
		covered += m.To - m.From
	}
	return covered < len(tokens)
}

// bySalutation reads the name before a Japanese form of address.
func (p *parties) bySalutation() {
	for _, seg := range p.s.segments {
		if strings.HasSuffix(seg.text, "御中") || strings.HasSuffix(seg.text, " 様") {
			if name := trimName(seg.text); isName(name) {
				p.buyer = append(p.buyer, naming{name: name, seg: seg, weight: 1, labelled: true})
			}
		}
	}
}

// bySenderLine reads the line above the window of an envelope with the sender's name
// and address, and the recipient below it.
func (p *parties) bySenderLine() {
	for i, seg := range p.s.segments {
		if seg.page != 1 || !hasDigit(seg.text) {
			continue
		}
		parts := separators.Split(seg.text)
		if len(parts) < 3 || contact.MatchString(seg.text) || !isName(parts[0]) || hasDigit(parts[0]) {
			continue
		}
		p.seller = append(p.seller, naming{name: trimName(parts[0]), seg: seg, weight: 0.9})
		for _, below := range p.s.segments[i+1:] {
			if below.page != 1 || below.y0-seg.y1 > 14*p.s.height {
				break
			}
			if name := trimName(below.text); abs(below.x0-seg.x0) < 2*p.s.height && !below.used && !below.startsWithLabel() && isName(name) {
				p.buyer = append(p.buyer, naming{name: name, seg: below, weight: 0.9})
				break
			}
		}
	}
}

// byBlocks evaluates addresses: one with a tax identifier or account is the seller's,
// and so is the first block of the page.
func (p *parties) byBlocks() {
	top := true
	for _, b := range p.blocks {
		name, first := p.nameOf(b)
		if first == nil {
			continue
		}
		company := textrules.IsCompany(name)
		weight := 0.0
		if company {
			weight = 0.35
		}
		for _, seg := range b.segments {
			for _, label := range seg.labels {
				switch label.Role {
				case textrules.RoleTaxID, textrules.RoleIBAN, textrules.RoleBIC, textrules.RoleRegistration:
					weight += 0.25
				}
			}
		}
		if first.page == 1 && top && first.y0 < p.s.lines[0].y0+12*p.s.height {
			weight += 0.4
		}
		top = top && !isName(name)
		if weight > 0 {
			p.seller = append(p.seller, naming{name: name, seg: first, weight: min(weight, 0.9)})
		}
	}
	for _, b := range p.blocks {
		p.byAddress(b)
	}
}

// nameOf returns the first line of a block, or the name of a company among its
// labelled lines.
func (p *parties) nameOf(b *block) (string, *segment) {
	labelled := false
	for _, seg := range b.segments {
		name := trimName(seg.text)
		if seg.startsWithLabel() && !textrules.IsCompany(name) || len(seg.dates) > 0 {
			labelled = labelled || !p.s.titled(seg) && !invoicedTo(seg) || seg.labels[0].To < len(seg.tokens)
			continue
		}
		if isName(name) && (!labelled || textrules.IsCompany(name)) {
			return name, seg
		}
		if !labelled {
			return "", nil
		}
	}
	return "", nil
}

// byAddress treats the lines up to a post code and a town as a possible address of
// the buyer.
func (p *parties) byAddress(b *block) {
	const most = 5 // maximum lines of an address before its town
	for i, seg := range b.segments {
		if seg.page != 1 || i == 0 || !seg.hasPostcode() || len(seg.labels) > 0 || len(seg.dates) > 0 {
			continue
		}
		start := i
		for start > 0 && i-start < most {
			above := b.segments[start-1]
			if len(above.labels) > 0 && !textrules.IsCompany(above.text) || len(above.dates) > 0 || b.segments[start].y0-above.y1 > 1.8*p.s.height {
				break
			}
			start--
		}
		if name := trimName(b.segments[start].text); start < i && isName(name) {
			p.buyer = append(p.buyer, naming{name: name, seg: b.segments[start], weight: 0.3})
			return
		}
	}
}

var soldBy = textrules.MustPattern(`(?i)(?:sold by|payable to|on behalf of|provided by)\s+([^.]{3,60}\.?)`)

// byPhrases reads sentences with the seller's name.
func (p *parties) byPhrases() {
	for _, seg := range p.s.segments {
		if m := soldBy.FindStringSubmatch(seg.text); m != nil {
			if name := trimName(m[1]); isName(name) {
				p.seller = append(p.seller, naming{name: name, seg: seg, weight: 0.4})
			}
		}
	}
}

// best returns the name with the strongest evidence. sure is its confidence.
func best(names []naming, other string) (naming, float64) {
	type tally struct {
		first    naming
		sum, top float64
		sources  int
		labelled bool
	}
	byName := map[string]*tally{}
	var order []*tally
	for _, n := range names {
		key := invoice.FoldName(n.name)
		if key == "" || key == other {
			continue
		}
		t := byName[key]
		if t == nil {
			t = &tally{first: n}
			byName[key] = t
			order = append(order, t)
		}
		t.sum += n.weight
		t.top = max(t.top, n.weight)
		t.sources++
		t.labelled = t.labelled || n.labelled
	}
	if len(order) == 0 {
		return naming{}, 0
	}
	slices.SortStableFunc(order, func(a, b *tally) int {
		if a.labelled != b.labelled {
			if a.labelled {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.sum, a.sum)
	})
	t := order[0]
	rival := 0.0
	if len(order) > 1 && order[1].labelled == t.labelled {
		rival = order[1].sum
	}
	switch {
	case t.labelled && rival == 0:
		return t.first, 0.96
	case t.labelled:
		return t.first, 0.6
	case t.sum >= 1 && t.sum > 1.5*rival:
		return t.first, 0.93
	case t.sum >= 0.7 && t.sum > 1.5*rival:
		return t.first, 0.85
	}
	return t.first, 0.6
}
