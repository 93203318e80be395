package pdf

import "bytes"

// document is the state of a traversal of one file.
type document struct {
	data    []byte
	start   int // of the header; offsets may be relative to it
	limits  Limits
	spent   *spending
	table   map[uint32]entry
	trailer dict
	crypt   *crypt
	rebuilt bool
	astray  bool // an object was not at the offset in the table
	packs   packs
	busy    map[uint32]bool // objects being parsed, to detect loops through /Length
}

// entry is the location of an object (7.5.4, 7.5.8).
type entry struct {
	offset int    // in the file; for a packed object, its index in the pack
	pack   uint32 // number of the object stream that contains it; 0: none
	gen    uint16
	free   bool
}

// spending is the remaining budget of a document.
type spending struct {
	parsed   int64 // bytes that may still be parsed
	inflated int64 // bytes that may still be inflated
	expanded bool
	tooDeep  bool
	tooMuch  bool
}

func newDocument(data []byte, start int, l Limits) *document {
	return &document{
		data:   data,
		start:  start,
		limits: l,
		spent: &spending{
			parsed:   int64(len(data))*l.ParseFactor + 1<<20,
			inflated: l.TotalBytes,
		},
		busy: map[uint32]bool{},
	}
}

// open reads the object table, or rebuilds it if it is damaged.
func (d *document) open() error {
	err := d.readTable()
	if err == nil {
		err = d.unlock()
	}
	if err == errPassword {
		return err
	}
	if err == nil && d.catalog() != nil {
		return nil
	}
	return d.reopen()
}

// reopen discards the table of the file and rebuilds it from the objects.
func (d *document) reopen() error {
	d.rebuilt = true
	if err := d.rebuild(); err != nil {
		return err
	}
	if d.catalog() == nil {
		return errNoCatalog
	}
	return nil
}

// catalog returns the document catalog (7.7.2), or nil.
func (d *document) catalog() dict {
	root := dictOf(d.get(d.trailer["Root"]))
	if root == nil || root["Pages"] == nil {
		return nil
	}
	return root
}

func (d *document) parser(buf []byte, pos int) *parser {
	return &parser{buf: buf, pos: pos, depth: d.limits.Depth, nodes: nodesAnObject, spent: d.spent}
}

// charge accounts for parsed bytes and reports whether the budget is sufficient.
func (d *document) charge(n int) bool {
	d.spent.parsed -= int64(n) + 16
	if d.spent.parsed < 0 {
		d.spent.tooMuch = true
		return false
	}
	return true
}

// get resolves references to a value. It returns nil if it cannot.
func (d *document) get(o object) object {
	for range 16 {
		r, ok := o.(ref)
		if !ok {
			return o
		}
		o = d.load(r)
	}
	return nil
}

// load reads the object with a number.
func (d *document) load(r ref) object {
	e, ok := d.table[r.num]
	if !ok || e.free || !d.charge(0) || !d.enter(r.num) {
		return nil
	}
	defer delete(d.busy, r.num)
	if e.pack != 0 {
		return d.unpack(r, e)
	}
	if e.gen != r.gen && !d.rebuilt {
		return nil
	}
	return d.at(e.offset, r.num)
}

// enter marks an object as being parsed. It refuses an object that is already being
// parsed, and one at the end of a too long chain of dependent objects.
func (d *document) enter(num uint32) bool {
	if d.busy[num] || len(d.busy) >= d.limits.Depth {
		return false
	}
	d.busy[num] = true
	return true
}

// at parses the indirect object at an offset. The object must have the given number.
func (d *document) at(offset int, num uint32) object {
	if offset < 0 || offset >= len(d.data) {
		d.astray = true
		return nil
	}
	p := d.parser(d.data, offset)
	id, ok := p.header()
	if !ok || id.num != num {
		d.astray = true
		return nil
	}
	o, err := p.object()
	if !d.charge(p.pos-offset) || (err != nil && dictOf(o) == nil) {
		return nil
	}
	if m, isDict := o.(dict); isDict {
		if raw, isStream := d.rawStream(p, m); isStream {
			o = &stream{dict: m, raw: raw, id: id}
		}
	}
	if d.crypt != nil {
		d.crypt.strings(o, id)
	}
	return o
}

// rawStream returns the bytes of the stream after a dictionary (7.3.8), if there is
// one. If /Length is wrong, the keyword endstream determines the end.
func (d *document) rawStream(p *parser, m dict) ([]byte, bool) {
	if !p.keyword("stream") {
		return nil, false
	}
	if p.peek() == '\r' {
		p.pos++
	}
	if p.peek() == '\n' {
		p.pos++
	}
	start := p.pos
	if n, ok := intOf(d.get(m["Length"])); ok && n >= 0 && n <= int64(len(p.buf)-start) {
		p.pos = start + int(n)
		if p.keyword("endstream") {
			return p.buf[start : start+int(n)], true
		}
	}
	end := bytes.Index(p.buf[start:], []byte("endstream"))
	if end < 0 {
		end = len(p.buf) - start
	}
	p.pos = start + end
	raw := p.buf[start : start+end]
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	return bytes.TrimSuffix(raw, []byte("\r")), true
}
