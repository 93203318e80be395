package pdftext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/domain/extraction/textrules"
)

// minJoined is the minimum number of letters of a label that digits follow without a sign: shorter
// letters can be the beginning of a number.
const minJoined = 6

// longestGlued is the maximum length of a word in which a label is searched for, in bytes. The time of
// the search grows with the square of the length.
const longestGlued = 600

// numberLabelEnd returns the end of a label of a number that the number follows without a space, as
// in scans and in texts without spaces: "Nr.17", "InvoiceNo.17", "Rechnungsnummer17". It is 0 without
// one.
func numberLabelEnd(text string) int {
	if len(text) > longestGlued {
		return 0
	}
	first, _ := utf8.DecodeRuneInString(text)
	if !unicode.IsLetter(first) || !hasDigit(text) {
		return 0
	}
	if first >= utf8.RuneSelf && textrules.IsIdeographic(text) {
		return solidLabelEnd(text)
	}
	digit := strings.IndexAny(text, "0123456789")
	for i, r := range text[:digit] {
		if !strings.ContainsRune(".°º", r) {
			continue
		}
		end := i + utf8.RuneLen(r)
		next, _ := utf8.DecodeRuneInString(text[end:])
		if !unicode.IsLetter(next) && !unicode.IsDigit(next) || next == 'º' {
			continue // another sign follows
		}
		if isNumberSign(text[:end]) || textrules.JoinedLabel(text[:end]) == textrules.RoleNumber {
			return end
		}
		return 0
	}
	if letters := text[:digit]; utf8.RuneCountInString(letters) >= minJoined && lettersOnly(letters) && textrules.JoinedLabel(letters) == textrules.RoleNumber {
		return digit
	}
	return 0
}

// isNumberSign reports whether a text is an abbreviation of the word for a number: "Nr.", "N°".
func isNumberSign(text string) bool {
	switch textrules.Fold(strings.TrimRight(text, ".°º")) {
	case "n", "no", "nr", "nro", "num":
		return true
	}
	return false
}

func lettersOnly(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

// titleBefore returns the part of a number behind the word for an invoice, "" without one. The word
// can be a part of the number, or a title that is printed without a space before it.
func titleBefore(value string) string {
	digit := strings.IndexAny(value, "0123456789")
	if digit < minJoined || !lettersOnly(value[:digit]) {
		return ""
	}
	switch textrules.JoinedLabel(value[:digit]) {
	case textrules.RoleTitle, textrules.RoleCreditTitle:
		return value[digit:]
	}
	return ""
}

// startsWithOtherLabel reports whether a number of ideographs and digits begins with the label of another
// value, such as a telephone number.
func startsWithOtherLabel(value string) bool {
	if !textrules.IsIdeographic(value) {
		return false
	}
	labels := textrules.FindLabels(textrules.Tokens(value))
	return len(labels) > 0 && labels[0].From == 0 && labels[0].Role != textrules.RoleNumber
}

// signsOfAmounts are the signs and currencies that an amount can begin with.
const signsOfAmounts = "¥￥$€£₩+-−–△▲"

// solidLabelEnd returns the end of a label in a script without spaces that a number follows; 0
// without one.
func solidLabelEnd(text string) int {
	first, _ := utf8.DecodeRuneInString(text)
	if first < utf8.RuneSelf || !textrules.IsIdeographic(text) {
		return 0
	}
	end := strings.IndexFunc(text, func(r rune) bool { return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) })
	if end <= 0 || !hasDigit(text[end:]) {
		return 0
	}
	tokens := textrules.Tokens(text[:end])
	labels := textrules.FindLabels(tokens)
	last := len(labels) - 1
	switch {
	case last < 0 || labels[last].To != len(tokens):
		return 0
	case groupOf(labels[last].Label) == groupTotal:
		// A sign or a currency belongs to the amount: "小計-2,000", "合計$11,000".
		end = len(strings.TrimRight(text[:end], signsOfAmounts))
		if strings.HasSuffix(text[:end], "(") {
			return 0 // an amount in brackets can be negative or a remark
		}
	case labels[last].Role != textrules.RoleNumber:
		return 0
	}
	return end
}

// joinSigns joins the sign of a number with the word behind it where it is no label of its own: in a
// name, "No.1 Traders Ltd", and behind the label of a number, "Invoice no. N.17".
func (s *parsedDocument) joinSigns() {
	for _, l := range s.lines {
		if l.right {
			continue
		}
		for k := range l.segments {
			for i := len(l.segments[k].words) - 1; i > 0; i-- {
				seg := l.segments[k]
				if w := &seg.words[i]; w.sign != "" && w.sign == seg.words[i-1].text && (s.beginsName(seg, i) || s.labelledBefore(l, k, i-1)) {
					s.joinWords(l, k, i-1)
				}
			}
		}
	}
}

// beginsName reports whether the sign before a word begins a segment that continues with letters.
func (s *parsedDocument) beginsName(seg *segment, i int) bool {
	if i != 1 || i+1 >= len(seg.words) {
		return false
	}
	next := seg.words[i+1].text
	first, _ := utf8.DecodeRuneInString(next)
	return unicode.IsLetter(first) && !hasDigit(next) && !strings.HasSuffix(next, ":") && !isFiller(next) && !textrules.KnownWord(next)
}

// labelledBefore reports whether the label of a number ends directly before a word: in its segment, to
// the left, or above.
func (s *parsedDocument) labelledBefore(l *line, k, i int) bool {
	seg := l.segments[k]
	if i > 0 {
		return endsWithNumber(textrules.Tokens(seg.text[:seg.starts[i]]))
	}
	if k > 0 && endsWithNumber(l.segments[k-1].tokens) {
		return true
	}
	for _, above := range s.alignedAbove(seg) {
		return endsWithNumber(above.tokens)
	}
	return false
}

func endsWithNumber(tokens []textrules.Token) bool {
	labels := textrules.FindLabels(tokens)
	n := len(labels)
	return n > 0 && labels[n-1].To == len(tokens) && labels[n-1].Role == textrules.RoleNumber
}

// joinWords joins a word of a segment with the next one.
func (s *parsedDocument) joinWords(l *line, k, i int) {
	old := l.segments[k]
	words := append([]word(nil), old.words[:i+1]...)
	next := &old.words[i+1]
	w := &words[i]
	w.sign, w.text, w.x1 = next.sign, w.text+next.text, next.x1
	w.y0, w.y1, w.box = min(w.y0, next.y0), max(w.y1, next.y1), union(w.box, next.box)
	seg := newSegment(old.page, old.line, append(words, old.words[i+2:]...), false)
	seg.at = old.at
	l.segments[k] = seg
	s.segments[slices.Index(s.segments, old)] = seg
}

// behindSign returns the part of a number behind the sign of a number, "" without one. The sign can be
// a part of the number behind another label: "Invoice no. N.17".
func (c *candidate) behindSign() string {
	if c.seg == nil || c.from >= len(c.seg.words) {
		return ""
	}
	w := &c.seg.words[c.from]
	if rest, ok := strings.CutPrefix(w.text, w.sign); w.sign != "" && ok {
		return trimIdentifier(rest)
	}
	return ""
}
