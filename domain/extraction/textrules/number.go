package textrules

import (
	"strings"

	"docledger/domain/money"
)

// Style is the number format of a document: its decimal separator, '.' or ',', or 0
// if unknown.
type Style struct{ Decimal byte }

// Number is a printed number. Alternatives are its other interpretations if the
// document's style does not decide.
type Number struct {
	Value        money.Decimal
	Alternatives []money.Decimal
}

// numeral is a number split into its parts.
type numeral struct {
	negative bool
	body     string // digits, points and commas
	grouped  bool   // apostrophes or spaces separate groups of thousands
}

// dissect removes sign and grouping from a number; ok is false if the text is not a
// number. A minus may come before or after the number. Parentheses also mean minus.
func dissect(text string) (n numeral, ok bool) {
	s := strings.TrimSpace(Digits(text))
	if inner, found := strings.CutPrefix(s, "("); found {
		inner, closed := strings.CutSuffix(inner, ")")
		if !closed {
			return n, false
		}
		n.negative, s = true, strings.TrimSpace(inner)
	}
	for _, cut := range []func(string) (string, bool){
		func(s string) (string, bool) { return strings.CutPrefix(s, "-") },
		func(s string) (string, bool) { return strings.CutSuffix(s, "-") },
	} {
		if rest, found := cut(s); found {
			// ",-" and ".-" mean "no cents".
			if trimmed := strings.TrimRight(rest, "-"); strings.HasSuffix(trimmed, ",") || strings.HasSuffix(trimmed, ".") {
				s = strings.TrimRight(trimmed, ",.")
				continue
			}
			if n.negative {
				return n, false
			}
			n.negative, s = true, strings.TrimSpace(rest)
		}
	}
	s = strings.TrimPrefix(s, "+")
	if s == "" || len(s) > 40 || s[len(s)-1] < '0' || s[len(s)-1] > '9' {
		return n, false
	}
	n.body, n.grouped, ok = ungroup(s)
	return n, ok
}

// ungroup removes apostrophes and spaces between groups of three digits.
func ungroup(s string) (body string, grouped, ok bool) {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '\'' || r == ' ' })
	for i, p := range parts {
		whole := p
		if i == len(parts)-1 {
			whole, _, _ = strings.Cut(strings.ReplaceAll(p, ",", "."), ".")
		}
		if i > 0 && len(whole) != 3 || i == 0 && len(parts) > 1 && (len(whole) > 3 || whole == "") {
			return "", false, false
		}
		for _, c := range []byte(p) {
			if (c < '0' || c > '9') && c != '.' && c != ',' {
				return "", false, false
			}
		}
		if i < len(parts)-1 && strings.ContainsAny(p, ".,") {
			return "", false, false
		}
	}
	return strings.Join(parts, ""), len(parts) > 1, true
}

// groups reports whether the parts between grouping separators are groups of three
// digits, or groups of two before the last three as in India.
func groups(parts []string) bool {
	if len(parts) < 2 || len(parts[0]) < 1 || len(parts[0]) > 3 || len(parts[len(parts)-1]) != 3 {
		return false
	}
	width := len(parts[1])
	for _, p := range parts[1 : len(parts)-1] {
		if len(p) != width || width < 2 || width > 3 {
			return false
		}
	}
	return len(parts) < 3 || width == 3 || len(parts[0]) <= 2
}

// ParseNumber parses a number without currency or unit.
func ParseNumber(text string, style Style) (Number, bool) {
	n, ok := dissect(text)
	if !ok {
		return Number{}, false
	}
	first, second, ok := n.readings(style)
	if !ok {
		return Number{}, false
	}
	value, err := n.decimal(first)
	if err != nil {
		return Number{}, false
	}
	out := Number{Value: value}
	if second != "" {
		if other, err := n.decimal(second); err == nil {
			out.Alternatives = []money.Decimal{other}
		}
	}
	return out, true
}

func (n numeral) decimal(plain string) (money.Decimal, error) {
	if n.negative {
		plain = "-" + plain
	}
	return money.Parse(plain)
}

// readings returns the number in plain notation and, if it is ambiguous, a second
// interpretation.
func (n numeral) readings(style Style) (first, second string, ok bool) {
	points, commas := strings.Count(n.body, "."), strings.Count(n.body, ",")
	switch {
	case points+commas == 0:
		return n.body, "", true
	case points > 0 && commas > 0:
		return n.twoSeparators()
	case points+commas > 1:
		parts := strings.FieldsFunc(n.body, isSeparator)
		if n.grouped || len(parts) != points+commas+1 || !groups(parts) {
			return "", "", false
		}
		return strings.Join(parts, ""), "", true
	}
	at := strings.IndexAny(n.body, ".,")
	whole, fraction := n.body[:at], n.body[at+1:]
	decimal, integer := whole+"."+fraction, whole+fraction
	if whole == "" {
		decimal = "0." + fraction
	}
	switch {
	case len(fraction) != 3 || len(whole) > 3 || n.grouped || whole == "" || whole[0] == '0':
		return decimal, "", fraction != ""
	case style.Decimal == n.body[at]:
		return decimal, "", true
	case style.Decimal != 0:
		return integer, "", true
	}
	return integer, decimal, true
}

// twoSeparators parses a number with points and commas. The last one is the decimal
// separator.
func (n numeral) twoSeparators() (first, second string, ok bool) {
	at := strings.LastIndexAny(n.body, ".,")
	whole, fraction := n.body[:at], n.body[at+1:]
	if strings.IndexByte(whole, n.body[at]) >= 0 || n.grouped || !groups(strings.FieldsFunc(whole, isSeparator)) {
		return "", "", false
	}
	return strings.Map(func(r rune) rune {
		if isSeparator(r) {
			return -1
		}
		return r
	}, whole) + "." + fraction, "", true
}

func isSeparator(r rune) bool { return r == '.' || r == ',' }

// Votes collect evidence for the style of a document.
type Votes struct{ point, comma int }

// Count adds the evidence of a printed number. Amounts with a currency have more
// weight than other numbers.
func (v *Votes) Count(text string, money bool) {
	n, ok := dissect(text)
	if !ok {
		return
	}
	decimal := n.decimalSeparator()
	if decimal == 0 {
		return
	}
	weight := 1
	if money {
		weight = 3
	}
	if at := strings.LastIndexByte(n.body, decimal); at >= 0 && len(n.body)-at-1 == 2 {
		weight = 3
	}
	if decimal == '.' {
		v.point += weight
	} else {
		v.comma += weight
	}
}

// decimalSeparator returns the separator that the number proves, or 0.
func (n numeral) decimalSeparator() byte {
	points, commas := strings.Count(n.body, "."), strings.Count(n.body, ",")
	if points+commas == 0 {
		return 0
	}
	at := strings.LastIndexAny(n.body, ".,")
	last := n.body[at]
	if points > 0 && commas > 0 {
		if _, _, ok := n.twoSeparators(); !ok {
			return 0
		}
		return last
	}
	if points+commas > 1 {
		if !groups(strings.FieldsFunc(n.body, isSeparator)) {
			return 0
		}
		return '.' + ',' - last
	}
	if len(n.body)-at-1 != 3 || at > 3 || n.grouped || n.body[0] == '0' {
		return last
	}
	return 0
}

// Style returns the style of most numbers. If a large part shows the other style, the
// document has none.
func (v *Votes) Style() Style {
	const majority = 4
	switch {
	case v.point > v.comma*majority:
		return Style{'.'}
	case v.comma > v.point*majority:
		return Style{','}
	}
	return Style{}
}
