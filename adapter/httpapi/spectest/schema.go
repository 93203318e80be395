package spectest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"docledger/openapi"
	"docledger/openapi/check"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// resource is the name under which the document's schemas refer to each other.
const resource = "docledger.json"

// ownFormats are the formats of the specification that the library does not know.
// It ignores unknown formats, so that without this a wrong value would pass.
var ownFormats = []string{"byte", "iso-4217", "iso-3166", "iana-tz"}

// newCompiler turns the joined document into JSON Schema for a validator of its
// own. It is stricter than the specification where tests should be: an object
// holds no key that is not described, and a value of an open list is one that
// is listed.
func newCompiler() (*jsonschema.Compiler, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(openapi.Joined())))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	for name, format := range check.Formats() {
		if slices.Contains(ownFormats, name) {
			compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
				if text, ok := v.(string); ok {
					return format.Validate(text)
				}
				return nil
			}})
		}
	}
	if err := compiler.AddResource(resource, toJSONSchema(doc)); err != nil {
		return nil, err
	}
	return compiler, nil
}

// responseSchema is where the schema of a response lies in the document.
func responseSchema(path, method, status, mediaType string) string {
	pointer := []string{"paths", path, strings.ToLower(method), "responses", status, "content", mediaType, "schema"}
	for i, segment := range pointer {
		pointer[i] = strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(segment)
	}
	return resource + "#/" + strings.Join(pointer, "/")
}

// toJSONSchema rewrites what OpenAPI 3.0 says differently from JSON Schema.
func toJSONSchema(value any) any {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			value[i] = toJSONSchema(item)
		}
		return value
	case map[string]any:
		if isSchema(value) {
			rewriteSchema(value)
		}
		for key, member := range value {
			if key != "example" && key != "examples" && key != "enum" {
				value[key] = toJSONSchema(member)
			}
		}
		return value
	default:
		return value
	}
}

func isSchema(object map[string]any) bool {
	_, typed := object["type"].(string)
	return typed
}

func rewriteSchema(schema map[string]any) {
	if listed, ok := schema["x-extensible-enum"].([]any); ok {
		schema["enum"] = slices.Clone(listed)
	}
	if schema["nullable"] == true {
		schema["type"] = []any{schema["type"], "null"}
		if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, nil) {
			schema["enum"] = append(enum, nil)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	if _, said := schema["additionalProperties"]; !said && len(properties) > 0 {
		schema["additionalProperties"] = false
	}
	maps.DeleteFunc(schema, func(key string, _ any) bool {
		return strings.HasPrefix(key, "x-") || key == "nullable" || key == "example"
	})
}

// decodeExact reads JSON without losing digits.
func decodeExact(body []byte) (any, error) {
	if err := json.Unmarshal(body, new(json.RawMessage)); err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(strings.NewReader(string(body)))
}
