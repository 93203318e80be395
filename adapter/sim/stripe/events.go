package stripe

import (
	"reflect"
	"slices"
	"time"
)

// changed records a change of an object and sends an event to the endpoints. before is the
// previous object; nil for a new one.
func (s *Server) changed(c *call, kind string, r record, before map[string]any) {
	now := raw(r)
	s.index(r, now)
	e := &event{base: s.fresh("event"), kind: kind, object: now}
	if c != nil {
		e.requestID, e.key = c.id, c.key
	}
	if before != nil {
		e.previous = map[string]any{}
		for key, value := range before {
			if !reflect.DeepEqual(value, now[key]) {
				e.previous[key] = value
			}
		}
	}
	s.add(e)
	for _, w := range all[*webhookEndpoint](s, "webhook_endpoint") {
		if w.Status == "enabled" && wants(w, kind) {
			e.pending++
			s.out.put(e, w, s.Kit.Clock.Now())
		}
	}
}

func wants(w *webhookEndpoint, kind string) bool {
	return slices.Contains(w.EnabledEvents, "*") || slices.Contains(w.EnabledEvents, kind)
}

func (s *Server) registerEvents() {
	s.on("GET /v1/events", func(c *call) (any, *apiError) {
		one, given := c.value("type")
		types, _ := c.texts("types")
		c.ignore("delivery_success")
		oldest := s.now - int64(s.limits.EventLifetime/time.Second)
		return listed(s, c, "event", func(e *event) bool {
			return e.Created >= oldest && is(one, given, e.kind) && (len(types) == 0 || slices.Contains(types, e.kind))
		})
	})
	s.on("GET /v1/events/{id}", func(c *call) (any, *apiError) {
		e, ok := find[*event](s, c.at("id"))
		if !ok {
			return nil, noSuch("event", c.at("id"))
		}
		return e, c.done()
	})
	// The vendor's command line uses this call to send an event again.
	s.on("POST /v1/events/{id}/retry", func(c *call) (any, *apiError) {
		only, given := c.value("webhook_endpoint")
		e, ok := find[*event](s, c.at("id"))
		if bad := c.done(); bad != nil {
			return nil, bad
		}
		if !ok {
			return nil, noSuch("event", c.at("id"))
		}
		for _, w := range all[*webhookEndpoint](s, "webhook_endpoint") {
			if is(only, given, w.ID) {
				s.out.put(e, w, s.Kit.Clock.Now())
			}
		}
		return e, nil
	})
}

func (s *Server) registerEndpoints() {
	s.on("POST /v1/webhook_endpoints", s.createEndpoint)
	s.on("POST /v1/webhook_endpoints/{id}", s.updateEndpoint)
	s.on("GET /v1/webhook_endpoints", func(c *call) (any, *apiError) {
		return listed(s, c, "webhook_endpoint", func(*webhookEndpoint) bool { return true })
	})
	reader[*webhookEndpoint](s, "/v1/webhook_endpoints", "webhook endpoint")
	s.on("DELETE /v1/webhook_endpoints/{id}", func(c *call) (any, *apiError) {
		w, ok := find[*webhookEndpoint](s, c.at("id"))
		if e := c.done(); e != nil {
			return nil, e
		}
		if !ok {
			return nil, noSuch("webhook endpoint", c.at("id"))
		}
		s.drop(w)
		return deleted(w), nil
	})
}

func (s *Server) createEndpoint(c *call) (any, *apiError) {
	w := &webhookEndpoint{base: s.fresh("webhook_endpoint"), Status: "enabled"}
	w.URL = c.required("url")
	if w.EnabledEvents, _ = c.texts("enabled_events"); len(w.EnabledEvents) == 0 {
		c.fail(invalid("parameter_missing", "enabled_events", "Missing required param: enabled_events."))
	}
	c.set("api_version", &w.APIVersion)
	c.set("description", &w.Description)
	c.metadata(&w.Metadata)
	if e := c.done(); e != nil {
		return nil, e
	}
	w.secrets = []string{newID("whsec")}
	s.add(w)
	out := render(raw(w), c.version)
	out["secret"] = w.secrets[0] // shown once
	return out, nil
}

func (s *Server) updateEndpoint(c *call) (any, *apiError) {
	w, ok := find[*webhookEndpoint](s, c.at("id"))
	if !ok {
		return nil, noSuch("webhook endpoint", c.at("id"))
	}
	next := *w
	if url, given := c.value("url"); given {
		next.URL = url
	}
	if kinds, given := c.texts("enabled_events"); given {
		next.EnabledEvents = kinds
	}
	if off, given := c.boolean("disabled"); given {
		next.Status = map[bool]string{true: "disabled", false: "enabled"}[off]
	}
	c.set("description", &next.Description)
	c.metadata(&next.Metadata)
	if e := c.done(); e != nil {
		return nil, e
	}
	*w = next
	return w, nil
}

// AddEndpoint adds a receiver of webhooks.
func (s *Server) AddEndpoint(e Endpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addEndpoint(e)
}

func (s *Server) addEndpoint(e Endpoint) {
	w := &webhookEndpoint{
		base: s.fresh("webhook_endpoint"), URL: e.URL, APIVersion: text(e.APIVersion), EnabledEvents: e.Events,
		Status: "enabled", secrets: e.Secrets,
	}
	if len(w.EnabledEvents) == 0 {
		w.EnabledEvents = []string{"*"}
	}
	s.add(w)
}

func deleted(r record) map[string]any {
	return map[string]any{"id": r.head().ID, "object": r.head().Object, "deleted": true}
}
