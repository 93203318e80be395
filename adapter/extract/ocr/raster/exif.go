package raster

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientationTag is that of TIFF 6.0 and Exif: which corner of the image the
// first row and column are.
const orientationTag = 274

// orientationOf returns the orientation that a JPEG, PNG or WebP file notes, 1
// where it notes none.
func orientationOf(data []byte) int {
	var exif []byte
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xd8")):
		segments(data, func(marker byte, payload []byte) bool {
			if marker == 0xe1 && bytes.HasPrefix(payload, []byte("Exif\x00\x00")) {
				exif = payload[6:]
			}
			return exif == nil
		})
	case bytes.HasPrefix(data, []byte("\x89PNG")):
		exif = chunk(data[min(8, len(data)):], "eXIf", binary.BigEndian, true)
	case bytes.HasPrefix(data, []byte("RIFF")):
		exif = bytes.TrimPrefix(chunk(data[min(12, len(data)):], "EXIF", binary.LittleEndian, false), []byte("Exif\x00\x00"))
	}
	if !isTIFF(exif) {
		return 1
	}
	d, _, ok := readDirectory(exif, int64(byteOrder(exif).Uint32(exif[4:])))
	if !ok {
		return 1
	}
	return d.orientation()
}

// chunk finds a chunk of a PNG (length, name, data, checksum) or of a WebP
// (name, length, data padded to an even length).
func chunk(data []byte, name string, order binary.ByteOrder, png bool) []byte {
	for len(data) >= 12 {
		kind, length, after := data[:4], order.Uint32(data[4:]), 0
		if png {
			kind, length, after = data[4:8], order.Uint32(data), 4
		} else {
			after = int(length % 2)
		}
		if int64(length)+8 > int64(len(data)) {
			return nil
		}
		if string(kind) == name {
			return data[8 : 8+length]
		}
		data = data[min(len(data), 8+int(length)+after):]
	}
	return nil
}

// orient turns and mirrors an image by its orientation.
func orient(img *image.Gray, orientation int) *image.Gray {
	switch orientation {
	case 2:
		return mirror(img)
	case 3:
		return Turn(img, 2)
	case 4:
		return mirror(Turn(img, 2))
	case 5:
		return mirror(Turn(img, 1))
	case 6:
		return Turn(img, 1)
	case 7:
		return mirror(Turn(img, 3))
	case 8:
		return Turn(img, 3)
	}
	return img
}
