// Package check validates the JSON of a request against a schema of the
// specification. Its cost is bounded whatever the request contains: it stops
// at MaxFields errors, it reads no more items and keys than the schema allows,
// and it skips values that the schema does not describe.
package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	// MaxFields is the number of errors after which validation stops. One more
	// is returned, so that the caller learns that there are more.
	MaxFields = 20
	// MaxDepth is the number of levels that a value may nest. Ours need five.
	MaxDepth = 64
	// MaxKeys is the number of keys that one object may have. The largest of the
	// specification has fewer than 50.
	MaxKeys = 200
	// maxItems bounds an array for which the schema names no bound.
	maxItems = 1000
	// maxKey bounds a key that the caller chose, where it is repeated in an error.
	maxKey = 200
)

// Field is one error: the path of the value in the notation of the API
// (`lines[0].net_amount`), and what is wrong with it.
type Field struct{ Field, Reason string }

// Decode reads data, which must be exactly one JSON value. Beyond what
// encoding/json refuses, it refuses bytes after the value, keys that occur twice
// in an object (a parser would silently pick one), invalid UTF-8, the NUL
// character, halves of surrogate pairs, nesting deeper than MaxDepth, arrays longer than the schema allows
// and objects with more than MaxKeys keys. A value whose type the schema does
// not allow is not read: its place is taken by an empty one of the same type,
// which Value refuses. A nil schema allows everything. The value is nil where
// fields are returned. The error is that of ctx.
func Decode(ctx context.Context, schema *openapi3.Schema, data []byte) (value any, fields []Field, err error) {
	value, fields, err = read(ctx, schema, data)
	if err != nil || len(fields) > 0 {
		return nil, fields, err
	}
	return value, nil, nil
}

// read is Decode, and returns the value as well if only fields of it are
// refused. The value is nil if data is not JSON.
func read(ctx context.Context, schema *openapi3.Schema, data []byte) (value any, fields []Field, err error) {
	if !utf8.Valid(data) {
		return nil, whole("needs a body in valid UTF-8"), nil
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, new(ignored)); errors.As(err, &syntax) {
		return nil, whole(fmt.Sprintf("needs a body that is one JSON value; the error is at byte %d", syntax.Offset)), nil
	}
	if _, depth := Weigh(data); depth > MaxDepth {
		return nil, whole(fmt.Sprintf("has a body that nests deeper than %d levels", MaxDepth)), nil
	}
	r := &reader{ctx: ctx, data: data}
	value, err = r.value(schema)
	if errors.Is(err, errEnough) {
		return nil, r.fields, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return value, r.fields, nil
}

// Weigh returns how many values data contains and how deep they nest, in one
// pass that allocates nothing. The count may be too high for text that is not
// JSON.
func Weigh(data []byte) (values, depth int) {
	level, quoted := 0, false
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			values++
			level++
			depth = max(depth, level)
		case c == ']' || c == '}':
			level--
		case c == ',':
			values++
		}
	}
	return values + 1, depth
}

// ignored makes encoding/json check the syntax and keep nothing.
type ignored struct{}

func (*ignored) UnmarshalJSON([]byte) error { return nil }

func whole(reason string) []Field { return []Field{{Reason: reason}} }

// errEnough ends the reading after MaxFields errors.
var errEnough = errors.New("enough errors")

// reader reads data whose syntax is known to be right.
type reader struct {
	ctx    context.Context
	data   []byte
	at     int
	values int
	path   path
	fields []Field
}

func (r *reader) refuse(reason string) error {
	r.fields = append(r.fields, Field{r.path.String(), reason})
	if len(r.fields) > MaxFields {
		return errEnough
	}
	return nil
}

// ctxEvery is the number of values between two looks at the context.
const ctxEvery = 1024

func (r *reader) value(schema *openapi3.Schema) (any, error) {
	if r.values++; r.values%ctxEvery == 0 && r.ctx.Err() != nil {
		return nil, r.ctx.Err()
	}
	r.space()
	switch r.data[r.at] {
	case '{':
		if !allows(schema, openapi3.TypeObject) {
			r.skip()
			return map[string]any{}, nil
		}
		return r.object(schema)
	case '[':
		if !allows(schema, openapi3.TypeArray) {
			r.skip()
			return []any{}, nil
		}
		return r.array(schema)
	case '"':
		begin := r.at
		text := r.text()
		switch {
		case strings.ContainsRune(text, 0):
			return text, r.refuse("must not contain the NUL character")
		case halfPair(r.data[begin:r.at]):
			return text, r.refuse(halfPairReason)
		}
		return text, nil
	}
	begin := r.at
	r.skip()
	switch literal := string(r.data[begin:r.at]); literal {
	case "null":
		return nil, nil
	case "true", "false":
		return literal == "true", nil
	default:
		return json.Number(literal), nil
	}
}

// allows reports whether a schema describes values of a type. One without a type
// describes all of them.
func allows(schema *openapi3.Schema, kind string) bool {
	return schema == nil || schema.Type == nil || schema.Type.Is(kind) || schema.Type.Includes(kind)
}

func (r *reader) object(schema *openapi3.Schema) (any, error) {
	object := map[string]any{}
	for range r.members('}') {
		begin := r.at
		key := r.text()
		half := halfPair(r.data[begin:r.at])
		r.space()
		r.at++ // the colon
		if len(object) == MaxKeys {
			return object, r.tooMany(fmt.Sprintf("must have at most %d keys", MaxKeys))
		}
		member, described := memberOf(schema, key)
		r.path.key(key)
		if half {
			if err := r.refuse(halfPairReason); err != nil {
				return nil, err
			}
		}
		if _, twice := object[key]; twice {
			if err := r.refuse("appears twice in the same object"); err != nil {
				return nil, err
			}
		}
		if !described {
			r.skip()
			object[key] = nil
		} else {
			value, err := r.value(member)
			if err != nil {
				return nil, err
			}
			object[key] = value
		}
		r.path.pop()
	}
	return object, nil
}

// memberOf returns the schema of a key; described is false for a key that the
// schema does not allow, whose value is of no interest.
func memberOf(schema *openapi3.Schema, key string) (member *openapi3.Schema, described bool) {
	if schema == nil {
		return nil, true
	}
	if property := schema.Properties[key]; property != nil {
		return property.Value, true
	}
	if additional := schema.AdditionalProperties.Schema; additional != nil {
		return additional.Value, true
	}
	has := schema.AdditionalProperties.Has
	return nil, has != nil && *has || has == nil && len(schema.Properties) == 0
}

func (r *reader) array(schema *openapi3.Schema) (any, error) {
	most, item := maxItems, (*openapi3.Schema)(nil)
	if schema != nil {
		if schema.MaxItems != nil {
			most = int(*schema.MaxItems)
		}
		if schema.Items != nil {
			item = schema.Items.Value
		}
	}
	array := []any{}
	for range r.members(']') {
		if len(array) == most {
			return array, r.tooMany(fmt.Sprintf("must have at most %d items", most))
		}
		r.path.index(len(array))
		value, err := r.value(item)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
		r.path.pop()
	}
	return array, nil
}

// tooMany refuses a container and ends the reading, so that a long container
// costs no more than its limit.
func (r *reader) tooMany(reason string) error {
	if err := r.refuse(reason); err != nil {
		return err
	}
	return errEnough
}

// members yields once for each member of the container that begins at r.at,
// with r.at at the member, and leaves r.at after the container.
func (r *reader) members(end byte) func(yield func() bool) {
	return func(yield func() bool) {
		r.at++
		for {
			r.space()
			switch r.data[r.at] {
			case end:
				r.at++
				return
			case ',':
				r.at++
				r.space()
			}
			if !yield() {
				return
			}
		}
	}
}

func (r *reader) space() {
	for r.at < len(r.data) && strings.IndexByte(" \t\r\n", r.data[r.at]) >= 0 {
		r.at++
	}
}

// text reads the string at r.at.
func (r *reader) text() string {
	begin, plain := r.at, true
	for r.at++; r.data[r.at] != '"'; r.at++ {
		if r.data[r.at] == '\\' {
			plain = false
			r.at++
		}
	}
	r.at++
	if plain {
		return string(r.data[begin+1 : r.at-1])
	}
	var text string
	_ = json.Unmarshal(r.data[begin:r.at], &text) // its syntax is right
	return text
}

const halfPairReason = "must not contain half of a surrogate pair"

// halfPair reports whether a quoted text has an escape such as \ud800 without the other half of its
// pair. encoding/json replaces it by U+FFFD, so that the stored text differs from the sent one and
// different keys become equal.
func halfPair(quoted []byte) bool {
	for i := 0; i < len(quoted); i++ {
		if quoted[i] != '\\' {
			continue
		}
		unit, escaped := codeUnit(quoted[i:])
		i++
		if !escaped || !utf16.IsSurrogate(unit) {
			continue
		}
		low, _ := codeUnit(quoted[i+5:])
		if utf16.DecodeRune(unit, low) == utf8.RuneError {
			return true
		}
		i += 10
	}
	return false
}

// codeUnit returns the UTF-16 code unit of the escape \uXXXX at the beginning of text.
func codeUnit(text []byte) (unit rune, escaped bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}

// skip passes over the value at r.at.
func (r *reader) skip() {
	r.space()
	level := 0
	for ; r.at < len(r.data); r.at++ {
		switch c := r.data[r.at]; c {
		case '"':
			for r.at++; r.data[r.at] != '"'; r.at++ {
				if r.data[r.at] == '\\' {
					r.at++
				}
			}
			if level == 0 {
				r.at++
				return
			}
		case '[', '{':
			level++
		case ']', '}':
			if level == 0 {
				return // the end of a scalar in a container
			}
			if level--; level == 0 {
				r.at++
				return
			}
		case ',', ' ', '\t', '\r', '\n':
			if level == 0 {
				return
			}
		}
	}
}

// path is where in a value the reader is. It becomes text for errors alone.
type path struct{ segments []segment }

type segment struct {
	key  string
	item int // with an empty key
	list bool
}

func (p *path) key(key string) { p.segments = append(p.segments, segment{key: key}) }
func (p *path) index(i int)    { p.segments = append(p.segments, segment{item: i, list: true}) }

// enter adds a segment of a JSON pointer into value, and returns what is there.
func (p *path) enter(value any, segment string) any {
	switch container := value.(type) {
	case []any:
		if n, err := strconv.Atoi(segment); err == nil && n >= 0 && n < len(container) {
			p.index(n)
			return container[n]
		}
	case map[string]any:
		p.key(segment)
		return container[segment]
	}
	p.key(segment)
	return nil
}

func (p *path) pop() { p.segments = p.segments[:len(p.segments)-1] }

// String returns the path in the notation of the API.
func (p *path) String() string {
	var b strings.Builder
	for i, s := range p.segments {
		switch {
		case s.list:
			b.WriteString("[" + strconv.Itoa(s.item) + "]")
		case i > 0 && b.Len() > 0:
			b.WriteString("." + Clean(s.key))
		default:
			b.WriteString(Clean(s.key))
		}
	}
	return b.String()
}

// Clean returns a name that the caller chose as one that can be sent back: of
// bounded length and without control characters.
func Clean(name string) string {
	if len(name) > maxKey {
		name = strings.ToValidUTF8(name[:maxKey], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError {
			return '?'
		}
		return r
	}, name)
}
