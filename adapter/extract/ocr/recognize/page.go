package recognize

import (
	"cmp"
	"image"
	"math"
	"slices"
	"strings"
	"unicode"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/ocr/raster"
)

// shortSide is what the shorter side of a page is taken to measure, in points:
// an image rarely states its size truthfully. It is that of A4.
const shortSide = 595

// Page reads a page. Words come with the skew and the perspective of a photo
// corrected; a page that lies on its side or upside down is set upright.
func (e *Engine) Page(img *image.Gray, number int) (*layout.Page, error) {
	if longest := max(img.Rect.Dx(), img.Rect.Dy()); longest > longestRead {
		scale := float64(longestRead) / float64(longest)
		img = raster.Resize(img, max(1, int(float64(img.Rect.Dx())*scale)), max(1, int(float64(img.Rect.Dy())*scale)))
	}
	lines, quarters, err := e.lines(img)
	if err != nil {
		return nil, err
	}
	seen := view{width: float64(img.Rect.Dx()), height: float64(img.Rect.Dy()), quarters: quarters}
	w, h := seen.size()
	scale := shortSide / min(w, h)
	page := &layout.Page{Number: number, Width: w * scale, Height: h * scale, Rotation: quarters * 90, Words: []layout.Word{}}
	for i := range lines {
		lines[i].quad = lines[i].quad.each(seen.upright)
	}
	flat := flatten(lines, w, h)
	words := wordsOf(lines)
	slices.SortStableFunc(words, func(a, b word) int {
		return cmp.Compare(flat.apply(a.quad.middle()).y, flat.apply(b.quad.middle()).y)
	})
	for _, x := range words {
		page.Words = append(page.Words, layout.Word{
			Text: x.text,
			Box:  boxOn(flat.box(x.quad), w, h),
			Recognized: &layout.Recognized{
				Confidence:   math.Round(x.sure*1e4) / 1e4,
				Shown:        boxOn(x.quad.each(seen.shown), seen.width, seen.height),
				Alternatives: x.alternatives,
			},
		})
	}
	return page, nil
}

// view maps the positions of an image to those of the upright page.
type view struct {
	width, height float64 // of the image
	quarters      int
}

func (v view) size() (w, h float64) {
	if v.quarters%2 == 1 {
		return v.height, v.width
	}
	return v.width, v.height
}

func (v view) upright(p point) point {
	switch v.quarters {
	case 1:
		return point{v.height - p.y, p.x}
	case 2:
		return point{v.width - p.x, v.height - p.y}
	case 3:
		return point{p.y, v.width - p.x}
	}
	return p
}

func (v view) shown(p point) point {
	switch v.quarters {
	case 1:
		return point{p.y, v.height - p.x}
	case 2:
		return point{v.width - p.x, v.height - p.y}
	case 3:
		return point{v.width - p.y, p.x}
	}
	return p
}

func boxOn(q quad, w, h float64) layout.Box {
	x0, y0, x1, y1 := q.bounds()
	part := func(f float64) float64 { return math.Round(min(1, max(0, f))*1e5) / 1e5 }
	return layout.Box{part(x0 / w), part(y0 / h), part(x1 / w), part(y1 / h)}
}

// word is a run of characters without white space.
type word struct {
	text         string
	quad         quad
	sure         float64
	alternatives []string
}

const (
	// spreadGap is how many times the usual distance of two characters is a
	// gap between words, even where no space was read.
	spreadGap = 2.6
	// maxAlternatives is the maximum number of alternative readings of a word in the result.
	maxAlternatives = 4
)

func wordsOf(lines []Line) []word {
	var out []word
	for i := range lines {
		l := &lines[i]
		advance := usualAdvance(l.characters)
		from := -1
		for k := 0; k <= len(l.characters); k++ {
			ends := k == len(l.characters) || unicode.IsSpace(l.characters[k].r)
			apart := !ends && from >= 0 && k > from && l.characters[k].at-l.characters[k-1].at > spreadGap*advance
			if from >= 0 && (ends || apart) {
				out = append(out, l.word(from, k, advance))
				from = -1
			}
			if !ends && from < 0 {
				from = k
			}
		}
	}
	return out
}

// usualAdvance is the median distance between characters that follow each
// other in a word.
func usualAdvance(characters []character) float64 {
	var all []float64
	for i := 1; i < len(characters); i++ {
		if !unicode.IsSpace(characters[i].r) && !unicode.IsSpace(characters[i-1].r) {
			all = append(all, characters[i].at-characters[i-1].at)
		}
	}
	if len(all) == 0 {
		return 1 / float64(max(1, len(characters)))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func (l *Line) word(from, to int, advance float64) word {
	part := l.characters[from:to]
	left, right := part[0].at-advance/2, part[len(part)-1].at+advance/2
	if from == 0 {
		left = max(0, min(left, advance/2))
	}
	if to == len(l.characters) {
		right = min(1, max(right, 1-advance/2))
	}
	left, right = max(0, left), min(1, right)
	w := word{sure: 1, quad: quad{
		between(l.quad[0], l.quad[1], left), between(l.quad[0], l.quad[1], right),
		between(l.quad[3], l.quad[2], right), between(l.quad[3], l.quad[2], left),
	}}
	text := make([]rune, len(part))
	for i, c := range part {
		text[i] = c.r
		w.sure = min(w.sure, c.sure)
	}
	w.text = string(text)
	for i, c := range part {
		if c.other != 0 && len(w.alternatives) < maxAlternatives {
			other := slices.Clone(text)
			other[i] = c.other
			if s := strings.TrimSpace(string(other)); s != "" && !strings.ContainsRune(s, ' ') {
				w.alternatives = append(w.alternatives, s)
			}
		}
	}
	return w
}
