package pdftext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// joinLetters joins the letters of words that are printed with a space after each letter: "D A T E". The
// pairs that a font brings together, "D AT E", belong to them. A wider space separates two words.
func joinLetters(row []word) []word {
	const fewest = 4
	out := row[:0]
	for i := 0; i < len(row); {
		end := i + 1
		for isSpacedLetter(&row[i]) && end < len(row) && isSpacedLetter(&row[end]) && isNextLetter(&row[end-1], &row[end]) {
			end++
		}
		// The run from a later word on ends at the same word. A new search for each word would take too long.
		single := singles(row[i:end])
		for end-i >= fewest && 3*single < 2*(end-i) {
			single -= singles(row[i : i+1])
			out = append(out, row[i])
			i++
		}
		if end-i < fewest {
			out = append(out, row[i:end]...)
		} else {
			out = append(out, joinRun(slices.Clone(row[i:end]))...)
		}
		i = end
	}
	return out
}

// isSpacedLetter reports whether a word can be a part of a word with spaces between its letters. A full
// stop or a colon can follow the last letter.
func isSpacedLetter(w *word) bool {
	const most, longest = 3, 8 // letters, and bytes with a sign
	if len(w.text) > longest {
		return false
	}
	text := strings.TrimRight(w.text, ".:")
	return text != "" && utf8.RuneCountInString(text) <= most && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) && r != '-' && r != '\'' && r != '’' && r != '&'
	})
}

// isNextLetter reports whether a letter follows another one in a word or in the next word.
func isNextLetter(a, b *word) bool {
	const widest, similar = 2.2, 0.5
	height := max(a.y1-a.y0, b.y1-b.y0)
	gap := b.x0 - a.x1
	return gap > 0 && gap < widest*height && min(a.y1-a.y0, b.y1-b.y0) > similar*height
}

// singles returns the number of words that are single letters.
func singles(words []word) int {
	n := 0
	for i := range words {
		if utf8.RuneCountInString(words[i].text) == 1 {
			n++
		}
	}
	return n
}

// joinRun joins the letters of a run to words. A space between words is wider than those between letters.
func joinRun(run []word) []word {
	const wider = 1.6
	gaps := make([]float64, 0, len(run))
	for i := 1; i < len(run); i++ {
		gaps = append(gaps, run[i].x0-run[i-1].x1)
	}
	sorted := slices.Clone(gaps)
	slices.Sort(sorted)
	usual := sorted[len(sorted)/2]
	out := run[:1]
	out[0].spacing = usual
	for i, gap := range gaps {
		next := run[i+1]
		next.spacing = usual
		last := &out[len(out)-1]
		if gap > wider*usual {
			out = append(out, next)
			continue
		}
		last.text += next.text
		last.x1, last.y0, last.y1 = next.x1, min(last.y0, next.y0), max(last.y1, next.y1)
		last.box = union(last.box, next.box)
	}
	return out
}
