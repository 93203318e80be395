package pdf

import "bytes"

// object parses the next object. An unknown keyword returns errSyntax and is not
// consumed.
func (p *parser) object() (object, error) {
	p.skipSpace()
	if p.pos >= len(p.buf) {
		return nil, errSyntax
	}
	if p.nodes--; p.nodes < 0 {
		p.spent.tooMuch = true
		return nil, errTooMuch
	}
	switch c := p.buf[p.pos]; {
	case c == '/':
		return p.name(), nil
	case c == '(':
		return p.literalText(), nil
	case c == '<' && p.pos+1 < len(p.buf) && p.buf[p.pos+1] == '<':
		return p.nested(p.dict)
	case c == '<':
		return p.hexText(), nil
	case c == '[':
		return p.nested(p.array)
	case isDigit(c):
		return p.numberOrRef(), nil
	case c == '+' || c == '-' || c == '.':
		return number(p.word()), nil
	}
	return p.constant()
}

func (p *parser) constant() (object, error) {
	start := p.pos
	switch string(p.word()) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "null":
		return nil, nil
	}
	p.pos = start
	return nil, errSyntax
}

func (p *parser) nested(read func() (object, error)) (object, error) {
	if p.depth--; p.depth < 0 {
		p.spent.tooDeep = true
		return nil, errTooDeep
	}
	o, err := read()
	p.depth++
	return o, err
}

// numberOrRef parses a number, or a reference such as "12 0 R".
func (p *parser) numberOrRef() object {
	w := p.word()
	after := p.pos
	if r, ok := p.restOfRef(w); ok {
		return r
	}
	p.pos = after
	return number(w)
}

func (p *parser) restOfRef(w []byte) (ref, bool) {
	num, ok := small(w)
	if !ok || p.pos >= len(p.buf) || !isSpace(p.buf[p.pos]) {
		return ref{}, false
	}
	p.skipSpace()
	gen, ok := small(p.word())
	if !ok || gen > 0xffff {
		return ref{}, false
	}
	p.skipSpace()
	if p.peek() != 'R' || (p.pos+1 < len(p.buf) && isRegular(p.buf[p.pos+1])) {
		return ref{}, false
	}
	p.pos++
	return ref{num, uint16(gen)}, true
}

// small parses digits with a value below 2³².
func small(w []byte) (uint32, bool) {
	if len(w) == 0 || len(w) > 10 {
		return 0, false
	}
	var v uint64
	for _, c := range w {
		if !isDigit(c) {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	return uint32(v), v < 1<<32
}

func (p *parser) array() (object, error) {
	p.pos++
	out := array{}
	for {
		p.skipSpace()
		if p.peek() == ']' {
			p.pos++
			return out, nil
		}
		o, err := p.object()
		if err != nil {
			return out, err
		}
		out = append(out, o)
	}
}

// dict parses a dictionary. If a key is missing or a value is invalid, it keeps the
// valid part, as viewers do.
func (p *parser) dict() (object, error) {
	p.pos += 2
	out := dict{}
	for {
		p.skipSpace()
		switch {
		case p.pos >= len(p.buf):
			return out, errSyntax
		case bytes.HasPrefix(p.buf[p.pos:], []byte(">>")):
			p.pos += 2
			return out, nil
		case p.buf[p.pos] != '/':
			if !p.skipStray() {
				return out, errSyntax
			}
			continue
		}
		key := p.name()
		p.skipSpace()
		if bytes.HasPrefix(p.buf[p.pos:], []byte(">>")) {
			continue
		}
		o, err := p.object()
		if err != nil {
			return out, err
		}
		if _, twice := out[key]; !twice {
			out[key] = o
		}
	}
}

// skipStray skips a value at the position of a key.
func (p *parser) skipStray() bool {
	before := p.pos
	if _, err := p.object(); err != nil || p.pos == before {
		return false
	}
	return true
}

// header parses "12 0 obj".
func (p *parser) header() (ref, bool) {
	num, ok := p.unsigned()
	if !ok || num >= 1<<32 {
		return ref{}, false
	}
	gen, ok := p.unsigned()
	if !ok || gen > 0xffff || !p.keyword("obj") {
		return ref{}, false
	}
	return ref{uint32(num), uint16(gen)}, true
}
