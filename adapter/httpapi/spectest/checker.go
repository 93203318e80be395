package spectest

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"docledger/openapi"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// allowed are the statuses of interface 7, and the two for what
// they cannot say (decisions 1).
var allowed = []int{200, 400, 401, 403, 404, 429, 500, 503}

// Checker checks answers and remembers the statuses seen. It may be used by
// several goroutines.
type Checker struct {
	// Observe, unless it is nil, is called with each field of each response and the
	// JSON of its value. It may be called by several goroutines.
	Observe func(field, value string)

	*specification

	mu   sync.Mutex
	seen map[string]map[int]int
}

// specification is the joined document, which all checkers of a process share. Parsing it and
// compiling its schemas takes longer than the start of a service.
type specification struct {
	doc        *openapi3.T
	operations []Operation

	compiling sync.Mutex
	compiler  *jsonschema.Compiler
	schemas   map[string]*jsonschema.Schema
}

var shared = sync.OnceValues(func() (*specification, error) {
	doc, err := openapi.Shared()
	if err != nil {
		return nil, err
	}
	compiler, err := newCompiler()
	if err != nil {
		return nil, err
	}
	return &specification{doc: doc, operations: OperationsOf(doc), compiler: compiler, schemas: map[string]*jsonschema.Schema{}}, nil
})

// New returns a checker over the joined document.
func New(t testing.TB) *Checker {
	t.Helper()
	c, err := Make()
	if err != nil {
		t.Fatalf("spectest: %v", err)
	}
	return c
}

// Make is New for programs that are no tests.
func Make() (*Checker, error) {
	s, err := shared()
	if err != nil {
		return nil, err
	}
	return &Checker{specification: s, seen: map[string]map[int]int{}}, nil
}

// Operations lists what the document describes.
func (c *Checker) Operations() []Operation { return slices.Clone(c.operations) }

// Seen returns how often each operation answered each status; requests that
// meet no operation stand under "".
func (c *Checker) Seen() map[string]map[int]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := make(map[string]map[int]int, len(c.seen))
	for id, statuses := range c.seen {
		seen[id] = map[int]int{}
		for status, n := range statuses {
			seen[id][status] = n
		}
	}
	return seen
}

// Check fails the test where a response is not what the specification says:
// status, headers, envelope and body, by both validators. The body is what was
// read from resp, whose own is not touched.
func (c *Checker) Check(t testing.TB, req *http.Request, resp *http.Response, body []byte) {
	t.Helper()
	for _, problem := range c.Problems(req, resp, body) {
		t.Errorf("%s %s -> %d: %s", req.Method, req.URL.Path, resp.StatusCode, problem)
	}
}

// Problems says what Check would fail for.
func (c *Checker) Problems(req *http.Request, resp *http.Response, body []byte) []string {
	operation, parameters := find(c.operations, req.Method, req.URL.Path)
	c.record(operation, resp.StatusCode)
	problems := convention(operation, resp, body)
	if operation == nil {
		if resp.StatusCode != http.StatusNotFound {
			problems = append(problems, "the document has no such operation, so 404 is due")
		}
		return append(problems, c.envelope(body)...)
	}
	if err := c.first(operation, parameters, req, resp, body); err != nil {
		problems = append(problems, "first validator: "+err.Error())
	}
	c.observe(operation, resp, body)
	if err := c.second(operation, resp, body); err != nil {
		problems = append(problems, "second validator: "+err.Error())
	}
	return problems
}

func (c *Checker) record(operation *Operation, status int) {
	id := ""
	if operation != nil {
		id = operation.ID
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[id] == nil {
		c.seen[id] = map[int]int{}
	}
	c.seen[id][status]++
}

// convention holds what is the same for every operation. Where a browser is
// sent on, that is the success.
func convention(operation *Operation, resp *http.Response, body []byte) []string {
	var problems []string
	status := resp.StatusCode
	if operation != nil && operation.Browser && status == http.StatusFound {
		status = http.StatusOK
	}
	if operation != nil && operation.sendsFiles() && (status == http.StatusPartialContent || status == http.StatusNotModified) {
		status = http.StatusOK // HTTP has these two for files
	}
	if !slices.Contains(allowed, status) {
		problems = append(problems, "the status is not one of the contract's")
	}
	id := resp.Header.Get("X-Request-Id")
	if uuid.Validate(id) != nil {
		problems = append(problems, "X-Request-Id is missing or no UUID")
	}
	if status != http.StatusOK && !strings.Contains(string(body), strconv.Quote(id)) {
		problems = append(problems, "details.request_id is not the X-Request-Id")
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err != nil || seconds < 1 {
			problems = append(problems, "Retry-After is missing or no number of seconds")
		}
	}
	if status == http.StatusUnauthorized && resp.Header.Get("WWW-Authenticate") == "" {
		problems = append(problems, "WWW-Authenticate is missing")
	}
	return problems
}

// first validates with the library that also validates requests.
func (c *Checker) first(o *Operation, parameters map[string]string, req *http.Request, resp *http.Response, body []byte) error {
	response := o.spec.Responses.Status(resp.StatusCode)
	raw := response != nil && response.Value.Content["application/json"] == nil
	options := &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, ExcludeResponseBody: raw}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: req, PathParams: parameters, Options: options,
			Route: &routers.Route{Spec: c.doc, Path: o.Path, PathItem: o.item, Method: o.Method, Operation: o.spec},
		},
		Status: resp.StatusCode, Header: resp.Header, Options: options,
	}
	return openapi3filter.ValidateResponse(req.Context(), input.SetBodyBytes(body))
}

// sendsFiles reports whether the operation returns a file, of which a caller may
// request a range.
func (o *Operation) sendsFiles() bool {
	return o.spec.Responses.Status(http.StatusPartialContent) != nil
}

func isJSON(resp *http.Response) bool {
	return strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json")
}

// second validates with a JSON Schema library.
func (c *Checker) second(o *Operation, resp *http.Response, body []byte) error {
	response := o.spec.Responses.Status(resp.StatusCode)
	if response == nil {
		return fmt.Errorf("the operation has no status %d", resp.StatusCode)
	}
	if response.Value.Content["application/json"] == nil {
		return nil
	}
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // what is malformed is not JSON either
	if mediaType != "application/json" && response.Value.Content[mediaType] != nil {
		return nil // another form of the response, which the first validator knows
	}
	if !isJSON(resp) {
		return fmt.Errorf("the response is %q, not JSON", resp.Header.Get("Content-Type"))
	}
	location := responseSchema(o.Path, o.Method, strconv.Itoa(resp.StatusCode), "application/json")
	if response.Ref != "" {
		name := response.Ref[strings.LastIndex(response.Ref, "/")+1:]
		location = resource + "#/components/responses/" + name + "/content/application~1json/schema"
	}
	return c.validate(location, body)
}

func (c *Checker) envelope(body []byte) []string {
	if err := c.validate(resource+"#/components/schemas/ErrorEnvelope", body); err != nil {
		return []string{"the error envelope: " + err.Error()}
	}
	return nil
}

func (s *specification) validate(location string, body []byte) error {
	value, err := decodeExact(body)
	if err != nil {
		return fmt.Errorf("the response is not JSON: %w", err)
	}
	schema, err := s.schema(location)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// schema compiles on first use; the compiler is not made for several
// goroutines.
func (s *specification) schema(location string) (*jsonschema.Schema, error) {
	s.compiling.Lock()
	defer s.compiling.Unlock()
	if schema := s.schemas[location]; schema != nil {
		return schema, nil
	}
	schema, err := s.compiler.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", location, err)
	}
	s.schemas[location] = schema
	return schema, nil
}
