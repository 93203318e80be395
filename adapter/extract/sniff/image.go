package sniff

import (
	"encoding/binary"
	"errors"
	"image"
	_ "image/gif"  // registers its header reader
	_ "image/jpeg" // registers its header reader
	_ "image/png"  // registers its header reader
	"io"
)

// MaxPixels is the maximum size of an accepted image. An A3 page at 600 dots per inch
// has 70 million pixels.
const MaxPixels = 200_000_000

// headerBytes is the number of bytes that are searched for the size of an image.
const headerBytes = 4 << 20

// errNoSize reports that an image header does not state the size.
var errNoSize = errors.New("no image size")

// Size reads width and height of a PNG, JPEG, GIF or TIFF image (its first page) from
// the header. It decodes nothing.
func Size(r io.ReaderAt, size int64) (width, height int, err error) {
	limit := min(size, headerBytes)
	c, format, err := image.DecodeConfig(io.NewSectionReader(r, 0, limit))
	if err == nil && format != "" {
		return c.Width, c.Height, nil
	}
	return tiffSize(r)
}

// TIFF 6.0, section 2.
const (
	tiffWidth  = 256
	tiffHeight = 257
	tiffShort  = 3
	tiffLong   = 4
)

// tiffSize reads the first directory of a TIFF file.
func tiffSize(r io.ReaderAt) (width, height int, err error) {
	var head [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return 0, 0, errNoSize
	}
	var order binary.ByteOrder
	switch string(head[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 0, 0, errNoSize
	}
	at := int64(order.Uint32(head[4:]))
	var count [2]byte
	if _, err := r.ReadAt(count[:], at); err != nil {
		return 0, 0, errNoSize
	}
	var entry [12]byte
	for i := range int64(order.Uint16(count[:])) {
		if _, err := r.ReadAt(entry[:], at+2+12*i); err != nil {
			return 0, 0, errNoSize
		}
		value := 0
		switch order.Uint16(entry[2:]) {
		case tiffShort:
			value = int(order.Uint16(entry[8:]))
		case tiffLong:
			value = int(order.Uint32(entry[8:]))
		}
		switch order.Uint16(entry[:]) {
		case tiffWidth:
			width = value
		case tiffHeight:
			height = value
		}
	}
	if width == 0 || height == 0 {
		return 0, 0, errNoSize
	}
	return width, height, nil
}
