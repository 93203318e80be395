package pdftext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// asStated is the key of values that have one form.
func asStated(value string) string { return value }

// least is the minimum confidence of an optional value. Below it, the value stays
// empty.
const least = 0.45

// leastDue is the minimum probability of a due date. Many documents state none.
const leastDue = 0.55

// chooseNumber returns the invoice number.
func (s *parsedDocument) chooseNumber() (found, float64, bool) {
	all := s.numberCandidates(s.training != nil)
	s.traced(rankNumber, all)
	m := models()[rankNumber]
	if m == nil {
		return choose(s.numbers())
	}
	best, confidence, others := m.best(all, strings.ToLower)
	if best == nil || confidence < 0.1 {
		return found{}, 0, false
	}
	labelled := s.numbers()
	if contested(labelled) && rivalled(others) || utf8.RuneCountInString(best.value) < shortNumber && !confirms(labelled, best.value) {
		confidence = min(confidence, contestedConfidence)
	}
	if pair := s.pairAmong(best.value); pair != nil && s.doubts(pair, labelled) {
		confidence = min(confidence, contestedConfidence)
	}
	if rest := titleBefore(best.value); rest != "" {
		confidence = min(confidence, contestedConfidence)
		best.alternatives = appendNew(best.alternatives, rest)
	}
	if startsWithOtherLabel(best.value) {
		confidence = min(confidence, contestedConfidence)
	}
	if rest := best.behindSign(); rest != "" {
		confidence = min(confidence, contestedConfidence)
		best.alternatives = appendNew(best.alternatives, rest)
	}
	if series := s.seriesBefore(best); series != "" {
		confidence = min(confidence, contestedConfidence)
		best.alternatives = appendNew(best.alternatives, best.value)
		best.value = series + " " + best.value
	}
	best.note(others, confidence)
	return best.found, confidence, true
}

// contestedConfidence is the maximum confidence of a value if another value has
// equally strong labels.
const contestedConfidence = 0.75

// shortNumber is the length below which a number needs an unambiguous label, because
// pages and positions are numbered as well.
const shortNumber = 3

// strongLabel is the weight of a value with an unambiguous label.
const strongLabel = 0.95

// confirms reports whether an unambiguous label belongs to a value.
func confirms(all []found, value string) bool {
	return slices.ContainsFunc(all, func(f found) bool { return f.weight >= strongLabel && strings.EqualFold(f.value, value) })
}

// rivalled reports whether another value has a relevant probability.
func rivalled(others []*candidate) bool {
	const remote = 0.04
	return len(others) > 0 && others[0].p > remote
}

// contested reports whether unambiguous labels of the field belong to two different
// values. A short value does not contest a longer one.
func contested(all []found) bool {
	isStrong := func(f found) bool { return f.weight >= strongLabel && !f.seg.isProse() }
	isLong := func(f found) bool { return utf8.RuneCountInString(f.value) >= shortNumber }
	hasLong := slices.ContainsFunc(all, func(f found) bool { return isStrong(f) && isLong(f) })
	first := ""
	for _, f := range all {
		switch {
		case !isStrong(f) || hasLong && !isLong(f):
		case first == "":
			first = f.value
		case !strings.EqualFold(first, f.value):
			return true
		}
	}
	return false
}

// note adds the values that are as likely as an uncertain one.
func (c *candidate) note(others []*candidate, confidence float64) {
	if confidence >= likely {
		return
	}
	for _, o := range others {
		if o.p > 0.05 {
			c.alternatives = appendNew(c.alternatives, o.value)
		}
	}
}

// chooseDate returns the date of issue or the due date.
func (s *parsedDocument) chooseDate(role textrules.Role) (found, float64, bool) {
	field, floor := rankIssue, 0.1
	if role == textrules.RoleDueDate {
		field, floor = rankDue, leastDue
	}
	all := s.dateCandidates(role, s.training != nil)
	s.traced(field, all)
	m := models()[field]
	if m == nil {
		return choose(s.datesOf(role))
	}
	if role == textrules.RoleDueDate {
		all = slices.DeleteFunc(all, func(c candidate) bool { return c.seg.isDiscountTerm() || s.tooLate(&c) })
	}
	best, confidence, others := m.best(all, asStated)
	if role == textrules.RoleDueDate && best != nil && best.p >= leastPaying && s.onlyPaying(best, all) {
		confidence, floor = max(confidence, probable), leastPaying
	}
	if best == nil || best.p < floor {
		return found{}, 0, false
	}
	best.note(others, confidence)
	return best.found, confidence, true
}

// tooLate reports whether a date without its century is years after the issue date: the number of an
// account in groups, such as a British sort code, can be read as one.
func (s *parsedDocument) tooLate(due *candidate) bool {
	const longest = 3 * 366 // days
	return !s.issued.IsZero() && s.issued.AddDays(longest).Before(due.date) && !strings.Contains(due.seg.text, due.date.String()[:4])
}

// leastAlone is the minimum probability of a party if no other name can be it.
const leastAlone = 0.1

// party is the chosen name of a seller or buyer.
type party struct {
	naming
	confidence   float64
	alternatives []string
	again        []*segment // where the name is printed as well
}

// chooseParties returns the seller and the buyer: the most likely pair of different
// names.
func (s *parsedDocument) chooseParties() (seller, buyer party) {
	facts := s.nameFacts()
	all := s.partyCandidates(facts, s.training != nil)
	s.traced(rankSeller, all)
	s.traced(rankBuyer, all)
	sells, buys := models()[rankSeller], models()[rankBuyer]
	if sells == nil || buys == nil {
		return s.ruledParties()
	}
	sellers, buyers := exclude(facts.complete(sells.values(all, invoice.FoldName)), facts.complete(buys.values(all, invoice.FoldName)))
	if len(sellers) == 0 {
		return seller, buyer
	}
	facts.completeBrands(sellers)
	a, b := sellers[0], buyers[0]
	confidence, sure := sells.calibrated(a.p), buys.calibrated(b.p)
	if facts.stated(a, sellers, groupSeller) {
		confidence = max(confidence, probable)
	}
	if facts.stated(b, buyers, groupBuyer) {
		sure = max(sure, probable)
	}
	if a.key == b.key {
		best := -1.0
		for _, x := range sellers[:min(len(sellers), 1+maxOthers)] {
			for _, y := range buyers[:min(len(buyers), 1+maxOthers)] {
				if joint := x.p * y.p; x.key != y.key && joint > best {
					best, a, b = joint, x, y
				}
			}
		}
		confidence, sure = min(sells.calibrated(a.p), doubtful), min(buys.calibrated(b.p), doubtful)
	}
	owned := false
	if x, y := facts.owner(sellers, buyers); x != nil {
		owned = true
		a, b = x, y
		confidence, sure = max(sells.calibrated(a.p), probable), max(buys.calibrated(b.p), probable)
	}
	if startsLower(a.value) || facts.formBelow(a) || a.isSpaced() || facts.withLabel(a) {
		confidence = min(confidence, contestedConfidence) // a logo, a part of a name, or uncertain spaces
	}
	if b.isSpaced() {
		sure = min(sure, contestedConfidence)
	}
	// The confidence of one party raises that of the other, if no other name can be it.
	alone := confidence < probable != (sure < probable) && a.key != b.key && min(a.p, b.p) >= leastAlone && facts.onlyParties(a, b, sellers)
	if alone {
		confidence, sure = max(confidence, probable), max(sure, probable)
	}
	// Banks have an address, too. The beginning of its name in the letterhead shows that the seller is none.
	if a.assumed && !alone || len(a.again) == 0 && facts.headsAccount(a) || facts.contestsSeller(a, b, sellers) {
		confidence = min(confidence, contestedConfidence)
	}
	seller = party{naming: naming{name: a.value, seg: a.seg}, confidence: confidence, again: a.again}
	for _, o := range sellers {
		if o != a && o.p > 0.05 && confidence < likely {
			seller.alternatives = appendNew(seller.alternatives, o.value)
		}
	}
	if b.p < 0.15 && !owned {
		if b.p < remoteBuyer && !s.labelsBuyer() && s.addresses() < 2 && (b.p < absentBuyer || !facts.hasAddress(b)) {
			buyer.confidence = probable // the document states none, as receipts do
		}
		return seller, buyer
	}
	for _, other := range []string{facts.nameAbove(b), facts.nameBelow(b)} {
		// A company with a legal form is not the contact of a name without one.
		if other != "" && (!textrules.IsCompany(b.value) || textrules.IsCompany(other)) {
			sure = min(sure, contestedConfidence)
			buyers = append([]*candidate{b, {found: found{value: other}, p: 0.1}}, buyers...)
		}
	}
	if facts.headsNumber(b) {
		sure = min(sure, contestedConfidence)
	}
	if other := facts.addressed(b, a, buyers); other != nil {
		sure = min(sure, contestedConfidence)
		buyers = append([]*candidate{b, {found: other.found, p: max(other.p, 0.1)}}, buyers...)
	}
	buyer = party{naming: naming{name: b.value, seg: b.seg}, confidence: sure, again: b.again}
	for _, o := range buyers {
		if o != b && o.p > 0.05 && sure < likely {
			buyer.alternatives = appendNew(buyer.alternatives, o.value)
		}
	}
	if sure <= contestedConfidence && slices.ContainsFunc(buyer.alternatives, func(o string) bool { return sameName(o, a.value) }) {
		seller.confidence = min(confidence, contestedConfidence) // it can be the buyer
	}
	if confidence <= contestedConfidence && slices.ContainsFunc(seller.alternatives, func(o string) bool { return sameName(o, b.value) }) {
		buyer.confidence = min(sure, contestedConfidence)
	}
	return seller, buyer
}

const (
	// absentBuyer is the probability below which no text can be the buyer's name.
	absentBuyer = 0.03
	// remoteBuyer is the probability below which a text without an address is not the
	// buyer's name.
	remoteBuyer = 0.08
)

// isSpaced reports whether a name is printed with a space after each letter.
func (c *candidate) isSpaced() bool {
	return c.seg != nil && slices.ContainsFunc(c.seg.words[min(c.from, len(c.seg.words)):], func(w word) bool { return w.spacing > 0 })
}

// addresses returns how many lines of the first page consist of a post code and a
// town.
func (s *parsedDocument) addresses() int {
	n := 0
	for _, seg := range s.segments {
		if seg.page == 1 && !seg.used && splitTown(seg.text, &invoice.Address{}) {
			n++
		}
	}
	return n
}

// labelsBuyer reports whether the document has a label of the buyer.
func (s *parsedDocument) labelsBuyer() bool {
	return slices.ContainsFunc(s.segments, func(seg *segment) bool {
		return slices.ContainsFunc(seg.labels, func(m textrules.Match) bool {
			return m.Role == textrules.RoleBuyer && !m.Weak && m.From <= 1
		})
	})
}

// startsLower reports whether a name begins in lower case, and not with a particle of a
// surname: "van Dam".
func startsLower(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	if !unicode.IsLower(r) {
		return false
	}
	first, rest, _ := strings.Cut(name, " ")
	return !textrules.IsWord("particle", first) || !strings.ContainsFunc(rest, unicode.IsUpper)
}

// nameAbove returns the text directly above a name in its block if it can be a name
// as well: one of them is the company, and the other one its contact.
func (n *nameFacts) nameAbove(c *candidate) string {
	b, at := n.blocks[c.seg], n.index[c.seg]
	if b == nil || at == 0 || c.from > 0 {
		return ""
	}
	above := b.segments[at-1]
	if c.seg.y0-above.y1 > 1.2*n.s.height {
		return ""
	}
	if n.isTown(above) {
		return "" // the end of a sender line with two lines
	}
	if (at == 1 || pureLabel(b.segments[at-2]) || b.segments[at-2].hasPostcode()) && hasDigit(above.text) && !above.hasPostcode() && !namesStreet(above.text) && len(above.labels) == 0 && len(above.words) > 2 {
		return trimName(above.text) // the name of a building or an association
	}
	return otherName(above, c.value)
}

// nameBelow returns the text directly below a name without a legal form if it can be a
// name as well: the chosen name can be the contact of a company.
func (n *nameFacts) nameBelow(c *candidate) string {
	b, at := n.blocks[c.seg], n.index[c.seg]
	if b == nil || at+1 >= len(b.segments) || textrules.IsCompany(c.value) || len(wordsFrom(c.seg, c.to)) > 0 {
		return ""
	}
	below := b.segments[at+1]
	if below.y0-c.seg.y1 > 1.3*n.s.height {
		return ""
	}
	if at+2 < len(b.segments) && b.segments[at+2].hasPostcode() && namesStreet(below.text) {
		return ""
	}
	if isAddressed(below.text) && len(strings.Fields(below.text)) > 2 && !isAddressed(c.value) && !textrules.IsCompany(below.text) {
		return "" // "Mrs Helen Ward" is the contact; "Dr Martens" and "Herr Foods" can be companies
	}
	return otherName(below, c.value)
}

// isAddressed reports whether a text begins with a form of address and a name follows it: "Mrs Ward". One
// letter needs a full stop, and initials are no form of address: "DL Painting".
func isAddressed(text string) bool {
	first, rest, _ := strings.Cut(text, " ")
	form := strings.TrimRight(first, ".")
	initials := form == strings.ToUpper(form) && rest != strings.ToUpper(rest)
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLetter(r) && (!initials || form != first) && (utf8.RuneCountInString(form) > 1 || form != first) && textrules.IsWord("honorific", form)
}

// otherName returns the text of a segment that can be a name other than the given one.
func otherName(seg *segment, name string) string {
	other := trimName(seg.text)
	labelled := pureLabel(seg) || slices.ContainsFunc(seg.labels, func(m textrules.Match) bool { return m.Role != textrules.RoleAddress })
	if labelled && !namesGoods(seg) && !isAddressed(seg.text) || len(seg.dates) > 0 || hasDigit(seg.text) && !(textrules.IsCompany(other) && other == seg.text) || !isName(other) || sameName(name, other) || textrules.IsWord("particle", other) {
		return ""
	}
	return other
}

// namesGoods reports whether a text only has labels that are also words for goods and services, and other
// words, as names do: "Oak Transport".
func namesGoods(seg *segment) bool {
	return !seg.onlyLabels() && !slices.ContainsFunc(seg.labels, func(m textrules.Match) bool {
		return m.Role != textrules.RoleCharge && m.Role != textrules.RoleCarried
	})
}

// addressed returns another name with an address if the chosen buyer has none: the
// chosen one can be a guest, a contact or the recipient of the goods.
func (n *nameFacts) addressed(buyer, seller *candidate, all []*candidate) *candidate {
	if n.hasAddress(buyer) {
		return nil
	}
	for _, c := range all {
		const remote = 0.005
		if c.p < remote {
			break
		}
		if c.key != buyer.key && c.key != seller.key && c.from == 0 && n.hasAddress(c) && !pureLabel(c.seg) && !sameName(n.blocks[c.seg].segments[0].text, seller.value) {
			return c
		}
	}
	return nil
}

// linesOfAddress is the maximum number of lines from a name to the post code of its address.
const linesOfAddress = 5

// hasAddress reports whether a post code is below a name in its block, or in its line.
func (n *nameFacts) hasAddress(c *candidate) bool {
	b, at := n.blocks[c.seg], n.index[c.seg]
	if b == nil {
		return false
	}
	if hasDigit(strings.Join(wordsFrom(c.seg, c.to), " ")) {
		return true
	}
	for _, seg := range b.segments[at+1 : min(at+1+linesOfAddress, len(b.segments))] {
		if seg.hasPostcode() && len(seg.dates) == 0 {
			return true
		}
	}
	return false
}

// wordsFrom returns the words of a segment from an index.
func wordsFrom(seg *segment, from int) []string {
	var out []string
	for _, w := range seg.words[min(from, len(seg.words)):] {
		out = append(out, w.text)
	}
	return out
}

// exclude adjusts the probabilities that values are the seller and the buyer: none of
// them is both.
func exclude(sellers, buyers []*candidate) (seller, buyer []*candidate) {
	sells, buys := map[string]float64{}, map[string]float64{}
	for _, c := range sellers {
		sells[c.key] = c.p
	}
	both := 0.0
	for _, c := range buyers {
		buys[c.key] = c.p
		both += c.p * sells[c.key]
	}
	rest := max(1-both, 1e-9)
	for _, c := range sellers {
		c.p *= (1 - buys[c.key]) / rest
	}
	for _, c := range buyers {
		c.p *= (1 - sells[c.key]) / rest
	}
	sortByProbability(sellers)
	sortByProbability(buyers)
	return sellers, buyers
}

func sameName(a, b string) bool { return invoice.FoldName(a) == invoice.FoldName(b) }

// ruledParties returns the parties according to labels and blocks.
func (s *parsedDocument) ruledParties() (seller, buyer party) {
	p := s.findParties()
	labelled := false
	for _, n := range p.buyer {
		labelled = labelled || n.labelled
	}
	if labelled {
		buyer.naming, buyer.confidence = best(p.buyer, "")
		seller.naming, seller.confidence = best(p.seller, invoice.FoldName(buyer.name))
	} else {
		seller.naming, seller.confidence = best(p.seller, "")
		buyer.naming, buyer.confidence = best(p.buyer, invoice.FoldName(seller.name))
		seller.confidence = min(seller.confidence, likely)
	}
	if buyer.name == "" && seller.seg != nil {
		buyer.naming, buyer.confidence = p.opposite(seller.seg)
	}
	return seller, buyer
}

// chooseTaxID returns the seller's tax identifier.
func (s *parsedDocument) chooseTaxID(seller, buyer *segment) (found, float64, bool) {
	all := slices.DeleteFunc(s.taxIDCandidates(seller, buyer, s.training != nil), func(c candidate) bool {
		return accountForm.MatchString(c.seg.text[c.seg.starts[c.from]:]) // the beginning of an IBAN
	})
	s.traced(rankTaxID, all)
	m := models()[rankTaxID]
	if m == nil {
		return found{}, 0, false
	}
	best, confidence, others := m.best(all, squeeze)
	if best == nil || best.p < 0.3 {
		return found{}, 0, false
	}
	if withRemainder(best.seg.text, best.value) {
		confidence = min(confidence, contestedConfidence)
		first, _ := firstGroup(best.value)
		best.alternatives = appendNew(best.alternatives, first)
	}
	best.note(others, confidence)
	return best.found, confidence, true
}
