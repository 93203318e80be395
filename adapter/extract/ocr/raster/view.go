package raster

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/draw"
)

// View returns the page with the index i in color on white paper, as it is meant
// to be seen, at most width pixels wide and with at most pixels pixels. It is
// never enlarged.
func (f *File) View(i, width, pixels int) (image.Image, error) {
	img, orientation, err := f.load(i)
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	w, h := float64(b.Dx()), float64(b.Dy())
	seen := w
	if orientation >= 5 && orientation <= 8 {
		seen = h // it is turned by a quarter
	}
	scale := min(1, float64(width)/seen, math.Sqrt(float64(pixels)/(w*h)))
	to := image.Rect(0, 0, max(1, int(w*scale+0.001)), max(1, int(h*scale+0.001)))
	out := shrink(img, to.Dx(), to.Dy())
	return orientColor(out, orientation), nil
}

// shrink returns the image in the given size, which is at most its own. Each pixel
// counts by the area that it covers. Only a few rows are kept at a time, because a
// photo can be large.
func shrink(src image.Image, width, height int) *image.RGBA {
	b := src.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	white := image.NewUniform(color.White)
	if b.Dx() == width && b.Dy() == height {
		draw.Draw(out, out.Rect, white, image.Point{}, draw.Src)
		draw.Draw(out, out.Rect, src, b.Min, draw.Over)
		return out
	}
	columns := weigh(b.Dx(), width)
	line := image.NewRGBA(image.Rect(0, 0, b.Dx(), 1))
	kept, first := [][]float32{}, 0 // rows of the source in the new width, from the row with the index first
	read := func(y int) []float32 {
		draw.Draw(line, line.Rect, white, image.Point{}, draw.Src)
		draw.Draw(line, line.Rect, src, image.Pt(b.Min.X, b.Min.Y+y), draw.Over)
		row := make([]float32, 3*width)
		for x, c := range columns {
			var red, green, blue float32
			for i, k := range c.weights {
				p := line.Pix[4*(c.from+i):][:3]
				red, green, blue = red+k*float32(p[0]), green+k*float32(p[1]), blue+k*float32(p[2])
			}
			row[3*x], row[3*x+1], row[3*x+2] = red, green, blue
		}
		return row
	}
	sum := make([]float32, 3*width)
	for y, s := range weigh(b.Dy(), height) {
		for first < s.from && len(kept) > 0 {
			kept, first = kept[1:], first+1
		}
		if len(kept) == 0 {
			first = s.from
		}
		clear(sum)
		for i, k := range s.weights {
			if s.from+i-first == len(kept) {
				kept = append(kept, read(s.from+i))
			}
			for x, v := range kept[s.from+i-first] {
				sum[x] += k * v
			}
		}
		row := out.Pix[y*out.Stride:][:4*width]
		for x := range width {
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = level(sum[3*x]), level(sum[3*x+1]), level(sum[3*x+2]), 255
		}
	}
	return out
}

func level(v float32) uint8 { return uint8(min(255, max(0, v+0.5))) }

// orientColor is orient for an image in color.
func orientColor(img *image.RGBA, orientation int) *image.RGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	var from func(x, y int) (int, int)
	switch orientation {
	case 2:
		from = func(x, y int) (int, int) { return w - 1 - x, y }
	case 3:
		from = func(x, y int) (int, int) { return w - 1 - x, h - 1 - y }
	case 4:
		from = func(x, y int) (int, int) { return x, h - 1 - y }
	case 5:
		from = func(x, y int) (int, int) { return y, x }
	case 6:
		from = func(x, y int) (int, int) { return y, h - 1 - x }
	case 7:
		from = func(x, y int) (int, int) { return w - 1 - y, h - 1 - x }
	case 8:
		from = func(x, y int) (int, int) { return w - 1 - y, x }
	default:
		return img
	}
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			sx, sy := from(x, y)
			copy(out.Pix[out.PixOffset(x, y):][:4], img.Pix[img.PixOffset(sx, sy):][:4])
		}
	}
	return out
}
