package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Depth limits of the schemas. The schemas of arguments are complete to
// inputDepth, because clients refuse an object without members. Hosts send the
// schemas of all tools to a model whenever it may choose a tool.
const (
	inputDepth  = 4
	outputDepth = 1
)

const (
	jsonType = "application/json"
	pngType  = "image/png"
)

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
		s, err := argument(p.Value.Schema, inputDepth)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Value.Name, err)
		}
		s["description"] = describe(p.Value.Name, cmp.Or(p.Value.Description, ownText(p.Value.Schema)), p.Value.Schema.Value)
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
		more, err := t.takeBody(properties, body.Value)
		if err != nil {
			return err
		}
		required = append(required, more...)
	}
	slices.Sort(required)
	t.takes.Required = required
	t.Input = Object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		t.Input["required"] = required
	}
	return nil
}

// takeBody adds the members of the body. It returns the names of the required
// ones.
func (t *Tool) takeBody(properties Object, body *openapi3.RequestBody) (required []string, err error) {
	content := body.Content.Get(jsonType)
	if content == nil {
		return nil, errors.New("a tool sends JSON, but the operation does not accept JSON")
	}
	schema := content.Schema.Value
	t.hasDoc = true
	for name, property := range schema.Properties {
		if _, set := t.fixed[name]; set || slices.Contains(t.omit, name) {
			continue
		}
		t.body = append(t.body, name)
		// An argument of both query and body is sent in the body.
		t.query = slices.DeleteFunc(t.query, func(q string) bool { return q == name })
		if slices.Contains(t.inPath, name) {
			return nil, fmt.Errorf("path and body both have %s", name)
		}
		s, err := argument(property, inputDepth)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s["description"] = describe(name, ownText(property), property.Value)
		properties[name] = s
		t.takes.Properties[name] = loosen(property)
	}
	if clearable(schema) {
		t.clears = true
		properties[ArgClear] = Object{
			"type": "array", "items": Object{"type": "string"},
			"description": "Names of arguments to empty, such as due_date, payment.iban or lines.<line id>.account_id.",
		}
		t.takes.Properties[ArgClear] = openapi3.NewArraySchema().WithItems(openapi3.NewStringSchema()).WithMaxItems(maxSelected).NewRef()
	}
	if body.Required {
		required = slices.DeleteFunc(slices.Clone(schema.Required), func(name string) bool { return t.fixed[name] != "" })
	}
	return required, nil
}

// limitItems lowers the length of the list items.
func (t *Tool) limitItems(most uint64) error {
	items := t.takes.Properties[listItems]
	if items == nil || !items.Value.Type.Is(openapi3.TypeArray) {
		return errors.New("x-tool: max_items needs a list named items")
	}
	items.Value.MaxItems = &most
	return nil
}

// clearable reports whether a member of the body can be null.
func clearable(s *openapi3.Schema) bool {
	for _, p := range s.Properties {
		if p.Value.Nullable {
			return true
		}
	}
	return false
}

// maxSelected is the maximum number of fields that a call may select or empty.
const maxSelected = 200

// addOwn adds the arguments that belong to the tool and not to the operation.
// Only tools that return records take them: the result of a change is short,
// and the client can fetch the record later.
func (t *Tool) addOwn() error {
	properties := t.Input["properties"].(Object)
	for _, own := range []string{ArgFields, ArgMaxTokens} {
		if properties[own] != nil {
			return fmt.Errorf("the operation already has the argument %s", own)
		}
	}
	if !t.ReadOnly || len(t.selects) <= fewFields {
		return nil
	}
	properties[ArgFields] = Object{
		"type": "array", "items": Object{"type": "string", "enum": t.selects},
		"description": "Return only these fields.",
	}
	properties[ArgMaxTokens] = Object{
		"type": "integer", "description": fmt.Sprintf("Longest answer, %d at most; default %d.", MaxTokens, DefaultTokens),
	}
	t.takes.Properties[ArgFields] = openapi3.NewArraySchema().WithItems(openapi3.NewStringSchema()).WithMaxItems(maxSelected).NewRef()
	t.takes.Properties[ArgMaxTokens] = openapi3.NewIntegerSchema().WithMax(MaxTokens).NewRef()
	return nil
}

// fewFields is the number of fields up to which an answer is so short that a
// selection would save nothing.
const fewFields = 6

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

// argument converts the schema of an argument to the keywords that every client
// accepts (see Lint). depth is the number of levels that it may have.
func argument(ref *openapi3.SchemaRef, depth int) (Object, error) {
	s := ref.Value
	if s.Type == nil || len(s.Type.Slice()) != 1 {
		return nil, errors.New("an argument must have one type")
	}
	if depth == 0 {
		return nil, fmt.Errorf("an argument may have at most %d levels", inputDepth)
	}
	kind := s.Type.Slice()[0]
	out := Object{"type": kind}
	switch kind {
	case openapi3.TypeString:
		if s.Format == "date-time" {
			out["format"] = s.Format
		}
		if choices := withoutNull(s.Enum); len(choices) > 0 {
			out["enum"] = choices
		}
	case openapi3.TypeArray:
		items, err := argument(s.Items, depth-1)
		if err != nil {
			return nil, err
		}
		out["items"] = items
	case openapi3.TypeObject:
		if len(s.Properties) == 0 {
			return nil, errors.New("an object without members cannot be an argument")
		}
		properties := Object{}
		for name, p := range s.Properties {
			member, err := argument(p, depth-1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			properties[name] = member
		}
		out["properties"], out["additionalProperties"] = properties, false
		if len(s.Required) > 0 {
			out["required"] = slices.Sorted(slices.Values(s.Required))
		}
	}
	return out, nil
}

func withoutNull(values []any) []any {
	return slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == nil })
}

// common are the descriptions of arguments that mean the same in every tool.
var common = map[string]string{
	argLimit:         "Items in the answer, 200 at most.",
	argCursor:        "next_cursor of the previous answer.",
	"entity_id":      "The entity.",
	"invoice_id":     "The invoice.",
	"document_id":    "The document.",
	"integration_id": "The integration.",
	"integrationId":  "The integration.",
	"supplier_id":    "The supplier.",
}

// describe returns the description of an argument: the first paragraph of the
// specification, else the common one, else one made from the name.
func describe(name, text string, s *openapi3.Schema) string {
	if text == "" || name == argLimit || name == argCursor {
		if said := common[name]; said != "" {
			return said
		}
	}
	text, _, _ = strings.Cut(text, "\n\n")
	text = strings.ReplaceAll(prose(text), "`", "")
	if text != "" {
		return text
	}
	words := strings.ReplaceAll(name, "_", " ")
	switch {
	case s.Format == "date" || strings.HasSuffix(name, "_date"):
		words += ", YYYY-MM-DD"
	case strings.HasSuffix(name, "_total") || strings.HasSuffix(name, "amount") || name == "amount_due":
		words += ", a decimal string"
	case name == "currency":
		words += ", ISO 4217"
	}
	return strings.ToUpper(words[:1]) + words[1:] + "."
}

// ownText returns the description of a member. The description of a shared text
// type (an amount, a date) says nothing about the member.
func ownText(p *openapi3.SchemaRef) string {
	if p.Ref != "" && p.Value.Type.Is(openapi3.TypeString) && len(p.Value.Enum) == 0 {
		return ""
	}
	return p.Value.Description
}

// takeOutput derives the output schema. Nothing in it is required, because
// shortening can remove every member.
func (t *Tool) takeOutput(response *openapi3.ResponseRef) error {
	if response != nil && len(response.Value.Content) == 1 && response.Value.Content[pngType] != nil {
		t.Image = true
		return nil
	}
	if response == nil || response.Value.Content.Get(jsonType) == nil {
		return errors.New("a tool returns JSON, but the operation does not return JSON")
	}
	schema := response.Value.Content.Get(jsonType).Schema.Value
	t.Output = result(schema, outputDepth)
	properties, ok := t.Output["properties"].(Object)
	if !ok || t.Output["type"] != "object" {
		return errors.New("a tool must return an object")
	}
	if t.short {
		maps.DeleteFunc(properties, func(name string, _ any) bool { return !slices.Contains(shortFields, name) })
		if schema.Properties["checks"] != nil {
			properties[failedChecks] = Object{"type": "array", "items": Object{"type": "object"}}
		}
	}
	record := schema
	if items := schema.Properties[listItems]; items != nil {
		record = items.Value.Items.Value
	}
	t.selects = selectable(record)
	if record.Properties["checks"] != nil {
		t.selects = append(t.selects, failedChecks)
		slices.Sort(t.selects)
	}
	if len(t.selects) > fewFields && !t.short {
		// The names of the fields are in ArgFields or known from the record that
		// the reading tool returns. Only what a client relies on remains.
		maps.DeleteFunc(properties, func(name string, _ any) bool {
			return !slices.Contains(essential, name) && name != listItems
		})
	}
	properties["truncated"] = Object{"type": "string"}
	return nil
}

// selectable returns the sorted names that `fields` accepts: the members of a
// record, and those of its objects and lists of objects as paths.
func selectable(record *openapi3.Schema) []string {
	var names []string
	for name, p := range record.Properties {
		names = append(names, name)
		member := p.Value
		if member.Type.Is(openapi3.TypeArray) && member.Items != nil {
			member = member.Items.Value
		}
		for inner := range member.Properties {
			names = append(names, name+"."+inner)
		}
	}
	slices.Sort(names)
	return names
}

// result converts the schema of an answer to types without references. A member
// that can be null has no type, because clients refuse unions of types.
func result(s *openapi3.Schema, depth int) Object {
	out := Object{}
	if s.Type == nil || len(s.Type.Slice()) == 0 || s.Nullable {
		return out
	}
	kind := s.Type.Slice()[0]
	out["type"] = kind
	switch {
	case kind == openapi3.TypeArray && s.Items != nil:
		out["items"] = result(s.Items.Value, depth-1)
	case kind == openapi3.TypeObject && depth > 0 && len(s.Properties) > 0:
		properties := Object{}
		for name, p := range s.Properties {
			properties[name] = result(p.Value, depth-1)
		}
		out["properties"] = properties
	}
	return out
}

// Arguments returns the sorted names of all arguments of the tool.
func (t Tool) Arguments() []string {
	properties, _ := t.Input["properties"].(Object)
	return slices.Sorted(maps.Keys(properties))
}
