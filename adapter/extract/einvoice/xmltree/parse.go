package xmltree

import (
	"bytes"
	"context"
	"strings"
)

// Parse parses a whole document in any supported encoding. The tree refers to data,
// which the caller must not change.
func Parse(ctx context.Context, data []byte) (*Tree, error) {
	data, err := decode(data)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, ErrEmpty
	}
	p := &parser{
		ctx:      ctx,
		data:     data,
		tree:     &Tree{data: data, spaces: []string{""}, nodes: make([]node, 0, min(bytes.Count(data, []byte{'<'})/2+1, maxElements))},
		spaceIDs: map[string]uint32{"": 0},
		nameIDs:  []map[string]uint32{{}},
		attrIDs:  map[string]string{},
		bindings: []binding{{}, {prefix: []byte("xml")}},
	}
	if err := p.document(); err != nil {
		return nil, err
	}
	return p.tree, nil
}

type parser struct {
	ctx  context.Context
	data []byte
	pos  int
	tree *Tree

	open     []openElement
	bindings []binding
	spaceIDs map[string]uint32
	nameIDs  []map[string]uint32 // by namespace, then local name
	attrIDs  map[string]string   // interned names of attributes
	rooted   bool
}

type openElement struct {
	index    uint32
	last     uint32 // last child so far
	name     []byte // qualified, as written
	bindings int    // number in scope before the element
}

type binding struct {
	prefix []byte
	space  uint32
}

func (p *parser) document() error {
	if bytes.HasPrefix(p.data, []byte("<?xml")) {
		if err := p.skipPast("<?xml", "?>"); err != nil {
			return err
		}
	}
	for {
		lt := bytes.IndexByte(p.data[p.pos:], '<')
		text := p.data[p.pos:]
		if lt >= 0 {
			text = text[:lt]
		}
		if err := p.text(text); err != nil {
			return err
		}
		if lt < 0 {
			break
		}
		p.pos += lt
		if err := p.markup(); err != nil {
			return err
		}
	}
	switch {
	case len(p.open) > 0:
		return ErrTruncated
	case !p.rooted:
		return p.fail("there is no element")
	}
	return nil
}

// text checks character data up to the next markup.
func (p *parser) text(text []byte) error {
	if len(p.open) == 0 {
		if len(bytes.TrimLeft(text, " \t\r\n")) > 0 {
			return p.fail("text outside of the document's element")
		}
		return nil
	}
	return p.references(text)
}

// references checks that each '&' of the text starts a valid reference. The text
// starts at or after the parser's position.
func (p *parser) references(text []byte) error {
	for {
		amp := bytes.IndexByte(text, '&')
		if amp < 0 {
			return nil
		}
		text = text[amp:]
		_, n := reference(text)
		if n == 0 {
			return p.fail("an entity that is not declared, or a lone “&”")
		}
		text = text[n:]
	}
}

// markup parses the markup at the '<' at the parser's position.
func (p *parser) markup() error {
	rest := p.data[p.pos:]
	if len(rest) < 2 {
		return ErrTruncated
	}
	switch rest[1] {
	case '/':
		return p.endTag()
	case '?':
		return p.skipPast("<?", "?>")
	case '!':
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			return p.skipPast("<!--", "-->")
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			if len(p.open) == 0 {
				return p.fail("text outside of the document's element")
			}
			return p.skipPast("<![CDATA[", "]]>")
		case bytes.HasPrefix(rest, []byte("<!DOCTYPE")) && !p.rooted:
			return p.doctype()
		}
		return p.fail("a declaration that does not belong here")
	}
	return p.startTag()
}

func (p *parser) skipPast(begin, end string) error {
	i := bytes.Index(p.data[p.pos+len(begin):], []byte(end))
	if i < 0 {
		return ErrTruncated
	}
	p.pos += len(begin) + i + len(end)
	return nil
}

// doctype skips a document type declaration without internal declarations. It never
// fetches its external part.
func (p *parser) doctype() error {
	var quoted byte
	for i := p.pos; i < len(p.data); i++ {
		switch c := p.data[i]; {
		case quoted != 0:
			if c == quoted {
				quoted = 0
			}
		case c == '"' || c == '\'':
			quoted = c
		case c == '[' || c == '<' && i > p.pos:
			return ErrDoctype
		case c == '>':
			p.pos = i + 1
			return nil
		}
	}
	return ErrTruncated
}

func (p *parser) startTag() error {
	if p.rooted && len(p.open) == 0 {
		return p.fail("a second root element")
	}
	if len(p.open) >= maxDepth {
		return ErrDepth
	}
	index := uint32(len(p.tree.nodes))
	if index >= maxElements {
		return ErrSize
	}
	if index%4096 == 0 {
		if err := p.ctx.Err(); err != nil {
			return err
		}
	}
	p.pos++
	qualified := p.name()
	if len(qualified) == 0 {
		return p.unfinished("a “<” that begins no element")
	}
	el := openElement{index: index, name: qualified, bindings: len(p.bindings)}
	n := node{attr: uint32(len(p.tree.attrs))}
	empty, err := p.attributes(&n)
	if err != nil {
		return err
	}
	if n.name, err = p.resolve(qualified); err != nil {
		return err
	}
	n.start, n.end = uint32(p.pos), uint32(p.pos)
	p.tree.nodes = append(p.tree.nodes, n)
	p.link(index)
	p.rooted = true
	if empty {
		p.bindings = p.bindings[:el.bindings]
	} else {
		p.open = append(p.open, el)
	}
	return nil
}

// link makes the new element the last child of the innermost open one.
func (p *parser) link(index uint32) {
	if len(p.open) == 0 {
		return
	}
	parent := &p.open[len(p.open)-1]
	if parent.last == 0 {
		p.tree.nodes[parent.index].first = index
	} else {
		p.tree.nodes[parent.last].next = index
	}
	parent.last = index
}

// attributes parses up to the end of a start tag; empty reports that the tag also
// closes the element.
func (p *parser) attributes(n *node) (empty bool, err error) {
	for {
		spaced := p.space()
		if p.pos >= len(p.data) {
			return false, ErrTruncated
		}
		switch p.data[p.pos] {
		case '>':
			p.pos++
			return false, nil
		case '/':
			if p.pos+1 >= len(p.data) {
				return false, ErrTruncated
			}
			if p.data[p.pos+1] != '>' {
				return false, p.fail("a “/” inside a tag")
			}
			p.pos += 2
			return true, nil
		}
		if !spaced {
			return false, p.fail("a tag that is not well-formed")
		}
		if err := p.attribute(n); err != nil {
			return false, err
		}
	}
}

func (p *parser) attribute(n *node) error {
	qualified := p.name()
	if len(qualified) == 0 {
		return p.unfinished("a tag that is not well-formed")
	}
	p.space()
	if p.pos >= len(p.data) || p.data[p.pos] != '=' {
		return p.unfinished("an attribute without a value")
	}
	p.pos++
	p.space()
	if p.pos >= len(p.data) || p.data[p.pos] != '"' && p.data[p.pos] != '\'' {
		return p.unfinished("an attribute value without quotes")
	}
	start := p.pos + 1
	length := bytes.IndexByte(p.data[start:], p.data[p.pos])
	if length < 0 {
		return ErrTruncated
	}
	value := p.data[start : start+length]
	if bytes.IndexByte(value, '<') >= 0 {
		return p.fail("a “<” in an attribute value")
	}
	if err := p.references(value); err != nil {
		return err
	}
	p.pos = start + length + 1
	return p.keep(n, qualified, value, start)
}

// keep stores an attribute, or binds a prefix if the attribute is a namespace
// declaration.
func (p *parser) keep(n *node, qualified, value []byte, start int) error {
	prefix, isPrefix := bytes.CutPrefix(qualified, []byte("xmlns:"))
	if isPrefix || string(qualified) == "xmlns" {
		if !isPrefix {
			prefix = nil
		}
		space, err := p.namespace(decodeText(value))
		if err != nil {
			return err
		}
		p.bindings = append(p.bindings, binding{prefix, space})
		if len(p.bindings) > maxBindings {
			return ErrSize
		}
		return nil
	}
	if n.attrs >= maxAttributes || len(p.tree.attrs) >= maxAllAttrs {
		return ErrSize
	}
	name, ok := p.attrIDs[string(qualified)]
	if !ok {
		if len(p.attrIDs) >= maxNames {
			return ErrSize
		}
		name = string(qualified)
		p.attrIDs[name] = name
	}
	for _, a := range p.tree.attrs[n.attr : n.attr+n.attrs] {
		if a.name == name {
			return p.fail("the attribute " + quote(name) + " twice in one tag")
		}
	}
	p.tree.attrs = append(p.tree.attrs, attr{name, uint32(start), uint32(start + len(value))})
	n.attrs++
	return nil
}

func (p *parser) namespace(uri string) (uint32, error) {
	uri = strings.TrimSpace(uri)
	if id, ok := p.spaceIDs[uri]; ok {
		return id, nil
	}
	if len(p.spaceIDs) >= maxNames {
		return 0, ErrSize
	}
	id := uint32(len(p.tree.spaces))
	p.tree.spaces = append(p.tree.spaces, uri)
	p.spaceIDs[uri] = id
	p.nameIDs = append(p.nameIDs, map[string]uint32{})
	return id, nil
}

// resolve returns the id of an element's expanded name. An undeclared prefix means no
// namespace.
func (p *parser) resolve(qualified []byte) (uint32, error) {
	prefix, local, prefixed := bytes.Cut(qualified, []byte{':'})
	if !prefixed {
		prefix, local = nil, qualified
	}
	space := uint32(0)
	for i := len(p.bindings) - 1; i >= 0; i-- {
		if bytes.Equal(p.bindings[i].prefix, prefix) {
			space = p.bindings[i].space
			break
		}
	}
	if id, ok := p.nameIDs[space][string(local)]; ok {
		return id, nil
	}
	if len(p.tree.names) >= maxNames {
		return 0, ErrSize
	}
	id := uint32(len(p.tree.names))
	text := string(local)
	p.tree.names = append(p.tree.names, name{space, text})
	p.nameIDs[space][text] = id
	return id, nil
}

func (p *parser) endTag() error {
	start := p.pos
	p.pos += 2
	qualified := p.name()
	p.space()
	if p.pos >= len(p.data) || p.data[p.pos] != '>' {
		return p.unfinished("an end tag that is not well-formed")
	}
	p.pos++
	if len(p.open) == 0 {
		return p.fail("an end tag without a start tag")
	}
	el := p.open[len(p.open)-1]
	if !bytes.Equal(el.name, qualified) {
		return p.fail("the element " + quote(string(el.name)) + " is closed as " + quote(string(qualified)))
	}
	p.tree.nodes[el.index].end = uint32(start)
	p.bindings = p.bindings[:el.bindings]
	p.open = p.open[:len(p.open)-1]
	return nil
}

// name parses a name at the parser's position; it may be empty.
func (p *parser) name() []byte {
	start := p.pos
	if start >= len(p.data) || !nameStart[p.data[start]] {
		return nil
	}
	end := start + 1
	for end < len(p.data) && nameByte[p.data[end]] {
		end++
	}
	p.pos = end
	return p.data[start:end]
}

// space skips white space and reports whether there was any.
func (p *parser) space() bool {
	start := p.pos
	for p.pos < len(p.data) {
		if c := p.data[p.pos]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			break
		}
		p.pos++
	}
	return p.pos > start
}

// unfinished returns ErrTruncated at the end of the data, and otherwise a syntax
// error.
func (p *parser) unfinished(message string) error {
	if p.pos >= len(p.data) {
		return ErrTruncated
	}
	return p.fail(message)
}

func (p *parser) fail(message string) error {
	return &SyntaxError{lineAt(p.data, min(p.pos, len(p.data))), message}
}

// nameStart and nameByte report the bytes of names. They accept all UTF-8 beyond
// ASCII, which is more than XML allows but harmless.
var nameStart, nameByte = func() (start, other [256]bool) {
	for i := range 256 {
		c := byte(i)
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == ':' || c >= 0x80
		start[i] = letter
		other[i] = letter || '0' <= c && c <= '9' || c == '-' || c == '.'
	}
	return start, other
}()
