package raster_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"docledger/adapter/extract/ocr/raster"
	"docledger/domain/extraction"

	"golang.org/x/image/tiff"
)

// corner is an image that is white except for its top left pixel block.
func corner(w, h int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for y := range h / 4 {
		for x := range w / 4 {
			img.SetGray(x, y, color.Gray{})
		}
	}
	return img
}

func encode(t testing.TB, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func reason(t *testing.T, data []byte) extraction.Reason {
	t.Helper()
	f, err := raster.Open(data, raster.DefaultLimits())
	if err == nil {
		_, err = f.Page(0)
	}
	var failure *extraction.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("err = %v", err)
	}
	return failure.Reason
}

// dark says in which corner of an image the dark block is.
func dark(img *image.Gray) string {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	for name, at := range map[string]image.Point{"top left": {1, 1}, "top right": {w - 2, 1}, "bottom left": {1, h - 2}, "bottom right": {w - 2, h - 2}} {
		if img.GrayAt(at.X, at.Y).Y < 100 {
			return name
		}
	}
	return ""
}

// exif is the APP1 segment of a JPEG with an orientation.
func exif(orientation byte) []byte {
	body := append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01"), 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0)
	return append([]byte{0xff, 0xe1, 0, byte(len(body) + 2)}, body...)
}

func TestOrientationOfACameraIsApplied(t *testing.T) {
	t.Parallel()
	plain := encode(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, corner(80, 40), nil) })
	for orientation, want := range map[byte]string{1: "top left", 2: "top right", 3: "bottom right", 4: "bottom left", 5: "top left", 6: "top right", 7: "bottom right", 8: "bottom left"} {
		data := append(append(bytes.Clone(plain[:2]), exif(orientation)...), plain[2:]...)
		f, err := raster.Open(data, raster.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		img, err := f.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		if got := dark(img); got != want {
			t.Errorf("orientation %d: the corner is %s, want %s", orientation, got, want)
		}
		if turned := img.Rect.Dx() == 40; turned != (orientation > 4) {
			t.Errorf("orientation %d: the image is %v", orientation, img.Rect.Max)
		}
	}
}

func TestTransparencyIsPaper(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 4, 4)) // transparent black
	f, err := raster.Open(encode(t, func(b *bytes.Buffer) error { return png.Encode(b, img) }), raster.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	page, err := f.Page(0)
	if err != nil {
		t.Fatal(err)
	}
	if page.Pix[5] != 255 {
		t.Errorf("a transparent pixel is %d", page.Pix[5])
	}
}

// pages joins TIFF files of one page each to one of several.
func pages(t testing.TB, images ...image.Image) []byte {
	t.Helper()
	out := []byte("II*\x00\x00\x00\x00\x00")
	link := 4
	for _, img := range images {
		one := encode(t, func(b *bytes.Buffer) error { return tiff.Encode(b, img, &tiff.Options{Compression: tiff.Deflate}) })
		base := len(out)
		at := int(binary.LittleEndian.Uint32(one[4:]))
		binary.LittleEndian.PutUint32(out[link:], uint32(base+at)) //nolint:gosec // small
		n := int(binary.LittleEndian.Uint16(one[at:]))
		for i := range n {
			entry := one[at+2+12*i:]
			tag, kind, count := binary.LittleEndian.Uint16(entry), binary.LittleEndian.Uint16(entry[2:]), binary.LittleEndian.Uint32(entry[4:])
			size := map[uint16]uint32{1: 1, 2: 1, 3: 2, 4: 4, 5: 8}[kind] * count
			if size > 4 || tag == 273 {
				binary.LittleEndian.PutUint32(entry[8:], binary.LittleEndian.Uint32(entry[8:])+uint32(base)) //nolint:gosec // small
			}
		}
		out = append(out, one...)
		link = base + at + 2 + 12*n
		binary.LittleEndian.PutUint32(out[link:], 0)
	}
	return out
}

func TestEveryPageOfATIFFIsRead(t *testing.T) {
	t.Parallel()
	f, err := raster.Open(pages(t, corner(40, 40), raster.Turn(corner(40, 60), 1), raster.Turn(corner(30, 30), 2)), raster.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if f.Pages() != 3 {
		t.Fatalf("%d pages", f.Pages())
	}
	for i, want := range []string{"top left", "top right", "bottom right"} {
		img, err := f.Page(i)
		if err != nil {
			t.Fatal(err)
		}
		if got := dark(img); got != want {
			t.Errorf("page %d: the corner is %s, want %s", i, got, want)
		}
	}
}

// header is a PNG that states a size and holds next to nothing.
func header(w, h uint32) []byte {
	chunk := []byte("IHDR")
	chunk = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(chunk, w), h)
	chunk = append(chunk, 8, 2, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), chunk...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
}

func TestHostileImagesAreRefusedBeforeTheyAreDecoded(t *testing.T) {
	t.Parallel()
	endless := pages(t, corner(20, 20), corner(20, 20))
	at := binary.LittleEndian.Uint32(endless[4:])
	n := binary.LittleEndian.Uint16(endless[at:])
	binary.LittleEndian.PutUint32(endless[at+2+12*uint32(n):], at) // the next directory is itself

	outside := pages(t, corner(20, 20))
	binary.LittleEndian.PutUint32(outside[4:], 0xfffffff0)

	vast := pages(t, corner(20, 20))
	at = binary.LittleEndian.Uint32(vast[4:])
	for i := range binary.LittleEndian.Uint16(vast[at:]) {
		entry := vast[at+2+12*uint32(i):]
		if tag := binary.LittleEndian.Uint16(entry); tag == 256 || tag == 257 {
			binary.LittleEndian.PutUint16(entry[2:], 4)
			binary.LittleEndian.PutUint32(entry[8:], 100_000)
		}
	}
	var many []image.Image
	for range raster.DefaultLimits().Pages + 1 {
		many = append(many, corner(8, 8))
	}
	for name, c := range map[string]struct {
		data []byte
		want extraction.Reason
	}{
		"100,000 x 100,000 PNG":      {header(100_000, 100_000), extraction.ExpandsTooFar},
		"100,000 x 100,000 TIFF":     {vast, extraction.ExpandsTooFar},
		"bomb of colours":            {header(10_900, 10_000), extraction.ExpandsTooFar},
		"PNG without data":           {header(100, 100), extraction.Malformed},
		"directory that is its next": {endless, extraction.Malformed},
		"directory outside":          {outside, extraction.Malformed},
		"too many pages":             {pages(t, many...), extraction.TooLarge},
		"another kind":               {[]byte("\x00\x00\x00\x18ftypheic"), extraction.UnsupportedType},
	} {
		if got := reason(t, c.data); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
