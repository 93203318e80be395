package xmltree

import (
	"bytes"
	"encoding/base64"
	"iter"
	"strings"
	"unicode/utf8"
)

// Tree is a parsed document. It is safe for concurrent reading.
type Tree struct {
	data   []byte
	spaces []string // namespaces; 0 is none
	names  []name
	nodes  []node // 0 is the root; as a child or sibling, 0 means none
	attrs  []attr
}

type name struct {
	space uint32
	local string
}

type node struct {
	name       uint32
	first      uint32 // first child
	next       uint32 // next sibling
	start, end uint32 // content, from after the start tag to before the end tag
	attr       uint32 // index of the first attribute
	attrs      uint32 // number of attributes
}

type attr struct {
	name       string // qualified, as written
	start, end uint32 // value
}

// Elem is an element of a tree. The zero value is a missing element: it has no name,
// no text and no children, so that callers can follow paths without checks.
type Elem struct {
	tree  *Tree
	index uint32
}

// Root returns the document element.
func (t *Tree) Root() Elem { return Elem{t, 0} }

// Exists reports whether the element exists.
func (e Elem) Exists() bool { return e.tree != nil }

// Space returns the namespace of the element's name.
func (e Elem) Space() string {
	if e.tree == nil {
		return ""
	}
	return e.tree.spaces[e.tree.names[e.node().name].space]
}

// Local returns the local part of the element's name.
func (e Elem) Local() string {
	if e.tree == nil {
		return ""
	}
	return e.tree.names[e.node().name].local
}

func (e Elem) node() *node { return &e.tree.nodes[e.index] }

// All iterates over the element's children in document order.
func (e Elem) All() iter.Seq[Elem] {
	return func(yield func(Elem) bool) {
		if e.tree == nil {
			return
		}
		for i := e.node().first; i != 0; i = e.tree.nodes[i].next {
			if !yield(Elem{e.tree, i}) {
				return
			}
		}
	}
}

// Named iterates over the children with one of the local names.
func (e Elem) Named(locals ...string) iter.Seq[Elem] {
	return func(yield func(Elem) bool) {
		for c := range e.All() {
			local := c.Local()
			for _, want := range locals {
				if local == want {
					if !yield(c) {
						return
					}
					break
				}
			}
		}
	}
}

// Child returns the first child with the local name.
func (e Elem) Child(local string) Elem {
	for c := range e.All() {
		if c.Local() == local {
			return c
		}
	}
	return Elem{}
}

// Path follows the first child with each local name. It does not try other children
// with the same name.
func (e Elem) Path(locals ...string) Elem {
	for _, local := range locals {
		e = e.Child(local)
	}
	return e
}

// FirstOf returns the first child with one of the local names, in the order of
// the names.
func (e Elem) FirstOf(locals ...string) Elem {
	for _, local := range locals {
		if c := e.Child(local); c.Exists() {
			return c
		}
	}
	return Elem{}
}

// Attr returns the value of the attribute with the given name and no prefix, without
// surrounding white space, or "".
func (e Elem) Attr(name string) string {
	if e.tree == nil {
		return ""
	}
	n := e.node()
	for _, a := range e.tree.attrs[n.attr : n.attr+n.attrs] {
		if a.name == name {
			value, cut := bounded(e.tree.data[a.start:a.end])
			return strings.TrimSpace(decodeText(value)) + cut
		}
	}
	return ""
}

// Text returns the text of an element without child elements, without surrounding
// white space, with line ends as "\n". It returns "" for other elements. It truncates
// a text longer than maxText and appends "…".
func (e Elem) Text() string {
	raw, cut := bounded(e.raw())
	if bytes.IndexByte(raw, '<') >= 0 {
		return strings.TrimSpace(newlines(string(withoutMarkup(raw)))) + cut
	}
	return strings.TrimSpace(decodeText(raw)) + cut
}

// bounded truncates raw to maxText and returns the marker to append.
func bounded(raw []byte) (text []byte, cut string) {
	if len(raw) <= maxText {
		return raw, ""
	}
	end := maxText
	for end > 0 && !utf8.RuneStart(raw[end]) {
		end--
	}
	return raw[:end], "…"
}

// Base64Size returns the number of bytes that the base64 text of the element encodes,
// without decoding it.
func (e Elem) Base64Size() int64 {
	var digits int64
	for _, c := range e.raw() {
		if c > ' ' && c != '=' {
			digits++
		}
	}
	return digits * 3 / 4
}

// Base64 decodes the base64 text of the element, which may have white space
// anywhere and lack its padding.
func (e Elem) Base64() ([]byte, error) {
	raw := e.raw()
	if bytes.IndexByte(raw, '<') >= 0 {
		raw = withoutMarkup(raw)
	}
	compact := make([]byte, 0, len(raw))
	for _, c := range raw {
		if c > ' ' && c != '=' {
			compact = append(compact, c)
		}
	}
	n, err := base64.RawStdEncoding.Decode(compact, compact)
	return compact[:n], err
}

func (e Elem) raw() []byte {
	if e.tree == nil || e.node().first != 0 {
		return nil
	}
	return e.tree.data[e.node().start:e.node().end]
}
