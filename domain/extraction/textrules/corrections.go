package textrules

import (
	"slices"
	"strings"
	"unicode"
)

// inWords is the least length of a part of a word that also counts within the word. Shorter ones
// only count at its beginning.
const inWords = 6

// Corrects reports whether a title has a word for a correction, a cancellation or a credit.
func Corrects(title string) bool {
	parts, inner := vocab().prefixes["correction"], vocab().innerCorrections
	if IsIdeographic(title) {
		folded := Fold(title)
		return slices.ContainsFunc(parts, func(part string) bool { return IsIdeographic(part) && strings.Contains(folded, part) })
	}
	for _, w := range plainWords(title) {
		if startsWithAny(w, parts, strings.HasPrefix) || startsWithAny(w, inner, strings.Contains) {
			return true
		}
	}
	return false
}

// NamesInvoice reports whether a title has a word for an invoice, even within a longer word or with spaces
// between its letters.
func NamesInvoice(title string) bool {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, Fold(title))
	return startsWithAny(letters, vocab().prefixes["invoice"], strings.Contains)
}

// StatesCorrection reports whether a text states that the document credits or corrects another one, or
// refers to the document that it corrects.
func StatesCorrection(tokens []Token, text string) bool {
	return vocab().states("correction", tokens, text)
}

// StatesSelfBilling reports whether a text states that the recipient of the goods or services issued the
// invoice.
func StatesSelfBilling(tokens []Token, text string) bool {
	return vocab().states("self_billing", tokens, text)
}

// states reports whether a text contains a phrase of a list.
func (v *vocabulary) states(list string, tokens []Token, text string) bool {
	if IsIdeographic(text) {
		folded := Fold(text)
		return slices.ContainsFunc(v.solidPhrases[list], func(p string) bool { return strings.Contains(folded, p) })
	}
	first := v.phrases[list]
	for i := range tokens {
		for _, words := range first[tokens[i].Text] {
			if len(words) <= len(tokens)-i && slices.EqualFunc(words, tokens[i:i+len(words)], func(w string, t Token) bool { return t.Text == w }) {
				return true
			}
		}
	}
	return false
}
