// Package rules evaluates the official rules for electronic invoices on UBL and CII
// documents: EN 16931, XRechnung and Peppol BIS Billing 3.
//
// Rules are data: a table of id, severity, terms, message and one check for each
// syntax. A check has a scope, which selects elements, and a condition on each of
// them. Ids, conditions, severities and code lists are those of the official
// artefacts. The messages are docledger's own.
package rules

import (
	"strconv"
	"strings"

	"docledger/adapter/extract/einvoice/xmltree"
)

// MaxElements is the maximum number of elements of an evaluated document. Invoices
// with 10,000 lines have about 500,000.
const MaxElements = 600_000

// node is an element of a document. A nil node is a missing element.
type node struct {
	elem   xmltree.Elem
	name   string // local name; "" in namespaces without rules
	space  string // usual prefix of the namespace
	sym    symbol
	parent *node
	first  *node // first child
	next   *node // next sibling
	raw    *string
	norm   *string
	num    *number
}

// document is a tree of nodes with an index by name and with values that several
// rules use.
type document struct {
	root   *node
	cii    bool
	all    []node
	byName [][]*node          // by symbol
	byPair map[uint32][]*node // by the symbols of the parent and of the element
	byTail map[string][]*node // by the end of the name, computed on demand
	vars   *variables
	vat    *vatData
	seen   map[string]bool // names of all attributes
}

var prefixes = map[string]string{
	"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2":                             "ubl",
	"urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2":                          "cn",
	"urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2":           "cac",
	"urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2":               "cbc",
	"urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2":           "ext",
	"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100":                       "rsm",
	"urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100": "ram",
	"urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100":                        "udt",
	"urn:un:unece:uncefact:data:standard:QualifiedDataType:100":                          "qdt",
}

// symbol is an interned element name. Names without a rule are 0.
type symbol uint16

var symbols = map[string]symbol{}

func intern(name string) symbol {
	s, ok := symbols[name]
	if !ok {
		s = symbol(len(symbols) + 1)
		symbols[name] = s
	}
	return s
}

// load builds the document from the root element, which has at most size elements.
func load(root xmltree.Elem, size int) *document {
	d := &document{
		all: make([]node, 0, size), byName: make([][]*node, len(symbols)+1), byPair: make(map[uint32][]*node, 512),
		byTail: map[string][]*node{}, seen: map[string]bool{},
	}
	d.root = d.add(root, nil)
	d.cii = d.root.name == "CrossIndustryInvoice"
	return d
}

func (d *document) add(e xmltree.Elem, parent *node) *node {
	d.all = append(d.all, node{elem: e, parent: parent})
	n := &d.all[len(d.all)-1]
	if space, ok := prefixes[e.Space()]; ok {
		n.space, n.name = space, e.Local()
		n.sym = symbols[n.name]
	}
	if n.sym != 0 {
		d.byName[n.sym] = append(d.byName[n.sym], n)
		if parent != nil && parent.sym != 0 {
			key := pairKey(parent.sym, n.sym)
			d.byPair[key] = append(d.byPair[key], n)
		}
	}
	for _, name := range e.AttrNames() {
		d.seen[name] = true
	}
	var last *node
	for c := range e.All() {
		k := d.add(c, n)
		if last == nil {
			n.first = k
		} else {
			last.next = k
		}
		last = k
	}
	return n
}

func pairKey(parent, own symbol) uint32 { return uint32(parent)<<16 | uint32(own) }

// tailed returns the nodes with a name that ends in the text.
func (d *document) tailed(tail string) []*node {
	out, ok := d.byTail[tail]
	if ok {
		return out
	}
	out = []*node{}
	for i := range d.all {
		if strings.HasSuffix(d.all[i].name, tail) {
			out = append(out, &d.all[i])
		}
	}
	d.byTail[tail] = out
	return out
}

// text returns the text of the node as stated, without the text of its children.
func (n *node) text() string {
	if n == nil {
		return ""
	}
	if n.raw == nil {
		s := n.elem.RawText()
		n.raw = &s
	}
	return *n.raw
}

// value returns the text of the node with normalized white space.
func (n *node) value() string {
	if n == nil {
		return ""
	}
	if n.norm == nil {
		s := normalize(n.text())
		n.norm = &s
	}
	return *n.norm
}

// normalize trims white space and replaces consecutive white space by one space.
func normalize(s string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\t', '\n', '\r':
			clean = false
		case ' ':
			if i == 0 || i == len(s)-1 || s[i-1] == ' ' {
				clean = false
			}
		}
	}
	if clean {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r == ' ' || r == '\t' || r == '\n' || r == '\r'
	}), " ")
}

// attr returns the attribute's value, or "".
func (n *node) attr(name string) string {
	if n == nil {
		return ""
	}
	v, _ := n.elem.LookupAttr(name)
	return v
}

// hasAttr reports whether the node has the attribute.
func (n *node) hasAttr(name string) bool {
	if n == nil {
		return false
	}
	_, ok := n.elem.LookupAttr(name)
	return ok
}

// under reports whether the node has an ancestor with the name.
func (n *node) under(name string) bool {
	for p := n.parent; p != nil; p = p.parent {
		if p.name == name {
			return true
		}
	}
	return false
}

// path returns the path of the node, with the position among siblings with the same
// name.
func (n *node) path() string {
	if n.parent == nil {
		return "/" + n.elem.Local()
	}
	position, count := 0, 0
	for k := n.parent.first; k != nil; k = k.next {
		if k.elem.Local() == n.elem.Local() {
			count++
		}
		if k == n {
			position = count
		}
	}
	step := "/" + n.elem.Local()
	if count > 1 {
		step += "[" + strconv.Itoa(position) + "]"
	}
	return n.parent.path() + step
}
