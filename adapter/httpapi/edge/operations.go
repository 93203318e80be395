package edge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"docledger/domain/identity"
	"docledger/openapi"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gin-gonic/gin"
)

const (
	jsonType      = "application/json"
	multipartForm = "multipart/form-data"
)

// Operation is one operation of the specification.
type Operation struct {
	ID         string
	Method     string
	Path       string // as in the specification, such as /api/entities/{entity_id}
	Permission identity.Permission
	// Public reports that the operation needs no credential: its security is
	// empty.
	Public bool
	// Signed reports that a signature over the bytes of the request is the
	// credential (x-signed). The handler receives the unread bytes, limits them
	// and verifies them.
	Signed bool
	// Browser reports that a page of another site sends a browser to this
	// operation (x-browser). The request may contain parameters of that site.
	Browser bool
	// Stream reports that the response can be long (x-stream). Writing it has the time of
	// an upload; each step of it has the time of a request (see LongResponse).
	Stream bool
	// FileKey is the key of a file in base64 in the JSON body (x-base64). A long one is received
	// into a file (see BodyFile).
	FileKey string

	parameters []parameter
	body       *body
}

// body describes the body of an operation. A nil schema means that the handler
// reads and validates the bytes (multipart).
type body struct {
	required bool
	schemas  map[string]*openapi3.Schema // by media type
}

func (b *body) mediaTypes() string {
	return strings.Join(slices.Sorted(maps.Keys(b.schemas)), " or ")
}

func (s *state) operationID() string {
	if s.operation == nil {
		return ""
	}
	return s.operation.ID
}

// Operations contains every operation of the specification, by method and gin
// route pattern.
type Operations map[string]*Operation

// NewOperations reads the operations of a joined document. It returns an error
// if an operation lacks an id or a permission.
func NewOperations(doc *openapi3.T) (Operations, error) {
	operations := Operations{}
	for path, item := range doc.Paths.Map() {
		for method, spec := range item.Operations() {
			operation, err := newOperation(doc, method, path, item, spec)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			operations[method+" "+ginPath(path)] = operation
		}
	}
	return operations, nil
}

// All returns the operations sorted by path and method.
func (o Operations) All() []*Operation {
	return slices.SortedFunc(maps.Values(o), func(a, b *Operation) int {
		return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
	})
}

func (o Operations) find(method, route string) *Operation { return o[method+" "+route] }

// RouteDifferences returns the differences between the routes under /api and
// the specification, in both directions.
func RouteDifferences(routes gin.RoutesInfo) ([]string, error) {
	doc, err := openapi.Shared()
	if err != nil {
		return nil, err
	}
	operations, err := NewOperations(doc)
	if err != nil {
		return nil, err
	}
	var differences []string
	served := map[string]bool{}
	for _, route := range routes {
		served[route.Method+" "+route.Path] = true
		if strings.HasPrefix(route.Path, "/api/") && operations.find(route.Method, route.Path) == nil {
			differences = append(differences, route.Method+" "+route.Path+" is served but missing in the specification")
		}
	}
	for _, operation := range operations.All() {
		if !served[operation.Method+" "+ginPath(operation.Path)] {
			differences = append(differences, operation.Method+" "+operation.Path+" is in the specification but not served")
		}
	}
	slices.Sort(differences)
	return differences, nil
}

func newOperation(doc *openapi3.T, method, path string, item *openapi3.PathItem, spec *openapi3.Operation) (*Operation, error) {
	permission, _ := spec.Extensions["x-permission"].(string)
	if spec.OperationID == "" || permission == "" {
		return nil, fmt.Errorf("operationId or x-permission is missing")
	}
	security := doc.Security
	if spec.Security != nil {
		security = *spec.Security
	}
	signed, _ := spec.Extensions["x-signed"].(bool)
	browser, _ := spec.Extensions["x-browser"].(bool)
	stream, _ := spec.Extensions["x-stream"].(bool)
	fileKey, _ := spec.Extensions["x-base64"].(string)
	operation := &Operation{
		ID: spec.OperationID, Method: method, Path: path,
		Permission: identity.Permission(permission), Public: len(security) == 0, Signed: signed,
		Browser: browser, Stream: stream, FileKey: fileKey,
	}
	for _, ref := range slices.Concat(item.Parameters, spec.Parameters) {
		p, err := newParameter(ref.Value)
		if err != nil {
			return nil, err
		}
		operation.parameters = append(operation.parameters, p)
	}
	if spec.RequestBody != nil {
		operation.body = newBody(spec.RequestBody.Value)
	}
	return operation, nil
}

func newBody(spec *openapi3.RequestBody) *body {
	b := &body{required: spec.Required, schemas: map[string]*openapi3.Schema{}}
	for mediaType, content := range spec.Content {
		b.schemas[mediaType] = nil
		if isJSON(mediaType) && content.Schema != nil {
			b.schemas[mediaType] = content.Schema.Value
		}
	}
	return b
}

func isJSON(mediaType string) bool {
	return mediaType == jsonType || strings.HasSuffix(mediaType, "+json")
}

// ginPath converts /a/{id} to /a/:id.
func ginPath(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}
