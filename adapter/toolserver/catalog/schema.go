package catalog

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// Depth limits of the schemas; deeper values are any object. Hosts send the
// schemas of all tools to a model whenever it may choose a tool.
const (
	inputDepth  = 2
	outputDepth = 1
)

// standardFormats are the formats of JSON Schema.
var standardFormats = []string{"uuid", "date", "date-time", "uri", "email"}

const jsonType = "application/json"

// takeInput merges path, query and body into one flat object, because the
// difference is irrelevant for a model. It omits headers, which serve programs
// that retry requests.
func (t *Tool) takeInput(parameters openapi3.Parameters, body *openapi3.RequestBodyRef) error {
	properties, required := Object{}, []string{}
	closed := false
	t.takes = &openapi3.Schema{
		Type: &openapi3.Types{openapi3.TypeObject}, Properties: openapi3.Schemas{},
		AdditionalProperties: openapi3.AdditionalProperties{Has: &closed},
	}
	for _, p := range parameters {
		switch p.Value.In {
		case openapi3.ParameterInPath:
			t.inPath = append(t.inPath, p.Value.Name)
		case openapi3.ParameterInQuery:
			t.query = append(t.query, p.Value.Name)
			if explode := p.Value.Explode; p.Value.Schema.Value.Type.Is("array") && (explode == nil || *explode) {
				t.repeated = append(t.repeated, p.Value.Name)
			}
		default:
			if p.Value.Required {
				return fmt.Errorf("a tool cannot send the required %s parameter %s", p.Value.In, p.Value.Name)
			}
			continue
		}
		s := member(p.Value.Schema, inputDepth, true)
		if text := prose(p.Value.Description); text != "" && p.Value.Name != argLimit && p.Value.Name != argCursor {
			// These two have the same meaning in all tools and are described once.
			s["description"] = text
		}
		if p.Value.Name == argLimit {
			delete(s, "minimum")
			delete(s, "default")
		}
		properties[p.Value.Name] = s
		t.takes.Properties[p.Value.Name] = loosen(p.Value.Schema)
		if p.Value.Name == argLimit {
			t.takes.Properties[argLimit].Value.Min = nil
		}
		if p.Value.Required {
			required = append(required, p.Value.Name)
		}
	}
	if body != nil {
		content := body.Value.Content.Get(jsonType)
		if content == nil {
			return errors.New("a tool sends JSON, but the operation does not accept JSON")
		}
		schema := content.Schema.Value
		t.hasDoc = true
		for name, property := range schema.Properties {
			t.body = append(t.body, name)
			// An argument of both query and body is sent in the body.
			t.query = slices.DeleteFunc(t.query, func(q string) bool { return q == name })
			if slices.Contains(t.inPath, name) {
				return fmt.Errorf("path and body both have %s", name)
			}
			properties[name] = member(property, inputDepth, true)
			t.takes.Properties[name] = loosen(property)
		}
		if body.Value.Required {
			required = append(required, schema.Required...)
		}
	}
	for _, own := range []string{ArgFields, ArgMaxTokens} {
		if properties[own] != nil {
			return fmt.Errorf("the operation already has the argument %s", own)
		}
	}
	if t.ReadOnly {
		// The result of a change is short; the client can fetch the record later.
		properties[ArgFields] = Object{"type": "array", "items": Object{"type": "string"}}
		properties[ArgMaxTokens] = Object{"type": "integer", "maximum": MaxTokens}
		fields := openapi3.NewArraySchema().WithItems(openapi3.NewStringSchema()).WithMaxItems(maxSelected)
		t.takes.Properties[ArgFields] = fields.NewRef()
		t.takes.Properties[ArgMaxTokens] = openapi3.NewIntegerSchema().WithMax(MaxTokens).NewRef()
	}
	slices.Sort(required)
	t.takes.Required = required
	t.Input = Object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		t.Input["required"] = required
	}
	return nil
}

// maxSelected is the maximum number of fields that a call may select.
const maxSelected = 200

// loosen returns the parts of a schema that arguments are validated against:
// types, names, choices, ranges and list sizes. The operation validates
// patterns, formats and lengths and returns clear errors.
func loosen(ref *openapi3.SchemaRef) *openapi3.SchemaRef {
	if ref == nil || ref.Value == nil {
		return ref
	}
	s := *ref.Value
	s.Pattern, s.Format, s.MinLength, s.MaxLength, s.MinItems = "", "", 0, nil, 0
	s.Items = loosen(s.Items)
	s.Properties = openapi3.Schemas{}
	for name, property := range ref.Value.Properties {
		s.Properties[name] = loosen(property)
	}
	s.AdditionalProperties.Schema = loosen(s.AdditionalProperties.Schema)
	return s.NewRef()
}

// takeOutput derives the output schema. Nothing in it is required, because
// shortening can remove every member.
func (t *Tool) takeOutput(response *openapi3.ResponseRef) error {
	if response == nil || response.Value.Content.Get(jsonType) == nil {
		return errors.New("a tool returns JSON, but the operation does not return JSON")
	}
	t.Output = convert(response.Value.Content.Get(jsonType).Schema.Value, outputDepth+listDepth(response), false)
	properties, ok := t.Output["properties"].(Object)
	if !ok || t.Output["type"] != "object" {
		return errors.New("a tool must return an object")
	}
	if !t.ReadOnly {
		abridge(properties)
	}
	properties["truncated"] = Object{"type": "string"}
	return nil
}

// abridge reduces a large record to the members that describe the result of a
// change. A reading tool returns the whole record.
func abridge(properties Object) {
	const large = 8
	if len(properties) > large {
		maps.DeleteFunc(properties, func(name string, _ any) bool {
			return !slices.Contains([]string{"id", "status", "version"}, name)
		})
	}
}

// listDepth is the extra depth for lists, because the items are the result.
func listDepth(response *openapi3.ResponseRef) int {
	if response.Value.Content.Get(jsonType).Schema.Value.Properties[listItems] != nil {
		return 1
	}
	return 0
}

// convert converts an OpenAPI 3.0 schema to JSON Schema 2020-12 without
// references. If text is false, it keeps only types.
func convert(s *openapi3.Schema, depth int, input bool) Object {
	out := Object{}
	kind := ""
	if s.Type != nil && len(s.Type.Slice()) > 0 {
		kind = s.Type.Slice()[0]
		out["type"] = kind
		if s.Nullable {
			out["type"] = []string{kind, "null"}
		}
	}
	switch kind {
	case "array":
		if s.Items != nil && (input || depth > 0) {
			out["items"] = convert(s.Items.Value, depth, input)
		}
	case "object":
		members(out, s, depth, input)
	}
	if input {
		refine(out, s)
	}
	if input && depth < inputDepth || !input && depth < outputDepth {
		nested(out, s)
	}
	return out
}

func members(out Object, s *openapi3.Schema, depth int, input bool) {
	if depth <= 0 || len(s.Properties) == 0 {
		return
	}
	properties := Object{}
	for name, p := range s.Properties {
		properties[name] = member(p, depth-1, input)
	}
	out["properties"] = properties
	if !input {
		return
	}
	if len(s.Required) > 0 {
		out["required"] = slices.Sorted(slices.Values(s.Required))
	}
	if closed := s.AdditionalProperties.Has; closed != nil && !*closed {
		out["additionalProperties"] = false
	}
}

// member is convert for a named member. A shared text type (an amount, a date)
// is described once for all tools.
func member(p *openapi3.SchemaRef, depth int, input bool) Object {
	out := convert(p.Value, depth, input)
	if p.Ref != "" && p.Value.Type.Is("string") && len(p.Value.Enum) == 0 {
		delete(out, "description")
		if p.Value.Format == "uuid" {
			delete(out, "format") // their names end in id
		}
	}
	return out
}

// refine adds what helps a model to call a tool correctly. The operation
// validates sizes and patterns and returns clear errors.
func refine(out Object, s *openapi3.Schema) {
	if text := prose(s.Description); text != "" {
		out["description"] = text
	}
	if len(s.Enum) > 0 {
		out["enum"] = s.Enum
		if s.Nullable && !slices.Contains(s.Enum, any(nil)) {
			out["enum"] = append(slices.Clone(s.Enum), nil)
		}
	}
	if slices.Contains(standardFormats, s.Format) {
		out["format"] = s.Format
	}
	for key, value := range map[string]*float64{"minimum": s.Min, "maximum": s.Max} {
		if value != nil {
			out[key] = *value
		}
	}
	if s.Default != nil {
		out["default"] = s.Default
	}
}

// nested keeps the parts of a nested member that a call requires.
func nested(out Object, s *openapi3.Schema) {
	delete(out, "description")
	delete(out, "additionalProperties")
	if s.Nullable && len(s.Properties) == 0 && len(s.Enum) == 0 && s.Type.Is("string") {
		// A text or null, as nearly all of them are.
		delete(out, "type")
	}
}

// Arguments returns the sorted names of all arguments of the tool.
func (t Tool) Arguments() []string {
	properties, _ := t.Input["properties"].(Object)
	return slices.Sorted(maps.Keys(properties))
}
