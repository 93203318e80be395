package xero

import (
	"net/http"
	"slices"
	"time"
)

func (s *Server) connectionRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /connections", s.listConnections)
	mux.HandleFunc("DELETE /connections/{id}", s.deleteConnection)
}

// listConnections lists the tenants of a token. As at the provider, its times have no time zone
// and seven decimal places.
func (s *Server) listConnections(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, refused := s.granted(r)
	if refused != nil {
		refused.send(w, r)
		return
	}
	if !s.admit(w, r, g.client, "") {
		return
	}
	const zoneless = "2006-01-02T15:04:05.0000000"
	stamp := func(t time.Time) string { return t.UTC().Format(zoneless) }
	event := r.URL.Query().Get("authEventId")
	out := []any{}
	for _, c := range s.identity.connections {
		if c.client != g.client || c.user != g.user || event != "" && c.event != event {
			continue
		}
		o := s.books[c.tenant].organization
		out = append(out, map[string]any{
			"id": c.id, "authEventId": c.event, "tenantId": c.tenant, "tenantType": o.tenantType(), "tenantName": o.Name,
			"createdDateUtc": stamp(c.created), "updatedDateUtc": stamp(c.updated),
		})
	}
	plain(w, http.StatusOK, out)
}

func (s *Server) deleteConnection(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, refused := s.granted(r)
	if refused != nil {
		refused.send(w, r)
		return
	}
	if !s.admit(w, r, g.client, "") {
		return
	}
	before := len(s.identity.connections)
	s.identity.connections = slices.DeleteFunc(s.identity.connections, func(c *connection) bool {
		return c.id == r.PathValue("id") && c.client == g.client && c.user == g.user
	})
	if len(s.identity.connections) == before {
		gateway(http.StatusNotFound, "NotFound", "The connection is not known.").send(w, r)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
