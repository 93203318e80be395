package xero

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

const (
	longestWhere = 4096
	deepestWhere = 50
)

// condition reports whether a record matches a filter.
type condition func(object) (bool, error)

// parseWhere parses the filters of lists: comparisons of a field with a constant, the methods
// Contains, StartsWith and EndsWith, joined by AND, OR and parentheses. An empty filter matches
// everything.
func parseWhere(text string) (condition, error) {
	if strings.TrimSpace(text) == "" {
		return func(object) (bool, error) { return true, nil }, nil
	}
	if len(text) > longestWhere || !utf8.ValidString(text) {
		return nil, fmt.Errorf("the filter is too long or no text")
	}
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	c, err := p.or(0)
	if err == nil && p.next().kind != tokenEnd {
		err = fmt.Errorf("syntax error at %q", p.tokens[p.at-1].text)
	}
	return c, err
}

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenString
	tokenNumber
	tokenSign
)

type token struct {
	kind tokenKind
	text string
}

func lex(text string) (out []token, err error) {
	for text != "" {
		first, size := utf8.DecodeRuneInString(text)
		switch {
		case unicode.IsSpace(first):
			text = text[size:]
		case first == '"':
			value, rest, err := cutString(text)
			if err != nil {
				return nil, err
			}
			out, text = append(out, token{tokenString, value}), rest
		case unicode.IsLetter(first):
			n := span(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '_' })
			out, text = append(out, token{tokenWord, text[:n]}), text[n:]
		case unicode.IsDigit(first) || first == '-':
			n := size + span(text[size:], func(r rune) bool { return unicode.IsDigit(r) || r == '.' })
			out, text = append(out, token{tokenNumber, text[:n]}), text[n:]
		default:
			n := 1
			for _, two := range []string{"==", "!=", ">=", "<=", "&&", "||"} {
				if strings.HasPrefix(text, two) {
					n = 2
				}
			}
			if n == 1 && !strings.ContainsRune("()<>,", first) {
				return nil, fmt.Errorf("syntax error at %q", string(first))
			}
			out, text = append(out, token{tokenSign, text[:n]}), text[n:]
		}
	}
	return append(out, token{kind: tokenEnd}), nil
}

func span(text string, fits func(rune) bool) int {
	if n := strings.IndexFunc(text, func(r rune) bool { return !fits(r) }); n >= 0 {
		return n
	}
	return len(text)
}

// cutString parses a string in double quotes. A quote within it cannot be escaped.
func cutString(text string) (value, rest string, err error) {
	value, rest, found := strings.Cut(text[1:], `"`)
	if !found {
		return "", "", fmt.Errorf("unterminated string literal")
	}
	return value, rest, nil
}

type parser struct {
	tokens []token
	at     int
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if p.at < len(p.tokens)-1 {
		p.at++
	}
	return t
}

// takes consumes the next token if it is one of these, ignoring case.
func (p *parser) takes(texts ...string) bool {
	t := p.peek()
	for _, text := range texts {
		if (t.kind == tokenWord || t.kind == tokenSign) && strings.EqualFold(t.text, text) {
			p.next()
			return true
		}
	}
	return false
}

func (p *parser) or(depth int) (condition, error) {
	return p.joined(depth, p.and, true, "OR", "||")
}

func (p *parser) and(depth int) (condition, error) {
	return p.joined(depth, p.term, false, "AND", "&&")
}

// joined parses operands with one operator between them. The first operand with the value stops
// decides.
func (p *parser) joined(depth int, operand func(int) (condition, error), stops bool, operators ...string) (condition, error) {
	first, err := operand(depth)
	if err != nil {
		return nil, err
	}
	all := []condition{first}
	for p.takes(operators...) {
		another, err := operand(depth)
		if err != nil {
			return nil, err
		}
		all = append(all, another)
	}
	return func(o object) (bool, error) {
		for _, c := range all {
			if fits, err := c(o); err != nil || fits == stops {
				return fits, err
			}
		}
		return !stops, nil
	}, nil
}

func (p *parser) term(depth int) (condition, error) {
	if depth > deepestWhere {
		return nil, fmt.Errorf("the filter is nested too deep")
	}
	if p.takes("(") {
		c, err := p.or(depth + 1)
		if err != nil {
			return nil, err
		}
		if !p.takes(")") {
			return nil, fmt.Errorf("')' expected")
		}
		return c, nil
	}
	name := p.next()
	if name.kind != tokenWord {
		return nil, fmt.Errorf("a field expected, not %q", name.text)
	}
	if path, method, found := cutMethod(name.text); found && p.takes("(") {
		return p.method(path, method)
	}
	operator := p.next()
	switch operator.text {
	case "==", "!=", ">", ">=", "<", "<=":
	default:
		return nil, fmt.Errorf("an operator expected, not %q", operator.text)
	}
	value, err := p.constant()
	if err != nil {
		return nil, err
	}
	return compare(name.text, operator.text, value), nil
}

func cutMethod(word string) (path, method string, found bool) {
	i := strings.LastIndexByte(word, '.')
	if i < 0 {
		return "", "", false
	}
	switch word[i+1:] {
	case "Contains", "StartsWith", "EndsWith":
		return word[:i], word[i+1:], true
	}
	return "", "", false
}

func (p *parser) method(path, method string) (condition, error) {
	argument := p.next()
	if argument.kind != tokenString || !p.takes(")") {
		return nil, fmt.Errorf("%s takes one string", method)
	}
	fits := map[string]func(string, string) bool{
		"Contains": strings.Contains, "StartsWith": strings.HasPrefix, "EndsWith": strings.HasSuffix,
	}[method]
	return func(o object) (bool, error) {
		value, _ := o.get(path)
		text, isText := value.(string)
		return isText && fits(text, argument.text), nil
	}, nil
}

// constant parses a value: "text", a number, true, false, null, guid("…") or DateTime(year,
// month, day).
func (p *parser) constant() (any, error) {
	t := p.next()
	switch {
	case t.kind == tokenString:
		return t.text, nil
	case t.kind == tokenNumber:
		return decimal.NewFromString(t.text)
	case strings.EqualFold(t.text, "true"), strings.EqualFold(t.text, "false"):
		return strings.EqualFold(t.text, "true"), nil
	case strings.EqualFold(t.text, "null"):
		return nil, nil
	case strings.EqualFold(t.text, "guid") && p.takes("("):
		id := p.next()
		if id.kind != tokenString || !p.takes(")") {
			return nil, fmt.Errorf("guid takes one string")
		}
		return guid(strings.ToLower(id.text)), nil
	case t.text == "DateTime" && p.takes("("):
		return p.dateTime()
	}
	return nil, fmt.Errorf("a value expected, not %q", t.text)
}

func (p *parser) dateTime() (any, error) {
	var parts [6]int
	for i := range parts {
		t := p.next()
		n, err := strconv.Atoi(t.text)
		if err != nil || n < 0 || n > 9999 {
			return nil, fmt.Errorf("DateTime takes whole numbers")
		}
		parts[i] = n
		if p.takes(")") && i >= 2 {
			at := time.Date(parts[0], time.Month(parts[1]), parts[2], parts[3], parts[4], parts[5], 0, time.UTC)
			if at.Day() != parts[2] || int(at.Month()) != parts[1] {
				return nil, fmt.Errorf("the day does not exist")
			}
			return at, nil
		}
		if !p.takes(",") {
			break
		}
	}
	return nil, fmt.Errorf("DateTime takes a year, a month and a day")
}
