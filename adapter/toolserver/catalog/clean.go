package catalog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/domain/character"
)

// Clean removes characters that are unsafe in text for a model or a terminal:
// control characters, invisible characters, and characters that reorder the
// display. It keeps the joiners that scripts and emoji need.
func Clean(value any) any {
	switch v := value.(type) {
	case string:
		return CleanText(v)
	case []any:
		for i := range v {
			v[i] = Clean(v[i])
		}
	case Object:
		for name, member := range v {
			cleaned := Clean(member)
			if key := CleanText(name); key != name {
				delete(v, name)
				name = key
			}
			v[name] = cleaned
		}
	}
	return value
}

// CleanText is Clean for one text.
func CleanText(s string) string {
	var c cleaner
	dirty := false
	for i, r := range s {
		if dirty = r == utf8.RuneError || c.next(r, s[i:]) != r; dirty {
			break
		}
	}
	if !dirty {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	c = cleaner{}
	for i, r := range s {
		if kept := c.next(r, s[i:]); kept != removed {
			out.WriteRune(kept)
		}
	}
	return out.String()
}

const (
	removed      = -1
	brailleBlank = '\u2800' // it looks like a space
	// A joiner changes the form of the two letters next to it, or makes one emoji of two.
	zeroWidthNonJoiner = '\u200C'
	zeroWidthJoiner    = '\u200D'
	// Most displays show nothing for the characters of this range, assigned or not.
	tagFirst, tagLast = '\U000E0000', '\U000E0FFF'
)

// joining are the scripts with letters that have other forms next to a joiner. In the other scripts a
// joiner is only a hidden character.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Nko, unicode.Mongolian, unicode.Adlam,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
	unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese,
}

// cleaner cleans a text character by character. It keeps at most one joiner between two characters
// that are shown.
type cleaner struct{ letter, emoji bool } // the last character that was kept can be joined

// next returns what becomes of the character r, with which the rest of the text begins.
func (c *cleaner) next(r rune, rest string) rune {
	switch {
	case r == '\n', r == '\t', r >= ' ' && r < 0x7f:
		*c = cleaner{}
		return r
	case r == zeroWidthNonJoiner, r == zeroWidthJoiner:
		after, _ := utf8.DecodeRuneInString(rest[utf8.RuneLen(r):])
		if c.letter && joinable(after, true) || r == zeroWidthJoiner && c.emoji && isEmoji(after) {
			*c = cleaner{}
			return r
		}
		return removed
	case isUnsafe(r):
		return removed
	case r == '\u2028', r == '\u2029':
		r = '\n'
	case r == brailleBlank:
		r = ' '
	}
	*c = cleaner{letter: joinable(r, c.letter), emoji: isEmoji(r)}
	return r
}

// isUnsafe reports whether a character is a control character or shows nothing.
func isUnsafe(r rune) bool {
	return unicode.IsControl(r) || tagFirst <= r && r <= tagLast || character.Invisible(r)
}

// joinable reports whether a character is a letter of a joining script, or a mark of one. Some marks
// belong to the script of the letter before them.
func joinable(r rune, before bool) bool {
	switch {
	case isUnsafe(r):
		return false
	case unicode.IsMark(r) && unicode.Is(unicode.Inherited, r):
		return before
	}
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && unicode.In(r, joining...)
}

// isEmoji reports whether a character can be a part of an emoji of several characters.
func isEmoji(r rune) bool {
	const firstArrow, lightestSkin, darkestSkin = '\u2190', '\U0001F3FB', '\U0001F3FF'
	return r >= firstArrow && r != utf8.RuneError && r != brailleBlank && unicode.Is(unicode.So, r) && !isUnsafe(r) || lightestSkin <= r && r <= darkestSkin
}

// IsClean reports whether Clean would leave a JSON text unchanged. It can
// return false for a clean text that has numeric escapes, which Encode replaces by
// their characters.
func IsClean(text string) bool {
	var c cleaner
	for i, r := range text {
		switch {
		case r != '\\' && ' ' <= r && r < utf8.RuneSelf-1: // the most frequent characters, of which none is replaced
			c = cleaner{}
		case r == '\\' && strings.ContainsRune("bfr", rune(text[min(i+1, len(text)-1)])):
			return false
		case r == '\\' && strings.HasPrefix(text[i+1:], "u"):
			return false
		case r == utf8.RuneError, c.next(r, text[i:]) != r:
			return false
		}
	}
	return true
}
