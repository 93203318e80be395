package xmltree

import "bytes"

// RawText returns the text of an element without child elements, including
// surrounding white space, with line ends as "\n". It returns "" for other elements.
// It truncates a text longer than maxText and appends "…".
func (e Elem) RawText() string {
	raw, cut := bounded(e.raw())
	if bytes.IndexByte(raw, '<') >= 0 {
		return newlines(string(withoutMarkup(raw))) + cut
	}
	return decodeText(raw) + cut
}

// LookupAttr returns the unmodified value of the attribute with the given name and no
// prefix, and reports whether the element has it.
func (e Elem) LookupAttr(name string) (string, bool) {
	if e.tree == nil {
		return "", false
	}
	n := e.node()
	for _, a := range e.tree.attrs[n.attr : n.attr+n.attrs] {
		if a.name == name {
			value, cut := bounded(e.tree.data[a.start:a.end])
			return decodeText(value) + cut, true
		}
	}
	return "", false
}

// AttrNames returns the qualified names of the element's attributes in document
// order.
func (e Elem) AttrNames() []string {
	if e.tree == nil {
		return nil
	}
	n := e.node()
	if n.attrs == 0 {
		return nil
	}
	out := make([]string, 0, n.attrs)
	for _, a := range e.tree.attrs[n.attr : n.attr+n.attrs] {
		out = append(out, a.name)
	}
	return out
}

// Elements returns the number of elements in the tree.
func (t *Tree) Elements() int { return len(t.nodes) }
