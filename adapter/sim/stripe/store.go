package stripe

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// store contains the account's objects by id and, by kind, in the order of their creation.
type store struct {
	byID    map[string]record
	kinds   map[string][]record
	indexed map[string][]indexed
}

// indexed is the state of an object in the search index from a time on.
type indexed struct {
	at     time.Time
	object map[string]any // nil after the deletion
}

func newStore() store {
	return store{byID: map[string]record{}, kinds: map[string][]record{}, indexed: map[string][]indexed{}}
}

// prefixes are the id prefixes by kind of object.
var prefixes = map[string]string{
	"customer": "cus", "product": "prod", "price": "price", "tax_rate": "txr", "payment_method": "pm", "card": "card",
	"subscription": "sub", "invoice": "in", "invoiceitem": "ii", "payment_intent": "pi", "checkout.session": "cs_test",
	"billing_portal.session": "bps", "webhook_endpoint": "we", "event": "evt",
}

// fresh returns the first fields of a new object.
func (s *Server) fresh(object string) base {
	return base{ID: newID(prefixes[object]), Object: object, Created: s.now, Metadata: map[string]string{}}
}

// add stores a new object.
func (s *Server) add(r record) {
	h := r.head()
	s.store.byID[h.ID] = r
	s.store.kinds[h.Object] = append(s.store.kinds[h.Object], r)
}

// drop removes an object.
func (s *Server) drop(r record) {
	h := r.head()
	delete(s.store.byID, h.ID)
	s.store.kinds[h.Object] = slices.DeleteFunc(s.store.kinds[h.Object], func(x record) bool { return x == r })
}

// find returns an object of a kind by its id.
func find[T record](s *Server, id string) (T, bool) {
	r, ok := s.store.byID[id].(T)
	return r, ok
}

// all returns the objects of a kind, oldest first.
func all[T record](s *Server, object string) []T {
	records := s.store.kinds[object]
	out := make([]T, 0, len(records))
	for _, r := range records {
		if t, ok := r.(T); ok {
			out = append(out, t)
		}
	}
	return out
}

// raw is an object in its stored form, without a version.
func raw(r record) map[string]any {
	if c, ok := r.(*customer); ok && c.deleted {
		return map[string]any{"id": c.ID, "object": c.Object, "deleted": true}
	}
	var out map[string]any
	body, err := json.Marshal(r)
	if err == nil {
		err = unmarshal(body, &out)
	}
	if err != nil {
		panic(err) // the objects are structs of this package
	}
	return out
}

// unmarshal keeps whole numbers whole.
func unmarshal(body []byte, v any) error {
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.UseNumber()
	return d.Decode(v)
}

// searchable are the kinds that can be searched.
var searchable = map[string]bool{
	"customer": true, "subscription": true, "invoice": true, "product": true, "price": true,
}

// index records a change for the search, which sees it after its delay.
func (s *Server) index(r record, object map[string]any) {
	h := r.head()
	if !searchable[h.Object] {
		return
	}
	now := s.Kit.Clock.Now()
	s.store.indexed[h.ID] = append(s.visible(h.ID, now), indexed{at: now, object: object})
}

// visible returns the states of an object from the one on that the search sees at a time.
func (s *Server) visible(id string, now time.Time) []indexed {
	states := s.store.indexed[id]
	for len(states) > 1 && !states[1].at.Add(s.limits.SearchLag).After(now) {
		states = states[1:]
	}
	return states
}

// state is the response of GET /_sim/state: all objects by kind.
func (s *Server) state() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]any{
		"now": s.Kit.Clock.Now(), "idempotency_keys": len(s.keys), "deliveries": s.out.report(),
	}
	for _, kind := range slices.Sorted(maps.Keys(s.store.kinds)) {
		objects := make([]map[string]any, 0, len(s.store.kinds[kind]))
		for _, r := range s.store.kinds[kind] {
			if e, ok := r.(*event); ok {
				objects = append(objects, s.renderEvent(e, Version))
				continue
			}
			objects = append(objects, render(raw(r), Version))
		}
		out[kind] = objects
	}
	return out
}
