package recognize

import (
	"cmp"
	"image"
	"math"
	"slices"
)

// point is a position in an image, in pixels.
type point struct{ x, y float64 }

func (p point) minus(q point) point          { return point{p.x - q.x, p.y - q.y} }
func (p point) plus(q point) point           { return point{p.x + q.x, p.y + q.y} }
func (p point) times(f float64) point        { return point{p.x * f, p.y * f} }
func (p point) dot(q point) float64          { return p.x*q.x + p.y*q.y }
func (p point) cross(q point) float64        { return p.x*q.y - p.y*q.x }
func (p point) length() float64              { return math.Hypot(p.x, p.y) }
func between(p, q point, part float64) point { return p.plus(q.minus(p).times(part)) }

// quad is a rectangle that may be turned: top left, top right, bottom right and
// bottom left corner as its text is read.
type quad [4]point

func (q quad) width() float64  { return q[1].minus(q[0]).length() }
func (q quad) height() float64 { return q[3].minus(q[0]).length() }
func (q quad) middle() point   { return between(q[0], q[2], 0.5) }

// turned returns the rectangle with the given number of quarter turns: what was
// its left side becomes its top after one.
func (q quad) turned(quarters int) quad {
	var out quad
	for i := range q {
		out[i] = q[(i+4-quarters%4)%4]
	}
	return out
}

// each applies a function to every corner.
func (q quad) each(f func(point) point) quad {
	for i := range q {
		q[i] = f(q[i])
	}
	return q
}

// hull returns the convex hull of points, counter-clockwise in a plane whose y
// grows upwards.
func hull(points []point) []point {
	slices.SortFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	points = slices.Compact(points)
	if len(points) < 3 {
		return points
	}
	var out []point
	grow := func(p point, from int) {
		for len(out) >= from+2 && out[len(out)-1].minus(out[len(out)-2]).cross(p.minus(out[len(out)-1])) <= 0 {
			out = out[:len(out)-1]
		}
		out = append(out, p)
	}
	for _, p := range points {
		grow(p, 0)
	}
	from := len(out) - 1
	for i := len(points) - 2; i >= 0; i-- {
		grow(points[i], from)
	}
	return out[:len(out)-1]
}

// smallestRectangle returns the rectangle of the smallest area around points. It
// is read along the side that is closer to the horizontal.
func smallestRectangle(points []point) (quad, bool) {
	h := hull(points)
	if len(h) < 3 {
		return quad{}, false
	}
	best, least := quad{}, math.Inf(1)
	for i := range h {
		u := h[(i+1)%len(h)].minus(h[i])
		if u.length() == 0 {
			continue
		}
		u = u.times(1 / u.length())
		v := point{-u.y, u.x}
		minU, maxU, minV, maxV := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
		for _, p := range h {
			minU, maxU = min(minU, p.dot(u)), max(maxU, p.dot(u))
			minV, maxV = min(minV, p.dot(v)), max(maxV, p.dot(v))
		}
		if area := (maxU - minU) * (maxV - minV); area < least {
			least = area
			at := func(a, b float64) point { return u.times(a).plus(v.times(b)) }
			best = quad{at(minU, minV), at(maxU, minV), at(maxU, maxV), at(minU, maxV)}
		}
	}
	return level(best), !math.IsInf(least, 1)
}

// level renames the corners so that the first side runs to the right, at most
// an eighth of a turn up or down.
func level(q quad) quad {
	for range 4 {
		side := q[1].minus(q[0])
		if side.x > 0 && math.Abs(side.y) <= side.x {
			break
		}
		q = q.turned(1)
	}
	return q
}

// grown returns the rectangle with its sides moved outwards.
func (q quad) grown(by float64) quad {
	w, h := q.width(), q.height()
	if w == 0 || h == 0 {
		return q
	}
	u, v := q[1].minus(q[0]).times(by/w), q[3].minus(q[0]).times(by/h)
	return quad{
		q[0].minus(u).minus(v), q[1].plus(u).minus(v), q[2].plus(u).plus(v), q[3].minus(u).plus(v),
	}
}

// crop cuts a rectangle out of an image and brings it to the given size. Where
// it shrinks, every pixel of the image counts.
func crop(src *image.Gray, q quad, width, height int) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, width, height))
	nx := samples(q.width() / float64(width))
	ny := samples(q.height() / float64(height))
	for y := range height {
		for x := range width {
			sum := 0.0
			for j := range ny {
				v := (float64(y) + (float64(j)+0.5)/float64(ny)) / float64(height)
				left, right := between(q[0], q[3], v), between(q[1], q[2], v)
				for i := range nx {
					u := (float64(x) + (float64(i)+0.5)/float64(nx)) / float64(width)
					sum += sample(src, between(left, right, u))
				}
			}
			out.Pix[y*out.Stride+x] = uint8(sum/float64(nx*ny) + 0.5)
		}
	}
	return out
}

func samples(scale float64) int { return max(1, min(6, int(math.Ceil(scale-0.25)))) }

// sample interpolates between the four pixels around a position. Outside the image it uses the
// pixel at the edge.
func sample(src *image.Gray, p point) float64 {
	x, y := p.x-0.5, p.y-0.5
	fx, fy := math.Floor(x), math.Floor(y)
	dx, dy := x-fx, y-fy
	maxX, maxY := src.Rect.Dx()-1, src.Rect.Dy()-1
	x0, y0 := clamp(int(fx), maxX), clamp(int(fy), maxY)
	x1, y1 := clamp(int(fx)+1, maxX), clamp(int(fy)+1, maxY)
	a, b := src.Pix[y0*src.Stride:], src.Pix[y1*src.Stride:]
	top := float64(a[x0])*(1-dx) + float64(a[x1])*dx
	bottom := float64(b[x0])*(1-dx) + float64(b[x1])*dx
	return top*(1-dy) + bottom*dy
}

func clamp(v, most int) int { return max(0, min(v, most)) }
