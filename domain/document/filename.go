package document

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/domain/character"
)

const (
	maxFilename = 255
	// Names in Persian and in scripts of India need these characters.
	zeroWidthNonJoiner = '\u200C'
	zeroWidthJoiner    = '\u200D'
)

// removed reports whether a name loses a character. It keeps the variants of characters, such as
// those of emoji.
func removed(r rune) bool {
	return unicode.IsControl(r) || character.Invisible(r) && r != zeroWidthNonJoiner && r != zeroWidthJoiner && !unicode.Is(unicode.Variation_Selector, r)
}

// visible reports whether a character of a name can be seen.
func visible(r rune) bool {
	return !character.Invisible(r) && !unicode.IsSpace(r) && r != '\u2800' // the empty braille pattern
}

// CleanFilename returns the name of a file without a path and without characters that cannot be
// shown, with at most 255 bytes.
func CleanFilename(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if removed(r) {
			return -1
		}
		return r
	}, name))
	for len(name) > maxFilename {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if name == "." || name == ".." || !strings.ContainsFunc(name, visible) {
		return "document"
	}
	return name
}
