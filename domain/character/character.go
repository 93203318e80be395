// Package character knows which characters of a text can be seen.
package character

import "unicode"

const nullNotehead = '\U0001D159' // a musical symbol without a glyph

// Invisible reports whether a character shows nothing. Some of them, such as the Hangul filler, are
// letters or marks. Spaces and control characters are not among them.
func Invisible(r rune) bool {
	switch {
	case r < 0x80, unicode.Is(unicode.Prepended_Concatenation_Mark, r): // a sign around the digits after it
		return false
	case r == nullNotehead:
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
