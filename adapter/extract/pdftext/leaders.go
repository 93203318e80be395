package pdftext

import (
	"strings"
	"unicode/utf8"
)

// leaderSigns are the signs that lines between a text and its amount consist of.
const leaderSigns = ".…·_"

// withoutLeaders removes the signs of leaders, "Total ........ 12.00". They are words of their own, one
// word for each sign, or part of the words before and after them.
func withoutLeaders(words []word) []word {
	const fewest = 4
	isLeader := func(w *word) bool { return strings.Trim(w.text, leaderSigns) == "" }
	out := words[:0]
	for i := 0; i < len(words); {
		end, signs := i, 0
		for end < len(words) && isLeader(&words[end]) && (end == i || abs(words[end].middle()-words[i].middle()) < 1 && words[end].x0 > words[end-1].x0) {
			signs += utf8.RuneCountInString(words[end].text)
			end++
		}
		switch {
		case signs >= fewest:
			i = end
			if i < len(words) && follows(&words[i-1], &words[i]) {
				words[i] = cutSign(words[i]) // the last sign touches the amount
			}
		case end > i:
			out = append(out, words[i:end]...)
			i = end
		default:
			out = append(out, cutLeaders(words[i]))
			i++
		}
	}
	return out
}

// follows reports whether a word is in the line of the sign before it, at the distance of one letter.
func follows(sign, w *word) bool {
	return sign.middle() > w.y0 && sign.middle() < w.y1+1 && w.x0 >= sign.x0 && w.x0-sign.x1 < w.y1-w.y0
}

// cutSign removes the sign of a leader from the beginning of an amount.
func cutSign(w word) word {
	rest := strings.TrimLeft(w.text, leaderSigns)
	if rest == "" || rest == w.text {
		return w
	}
	return w.part(len(w.text)-len(rest), len(w.text))
}

// cutLeaders removes a leader from the beginning and the end of a word.
func cutLeaders(w word) word {
	const fewest = 4
	if len(w.text) <= fewest {
		return w
	}
	start, end := 0, len(w.text)
	if rest := strings.TrimLeft(w.text, leaderSigns); utf8.RuneCountInString(w.text)-utf8.RuneCountInString(rest) >= fewest {
		start = len(w.text) - len(rest)
	}
	if rest := strings.TrimRight(w.text, leaderSigns); utf8.RuneCountInString(w.text)-utf8.RuneCountInString(rest) >= fewest {
		end = len(rest)
	}
	if start >= end || start == 0 && end == len(w.text) {
		return w
	}
	return w.part(start, end)
}

// part returns a range of bytes of a word. All characters count as equally wide.
func (w word) part(start, end int) word {
	all := float64(utf8.RuneCountInString(w.text))
	width := w.x1 - w.x0
	out := w
	out.text = w.text[start:end]
	out.x0 = w.x0 + width*float64(utf8.RuneCountInString(w.text[:start]))/all
	out.x1 = w.x0 + width*float64(utf8.RuneCountInString(w.text[:end]))/all
	return out
}
