package pdftext

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// raised reports whether a word is printed smaller and higher than the number before
// it, like the cents in "$12⁵⁰".
func raised(a, b *word) bool {
	high := a.y1 - a.y0
	return b.y1-b.y0 < 0.7*high && b.y1 < a.y1-0.2*high && b.y0 < a.y0+0.4*high && b.x0-a.x1 > -0.2*high && b.x0-a.x1 < 0.6*high
}

// isCents reports whether a text consists of two digits.
func isCents(text string) bool {
	return len(text) == 2 && isNumeral(text[0]) && isNumeral(text[1])
}

func isNumeral(c byte) bool { return c >= '0' && c <= '9' }

// lacksCents reports whether a text ends like an amount without cents: it has no
// separator, or only those of thousands.
func lacksCents(text string) bool {
	if text == "" || !isNumeral(text[len(text)-1]) || strings.ContainsAny(text, ":/%#") {
		return false
	}
	at := strings.LastIndexAny(text, ".,'")
	return at < 0 || len(text)-at-1 == 3 || strings.HasSuffix(text[:at], ".") // dotted leaders
}

// decimalAfter returns the decimal separator of an amount: the one that does not
// separate its thousands.
func decimalAfter(text string) string {
	if at := strings.LastIndexAny(text, ".,"); at >= 0 && len(text)-at-1 == 3 && text[at] == '.' {
		return ","
	}
	return "."
}

// appendCents makes cents a part of the amount before them.
func appendCents(a, b *word, separator string) {
	a.text += separator + b.text
	a.x1 = b.x1
	a.box = union(a.box, b.box)
}

// joinRaised makes raised cents a part of the amounts that they follow.
func joinRaised(words []word) []word {
	out := words[:0]
	for _, w := range words {
		if n := len(out); n > 0 && isCents(w.text) && lacksCents(out[n-1].text) && raised(&out[n-1], &w) {
			appendCents(&out[n-1], &w, decimalAfter(out[n-1].text))
			continue
		}
		out = append(out, w)
	}
	return out
}

// joinCents makes the cents of forms with a separate column for them a part of the
// amounts to their left. Two columns of numbers belong together if they are close to
// each other in at least three rows, the right one contains only different numbers of
// two digits, and few numbers of the page have cents of their own.
func joinCents(lines [][]word, height float64) {
	type pair struct{ row, at int }
	var pairs []pair
	decimals := 0
	for i, row := range lines {
		for k := range row {
			if at := strings.LastIndexAny(row[k].text, ".,"); at > 0 && isCents(row[k].text[at+1:]) && isNumeral(row[k].text[at-1]) {
				decimals++
			}
			if k > 0 && isCents(row[k].text) && lacksCents(row[k-1].text) {
				if gap := row[k].x0 - row[k-1].x1; gap > 0.25*height && gap < 2.5*height {
					pairs = append(pairs, pair{i, k})
				}
			}
		}
	}
	edge := func(p pair) float64 { return lines[p.row][p.at].x1 }
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(edge(a), edge(b)) })
	const fewest = 3
	var joined []pair
	separator := "."
	for from := 0; from < len(pairs); {
		to := from + 1
		values := map[string]bool{lines[pairs[from].row][pairs[from].at].text: true}
		aligned := true
		for ; to < len(pairs) && edge(pairs[to])-edge(pairs[from]) < 0.4*height; to++ {
			values[lines[pairs[to].row][pairs[to].at].text] = true
			a, b := lines[pairs[from].row][pairs[from].at-1], lines[pairs[to].row][pairs[to].at-1]
			aligned = aligned && math.Abs(a.x1-b.x1) < 0.5*height
		}
		if to-from >= fewest && len(values) > 1 && aligned && decimals < to-from {
			joined = append(joined, pairs[from:to]...)
		}
		from = to
	}
	for _, p := range joined {
		if decimalAfter(lines[p.row][p.at-1].text) == "," {
			separator = ","
		}
	}
	slices.SortFunc(joined, func(a, b pair) int { return cmp.Compare(b.at, a.at) }) // right to left
	for _, p := range joined {
		row := lines[p.row]
		appendCents(&row[p.at-1], &row[p.at], separator)
		lines[p.row] = slices.Delete(row, p.at, p.at+1)
	}
}
