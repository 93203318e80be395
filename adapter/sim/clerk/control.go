package clerk

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// controls adds the controls of this simulator to those of sim/kit:
//
//	GET  /_sim/settings   how the simulator behaves
//	POST /_sim/settings   {"auto_approve":true,"omit_issuer":true,…}: change what is named
//	POST /_sim/keys       {"keep_old":true}: sign with a new key
//	POST /_sim/tokens     {"kind":"session"|"oauth","user_id":…,"organization_id":…}: make a token
//	POST /_sim/endpoints  {"url":…,"secrets":[…]}: send webhooks there too
//	POST /_sim/webhooks   {"type":"organization.created","organization_id":…}: tell of it (again)
//	POST /_sim/webhooks   {"id":"msg_…"}: send a message once more
func (s *Server) controls(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_sim/settings", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		answer(w, http.StatusOK, s.settings)
	})
	mux.HandleFunc("POST /_sim/settings", s.control(s.changeSettings))
	mux.HandleFunc("POST /_sim/keys", s.control(s.changeKeys))
	mux.HandleFunc("POST /_sim/tokens", s.control(s.makeToken))
	mux.HandleFunc("POST /_sim/endpoints", s.control(s.addEndpoint))
	mux.HandleFunc("POST /_sim/webhooks", s.control(s.sendWebhook))
	mux.Handle("/", next)
	return mux
}

// control responds with the result of do, or with 400 and its error.
func (s *Server) control(do func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := do(r)
		if err != nil {
			answer(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
			return
		}
		answer(w, http.StatusOK, body)
	}
}

func input(r *http.Request, into any) error {
	if f := readJSON(r, into); f != nil {
		return fmt.Errorf("%s", f.message)
	}
	return nil
}

func (s *Server) changeSettings(r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.settings
	if err := input(r, &changed); err != nil {
		return nil, err
	}
	if changed.SessionVersion < 0 || changed.SessionVersion > 2 {
		return nil, fmt.Errorf("session_version must be 1 or 2")
	}
	s.settings = changed
	return changed, nil
}

func (s *Server) changeKeys(r *http.Request) (any, error) {
	in := struct {
		KeepOld bool `json:"keep_old"`
	}{KeepOld: true}
	if err := input(r, &in); err != nil {
		return nil, err
	}
	return map[string]string{"kid": s.RotateKeys(in.KeepOld)}, nil
}

func (s *Server) makeToken(r *http.Request) (any, error) {
	var in struct {
		Kind         string   `json:"kind"`
		User         string   `json:"user_id"`
		Organization string   `json:"organization_id"`
		Client       string   `json:"client_id"`
		Scopes       []string `json:"scopes"`
		Version      int      `json:"version"`
		Seconds      int      `json:"expires_in_seconds"` // negative: already expired
		Party        string   `json:"azp"`
	}
	if err := input(r, &in); err != nil {
		return nil, err
	}
	o := TokenOptions{
		Version: in.Version, Lifetime: time.Duration(in.Seconds) * time.Second, AuthorizedParty: in.Party, Scopes: in.Scopes,
	}
	if in.Seconds < 0 {
		o.Claims = map[string]any{"iat": s.stamp().Add(2 * o.Lifetime).Unix(), "nbf": s.stamp().Add(2 * o.Lifetime).Unix()}
	}
	var token string
	var err error
	switch in.Kind {
	case "session":
		token, err = s.SessionToken(in.User, in.Organization, o)
	case "oauth":
		s.mu.Lock()
		if in.Client == "" && len(s.store.clients) > 0 {
			in.Client = s.store.clients[0].ID
		}
		s.mu.Unlock()
		token, err = s.AccessToken(in.User, in.Organization, in.Client, o)
	default:
		err = fmt.Errorf("kind must be session or oauth")
	}
	return map[string]string{"token": token}, err
}

func (s *Server) addEndpoint(r *http.Request) (any, error) {
	var in Endpoint
	if err := input(r, &in); err != nil {
		return nil, err
	}
	if in.URL == "" || len(in.Secrets) == 0 {
		return nil, fmt.Errorf("url and secrets must be given")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.Endpoints = append(slices.Clone(s.options.Endpoints), in)
	return map[string]string{"url": in.URL}, nil
}

func (s *Server) sendWebhook(r *http.Request) (any, error) {
	var in struct {
		ID           string `json:"id"`
		Type         string `json:"type"`
		Organization string `json:"organization_id"`
	}
	if err := input(r, &in); err != nil {
		return nil, err
	}
	if in.ID == "" {
		id, err := s.Announce(in.Type, in.Organization)
		return map[string]string{"id": id}, err
	}
	return map[string]string{"id": in.ID}, s.Resend(in.ID)
}

// Announce sends the endpoints an event of an organization, such as organization.created for one
// that existed from the start. It returns the message's id.
func (s *Server) Announce(kind, organization string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.store.organization(organization)
	if o == nil {
		return "", fmt.Errorf("organization %q does not exist", organization)
	}
	return s.emit(kind, s.renderOrganization(o)), nil
}

// Resend sends a message again under the same id.
func (s *Server) Resend(id string) error {
	m := s.out.find(id)
	if m == nil {
		return fmt.Errorf("message %q does not exist", id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.send(m)
	return nil
}

// state is the response of GET /_sim/state. It contains no password, secret or token.
func (s *Server) state() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	users, organizations, clients := []any{}, []any{}, []any{}
	for _, u := range s.store.users {
		users = append(users, s.renderUser(u))
	}
	for _, o := range s.store.organizations {
		organizations = append(organizations, s.renderOrganization(o))
	}
	for _, c := range s.store.clients {
		clients = append(clients, map[string]any{
			"client_id": c.ID, "name": c.Name, "public": c.public(), "redirect_uris": c.RedirectURIs,
		})
	}
	endpoints := []string{}
	for _, e := range s.options.Endpoints {
		endpoints = append(endpoints, e.URL)
	}
	return map[string]any{
		"now": s.Kit.Clock.Now(), "settings": s.settings, "users": users, "organizations": organizations,
		"memberships": s.renderMemberships(func(*Membership) bool { return true }), "oauth_clients": clients,
		"endpoints": endpoints, "messages": s.out.report(), "keys": s.keys.published()["keys"],
	}
}
