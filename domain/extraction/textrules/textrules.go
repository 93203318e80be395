// Package textrules converts printed text into values: numbers, dates and currencies
// in the notations of many countries, the labels of these values, and the arithmetic
// of totals.
//
// An ambiguous text returns all interpretations. Other content of the document may
// decide between them. The package never guesses.
package textrules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain maps letters with diacritics, and their substitutes, to the plain letters
// that are used for comparison.
var plain = plainLetters(
	"a", "áàâäãåāăąά", "c", "çćčĉ", "d", "ďđð", "e", "éèêëēėęě", "g", "ğģ", "i", "íìîïīįı", "l", "ľĺļł", "n", "ñńňņ",
	"o", "óòôöõøōő", "r", "řŕ", "s", "śšşș", "t", "ťţț", "u", "úùûüūůűų", "y", "ýÿ", "z", "źżž",
	"ε", "έ", "η", "ή", "ι", "ίϊΐ", "ο", "ό", "υ", "ύϋΰ", "ω", "ώ", "σ", "ς", "α", "ά", "ا", "أإآ",
)

func plainLetters(pairs ...string) map[rune]rune {
	m := map[rune]rune{}
	for i := 0; i < len(pairs); i += 2 {
		to := []rune(pairs[i])[0]
		for _, from := range pairs[i+1] {
			m[from] = to
		}
	}
	return m
}

var spelledOut = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe")

// Fold converts text into the form for comparison: lower case, without diacritics.
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case r < utf8.RuneSelf:
			return r
		}
		r = unicode.ToLower(r)
		if to, ok := plain[r]; ok {
			return to
		}
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s)
	if !strings.ContainsAny(s, "ßæœ") {
		return s
	}
	return spelledOut.Replace(s)
}

// Digits converts the digits and separators of other scripts to ASCII. It converts
// typographic signs and spaces to plain ones.
func Digits(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80:
			return r
		case '٠' <= r && r <= '٩':
			return r - '٠' + '0'
		case '۰' <= r && r <= '۹':
			return r - '۰' + '0'
		case '０' <= r && r <= '９':
			return r - '０' + '0'
		}
		switch r {
		case '٫':
			return '.'
		case '٬', '，':
			return ','
		case '．':
			return '.'
		case '٪', '％':
			return '%'
		case '−', '–', '—', '‐', '‑', '－', '﹣':
			return '-'
		case '’', '‘', 'ʼ', '＇', '´':
			return '\''
		case '\u00a0', '\u202f', '\u2009', '\u2007', '\u3000':
			return ' '
		case '：':
			return ':'
		case '（':
			return '('
		case '）':
			return ')'
		case '\u200e', '\u200f', '\u061c':
			return -1
		}
		return r
	}, s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// IsIdeographic reports whether a text has a script without spaces between words.
func IsIdeographic(s string) bool {
	if isASCII(s) {
		return false
	}
	return strings.ContainsFunc(s, func(r rune) bool {
		return r >= firstIdeograph && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	})
}

// The lowest characters of the scripts without spaces and of the right-to-left scripts. Most
// characters are lower, and need no search in the tables of the scripts.
const (
	firstIdeograph   = '\u1100'
	firstRightToLeft = '\u0591'
)

// IsRightToLeft reports whether most letters of a text are right-to-left.
func IsRightToLeft(s string) bool {
	right, left := 0, 0
	for _, r := range s {
		switch {
		case r >= firstRightToLeft && unicode.In(r, unicode.Arabic, unicode.Hebrew) && unicode.IsLetter(r):
			right++
		case unicode.IsLetter(r):
			left++
		}
	}
	return right > left
}
