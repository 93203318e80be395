// Package raster decodes the images of scans and photos into shades of gray,
// within limits that are checked before anything is decoded.
package raster

import (
	"image"
	"image/color"
	"math"
)

// Resize brings an image to the given size. Where it shrinks, every pixel
// counts by the area that it covers; where it grows, values are interpolated.
func Resize(src *image.Gray, width, height int) *image.Gray {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	if w == width && h == height {
		return src
	}
	columns, rows := weigh(w, width), weigh(h, height)
	between := make([]float32, width*h)
	for y := range h {
		row := src.Pix[y*src.Stride : y*src.Stride+w]
		for x, c := range columns {
			sum := float32(0)
			for i, k := range c.weights {
				sum += k * float32(row[c.from+i])
			}
			between[y*width+x] = sum
		}
	}
	out := image.NewGray(image.Rect(0, 0, width, height))
	for y, c := range rows {
		for x := range width {
			sum := float32(0)
			for i, k := range c.weights {
				sum += k * between[(c.from+i)*width+x]
			}
			out.Pix[y*out.Stride+x] = uint8(min(255, max(0, sum+0.5)))
		}
	}
	return out
}

// share says which pixels of a row make up one of the new row.
type share struct {
	from    int
	weights []float32
}

func weigh(from, to int) []share {
	out := make([]share, to)
	scale := float64(from) / float64(to)
	reach := max(1, scale)
	for i := range out {
		middle := (float64(i) + 0.5) * scale
		first := max(0, int(math.Floor(middle-reach)))
		last := min(from-1, int(math.Ceil(middle+reach)))
		s := share{from: first}
		sum := float32(0)
		for k := first; k <= last; k++ {
			weight := float32(max(0, 1-math.Abs(float64(k)+0.5-middle)/reach))
			s.weights = append(s.weights, weight)
			sum += weight
		}
		for k := range s.weights {
			s.weights[k] /= sum
		}
		out[i] = s
	}
	return out
}

// Turn turns an image by quarter turns clockwise.
func Turn(src *image.Gray, quarters int) *image.Gray {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	switch (quarters%4 + 4) % 4 {
	case 1:
		return arrange(src, h, w, func(x, y int) (int, int) { return y, h - 1 - x })
	case 2:
		return arrange(src, w, h, func(x, y int) (int, int) { return w - 1 - x, h - 1 - y })
	case 3:
		return arrange(src, h, w, func(x, y int) (int, int) { return w - 1 - y, x })
	}
	return src
}

// mirror exchanges left and right.
func mirror(src *image.Gray) *image.Gray {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	return arrange(src, w, h, func(x, y int) (int, int) { return w - 1 - x, y })
}

func arrange(src *image.Gray, w, h int, from func(x, y int) (int, int)) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			sx, sy := from(x, y)
			out.Pix[y*out.Stride+x] = src.Pix[sy*src.Stride+sx]
		}
	}
	return out
}

// gray turns an image into shades of gray on white paper.
func gray(src image.Image) *image.Gray {
	b := src.Bounds()
	if g, ok := src.(*image.Gray); ok && b.Min == (image.Point{}) {
		return g
	}
	out := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
	if y, ok := src.(*image.YCbCr); ok {
		for row := range b.Dy() {
			from := y.YOffset(b.Min.X, b.Min.Y+row)
			copy(out.Pix[row*out.Stride:row*out.Stride+b.Dx()], y.Y[from:from+b.Dx()])
		}
		return out
	}
	at := shades(src)
	for y := range b.Dy() {
		for x := range b.Dx() {
			out.Pix[y*out.Stride+x] = at(b.Min.X+x, b.Min.Y+y)
		}
	}
	return out
}

// shades returns how bright a pixel is; the usual kinds of images are read
// without a value of their own for each pixel.
func shades(src image.Image) func(x, y int) uint8 {
	switch img := src.(type) {
	case *image.NRGBA:
		return func(x, y int) uint8 {
			p := img.Pix[img.PixOffset(x, y):]
			return onPaper(uint32(p[0]), uint32(p[1]), uint32(p[2]), uint32(p[3]))
		}
	case *image.RGBA:
		return func(x, y int) uint8 {
			p := img.Pix[img.PixOffset(x, y):]
			paper := 255 - uint32(p[3])
			return luminance(uint32(p[0])+paper, uint32(p[1])+paper, uint32(p[2])+paper)
		}
	case *image.Paletted:
		table := make([]uint8, 256)
		for i, c := range img.Palette {
			table[i] = shade(c)
		}
		return func(x, y int) uint8 { return table[img.Pix[img.PixOffset(x, y)]] }
	}
	return func(x, y int) uint8 { return shade(src.At(x, y)) }
}

func shade(c color.Color) uint8 {
	r, g, b, a := c.RGBA()
	paper := 0xffff - a
	return luminance((r+paper)>>8, (g+paper)>>8, (b+paper)>>8)
}

func onPaper(r, g, b, a uint32) uint8 {
	mix := func(v uint32) uint32 { return (v*a + 255*(255-a)) / 255 }
	return luminance(mix(r), mix(g), mix(b))
}

func luminance(r, g, b uint32) uint8 { return uint8(min(255, (19595*r+38470*g+7471*b+1<<15)>>16)) }
