package edge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"docledger/domain/fault"
	"docledger/openapi/check"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gin-gonic/gin"
)

// parameter is a path, query or header parameter of an operation.
type parameter struct {
	name     string
	in       string
	required bool
	schema   *openapi3.Schema
	item     *openapi3.Schema // of a list; nil for a single value
	commas   bool             // a list in one value, separated by commas (explode: false)
}

func newParameter(spec *openapi3.Parameter) (parameter, error) {
	p := parameter{name: spec.Name, in: spec.In, required: spec.Required}
	if spec.Schema == nil || spec.Schema.Value == nil {
		return p, fmt.Errorf("parameter %s has no schema", spec.Name)
	}
	p.schema = spec.Schema.Value
	if p.schema.Type.Is(openapi3.TypeArray) {
		p.item = p.schema.Items.Value
		p.commas = spec.Explode != nil && !*spec.Explode
	}
	return p, nil
}

// checkParameters returns the invalid fields of the path, query and headers of
// a request.
func (o *Operation) checkParameters(c *gin.Context) []fault.Field {
	query, err := url.ParseQuery(c.Request.URL.RawQuery)
	if err != nil {
		return []fault.Field{{Field: "", Reason: "has a malformed query string"}}
	}
	var fields []fault.Field
	if !o.Browser {
		fields = o.unknownParameters(query)
	}
	for _, p := range o.parameters {
		fields = append(fields, p.check(c, query)...)
	}
	return fields[:min(len(fields), fault.MaxFields+1)]
}

func (o *Operation) unknownParameters(query url.Values) []fault.Field {
	var fields []fault.Field
	for name := range query {
		known := slices.ContainsFunc(o.parameters, func(p parameter) bool {
			return p.in == openapi3.ParameterInQuery && p.name == name
		})
		if !known {
			fields = append(fields, fault.Field{Field: check.Clean(name), Reason: "is not a parameter of this operation"})
		}
	}
	slices.SortFunc(fields, func(a, b fault.Field) int { return strings.Compare(a.Field, b.Field) })
	return fields[:min(len(fields), fault.MaxFields+1)]
}

func (p parameter) check(c *gin.Context, query url.Values) []fault.Field {
	values := p.raw(c, query)
	if len(values) == 0 {
		if p.required {
			return p.refuse("is required")
		}
		return nil
	}
	if p.item == nil && len(values) > 1 {
		return p.refuse("must be given once")
	}
	if p.commas {
		values = strings.Split(join(c, query, p.name, values), ",")
	}
	decoded := make([]any, len(values))
	for i, value := range values {
		if reason := textReason(value); reason != "" {
			return p.refuse(reason)
		}
		if value == "" {
			return p.refuse("must not be empty")
		}
		decoded[i] = p.decode(value)
	}
	if p.item != nil {
		fields := p.conforms(c, decoded)
		if p.commas {
			name(fields, p.name, values)
		}
		return fields
	}
	return p.conforms(c, decoded[0])
}

// join returns a list with commas as one value. It rewrites the query if the
// parameter is repeated, because the generated code expects one value.
func join(c *gin.Context, query url.Values, parameter string, values []string) string {
	if len(values) > 1 {
		query.Set(parameter, strings.Join(values, ","))
		c.Request.URL.RawQuery = query.Encode()
	}
	return query.Get(parameter)
}

// name adds the value to the reasons about an item of a list with commas, where
// a position is hard to find.
func name(fields []fault.Field, parameter string, values []string) {
	for i := range fields {
		for n, value := range values {
			if fields[i].Field == fmt.Sprintf("%s[%d]", parameter, n) {
				fields[i].Reason = fmt.Sprintf("is %q, which %s", check.Clean(value), fields[i].Reason)
			}
		}
	}
}

// conforms validates a value. It ignores the deadline of the request, because
// the size of the headers bounds the value.
func (p parameter) conforms(c *gin.Context, value any) []fault.Field {
	fields, _ := check.Value(context.WithoutCancel(c.Request.Context()), p.schema, value, p.name)
	return fieldsOf(fields)
}

func (p parameter) raw(c *gin.Context, query url.Values) []string {
	switch p.in {
	case openapi3.ParameterInPath:
		return []string{c.Param(p.name)}
	case openapi3.ParameterInHeader:
		return c.Request.Header[http.CanonicalHeaderKey(p.name)]
	default:
		return query[p.name]
	}
}

// decode reads a value as the type of its schema. A text that does not have
// this type stays a string, which the schema refuses.
func (p parameter) decode(value string) any {
	schema := p.schema
	if p.item != nil {
		schema = p.item
	}
	switch {
	case schema.Type.Is(openapi3.TypeInteger):
		if n, err := strconv.ParseInt(value, 10, 32); err == nil {
			return float64(n)
		}
	case schema.Type.Is(openapi3.TypeNumber):
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			return n
		}
	case schema.Type.Is(openapi3.TypeBoolean):
		if value == "true" || value == "false" {
			return value == "true"
		}
	}
	return value
}

func (p parameter) refuse(reason string) []fault.Field {
	return []fault.Field{{Field: p.name, Reason: reason}}
}

// textReason returns why a text is refused; "" if it is accepted. Databases
// refuse the NUL character.
func textReason(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "must be valid UTF-8"
	case strings.ContainsRune(s, 0):
		return "must not contain the NUL character"
	}
	return ""
}
