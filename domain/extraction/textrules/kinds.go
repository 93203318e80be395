package textrules

import (
	"strings"
	"unicode/utf8"
)

// numberWords connect a title with the number of the document.
var numberWords = map[string]bool{"number": true, "numero": true, "nummer": true, "numer": true, "cislo": true, "from": true, "dated": true}

// KindOf returns the kind of document that a title names, or "". It ignores a number
// or a date after the title, a second name of the same kind ("Quote / Estimate"), and the ordinal of a
// reminder ("2nd reminder").
func KindOf(title string) string {
	words := Words(title)
	const most = 16 // maximum words of a title
	if len(words) > most {
		return ""
	}
	kind, rest := kindAt(words)
	if kind == "" && len(words) > 1 && isOrdinal(words[0]) {
		if kind, rest = kindAt(words[1:]); kind != reminder {
			kind = ""
		}
	}
	if kind == "" {
		return vocab().kinds[strings.TrimSpace(title)]
	}
	if second, _ := kindAt(rest); second == kind {
		return kind
	}
	if len(rest) > 0 && !strings.ContainsAny(strings.Join(rest, ""), "0123456789") && !isNumberSign(rest) {
		return ""
	}
	for _, w := range rest {
		if !strings.ContainsAny(w, "0123456789") && utf8.RuneCountInString(w) > 3 && !numberWords[w] && vocab().months[w] == 0 {
			return ""
		}
	}
	return kind
}

// reminder is the kind of titles with an ordinal.
const reminder = "reminder"

// kindAt returns the kind of the longest known title at the beginning of some words, and the words
// after it.
func kindAt(words []string) (kind string, rest []string) {
	joined := strings.Join(words, " ")
	for n, end := len(words), len(joined); n > 0; n-- {
		if kind, ok := vocab().kinds[joined[:end]]; ok {
			return kind, words[n:]
		}
		end -= len(words[n-1]) + 1
	}
	return "", nil
}

// isOrdinal reports whether a word is an ordinal in digits: "2nd", "2".
func isOrdinal(word string) bool {
	const longest = 3
	return word != "" && len(word) <= longest && word[0] >= '1' && word[0] <= '9' // a word of marks alone folds to ""
}

// IsNumberSign reports whether a word only announces a number: "no", "number".
func IsNumberSign(word string) bool { return isNumberSign([]string{word}) }

// isNumberSign reports whether words only announce a number: "no", "n o", "#".
func isNumberSign(words []string) bool {
	for _, w := range words {
		switch w {
		case "no", "nr", "n", "o", "#", "№", "c":
		default:
			if !numberWords[w] {
				return false
			}
		}
	}
	return true
}
