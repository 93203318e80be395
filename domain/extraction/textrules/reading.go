// Package textrules holds the rules by which printed text becomes values:
// numbers, dates and currencies in the notations of many countries, the words
// that documents label them with, and the arithmetic that binds totals.
//
// Its principle: a text that can be read in two ways gives both readings. What
// else the document shows may decide between them; nothing is guessed.
package textrules

import (
	"strings"
	"unicode"
)

// plain maps letters with marks, and letters that stand for them, to the plain
// ones in which texts are compared.
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

// Fold brings text into the form in which words are compared: lower case,
// without marks on letters.
func Fold(s string) string {
	s = strings.Map(func(r rune) rune {
		r = unicode.ToLower(r)
		if to, ok := plain[r]; ok {
			return to
		}
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s)
	return spelledOut.Replace(s)
}

// Digits turns the digits of other scripts, and their separators, into those
// of ASCII. Typographic signs and spaces become plain ones.
func Digits(s string) string {
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

// IsIdeographic says whether a text is written without spaces between words.
func IsIdeographic(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	})
}

// IsRightToLeft says whether most letters of a text run from right to left.
func IsRightToLeft(s string) bool {
	right, left := 0, 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Arabic, unicode.Hebrew) && unicode.IsLetter(r):
			right++
		case unicode.IsLetter(r):
			left++
		}
	}
	return right > left
}
