package recognize

import (
	"image"
	"math"

	"docledger/adapter/extract/ocr/raster"
)

// The values that the detection model was published with.
const (
	textThreshold = 0.3 // of a pixel
	boxThreshold  = 0.5 // of the mean of a box
	unclipRatio   = 1.6 // how far a box is grown, by its area and length
	smallestBox   = 3   // pixels of the map
	maxBoxes      = 3000
	sizeMultiple  = 32
)

// network is a model that is run: input and output are float32.
type network interface {
	Run(input []float32, shape ...int64) ([]float32, []int64, error)
}

// detect finds the rectangles of lines of text in an image.
func detect(model network, img *image.Gray, longest int) ([]quad, error) {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	scale := min(1, float64(longest)/float64(max(width, height)))
	w, h := multiple(float64(width)*scale), multiple(float64(height)*scale)
	small := raster.Resize(img, w, h)
	out, shape, err := model.Run(planes([]*image.Gray{small}, w, h), 1, 3, int64(h), int64(w))
	if err != nil {
		return nil, err
	}
	if len(shape) != 4 || int(shape[2]) != h || int(shape[3]) != w || len(out) < w*h {
		return nil, errShape
	}
	boxes := boxesOf(out[:w*h], w, h)
	sx, sy := float64(width)/float64(w), float64(height)/float64(h)
	for i := range boxes {
		boxes[i] = boxes[i].each(func(p point) point { return point{p.x * sx, p.y * sy} })
	}
	return boxes, nil
}

func multiple(n float64) int { return max(1, int(math.Round(n/sizeMultiple))) * sizeMultiple }

// planes writes gray images as the three equal colours that the models take,
// from -1 to 1; what is right of a narrower image is 0.
func planes(images []*image.Gray, width, height int) []float32 {
	plane := width * height
	out := make([]float32, len(images)*3*plane)
	for n, img := range images {
		to := out[n*3*plane:]
		for y := range height {
			row := img.Pix[y*img.Stride:]
			for x := range img.Rect.Dx() {
				v := float32(row[x])/127.5 - 1
				i := y*width + x
				to[i], to[plane+i], to[2*plane+i] = v, v, v
			}
		}
	}
	return out
}

// boxesOf turns the map of how surely each pixel is text into rectangles, one
// for each connected area.
func boxesOf(probability []float32, w, h int) []quad {
	mask := make([]bool, w*h)
	for y := range h {
		for x := range w {
			if probability[y*w+x] > textThreshold {
				// An area reaches one pixel further to the right and down.
				for _, i := range [4]int{y*w + x, y*w + min(x+1, w-1), min(y+1, h-1)*w + x, min(y+1, h-1)*w + min(x+1, w-1)} {
					mask[i] = true
				}
			}
		}
	}
	var boxes []quad
	var stack []int
	for start := range mask {
		if !mask[start] {
			continue
		}
		if len(boxes) == maxBoxes {
			break
		}
		mask[start] = false
		stack = append(stack[:0], start)
		var edge []point
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			x, y := i%w, i/w
			edge = append(edge, point{float64(x), float64(y)})
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					nx, ny := x+dx, y+dy
					if nx >= 0 && ny >= 0 && nx < w && ny < h && mask[ny*w+nx] {
						mask[ny*w+nx] = false
						stack = append(stack, ny*w+nx)
					}
				}
			}
		}
		if box, ok := boxOf(edge, probability, w, h); ok {
			boxes = append(boxes, box)
		}
	}
	return boxes
}

func boxOf(area []point, probability []float32, w, h int) (quad, bool) {
	box, ok := smallestRectangle(extremes(area))
	if !ok || min(box.width(), box.height()) < smallestBox {
		return quad{}, false
	}
	if meanInside(box, probability, w, h) < boxThreshold {
		return quad{}, false
	}
	around := 2 * (box.width() + box.height())
	box = box.grown(box.width() * box.height() * unclipRatio / around)
	return box, min(box.width(), box.height()) >= smallestBox+2
}

// extremes keeps the first and last point of each row, of which alone the
// rectangle around an area depends.
func extremes(area []point) []point {
	type span struct{ from, to float64 }
	rows := map[float64]span{}
	for _, p := range area {
		s, ok := rows[p.y]
		if !ok {
			s = span{p.x, p.x}
		}
		rows[p.y] = span{min(s.from, p.x), max(s.to, p.x)}
	}
	out := make([]point, 0, 2*len(rows))
	for y, s := range rows {
		out = append(out, point{s.from, y}, point{s.to, y})
	}
	return out
}

// meanInside is the mean of the map inside a rectangle.
func meanInside(q quad, probability []float32, w, h int) float64 {
	x0, y0, x1, y1 := q.bounds()
	sum, n := 0.0, 0
	for y := clamp(int(y0), h-1); y <= clamp(int(math.Ceil(y1)), h-1); y++ {
		for x := clamp(int(x0), w-1); x <= clamp(int(math.Ceil(x1)), w-1); x++ {
			if q.holds(point{float64(x), float64(y)}) {
				sum += float64(probability[y*w+x])
				n++
			}
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

func (q quad) bounds() (x0, y0, x1, y1 float64) {
	x0, y0, x1, y1 = q[0].x, q[0].y, q[0].x, q[0].y
	for _, p := range q[1:] {
		x0, y0, x1, y1 = min(x0, p.x), min(y0, p.y), max(x1, p.x), max(y1, p.y)
	}
	return x0, y0, x1, y1
}

// holds says whether a point lies inside, or on the edge within half a pixel.
func (q quad) holds(p point) bool {
	for i := range q {
		side := q[(i+1)%4].minus(q[i])
		if side.cross(p.minus(q[i])) < -0.5*side.length() {
			return false
		}
	}
	return true
}
