package toolserver_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"docledger/openapi"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sample makes a value of a schema: with every member, or with null wherever
// that may be.
func sample(s *openapi3.Schema, nulls bool, depth int) any {
	for _, all := range s.AllOf {
		s = all.Value
	}
	switch {
	case nulls && s.Nullable:
		return nil
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type.Is("object"):
		out := map[string]any{}
		for name, p := range s.Properties {
			if depth > 0 {
				out[name] = sample(p.Value, nulls, depth-1)
			}
		}
		return out
	case s.Type.Is("array"):
		if depth == 0 {
			return []any{}
		}
		one := sample(s.Items.Value, nulls, depth-1)
		return []any{one, one, one}
	case s.Type.Is("integer"), s.Type.Is("number"):
		return 7
	case s.Type.Is("boolean"):
		return true
	}
	switch s.Format {
	case "uuid":
		return "01936b1e-0000-7000-8000-000000000005"
	case "date":
		return "2026-01-15"
	case "date-time":
		return "2026-01-15T10:00:00Z"
	case "uri":
		return "https://docs.example.com/x"
	}
	return longText
}

// longText makes records that have to be shortened.
var longText = strings.Repeat("a text ", 30)

// required are arguments that a call cannot do without.
func required(tool *mcp.Tool) map[string]any {
	schema := tool.InputSchema.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	out := map[string]any{}
	names, _ := schema["required"].([]any)
	for _, name := range names {
		p, _ := properties[name.(string)].(map[string]any)
		switch kind := p["type"]; {
		case p["enum"] != nil:
			out[name.(string)] = p["enum"].([]any)[0]
		case kind == "integer":
			out[name.(string)] = 1
		case kind == "object":
			inner, _ := p["properties"].(map[string]any)
			value := map[string]any{}
			needs, _ := p["required"].([]any)
			for _, n := range needs {
				value[n.(string)] = "x"
				if e, ok := inner[n.(string)].(map[string]any)["enum"].([]any); ok {
					value[n.(string)] = e[0]
				}
			}
			out[name.(string)] = value
		case kind == "array":
			out[name.(string)] = []any{}
		default:
			out[name.(string)] = "01936b1e-0000-7000-8000-000000000005"
		}
	}
	return out
}

// answers are what the operations answer, by the names of their tools.
func answers(t *testing.T, nulls bool) map[string][]byte {
	t.Helper()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, item := range doc.Paths.Map() {
		for _, o := range item.Operations() {
			content := o.Responses.Status(http.StatusOK).Value.Content.Get("application/json")
			if _, marked := o.Extensions["x-tool"]; !marked || content == nil {
				continue // an image has no schema
			}
			data, err := json.Marshal(sample(content.Schema.Value, nulls, 6))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range toolsOf(o) {
				out[name] = data
			}
		}
	}
	return out
}

// toolsOf are the names of the tools of an operation.
func toolsOf(o *openapi3.Operation) []string {
	if marks, several := o.Extensions["x-tool"].([]any); several {
		var names []string
		for _, m := range marks {
			names = append(names, m.(map[string]any)["name"].(string))
		}
		return names
	}
	extension, _ := o.Extensions["x-tool"].(map[string]any)
	for _, key := range []string{"tool", "name"} {
		if name, ok := extension[key].(string); ok {
			return []string{name}
		}
	}
	var name strings.Builder
	for _, r := range o.OperationID {
		if r >= 'A' && r <= 'Z' {
			name.WriteByte('_')
		}
		name.WriteString(strings.ToLower(string(r)))
	}
	return []string{name.String()}
}

func compiled(t *testing.T, tool *mcp.Tool) *jsonschema.Schema {
	t.Helper()
	data, err := json.Marshal(tool.OutputSchema)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("output", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("output")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestAnswersAreAsTheToolsSay calls every tool with whatever its operation may
// answer, whole and shortened, and compares the data with the tool's own
// schema, as clients do.
func TestAnswersAreAsTheToolsSay(t *testing.T) {
	t.Parallel()
	for name, nulls := range map[string]bool{"full": false, "nulls": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bodies := answers(t, nulls)
			var current []byte
			w := start(t, func(w http.ResponseWriter, r *http.Request) {
				page := decode[map[string]any](t, string(current))
				if n, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil {
					page["items"] = page["items"].([]any)[:n]
				}
				_ = json.NewEncoder(w).Encode(page)
			})
			session := w.connect(t)
			listed, err := session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			listed.Tools = slices.DeleteFunc(listed.Tools, func(t *mcp.Tool) bool { return t.OutputSchema == nil })
			if len(listed.Tools) != len(bodies) {
				t.Fatalf("%d tools of %d operations", len(listed.Tools), len(bodies))
			}
			for _, tool := range listed.Tools {
				schema := compiled(t, tool)
				if current = bodies[tool.Name]; current == nil {
					t.Fatalf("%s is of no operation", tool.Name)
				}
				calls := []map[string]any{{}}
				if properties := tool.InputSchema.(map[string]any)["properties"].(map[string]any); properties["fields"] != nil {
					names := properties["fields"].(map[string]any)["items"].(map[string]any)["enum"].([]any)
					calls = append(calls, map[string]any{"max_tokens": 300}, map[string]any{"max_tokens": 1},
						map[string]any{"fields": names[:1]}, map[string]any{"fields": names[len(names)/2:]})
				}
				for _, more := range calls {
					arguments := required(tool)
					for k, v := range more {
						arguments[k] = v
					}
					result, text := call(t, session, tool.Name, arguments)
					if result.IsError {
						t.Errorf("%s %v: %s", tool.Name, more, text)
						continue
					}
					conforms(t, schema, tool.Name, result, text)
				}
			}
		})
	}
}

func conforms(t *testing.T, schema *jsonschema.Schema, name string, result *mcp.CallToolResult, text string) {
	t.Helper()
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s: %v in\n%s", name, err, data)
	}
	var a, b any
	if json.Unmarshal(data, &a) != nil || json.Unmarshal([]byte(text), &b) != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%s: data and text differ", name)
	}
}
