package spectest

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Operation is one operation of the specification.
type Operation struct {
	ID         string
	Method     string
	Path       string // with its parameters in braces
	Permission string // x-permission
	Public     bool   // needs no credential
	Signed     bool   // its credential is a signature over the request (x-signed)
	Browser    bool   // another site sends a browser here, which is sent on (x-browser)

	item *openapi3.PathItem
	spec *openapi3.Operation
}

// OperationsOf lists the operations of a document by path and method.
func OperationsOf(doc *openapi3.T) []Operation {
	var operations []Operation
	for path, item := range doc.Paths.Map() {
		for method, spec := range item.Operations() {
			permission, _ := spec.Extensions["x-permission"].(string)
			signed, _ := spec.Extensions["x-signed"].(bool)
			browser, _ := spec.Extensions["x-browser"].(bool)
			operations = append(operations, Operation{
				ID: spec.OperationID, Method: method, Path: path, Permission: permission,
				Public: spec.Security != nil && len(*spec.Security) == 0, Signed: signed, Browser: browser, item: item, spec: spec,
			})
		}
	}
	slices.SortFunc(operations, func(a, b Operation) int {
		return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
	})
	return operations
}

func (o Operation) parameters() []*openapi3.Parameter {
	var parameters []*openapi3.Parameter
	for _, ref := range slices.Concat(o.item.Parameters, o.spec.Parameters) {
		parameters = append(parameters, ref.Value)
	}
	return parameters
}

// match returns the values of the path's parameters; a literal segment counts
// for more than a parameter, so that /invoices/extract is not an invoice.
func (o Operation) match(path string) (parameters map[string]string, literals int, ok bool) {
	want, got := strings.Split(o.Path, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, 0, false
	}
	parameters = map[string]string{}
	for i, segment := range want {
		switch {
		case strings.HasPrefix(segment, "{"):
			parameters[strings.Trim(segment, "{}")] = got[i]
		case segment == got[i]:
			literals++
		default:
			return nil, 0, false
		}
	}
	return parameters, literals, true
}

func find(operations []Operation, method, path string) (found *Operation, parameters map[string]string) {
	best := -1
	for i, o := range operations {
		if o.Method != method {
			continue
		}
		if p, literals, ok := o.match(path); ok && literals > best {
			found, parameters, best = &operations[i], p, literals
		}
	}
	return found, parameters
}

// Find returns the operation of a request.
func Find(operations []Operation, method, path string) (Operation, bool) {
	found, _ := find(operations, method, path)
	if found == nil {
		return Operation{}, false
	}
	return *found, true
}
