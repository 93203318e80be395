package pdf

import "bytes"

// pack is an object stream, inflated (7.5.7).
type pack struct {
	data    []byte
	numbers []uint32
	offsets []int
}

// packs caches the most recently used object streams, so that reading consecutive
// objects of one stream inflates it once.
type packs struct {
	cached map[uint32]*pack
	order  []uint32
	bytes  int
}

const packsBytes = 32 << 20

func (c *packs) add(num uint32, p *pack) {
	if c.cached == nil {
		c.cached = map[uint32]*pack{}
	}
	c.cached[num] = p
	c.order = append(c.order, num)
	c.bytes += p.size()
	for c.bytes > packsBytes && len(c.order) > 1 {
		oldest := c.order[0]
		c.order = c.order[1:]
		c.bytes -= c.cached[oldest].size()
		delete(c.cached, oldest)
	}
}

func (p *pack) size() int { return len(p.data) + 16*len(p.numbers) }

// unpack parses an object of an object stream.
func (d *document) unpack(r ref, e entry) object {
	p := d.packed(e.pack)
	if p == nil {
		return nil
	}
	i := e.offset
	if i < 0 || i >= len(p.numbers) || p.numbers[i] != r.num {
		i = -1
		for j, num := range p.numbers {
			if num == r.num {
				i = j
			}
		}
	}
	if i < 0 || p.offsets[i] >= len(p.data) {
		return nil
	}
	q := d.parser(p.data, p.offsets[i])
	o, err := q.object()
	if !d.charge(q.pos-p.offsets[i]) || (err != nil && dictOf(o) == nil) {
		return nil
	}
	return o
}

// packed returns the object stream with a number. An object stream cannot be in
// another object stream.
func (d *document) packed(num uint32) *pack {
	if p, ok := d.packs.cached[num]; ok {
		return p
	}
	e, ok := d.table[num]
	if !ok || e.free || e.pack != 0 || !d.enter(num) {
		return nil
	}
	defer delete(d.busy, num)
	s, ok := d.at(e.offset, num).(*stream)
	if !ok {
		return nil
	}
	p := d.parsePack(s)
	if p != nil {
		d.packs.add(num, p)
	}
	return p
}

func (d *document) parsePack(s *stream) *pack {
	count, _ := intOf(d.get(s.dict["N"]))
	first, _ := intOf(d.get(s.dict["First"]))
	data, err := d.inflate(s, packsBytes)
	if count <= 0 || first <= 0 || first > int64(len(data)) || (err != nil && len(data) == 0) {
		return nil
	}
	q := d.parser(bytes.Clone(data[:first]), 0)
	p := &pack{data: data}
	for range min(count, int64(d.limits.Objects)) {
		num, ok1 := q.unsigned()
		offset, ok2 := q.unsigned()
		if !ok1 || !ok2 || num >= 1<<32 {
			break
		}
		at := int64(offset) + first
		p.numbers = append(p.numbers, uint32(num))
		p.offsets = append(p.offsets, int(min(at, int64(len(data)))))
	}
	if !d.charge(q.pos) {
		return nil
	}
	return p
}
