package pdf

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/ascii85"
	"errors"
	"io"
)

// maxFilters is the maximum number of filters of one stream.
const maxFilters = 8

// inflate returns at most limit bytes of a stream after its filters. With an error it
// also returns the bytes before the error, because damaged ends are common. It
// measures the stream first, so that a decompression bomb costs time but no memory.
func (d *document) inflate(s *stream, limit int64) ([]byte, error) {
	r, err := d.reader(s)
	if err != nil {
		return nil, err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r, limit+1))
	if n > limit || errors.Is(err, errExpands) {
		d.spent.expanded = true
		return nil, errExpands
	}
	out := make([]byte, n)
	if r, err = d.reader(s); err != nil {
		return nil, err
	}
	got, readErr := io.ReadFull(r, out)
	if errors.Is(readErr, errExpands) {
		return nil, errExpands
	}
	return out[:got], err
}

// reader returns the bytes of a stream after its filters (7.4). It charges the output
// of each filter.
func (d *document) reader(s *stream) (io.Reader, error) {
	filters, params := d.filters(s.dict)
	if len(filters) > maxFilters {
		d.spent.tooDeep = true
		return nil, errTooDeep
	}
	var r io.Reader = bytes.NewReader(s.raw)
	if d.crypt != nil && s.id.num != 0 {
		var err error
		if r, err = d.crypt.stream(s, filters, params); err != nil {
			return nil, err
		}
	}
	for i, f := range filters {
		next, err := d.filter(f, params[i], r)
		if err != nil {
			return nil, err
		}
		r = &meter{r: next, spent: d.spent}
	}
	return r, nil
}

// filters reads /Filter and /DecodeParms, each one value or an array.
func (d *document) filters(m dict) ([]name, []dict) {
	list := d.list(m, "Filter", "F")
	options := d.list(m, "DecodeParms", "DP")
	var names []name
	var params []dict
	for i, o := range list {
		f, ok := d.get(o).(name)
		if !ok {
			continue
		}
		var p dict
		if i < len(options) {
			p = dictOf(d.get(options[i]))
		}
		names, params = append(names, f), append(params, p)
	}
	return names, params
}

func (d *document) list(m dict, keys ...name) array {
	for _, key := range keys {
		switch v := d.get(m[key]).(type) {
		case array:
			return v
		case name, dict:
			return array{v}
		}
	}
	return nil
}

func (d *document) filter(f name, p dict, r io.Reader) (io.Reader, error) {
	switch f {
	case "FlateDecode", "Fl":
		return d.predicted(inflater(r), p)
	case "LZWDecode", "LZW":
		early, set := intOf(d.get(p["EarlyChange"]))
		return d.predicted(newLZW(r, !set || early != 0), p)
	case "ASCIIHexDecode", "AHx":
		return &hexReader{r: bufio.NewReader(r)}, nil
	case "ASCII85Decode", "A85":
		return ascii85.NewDecoder(&until85{r: bufio.NewReader(r)}), nil
	case "RunLengthDecode", "RL":
		return &runReader{r: bufio.NewReader(r)}, nil
	case "Crypt":
		return r, nil
	}
	return nil, errors.New("filter not supported: " + string(f))
}

// meter charges a document for the bytes that it reads.
type meter struct {
	r     io.Reader
	spent *spending
}

func (m *meter) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	if m.spent.inflated -= int64(n); m.spent.inflated < 0 {
		m.spent.expanded = true
		return 0, errExpands
	}
	return n, err
}

// inflater reads zlib data without verifying its checksum, which is often wrong in
// damaged files. It also reads raw deflate data.
func inflater(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	if h, err := b.Peek(2); err == nil && h[0]&0x0f == 8 && (int(h[0])<<8|int(h[1]))%31 == 0 {
		b.Discard(2) //nolint:errcheck // Peek has returned these two bytes
	}
	return flate.NewReader(b)
}

// hexReader decodes ASCIIHexDecode (7.4.2).
type hexReader struct {
	r    *bufio.Reader
	done bool
}

func (h *hexReader) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) && !h.done {
		hi, ok := h.digit()
		if !ok {
			break
		}
		lo, ok := h.digit()
		if !ok {
			lo = 0
		}
		b[n] = byte(hi<<4 | lo)
		n++
	}
	if n == 0 && h.done {
		return 0, io.EOF
	}
	return n, nil
}

func (h *hexReader) digit() (int, bool) {
	for {
		c, err := h.r.ReadByte()
		if err != nil || c == '>' {
			h.done = true
			return 0, false
		}
		if v := unhex(c); v >= 0 {
			return v, true
		}
	}
}

// until85 ends base-85 data at the end marker "~>" (7.4.3).
type until85 struct {
	r    *bufio.Reader
	done bool
}

func (u *until85) Read(b []byte) (int, error) {
	if u.done {
		return 0, io.EOF
	}
	n, err := u.r.Read(b)
	if i := bytes.IndexByte(b[:n], '~'); i >= 0 {
		u.done = true
		n = i
	}
	return n, err
}

// runReader decodes RunLengthDecode (7.4.5).
type runReader struct {
	r      *bufio.Reader
	left   int
	repeat bool
	value  byte
}

func (rr *runReader) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		if rr.left == 0 {
			if err := rr.next(); err != nil {
				return n, err
			}
			continue
		}
		if !rr.repeat {
			c, err := rr.r.ReadByte()
			if err != nil {
				return n, err
			}
			rr.value = c
		}
		b[n] = rr.value
		n++
		rr.left--
	}
	return n, nil
}

// next reads the length byte of a run and, for a repeated run, its value.
func (rr *runReader) next() error {
	c, err := rr.r.ReadByte()
	if err != nil {
		return err
	}
	switch {
	case c == 128:
		return io.EOF
	case c < 128:
		rr.left, rr.repeat = int(c)+1, false
		return nil
	}
	rr.left, rr.repeat = 257-int(c), true
	rr.value, err = rr.r.ReadByte()
	return err
}
