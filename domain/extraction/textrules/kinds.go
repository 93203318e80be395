package textrules

import (
	"strings"
	"unicode/utf8"
)

// numberWords connect a title with the number of the document.
var numberWords = map[string]bool{"number": true, "numero": true, "nummer": true, "numer": true, "cislo": true, "from": true, "dated": true}

// KindOf returns the kind of document that a title names, or "". It ignores a number
// or a date after the title.
func KindOf(title string) string {
	words := Words(title)
	const most = 16 // maximum words of a title
	if len(words) > most {
		return ""
	}
	joined := strings.Join(words, " ")
	for n, end := len(words), len(joined); n > 0; n-- {
		kind, ok := vocab().kinds[joined[:end]]
		end -= len(words[n-1]) + 1
		if !ok {
			continue
		}
		if n < len(words) && !strings.ContainsAny(strings.Join(words[n:], ""), "0123456789") && !isNumberSign(words[n:]) {
			return ""
		}
		for _, w := range words[n:] {
			if !strings.ContainsAny(w, "0123456789") && utf8.RuneCountInString(w) > 3 && !numberWords[w] && vocab().months[w] == 0 {
				return ""
			}
		}
		return kind
	}
	return vocab().kinds[strings.TrimSpace(title)]
}

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
