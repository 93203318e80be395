package gdrive

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// call is a request of the API that passed admission.
type call struct {
	*http.Request
	q    url.Values
	user string
	body []byte
}

// operation is one call of the API. It returns a JSON object, filtered by the fields parameter,
// or a refusal. The caller holds the lock.
type operation func(c *call) (object, *refusal)

// sender writes a response. The caller does not hold the lock, because clients may be slow.
type sender func(w http.ResponseWriter)

// meter counts calls per fixed minute of the clock.
type meter struct {
	calls int
	from  time.Time
}

// guard admits a request that has a token with one of the scopes and is within the limits.
func (s *Server) guard(scopes []string, do operation, fields *selectable) http.HandlerFunc {
	return s.enter(scopes, func(c *call) sender {
		picked, f := fields.parse(c.q)
		var out object
		if f == nil {
			out, f = do(c)
		}
		switch {
		case f != nil:
			return f.send
		case out == nil:
			return func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }
		}
		return func(w http.ResponseWriter) { plain(w, http.StatusOK, picked.apply(out)) }
	})
}

// enter is guard for handlers that write their own response.
func (s *Server) enter(scopes []string, do func(c *call) sender) http.HandlerFunc {
	const most = 1 << 20 // bytes of a request
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
		if err != nil {
			unreadable().send(w)
			return
		}
		s.decide(scopes, &call{Request: r, q: r.URL.Query(), body: body}, do)(w)
	}
}

func (s *Server) decide(scopes []string, c *call, do func(c *call) sender) sender {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.identity.access[bearer(c.Request)]
	switch {
	case a == nil || a.grant.ended || !s.Kit.Clock.Now().Before(a.expires):
		return unauthorized().send
	case !a.grant.allows(scopes):
		return forbidden("insufficientPermissions", "Request had insufficient authentication scopes.").send
	case len(s.refusals) > 0:
		reason := s.refusals[0]
		s.refusals = s.refusals[1:]
		return tooMany(http.StatusForbidden, reason).send
	case !s.admit(a.grant.consent):
		return tooMany(http.StatusForbidden, "userRateLimitExceeded").send
	}
	c.user = a.grant.consent.user
	return do(c)
}

// admit counts a call and reports whether it is within the limit. The caller holds the lock.
func (s *Server) admit(c *consent) bool {
	of := c.client + " " + c.user
	m := s.meters[of]
	if m == nil {
		m = &meter{}
		s.meters[of] = m
	}
	if from := s.Kit.Clock.Now().Truncate(time.Minute); !from.Equal(m.from) {
		m.calls, m.from = 0, from
	}
	m.calls++
	return s.limits.UserMinute <= 0 || m.calls <= s.limits.UserMinute
}

// driveRoutes adds the routes of the API.
func (s *Server) driveRoutes(mux *http.ServeMux) {
	const at = "/drive/v3/"
	read := readScopes()
	list := metadataScopes()
	mux.HandleFunc("GET "+at+"about", s.guard(list, s.about, aboutFields))
	mux.HandleFunc("GET "+at+"files", s.guard(list, s.listFiles, fileListFields))
	mux.HandleFunc("GET "+at+"files/{id}", s.getFile)
	mux.HandleFunc("GET "+at+"files/{id}/export", s.enter(read, s.export))
	mux.HandleFunc("GET "+at+"drives", s.guard(read, s.listDrives, driveListFields))
	mux.HandleFunc("GET "+at+"drives/{id}", s.guard(read, s.getDrive, driveFields))
	mux.HandleFunc("GET "+at+"changes/startPageToken", s.guard(list, s.startPageToken, startFields))
	mux.HandleFunc("GET "+at+"changes", s.guard(list, s.listChanges, changeListFields))
	mux.HandleFunc("POST "+at+"changes/watch", s.guard(list, s.watchChanges, channelFields))
	mux.HandleFunc("POST "+at+"files/{id}/watch", s.guard(list, s.watchFile, channelFields))
	mux.HandleFunc("POST "+at+"channels/stop", s.guard(list, s.stopChannel, channelFields))
	mux.HandleFunc(at, func(w http.ResponseWriter, _ *http.Request) {
		(&refusal{status: http.StatusNotFound, domain: "global", reason: "notFound", message: "Not Found"}).send(w)
	})
}

// about returns the user.
func (s *Server) about(c *call) (object, *refusal) {
	if !c.q.Has("fields") {
		return nil, invalid("fields", "The 'fields' parameter is required for this method.")
	}
	u := s.identity.user(c.user)
	return object{"kind": "drive#about", "user": object{
		"kind": "drive#user", "displayName": u.Name, "emailAddress": u.Email, "me": true, "permissionId": u.ID,
	}}, nil
}

// flag parses a Boolean parameter.
func (c *call) flag(name string) bool { return c.q.Get(name) == "true" }

// pageSize parses the number of entries of a page.
func (c *call) pageSize(normal, allowed, most int) (int, *refusal) {
	text := c.q.Get("pageSize")
	if text == "" {
		return min(normal, most), nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > allowed {
		return 0, invalid("pageSize", "Invalid value '"+text+"'. Values must be within the range: [1, "+strconv.Itoa(allowed)+"]")
	}
	return min(n, most), nil
}

// file returns a file that the user may read; root is the user's top folder.
func (s *Server) file(c *call, id string) (*file, *refusal) {
	if id == "root" {
		return s.store.root(c.user), nil
	}
	f := s.store.files[id]
	if f == nil || f.drive != "" && !c.flag("supportsAllDrives") {
		return nil, noFile(id)
	}
	if status := s.store.refusal(f, c.user); status != 0 {
		return nil, refused(status, id)
	}
	return f, nil
}
