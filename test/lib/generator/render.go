package generator

import (
	"strings"
	"unicode"

	"docledger/adapter/extract/layout"
)

// The size of an A4 page in points.
const (
	width, height = 595.0, 842.0
)

// advance is the approximate width of a character of a sans-serif font relative
// to its size.
func advance(r rune) float64 {
	switch {
	case r > 0x2e80:
		return 1
	case strings.ContainsRune(" .,:;'|!il·", r):
		return 0.278
	case strings.ContainsRune("-()ftjrI/", r):
		return 0.333
	case unicode.IsUpper(r), strings.ContainsRune("mwMW%@", r):
		return 0.7
	}
	return 0.556
}

func breadth(text string, size float64) float64 {
	sum := 0.0
	for _, r := range text {
		sum += advance(r) * size
	}
	return sum
}

// Words returns the pages as a PDF reader sees them.
func (d *Document) Words() []layout.Page {
	var out []layout.Page
	for i, p := range d.Pages {
		page := layout.Page{Number: i + 1, Width: width, Height: height, Words: []layout.Word{}}
		for _, t := range p.Texts {
			page.Words = append(page.Words, t.words()...)
		}
		out = append(out, page)
	}
	return out
}

func (t Text) words() []layout.Word {
	x := t.X
	if t.Right {
		x -= breadth(t.Text, t.Size)
	}
	var out []layout.Word
	for _, w := range strings.SplitAfter(t.Text, " ") {
		word := strings.TrimSuffix(w, " ")
		if word != "" {
			top, under := reach(word)
			out = append(out, layout.Word{Text: word, Box: layout.Box{
				x / width, (t.Y - top*t.Size) / height, (x + breadth(word, t.Size)) / width, (t.Y + under*t.Size) / height,
			}})
		}
		x += breadth(w, t.Size)
	}
	return out
}

// reach is the height of a word above and below the base line.
func reach(word string) (top, under float64) {
	top = 0.53
	for _, r := range word {
		switch {
		case unicode.IsUpper(r), unicode.IsDigit(r), r > 0x2e80, strings.ContainsRune("bdfhklt(%$€£/", r):
			top = max(top, 0.72)
		}
		if strings.ContainsRune("gjpqy(,;/", r) {
			under = 0.2
		}
	}
	return top, under
}
