package gdrive

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"
)

// controls adds the controls of this simulator to those of sim/kit:
//
//	GET  /_sim/settings   how the simulator behaves
//	POST /_sim/settings   {"auto_approve":true,"empty_pages":false,"repeats":false,"drop_notifications":false,…}: change what is named
//	POST /_sim/limits     {"user_minute":0,"max_page":7,"export_bytes":1000,"token_lifetime":"1h"}: change the provider's numbers
//	POST /_sim/drives     {"name":…,"members":[…]}: add a shared drive
//	POST /_sim/seed       {"parent":…,"count":1200}: add folders
//	POST /_sim/files      {"action":…,"id":…,…}: what people do; the actions:
//	  add      {"name":…,"parent":…,"mime_type":…,"text":… or "content":base64,"target":…,"partial":true,"shared_with_me":true}
//	  folder   {"name":…,"parent":…}
//	  change   {"id":…,"text":… or "content":…}   rename {"id":…,"name":…}   move {"id":…,"parent":…}
//	  trash, restore, delete, finish {"id":…}   lock, unlock {"id":…}   deny {"id":…,"status":403}; status 0 allows
//	POST /_sim/refuse     {"reason":"userRateLimitExceeded","times":3}: refuse the next calls
//	POST /_sim/invalidate {}: refuse every page token so far
//	POST /_sim/disconnect {}: end every consent
func (s *Server) controls(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_sim/settings", control(func(*http.Request) (any, error) { return s.current(), nil }))
	for path, do := range map[string]func(*http.Request) (any, error){
		"settings": s.changeSettings, "limits": s.changeLimits, "drives": s.makeDrive, "seed": s.seed, "files": s.changeFiles,
		"refuse": s.refuseNext,
		"invalidate": func(*http.Request) (any, error) {
			s.InvalidateTokens()
			return object{}, nil
		},
		"disconnect": func(*http.Request) (any, error) {
			s.Withdraw()
			return object{}, nil
		},
	} {
		mux.HandleFunc("POST /_sim/"+path, control(do))
	}
	mux.Handle("/", next)
	return mux
}

// control responds with the result of do, or with 400 and its error.
func control(do func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := do(r)
		if err != nil {
			plain(w, http.StatusBadRequest, object{"error": err.Error()})
			return
		}
		plain(w, http.StatusOK, body)
	}
}

func controlInput(r *http.Request, into any) error {
	const most = 64 << 20 // bytes; it may contain files
	d := json.NewDecoder(io.LimitReader(r.Body, most))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func (s *Server) current() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings
}

func (s *Server) changeSettings(r *http.Request) (any, error) {
	changed := s.current()
	if err := controlInput(r, &changed); err != nil {
		return nil, err
	}
	s.Configure(func(now *Settings) { *now = changed })
	return changed, nil
}

func (s *Server) changeLimits(r *http.Request) (any, error) {
	var in struct {
		UserMinute    *int    `json:"user_minute"`
		MaxPage       *int    `json:"max_page"`
		ExportBytes   *int64  `json:"export_bytes"`
		TokenLifetime *string `json:"token_lifetime"`
	}
	if err := controlInput(r, &in); err != nil {
		return nil, err
	}
	var lifetime time.Duration
	if in.TokenLifetime != nil {
		var err error
		if lifetime, err = time.ParseDuration(*in.TokenLifetime); err != nil {
			return nil, err
		}
	}
	if in.MaxPage != nil && *in.MaxPage < 1 {
		return nil, errors.New("max_page must be at least 1")
	}
	var out Limits
	s.SetLimits(func(now *Limits) {
		assign(&now.UserMinute, in.UserMinute)
		assign(&now.MaxPage, in.MaxPage)
		assign(&now.ExportBytes, in.ExportBytes)
		if in.TokenLifetime != nil {
			now.TokenLifetime = lifetime
		}
		out = *now
	})
	return object{
		"user_minute": out.UserMinute, "max_page": out.MaxPage, "export_bytes": out.ExportBytes, "token_lifetime": out.TokenLifetime.String(),
	}, nil
}

func assign[T any](into, from *T) {
	if from != nil {
		*into = *from
	}
}

func (s *Server) makeDrive(r *http.Request) (any, error) {
	var in struct {
		Name    string   `json:"name"`
		Members []string `json:"members"`
	}
	if err := controlInput(r, &in); err != nil {
		return nil, err
	}
	id, err := s.AddDrive(in.Name, in.Members...)
	return object{"id": id}, err
}

func (s *Server) seed(r *http.Request) (any, error) {
	var in struct {
		Parent string `json:"parent"`
		Count  int    `json:"count"`
	}
	if err := controlInput(r, &in); err != nil {
		return nil, err
	}
	if in.Count < 1 || in.Count > 100_000 {
		return nil, errors.New("count must be between 1 and 100000")
	}
	return object{"added": in.Count}, s.SeedFolders(in.Parent, in.Count)
}

func (s *Server) refuseNext(r *http.Request) (any, error) {
	var in struct {
		Reason string `json:"reason"`
		Times  int    `json:"times"`
	}
	if err := controlInput(r, &in); err != nil {
		return nil, err
	}
	return object{"reason": in.Reason, "times": in.Times}, s.Refuse(in.Reason, in.Times)
}

// doing is one change that people make to a file.
type doing struct {
	Action       string `json:"action"`
	ID           string `json:"id"`
	Name         string `json:"name"`
	Parent       string `json:"parent"`
	MimeType     string `json:"mime_type"`
	Text         string `json:"text"`
	Content      []byte `json:"content"` // base64
	Target       string `json:"target"`
	Partial      bool   `json:"partial"`
	SharedWithMe bool   `json:"shared_with_me"`
	Status       int    `json:"status"`
}

func (s *Server) changeFiles(r *http.Request) (any, error) {
	var in doing
	if err := controlInput(r, &in); err != nil {
		return nil, err
	}
	if in.Text != "" {
		in.Content = []byte(in.Text)
	}
	id, err := s.act(in)
	return object{"id": id}, err
}

func (s *Server) act(in doing) (id string, err error) {
	switch in.Action {
	case "add":
		return s.Add(File{in.Name, in.MimeType, in.Parent, in.Content, in.Target, in.Partial, in.SharedWithMe})
	case "folder":
		return s.AddFolder(in.Parent, in.Name)
	}
	do, known := map[string]func() error{
		"change":  func() error { return s.Change(in.ID, in.Content) },
		"rename":  func() error { return s.Rename(in.ID, in.Name) },
		"move":    func() error { return s.Move(in.ID, in.Parent) },
		"trash":   func() error { return s.Trash(in.ID) },
		"restore": func() error { return s.Restore(in.ID) },
		"delete":  func() error { return s.Delete(in.ID) },
		"finish":  func() error { return s.Finish(in.ID) },
		"lock":    func() error { return s.Lock(in.ID, true) },
		"unlock":  func() error { return s.Lock(in.ID, false) },
		"deny":    func() error { return s.Deny(in.ID, in.Status) },
	}[in.Action]
	if !known {
		return "", errors.New("unknown action")
	}
	return in.ID, do()
}

// state is the response of GET /_sim/state. It contains no password, secret, token or content.
func (s *Server) state() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	files, drives, consents, channels := []any{}, []any{}, []any{}, []any{}
	for _, f := range s.store.files {
		files = append(files, s.store.shown(f))
	}
	slices.SortFunc(files, func(a, b any) int {
		return int(s.store.files[a.(object)["id"].(string)].order - s.store.files[b.(object)["id"].(string)].order)
	})
	for _, d := range s.store.drives {
		drives = append(drives, d.shown())
	}
	for _, c := range s.identity.consents {
		consents = append(consents, object{"client_id": c.client, "user_id": c.user, "scopes": c.scopes})
	}
	for _, ch := range s.channels {
		channels = append(channels, object{"id": ch.id, "resource_id": ch.resource, "address": ch.address, "expires": ch.expires, "sent": ch.sent})
	}
	return object{
		"now": s.Kit.Clock.Now(), "settings": s.settings, "roots": s.store.roots, "files": files, "drives": drives,
		"consents": consents, "channels": channels,
	}
}
