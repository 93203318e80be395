package pdftext

import (
	"slices"
	"strings"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// taxID is a tax identifier with its position.
type taxID struct {
	id    string
	buyer bool // its label is that of the buyer
	valid bool
	seg   *segment
}

var (
	idPart = textrules.MustPattern(`^[A-Z0-9][A-Z0-9./-]*$|^[A-Z]{2,3}$`)
	// euTaxID matches VAT identifiers that are recognizable by their format.
	euTaxID = textrules.MustPattern(`\b(?:ATU\d{8}|BE[01]\d{9}|BG\d{9,10}|DE\d{9}|DK\d{8}|EL\d{9}|ES[A-Z0-9]\d{7}[A-Z0-9]|FI\d{8}|FR[A-Z0-9]{2}\d{9}|GB\d{9}|HU\d{8}|IE\d[A-Z0-9]\d{5}[A-Z]{1,2}|IT\d{11}|LU\d{8}|NL\d{9}B\d{2}|PL\d{10}|PT\d{9}|RO\d{2,10}|SE\d{12}|CHE-?\d{3}\.?\d{3}\.?\d{3})\b`)
)

// taxIDs returns the tax identifiers of the document.
func (s *parsedDocument) taxIDs() []taxID {
	var out []taxID
	for i, l := range s.lines {
		for k, seg := range l.segments {
			if seg.used {
				continue
			}
			labelled := false
			for m, label := range seg.labels {
				switch label.Role {
				case textrules.RoleTaxID, textrules.RoleBuyerTaxID, textrules.RoleTax:
				default:
					continue
				}
				for _, p := range s.places(i, k, m) {
					id, valid := idAt(p.seg.text[p.from:])
					if id == "" || label.Role == textrules.RoleTax && !euTaxID.MatchString(squeeze(id)) {
						continue
					}
					labelled = true
					out = append(out, taxID{id: id, buyer: label.Role == textrules.RoleBuyerTaxID, valid: valid, seg: p.seg})
					break
				}
			}
			if m := euTaxID.FindString(seg.text); m != "" && !labelled && len(out) == 0 {
				if valid, known := invoice.ValidTaxID(m, ""); valid && known && len(seg.words) == 1 {
					out = append(out, taxID{id: m, valid: true, seg: seg})
				}
			}
		}
	}
	return out
}

func squeeze(id string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '.' {
			return -1
		}
		return r
	}, id)
}

// wholeNumber is the number of digits from which a word is a number of its own, and no
// group of digits of an identifier.
const wholeNumber = 8

// idAt reads a tax identifier at the start of a text: words with capitals and digits,
// as many as make a valid identifier, or else all of them.
func idAt(text string) (id string, valid bool) {
	text = strings.TrimLeft(text, " :.=#-–°ºª()/")
	var parts []string
	longest := ""
	fields := strings.Fields(text)
	for i, w := range fields {
		last := strings.ContainsAny(w[len(w)-1:], ",;:)")
		w = strings.TrimRight(w, ",;:).")
		if !idPart.MatchString(w) || len(textrules.FindDates(w)) > 0 {
			break
		}
		if len(parts) > 0 && !hasDigit(w) && !isTaxSuffix(w) {
			break
		}
		if countDigits(longest) >= wholeNumber && countDigits(w) >= wholeNumber {
			break // another number follows
		}
		parts = append(parts, w)
		joined := strings.Join(parts, " ")
		digits := countDigits(joined)
		if digits > 15 {
			break
		}
		if valid, known := invoice.ValidTaxID(squeeze(joined), ""); valid && known {
			if i+1 < len(fields) && !last && isTaxSuffix(fields[i+1]) {
				joined += " " + fields[i+1]
			}
			return joined, true
		}
		if digits >= 7 {
			longest = joined
		}
		if last {
			break
		}
	}
	return longest, false
}

// isTaxSuffix reports whether a word is the end of a country's tax identifiers.
func isTaxSuffix(word string) bool {
	return word == "MVA" || word == "MWST" || word == "TVA" || word == "IVA"
}

func countDigits(s string) int {
	n := 0
	for _, c := range []byte(s) {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}

// assignTaxIDs assigns identifiers to seller and buyer: by the label, or else by the
// nearest name above.
func (s *parsedDocument) assignTaxIDs(ids []taxID, seller, buyer *segment) (ofSeller, ofBuyer []taxID) {
	for _, id := range ids {
		switch {
		case id.buyer, nearer(s, id.seg, buyer, seller):
			ofBuyer = append(ofBuyer, id)
		default:
			ofSeller = append(ofSeller, id)
		}
	}
	return ofSeller, ofBuyer
}

// nearer reports whether a segment is below a and not below b: in the same column,
// and closer.
func nearer(s *parsedDocument, seg, a, b *segment) bool {
	if a == nil || a.page != seg.page || seg.line < a.line || abs(seg.x0-a.x0) > 14*s.height && abs(seg.x1-a.x1) > 14*s.height {
		return false
	}
	const reach = 12 // in line heights
	if seg.y0-a.y1 > reach*s.height*1.8 {
		return false
	}
	for _, l := range s.lines[a.line:seg.line] {
		for _, between := range l.segments {
			if abs(between.x0-seg.x0) > 3*s.height && abs(between.x0-a.x0) > 3*s.height {
				continue
			}
			for _, m := range between.labels {
				switch m.Role {
				case textrules.RoleTitle, textrules.RoleCreditTitle, textrules.RoleNumber, textrules.RoleIssueDate:
					return false
				}
			}
		}
	}
	return b == nil || b.page != seg.page || b.line > seg.line || b.line < a.line || abs(seg.x0-b.x0) > abs(seg.x0-a.x0)+4*s.height
}

var ibanForm = textrules.MustPattern(`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){2,7}(?: ?[A-Z0-9]{1,4})?\b`)

// iban is an account number with its position.
type iban struct {
	text  string
	valid bool
	seg   *segment
}

// ibans returns the account numbers of the document without duplicates.
func (s *parsedDocument) ibans() []iban {
	var out []iban
	for _, seg := range s.segments {
		labelled := slices.ContainsFunc(seg.labels, func(m textrules.Match) bool { return m.Role == textrules.RoleIBAN })
		for _, m := range ibanForm.FindAllString(seg.text, -1) {
			text, valid := trimIBAN(m)
			if !valid && !labelled || slices.ContainsFunc(out, func(o iban) bool { return o.text == text }) {
				continue
			}
			out = append(out, iban{text, valid, seg})
		}
	}
	return out
}

// trimIBAN removes words after the account number.
func trimIBAN(text string) (string, bool) {
	for cut := text; ; {
		plain := strings.ReplaceAll(cut, " ", "")
		if valid, known := invoice.ValidIBAN(plain); valid && known {
			return plain, true
		}
		at := strings.LastIndexByte(cut, ' ')
		if at < 0 {
			return strings.ReplaceAll(text, " ", ""), false
		}
		cut = cut[:at]
	}
}
