package raster_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"docledger/adapter/extract/ocr/raster"
)

func viewOf(t *testing.T, data []byte, width, pixels int) image.Image {
	t.Helper()
	f, err := raster.Open(data, raster.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	img, err := f.View(0, width, pixels)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestViewAppliesTheOrientationOfACamera(t *testing.T) {
	t.Parallel()
	plain := encode(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, corner(80, 40), nil) })
	for orientation := range byte(9) {
		data := append(append(bytes.Clone(plain[:2]), exif(orientation)...), plain[2:]...)
		f, err := raster.Open(data, raster.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		want, err := f.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{20, 1000} {
			got := viewOf(t, data, width, 1<<20)
			size := got.Bounds()
			if size.Dx() > width || size.Dx() > want.Rect.Dx() {
				t.Errorf("orientation %d: the image is %v, at most %d wide was requested", orientation, size.Max, width)
			}
			gray := image.NewGray(size)
			for y := range size.Dy() {
				for x := range size.Dx() {
					gray.Set(x, y, got.At(x, y))
				}
			}
			if dark(gray) != dark(want) {
				t.Errorf("orientation %d, width %d: the corner is %q, want %q", orientation, width, dark(gray), dark(want))
			}
		}
	}
}

func TestViewKeepsColorsAndTheNumberOfPixels(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 300, 900))
	for y := range 900 {
		for x := range 300 {
			img.SetNRGBA(x, y, color.NRGBA{R: 200, A: uint8(255 * (y / 450))})
		}
	}
	got := viewOf(t, encode(t, func(b *bytes.Buffer) error { return png.Encode(b, img) }), 200, 30_000)
	if size := got.Bounds(); size.Dx() > 200 || size.Dx()*size.Dy() > 30_000 || size.Dx() < 95 {
		t.Errorf("the image is %v", size.Max)
	}
	at := func(y int) color.RGBA { return color.RGBAModel.Convert(got.At(10, y)).(color.RGBA) }
	if top := at(3); top != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("a transparent pixel is %v", top)
	}
	if bottom := at(got.Bounds().Dy() - 3); bottom != (color.RGBA{200, 0, 0, 255}) {
		t.Errorf("a red pixel is %v", bottom)
	}
}
