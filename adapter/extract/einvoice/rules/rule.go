package rules

import (
	"strings"

	"docledger/domain/einvoice"
)

const (
	fatal       = einvoice.Fatal
	warning     = einvoice.Warning
	information = einvoice.Information
)

// rule is one official rule.
type rule struct {
	id       string
	severity einvoice.Severity
	terms    string // "BT-1 BT-2"; "" if the rule has none
	message  string
	ubl, cii *check // nil: the rule does not exist in the syntax
	ciiLevel einvoice.Severity
}

// level returns the severity of the rule in a syntax.
func (r *rule) level(cii bool) einvoice.Severity {
	if cii && r.ciiLevel != "" {
		return r.ciiLevel
	}
	return r.severity
}

func (r *rule) check(cii bool) *check {
	if cii {
		return r.cii
	}
	return r.ubl
}

// check is the condition of a rule on the elements in its scope.
type check struct {
	in scope
	ok test
}

// test reports whether an element passes.
type test func(d *document, n *node) bool

// at returns the check of the elements in the scope.
func at(in string, ok test) *check { return &check{within(in), ok} }

// root returns the check of the document element.
func root(ok test) *check { return &check{scope{rootSelector}, ok} }

// rootSelector selects the document element of both syntaxes.
var rootSelector = &selector{from: fromRoot, steps: []step{{any: true}}}

// forbidden returns the check that no element is in the scope.
func forbidden(in string) *check { return at(in, never) }

func never(*document, *node) bool { return false }

// has reports whether one of the selectors selects an element.
func has(selectors ...string) test {
	compiled := compile(selectors)
	return func(d *document, n *node) bool {
		for _, s := range compiled {
			if s.has(d, n) {
				return true
			}
		}
		return false
	}
}

// filled reports whether one of the selectors selects an element with text.
func filled(selectors ...string) test {
	compiled := compile(selectors)
	return func(d *document, n *node) bool {
		for _, s := range compiled {
			if !s.each(d, n, func(m *node) bool { return m.value() == "" }) {
				return true
			}
		}
		return false
	}
}

func compile(selectors []string) []*selector {
	out := make([]*selector, len(selectors))
	for i, s := range selectors {
		out[i] = sel(s)
	}
	return out
}

// none reports whether no selector selects anything.
func none(selectors ...string) test { return not(has(selectors...)) }

// atMost reports whether at most the given number of elements are selected.
func atMost(most int, selector string) test {
	s := sel(selector)
	return func(d *document, n *node) bool { return s.count(d, n) <= most }
}

// exactly reports whether the given number of elements is selected.
func exactly(want int, selector string) test {
	s := sel(selector)
	return func(d *document, n *node) bool { return s.count(d, n) == want }
}

func not(t test) test { return func(d *document, n *node) bool { return !t(d, n) } }

func and(tests ...test) test {
	return func(d *document, n *node) bool {
		for _, t := range tests {
			if !t(d, n) {
				return false
			}
		}
		return true
	}
}

func or(tests ...test) test {
	return func(d *document, n *node) bool {
		for _, t := range tests {
			if t(d, n) {
				return true
			}
		}
		return false
	}
}

// when reports whether the second test passes or the first does not.
func when(first, second test) test { return or(not(first), second) }

// withAttr reports whether the element has the attribute.
func withAttr(name string) test {
	return func(_ *document, n *node) bool { return n.hasAttr(name) }
}

// withoutAttr reports whether the element does not have the attribute.
func withoutAttr(name string) test { return not(withAttr(name)) }

// atMostTwoDecimals reports whether the first selected element has at most two
// digits after the point.
func atMostTwoDecimals(selector string) test {
	s := sel(selector)
	return func(d *document, n *node) bool { return decimalsOf(s.first(d, n).text()) <= 2 }
}

// compareTo tests the first selected number against 0.
func compareTo(selector string, matches func(a, b number) bool) test {
	s := sel(selector)
	return func(d *document, n *node) bool { return matches(d.num(n, s), zero) }
}

// own tests the element's value.
func own(matches func(value string) bool) test {
	return func(_ *document, n *node) bool { return matches(n.value()) }
}

// inList reports whether the element's value is in the code list.
func inList(codes codeList) test { return own(codes.has) }

// attrIn reports whether the attribute's value is in the code list.
func attrIn(name string, codes codeList) test {
	return func(_ *document, n *node) bool { return codes.has(normalize(n.attr(name))) }
}

// termList splits the terms.
func (r *rule) termList() []string { return strings.Fields(r.terms) }
