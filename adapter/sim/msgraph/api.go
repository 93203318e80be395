package msgraph

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"docledger/adapter/sim/kit/oidc"
)

const apiPath = "/v1.0"

// answer is a response.
type answer struct {
	status int
	header map[string]string
	body   any // nil for none
}

func (a answer) send(w http.ResponseWriter) {
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}
	plain(w, a.status, a.body)
}

func fine(body any) answer { return answer{status: http.StatusOK, body: body} }

// refusal returns an error response of the API.
func refusal(status int, code, message string) answer {
	id := uuid.NewString()
	return answer{status: status, header: map[string]string{"request-id": id}, body: object{"error": object{
		"code": code, "message": message, "innerError": object{"request-id": id, "client-request-id": id, "date": time.Now().UTC().Format("2006-01-02T15:04:05")},
	}}}
}

func notFound(what string) answer {
	return refusal(http.StatusNotFound, "itemNotFound", what+" could not be found.")
}

func accessDenied() answer { return refusal(http.StatusForbidden, "accessDenied", "Access denied") }

func badRequest(message string) answer {
	return refusal(http.StatusBadRequest, "invalidRequest", message)
}

func unauthorized(message string) answer {
	a := refusal(http.StatusUnauthorized, "InvalidAuthenticationToken", message)
	a.header["WWW-Authenticate"] = `Bearer realm="", authorization_uri="/common/oauth2/authorize"`
	return a
}

// faultBody returns the body for a status that a fault requests.
func faultBody(status int) []byte {
	code := map[int]string{
		http.StatusUnauthorized: "InvalidAuthenticationToken", http.StatusForbidden: "accessDenied", http.StatusNotFound: "itemNotFound",
		http.StatusGone: "resyncRequired", http.StatusTooManyRequests: "TooManyRequests", http.StatusServiceUnavailable: "serviceNotAvailable",
	}[status]
	if code == "" {
		code = "generalException"
	}
	return oidc.JSON(refusal(status, code, "The request failed.").body)
}

// call is a request that passed admission.
type call struct {
	*http.Request
	query url.Values
	grant *grant
	body  []byte
}

// api serves the paths of the API and passes other requests to next. It parses the escaped path,
// because an escaped slash is part of a name, and it does not clean the path.
func (s *Server) api(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		below, found := strings.CutPrefix(r.URL.EscapedPath(), apiPath+"/")
		if !found {
			next.ServeHTTP(w, r)
			return
		}
		at, ok := readAddress(below)
		body, err := readBody(r, s)
		if err != nil {
			return
		}
		query, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil || !ok {
			badRequest("The address cannot be read.").send(w)
			return
		}
		if at.kind == "subscriptions" && r.Method == http.MethodPost {
			s.subscribe(w, &call{Request: r, query: query, body: body})
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		c := &call{Request: r, query: query, body: body}
		if refused := s.admit(w.Header(), c, at); refused != nil {
			refused.send(w)
			return
		}
		s.route(c, at).send(w)
	})
}

// admit checks the token and the rate limits. The caller holds the lock.
func (s *Server) admit(h http.Header, c *call, at address) *answer {
	value, found := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
	t := s.identity.access[value]
	var refused answer
	switch now := s.Kit.Clock.Now(); {
	case !found:
		refused = unauthorized("Access token is empty.")
	case t == nil || t.grant.revoked:
		refused = unauthorized("Access token validation failure. Invalid audience.")
	case !now.Before(t.expires):
		refused = unauthorized("Lifetime validation failed, the token is expired.")
	default:
		c.grant = t.grant
		return s.meter(h, t.grant.client, at.units(c))
	}
	return &refused
}

// route selects the operation of a request. The caller holds the lock.
func (s *Server) route(c *call, at address) answer {
	if c.Method != http.MethodGet && at.kind != "subscriptions" {
		return refusal(http.StatusMethodNotAllowed, "Request_BadRequest", "Specified HTTP method is not allowed for the request target.")
	}
	switch at.kind {
	case "me":
		return s.me(c, at)
	case "sites":
		return s.sites(c, at)
	case "drives":
		return s.drives(c, at)
	case "subscriptions":
		return s.subscriptions(c, at)
	}
	return badRequest("Resource not found for the segment '" + at.kind + "'.")
}

func (s *Server) me(c *call, at address) answer {
	u := s.identity.user(c.grant.user)
	switch {
	case !c.grant.allows("User.Read"):
		return accessDenied()
	case u == nil || at.id != "":
		return notFound("Resource")
	}
	return fine(choose(object{"id": u.ID, "displayName": u.Name, "userPrincipalName": u.Email, "mail": u.Email}, c.query.Get("$select")))
}

func (s *Server) sites(c *call, at address) answer {
	if !c.grant.allows("Sites.Read.All", "Sites.ReadWrite.All") {
		return accessDenied()
	}
	if at.id == "" {
		return s.searchSites(c)
	}
	found := s.store.site(at.id)
	switch {
	case found == nil:
		return notFound("Requested site")
	case found.isDenied:
		return accessDenied()
	case at.tail == "" && !at.hasItem:
		return fine(choose(found.render(), c.query.Get("$select")))
	case at.tail == "drive" && !at.hasItem:
		return fine(choose(found.drives[0].render(), c.query.Get("$select")))
	case at.tail == "drives" && !at.hasItem:
		return s.page(c, "drives", len(found.drives), func(n int) object { return found.drives[n].render() })
	}
	return badRequest("Resource not found for the segment.")
}

// searchSites lists the sites that the caller may see.
func (s *Server) searchSites(c *call) answer {
	text := strings.ToLower(c.query.Get("search"))
	if text == "" {
		return badRequest("A search is needed: sites are not listed without.")
	}
	var found []*site
	for _, at := range s.store.sites {
		if !at.isDenied && (text == "*" || strings.Contains(strings.ToLower(at.name+" "+at.path), text)) {
			found = append(found, at)
		}
	}
	return s.page(c, "sites", len(found), func(n int) object { return found[n].render() })
}

const defaultPage = 200

// size is the number of entries of a page.
func (s *Server) size(c *call) int {
	size := s.settings.PageSize
	if size <= 0 {
		size = defaultPage
	}
	if top, err := strconv.Atoi(c.query.Get("$top")); err == nil && top > 0 {
		size = min(size, top)
	}
	return size
}

// page responds with one page of a list and the link to the next page.
func (s *Server) page(c *call, kind string, count int, render func(n int) object) answer {
	from := 0
	if token := c.query.Get("$skiptoken"); token != "" {
		raw, err := base64.RawURLEncoding.DecodeString(token)
		if _, scanned := fmt.Sscanf(string(raw), "s!%d", &from); err != nil || scanned != nil || from < 0 {
			return badRequest("The skip token is not valid.")
		}
	}
	to, list := min(from+s.size(c), count), []object{}
	for n := from; n < to; n++ {
		list = append(list, choose(render(n), c.query.Get("$select")))
	}
	body := object{"@odata.context": s.options.Origin + apiPath + "/$metadata#" + kind, "value": list}
	if to < count {
		body["@odata.nextLink"] = s.link(c, "$skiptoken", base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "s!%d", to)))
	}
	return fine(body)
}

// link is the address of the same request with another token.
func (s *Server) link(c *call, name, token string) string {
	q := url.Values{}
	for key, values := range c.query {
		q[key] = values
	}
	q.Set(name, token)
	return s.options.Origin + c.URL.EscapedPath() + "?" + q.Encode()
}
