package recognize

import (
	"strings"
	"unicode"
)

// character is one that was read: what it most likely is, how surely, and what
// else it could be.
type character struct {
	r     rune
	sure  float64
	other rune // 0: none
	at    float64
}

// alternativeFrom is how likely the second best character must be to be named.
const alternativeFrom = 0.02

// decode turns the scores of each step of a line into characters: of the same
// character in steps that follow each other one is meant, and blank separates.
// at is their middle in fractions of the input's width.
func decode(scores []float32, steps int, alphabet []rune) []character {
	classes := len(scores) / steps
	var out []character
	last, begun := 0, 0
	for t := range steps {
		row := scores[t*classes : (t+1)*classes]
		best := 0
		for k, v := range row {
			if v > row[best] {
				best = k
			}
		}
		if best == last && best != 0 {
			// The step where it is surest speaks for the character.
			c := &out[len(out)-1]
			c.at = (float64(begun+t)/2 + 0.5) / float64(steps)
			if sure := float64(row[best]); sure > c.sure {
				c.sure, c.other = sure, second(row, best, alphabet)
			}
			continue
		}
		last, begun = best, t
		if best != 0 {
			out = append(out, character{
				r: alphabet[best], sure: float64(row[best]), other: second(row, best, alphabet),
				at: (float64(t) + 0.5) / float64(steps),
			})
		}
	}
	return out
}

// second is the most likely character but for the best.
func second(row []float32, best int, alphabet []rune) rune {
	found := 0
	for k, v := range row {
		if k != 0 && k != best && v >= alternativeFrom && (found == 0 || v > row[found]) {
			found = k
		}
	}
	if found == 0 {
		return 0
	}
	return alphabet[found]
}

// alphabetOf reads the list of characters that a model carries, one a line.
// The first class is the blank and the last one the space.
func alphabetOf(list string) []rune {
	out := []rune{0}
	for line := range strings.Lines(list) {
		line = strings.TrimRight(line, "\r\n")
		r := unicode.ReplacementChar
		for _, r = range line {
			break // of the few entries with combining marks the letter counts
		}
		out = append(out, r)
	}
	return append(out, ' ')
}
