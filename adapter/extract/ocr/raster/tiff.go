package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	"image/jpeg"

	"docledger/domain/extraction"

	"golang.org/x/image/tiff"
)

// Tags, types and values of TIFF 6.0.
const (
	tagWidth        = 256
	tagHeight       = 257
	tagBits         = 258
	tagCompression  = 259
	tagStripOffsets = 273
	tagSamples      = 277
	tagRowsPerStrip = 278
	tagStripCounts  = 279
	tagTileWidth    = 322
	tagTileHeight   = 323
	tagTileOffsets  = 324
	tagTileCounts   = 325
	tagJPEGTables   = 347

	typeByte      = 1
	typeShort     = 3
	typeLong      = 4
	typeUndefined = 7

	compressionJPEG = 7
)

// maxEntries is how many entries of a directory are read; real ones have some
// twenty.
const maxEntries = 1000

// maxParts is how many strips or tiles of a page are decoded.
const maxParts = 100_000

// maxPartScans is the maximum number of scans of a strip or tile, which is usually one
// for all colours or one for each.
const maxPartScans = 4

func isTIFF(data []byte) bool {
	return len(data) >= 8 && (string(data[:4]) == "II*\x00" || string(data[:4]) == "MM\x00*")
}

func byteOrder(data []byte) binary.ByteOrder {
	if data[0] == 'I' {
		return binary.LittleEndian
	}
	return binary.BigEndian
}

// directory describes one page of a TIFF file.
type directory struct {
	at      int64
	entries map[uint16][]byte // entries of 12 bytes by tag
	data    []byte
	order   binary.ByteOrder
}

// readDirectory reads a directory and the position of the next one.
func readDirectory(data []byte, at int64) (d *directory, next int64, ok bool) {
	order := byteOrder(data)
	if at < 8 || at+2 > int64(len(data)) {
		return nil, 0, false
	}
	n := int64(order.Uint16(data[at:]))
	end := at + 2 + 12*n
	if n == 0 || n > maxEntries || end > int64(len(data)) {
		return nil, 0, false
	}
	d = &directory{at: at, entries: map[uint16][]byte{}, data: data, order: order}
	for i := range n {
		entry := data[at+2+12*i:][:12]
		d.entries[order.Uint16(entry)] = entry
	}
	if end+4 <= int64(len(data)) {
		next = int64(order.Uint32(data[end:]))
	}
	return d, next, true
}

// bytes returns the content of an entry, whose values take size bytes each.
func (d *directory) bytes(tag uint16) (content []byte, size int) {
	entry := d.entries[tag]
	if entry == nil {
		return nil, 0
	}
	switch d.order.Uint16(entry[2:]) {
	case typeByte, typeUndefined:
		size = 1
	case typeShort:
		size = 2
	case typeLong:
		size = 4
	default:
		return nil, 0
	}
	length := int64(d.order.Uint32(entry[4:])) * int64(size)
	if length <= 4 {
		return entry[8 : 8+length], size
	}
	from := int64(d.order.Uint32(entry[8:]))
	if from+length > int64(len(d.data)) {
		return nil, 0
	}
	return d.data[from : from+length], size
}

// numbers returns the values of an entry.
func (d *directory) numbers(tag uint16) []int64 {
	content, size := d.bytes(tag)
	if size == 0 || len(content)/size > maxParts {
		return nil
	}
	out := make([]int64, len(content)/size)
	for i := range out {
		switch part := content[i*size:]; size {
		case 1:
			out[i] = int64(part[0])
		case 2:
			out[i] = int64(d.order.Uint16(part))
		case 4:
			out[i] = int64(d.order.Uint32(part))
		}
	}
	return out
}

func (d *directory) number(tag uint16, otherwise int) int {
	if all := d.numbers(tag); len(all) > 0 && all[0] <= 1<<31-1 {
		return int(all[0])
	}
	return otherwise
}

func (d *directory) orientation() int { return d.number(orientationTag, 1) }

// memory is about what decoding the page takes.
func (d *directory) memory() int64 {
	pixels := int64(d.number(tagWidth, 0)) * int64(d.number(tagHeight, 0))
	a := int64(2)
	if d.number(tagSamples, 1) > 1 {
		a = 5
	}
	if d.number(tagBits, 1) > 8 {
		a *= 2
	}
	return pixels * a
}

// openTIFF finds the pages of a file and checks the size of each.
func openTIFF(data []byte, limits Limits) (*File, error) {
	broken := extraction.Fail(extraction.Malformed, "The directory of the TIFF file is damaged. Save it again, or scan the document again.")
	var pages []*directory
	seen := map[int64]bool{}
	for at := int64(byteOrder(data).Uint32(data[4:])); at != 0; {
		if seen[at] {
			return nil, broken
		}
		seen[at] = true
		d, next, ok := readDirectory(data, at)
		if !ok {
			return nil, broken
		}
		if len(pages) == limits.Pages {
			return nil, TooManyPages(limits.Pages)
		}
		if err := limits.check(d.number(tagWidth, 0), d.number(tagHeight, 0), d.memory()); err != nil {
			return nil, err
		}
		pages = append(pages, d)
		at = next
	}
	if len(pages) == 0 {
		return nil, broken
	}
	return &File{pages: len(pages), load: func(i int) (image.Image, int, error) {
		img, err := guard(pages[i].decode)
		if err != nil {
			return nil, 0, damaged("TIFF", err)
		}
		return img, pages[i].orientation(), nil
	}}, nil
}

// TooManyPages is the failure of a scan that is too long.
func TooManyPages(most int) *extraction.Failure {
	return extraction.Fail(extraction.TooLarge,
		"The scan has more than %d pages, which exceeds the limit. Split the file and upload each document separately.", most)
}

// decode decodes a page: its directory is presented as the first one.
func (d *directory) decode() (image.Image, error) {
	if d.number(tagCompression, 1) == compressionJPEG {
		return d.decodeJPEG()
	}
	return tiff.Decode(bytes.NewReader(d.alone()))
}

// alone is the file with the page's directory as its first one.
func (d *directory) alone() []byte {
	if int64(d.order.Uint32(d.data[4:])) == d.at {
		return d.data
	}
	out := bytes.Clone(d.data)
	d.order.PutUint32(out[4:], uint32(d.at)) //nolint:gosec // positions in a TIFF file have 32 bits
	return out
}

var errParts = errors.New("its parts don't fit its size")

// decodeJPEG decodes a page whose strips or tiles are JPEG images, which share
// tables.
func (d *directory) decodeJPEG() (image.Image, error) {
	width, height := d.number(tagWidth, 0), d.number(tagHeight, 0)
	partWidth, partHeight := width, d.number(tagRowsPerStrip, height)
	offsets, counts := d.numbers(tagStripOffsets), d.numbers(tagStripCounts)
	if tiles := d.numbers(tagTileOffsets); len(tiles) > 0 {
		offsets, counts = tiles, d.numbers(tagTileCounts)
		partWidth, partHeight = d.number(tagTileWidth, width), d.number(tagTileHeight, height)
	}
	if partWidth <= 0 || partHeight <= 0 || len(offsets) != len(counts) || len(offsets) == 0 {
		return nil, errParts
	}
	tables, _ := d.bytes(tagJPEGTables)
	across := (width + partWidth - 1) / partWidth
	out := image.NewGray(image.Rect(0, 0, width, height))
	for i, from := range offsets {
		if from < 0 || counts[i] < 4 || from+counts[i] > int64(len(d.data)) {
			return nil, errParts
		}
		coded := d.data[from : from+counts[i]]
		if len(tables) > 4 {
			coded = append(append([]byte{}, tables[:len(tables)-2]...), coded[2:]...)
		}
		c, err := jpeg.DecodeConfig(bytes.NewReader(coded))
		if err != nil {
			return nil, err
		}
		if c.Width > 2*partWidth+64 || c.Height > 2*partHeight+64 {
			return nil, errParts
		}
		if scans(coded, maxPartScans) > maxPartScans {
			return nil, errParts
		}
		img, err := jpeg.Decode(bytes.NewReader(coded))
		if err != nil {
			return nil, err
		}
		at := image.Pt(i%across*partWidth, i/across*partHeight)
		draw.Draw(out, image.Rectangle{Min: at, Max: at.Add(image.Pt(partWidth, partHeight))}, gray(img), image.Point{}, draw.Src)
	}
	return out, nil
}
