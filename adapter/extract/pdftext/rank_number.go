package pdftext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/domain/extraction/textrules"
)

const (
	// maxCandidates is the maximum number of evaluated candidates of a field.
	maxCandidates = 400
	// maxIdentifier is the maximum length of an invoice number.
	maxIdentifier = 40
)

// numberCandidates returns the possible invoice numbers: words with digits, and pairs
// that a short prefix or a slash connects.
func (s *parsedDocument) numberCandidates(training bool) []candidate {
	counts := map[string]int{}
	for _, seg := range s.segments {
		for _, w := range seg.words {
			if hasDigit(w.text) {
				counts[trimIdentifier(w.text)]++
			}
		}
	}
	ruled := map[string]float64{}
	for _, f := range s.numbers() {
		ruled[f.value] = max(ruled[f.value], f.weight)
	}
	accounts := map[*segment]bool{}
	for _, i := range s.ibans() {
		accounts[i.seg] = i.valid
	}
	var out []candidate
	add := func(seg *segment, from, to int, value string, label *tag) {
		if len(out) >= maxCandidates || value == "" || utf8.RuneCountInString(value) > maxIdentifier || !hasDigit(value) || strings.ContainsAny(value, "@%€$£*") {
			return
		}
		start, end := seg.starts[from], seg.starts[to-1]+len(seg.words[to-1].text)
		if isDate(seg, start, end) && strings.Contains(value, ".") {
			return
		}
		c := candidate{found: found{value: value, seg: seg, from: from, to: to}}
		c.features = newFeatures(rankNumber, training)
		f := &c.features
		at := s.around(seg, start, end)
		if label != nil {
			at.same, at.left = tag{}, *label
		}
		f.addLabels(at, groupNumber, groupWeakNumber, groupTitle, groupOrder, groupOther, groupTaxID, groupDate, groupIssue, groupRegistration, groupAccount)
		f.addPlace(s, seg)
		f.addForm(value)
		f.add("count", float64(min(counts[trimIdentifier(seg.words[to-1].text)], 6)))
		f.add("rule", ruled[value])
		f.flag("pair", to-from > 1 || label != nil)
		f.flag("last_in_segment", to == len(seg.words))
		f.flag("account", accounts[seg])
		f.flag("in_date", overlapsDate(seg, start, end))
		f.flag("title_in_segment", hasRole(seg, textrules.RoleTitle, textrules.RoleCreditTitle))
		f.flag("number_in_segment", hasRole(seg, textrules.RoleNumber))
		f.flag("title_in_line", lineHasRole(s.lines[seg.line], textrules.RoleTitle, textrules.RoleCreditTitle))
		f.flag("money", isMoneyAt(seg, from, to))
		f.add("index", float64(min(from, 12)))
		joined := 0
		for _, a := range s.alignedAbove(seg) {
			if hasRole(a, textrules.RoleTitle, textrules.RoleCreditTitle) {
				joined++
			}
		}
		f.flag("title_above", joined > 0)
		out = append(out, c)
	}
	for _, p := range s.numbersInTwoParts(true) {
		add(p.number, p.from, p.from+1, p.value(), &tag{group: groupNumber, pure: true, distance: 1})
	}
	for _, seg := range s.segments {
		if seg.used && len(seg.labels) == 0 {
			continue
		}
		for i, w := range seg.words {
			if !hasDigit(w.text) {
				continue
			}
			add(seg, i, i+1, trimIdentifier(w.text), nil)
			if i > 0 && isPrefix(seg.words[i-1].text) {
				add(seg, i-1, i+1, strings.TrimLeft(seg.words[i-1].text, "#:.(")+" "+trimIdentifier(w.text), nil)
			}
			if i+1 < len(seg.words) && isPrefixPart(w.text, seg.words[i+1].text) {
				add(seg, i, i+2, trimIdentifier(w.text)+" "+trimIdentifier(seg.words[i+1].text), nil)
			}
		}
	}
	return out
}

// isPrefix reports whether a word can be the letters before a number: "FT".
func isPrefix(word string) bool {
	if strings.HasSuffix(word, ":") {
		return false // a label
	}
	word = strings.Trim(word, "#:.(")
	n := utf8.RuneCountInString(word)
	return n >= 1 && n <= 5 && word == strings.ToUpper(word) && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '/' })
}

func trimIdentifier(word string) string {
	word = strings.TrimLeft(word, "#:.(№°º[\"'")
	word = strings.TrimPrefix(word, "N°")
	return strings.TrimRight(word, ".,;:)]\"'*")
}

// isDate reports whether a range of the text is a date and nothing else.
func isDate(seg *segment, start, end int) bool {
	for _, d := range seg.dates {
		if d.Start <= start && end <= d.End {
			return true
		}
	}
	return false
}

func overlapsDate(seg *segment, start, end int) bool {
	for _, d := range seg.dates {
		if start < d.End && d.Start < end {
			return true
		}
	}
	return false
}

func hasRole(seg *segment, roles ...textrules.Role) bool {
	for _, m := range seg.labels {
		for _, r := range roles {
			if m.Role == r {
				return true
			}
		}
	}
	return false
}

func lineHasRole(l *line, roles ...textrules.Role) bool {
	for _, seg := range l.segments {
		if hasRole(seg, roles...) {
			return true
		}
	}
	return false
}

func isMoneyAt(seg *segment, from, to int) bool {
	for i := range seg.amounts {
		if a := &seg.amounts[i]; a.from < to && from < a.to && (a.percent || a.showsMoney()) {
			return true
		}
	}
	return false
}

// addForm adds features of the format of a code.
func (f *features) addForm(value string) {
	digits, letters, signs, run, longest := 0, 0, 0, 0, 0
	for _, r := range value {
		switch {
		case unicode.IsDigit(r):
			digits++
			run++
			longest = max(longest, run)
			continue
		case unicode.IsLetter(r):
			letters++
		default:
			signs++
		}
		run = 0
	}
	f.add("length", float64(utf8.RuneCountInString(value)))
	f.add("digits", float64(digits))
	f.add("letters", float64(letters))
	f.add("signs", float64(signs))
	f.add("longest", float64(longest))
	f.flag("slash", strings.ContainsAny(value, "/"))
	f.flag("dash", strings.Contains(value, "-"))
	f.flag("point", strings.ContainsAny(value, ".,"))
	f.flag("plus", strings.ContainsAny(value, "+()"))
	f.flag("year", len(value) == 4 && (strings.HasPrefix(value, "20") || strings.HasPrefix(value, "19")))
	f.flag("holds_year", strings.Contains(value, "202") || strings.Contains(value, "201"))
	f.flag("lower", value != strings.ToUpper(value))
	f.flag("number_word", strings.ContainsAny(value[:1], "0123456789"))
}

// alignedAbove returns the nearest segments above that overlap horizontally, at most
// two.
func (s *parsedDocument) alignedAbove(seg *segment) []*segment {
	var out []*segment
	for i := seg.line - 1; i >= 0 && len(out) < 2; i-- {
		l := s.lines[i]
		if l.page != seg.page || seg.y0-l.y1 > 4*s.height {
			break
		}
		for _, a := range l.segments {
			if a.x1 >= seg.x0 && a.x0 <= seg.x1 {
				out = append(out, a)
				break
			}
		}
	}
	return out
}
