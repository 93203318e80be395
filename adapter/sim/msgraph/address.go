package msgraph

import (
	"io"
	"net/http"
	"net/url"
	"strings"
)

// address is what the path of a request below /v1.0/ identifies: a collection, an entry of it, an
// item by id and a path below it, and the requested aspect.
type address struct {
	kind    string // sites, drives, subscriptions, me
	id      string
	hasItem bool
	item    string   // "root" for the root
	path    []string // below the item
	tail    string   // children, delta, content, drives; "" for the resource itself
}

// readAddress parses an escaped path. It returns ok = false for an invalid path.
func readAddress(escaped string) (a address, ok bool) {
	segments := strings.Split(escaped, "/")
	for i, s := range segments {
		plain, err := url.PathUnescape(s)
		if err != nil {
			return address{}, false
		}
		segments[i] = plain
	}
	a.kind = segments[0]
	if len(segments) > 1 {
		a.id = segments[1]
	}
	rest := segments[min(2, len(segments)):]
	if len(rest) > 0 && (strings.TrimSuffix(rest[0], ":") == "root" || rest[0] == "items" && len(rest) > 1) {
		a.hasItem = true
		if rest[0] == "items" {
			rest = rest[1:]
		}
		a.item, rest = rest[0], rest[1:]
		if item, byPath := strings.CutSuffix(a.item, ":"); byPath {
			a.item = item
			a.path, rest = readPath(rest)
		}
	}
	if len(rest) > 1 || len(segments) > 1 && a.id == "" {
		return address{}, false
	}
	if len(rest) == 1 {
		a.tail = rest[0]
	}
	return a, true
}

// readPath reads names up to the one that ends with a colon, and returns the rest.
func readPath(segments []string) (names, rest []string) {
	for i, s := range segments {
		name, last := strings.CutSuffix(s, ":")
		if name != "" {
			names = append(names, name)
		}
		if last {
			return names, segments[i+1:]
		}
	}
	return names, nil
}

// units is the cost of a request in resource units.
func (a address) units(c *call) int {
	const single, list = 1, 2
	switch {
	case a.tail == "content", a.tail == "delta" && c.query.Get("token") != "", a.hasItem && a.tail == "":
		return single
	}
	return list
}

// readBody reads the body of a request. Bodies are small, except those of the control surface.
func readBody(r *http.Request, s *Server) ([]byte, error) {
	s.mu.Lock()
	most := s.limits.RequestBytes
	s.mu.Unlock()
	return io.ReadAll(io.LimitReader(r.Body, most))
}
