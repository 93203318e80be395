package worker

import (
	"encoding/binary"
	"image"
)

// An image is sent as its width and height, four bytes each, and a byte of
// brightness for each pixel, row by row.
const imageHeader = 8

// encodeImage writes an image as it is sent; nil where a frame has no room for it.
func encodeImage(img *image.Gray) []byte {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	if width <= 0 || height <= 0 || width > (maxFrame-imageHeader)/height {
		return nil
	}
	out := make([]byte, imageHeader+width*height)
	binary.BigEndian.PutUint32(out, uint32(width))      //nolint:gosec // bounded above
	binary.BigEndian.PutUint32(out[4:], uint32(height)) //nolint:gosec // bounded above
	for y := range height {
		copy(out[imageHeader+y*width:], img.Pix[y*img.Stride:y*img.Stride+width])
	}
	return out
}

// validImage says whether a sent image has as many pixels as it states.
func validImage(b []byte) bool {
	if len(b) <= imageHeader {
		return false
	}
	width, height := uint64(binary.BigEndian.Uint32(b)), uint64(binary.BigEndian.Uint32(b[4:]))
	return width > 0 && height > 0 && width*height == uint64(len(b)-imageHeader)
}

// decodeImage reads a sent image, whose pixels it keeps using.
func decodeImage(b []byte) (*image.Gray, bool) {
	if !validImage(b) {
		return nil, false
	}
	width, height := int(binary.BigEndian.Uint32(b)), int(binary.BigEndian.Uint32(b[4:]))
	return &image.Gray{Pix: b[imageHeader:], Stride: width, Rect: image.Rect(0, 0, width, height)}, true
}
