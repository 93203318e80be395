package pdftext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/domain/extraction/textrules"
)

// minJoined is the minimum number of letters of a label that digits follow without a sign: shorter
// letters can be the beginning of a number.
const minJoined = 6

// numberLabelEnd returns the end of a label of a number that the number follows without a space, as
// in scans and in texts without spaces: "Nr.17", "InvoiceNo.17", "Rechnungsnummer17". It is 0 without
// one.
func numberLabelEnd(text string) int {
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
	if len(labels) == 0 || labels[len(labels)-1].To != len(tokens) {
		return 0
	}
	return end
}
