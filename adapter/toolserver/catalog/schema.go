package catalog

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// How deep the schemas go: what lies deeper is any object. Every tool's schemas
// are sent to a model whenever it may choose a tool.
const (
	inputDepth  = 2
	outputDepth = 1
)

// standardFormats are those that JSON Schema knows.
var standardFormats = []string{"uuid", "date", "date-time", "uri", "email"}

const jsonType = "application/json"

// takeInput makes one flat object of path, query and body: a model has no use
// for the difference. Headers stay out: those of the operations are for
// programs that repeat requests.
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
				return fmt.Errorf("a tool cannot send the required %s %s", p.Value.In, p.Value.Name)
			}
			continue
		}
		s := member(p.Value.Schema, inputDepth, true)
		if text := prose(p.Value.Description); text != "" && p.Value.Name != argLimit && p.Value.Name != argCursor {
			// Those two mean the same everywhere and are explained once.
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
			return errors.New("a tool sends JSON, and the operation takes none")
		}
		schema := content.Schema.Value
		t.hasDoc = true
		for name, property := range schema.Properties {
			t.body = append(t.body, name)
			// What query and body both take goes into the body.
			t.query = slices.DeleteFunc(t.query, func(q string) bool { return q == name })
			if slices.Contains(t.inPath, name) {
				return fmt.Errorf("path and body both take %s", name)
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
			return fmt.Errorf("the operation itself takes %s", own)
		}
	}
	if t.ReadOnly {
		// What changes something is answered in brief and can be read afterwards.
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

// maxSelected is the number of fields that a call may select.
const maxSelected = 200

// loosen returns what of a schema arguments are validated against: types,
// names, choices, ranges and the sizes of lists. Patterns, formats and lengths
// are left to the operation, which refuses in words.
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

// takeOutput states the answer without what shortening takes away: nothing in
// it is required.
func (t *Tool) takeOutput(response *openapi3.ResponseRef) error {
	if response == nil || response.Value.Content.Get(jsonType) == nil {
		return errors.New("a tool answers JSON, and the operation answers none")
	}
	t.Output = convert(response.Value.Content.Get(jsonType).Schema.Value, outputDepth+listDepth(response), false)
	properties, ok := t.Output["properties"].(Object)
	if !ok || t.Output["type"] != "object" {
		return errors.New("a tool answers an object")
	}
	if !t.ReadOnly {
		abridge(properties)
	}
	properties["truncated"] = Object{"type": "string"}
	return nil
}

// abridge leaves of a large record, which a reading tool states in full, what
// says how the change ended.
func abridge(properties Object) {
	const large = 8
	if len(properties) > large {
		maps.DeleteFunc(properties, func(name string, _ any) bool {
			return !slices.Contains([]string{"id", "status", "version"}, name)
		})
	}
}

// listDepth is one for lists, whose items are what is answered.
func listDepth(response *openapi3.ResponseRef) int {
	if response.Value.Content.Get(jsonType).Schema.Value.Properties[listItems] != nil {
		return 1
	}
	return 0
}

// convert turns a schema of OpenAPI 3.0 into JSON Schema 2020-12 without
// references. Where text is false it keeps types alone.
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

// member is convert for what has a name. A text of a shared sort (an amount, a
// day) is described once for all tools.
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

// refine adds what helps to call a tool rightly at the first try. Sizes and
// patterns are left to the operation, which refuses in words.
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

// nested keeps of a member's member what a call cannot do without.
func nested(out Object, s *openapi3.Schema) {
	delete(out, "description")
	delete(out, "additionalProperties")
	if s.Nullable && len(s.Properties) == 0 && len(s.Enum) == 0 && s.Type.Is("string") {
		// A text or null, which is what nearly all of them are.
		delete(out, "type")
	}
}

// Arguments returns the names of everything the tool takes, in order.
func (t Tool) Arguments() []string {
	properties, _ := t.Input["properties"].(Object)
	return slices.Sorted(maps.Keys(properties))
}
