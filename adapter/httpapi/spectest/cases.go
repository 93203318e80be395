package spectest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Kind says what is due for a case.
type Kind int

// The kinds of cases.
const (
	Valid    Kind = iota // the specification takes it; the state decides
	Boundary             // valid, with one value at a bound
	Fault                // wrong in exactly one place: 400 for whoever is signed in
)

// Case is one request.
type Case struct {
	Operation Operation
	Kind      Kind
	Name      string // what is special about it
	Path      string
	RawQuery  string
	Header    http.Header
	Body      []byte
}

// Request makes the request against a server; the caller adds a credential.
func (c Case) Request(ctx context.Context, baseURL string) (*http.Request, error) {
	target := strings.TrimSuffix(baseURL, "/") + c.Path
	if c.RawQuery != "" {
		target += "?" + c.RawQuery
	}
	req, err := http.NewRequestWithContext(ctx, c.Operation.Method, target, bytes.NewReader(c.Body))
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, c.Header)
	return req, nil
}

// String names the case for test output.
func (c Case) String() string {
	kind := [...]string{"valid", "boundary", "fault"}[c.Kind]
	return fmt.Sprintf("%s/%s/%s", c.Operation.ID, kind, c.Name)
}

// randomCases is the number of random valid requests of an operation, in addition to the smallest
// and the largest.
const randomCases = 5

// Cases makes requests for an operation: valid ones, each value at its bounds,
// and each single fault that the specification names. known gives real ids for
// parameters and keys by their names (entity_id, …); others are generated. The
// same seed gives the same requests.
func Cases(o Operation, seed uint64, known map[string]string) []Case {
	b := &builder{operation: o, generator: &generator{rng: rand.New(rand.NewPCG(seed, uint64(len(o.ID)))), known: known}}
	b.valid()
	b.parameterCases()
	b.noBodyCases()
	for _, mediaType := range slices.Sorted(maps.Keys(o.content())) {
		if mediaType == "multipart/form-data" {
			b.multipartCases()
			continue
		}
		b.bodyCases(mediaType, o.content()[mediaType].Schema.Value)
	}
	return b.cases
}

// ValidCase makes one valid request for an operation: with the required parts only,
// with all parts, or, for any other seed, with a random choice of them. It differs
// from the cases of Cases in that each seed gives another request.
func ValidCase(o Operation, seed uint64, known map[string]string) Case {
	b := &builder{operation: o, generator: &generator{rng: rand.New(rand.NewPCG(seed, uint64(len(o.ID)))), known: known}}
	parts := some
	switch seed % 5 {
	case 0:
		parts = least
	case 1:
		parts = all
	}
	b.add(Valid, fmt.Sprintf("seed %d", seed), func(c *Case, query url.Values) {
		b.setBody(c, parts)
		if parts != least {
			b.setParameters(c, query, parts)
		}
	})
	return b.cases[0]
}

func (o Operation) content() openapi3.Content {
	if o.spec.RequestBody == nil {
		return nil
	}
	return o.spec.RequestBody.Value.Content
}

func (o Operation) bodyRequired() bool {
	return o.spec.RequestBody != nil && o.spec.RequestBody.Value.Required
}

type builder struct {
	*generator
	operation Operation
	cases     []Case
}

// add appends a case whose parameters are the required ones, valid, and whose
// body is valid unless change replaces it.
func (b *builder) add(kind Kind, name string, change func(*Case, url.Values)) {
	c := Case{Operation: b.operation, Kind: kind, Name: name, Path: b.operation.Path, Header: http.Header{}}
	query := url.Values{}
	for _, p := range b.operation.parameters() {
		if p.In == openapi3.ParameterInPath {
			text := fmt.Sprint(b.value(p.Schema.Value, p.Name, all))
			c.Path = strings.ReplaceAll(c.Path, "{"+p.Name+"}", url.PathEscape(text))
		}
		if p.In == openapi3.ParameterInQuery && p.Required {
			query[p.Name] = texts(b.value(p.Schema.Value, p.Name, all))
		}
	}
	b.setBody(&c, some)
	change(&c, query)
	if c.RawQuery == "" {
		c.RawQuery = query.Encode()
	}
	b.cases = append(b.cases, c)
}

// setBody gives the case a valid body of the operation's first media type.
func (b *builder) setBody(c *Case, parts extent) {
	content := b.operation.content()
	types := slices.Sorted(maps.Keys(content))
	if len(types) == 0 {
		return
	}
	b.setJSON(c, types[0], b.value(notNull(content[types[0]].Schema.Value), "", parts))
}

func notNull(schema *openapi3.Schema) *openapi3.Schema {
	plain := *schema
	plain.Nullable = false
	return &plain
}

func (b *builder) setJSON(c *Case, mediaType string, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("spectest: %v", err))
	}
	c.Header.Set("Content-Type", mediaType)
	c.Body = body
}

func (b *builder) valid() {
	b.add(Valid, "smallest", func(c *Case, _ url.Values) { b.setBody(c, least) })
	b.add(Valid, "largest", func(c *Case, query url.Values) {
		b.setBody(c, all)
		b.setParameters(c, query, all)
	})
	for i := range randomCases {
		b.add(Valid, fmt.Sprintf("random %d", i+1), func(c *Case, query url.Values) { b.setParameters(c, query, some) })
	}
}

// setParameters sets optional query and header parameters. It omits cursors and entity tags,
// because a generated text is not valid for them.
func (b *builder) setParameters(c *Case, query url.Values, parts extent) {
	for _, p := range b.operation.parameters() {
		skip := p.Name == "cursor" || p.Name == "after" || p.Name == "If-Match"
		if skip || parts == some && b.rng.IntN(2) == 0 {
			continue
		}
		value := b.value(p.Schema.Value, p.Name, all)
		switch p.In {
		case openapi3.ParameterInQuery:
			query[p.Name] = texts(value)
		case openapi3.ParameterInHeader:
			c.Header.Set(p.Name, ascii(fmt.Sprint(value)))
		}
	}
}

func texts(value any) []string {
	list, ok := value.([]any)
	if !ok {
		return []string{fmt.Sprint(value)}
	}
	result := make([]string, 0, len(list))
	for _, item := range list {
		result = append(result, fmt.Sprint(item))
	}
	return result
}

func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r > '~' {
			return 'x'
		}
		return r
	}, s)
}

func (b *builder) parameterCases() {
	if !b.operation.Browser { // the site that sends a browser adds its own
		b.add(Fault, "unknown query parameter", func(_ *Case, query url.Values) { query.Set("no_such_parameter", "1") })
	}
	b.add(Fault, "malformed query", func(c *Case, _ url.Values) { c.RawQuery = "limit=%zz" })
	for _, p := range b.operation.parameters() {
		switch p.In {
		case openapi3.ParameterInPath:
			b.pathCases(p)
		case openapi3.ParameterInQuery:
			b.queryCases(p)
		case openapi3.ParameterInHeader:
			_, high := lengths(p.Schema.Value)
			b.add(Fault, p.Name+": too long", func(c *Case, _ url.Values) { c.Header.Set(p.Name, strings.Repeat("x", high+1)) })
			b.add(Fault, p.Name+": twice", func(c *Case, _ url.Values) { c.Header[http.CanonicalHeaderKey(p.Name)] = []string{`"1"`, `"2"`} })
		}
	}
}

func (b *builder) pathCases(p *openapi3.Parameter) {
	for _, wrong := range b.wrongText(p.Schema.Value) {
		text := fmt.Sprint(wrong.value)
		b.add(Fault, p.Name+": "+wrong.what, func(c *Case, _ url.Values) {
			c.Path = strings.ReplaceAll(b.operation.Path, "{"+p.Name+"}", url.PathEscape(text))
		})
	}
}

func (b *builder) queryCases(p *openapi3.Parameter) {
	schema := p.Schema.Value
	set := func(kind Kind, what string, values ...string) {
		b.add(kind, p.Name+": "+what, func(_ *Case, query url.Values) { query[p.Name] = values })
	}
	set(Fault, "empty", "")
	set(Fault, "a NUL character", "a\x00b")
	set(Fault, "invalid UTF-8", "a\xffb")
	item := schema
	if schema.Type.Is(openapi3.TypeArray) {
		item = schema.Items.Value
	} else {
		value := fmt.Sprint(b.value(schema, p.Name, all))
		set(Fault, "twice", value, value)
	}
	for _, wrong := range b.outside(item, p.Name) {
		text, plain := wrong.value.(string)
		number, counted := wrong.value.(int64)
		switch {
		case plain && text != "":
			set(Fault, wrong.what, text)
		case counted:
			set(Fault, wrong.what, fmt.Sprint(number))
		}
	}
	if p.Name == "cursor" || p.Name == "after" {
		return
	}
	for _, bound := range b.inside(item, p.Name) {
		set(Boundary, bound.what, fmt.Sprint(bound.value))
	}
}

// noBodyCases sends a body where the operation takes none.
func (b *builder) noBodyCases() {
	if o := b.operation; o.Method == http.MethodGet || o.Browser || o.spec.RequestBody != nil {
		return
	}
	send := func(kind Kind, name string, value any) {
		b.add(kind, name, func(c *Case, _ url.Values) { b.setJSON(c, "application/json", value) })
	}
	send(Valid, "an empty object as body", map[string]any{})
	send(Fault, "a key in the body", map[string]any{"surprise": 1})
	send(Fault, "an empty list as body", []any{})
}

func (b *builder) multipartCases() {
	entity := b.text(&openapi3.Schema{Format: "uuid"}, "entity_id")
	file := []byte(b.letters(40))
	form := func(kind Kind, name string, parts ...part) {
		b.add(kind, "multipart: "+name, func(c *Case, _ url.Values) {
			c.Body = encodeParts(parts)
			c.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
		})
	}
	form(Valid, "file last", part{"entity_id", "", []byte(entity)}, part{"file", "a.txt", file})
	form(Valid, "file first", part{"file", "a.txt", file}, part{"entity_id", "", []byte(entity)})
	form(Fault, "no file", part{"entity_id", "", []byte(entity)})
	form(Fault, "no entity_id", part{"file", "a.txt", file})
	form(Fault, "entity_id is no UUID", part{"entity_id", "", []byte("123")}, part{"file", "a.txt", file})
	form(Fault, "entity_id twice", part{"entity_id", "", []byte(entity)}, part{"entity_id", "", []byte(entity)}, part{"file", "a.txt", file})
	form(Fault, "two files", part{"entity_id", "", []byte(entity)}, part{"file", "a.txt", file}, part{"file", "b.txt", file})
	form(Fault, "unknown part", part{"entity_id", "", []byte(entity)}, part{"file", "a.txt", file}, part{"surprise", "", []byte("1")})
	b.add(Fault, "multipart: cut off", func(c *Case, _ url.Values) {
		c.Body = encodeParts([]part{{"entity_id", "", []byte(entity)}, {"file", "a.txt", file}})
		c.Body = c.Body[:len(c.Body)-len(boundary)-10]
		c.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
	})
	b.add(Fault, "multipart: no boundary", func(c *Case, _ url.Values) {
		c.Body = encodeParts([]part{{"entity_id", "", []byte(entity)}, {"file", "a.txt", file}})
		c.Header.Set("Content-Type", "multipart/form-data")
	})
}

const boundary = "spectestspectest"

// part is one part of a form; with a file name it is a file.
type part struct {
	name, file string
	data       []byte
}

func encodeParts(parts []part) []byte {
	var body bytes.Buffer
	for _, p := range parts {
		fmt.Fprintf(&body, "--%s\r\nContent-Disposition: form-data; name=%q", boundary, p.name)
		if p.file != "" {
			fmt.Fprintf(&body, "; filename=%q\r\nContent-Type: application/octet-stream", p.file)
		}
		_, _ = io.WriteString(&body, "\r\n\r\n")
		body.Write(p.data)
		_, _ = io.WriteString(&body, "\r\n")
	}
	fmt.Fprintf(&body, "--%s--\r\n", boundary)
	return body.Bytes()
}
