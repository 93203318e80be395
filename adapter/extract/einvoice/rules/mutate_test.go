package rules

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// element is a part of a document that tests modify.
type element struct {
	name  string // including its prefix
	attrs []xml.Attr
	text  string
	kids  []*element
}

func (e *element) local() string { return e.name[strings.IndexByte(e.name, ':')+1:] }

// elements parses one of the project's documents.
func elements(t testing.TB, doc string) *element {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(doc))
	var stack []*element
	for {
		tok, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			t.Fatal("no document element")
		}
		if err != nil {
			t.Fatal(err)
		}
		switch v := tok.(type) {
		case xml.StartElement:
			e := &element{name: qualified(v.Name), attrs: append([]xml.Attr(nil), v.Attr...)}
			if len(stack) > 0 {
				top := stack[len(stack)-1]
				top.kids = append(top.kids, e)
			}
			stack = append(stack, e)
		case xml.CharData:
			if len(stack) > 0 {
				stack[len(stack)-1].text += string(v)
			}
		case xml.EndElement:
			if len(stack) == 1 {
				return stack[0]
			}
			stack = stack[:len(stack)-1]
		}
	}
}

func qualified(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// String returns the document.
func (e *element) String() string {
	var b bytes.Buffer
	e.write(&b)
	return b.String()
}

func (e *element) write(b *bytes.Buffer) {
	b.WriteString("<" + e.name)
	for _, a := range e.attrs {
		fmt.Fprintf(b, ` %s="`, qualified(a.Name))
		xml.EscapeText(b, []byte(a.Value)) //nolint:errcheck // a buffer never fails
		b.WriteString(`"`)
	}
	b.WriteString(">")
	if len(e.kids) == 0 {
		xml.EscapeText(b, []byte(e.text)) //nolint:errcheck // a buffer never fails
	}
	for _, k := range e.kids {
		k.write(b)
	}
	b.WriteString("</" + e.name + ">")
}

// A change of a document is a list of steps, separated by " ; ":
//
//	del PATH             set PATH VALUE          dup PATH
//	attr PATH NAME=VALUE noattr PATH NAME        add PATH NAME[/NAME…][=VALUE]
//
// A path consists of local names with an optional position, as in
// InvoiceLine[2]/Item; "//Name" is every element of the name, "." the document
// element. VALUE may be "" for an empty one; \n is a line end.

// change applies a change to the document.
func (e *element) change(t testing.TB, steps string) {
	t.Helper()
	for _, step := range strings.Split(steps, " ; ") {
		if step == "" {
			continue
		}
		verb, rest, _ := strings.Cut(step, " ")
		path, arg, _ := strings.Cut(rest, " ")
		arg = strings.ReplaceAll(arg, `\n`, "\n")
		if arg == `""` {
			arg = ""
		}
		found := e.find(path)
		if len(found) == 0 {
			t.Errorf("%q: %s selects nothing", steps, path)
		}
		for _, m := range found {
			m.apply(verb, arg)
		}
	}
}

// place is an element with its parent.
type place struct {
	element *element
	parent  *element
}

func (e *element) find(path string) []place {
	if path == "." {
		return []place{{e, nil}}
	}
	if name, ok := strings.CutPrefix(path, "//"); ok {
		var out []place
		e.each(func(p place) {
			if p.element.local() == name {
				out = append(out, p)
			}
		})
		return out
	}
	at := place{e, nil}
	for _, name := range strings.Split(path, "/") {
		want := 1
		if i := strings.IndexByte(name, '['); i >= 0 {
			fmt.Sscan(name[i+1:len(name)-1], &want) //nolint:errcheck // an invalid position selects nothing
			name = name[:i]
		}
		next := place{}
		for _, k := range at.element.kids {
			if k.local() == name {
				if want--; want == 0 {
					next = place{k, at.element}
				}
			}
		}
		if next.element == nil {
			return nil
		}
		at = next
	}
	return []place{at}
}

func (e *element) each(visit func(place)) {
	for _, k := range e.kids {
		visit(place{k, e})
		k.each(visit)
	}
}

func (p place) apply(verb, arg string) {
	e := p.element
	switch verb {
	case "del", "dup":
		var kids []*element
		for _, k := range p.parent.kids {
			if k != e || verb == "dup" {
				kids = append(kids, k)
			}
			if k == e && verb == "dup" {
				kids = append(kids, k.copied())
			}
		}
		p.parent.kids = kids
	case "set":
		e.kids, e.text = nil, arg
	case "noattr", "attr":
		name, value, _ := strings.Cut(arg, "=")
		var attrs []xml.Attr
		for _, a := range e.attrs {
			if a.Name.Local != name {
				attrs = append(attrs, a)
			}
		}
		if verb == "attr" {
			attrs = append(attrs, xml.Attr{Name: xml.Name{Local: name}, Value: value})
		}
		e.attrs = attrs
	case "add":
		path, value, _ := strings.Cut(arg, "=")
		for _, name := range strings.Split(path, "/") {
			k := &element{name: prefixOf(name, e) + name}
			e.kids = append(e.kids, k)
			e = k
		}
		e.text = value
	}
}

// copied returns a deep copy.
func (e *element) copied() *element {
	c := *e
	c.kids = nil
	for _, k := range e.kids {
		c.kids = append(c.kids, k.copied())
	}
	return &c
}

// prefixOf returns the prefix for a new element: its name determines the prefix in
// UBL, its parent in CII.
func prefixOf(name string, parent *element) string {
	switch {
	case strings.ContainsRune(name, ':'):
		return ""
	case strings.HasPrefix(parent.name, "ram:") || strings.HasPrefix(parent.name, "rsm:"):
		if name == "Indicator" || strings.HasPrefix(name, "DateTime") && name != "DateTimeReference" || name == "IndicatorString" {
			return "udt:"
		}
		return "ram:"
	case name == "UBLExtensions":
		return "ext:"
	case basic[name]:
		return "cbc:"
	}
	return "cac:"
}
