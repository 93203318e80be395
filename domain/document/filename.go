package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxFilename = 255
	// Names in Persian and in scripts of India need these characters.
	zeroWidthNonJoiner = '\u200C'
	zeroWidthJoiner    = '\u200D'
)

// invisible reports whether a character shows nothing.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// visible reports whether a character of a name can be seen.
func visible(r rune) bool {
	return !invisible(r) && !unicode.In(r, unicode.White_Space, unicode.Variation_Selector) && r != '\u2800' // the empty braille pattern
}

// CleanFilename returns the name of a file without a path and without characters that cannot be
// shown, with at most 255 bytes.
func CleanFilename(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || invisible(r) && r != zeroWidthNonJoiner && r != zeroWidthJoiner {
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
