package pdftext

import (
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// taxForms are the formats of tax identifiers that are recognizable without a label.
// Identifiers that consist only of digits need a label.
var taxForms = []struct {
	name string
	form *textrules.Pattern
}{
	{"eu", textrules.MustPattern(`\b(?:ATU ?\d{8}|BE ?[01]\d{3}[. ]?\d{3}[. ]?\d{3}|BG ?\d{9,10}|CY ?\d{8}[A-Z]|CZ ?\d{8,10}|DE ?\d{3} ?\d{3} ?\d{3}|DK ?\d{2} ?\d{2} ?\d{2} ?\d{2}|EE ?\d{9}|EL ?\d{9}|ES ?-?[A-Z0-9]-?\d{7}-?[A-Z0-9]|FI ?\d{7}-?\d|FR ?[A-Z0-9]{2} ?\d{3} ?\d{3} ?\d{3}|GB ?\d{3} ?\d{4} ?\d{2}|HR ?\d{11}|HU ?\d{8}|IE ?\d[A-Z0-9+*]\d{5}[A-Z]{1,2}|IT ?\d{11}|LT ?\d{9}(?:\d{3})?|LU ?\d{8}|LV ?\d{11}|MT ?\d{8}|NL ?\d{3}\.?\d{3}\.?\d{3}\.?B\.?\d{2}|PL ?\d{10}|PT ?\d{9}|RO ?\d{2,10}|SE ?\d{10}-?\d{2}|SI ?\d{8}|SK ?\d{10}|XI ?\d{9})\b`)},
	{"ch", textrules.MustPattern(`\bCHE[- ]?\d{3}\.?\d{3}\.?\d{3}(?: (?:MWST|TVA|IVA))?\b`)},
	{"no", textrules.MustPattern(`\b(?:NO ?)?\d{3} ?\d{3} ?\d{3} ?MVA\b`)},
	{"ca", textrules.MustPattern(`\b\d{5} ?\d{4} ?RT ?\d{4}\b|\b\d{9} ?RT ?\d{4}\b`)},
	{"in", textrules.MustPattern(`\b\d{2}[A-Z]{5}\d{4}[A-Z][0-9A-Z]Z[0-9A-Z]\b`)},
	{"mx", textrules.MustPattern(`\b[A-ZÑ&]{3,4}-?\d{6}-?[A-Z0-9]{3}\b`)},
	{"br", textrules.MustPattern(`\b\d{2}\.?\d{3}\.?\d{3}/\d{4}-?\d{2}\b`)},
	{"cpf", textrules.MustPattern(`\b\d{3}\.\d{3}\.\d{3}-\d{2}\b`)},
	{"es", textrules.MustPattern(`\b[A-HJNP-SUVWXYZ]-?\d{7}-?[0-9A-Z]\b|\b\d{8}-?[A-HJ-NP-TV-Z]\b`)},
	{"us", textrules.MustPattern(`\b\d{2}-\d{7}\b`)},
	{"pl", textrules.MustPattern(`\b\d{3}-\d{3}-\d{2}-\d{2}\b|\b\d{3}-\d{2}-\d{2}-\d{3}\b`)},
	{"hu", textrules.MustPattern(`\b\d{8}-\d-\d{2}\b`)},
	{"sg", textrules.MustPattern(`\b(?:19|20)\d{7}[A-Z]\b|\bM\d-?\d{7}-?[0-9A-Z]\b|\b[0-9]{8}[A-Z]\b|\b[STFG]\d{2}[A-Z]{2}\d{4}[A-Z]\b`)},
	{"jp", textrules.MustPattern(`\bT\d{13}\b`)},
	{"fi", textrules.MustPattern(`\b\d{7}-\d\b`)},
	{"ie", textrules.MustPattern(`\b\d{7}[A-W][A-I]?\b`)},
	{"cn", textrules.MustPattern(`\b9[0-9A-Z]{17}\b`)},
	{"se", textrules.MustPattern(`\b\d{6}-\d{4}\b`)},
	{"digits", textrules.MustPattern(`\b\d{2,3}(?:[ .-]?\d{2,3}){2,5}(?:[ -]\d)?\b|\b\d{8,15}\b`)},
}

// taxIDCandidates returns the possible tax identifiers.
func (s *parsedDocument) taxIDCandidates(seller, buyer *segment, training bool) []candidate {
	ruled := map[string]bool{}
	owned := map[string]bool{} // labelled as the buyer's
	for _, id := range s.taxIDs() {
		ruled[squeeze(id.id)] = true
		if id.buyer {
			owned[squeeze(id.id)] = true
		}
	}
	accounts := map[*segment]bool{}
	for _, i := range s.ibans() {
		accounts[i.seg] = i.valid
	}
	counts := map[string]int{}
	var out []candidate
	for _, seg := range s.segments {
		const fewest = 6 // minimum digits of a tax identifier
		if seg.used && len(seg.labels) == 0 || len(out) >= maxCandidates || countDigits(seg.text) < fewest {
			continue
		}
		upper := seg.text
		var taken [][2]int
		characters := textrules.CharactersOf(upper)
		for k, form := range taxForms {
			if !form.form.MayMatch(&characters, upper) {
				continue
			}
			for _, at := range identifiersOf(upper, form.form.FindAllStringIndex(upper, 6)) {
				if overlaps(taken, at[0], at[1]) || overlapsDate(seg, at[0], at[1]) {
					continue
				}
				labelled := false
				around := s.around(seg, at[0], at[1])
				for _, t := range []tag{around.same, around.left, around.above, around.next} {
					switch t.group {
					case groupTaxID, groupBuyerTaxID, groupRegistration, groupTotal:
						labelled = true
					}
				}
				if form.name == "digits" && !labelled {
					continue
				}
				taken = append(taken, [2]int{at[0], at[1]})
				value := strings.TrimSpace(upper[at[0]:at[1]])
				counts[squeeze(value)]++
				c := candidate{found: found{value: value, seg: seg}}
				c.from, c.to = seg.wordsAt(at[0], at[1])
				c.features = newFeatures(rankTaxID, training)
				f := &c.features
				f.addLabels(around, groupTaxID, groupBuyerTaxID, groupRegistration, groupTotal, groupContact, groupOther, groupBuyer, groupSeller, groupAccount, groupNumber)
				f.addPlace(s, seg)
				f.add("form", float64(k))
				f.flag("distinctive", distinctive(form.name))
				valid, known := invoice.ValidTaxID(squeeze(value), "")
				f.flag("valid", valid && known)
				f.flag("invalid", known && !valid)
				f.flag("rule", ruled[squeeze(value)])
				f.flag("buyer_rule", owned[squeeze(value)])
				f.flag("account", accounts[seg])
				f.add("count", float64(min(counts[squeeze(value)], 4)))
				f.add("digits", float64(countDigits(value)))
				f.add("index", float64(min(len(out), 20)))
				f.addNear(s, seg, seller, "seller")
				f.addNear(s, seg, buyer, "buyer")
				s.addSection(f, seg)
				f.addOwner(s, seg, seller, buyer)
				f.flag("footer", seg.y0 > 0.85*s.sizes[seg.page][1])
				f.flag("money", isMoneyAt(seg, c.from, c.to) && form.name == "digits")
				f.flag("label_word", labelled)
				f.flag("vat_word", vatWord(seg.text))
				out = append(out, c)
			}
		}
	}
	return out
}

// identifiersOf separates matches that contain several complete identifiers, such as a tax
// identifier and a telephone number with only a space between them. Groups of digits of one
// identifier are shorter.
func identifiersOf(text string, matches [][]int) [][]int {
	var out [][]int
	for _, at := range matches {
		from := at[0]
		for i := at[0]; i < at[1]; i++ {
			if text[i] != ' ' || countDigits(text[from:i]) < completeTaxID || countDigits(text[i:at[1]]) < completeTaxID ||
				strings.ContainsAny(text[from:i], " .-") {
				continue
			}
			out = append(out, []int{from, i})
			from = i + 1
		}
		end := at[1]
		if first, rest := firstGroup(text[from:end]); rest != "" && validTaxID(first) && !isSIRET(text, first+squeeze(rest)) {
			end = from + len(first)
		}
		out = append(out, []int{from, end})
	}
	return out
}

// completeTaxID is the number of digits of a tax identifier without spaces.
const completeTaxID = 8

// firstGroup separates the first group of digits of an identifier that can be a complete one from the
// digits behind it; rest is "" if it cannot, or if letters follow as in "460776242 RT0001".
func firstGroup(id string) (first, rest string) {
	first, rest, found := strings.Cut(id, " ")
	if !found || len(first) < completeTaxID || strings.Trim(first, "0123456789") != "" || !hasDigit(rest) || strings.ContainsFunc(rest, unicode.IsLetter) {
		return id, ""
	}
	return first, rest
}

// validTaxID reports whether digits are a valid tax identifier of any country.
func validTaxID(digits string) bool {
	for _, country := range []string{"AT", "BE", "DE", "DK", "ES", "FI", "FR", "GB", "HU", "IT", "LU", "NL", "NO", "PL", "PT", "SE"} {
		if valid, _ := invoice.ValidTaxID(digits, country); valid {
			return true
		}
	}
	return false
}

// isSIRET reports whether digits of a text are the number of a French establishment: it has this name, or
// the whole satisfies the Luhn formula as the company does. Its last five digits can be printed apart.
func isSIRET(text, digits string) bool {
	const company, whole = 9, 14
	return len(digits) == whole && strings.Trim(digits, "0123456789") == "" && invoice.Luhn(digits[:company]) &&
		(invoice.Luhn(digits) || strings.Contains(textrules.Fold(text), "siret"))
}

// withRemainder reports whether digits follow a group of digits that can be a complete identifier: they
// can be another number.
func withRemainder(text, id string) bool {
	_, rest := firstGroup(id)
	return rest != "" && !isSIRET(text, squeeze(id))
}

// distinctive reports whether identifiers of a form are hardly ever other numbers.
func distinctive(form string) bool {
	switch form {
	case "eu", "ch", "no", "ca", "in", "br", "jp", "cn":
		return true
	}
	return false
}

func vatWord(text string) bool {
	for _, t := range textrules.Tokens(text) {
		switch t.Text {
		case "vat", "ust", "mwst", "uid", "tva", "iva", "btw", "nif", "cif", "nip", "dic", "cvr", "mva", "moms", "alv", "gst", "abn", "ein", "rfc", "cnpj", "gstin", "vkn", "αφμ", "adoszam", "piva":
			return true
		}
	}
	return false
}

func overlaps(taken [][2]int, start, end int) bool {
	for _, t := range taken {
		if start < t[1] && t[0] < end {
			return true
		}
	}
	return false
}

// addOwner adds which party's name is closer to a segment, and in its block.
func (f *features) addOwner(s *parsedDocument, seg, seller, buyer *segment) {
	distance := func(name *segment) float64 {
		if name == nil || name.page != seg.page {
			return 200
		}
		return min(200, abs(seg.y0-name.y0)/s.height+0.5*abs(seg.x0-name.x0)/s.height)
	}
	f.add("closer", max(-60, min(60, distance(buyer)-distance(seller))))
	ofSeller, ofBuyer := false, false
	for _, b := range s.findParties().blocks {
		if !slices.Contains(b.segments, seg) {
			continue
		}
		ofSeller = seller != nil && slices.Contains(b.segments, seller)
		ofBuyer = buyer != nil && slices.Contains(b.segments, buyer)
		break
	}
	f.flag("seller_block", ofSeller)
	f.flag("buyer_block", ofBuyer)
}

// addNear adds the position of a segment relative to the name of a party.
func (f *features) addNear(s *parsedDocument, seg, name *segment, who string) {
	same, line, dy, dx := false, false, 99.0, 99.0
	if name != nil {
		if name.page == seg.page {
			dy = (seg.y0 - name.y0) / s.height
			dx = (seg.x0 - name.x0) / s.height
		}
		same = name == seg
		line = name.line == seg.line
	}
	f.flag(f.joined(who, "_segment"), same)
	f.flag(f.joined(who, "_line"), line)
	f.add(f.joined(who, "_dy"), max(-99, min(dy, 99)))
	f.add(f.joined(who, "_dx"), max(-99, min(dx, 99)))
	f.flag(f.joined(who, "_under"), name != nil && dy > 0 && dy < 14 && dx > -6 && dx < 6)
}
