package rules

import (
	"fmt"
	"strings"
)

// A selector names elements from a node on: steps separated by "/", each a
// name, "*" or "..", followed by conditions in brackets. "/" at the start means
// the document element's children, "//" elements anywhere in the document.
//
// "*Amount" means every element with a name that ends in "Amount".
//
//	[A/B]      such an element exists      [!A/B]     no such element exists
//	[A/B=x,y]  one has one of the values   [A/B!=x]   one has another value
//	[A/B~X]    as =, in capital letters    [A/B!~X]   one has another value, in capital letters
//	[@a]       the attribute exists; the operators work as for elements
//
// Values are compared with white space normalized.
type selector struct {
	from  origin
	steps []step
}

type origin int

const (
	fromNode origin = iota
	fromRoot        // starts at the document element
	fromAny         // matches anywhere
)

type step struct {
	sym   symbol
	space string // prefix of the namespace, if it matters
	any   bool
	tail  string // "*Amount": suffix of the element name
	up    bool
	conds []cond
}

type cond struct {
	attr   string // alternatively an attribute
	path   *selector
	self   bool // the value of the node itself
	absent bool
	op     string
	values []string
}

// sel compiles a selector. It panics on a syntax error, which only the tables of this
// package can contain.
func sel(text string) *selector {
	s, rest := parseSelector(text)
	if rest != "" {
		panic("selector " + text + ": unexpected " + rest)
	}
	return s
}

func parseSelector(text string) (*selector, string) {
	s := &selector{}
	switch {
	case strings.HasPrefix(text, "//"):
		s.from, text = fromAny, text[2:]
	case strings.HasPrefix(text, "/"):
		s.from, text = fromRoot, text[1:]
	}
	for {
		var st step
		st, text = parseStep(text)
		s.steps = append(s.steps, st)
		if !strings.HasPrefix(text, "/") {
			return s, text
		}
		text = text[1:]
	}
}

func parseStep(text string) (step, string) {
	end := strings.IndexAny(text, "/[]=!~")
	if end < 0 {
		end = len(text)
	}
	name := text[:end]
	st := step{}
	switch name {
	case "":
		panic("selector without a name before " + text)
	case "*":
		st.any = true
	case "..":
		st.up = true
	default:
		if tail, ok := strings.CutPrefix(name, "*"); ok {
			st.any, st.tail = true, tail
			break
		}
		if space, local, ok := strings.Cut(name, ":"); ok {
			st.space, name = space, local
		}
		st.sym = intern(name)
	}
	text = text[end:]
	for strings.HasPrefix(text, "[") {
		var c cond
		c, text = parseCond(text[1:])
		st.conds = append(st.conds, c)
	}
	return st, text
}

func parseCond(text string) (cond, string) {
	c := cond{}
	if strings.HasPrefix(text, "!") {
		c.absent, text = true, text[1:]
	}
	switch {
	case strings.HasPrefix(text, "@"):
		end := strings.IndexAny(text, "]=!~")
		c.attr, text = text[1:end], text[end:]
	case strings.HasPrefix(text, "."):
		if !strings.HasPrefix(text, "..") {
			c.self, text = true, text[1:]
			break
		}
		fallthrough
	default:
		c.path, text = parseSelector(text)
	}
	for _, op := range []string{"!=", "!~", "=", "~"} {
		if strings.HasPrefix(text, op) {
			c.op = op
			end := strings.IndexByte(text, ']')
			c.values, text = strings.Split(text[len(op):end], ","), text[end:]
			break
		}
	}
	if !strings.HasPrefix(text, "]") {
		panic(fmt.Sprintf("selector: condition does not end before %q", text))
	}
	return c, text[1:]
}

// each calls yield for the selected elements in document order until it
// returns false. It returns false if yield did.
func (s *selector) each(d *document, n *node, yield func(*node) bool) bool {
	switch s.from {
	case fromRoot:
		return s.walk(d, d.root, s.steps, yield)
	case fromAny:
		for _, m := range d.byName[s.steps[0].sym] {
			if s.steps[0].satisfied(d, m) && !s.walk(d, m, s.steps[1:], yield) {
				return false
			}
		}
		return true
	}
	if n == nil {
		return true
	}
	return s.walk(d, n, s.steps, yield)
}

func (s *selector) walk(d *document, n *node, steps []step, yield func(*node) bool) bool {
	if len(steps) == 0 {
		return yield(n)
	}
	st := &steps[0]
	if st.up {
		if n.parent == nil {
			return true
		}
		return s.walk(d, n.parent, steps[1:], yield)
	}
	for k := n.first; k != nil; k = k.next {
		if (st.any || k.sym == st.sym) && st.satisfied(d, k) && !s.walk(d, k, steps[1:], yield) {
			return false
		}
	}
	return true
}

func (st *step) satisfied(d *document, n *node) bool {
	if st.space != "" && st.space != n.space || st.tail != "" && !strings.HasSuffix(n.name, st.tail) {
		return false
	}
	for i := range st.conds {
		if !st.conds[i].satisfied(d, n) {
			return false
		}
	}
	return true
}

func (c *cond) satisfied(d *document, n *node) bool {
	found := false
	switch {
	case c.attr != "":
		if v, ok := n.elem.LookupAttr(c.attr); ok {
			found = c.matches(normalize(v))
		}
	case c.self:
		found = c.matches(n.value())
	default:
		c.path.each(d, n, func(m *node) bool {
			found = c.op == "" || c.matches(m.value())
			return !found
		})
	}
	return found != c.absent
}

func (c *cond) matches(value string) bool {
	switch c.op {
	case "":
		return true
	case "~", "!~":
		value = strings.ToUpper(value)
	}
	for _, v := range c.values {
		if v == value {
			return c.op[0] != '!'
		}
	}
	return c.op[0] == '!'
}

// first returns the first selected element.
func (s *selector) first(d *document, n *node) (out *node) {
	s.each(d, n, func(m *node) bool {
		out = m
		return false
	})
	return out
}

// has reports whether the selector selects anything.
func (s *selector) has(d *document, n *node) bool { return s.first(d, n) != nil }

// count returns the number of selected elements.
func (s *selector) count(d *document, n *node) int {
	count := 0
	s.each(d, n, func(*node) bool {
		count++
		return true
	})
	return count
}

// A scope names the elements that a check looks at: selectors separated by
// " | ". A selector matches elements whose own name is its last step and whose
// ancestors are the steps before it; "/" at the start ties the first step to
// the document element.
type scope []*selector

func within(text string) scope {
	var out scope
	for _, part := range strings.Split(text, " | ") {
		out = append(out, sel(part))
	}
	return out
}

// each calls yield once for each element of the scope.
func (c scope) each(d *document, yield func(*node)) {
	for i, s := range c {
		last := &s.steps[len(s.steps)-1]
		if last.lacks(d) {
			continue
		}
		for _, n := range s.candidates(d) {
			if s.matches(d, n) && !c[:i].has(d, n) {
				yield(n)
			}
		}
	}
}

// candidates returns the nodes that the selector, used as a scope, may match.
func (s *selector) candidates(d *document) []*node {
	last := &s.steps[len(s.steps)-1]
	switch {
	case s == rootSelector:
		return []*node{d.root}
	case last.any:
		return d.tailed(last.tail)
	case len(s.steps) > 1 && !s.steps[len(s.steps)-2].any:
		return d.byPair[pairKey(s.steps[len(s.steps)-2].sym, last.sym)]
	}
	return d.byName[last.sym]
}

// lacks reports whether the step requires an attribute that the document does not
// contain.
func (st *step) lacks(d *document) bool {
	for i := range st.conds {
		if c := &st.conds[i]; c.attr != "" && !c.absent && !d.seen[c.attr] {
			return true
		}
	}
	return false
}

func (c scope) has(d *document, n *node) bool {
	for _, s := range c {
		if s.matches(d, n) {
			return true
		}
	}
	return false
}

// matches reports whether the selector, used as a scope, matches the node.
func (s *selector) matches(d *document, n *node) bool {
	for i := len(s.steps) - 1; i >= 0; i-- {
		st := &s.steps[i]
		if n == nil || !st.any && n.sym != st.sym || !st.satisfied(d, n) {
			return false
		}
		n = n.parent
	}
	if s == rootSelector {
		return n == nil
	}
	return s.from != fromRoot || n == d.root
}
