package definition

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Exchange is a request and its answer.
type Exchange struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         []byte
	Status       int
	AnswerHeader http.Header
	Answer       []byte
}

// Watch validates the exchanges of a simulator. Its methods may be called
// concurrently.
type Watch struct {
	definition *Definition
	next       http.Handler

	mu       sync.Mutex
	findings map[string]bool
	seen     Seen
}

// Seen is what was validated.
type Seen struct {
	Operations map[string]bool `json:"operations"`
	Parameters map[string]bool `json:"parameters"`
	Fields     map[string]bool `json:"fields"`
	Exchanges  int             `json:"exchanges"`
}

// Add adds what another watch has validated.
func (s *Seen) Add(other Seen) {
	if s.Operations == nil {
		*s = Seen{Operations: map[string]bool{}, Parameters: map[string]bool{}, Fields: map[string]bool{}}
	}
	maps.Copy(s.Operations, other.Operations)
	maps.Copy(s.Parameters, other.Parameters)
	maps.Copy(s.Fields, other.Fields)
	s.Exchanges += other.Exchanges
}

// String returns the counts.
func (s Seen) String() string {
	return fmt.Sprintf("%d exchanges, %d operations, %d parameters, %d fields", s.Exchanges, len(s.Operations), len(s.Parameters), len(s.Fields))
}

// pages are the paths of the vendors' pages for people and of addresses that
// answers contain, which no definition describes.
var pages = map[string][]string{
	"clerk":      {"/sign-in", "/oauth-consent", "/organizations", "/oauth/register", "/oauth/token_info"},
	"gdrive":     {"/signin", "/consent"},
	"msgraph":    {"/oauth/", "/_layouts/"},
	"quickbooks": {"/app/", "/files/"},
	"stripe":     {"/c/", "/p/", "/i/"},
	"xero":       {"/identity/user/", "/authorize/"},
}

// outside reports whether a path is not of the API: the surface of control of
// the simulators, or a page.
func (w *Watch) outside(path string) bool {
	return path == "/" || slices.ContainsFunc(append([]string{"/_sim/"}, pages[w.definition.Vendor]...), func(prefix string) bool {
		return strings.HasPrefix(path, prefix)
	})
}

// New returns a watch over the exchanges of next.
func New(vendor string, next http.Handler) (*Watch, error) {
	d, err := Of(vendor)
	if err != nil {
		return nil, err
	}
	w := &Watch{definition: d, next: next, findings: map[string]bool{}}
	w.seen.Add(Seen{})
	return w, nil
}

// ServeHTTP passes the request to the simulator and validates both.
func (w *Watch) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if w.outside(r.URL.Path) {
		w.next.ServeHTTP(out, r)
		return
	}
	x := Exchange{Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.Query(), Header: r.Header.Clone()}
	var sent bytes.Buffer
	if r.Body != nil {
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, &sent), r.Body}
	}
	answer := &recorder{ResponseWriter: out, status: http.StatusOK}
	w.next.ServeHTTP(answer, r)
	x.Body, x.Status, x.AnswerHeader, x.Answer = sent.Bytes(), answer.status, answer.Header(), answer.body.Bytes()
	w.Check(x)
}

// recorder keeps a copy of a JSON answer.
type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	if isJSON(r.Header().Get("Content-Type")) {
		r.body.Write(p)
	}
	return r.ResponseWriter.Write(p)
}

// Unwrap returns the writer for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

// Check validates one exchange.
func (w *Watch) Check(x Exchange) {
	d := w.definition
	name, op := d.find(x.Method, x.Path)
	query := &found{d: d, form: true, fields: map[string]bool{}}
	body := &found{d: d, fields: map[string]bool{}}
	if op == nil {
		if x.Status != http.StatusNotFound && x.Status != http.StatusMethodNotAllowed {
			query.report("the definition has no operation %s %s", x.Method, x.Path)
		}
	} else {
		query.parameters(op, x)
		body.sent(op, x)
		body.answered(op, x)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.Exchanges++
	for _, finding := range append(query.findings, body.findings...) {
		w.findings[fmt.Sprintf("%s: %s", strings.TrimSpace(name), finding)] = true
	}
	if op == nil {
		return
	}
	w.seen.Operations[name] = true
	maps.Copy(w.seen.Fields, body.fields)
	for parameter := range query.fields {
		w.seen.Parameters[name+" "+parameter] = true
	}
}

// parameters validates the query.
func (f *found) parameters(op *operation, x Exchange) {
	f.values("query", op.Query, x.Query)
	f.scopes(op.Query, x.Query)
}

// scopes validates requested scopes.
func (f *found) scopes(t any, values url.Values) {
	if fields, isObject := t.(map[string]any); !isObject || fields["scope"] == nil || len(f.d.Scopes) == 0 {
		return
	}
	for _, scope := range strings.Fields(values.Get("scope")) {
		if !slices.Contains(f.d.Scopes, scope) {
			f.report("the definition has no scope %s", scope)
		}
	}
}

// values validates parameters or a form.
func (f *found) values(at string, t any, values url.Values) {
	if f.d.Brackets {
		f.value(at, t, any(nested(values)))
		return
	}
	flat := map[string]any{}
	for name := range values {
		flat[name] = values.Get(name)
	}
	f.value(at, t, flat)
}

// sent validates the body of a request.
func (f *found) sent(op *operation, x Exchange) {
	if len(x.Body) == 0 {
		return
	}
	kind, parameters, err := mime.ParseMediaType(x.Header.Get("Content-Type"))
	switch {
	case err != nil:
		f.report("the body has the content type %q", x.Header.Get("Content-Type"))
	case isJSON(kind):
		if op.Body == nil {
			if strings.TrimSpace(string(x.Body)) != "{}" { // an object without fields says nothing
				f.report("the operation has no body")
			}
			return
		}
		f.json("body", op.Body, x.Body, x.Status)
	case kind == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(x.Body))
		if err != nil {
			f.report("the form cannot be read: %v", err)
			return
		}
		if op.Body == nil && len(form) > 0 {
			f.report("the operation has no form")
			return
		}
		f.form = true
		f.values("form", op.Body, form)
		f.scopes(op.Body, form)
		f.form = false
	case strings.HasPrefix(kind, "multipart/"):
		reader := multipart.NewReader(bytes.NewReader(x.Body), parameters["boundary"])
		for {
			part, err := reader.NextPart()
			if err != nil {
				return
			}
			if data, err := io.ReadAll(part); err == nil && isJSON(part.Header.Get("Content-Type")) {
				f.json("body", op.Body, data, x.Status)
			}
		}
	}
}

// answered validates the body of an answer.
func (f *found) answered(op *operation, x Exchange) {
	if len(x.Answer) == 0 {
		return
	}
	if x.Status >= http.StatusMultipleChoices || x.Status == http.StatusNoContent {
		refusal := map[string]any{"error": "string", "error_description": "string", "error_uri": "string"}
		f.json("refusal", map[string]any{"|": append(slices.Clone(f.d.Errors), refusal)}, x.Answer, x.Status)
		return
	}
	if op.Answer == nil {
		f.report("the operation has no answer")
		return
	}
	answer := op.Answer
	if name, isName := answer.(string); isName && len(f.d.Envelope) > 0 && !f.d.Everywhere {
		if fields, isObject := f.d.Types[strings.TrimPrefix(name, "#")].(map[string]any); isObject {
			whole := maps.Clone(f.d.Envelope)
			maps.Copy(whole, fields)
			answer = whole
		}
	}
	f.json("answer", answer, x.Answer, x.Status)
}

// json validates a JSON text. An invalid text is a finding unless it was
// refused.
func (f *found) json(at string, t any, text []byte, status int) {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		if status < http.StatusBadRequest {
			f.report("%s is no JSON: %v", at, err)
		}
		return
	}
	f.value(at, t, v)
}

// Findings returns what is not in the definition, sorted.
func (w *Watch) Findings() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.findings))
}

// Seen returns what was validated.
func (w *Watch) Seen() Seen {
	w.mu.Lock()
	defer w.mu.Unlock()
	var s Seen
	s.Add(w.seen)
	return s
}
