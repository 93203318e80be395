package signed

import "bytes"

// The tags of ASN.1 that envelopes use.
const (
	tagOctets   = 0x04
	tagOID      = 0x06
	tagUTCTime  = 0x17
	tagTime     = 0x18
	tagSequence = 0x30
	tagSet      = 0x31
	tagOctetsOf = 0x24 // an octet string in parts
	tagContext0 = 0xa0
)

// The limits for elements of a hostile envelope.
const (
	maxDepth    = 30 // nested elements of indefinite length
	maxChildren = 100_000
)

// element is an element in BER.
type element struct {
	tag     byte
	content []byte
	raw     []byte // with its header
}

func (e element) is(tag byte, content []byte) bool {
	return e.tag == tag && bytes.Equal(e.content, content)
}

// next returns the first element of data and the rest. Its time is linear in the data
// for elements of a definite length, and at most maxDepth times that for others.
func next(data []byte, depth int) (element, []byte, error) {
	if len(data) < 2 || depth > maxDepth || data[0]&0x1f == 0x1f {
		return element{}, nil, ErrDamaged
	}
	tag, first, rest := data[0], data[1], data[2:]
	header := 2
	switch {
	case first == 0x80: // indefinite: it ends with an end-of-contents element
		if tag&0x20 == 0 {
			return element{}, nil, ErrDamaged
		}
		for !bytes.HasPrefix(rest, []byte{0, 0}) {
			_, after, err := next(rest, depth+1)
			if err != nil {
				return element{}, nil, err
			}
			rest = after
		}
		end := len(data) - len(rest)
		return element{tag, data[header:end], data[:end+2]}, rest[2:], nil
	case first > 0x80:
		count := int(first & 0x7f)
		if count > 4 || len(rest) < count {
			return element{}, nil, ErrDamaged
		}
		length := uint64(0)
		for _, b := range rest[:count] {
			length = length<<8 | uint64(b)
		}
		header, rest = header+count, rest[count:]
		if length > uint64(len(rest)) {
			return element{}, nil, ErrDamaged
		}
		return element{tag, rest[:length], data[:header+int(length)]}, rest[length:], nil
	}
	if int(first) > len(rest) {
		return element{}, nil, ErrDamaged
	}
	return element{tag, rest[:first], data[:header+int(first)]}, rest[first:], nil
}

// children returns the elements in an element that has the tag.
func children(e element, tag byte) (out []element, err error) {
	if e.tag != tag {
		return nil, ErrDamaged
	}
	for rest := e.content; len(rest) > 0; {
		var child element
		if child, rest, err = next(rest, 0); err != nil {
			return nil, err
		}
		if out = append(out, child); len(out) > maxChildren {
			return nil, ErrDamaged
		}
	}
	return out, nil
}

// octets returns the bytes of an octet string, which BER may divide into parts.
func (e element) octets(depth int) ([]byte, error) {
	switch {
	case e.tag == tagOctets:
		return e.content, nil
	case e.tag != tagOctetsOf || depth > maxDepth:
		return nil, ErrDamaged
	}
	parts, err := children(e, tagOctetsOf)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(e.content))
	for _, part := range parts {
		octets, err := part.octets(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, octets...)
	}
	return out, nil
}
