package textrules

import (
	"unicode"
	"unicode/utf8"
)

// dateShape describes the digits, letters and separators of a text. Most texts with
// digits are amounts or codes. Their shape excludes the forms of a date in a fraction of
// the time of the regular expressions. It never excludes a text that contains the form.
type dateShape struct {
	yearPart   bool // four digits before a space or a separator
	yearSpace  bool // four digits before a space or a full stop
	spaceYear  bool // four digits after a space or a comma
	word       bool // three letters in sequence
	between    bool // three letters between a digit and two digits in sequence
	separators int  // signs that can separate numbers
}

// shapeOf returns the shape of a text.
func shapeOf(text string) dateShape {
	var s dateShape
	digits, letters := 0, 0             // in sequence before this character
	last, before := rune(0), rune(0)    // the last character; that before the digits
	numbered, wordAfter := false, false // a digit came before; and three letters after it
	for _, r := range text {
		switch {
		case '0' <= r && r <= '9':
			if digits == 0 {
				before = last
			}
			digits, letters, last = digits+1, 0, r
			numbered = true
			s.spaceYear = s.spaceYear || digits >= 4 && (before == ' ' || before == ',')
			s.between = s.between || wordAfter && digits >= 2
			continue
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', r >= utf8.RuneSelf && unicode.IsLetter(r):
			letters++
			if letters >= 3 {
				s.word = true
				wordAfter = wordAfter || numbered
			}
		default:
			letters = 0
		}
		separates := false
		switch r {
		case '-', '/', '.', '年', '月':
			s.separators++
			separates = true
		}
		if digits >= 4 {
			s.yearPart = s.yearPart || separates || r == ' '
			s.yearSpace = s.yearSpace || r == ' ' || r == '.'
		}
		digits, last = 0, r
	}
	return s
}

// dated reports whether a text of the shape can contain a date.
func (s dateShape) dated() bool {
	return s.separators >= 2 || s.word && (s.yearSpace || s.spaceYear) || s.between
}

// admits reports whether a text of the shape can match a form of dates.
func (s dateShape) admits(form *Pattern) bool {
	switch form {
	case yearFirst:
		return s.yearPart && s.separators >= 2
	case numeric:
		return s.separators >= 2
	case dayName:
		return s.between
	case yearName:
		return s.yearSpace && s.word
	}
	return s.spaceYear && s.word // nameDay
}

// matches returns the positions of the matches of a form and of their groups.
func (s dateShape) matches(form *Pattern, text string) [][]int {
	if !s.admits(form) {
		return nil
	}
	return form.FindAllStringSubmatchIndex(text, -1)
}
