package worker

import (
	"math"
	"unicode"
	"unicode/utf8"

	"docledger/adapter/extract/layout"
)

// viewSize is the width and height of the imagined screen that positions are
// read on: large, so that its whole numbers are exact enough.
const viewSize = 1_000_000

// view maps the coordinates of a page to fractions of what is seen of it, crop
// box and rotation applied.
type view struct{ ox, oy, ax, ay, bx, by float64 }

// newView learns the mapping, which is affine, from three points.
func newView(project func(x, y float64) (int, int, error)) (*view, error) {
	const reach = 1000 // points
	ox, oy, err := project(0, 0)
	if err != nil {
		return nil, err
	}
	ax, ay, err := project(reach, 0)
	if err != nil {
		return nil, err
	}
	bx, by, err := project(0, reach)
	if err != nil {
		return nil, err
	}
	part := func(v int) float64 { return float64(v) / viewSize }
	return &view{
		ox: part(ox), oy: part(oy),
		ax: part(ax-ox) / reach, ay: part(ay-oy) / reach,
		bx: part(bx-ox) / reach, by: part(by-oy) / reach,
	}, nil
}

// box maps a rectangle given by two opposite corners.
func (v *view) box(x0, y0, x1, y1 float64) layout.Box {
	ux, uy := v.ox+x0*v.ax+y0*v.bx, v.oy+x0*v.ay+y0*v.by
	wx, wy := v.ox+x1*v.ax+y1*v.bx, v.oy+x1*v.ay+y1*v.by
	return layout.Box{fraction(min(ux, wx)), fraction(min(uy, wy)), fraction(max(ux, wx)), fraction(max(uy, wy))}
}

// fraction keeps a position on the page and drops what is finer than a
// hundredth of a point.
func fraction(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return math.Round(min(1, max(0, f))*1e5) / 1e5
}

// joiner joins characters into words: up to white space, a change of line or a
// gap that is no gap between letters.
type joiner struct {
	out          []layout.Word
	text         []byte // of the word that is not finished
	around, last layout.Box
}

// add adds a character that is not blank.
func (j *joiner) add(r rune, box layout.Box) {
	if len(j.text) > 0 && (apart(j.last, box) || unicode.IsDigit(r) && endsWithDigit(j.text) && raised(j.last, box)) {
		j.end()
	}
	if len(j.text) == 0 {
		j.around = box
	}
	j.around = union(j.around, box)
	j.last = box
	j.text = utf8.AppendRune(j.text, r)
}

// end ends the word.
func (j *joiner) end() {
	if len(j.text) > 0 {
		j.out = append(j.out, layout.Word{Text: string(j.text), Box: j.around})
		j.text = j.text[:0]
	}
}

func blank(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

// apart says whether two characters that follow each other belong to different
// words: neither on one line nor in one column of turned text, or too far off.
func apart(a, b layout.Box) bool {
	const gap = 1.5 // in heights of a character, generous for spaced print
	level := min(a[3], b[3]) - max(a[1], b[1])
	plumb := min(a[2], b[2]) - max(a[0], b[0])
	high, wide := max(a[3]-a[1], b[3]-b[1]), max(a[2]-a[0], b[2]-b[0])
	if level <= 0 && plumb <= 0 {
		return true
	}
	if level > 0 {
		return max(b[0]-a[2], a[0]-b[2]) > gap*max(high, wide)
	}
	return max(b[1]-a[3], a[1]-b[3]) > gap*max(high, wide)
}

func endsWithDigit(text []byte) bool { return text[len(text)-1] >= '0' && text[len(text)-1] <= '9' }

// raised says whether a digit is much smaller and higher than the one before it,
// as raised cents and marks of footnotes are. Old-style figures differ less.
func raised(a, b layout.Box) bool {
	high := a[3] - a[1]
	return b[0] > a[0]+(a[2]-a[0])/2 && b[3] > a[1] && b[3]-b[1] < 0.62*high && b[3] < a[3]-0.25*high
}

func union(a, b layout.Box) layout.Box {
	return layout.Box{min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])}
}
