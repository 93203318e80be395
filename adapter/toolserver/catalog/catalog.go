// Package catalog derives tools from the specifications. Every operation with
// x-tool is a tool. The arguments and the result of a tool are those of its
// operation, so that they cannot differ.
package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Limits of assistant hosts for tools.
const (
	MaxTools   = 80
	MaxNameLen = 40
)

// Arguments of each tool in addition to those of its operation, if they apply.
const (
	ArgFields    = "fields"     // names of the requested response fields
	ArgMaxTokens = "max_tokens" // maximum length of the response
	argLimit     = "limit"
	argCursor    = "cursor"
	listItems    = "items"
)

// Token limits of a response.
const (
	DefaultTokens = 8_000
	MaxTokens     = 25_000
)

// Object is a JSON object.
type Object = map[string]any

// Tool is one operation as a tool.
type Tool struct {
	Name        string
	Title       string
	Description string
	Input       Object // JSON Schema of the arguments
	Output      Object // JSON Schema of the response
	ReadOnly    bool   // changes no data
	Destructive bool   // deletes or overwrites data
	Idempotent  bool   // a repeated call makes no further change
	OpenWorld   bool   // calls systems of third parties

	method   string
	path     string           // with {parameters}
	inPath   []string         // arguments of the path
	query    []string         // arguments of the query
	repeated []string         // query arguments that are repeated for each value
	body     []string         // arguments of the body
	hasDoc   bool             // a body is sent even without arguments
	takes    *openapi3.Schema // the schema that validates the arguments
}

// Paged reports whether the tool returns a list with pages.
func (t Tool) Paged() bool {
	return slices.Contains(t.query, argLimit) && slices.Contains(t.query, argCursor)
}

// mark is the x-tool of an operation. Operations that change data must state
// the type of change.
type mark struct {
	destructive bool
	idempotent  bool
	openWorld   bool
	note        string // appended to the description
}

// Derive returns the tools of doc by name. It refuses tools that hosts do not
// accept: long or duplicate names, and ambiguous arguments.
func Derive(doc *openapi3.T) ([]Tool, error) {
	var tools []Tool
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			extension, marked := operation.Extensions["x-tool"]
			if !marked {
				continue
			}
			t, err := derive(method, path, item, operation, extension)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", operation.OperationID, err)
			}
			tools = append(tools, t)
		}
	}
	slices.SortFunc(tools, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	for i, t := range tools {
		if i > 0 && tools[i-1].Name == t.Name {
			return nil, fmt.Errorf("two tools have the name %s", t.Name)
		}
	}
	if len(tools) > MaxTools {
		return nil, fmt.Errorf("%d tools exceed the limit of %d, above which assistants choose badly", len(tools), MaxTools)
	}
	return tools, nil
}

func derive(method, path string, item *openapi3.PathItem, o *openapi3.Operation, extension any) (Tool, error) {
	m, err := readMark(extension, method == http.MethodGet)
	if err != nil {
		return Tool{}, err
	}
	t := Tool{
		Name: snake(o.OperationID), Title: o.Summary, Description: prose(o.Description + " " + m.note),
		ReadOnly: method == http.MethodGet, Destructive: m.destructive, Idempotent: m.idempotent, OpenWorld: m.openWorld,
		method: method, path: path,
	}
	if len(t.Name) > MaxNameLen {
		return Tool{}, fmt.Errorf("the name %s exceeds %d characters", t.Name, MaxNameLen)
	}
	if err := t.takeInput(slices.Concat(item.Parameters, o.Parameters), o.RequestBody); err != nil {
		return Tool{}, err
	}
	return t, t.takeOutput(o.Responses.Status(http.StatusOK))
}

func readMark(extension any, reads bool) (mark, error) {
	said, ok := extension.(Object)
	if !ok {
		return mark{}, errors.New("x-tool is not an object")
	}
	m := mark{idempotent: reads}
	for key, value := range said {
		flag, isFlag := value.(bool)
		note, isText := value.(string)
		switch {
		case key == "destructive" && isFlag:
			m.destructive = flag
		case key == "idempotent" && isFlag:
			m.idempotent = flag
		case key == "open_world" && isFlag:
			m.openWorld = flag
		case key == "note" && isText:
			m.note = note
		default:
			return mark{}, fmt.Errorf("x-tool lacks %s or has an invalid value for it", key)
		}
	}
	if reads && (m.destructive || !m.idempotent) {
		return mark{}, errors.New("x-tool: a read operation must not set destructive or idempotent")
	}
	for _, key := range []string{"destructive", "idempotent"} {
		if _, ok := said[key]; !ok && !reads {
			return mark{}, fmt.Errorf("x-tool must state whether the operation is %s", key)
		}
	}
	return m, nil
}

var hump = regexp.MustCompile(`[A-Z]`)

// snake converts listInvoiceLines to list_invoice_lines.
func snake(id string) string {
	return hump.ReplaceAllStringFunc(id, func(s string) string { return "_" + strings.ToLower(s) })
}

// prose joins the lines of a text.
func prose(s string) string { return strings.Join(strings.Fields(s), " ") }
