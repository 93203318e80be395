package store

import (
	"strings"
	"unicode"

	"docledger/domain/money"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// letters are letters that decomposition does not reduce to a base letter.
var letters = strings.NewReplacer(
	"ł", "l", "ø", "o", "đ", "d", "ð", "d", "þ", "th", "æ", "ae", "œ", "oe", "ı", "i", "ħ", "h", "ŧ", "t",
)

// folded is the form in which texts are searched: case, accents, width and the amount of white
// space are ignored.
func folded(s string) string {
	s = cases.Fold().String(norm.NFKD.String(clean(s)))
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(letters.Replace(s)), " ")
}

// lowerASCII is strings.ToLower for ASCII letters alone, as lower() of SQLite.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// likePattern matches s anywhere; use it with ESCAPE '\'.
func likePattern(s string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s) + "%"
}

// amountsOf parses a search text as an amount, in ten-thousandths: 1234.50, 1234,50, 1,234.50,
// 1.234,50, 1'234.50. If a separator is ambiguous, it returns both values.
func amountsOf(s string) []int64 {
	s = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "", "’", "").Replace(s)
	var amounts []int64
	for _, separators := range []string{".,", ",."} {
		point, group := separators[:1], separators[1:]
		whole, fraction, _ := strings.Cut(s, point)
		if strings.Contains(fraction, group) || !grouped(strings.Split(whole, group)) {
			continue
		}
		text := strings.ReplaceAll(whole, group, "")
		if fraction != "" {
			text += "." + fraction
		}
		d, err := money.Parse(text)
		if err != nil {
			continue
		}
		if n := fixed(&d); n != nil && (len(amounts) == 0 || amounts[0] != *n) {
			amounts = append(amounts, *n)
		}
	}
	return amounts
}

// grouped reports whether the parts of an integer are groups of three digits.
func grouped(parts []string) bool {
	for _, group := range parts[1:] {
		if len(group) != 3 {
			return false
		}
	}
	return len(parts) == 1 || len(strings.TrimLeft(parts[0], "+-")) <= 3
}
