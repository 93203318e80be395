package raster_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"docledger/adapter/extract/ocr/raster"
	"docledger/domain/extraction"
	"docledger/test/lib/cputime"

	"golang.org/x/image/bmp"
)

// fuzzLimits allow five pages of a megapixel.
var fuzzLimits = raster.Limits{Pixels: 1 << 20, Memory: 16 << 20, Pages: 5}

// openAll decodes every page of a file. The time is limited by the size of the file and
// not by that of its pixels, which is stricter than the rule for decoded content.
func openAll(t *testing.T, data []byte) {
	cputime.Within(t, len(data), func() {
		file, err := raster.Open(data, fuzzLimits)
		if err != nil {
			return
		}
		for i := range file.Pages() {
			if img, err := file.Page(i); err == nil && img.Rect.Dx()*img.Rect.Dy() > fuzzLimits.Pixels {
				t.Errorf("page %d has %v pixels", i, img.Rect.Max)
			}
		}
	})
}

// FuzzOpen checks that any bytes cause no crash, no page above the limits and no long
// computation.
func FuzzOpen(f *testing.F) {
	f.Add(header(10, 10))
	f.Add([]byte("II*\x00\x08\x00\x00\x00\x01\x00"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM\x00*\x00\x00\x00\x08"))
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return png.Encode(b, corner(1000, 1000)) },
		func(b *bytes.Buffer) error { return jpeg.Encode(b, corner(1000, 1000), nil) },
		func(b *bytes.Buffer) error { return gif.Encode(b, corner(100, 100), nil) },
		func(b *bytes.Buffer) error { return bmp.Encode(b, corner(1000, 1000)) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add(pages(f, corner(1000, 1000), corner(1000, 1000), corner(1000, 1000), corner(1000, 1000), corner(1000, 1000)))
	f.Fuzz(openAll)
}

// FuzzTime checks that the time for a file that repeats any bytes is proportional to its
// size: segments and scans of a JPEG, chunks of a PNG, blocks of a GIF, entries of a TIFF.
func FuzzTime(f *testing.F) {
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, corner(1000, 1000), nil); err != nil {
		f.Fatal(err)
	}
	// A progressive JPEG. Each of its scans ends all blocks by one code for 16,384 of them.
	frame := bytes.Index(picture.Bytes(), []byte{0xff, 0xc0})
	size := 2 + int(picture.Bytes()[frame+3])
	progressive := bytes.Clone(picture.Bytes()[:frame+size])
	progressive[frame+1] = 0xc2
	table := append([]byte{0xff, 0xc4, 0, 20, 0x10, 1}, make([]byte, 15)...)
	progressive = append(append(progressive, table...), 0xe0)
	scan := []byte{0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0, 0, 0}
	f.Add(progressive, scan, uint16(100), []byte{0xff, 0xd9})
	f.Add(progressive, scan, uint16(20_000), []byte{0xff, 0xd9})
	f.Add(progressive, []byte{0xff, 0xd0}, uint16(50_000), []byte{})
	f.Add(picture.Bytes()[:2], exif(6), uint16(30_000), picture.Bytes()[2:])
	f.Add(picture.Bytes()[:2], []byte{0xff}, uint16(60_000), picture.Bytes()[2:])
	f.Add(header(1000, 1000), []byte("\x00\x00\x00\x00tEXt\x00\x00\x00\x00"), uint16(30_000), []byte{})
	f.Add([]byte("GIF89a\xe8\x03\xe8\x03\x00\x00\x00"), []byte(",\x00\x00\x00\x00\xe8\x03\xe8\x03\x00\x02\x00"), uint16(30_000), []byte(";"))
	f.Add([]byte("GIF89a\xe8\x03\xe8\x03\x00\x00\x00"), []byte("!\xfe\x01a\x00"), uint16(30_000), []byte(";"))
	entry := "\x00\x01\x03\x00\x01\x00\x00\x00\xe8\x03\x00\x00" // the width is 1,000
	f.Add([]byte("II*\x00\x08\x00\x00\x00\xe8\x03"), []byte(entry), uint16(1000), []byte{0, 0, 0, 0})
	chain := []byte("II*\x00\x08\x00\x00\x00")
	for range 5000 { // directories, each followed by the next
		chain = append(append(chain, 1, 0), entry...)
		chain = binary.LittleEndian.AppendUint32(chain, uint32(len(chain))+4) //nolint:gosec // small
	}
	f.Add(chain, []byte{}, uint16(0), []byte{})
	f.Fuzz(func(t *testing.T, head, piece []byte, times uint16, tail []byte) {
		if len(head) > 100_000 || len(piece) > 100 || len(tail) > 100_000 {
			return
		}
		openAll(t, append(append(bytes.Clone(head), bytes.Repeat(piece, int(times))...), tail...))
	})
}

// TestScansAreLimited checks that a JPEG with many scans is refused before it is
// decoded, and that usual ones are not.
func TestScansAreLimited(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, corner(100, 100), nil); err != nil {
		t.Fatal(err)
	}
	whole := picture.Bytes()
	scan := whole[bytes.Index(whole, []byte{0xff, 0xda}) : len(whole)-2]
	for n, want := range map[int]extraction.Reason{0: "", 90: "", 200: extraction.ExpandsTooFar} {
		data := append(append(bytes.Clone(whole[:len(whole)-2]), bytes.Repeat(scan, n)...), 0xff, 0xd9)
		file, err := raster.Open(data, raster.DefaultLimits())
		if err == nil {
			_, err = file.Page(0)
		}
		var failure *extraction.Failure
		if errors.As(err, &failure) != (want != "") || failure != nil && failure.Reason != want {
			t.Errorf("%d scans: %v", n+1, err)
		}
	}
}
