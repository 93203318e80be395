package spectest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Fields lists the fields of all JSON responses of a document, as
// `Schema.property`; fields of an object without a name of its own continue with a
// dot. A field that several operations return is one field. Fields that occur
// only within one of the given fields are left out.
func Fields(doc *openapi3.T, without func(field string) bool) []string {
	w := fieldWalk{known: map[string]bool{}, visited: map[string]bool{}, without: without}
	for _, o := range OperationsOf(doc) {
		for _, response := range o.spec.Responses.Map() {
			if content := response.Value.Content["application/json"]; content != nil {
				w.list(content.Schema, o.ID)
			}
		}
	}
	fields := make([]string, 0, len(w.known))
	for field := range w.known {
		fields = append(fields, field)
	}
	slices.Sort(fields)
	return fields
}

type fieldWalk struct {
	known, visited map[string]bool
	without        func(field string) bool
}

// nameOf returns the name of a schema: of the component, or the one that its
// place gives it.
func nameOf(ref *openapi3.SchemaRef, place string) string {
	if ref.Ref != "" {
		return ref.Ref[strings.LastIndex(ref.Ref, "/")+1:]
	}
	return place
}

func (w fieldWalk) list(ref *openapi3.SchemaRef, place string) {
	if ref == nil || ref.Value == nil {
		return
	}
	name := nameOf(ref, place)
	if ref.Ref != "" {
		if w.visited[name] {
			return
		}
		w.visited[name] = true
	}
	for property, inner := range ref.Value.Properties {
		field := name + "." + property
		w.known[field] = true
		if !w.without(field) {
			w.list(inner, field)
		}
	}
	w.list(ref.Value.Items, name)
	w.list(ref.Value.AdditionalProperties.Schema, name)
	for _, part := range slices.Concat(ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf) {
		w.list(part, name)
	}
}

// observe calls Observe with each field of a response and its value.
func (c *Checker) observe(operation *Operation, resp *http.Response, body []byte) {
	if c.Observe == nil || operation == nil {
		return
	}
	response := operation.spec.Responses.Value(strconv.Itoa(resp.StatusCode))
	if response == nil || response.Value.Content["application/json"] == nil || !isJSON(resp) {
		return
	}
	var value any
	if json.Unmarshal(body, &value) == nil {
		c.observeValue(response.Value.Content["application/json"].Schema, operation.ID, value)
	}
}

func (c *Checker) observeValue(ref *openapi3.SchemaRef, place string, value any) {
	if ref == nil || ref.Value == nil || value == nil {
		return
	}
	name := nameOf(ref, place)
	for _, part := range slices.Concat(ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf) {
		c.observeValue(part, name, value)
	}
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			c.observeValue(ref.Value.Items, name, item)
		}
	case map[string]any:
		for property, inner := range ref.Value.Properties {
			// A flag that is left out is false.
			if _, stated := value[property]; !stated && inner.Value.Type.Is(openapi3.TypeBoolean) {
				c.Observe(name+"."+property, "false")
			}
		}
		for key, member := range value {
			property, ok := ref.Value.Properties[key]
			if !ok {
				c.observeValue(ref.Value.AdditionalProperties.Schema, name, member)
				continue
			}
			text, err := json.Marshal(member)
			if err == nil {
				c.Observe(name+"."+key, string(text))
			}
			c.observeValue(property, name+"."+key, member)
		}
	}
}
