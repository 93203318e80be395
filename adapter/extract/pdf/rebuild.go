package pdf

import "bytes"

// rebuild creates the object table from the objects in the whole file. If several
// objects have the same number, the last one is used, as after an incremental update.
func (d *document) rebuild() error {
	d.table, d.trailer, d.crypt, d.packs = map[uint32]entry{}, dict{}, nil, packs{}
	var packIDs []ref // object streams, in file order
	for pos := d.start; ; {
		at, body, ok := d.nextObject(pos)
		if !ok {
			d.trailers(pos, len(d.data))
			break
		}
		d.trailers(pos, at)
		next, err := d.scan(at, body, &packIDs)
		if err != nil {
			return err
		}
		pos = next
	}
	if err := d.unlock(); err != nil {
		return err
	}
	for _, id := range packIDs {
		d.openPack(id)
	}
	if d.catalog() == nil {
		d.findCatalog()
	}
	return nil
}

// nextObject finds the next "12 0 obj" at or after pos, and the start of its body.
func (d *document) nextObject(pos int) (at, body int, ok bool) {
	for from := pos; from < len(d.data); {
		i := bytes.Index(d.data[from:], []byte("obj"))
		if i < 0 {
			break
		}
		from += i + len("obj")
		if at, ok := d.headerBefore(from-len("obj"), pos); ok {
			return at, from, true
		}
	}
	return 0, 0, false
}

// headerBefore scans backwards from the keyword obj over generation and number, but
// not before floor.
func (d *document) headerBefore(keyword, floor int) (int, bool) {
	at := keyword
	for range 2 {
		end := at
		for at > floor && isSpace(d.data[at-1]) && end-at < 8 {
			at--
		}
		digits := at
		for at > floor && isDigit(d.data[at-1]) && digits-at < 10 {
			at--
		}
		if digits == at {
			return 0, false
		}
	}
	return at, true
}

// scan adds the object at an offset to the table and returns where the search
// continues. It skips the stream of the object, so that the bytes of an embedded
// document are not treated as objects of this one.
func (d *document) scan(at, body int, packIDs *[]ref) (next int, err error) {
	p := d.parser(d.data, at)
	id, ok := p.header()
	if !ok {
		return body, nil
	}
	if len(d.table) >= d.limits.Objects {
		d.spent.tooMuch = true
		return 0, errTooMuch
	}
	d.table[id.num] = entry{offset: at, gen: id.gen}
	o, parseErr := p.object()
	if !d.charge(p.pos - at) {
		return 0, errTooMuch
	}
	if parseErr != nil {
		return body, nil
	}
	m, isDict := o.(dict)
	if !isDict {
		return p.pos, nil
	}
	if _, isStream := d.rawStream(p, m); isStream {
		switch m["Type"] {
		case name("ObjStm"):
			*packIDs = append(*packIDs, id)
		case name("XRef"):
			d.adopt(m)
		}
	}
	return p.pos, nil
}

// adopt merges the entries of a trailer. The caller passes trailers in file order.
func (d *document) adopt(m dict) {
	for _, key := range []name{"Root", "Encrypt", "ID"} {
		if o, ok := m[key]; ok {
			d.trailer[key] = o
		}
	}
}

// trailers reads the trailer dictionaries between two objects.
func (d *document) trailers(pos, end int) {
	for pos < end {
		i := bytes.Index(d.data[pos:end], []byte("trailer"))
		if i < 0 {
			return
		}
		pos += i + len("trailer")
		p := d.parser(d.data, pos)
		o, _ := p.object()
		if !d.charge(p.pos - pos) {
			return
		}
		if m, ok := o.(dict); ok {
			d.adopt(m)
		}
	}
}

// openPack adds the objects of an object stream to the table, except those that were
// written again after it.
func (d *document) openPack(id ref) {
	holder := d.table[id.num]
	p := d.packed(id.num)
	if p == nil {
		return
	}
	for i, num := range p.numbers {
		old, known := d.table[num]
		if known && old.pack == 0 && old.offset > holder.offset {
			continue
		}
		if num == id.num || (!known && len(d.table) >= d.limits.Objects) {
			continue
		}
		d.table[num] = entry{offset: i, pack: id.num}
	}
}

// findCatalog searches all objects for a catalog if no trailer refers to one. If
// there are several, it uses the one with the highest number.
func (d *document) findCatalog() {
	best := int64(-1)
	for num, e := range d.table {
		o := d.load(ref{num, e.gen})
		if m := dictOf(o); m["Type"] == name("Catalog") && m["Pages"] != nil && int64(num) > best {
			best = int64(num)
			d.trailer["Root"] = ref{num, e.gen}
		}
	}
}
