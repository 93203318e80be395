package quickbooks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// query is a parsed statement of the provider's query language.
type query struct {
	count      bool
	entity     string // the statement
	conditions []condition
	order      []ordering
	start      int // 1 for the first
	most       int // 0 if not given
}

// condition compares a property with values. A record must match all conditions of a query.
type condition struct {
	path     string
	operator string // one of operators, in upper case
	values   []value
}

// value is a literal. Text is the unescaped content of the quotes.
type value struct {
	text   string
	quoted bool
}

// ordering is a property to sort by.
type ordering struct {
	path       string
	descending bool
}

// token is a part of a statement.
type token struct {
	text   string
	quoted bool // a literal in quotes
	symbol bool // punctuation or an operator
	at     int  // in bytes
}

var operators = []string{"=", "<", ">", "<=", ">=", "LIKE", "IN"}

// keywords cannot be names of properties.
var keywords = []string{
	"SELECT", "FROM", "WHERE", "AND", "OR", "NOT", "IN", "LIKE", "ORDERBY", "ORDER", "BY", "ASC", "DESC", "STARTPOSITION", "MAXRESULTS",
	"COUNT", "JOIN", "GROUP", "TRUE", "FALSE",
}

func queryFault(at int, format string, args ...any) *fault {
	return &fault{
		code: "4000", message: "Error parsing query",
		detail: fmt.Sprintf("QueryParserError: %s at position %d", fmt.Sprintf(format, args...), at),
	}
}

// longestQuery is the maximum length of a statement in bytes.
const longestQuery = 16 << 10

// tokens splits a statement into tokens.
func tokens(s string) ([]token, *fault) {
	if len(s) > longestQuery {
		return nil, queryFault(longestQuery, "Query is too long")
	}
	var out []token
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '\'':
			text, length, ok := literal(s[i:])
			if !ok {
				return nil, queryFault(i, "Lexical error: a literal does not end")
			}
			out = append(out, token{text: text, quoted: true, at: i})
			i += length
		case strings.IndexByte("=<>(),*", c) >= 0:
			length := 1
			if (c == '<' || c == '>') && i+1 < len(s) && s[i+1] == '=' {
				length = 2
			}
			out = append(out, token{text: s[i : i+length], symbol: true, at: i})
			i += length
		case wordByte(c):
			end := i
			for end < len(s) && wordByte(s[end]) {
				end++
			}
			out = append(out, token{text: s[i:end], at: i})
			i = end
		default:
			return nil, queryFault(i, "Lexical error: encountered %q", c)
		}
	}
	return out, nil
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-' || c == ':' || c == '+'
}

// literal parses a quoted literal at the beginning of s. A backslash escapes the following
// character.
func literal(s string) (text string, length int, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\'':
			return b.String(), i + 1, true
		case '\\':
			if i++; i == len(s) {
				return "", 0, false
			}
		}
		b.WriteByte(s[i])
	}
	return "", 0, false
}

// parser parses tokens.
type parser struct {
	tokens []token
	next   int
	end    int // of the statement
}

func (p *parser) peek() token {
	if p.next < len(p.tokens) {
		return p.tokens[p.next]
	}
	return token{at: p.end}
}

func (p *parser) take() token {
	t := p.peek()
	p.next++
	return t
}

// is reports whether t is a keyword or symbol.
func (t token) is(text string) bool { return !t.quoted && strings.EqualFold(t.text, text) }

// accept consumes the next token if it is the expected one.
func (p *parser) accept(text string) bool {
	if p.peek().is(text) {
		p.next++
		return true
	}
	return false
}

func (p *parser) expect(texts ...string) *fault {
	for _, text := range texts {
		if t := p.take(); !t.is(text) {
			return queryFault(t.at, "Encountered %q, was expecting %s", t.text, text)
		}
	}
	return nil
}

// name parses a name of an entity or property.
func (p *parser) name() (string, *fault) {
	t := p.take()
	if t.quoted || t.symbol || t.text == "" || slices.Contains(keywords, strings.ToUpper(t.text)) {
		return "", queryFault(t.at, "Encountered %q, was expecting a name", t.text)
	}
	return t.text, nil
}

// parseQuery parses a statement. It refuses what the language does not support: OR, parentheses
// around conditions, joins and projections.
func parseQuery(text string) (*query, *fault) {
	pieces, f := tokens(text)
	if f != nil {
		return nil, f
	}
	p := &parser{tokens: pieces, end: len(text)}
	q := &query{start: 1}
	for _, step := range []func(*query) *fault{p.head, p.where, p.orderBy, p.paging} {
		if f := step(q); f != nil {
			return nil, f
		}
	}
	if t := p.peek(); p.next < len(p.tokens) {
		return nil, queryFault(t.at, "Encountered %q", t.text)
	}
	return q, nil
}

func (p *parser) head(q *query) (f *fault) {
	if f = p.expect("SELECT"); f != nil {
		return f
	}
	if p.accept("COUNT") {
		q.count = true
		f = p.expect("(", "*", ")", "FROM")
	} else {
		f = p.expect("*", "FROM")
	}
	if f == nil {
		q.entity, f = p.name()
	}
	return f
}

func (p *parser) where(q *query) *fault {
	if !p.accept("WHERE") {
		return nil
	}
	for {
		c, f := p.condition()
		if f != nil {
			return f
		}
		q.conditions = append(q.conditions, c)
		if !p.accept("AND") {
			return nil
		}
	}
}

func (p *parser) condition() (c condition, f *fault) {
	if c.path, f = p.name(); f != nil {
		return c, f
	}
	t := p.take()
	c.operator = strings.ToUpper(t.text)
	if t.quoted || !slices.Contains(operators, c.operator) {
		return c, queryFault(t.at, "Encountered %q, was expecting an operator", t.text)
	}
	if c.operator != "IN" {
		v, f := p.value()
		c.values = []value{v}
		return c, f
	}
	if f = p.expect("("); f != nil {
		return c, f
	}
	for {
		v, f := p.value()
		if f != nil {
			return c, f
		}
		c.values = append(c.values, v)
		if !p.accept(",") {
			return c, p.expect(")")
		}
	}
}

func (p *parser) value() (value, *fault) {
	t := p.take()
	if t.symbol || t.text == "" && !t.quoted {
		return value{}, queryFault(t.at, "Encountered %q, was expecting a value", t.text)
	}
	_, err := strconv.ParseFloat(t.text, 64)
	if !t.quoted && err != nil && !t.is("true") && !t.is("false") {
		return value{}, queryFault(t.at, "Encountered %q, was expecting a value in quotes", t.text)
	}
	return value{t.text, t.quoted}, nil
}

func (p *parser) orderBy(q *query) *fault {
	if !p.accept("ORDERBY") {
		if !p.accept("ORDER") {
			return nil
		}
		if f := p.expect("BY"); f != nil {
			return f
		}
	}
	for {
		path, f := p.name()
		if f != nil {
			return f
		}
		o := ordering{path: path, descending: p.accept("DESC")}
		if !o.descending {
			p.accept("ASC")
		}
		q.order = append(q.order, o)
		if !p.accept(",") {
			return nil
		}
	}
}

func (p *parser) paging(q *query) *fault {
	for _, part := range []struct {
		keyword string
		into    *int
	}{{"STARTPOSITION", &q.start}, {"MAXRESULTS", &q.most}} {
		if !p.accept(part.keyword) {
			continue
		}
		t := p.take()
		n, err := strconv.Atoi(t.text)
		if t.quoted || err != nil || n < 1 {
			return queryFault(t.at, "Encountered %q, was expecting a positive number", t.text)
		}
		*part.into = n
	}
	return nil
}
