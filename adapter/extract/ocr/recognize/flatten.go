package recognize

import (
	"math"
	"slices"
)

// flat corrects skew and perspective. It aligns the words of a printed line horizontally and
// those of a printed column vertically. Slopes depend on the position, like those of parallel
// lines in a photo.
type flat struct {
	middle point
	// The slope of a printed line at x, y is a + b*(x-middle.x) + c*(y-middle.y).
	a, b, c float64
	// A printed edge moves to the right by p + q*(x-middle.x) for each pixel
	// further down.
	p, q float64
}

// apply moves a position.
func (f *flat) apply(at point) point {
	dx, dy := at.x-f.middle.x, at.y-f.middle.y
	// The slope is followed to the middle of the page in two halves.
	first := f.a + f.b*dx*0.75 + f.c*dy
	dy1 := dy - first*dx/2
	second := f.a + f.b*dx*0.25 + f.c*dy1
	return point{
		x: at.x - dy*(f.p+f.q*dx),
		y: f.middle.y + dy1 - second*dx/2,
	}
}

// inkHeight is which part of a line's height its capitals take: the boxes of
// the detection network keep a margin above and below, those of printed text
// do not. It is the median over words of PDFs whose text is known.
const inkHeight = 0.57

// box is the upright rectangle of a word. Its height is that of its capitals,
// not that of the slope along it.
func (f *flat) box(q quad) quad {
	left, right := f.apply(between(q[0], q[3], 0.5)), f.apply(between(q[1], q[2], 0.5))
	half := q.height() / 2 * inkHeight
	y := (left.y + right.y) / 2
	return quad{{left.x, y - half}, {right.x, y - half}, {right.x, y + half}, {left.x, y + half}}
}

// steepest is the largest slope that is treated as the slope of a page.
const steepest = 0.35

// flatten finds how the lines of a page run.
func flatten(lines []Line, w, h float64) *flat {
	f := &flat{middle: point{w / 2, h / 2}}
	slopes := slopesOf(lines)
	if len(slopes) == 0 {
		return f
	}
	f.a = median(slopes)
	f.p = -f.a
	if len(slopes) >= 12 {
		f.fit(slopes, w, h)
		f.align(lines, w, h)
	}
	return f
}

// slope is that of a line at its middle.
type slope struct {
	at     point
	value  float64
	weight float64
}

func slopesOf(lines []Line) []slope {
	var out []slope
	for i := range lines {
		q := lines[i].quad
		along := between(q[1], q[2], 0.5).minus(between(q[0], q[3], 0.5))
		if along.x <= 0 || q.width() < 3*q.height() || math.Abs(along.y) > steepest*along.x {
			continue
		}
		out = append(out, slope{at: q.middle(), value: along.y / along.x, weight: min(q.width()/q.height(), 20)})
	}
	return out
}

// median is the slope of which half of the weight lies below.
func median(slopes []slope) float64 {
	sorted := slices.Clone(slopes)
	slices.SortFunc(sorted, func(a, b slope) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	total, below := 0.0, 0.0
	for _, s := range sorted {
		total += s.weight
	}
	for _, s := range sorted {
		if below += s.weight; below >= total/2 {
			return s.value
		}
	}
	return 0
}

// fit finds how slopes change over the page, by least squares without the
// slopes that fit worst.
func (f *flat) fit(slopes []slope, w, h float64) {
	kept := slopes
	a, b, c := f.a, 0.0, 0.0
	for range 4 {
		var m [3][4]float64
		for _, s := range kept {
			row := [3]float64{1, (s.at.x - f.middle.x) / w, (s.at.y - f.middle.y) / h}
			for i := range row {
				for k := range row {
					m[i][k] += s.weight * row[i] * row[k]
				}
				m[i][3] += s.weight * row[i] * s.value
			}
		}
		x, ok := solve(m)
		if !ok {
			return
		}
		a, b, c = x[0], x[1]/w, x[2]/h
		off := func(s slope) float64 {
			return math.Abs(s.value - a - b*(s.at.x-f.middle.x) - c*(s.at.y-f.middle.y))
		}
		all := make([]float64, len(slopes))
		for i, s := range slopes {
			all[i] = off(s)
		}
		slices.Sort(all)
		limit := max(0.004, 2.5*all[len(all)/2])
		kept = nil
		for _, s := range slopes {
			if off(s) <= limit {
				kept = append(kept, s)
			}
		}
	}
	// Small changes are noise of the boxes.
	const real = 0.012 // of slope, over the whole page
	if math.Abs(c*h) < real {
		c = 0
	}
	if math.Abs(b*w) < real {
		b = 0
	}
	if math.Abs(a) <= steepest && math.Abs(b*w) <= steepest && math.Abs(c*h) <= steepest {
		f.a, f.b, f.c = a, b, c
		f.p = -a
	}
}

// solve solves three equations.
func solve(m [3][4]float64) ([3]float64, bool) {
	for i := range 3 {
		best := i
		for k := i + 1; k < 3; k++ {
			if math.Abs(m[k][i]) > math.Abs(m[best][i]) {
				best = k
			}
		}
		m[i], m[best] = m[best], m[i]
		if math.Abs(m[i][i]) < 1e-9 {
			return [3]float64{}, false
		}
		for k := range 3 {
			if k == i {
				continue
			}
			part := m[k][i] / m[i][i]
			for j := i; j < 4; j++ {
				m[k][j] -= part * m[i][j]
			}
		}
	}
	return [3]float64{m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]}, true
}

// align finds how the edges of columns run: so that most lines begin or end
// below each other. Without a photo's perspective they are square to the
// lines, which is kept unless another course fits clearly better.
func (f *flat) align(lines []Line, w, h float64) {
	if f.b == 0 && f.c == 0 {
		return
	}
	var lefts, rights []point
	height := 0.0
	for i := range lines {
		q := lines[i].quad
		lefts = append(lefts, between(q[0], q[3], 0.5))
		rights = append(rights, between(q[1], q[2], 0.5))
		height += q.height() / float64(len(lines))
	}
	score := func(p, q float64) float64 {
		g := *f
		g.p, g.q = p, q
		return sharpness(&g, lefts, height/2) + sharpness(&g, rights, height/2)
	}
	bestP, bestQ := f.p, f.q
	best := 1.1 * score(bestP, bestQ)
	for _, step := range []float64{0.02, 0.005} {
		p0, q0 := bestP, bestQ
		for i := -8; i <= 8; i++ {
			for k := -8; k <= 8; k++ {
				p, q := p0+float64(i)*step, q0+2*float64(k)*step/w
				if s := score(p, q); s > best {
					best, bestP, bestQ = s, p, q
				}
			}
		}
	}
	f.p, f.q = bestP, bestQ
}

// sharpness is the larger the more positions share few values of x.
func sharpness(f *flat, points []point, width float64) float64 {
	counts := map[int]float64{}
	for _, p := range points {
		x := f.apply(p).x / width
		low := math.Floor(x)
		counts[int(low)] += 1 - (x - low)
		counts[int(low)+1] += x - low
	}
	sum := 0.0
	for _, n := range counts {
		sum += n * n
	}
	return sum
}
