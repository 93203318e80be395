package raster

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"docledger/domain/extraction"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"
)

// Limits bound what is decoded.
type Limits struct {
	Pixels int   // of one page
	Memory int64 // maximum memory for decoding one page, as computed from its header
	Pages  int   // of one file
}

// DefaultLimits are enough for A3 at 600 dots an inch, and for photos of 100
// million pixels.
func DefaultLimits() Limits { return Limits{Pixels: 110_000_000, Memory: 400 << 20, Pages: 100} }

// File is an opened image file. Its pages are decoded one at a time.
type File struct {
	pages int
	// load decodes the page with the index i; orientation is that of Exif.
	load func(i int) (img image.Image, orientation int, err error)
}

// Pages is how many pages the file has.
func (f *File) Pages() int { return f.pages }

// Page decodes the page with the index i as it is meant to be seen: the
// orientation that its camera noted is applied.
func (f *File) Page(i int) (*image.Gray, error) {
	img, orientation, err := f.load(i)
	if err != nil {
		return nil, err
	}
	return orient(gray(img), orientation), nil
}

// single is a file format of one image.
type single struct {
	name   string
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// formatOf detects the format by the first bytes.
func formatOf(head []byte) (single, bool) {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return single{"PNG", png.DecodeConfig, png.Decode}, true
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return single{"JPEG", jpeg.DecodeConfig, jpeg.Decode}, true
	case bytes.HasPrefix(head, []byte("GIF8")):
		return single{"GIF", gif.DecodeConfig, gif.Decode}, true
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return single{"WebP", webp.DecodeConfig, webp.Decode}, true
	case bytes.HasPrefix(head, []byte("BM")):
		return single{"BMP", bmp.DecodeConfig, bmp.Decode}, true
	}
	return single{}, false
}

// Open reads the header of an image file. The error is an *extraction.Failure.
func Open(data []byte, limits Limits) (*File, error) {
	if isTIFF(data) {
		return openTIFF(data, limits)
	}
	format, ok := formatOf(data)
	if !ok {
		return nil, extraction.Fail(extraction.UnsupportedType,
			"Images of this format can't be read. Upload the scan as PDF, PNG, JPEG, TIFF or WebP.")
	}
	c, err := format.config(bytes.NewReader(data))
	if err != nil {
		return nil, damaged(format.name, err)
	}
	if format.name == "JPEG" && scans(data, maxScans) > maxScans {
		return nil, tooManyScans()
	}
	memory := int64(c.Width) * int64(c.Height) * bytesAPixel(format.name, c.ColorModel, data)
	if err := limits.check(c.Width, c.Height, memory); err != nil {
		return nil, err
	}
	return &File{pages: 1, load: func(int) (image.Image, int, error) {
		img, err := guard(func() (image.Image, error) { return format.decode(bytes.NewReader(data)) })
		if err != nil {
			return nil, 0, damaged(format.name, err)
		}
		return img, orientationOf(data), nil
	}}, nil
}

// check refuses an image that is too large before it is decoded.
func (l Limits) check(width, height int, memory int64) error {
	if width <= 0 || height <= 0 {
		return extraction.Fail(extraction.Malformed, "The image states no size. Save it again, or scan the document again.")
	}
	if width > l.Pixels/height || memory > l.Memory {
		return extraction.Fail(extraction.ExpandsTooFar,
			"The image is %d by %d pixels, more than is accepted. Scan the document at 300 dots per inch.", width, height)
	}
	return nil
}

// guard turns a panic of a decoder into an error: files may be made to cause
// one.
func guard(decode func() (image.Image, error)) (img image.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the decoder panicked: %v", r)
		}
	}()
	return decode()
}

func damaged(format string, err error) *extraction.Failure {
	return extraction.Fail(extraction.Malformed, "The %s image is damaged (%s). Save it again, or scan the document again.", format, err)
}

// bytesAPixel is about what decoding takes, with the gray image that is made.
func bytesAPixel(format string, model color.Model, data []byte) int64 {
	own := int64(4)
	switch model {
	case color.GrayModel:
		own = 1
	case color.Gray16Model:
		own = 2
	case color.YCbCrModel:
		own = 3
	case color.RGBA64Model, color.NRGBA64Model:
		own = 8
	default:
		if _, ok := model.(color.Palette); ok {
			own = 1
		}
	}
	switch {
	case format == "JPEG" && progressive(data):
		own += 8 // the coefficients of all blocks are kept: four bytes each, usually for half of the colours' pixels
	case format == "PNG" && len(data) > 28 && data[28] == 1:
		own *= 2 // interlaced: each pass is an image of its own
	}
	return own + 1
}

// progressive looks for the frame header of a progressive JPEG.
func progressive(data []byte) bool {
	found := false
	segments(data, func(marker byte, _ []byte) bool {
		found = marker == 0xc2
		return marker < 0xc0 || marker > 0xcf || marker == 0xc4 || marker == 0xc8 || marker == 0xcc
	})
	return found
}

// maxScans is the maximum number of scans of a JPEG. Each scan costs time for all
// blocks of the image but may have a dozen bytes. Progressive images have about ten.
const maxScans = 100

func tooManyScans() *extraction.Failure {
	return extraction.Fail(extraction.ExpandsTooFar,
		"The JPEG image has more than %d scans. Save it again, or scan the document again.", maxScans)
}

// scans returns the number of scans of a JPEG. It stops above limit.
func scans(data []byte, limit int) (n int) {
	for at := 2; at+4 <= len(data) && n <= limit; {
		i := bytes.IndexByte(data[at:], 0xff)
		if i < 0 || at+i+4 > len(data) {
			return n
		}
		at += i
		switch marker := data[at+1]; {
		case marker == 0xff:
			at++
		case marker <= 0x01, marker >= 0xd0 && marker <= 0xd9:
			at += 2 // no payload: a byte of a scan, a restart, the start or the end
		default:
			if marker == 0xda {
				n++
			}
			at += 2 + max(2, int(data[at+2])<<8|int(data[at+3]))
		}
	}
	return n
}

// segments walks through the headers of a JPEG until yield returns false or the
// image data begin.
func segments(data []byte, yield func(marker byte, payload []byte) bool) {
	at := 2
	for at+4 <= len(data) {
		if data[at] != 0xff {
			return
		}
		marker := data[at+1]
		if marker == 0xff {
			at++
			continue
		}
		if marker == 0xda || marker == 0xd9 {
			return
		}
		n := int(data[at+2])<<8 | int(data[at+3])
		if n < 2 || at+2+n > len(data) {
			return
		}
		if !yield(marker, data[at+4:at+2+n]) {
			return
		}
		at += 2 + n
	}
}
