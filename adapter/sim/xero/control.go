package xero

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// controls adds the controls of this simulator to those of sim/kit:
//
//	GET  /_sim/settings   how the simulator behaves
//	POST /_sim/settings   {"auto_approve":true,"auto_organizations":[…]}: change what is named
//	POST /_sim/limits     {"minute":1000,"refresh_grace":"0s",…}: change the provider's numbers
//	POST /_sim/contacts   {"organization_id":…,"count":1200}: add contacts, every tenth archived
//	POST /_sim/bills      {"organization_id":…,"id":…,"status":"VOIDED"}: as a person would in the ledger
//	POST /_sim/disconnect {"organization_id":…}: as a person would in the ledger
func (s *Server) controls(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_sim/settings", s.control(func(*http.Request) (any, error) { return s.settings, nil }))
	mux.HandleFunc("POST /_sim/settings", s.control(s.changeSettings))
	mux.HandleFunc("POST /_sim/limits", s.control(s.changeLimits))
	mux.HandleFunc("POST /_sim/contacts", s.control(s.makeContacts))
	mux.HandleFunc("POST /_sim/bills", s.control(s.changeBill))
	mux.HandleFunc("POST /_sim/disconnect", s.control(s.disconnect))
	mux.Handle("/", next)
	return mux
}

// control responds with the result of do, or with 400 and its error. do holds the lock.
func (s *Server) control(do func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		body, err := do(r)
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

func (s *Server) changeSettings(r *http.Request) (any, error) {
	changed := s.settings
	if err := input(r, &changed); err != nil {
		return nil, err
	}
	s.settings = changed
	return changed, nil
}

func (s *Server) changeLimits(r *http.Request) (any, error) {
	var in struct {
		Concurrent    *int    `json:"concurrent"`
		Minute        *int    `json:"minute"`
		Day           *int    `json:"day"`
		AppMinute     *int    `json:"app_minute"`
		TokenLifetime *string `json:"token_lifetime"`
		RefreshGrace  *string `json:"refresh_grace"`
	}
	if err := input(r, &in); err != nil {
		return nil, err
	}
	changed := s.limits
	for into, value := range map[*int]*int{
		&changed.Concurrent: in.Concurrent, &changed.Minute: in.Minute, &changed.Day: in.Day, &changed.AppMinute: in.AppMinute,
	} {
		if value != nil {
			*into = *value
		}
	}
	for into, value := range map[*time.Duration]*string{
		&changed.TokenLifetime: in.TokenLifetime, &changed.RefreshGrace: in.RefreshGrace,
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
	s.limits = changed
	return map[string]any{
		"concurrent": changed.Concurrent, "minute": changed.Minute, "day": changed.Day, "app_minute": changed.AppMinute,
		"token_lifetime": changed.TokenLifetime.String(), "refresh_grace": changed.RefreshGrace.String(),
	}, nil
}

func (s *Server) bookOf(id string) (*book, error) {
	b := s.books[strings.ToLower(id)]
	if b == nil {
		return nil, fmt.Errorf("organization %q does not exist", id)
	}
	return b, nil
}

func (s *Server) makeContacts(r *http.Request) (any, error) {
	var in struct {
		Organization string `json:"organization_id"`
		Count        int    `json:"count"`
	}
	if err := input(r, &in); err != nil {
		return nil, err
	}
	b, err := s.bookOf(in.Organization)
	if err != nil {
		return nil, err
	}
	if in.Count < 1 || in.Count > 100_000 {
		return nil, errors.New("count must be between 1 and 100000")
	}
	for n := range in.Count {
		b.addContact(numbered(n+1), s.Kit.Clock.Now())
	}
	return map[string]int{"contacts": len(b.contacts)}, nil
}

// changeBill sets a document's status without validation.
func (s *Server) changeBill(r *http.Request) (any, error) {
	var in struct {
		Organization string `json:"organization_id"`
		ID           string `json:"id"`
		Status       string `json:"status"`
	}
	if err := input(r, &in); err != nil {
		return nil, err
	}
	b, err := s.bookOf(in.Organization)
	if err != nil {
		return nil, err
	}
	if err := b.setStatus(in.ID, in.Status, s.Kit.Clock.Now()); err != nil {
		return nil, err
	}
	return map[string]string{"id": in.ID, "status": in.Status}, nil
}

func (s *Server) disconnect(r *http.Request) (any, error) {
	var in struct {
		Organization string `json:"organization_id"`
	}
	if err := input(r, &in); err != nil {
		return nil, err
	}
	b, err := s.bookOf(in.Organization)
	if err != nil {
		return nil, err
	}
	return map[string]int{"disconnected": s.takeOff(b.organization.ID)}, nil
}
