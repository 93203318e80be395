// Package catalog derives tools from the specifications: every operation that
// carries x-tool is a tool, and nothing else is. What a tool takes and answers
// is what its operation takes and answers, so that the two cannot drift.
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

// Limits that hosts of assistants set to tools.
const (
	MaxTools   = 40
	MaxNameLen = 40
)

// Arguments that each tool takes besides those of its operation, where they
// mean something.
const (
	ArgFields    = "fields"     // names of the answer's fields that are wanted
	ArgMaxTokens = "max_tokens" // how long the answer may be
	argLimit     = "limit"
	argCursor    = "cursor"
	listItems    = "items"
)

// Tokens of an answer.
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
	Output      Object // JSON Schema of the answer
	ReadOnly    bool   // changes nothing
	Destructive bool   // takes away or overwrites what was there
	Idempotent  bool   // repeated, it changes no more than once
	OpenWorld   bool   // reaches systems of others

	method   string
	path     string           // with {parameters}
	inPath   []string         // arguments that belong into the path
	query    []string         // arguments that belong into the query
	repeated []string         // those of them that stand once for each value
	body     []string         // arguments that belong into the body
	hasDoc   bool             // a body is sent even when it has no argument
	takes    *openapi3.Schema // what arguments are validated against
}

// Paged says that the tool answers a list of which parts can be asked for.
func (t Tool) Paged() bool {
	return slices.Contains(t.query, argLimit) && slices.Contains(t.query, argCursor)
}

// mark is what x-tool says of an operation. Operations that change something
// must say what sort of change it is.
type mark struct {
	destructive bool
	idempotent  bool
	openWorld   bool
	note        string // added to the description
}

// Derive returns the tools of doc by name. It refuses what no host would take:
// names that are too long or twice there, arguments of two meanings.
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
			return nil, fmt.Errorf("there are two tools %s", t.Name)
		}
	}
	if len(tools) > MaxTools {
		return nil, fmt.Errorf("%d tools are more than the %d that assistants choose well from", len(tools), MaxTools)
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
		return Tool{}, fmt.Errorf("the name %s is longer than %d characters", t.Name, MaxNameLen)
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
			return mark{}, fmt.Errorf("x-tool has no %s, or not with such a value", key)
		}
	}
	if reads && (m.destructive || !m.idempotent) {
		return mark{}, errors.New("x-tool: what only reads is neither destructive nor other on repetition")
	}
	for _, key := range []string{"destructive", "idempotent"} {
		if _, ok := said[key]; !ok && !reads {
			return mark{}, fmt.Errorf("x-tool must say whether the operation is %s", key)
		}
	}
	return m, nil
}

var hump = regexp.MustCompile(`[A-Z]`)

// snake turns listInvoiceLines into list_invoice_lines.
func snake(id string) string {
	return hump.ReplaceAllStringFunc(id, func(s string) string { return "_" + strings.ToLower(s) })
}

// prose puts a text of several lines on one.
func prose(s string) string { return strings.Join(strings.Fields(s), " ") }
