package textrules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is a word of a text: consecutive letters and digits, folded, or one of the
// signs in labels.
type Token struct {
	Text        string
	Start, End  int // byte offsets in the text
	ideographic bool
}

// Tokens splits a text into words. In scripts without spaces each known label starts
// a new word.
func Tokens(text string) []Token {
	if !IsIdeographic(text) {
		return tokens(text, nil)
	}
	return tokens(text, vocab().solid)
}

// tokens splits a text into words; solid are the labels of scripts without spaces.
func tokens(text string, solid map[rune][]phrase) []Token {
	var out []Token
	start, previous := -1, rune(0)
	flush := func(end int) {
		if start >= 0 {
			if out == nil {
				out = make([]Token, 0, 1+strings.Count(text[end:], " "))
			}
			out = appendWord(out, text, start, end, solid)
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			if start >= 0 && isIdeograph(previous) != isIdeograph(r) { // digits follow ideographs or vice versa
				flush(i)
			}
			if start < 0 {
				start = i
			}
		case r == '#' || r == '%' || r == '№' || r == '@':
			flush(i)
			out = append(out, Token{Text: string(r), Start: i, End: i + utf8.RuneLen(r)})
		default:
			flush(i)
		}
		previous = r
	}
	flush(len(text))
	return out
}

func isIdeograph(r rune) bool {
	return r > 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー'
}

func appendWord(out []Token, text string, start, end int, solid map[rune][]phrase) []Token {
	word := text[start:end]
	if !IsIdeographic(word) {
		return append(out, Token{Text: Fold(word), Start: start, End: end})
	}
	for start < end {
		size := solidLabel(text[start:end], solid)
		if size == 0 {
			size = nextLabel(text[start:end], solid)
		}
		out = append(out, Token{Text: Fold(text[start : start+size]), Start: start, End: start + size, ideographic: true})
		start += size
	}
	return out
}

// solidLabel returns the length of the longest label at the start of the text.
func solidLabel(text string, solid map[rune][]phrase) int {
	longest := 0
	first, _ := utf8.DecodeRuneInString(text)
	for _, p := range solid[first] {
		if w := p.words[0]; len(w) > longest && strings.HasPrefix(text, w) {
			longest = len(w)
		}
	}
	return longest
}

// nextLabel returns the offset of the next label, or the end of the text.
func nextLabel(text string, solid map[rune][]phrase) int {
	for i := range text {
		if i > 0 && solidLabel(text[i:], solid) > 0 {
			return i
		}
	}
	return len(text)
}
