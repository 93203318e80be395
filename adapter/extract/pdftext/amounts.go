package pdftext

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"docledger/domain/extraction/textrules"
	"docledger/domain/money"
)

// amount is a number printed in a segment.
type amount struct {
	value        money.Decimal
	alternatives []money.Decimal
	digits       string // as printed, without currency
	currencies   []string
	percent      bool
	from, to     int // indices of words of the segment
	x0, x1       float64
}

// isMoney reports whether the number may be an amount of money.
func (a *amount) isMoney() bool { return !a.percent && a.value.Fits(money.MaxAmountScale) }

// showsMoney reports whether the number has a currency or cents, which other numbers
// rarely have.
func (a *amount) showsMoney() bool { return len(a.currencies) > 0 || a.value.Decimals() == 2 }

// piece is a word split around its digits.
type piece struct {
	digits     string // with its signs and separators; "" if there are none
	currencies []string
	percent    bool
	rand       bool // "R" precedes it, which is a currency only for amounts with cents
}

// readAmounts finds the numbers of every segment, in the number style of the
// document.
func (s *parsedDocument) readAmounts() {
	var votes textrules.Votes
	grouped := 0
	for _, seg := range s.segments {
		for _, a := range scan(seg, s.height, notation{}) {
			if !inDate(seg, &a) {
				votes.Count(a.digits, len(a.currencies) > 0)
				if large(&a) {
					grouped++
				}
			}
		}
	}
	s.style = votes.Style()
	cents, whole := 0, 0
	defer func() { s.whole = cents*4 < whole }()
	for _, seg := range s.segments {
		seg.amounts = nil
		days := sync.OnceValue(func() []int { return textrules.PaymentDays(seg.text) })
		for _, a := range scan(seg, s.height, notation{s.style, grouped == 0}) {
			if !inDate(seg, &a) && !isTime(days, &a) {
				seg.amounts = append(seg.amounts, a)
				switch {
				case a.value.Decimals() == 2:
					cents++
				case len(a.currencies) > 0:
					whole += 4
				case len(a.digits) > 4:
					whole++
				}
			}
		}
	}
}

// notation is the format of amounts in a document.
type notation struct {
	textrules.Style
	wide bool // all amounts that show a thousands separator use spaces
}

// gap is the maximum distance between the groups of thousands of one number, in
// character heights.
func (n notation) gap() float64 {
	if n.wide {
		return 1.1
	}
	return 0.75
}

// advances is the same distance in widths of a digit, for type that is larger than that of
// the page or as wide as that of a typewriter.
func (n notation) advances() float64 {
	if n.wide {
		return 1.45
	}
	return 0.9
}

// advance returns the average width of the characters of a word.
func advance(w *word) float64 {
	return (w.x1 - w.x0) / float64(max(utf8.RuneCountInString(w.text), 1))
}

// large reports whether an amount with cents shows that the document separates
// thousands without spaces.
func large(a *amount) bool {
	return a.value.Decimals() == 2 && !strings.Contains(a.digits, " ") && len(strings.Trim(a.digits, "-()")) >= 7
}

// inDate reports whether a number is part of a date.
func inDate(seg *segment, a *amount) bool {
	start, end := seg.starts[a.from], seg.starts[a.to-1]+len(seg.words[a.to-1].text)
	for _, d := range seg.dates {
		if start < d.End && d.Start < end {
			return true
		}
	}
	return false
}

// isTime reports whether a number is a payment period in days: "60 days net". days
// returns the periods in its segment.
func isTime(days func() []int, a *amount) bool {
	if len(a.currencies) > 0 || a.value.Decimals() > 0 {
		return false
	}
	for _, n := range days() {
		if a.value.Equal(money.FromInt(int64(n))) {
			return true
		}
	}
	return false
}

// scan finds the numbers of a segment.
func scan(seg *segment, height float64, style notation) []amount {
	var out []amount
	pieces := make([]piece, len(seg.words))
	for i := range seg.words {
		pieces[i] = takeApart(seg.words[i].text)
	}
	for i := 0; i < len(pieces); i++ {
		if pieces[i].digits == "" {
			continue
		}
		a, ok := join(seg, pieces, i, height, style)
		if !ok {
			continue
		}
		out = append(out, a)
		i = a.to - 1
	}
	return out
}

// join parses the number that starts with a word: groups of thousands separated by
// spaces, a leading sign, and the surrounding currency or percent sign.
func join(seg *segment, pieces []piece, i int, height float64, style notation) (amount, bool) {
	a := amount{from: i, to: i + 1, digits: pieces[i].digits, currencies: pieces[i].currencies, percent: pieces[i].percent}
	near := func(k int) bool {
		gap := gapBetween(&seg.words[k], &seg.words[k+1])
		return gap < style.gap()*height || gap < style.advances()*advance(&seg.words[k+1])
	}
	for k := i + 1; !a.percent && k < len(pieces) && near(k-1) && pieces[k].digits != "" && isGroup(a.digits, pieces[k].digits); k++ {
		a.digits += " " + pieces[k].digits
		a.to = k + 1
		a.percent = pieces[k].percent
		if len(pieces[k].currencies) > 0 {
			a.currencies = pieces[k].currencies
		}
	}
	if pieces[i].rand && !strings.ContainsAny(a.digits, ",.") {
		return a, false
	}
	number, ok := textrules.ParseNumber(a.digits, style.Style)
	if !ok && a.to > i+1 {
		a.digits, a.to = pieces[i].digits, i+1
		number, ok = textrules.ParseNumber(a.digits, style.Style)
	}
	if !ok {
		return a, false
	}
	a.value, a.alternatives = number.Value, number.Alternatives
	if i > 0 && isMinus(seg.words[i-1].text) && near(i-1) && a.value.Sign() > 0 && (i == 1 || len(pieces) == i+1 || pieces[i-2].digits == "") {
		a.value, a.from = a.value.Neg(), i-1
	}
	a.around(seg, height)
	a.x0, a.x1 = seg.words[a.from].x0, seg.words[a.to-1].x1
	if a.x0 > a.x1 {
		a.x0, a.x1 = seg.words[a.to-1].x0, seg.words[a.from].x1
	}
	return a, true
}

// around adds the currency or percent sign next to a number.
func (a *amount) around(seg *segment, height float64) {
	if a.to < len(seg.words) && gapBetween(&seg.words[a.to-1], &seg.words[a.to]) < height {
		next := strings.TrimRight(seg.words[a.to].text, ":;,")
		if next == "%" {
			a.percent = true
			a.to++
		} else if c := textrules.Currencies(next); c != nil && len(a.currencies) == 0 {
			a.currencies = c
			a.to++
		}
	}
	if a.from > 0 && len(a.currencies) == 0 && !a.percent {
		if c := textrules.CurrenciesBefore(seg.words[a.from-1].text, a.digits); c != nil {
			a.currencies = c
			a.from--
		}
	}
}

func gapBetween(a, b *word) float64 { return max(b.x0-a.x1, a.x0-b.x1) }

func isMinus(s string) bool { return s == "-" || s == "–" || s == "−" }

// isGroup reports whether a word is the next group of three digits of a number.
func isGroup(before, after string) bool {
	last := before[strings.LastIndexByte(before, ' ')+1:]
	if strings.ContainsAny(last, ".,'") || strings.HasSuffix(last, "-") {
		return false
	}
	if len(strings.TrimLeft(last, "(-")) > 3 {
		return false
	}
	whole, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimRight(after, ")-"), ",", "."), ".")
	return len(whole) == 3 && whole[0] >= '0' && whole[0] <= '9'
}

// takeApart finds the digits of a word between currency signs and punctuation. A word
// with other letters has none.
func takeApart(text string) piece {
	var p piece
	text = strings.TrimRight(text, ":;*†")
	if !hasDigit(text) {
		return p
	}
	negative := false
	if inner, ok := strings.CutPrefix(text, "("); ok {
		if closed, ok := strings.CutSuffix(inner, ")"); ok {
			text, negative = closed, true
		} else if !strings.Contains(inner, "(") {
			text = inner
		}
	}
	if rest := strings.TrimLeft(text, "▲△"); rest != text {
		text, negative = rest, true
	}
	text = strings.TrimRight(text, ")]")
	if rest, ok := strings.CutSuffix(text, "%"); ok {
		text, p.percent, negative = rest, true, false
	} else if rest, ok := strings.CutPrefix(text, "%"); ok {
		text, p.percent, negative = rest, true, false
	}
	minus := ""
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		text, minus = rest, "-"
	}
	first := strings.IndexAny(text, "0123456789")
	if first < 0 {
		return piece{}
	}
	last := strings.LastIndexAny(text, "0123456789")
	before, digits, after := text[:first], text[first:last+1], text[last+1:]
	if strings.HasSuffix(before, "-") {
		before, minus = strings.TrimSuffix(before, "-"), "-"
	}
	before = strings.TrimLeft(before, ":@~")
	if before != "" {
		if p.currencies = textrules.CurrenciesBefore(before, digits); p.currencies == nil && before == "R" {
			p.currencies, p.rand = []string{"ZAR"}, true
		}
		if p.currencies == nil {
			return piece{}
		}
	}
	if strings.HasPrefix(after, "%") {
		after, p.percent = "", true
	}
	after = trimEnd(after, &digits, len(p.currencies) > 0 && p.currencies[0] == "JPY")
	if after != "" {
		c := textrules.Currencies(after)
		if c == nil {
			return piece{}
		}
		p.currencies = c
	}
	if strings.ContainsFunc(digits, func(r rune) bool { return unicode.IsLetter(r) || r == '/' || r == ':' || r == '#' }) {
		return piece{}
	}
	p.digits = minus + digits
	if negative && minus == "" {
		p.digits = "(" + digits + ")"
	}
	return p
}

// trimEnd processes the text after the digits: a trailing minus, ",-" for no cents,
// or the hyphen after a sum in yen.
func trimEnd(after string, digits *string, yen bool) string {
	switch {
	case strings.HasPrefix(after, ",-"), strings.HasPrefix(after, ".-"):
		return strings.TrimLeft(after[1:], "-")
	case strings.HasPrefix(after, "-") && yen:
		rest, _, _ := strings.Cut(strings.TrimPrefix(after, "-"), "(")
		return rest
	case strings.HasPrefix(after, "-"):
		*digits += "-"
		return after[1:]
	case after == ".", after == ",":
		return ""
	}
	if r, size := utf8.DecodeRuneInString(after); (r == '円' || r == '元') && len(after) > size {
		return after[:size]
	}
	return after
}
