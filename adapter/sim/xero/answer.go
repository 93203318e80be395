package xero

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"docledger/adapter/sim/kit/oidc"
)

// answer is a response, kept so that it can be repeated.
type answer struct {
	status int
	body   any    // object, or the content of a refusal
	name   string // of the root element in XML
}

// send writes a response in the requested format: XML unless Accept requests JSON.
func (a answer) send(w http.ResponseWriter, r *http.Request) {
	o, isObject := a.body.(object)
	if !isObject || strings.Contains(r.Header.Get("Accept"), "application/json") {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(a.status)
		_, _ = w.Write(appendJSON(nil, a.body)) // a caller that disconnected needs no response
		return
	}
	var out bytes.Buffer
	writeXML(&out, a.name, o)
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	w.WriteHeader(a.status)
	_, _ = w.Write(out.Bytes()) // as above
}

// list responds with records of one kind; p is the selected part of a paged list.
func (s *Server) list(plural string, things []object, p *pagination) answer {
	if things == nil {
		things = []object{}
	}
	body := object{
		{"Id", guid(uuid.NewString())}, {"Status", "OK"}, {"ProviderName", "docledger simulator"},
		{"DateTimeUTC", moment{s.Kit.Clock.Now(), false}},
	}
	if p != nil {
		body = append(body, member{"pagination", object{
			{"page", p.page}, {"pageSize", p.size}, {"pageCount", p.pages()}, {"itemCount", p.items},
		}})
	}
	return answer{http.StatusOK, append(body, member{plural, things}), "Response"}
}

// pagination is a part of a list.
type pagination struct{ page, size, items int }

func (p pagination) pages() int { return (p.items + p.size - 1) / p.size }

const (
	defaultPageSize = 100
	largestPageSize = 1000
)

// paged parses page and pageSize, and returns that part of a list.
func paged(r *http.Request, things []object) ([]object, *pagination, *answer) {
	p := pagination{page: 1, size: defaultPageSize, items: len(things)}
	for name, into := range map[string]*int{"page": &p.page, "pageSize": &p.size} {
		if given := r.URL.Query().Get(name); given != "" {
			n, err := strconv.Atoi(given)
			if err != nil || n < 1 || name == "pageSize" && n > largestPageSize {
				refused := invalid("The " + name + " parameter is not valid.")
				return nil, nil, &refused
			}
			*into = n
		}
	}
	from := min((p.page-1)*p.size, len(things))
	return things[from:min(from+p.size, len(things))], &p, nil
}

// apiError is an error response of the accounting API.
func apiError(status, number int, kind, message string) answer {
	return answer{status, object{{"ErrorNumber", number}, {"Type", kind}, {"Message", message}}, "ApiException"}
}

func invalid(message string) answer {
	return apiError(http.StatusBadRequest, 10, "ValidationException", message)
}

func badQuery(message string) answer {
	return apiError(http.StatusBadRequest, 16, "QueryParseException", message)
}

func missing() answer {
	return apiError(http.StatusNotFound, 404, "ObjectNotFoundException", "The resource you're looking for cannot be found")
}

// gateway is an error response for an invalid token, tenant or idempotency key, which the
// provider refuses before the API.
func gateway(status int, title, detail string) answer {
	return answer{status: status, body: map[string]any{
		"Type": nil, "Title": title, "Status": status, "Detail": detail, "Instance": uuid.NewString(),
		"Extensions": map[string]any{},
	}}
}

func unauthorized(detail string) answer {
	return gateway(http.StatusUnauthorized, "Unauthorized", detail)
}

func forbidden() answer {
	return gateway(http.StatusForbidden, "Forbidden", "AuthenticationUnsuccessful")
}

func expired(at time.Time) answer {
	return unauthorized("TokenExpired: token expired at " + at.UTC().Format("01/02/2006 15:04:05"))
}

// faultBody returns the body for a status that a fault requests.
func faultBody(status int) []byte {
	return oidc.JSON(gateway(status, http.StatusText(status), "The request failed.").body)
}
