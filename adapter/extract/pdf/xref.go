package pdf

import "bytes"

// readTable reads the cross-reference tables and streams from the last one back to
// the first (7.5.4 to 7.5.8). Newer entries take precedence.
func (d *document) readTable() error {
	d.table = map[uint32]entry{}
	next, ok := d.startxref()
	if !ok {
		return errSyntax
	}
	seen := map[int]bool{}
	for next > 0 && !seen[next] {
		seen[next] = true
		part, err := d.section(next)
		if err != nil {
			return err
		}
		if d.trailer == nil {
			d.trailer = dict{}
		}
		for key, o := range part {
			if _, newer := d.trailer[key]; !newer {
				d.trailer[key] = o
			}
		}
		prev, _ := intOf(part["Prev"])
		next = int(prev)
	}
	if d.trailer["Root"] == nil {
		return errSyntax
	}
	return nil
}

// startxref finds the offset of the last cross-reference section.
func (d *document) startxref() (int, bool) {
	tail := d.data[max(0, len(d.data)-4096):]
	i := bytes.LastIndex(tail, []byte("startxref"))
	if i < 0 {
		return 0, false
	}
	p := d.parser(tail, i+len("startxref"))
	v, ok := p.unsigned()
	return int(v), ok && v > 0 && v < uint64(len(d.data))
}

// section reads the table or stream at an offset. The offset is relative to the start
// of the file or, if other data precedes it, to the header.
func (d *document) section(offset int) (dict, error) {
	for _, at := range []int{offset, offset + d.start} {
		if at <= 0 || at >= len(d.data) {
			continue
		}
		p := d.parser(d.data, at)
		if p.keyword("xref") {
			return d.tableSection(p, at-offset)
		}
		if id, ok := p.header(); ok {
			if s, ok := d.at(at, id.num).(*stream); ok {
				return s.dict, d.streamSection(s, at-offset)
			}
		}
		if d.start == 0 {
			break
		}
	}
	return nil, errSyntax
}

// put adds an entry unless a newer section has it.
func (d *document) put(num uint32, e entry) error {
	if _, newer := d.table[num]; newer {
		return nil
	}
	if len(d.table) >= d.limits.Objects {
		d.spent.tooMuch = true
		return errTooMuch
	}
	d.table[num] = e
	return nil
}

// tableSection reads a table and its trailer. shift is added to the offsets.
func (d *document) tableSection(p *parser, shift int) (dict, error) {
	begin := p.pos
	for !p.keyword("trailer") {
		first, ok1 := p.unsigned()
		count, ok2 := p.unsigned()
		if !ok1 || !ok2 {
			return nil, errSyntax
		}
		for i := range count {
			if err := d.tableEntry(p, first+i, shift); err != nil {
				return nil, err
			}
		}
	}
	o, err := p.object()
	part, ok := o.(dict)
	if !ok || !d.charge(p.pos-begin) {
		return nil, errSyntax
	}
	if err != nil && part["Root"] == nil {
		return nil, err
	}
	return part, d.hybrid(part, shift)
}

func (d *document) tableEntry(p *parser, num uint64, shift int) error {
	offset, ok1 := p.unsigned()
	gen, ok2 := p.unsigned()
	p.skipSpace()
	kind := p.word()
	if !ok1 || !ok2 || len(kind) != 1 || num >= 1<<32 {
		return errSyntax
	}
	return d.put(uint32(num), entry{
		offset: int(offset) + shift,
		gen:    uint16(min(gen, 0xffff)),
		free:   kind[0] != 'n',
	})
}

// hybrid reads the additional stream of a table (7.5.8.4). It is read after the table
// and before /Prev.
func (d *document) hybrid(part dict, shift int) error {
	at, ok := intOf(part["XRefStm"])
	if !ok {
		return nil
	}
	p := d.parser(d.data, int(at)+shift)
	if int(at)+shift <= 0 || int(at)+shift >= len(d.data) {
		return nil
	}
	id, ok := p.header()
	if !ok {
		return nil
	}
	s, ok := d.at(int(at)+shift, id.num).(*stream)
	if !ok {
		return nil
	}
	return d.streamSection(s, shift)
}

// streamSection reads a cross-reference stream (7.5.8).
func (d *document) streamSection(s *stream, shift int) error {
	widths, ok := d.widths(s.dict)
	if !ok {
		return errSyntax
	}
	data, err := d.inflate(&stream{dict: s.dict, raw: s.raw}, packsBytes)
	if err != nil && len(data) == 0 {
		return err
	}
	row := widths[0] + widths[1] + widths[2]
	for _, span := range d.spans(s.dict) {
		for i := int64(0); i < span[1] && len(data) >= row; i++ {
			if err := d.putRow(span[0]+i, data[:row], widths, shift); err != nil {
				return err
			}
			data = data[row:]
		}
	}
	return nil
}

// widths reads /W: the width in bytes of each of the three columns.
func (d *document) widths(m dict) (w [3]int, ok bool) {
	a, _ := d.get(m["W"]).(array)
	if len(a) < 3 {
		return w, false
	}
	for i := range w {
		v, isInt := intOf(d.get(a[i]))
		if !isInt || v < 0 || v > 8 {
			return w, false
		}
		w[i] = int(v)
	}
	return w, w[0]+w[1]+w[2] > 0
}

// spans reads /Index: pairs of a first number and a count.
func (d *document) spans(m dict) [][2]int64 {
	a, _ := d.get(m["Index"]).(array)
	if len(a) < 2 {
		size, _ := intOf(d.get(m["Size"]))
		return [][2]int64{{0, size}}
	}
	var out [][2]int64
	for i := 0; i+1 < len(a); i += 2 {
		first, ok1 := intOf(d.get(a[i]))
		count, ok2 := intOf(d.get(a[i+1]))
		if ok1 && ok2 {
			out = append(out, [2]int64{first, count})
		}
	}
	return out
}

func (d *document) putRow(num int64, row []byte, w [3]int, shift int) error {
	if num < 0 || num >= 1<<32 {
		return nil
	}
	kind, second, third := uint64(1), column(row[w[0]:w[0]+w[1]]), column(row[w[0]+w[1]:])
	if w[0] > 0 {
		kind = column(row[:w[0]])
	}
	if second >= 1<<40 {
		return nil
	}
	switch kind {
	case 0:
		return d.put(uint32(num), entry{free: true})
	case 1:
		return d.put(uint32(num), entry{offset: int(second) + shift, gen: uint16(third)})
	case 2:
		if second == 0 || second >= 1<<32 {
			return nil
		}
		return d.put(uint32(num), entry{offset: int(third & 0xffffffff), pack: uint32(second)})
	}
	return nil
}

func column(b []byte) (v uint64) {
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}
