package gdrive

import (
	"fmt"
	"strings"
	"time"
)

// The supported part of the query language:
//
//	name =, !=, contains 'text'        mimeType =, !=, contains 'text'
//	'id' in parents                    trashed, sharedWithMe =, != true, false
//	modifiedTime =, !=, <, <=, >, >= 'time'
//	and, or, not, brackets
//
// Texts are in single quotes, with the escapes \' for ' and \\ for \.

// test reports whether a file matches.
type test func(s *store, f *file) bool

// query is a parsed condition.
type query struct {
	fits    test
	parents []string // the named folders
}

// parser parses the words of a query.
type parser struct {
	words   []word
	root    string // for 'root'
	parents []string
	depth   int
}

type word struct {
	text   string
	quoted bool
}

const deepest = 50 // nesting depth of brackets and nots

// parseQuery parses a query; "" matches everything.
func parseQuery(text, root string) (query, error) {
	words, err := split(text)
	if err != nil {
		return query{}, err
	}
	if len(words) == 0 {
		return query{fits: func(*store, *file) bool { return true }}, nil
	}
	p := &parser{words: words, root: root}
	fits, err := p.either()
	if err == nil && len(p.words) > 0 {
		err = fmt.Errorf("%q is not expected", p.words[0].text)
	}
	return query{fits, p.parents}, err
}

// split splits a query into words.
func split(text string) (out []word, err error) {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if text == "" {
			return out, nil
		}
		var w word
		switch c := text[0]; {
		case c == '\'':
			if w, text, err = quoted(text[1:]); err != nil {
				return nil, err
			}
		case strings.IndexByte("()", c) >= 0:
			w, text = word{text: text[:1]}, text[1:]
		case strings.IndexByte("=!<>", c) >= 0:
			n := 1
			if len(text) > 1 && text[1] == '=' && c != '=' {
				n = 2
			}
			w, text = word{text: text[:n]}, text[n:]
		default:
			n := strings.IndexAny(text, " \t\r\n'()=!<>")
			if n < 0 {
				n = len(text)
			}
			w, text = word{text: text[:n]}, text[n:]
		}
		out = append(out, w)
	}
}

// quoted parses a text after its opening quote.
func quoted(text string) (word, string, error) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\'':
			return word{out.String(), true}, text[i+1:], nil
		case '\\':
			if i++; i == len(text) || text[i] != '\'' && text[i] != '\\' {
				return word{}, "", fmt.Errorf("a backslash must precede ' or \\")
			}
		}
		out.WriteByte(text[i])
	}
	return word{}, "", fmt.Errorf("a text has no closing quote")
}

// take removes the next word if it is the expected one.
func (p *parser) take(text string) bool {
	if len(p.words) == 0 || p.words[0].quoted || !strings.EqualFold(p.words[0].text, text) {
		return false
	}
	p.words = p.words[1:]
	return true
}

// next removes the next word.
func (p *parser) next() (word, error) {
	if len(p.words) == 0 {
		return word{}, fmt.Errorf("the query is incomplete")
	}
	w := p.words[0]
	p.words = p.words[1:]
	return w, nil
}

func (p *parser) either() (test, error) {
	return p.chain("or", p.both, func(a, b test) test {
		return func(s *store, f *file) bool { return a(s, f) || b(s, f) }
	})
}

func (p *parser) both() (test, error) {
	return p.chain("and", p.one, func(a, b test) test {
		return func(s *store, f *file) bool { return a(s, f) && b(s, f) }
	})
}

// chain parses conditions that a word connects.
func (p *parser) chain(between string, read func() (test, error), join func(a, b test) test) (test, error) {
	out, err := read()
	for err == nil && p.take(between) {
		var more test
		if more, err = read(); err == nil {
			out = join(out, more)
		}
	}
	return out, err
}

// one parses a condition, a negation, or a query in brackets.
func (p *parser) one() (test, error) {
	if p.depth++; p.depth > deepest {
		return nil, fmt.Errorf("brackets are nested too deeply")
	}
	defer func() { p.depth-- }()
	if p.take("not") {
		t, err := p.one()
		return func(s *store, f *file) bool { return !t(s, f) }, err
	}
	if p.take("(") {
		t, err := p.either()
		if err == nil && !p.take(")") {
			err = fmt.Errorf("a bracket is not closed")
		}
		return t, err
	}
	return p.condition()
}

func (p *parser) condition() (test, error) {
	left, err := p.next()
	if err != nil {
		return nil, err
	}
	operator, err := p.next()
	if err != nil {
		return nil, err
	}
	right, err := p.next()
	if err != nil {
		return nil, err
	}
	if left.quoted {
		return p.membership(left.text, operator, right)
	}
	switch left.text {
	case "trashed":
		return boolean(operator.text, right, (*store).binned)
	case "sharedWithMe":
		return boolean(operator.text, right, func(_ *store, f *file) bool { return f.sharedWithMe })
	}
	if !right.quoted {
		return nil, fmt.Errorf("%q is no text in quotes", right.text)
	}
	switch left.text {
	case "name":
		return textual(operator.text, right.text, func(f *file) string { return f.name }, hasWord)
	case "mimeType":
		return textual(operator.text, right.text, func(f *file) string { return f.mime }, strings.Contains)
	case "modifiedTime":
		return timely(operator.text, right.text)
	}
	return nil, fmt.Errorf("unknown term %q", left.text)
}

func (p *parser) membership(id string, operator, right word) (test, error) {
	if operator.quoted || operator.text != "in" || right.quoted || right.text != "parents" {
		return nil, fmt.Errorf("only in parents can follow a text")
	}
	if id == "root" {
		id = p.root
	}
	p.parents = append(p.parents, id)
	return func(_ *store, f *file) bool { return f.parent == id && !f.sharedWithMe }, nil
}

func boolean(operator string, right word, of func(*store, *file) bool) (test, error) {
	if right.quoted || right.text != "true" && right.text != "false" || operator != "=" && operator != "!=" {
		return nil, fmt.Errorf("only = and != with true or false are supported")
	}
	want := (right.text == "true") == (operator == "=")
	return func(s *store, f *file) bool { return of(s, f) == want }, nil
}

// textual compares a text. Equality ignores case, as with the provider.
func textual(operator, want string, of func(*file) string, contains func(s, part string) bool) (test, error) {
	switch operator {
	case "=":
		return func(_ *store, f *file) bool { return strings.EqualFold(of(f), want) }, nil
	case "!=":
		return func(_ *store, f *file) bool { return !strings.EqualFold(of(f), want) }, nil
	case "contains":
		return func(_ *store, f *file) bool { return contains(of(f), want) }, nil
	}
	return nil, fmt.Errorf("operator %q is not supported here", operator)
}

// hasWord reports whether a word of a name starts with the text. The search does not look inside
// words.
func hasWord(name, start string) bool {
	name, start = strings.ToLower(name), strings.ToLower(start)
	return strings.HasPrefix(name, start) || strings.Contains(name, " "+start)
}

func timely(operator, want string) (test, error) {
	at, err := time.Parse(time.RFC3339, want)
	if err != nil {
		if at, err = time.Parse("2006-01-02T15:04:05", want); err != nil {
			return nil, fmt.Errorf("%q is no time", want)
		}
	}
	holds, ok := map[string]func(order int) bool{
		"=": func(o int) bool { return o == 0 }, "!=": func(o int) bool { return o != 0 },
		"<": func(o int) bool { return o < 0 }, "<=": func(o int) bool { return o <= 0 },
		">": func(o int) bool { return o > 0 }, ">=": func(o int) bool { return o >= 0 },
	}[operator]
	if !ok {
		return nil, fmt.Errorf("operator %q is not supported here", operator)
	}
	return func(_ *store, f *file) bool { return holds(f.changed.Compare(at)) }, nil
}
