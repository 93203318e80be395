package quickbooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// These are the vendor's hosts of the accounting API.
const (
	ProductionHost = "quickbooks.api.intuit.com"
	SandboxHost    = "sandbox-quickbooks.api.intuit.com"
)

// operation is one call of the accounting API. The caller holds the lock.
type operation func(c *call) answer

// call is a request that passed admission.
type call struct {
	*http.Request
	grant *grant
	book  *book
	body  []byte
}

// guard admits a request with a token for its company and within the limits. A repeated request
// gets the stored response.
func (s *Server) guard(do operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		most := s.limits.RequestBytes
		if strings.HasSuffix(r.URL.Path, "/upload") {
			most = s.limits.UploadBytes
		}
		s.mu.Unlock()
		body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
		s.mu.Lock()
		defer s.mu.Unlock()
		g, denied := s.granted(r)
		switch {
		case denied != nil:
			denied.send(w, r)
		case !s.admit(g):
			throttled().send(w, r)
		case err != nil || int64(len(body)) > most:
			s.refused(business("The request is too large")).send(w, r)
		default:
			s.once(&call{Request: r, grant: g, book: s.books[g.realm], body: body}, do).send(w, r)
		}
	}
}

// granted returns the grant of a request's access token, or the refusal. The caller holds the
// lock.
func (s *Server) granted(r *http.Request) (*grant, *answer) {
	a := s.identity.access[bearer(r)]
	var refused answer
	switch {
	case a == nil:
		refused = unauthorized("Malformed bearer token: too few parts")
	case a.grant.ended:
		refused = unauthorized("Token revoked")
	case !s.Kit.Clock.Now().Before(a.expires):
		refused = unauthorized("Token expired: expired_token")
	case s.identity.client(a.grant.client).Development != s.isSandbox(r.Host):
		refused = forbidden()
	case a.grant.realm != r.PathValue("realm") || !slices.Contains(a.grant.scopes, AccountingScope):
		refused = forbidden()
	default:
		return a.grant, nil
	}
	return nil, &refused
}

// isSandbox reports which environment a host is.
func (s *Server) isSandbox(host string) bool {
	switch host {
	case ProductionHost:
		return false
	case SandboxHost:
		return true
	}
	return s.settings.Sandbox
}

// once performs a call, or returns the stored response if its requestid is known. It ignores the
// body of the repeated request. It stores only successful responses.
func (s *Server) once(c *call, do operation) answer {
	id := c.URL.Query().Get("requestid")
	if id == "" || c.Method == http.MethodGet {
		return do(c)
	}
	if utf8.RuneCountInString(id) > s.limits.RequestIDMaxSize {
		return s.refused(tooLong("requestid", s.limits.RequestIDMaxSize))
	}
	if old, seen := c.book.replays[id]; seen {
		return old
	}
	out := do(c)
	if out.status == http.StatusOK {
		c.book.replays[id] = out
	}
	return out
}

// companyRoutes adds the accounting API.
func (s *Server) companyRoutes(mux *http.ServeMux) {
	for pattern, do := range map[string]operation{
		"GET query":                s.runQuery,
		"POST query":               s.runQuery,
		"GET companyinfo/{id}":     s.companyInfo,
		"GET preferences":          s.preferences,
		"POST vendor":              s.createVendor,
		"POST bill":                s.writeDocument("Bill"),
		"POST vendorcredit":        s.writeDocument("VendorCredit"),
		"POST attachable":          s.updateAttachable,
		"POST upload":              s.upload,
		"GET account/{id}":         s.read("Account"),
		"GET vendor/{id}":          s.read("Vendor"),
		"GET taxcode/{id}":         s.read("TaxCode"),
		"GET taxrate/{id}":         s.read("TaxRate"),
		"GET companycurrency/{id}": s.read("CompanyCurrency"),
		"GET bill/{id}":            s.read("Bill"),
		"GET vendorcredit/{id}":    s.read("VendorCredit"),
		"GET attachable/{id}":      s.read("Attachable"),
	} {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /v3/company/{realm}/"+path, s.guard(do))
	}
}

// read responds with one record.
func (s *Server) read(kind string) operation {
	return func(c *call) answer {
		id := c.PathValue("id")
		r := c.book.tables[kind].byID[id]
		if r == nil {
			if strings.Trim(id, "0123456789") != "" {
				return s.refused(&fault{"2030", "Invalid ID", "Id should be a valid number. Supplied value:" + id, "Id"})
			}
			return s.refused(notFound())
		}
		return s.found(object{kind: r.shown()})
	}
}

// input parses a JSON object.
func input(body []byte) (object, *fault) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var in object
	if err := d.Decode(&in); err != nil || in == nil || d.More() {
		return nil, &fault{code: "2010", message: "Request has invalid or unsupported property", detail: "The request body is not a JSON object"}
	}
	return in, nil
}

// str returns a text of an object, or the value of a reference.
func str(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case object:
		return str(v["value"])
	case nil:
		return ""
	default:
		return fmt.Sprint(v)
	}
}
