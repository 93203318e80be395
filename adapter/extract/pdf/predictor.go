package pdf

import (
	"bufio"
	"io"
)

// maxRow is the maximum row length of a predictor in bytes.
const maxRow = 1 << 20

// predicted reverses the predictor of a Flate or LZW stream (7.4.4.4).
func (d *document) predicted(r io.Reader, p dict) (io.Reader, error) {
	kind := d.option(p, "Predictor", 1)
	if kind < 2 {
		return r, nil
	}
	colors, bits, columns := d.option(p, "Colors", 1), d.option(p, "BitsPerComponent", 8), d.option(p, "Columns", 1)
	if colors < 1 || colors > 64 || bits < 1 || bits > 16 || columns < 1 || columns > maxRow {
		return nil, errSyntax
	}
	row := (colors*bits*columns + 7) / 8
	if row > maxRow {
		return nil, errSyntax
	}
	return &predictor{
		r:    bufio.NewReader(r),
		png:  kind >= 10,
		unit: int(max(1, colors*bits/8)),
		row:  make([]byte, row),
		last: make([]byte, row),
		bits: int(bits),
	}, nil
}

func (d *document) option(p dict, key name, otherwise int64) int64 {
	if v, ok := intOf(d.get(p[key])); ok {
		return v
	}
	return otherwise
}

// predictor reverses PNG and TIFF prediction row by row.
type predictor struct {
	r         *bufio.Reader
	png       bool
	unit      int // bytes of one pixel
	bits      int
	row, last []byte
	ready     []byte
	err       error
}

func (q *predictor) Read(b []byte) (int, error) {
	for len(q.ready) == 0 {
		if q.err != nil {
			return 0, q.err
		}
		q.fill()
	}
	n := copy(b, q.ready)
	q.ready = q.ready[n:]
	return n, nil
}

func (q *predictor) fill() {
	q.row, q.last = q.last, q.row
	kind := byte(2)
	if q.png {
		if kind, q.err = q.r.ReadByte(); q.err != nil {
			return
		}
	}
	n, err := io.ReadFull(q.r, q.row)
	if err != nil {
		q.err = io.EOF
		if err != io.EOF && err != io.ErrUnexpectedEOF {
			q.err = err
		}
	}
	clear(q.row[n:])
	switch {
	case q.png:
		q.undoPNG(kind)
	case q.bits == 8:
		for i := q.unit; i < len(q.row); i++ {
			q.row[i] += q.row[i-q.unit]
		}
	}
	q.ready = q.row[:n]
}

func (q *predictor) undoPNG(kind byte) {
	for i := range q.row {
		var left, corner byte
		if i >= q.unit {
			left, corner = q.row[i-q.unit], q.last[i-q.unit]
		}
		up := q.last[i]
		switch kind {
		case 1:
			q.row[i] += left
		case 2:
			q.row[i] += up
		case 3:
			q.row[i] += byte((int(left) + int(up)) / 2)
		case 4:
			q.row[i] += paeth(left, up, corner)
		}
	}
}

// paeth picks the neighbour nearest to their linear estimate (PNG, 9.4).
func paeth(left, up, corner byte) byte {
	estimate := int(left) + int(up) - int(corner)
	dl, du, dc := distance(estimate, left), distance(estimate, up), distance(estimate, corner)
	switch {
	case dl <= du && dl <= dc:
		return left
	case du <= dc:
		return up
	}
	return corner
}

func distance(a int, b byte) int {
	if a > int(b) {
		return a - int(b)
	}
	return int(b) - a
}
