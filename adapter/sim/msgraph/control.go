package msgraph

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// controls adds the controls of this simulator to those of sim/kit. The default drive is the
// first one. Ids are those of the API.
//
//	GET  /_sim/settings       how the simulator behaves
//	POST /_sim/settings       {"auto_approve":true,"page_size":7,…}: change what is named
//	POST /_sim/limits         {"minute_units":1000,"token_lifetime":"1m"}: change the provider's numbers
//	POST /_sim/sites          {"count":1200}: add sites with a library each
//	POST /_sim/drives         {"site":…,"count":3}: add libraries
//	PUT  /_sim/files          ?drive=…&path=a/b.pdf[&folder=…][&size=…]: add the body as a file, or change the one
//	                          there; or ?drive=…&id=…: change that one
//	POST /_sim/folders        {"drive":…,"path":"a/b"[,"folder":…]}
//	POST /_sim/rename         {"drive":…,"id":…,"name":…}
//	POST /_sim/move           {"drive":…,"id":…,"folder":…[,"to_drive":…]}: "" for the top
//	POST /_sim/delete         {"drive":…,"id":…}: into the bin
//	POST /_sim/restore        {"drive":…,"id":…}
//	POST /_sim/hold           {"drive":…,"id":…,"locked":true,"uploading":true,"infected":true}
//	POST /_sim/cursors        {"drive":…}: lose the delta tokens
//	POST /_sim/deny           {"site":…,"denied":true}
//	POST /_sim/withdraw       {}: end all consents
//	GET  /_sim/notifications  the latest attempts
func (s *Server) controls(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_sim/settings", control(func(*http.Request, *act) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.settings, nil
	}))
	mux.HandleFunc("POST /_sim/settings", control(s.changeSettings))
	mux.HandleFunc("POST /_sim/limits", control(s.changeLimits))
	mux.HandleFunc("PUT /_sim/files", control(s.putFile))
	mux.HandleFunc("GET /_sim/notifications", control(func(*http.Request, *act) (any, error) { return s.Notifications(), nil }))
	for name, do := range map[string]func(*act) (any, error){
		"sites":    s.seedSites,
		"drives":   func(a *act) (any, error) { return done(s.AddDrives(a.Site, a.Count)) },
		"folders":  func(a *act) (any, error) { return made(s.MakeFolderIn(a.Drive, a.Folder, a.Path)) },
		"rename":   func(a *act) (any, error) { return done(s.Rename(a.Drive, a.ID, a.Name)) },
		"move":     s.moveItem,
		"delete":   func(a *act) (any, error) { return done(s.Delete(a.Drive, a.ID)) },
		"restore":  func(a *act) (any, error) { return done(s.Restore(a.Drive, a.ID)) },
		"hold":     func(a *act) (any, error) { return done(s.Hold(a.Drive, a.ID, a.Hold)) },
		"cursors":  func(a *act) (any, error) { return done(s.ExpireCursors(a.Drive)) },
		"deny":     func(a *act) (any, error) { return done(s.Deny(a.Site, a.Denied)) },
		"withdraw": func(*act) (any, error) { s.Withdraw(); return done(nil) },
	} {
		mux.HandleFunc("POST /_sim/"+name, control(func(r *http.Request, a *act) (any, error) {
			if err := input(r, a); err != nil {
				return nil, err
			}
			return do(a)
		}))
	}
	mux.Handle("/", next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/_sim/") {
			mux.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r) // addresses of the API must not be cleaned
	})
}

// act is the body of a control request.
type act struct {
	Site    string `json:"site"`
	Drive   string `json:"drive"`
	ToDrive string `json:"to_drive"`
	ID      string `json:"id"`
	Path    string `json:"path"`
	Name    string `json:"name"`
	Folder  string `json:"folder"`
	Count   int    `json:"count"`
	Denied  bool   `json:"denied"`
	Hold
}

func made(id string, err error) (any, error) { return map[string]string{"id": id}, err }
func done(err error) (any, error)            { return map[string]bool{"done": true}, err }

// control responds with the result of do, or with 400 and its error.
func control(do func(*http.Request, *act) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := do(r, &act{})
		if err != nil {
			plain(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
			return
		}
		plain(w, http.StatusOK, body)
	}
}

func input(r *http.Request, into any) error {
	d := json.NewDecoder(io.LimitReader(r.Body, 64<<10))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func (s *Server) changeSettings(r *http.Request, _ *act) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.settings
	if err := input(r, &changed); err != nil {
		return nil, err
	}
	s.settings = changed
	return changed, nil
}

func (s *Server) changeLimits(r *http.Request, _ *act) (any, error) {
	var in struct {
		MinuteUnits   *int   `json:"minute_units"`
		TokenLifetime string `json:"token_lifetime"`
	}
	if err := input(r, &in); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.TokenLifetime != "" {
		lifetime, err := time.ParseDuration(in.TokenLifetime)
		if err != nil {
			return nil, err
		}
		s.limits.TokenLifetime = lifetime
	}
	if in.MinuteUnits != nil {
		s.limits.MinuteUnits = *in.MinuteUnits
	}
	return map[string]any{"minute_units": s.limits.MinuteUnits, "token_lifetime": s.limits.TokenLifetime.String()}, nil
}

func (s *Server) putFile(r *http.Request, _ *act) (any, error) {
	q := r.URL.Query()
	size, err := int64(0), error(nil)
	if text := q.Get("size"); text != "" {
		if size, err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if id := q.Get("id"); id != "" {
		return made(id, s.Change(q.Get("drive"), id, data))
	}
	return made(s.PutInto(q.Get("drive"), q.Get("folder"), q.Get("path"), data, size, q.Get("media_type")))
}

func (s *Server) seedSites(a *act) (any, error) {
	if a.Count < 1 || a.Count > 100_000 {
		return nil, errors.New("count must be between 1 and 100000")
	}
	s.AddSites(a.Count)
	return done(nil)
}

func (s *Server) moveItem(a *act) (any, error) {
	if a.ToDrive != "" {
		return made(s.MoveOut(a.Drive, a.ID, a.ToDrive, a.Folder))
	}
	return made(a.ID, s.Move(a.Drive, a.ID, a.Folder))
}
