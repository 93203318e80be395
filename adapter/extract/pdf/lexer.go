package pdf

import (
	"bytes"
	"strconv"
)

// parser parses objects. It limits the depth and the number of values of one object,
// so that a few bytes cannot use much memory.
type parser struct {
	buf   []byte
	pos   int
	depth int // remaining depth
	nodes int // remaining number of values
	spent *spending
}

// nodesAnObject is the maximum number of values in one object.
const nodesAnObject = 1 << 19

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func isRegular(c byte) bool { return !isSpace(c) && !isDelimiter(c) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// skipSpace skips white space and comments.
func (p *parser) skipSpace() {
	for p.pos < len(p.buf) {
		c := p.buf[p.pos]
		switch {
		case isSpace(c):
			p.pos++
		case c == '%':
			end := bytes.IndexAny(p.buf[p.pos:], "\r\n")
			if end < 0 {
				p.pos = len(p.buf)
				return
			}
			p.pos += end
		default:
			return
		}
	}
}

func (p *parser) peek() byte {
	if p.pos < len(p.buf) {
		return p.buf[p.pos]
	}
	return 0
}

// word reads a run of regular characters: a keyword or a number.
func (p *parser) word() []byte {
	start := p.pos
	for p.pos < len(p.buf) && isRegular(p.buf[p.pos]) {
		p.pos++
	}
	return p.buf[start:p.pos]
}

// keyword consumes w if it is the next token.
func (p *parser) keyword(w string) bool {
	p.skipSpace()
	if !bytes.HasPrefix(p.buf[p.pos:], []byte(w)) {
		return false
	}
	p.pos += len(w)
	return true
}

// unsigned reads a run of digits of at most ten places.
func (p *parser) unsigned() (uint64, bool) {
	p.skipSpace()
	start := p.pos
	for p.pos < len(p.buf) && isDigit(p.buf[p.pos]) {
		p.pos++
	}
	if n := p.pos - start; n == 0 || n > 10 {
		p.pos = start
		return 0, false
	}
	v, err := strconv.ParseUint(string(p.buf[start:p.pos]), 10, 64)
	return v, err == nil
}

// number parses a number as tolerantly as viewers do; invalid text is 0.
func number(w []byte) object {
	if v, err := strconv.ParseInt(string(w), 10, 64); err == nil {
		return v
	}
	if v, err := strconv.ParseFloat(string(w), 64); err == nil {
		return v
	}
	return int64(0)
}

// name parses a name after its slash (7.3.5).
func (p *parser) name() name {
	p.pos++
	w := p.word()
	if bytes.IndexByte(w, '#') < 0 {
		return name(w)
	}
	out := make([]byte, 0, len(w))
	for i := 0; i < len(w); i++ {
		if w[i] == '#' && i+2 < len(w) {
			hi, lo := unhex(w[i+1]), unhex(w[i+2])
			if hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, w[i])
	}
	return name(out)
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// hexText parses a hexadecimal string after its opening bracket (7.3.4.3).
func (p *parser) hexText() text {
	p.pos++
	out := text{}
	half := -1
	for p.pos < len(p.buf) {
		c := p.buf[p.pos]
		p.pos++
		if c == '>' {
			break
		}
		v := unhex(c)
		switch {
		case v < 0:
		case half < 0:
			half = v
		default:
			out = append(out, byte(half<<4|v))
			half = -1
		}
	}
	if half >= 0 {
		out = append(out, byte(half<<4))
	}
	return out
}

// literalText parses a string after its opening parenthesis (7.3.4.2).
func (p *parser) literalText() text {
	p.pos++
	out := text{}
	for open := 1; p.pos < len(p.buf); {
		c := p.buf[p.pos]
		p.pos++
		switch c {
		case '(':
			open++
		case ')':
			open--
			if open == 0 {
				return out
			}
		case '\\':
			out = p.escape(out)
			continue
		}
		out = append(out, c)
	}
	return out
}

// escape parses the rest of an escape sequence and appends its value.
func (p *parser) escape(out text) text {
	if p.pos >= len(p.buf) {
		return out
	}
	c := p.buf[p.pos]
	p.pos++
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\r':
		if p.peek() == '\n' {
			p.pos++
		}
		return out
	case '\n':
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	v := int(c - '0')
	for i := 0; i < 2 && p.pos < len(p.buf) && p.buf[p.pos] >= '0' && p.buf[p.pos] <= '7'; i++ {
		v = v<<3 | int(p.buf[p.pos]-'0')
		p.pos++
	}
	return append(out, byte(v))
}
