package quickbooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// controls adds the controls of this simulator to those of sim/kit:
//
//	GET  /_sim/settings   how the simulator behaves
//	POST /_sim/settings   {"auto_approve":true,"auto_company":…}: change what is named
//	POST /_sim/limits     {"minute":1000,"second":0,"token_lifetime":"1h","refresh_rotation":"24h"}: change the provider's numbers
//	POST /_sim/seed       {"realm_id":…,"list":"Vendor","count":1200}: add things, every tenth inactive
//	POST /_sim/documents  {"realm_id":…,"type":"Bill","id":…,"delete":true} or {…,"number":"R-2"}: as a person would
//	POST /_sim/close      {"realm_id":…,"until":"2026-09-30"}: close the books; "" opens them
//	POST /_sim/disconnect {"realm_id":…}: as a person would; without it all companies
//	POST /_sim/forget     {}: forget every requestid
func (s *Server) controls(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_sim/settings", control(func(*http.Request) (any, error) { return s.current(), nil }))
	for path, do := range map[string]func(*http.Request) (any, error){
		"settings": s.changeSettings, "limits": s.changeLimits, "seed": s.seed, "documents": s.changeDocument,
		"close": s.closeBooks, "disconnect": s.disconnect, "forget": s.forget,
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
			plain(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
			return
		}
		plain(w, http.StatusOK, body)
	}
}

func controlInput(r *http.Request, into any) error {
	d := json.NewDecoder(io.LimitReader(r.Body, 64<<10))
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
		Minute          *int    `json:"minute"`
		Second          *int    `json:"second"`
		TokenLifetime   *string `json:"token_lifetime"`
		RefreshRotation *string `json:"refresh_rotation"`
	}
	if err := controlInput(r, &in); err != nil {
		return nil, err
	}
	var changed Limits
	s.SetLimits(func(now *Limits) { changed = *now })
	for into, value := range map[*int]*int{&changed.Minute: in.Minute, &changed.Second: in.Second} {
		if value != nil {
			*into = *value
		}
	}
	for into, value := range map[*time.Duration]*string{
		&changed.TokenLifetime: in.TokenLifetime, &changed.RefreshRotation: in.RefreshRotation,
	} {
		if value == nil {
			continue
		}
		parsed, err := time.ParseDuration(*value)
		if err != nil {
			return nil, err
		}
		*into = parsed
	}
	s.SetLimits(func(now *Limits) { *now = changed })
	return object{
		"minute": changed.Minute, "second": changed.Second,
		"token_lifetime": changed.TokenLifetime.String(), "refresh_rotation": changed.RefreshRotation.String(),
	}, nil
}

func (s *Server) seed(r *http.Request) (any, error) {
	var in struct {
		Realm string `json:"realm_id"`
		List  string `json:"list"`
		Count int    `json:"count"`
	}
	if err := controlInput(r, &in); err != nil {
		return nil, err
	}
	if in.Count < 1 || in.Count > 100_000 {
		return nil, errors.New("count must be between 1 and 100000")
	}
	return object{"added": in.Count}, s.Seed(in.Realm, in.List, in.Count)
}

func (s *Server) changeDocument(r *http.Request) (any, error) {
	var in struct {
		Realm  string `json:"realm_id"`
		Type   string `json:"type"`
		ID     string `json:"id"`
		Number string `json:"number"`
		Delete bool   `json:"delete"`
	}
	if err := controlInput(r, &in); err != nil {
		return nil, err
	}
	if in.Type != "Bill" && in.Type != "VendorCredit" {
		return nil, fmt.Errorf("unknown type %q", in.Type)
	}
	if in.Delete {
		return object{"id": in.ID, "deleted": true}, s.DeleteDocument(in.Realm, in.Type, in.ID)
	}
	return object{"id": in.ID, "number": in.Number}, s.Renumber(in.Realm, in.Type, in.ID, in.Number)
}

func (s *Server) closeBooks(r *http.Request) (any, error) {
	var in struct {
		Realm string `json:"realm_id"`
		Until string `json:"until"`
	}
	if err := controlInput(r, &in); err != nil {
		return nil, err
	}
	var until time.Time
	if in.Until != "" {
		var err error
		if until, err = time.Parse("2006-01-02", in.Until); err != nil {
			return nil, err
		}
	}
	return object{"closed_until": in.Until}, s.CloseBooks(in.Realm, until)
}

func (s *Server) disconnect(r *http.Request) (any, error) {
	var in struct {
		Realm string `json:"realm_id"`
	}
	if err := controlInput(r, &in); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return object{"disconnected": s.identity.disconnect(in.Realm)}, nil
}

func (s *Server) forget(*http.Request) (any, error) {
	s.ForgetRequests()
	return object{}, nil
}
