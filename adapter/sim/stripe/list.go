package stripe

import (
	"slices"
	"strings"
)

const (
	defaultPage = 10
	largestPage = 100
)

// page are the parameters of every list.
type page struct {
	limit         int
	after, before string
	created       [4]stamp // gte, gt, lte, lt
	exactly       stamp
}

func (c *call) page() page {
	p := page{limit: defaultPage}
	if n, given := c.within("limit", 1, largestPage); given {
		p.limit = int(n)
	}
	p.after, _ = c.value("starting_after")
	p.before, _ = c.value("ending_before")
	if created := c.node.keys["created"]; created != nil && created.leaf {
		n, _ := c.integer("created")
		p.exactly = stamp(n)
		return p
	}
	range_ := c.group("created")
	for i, bound := range []string{"gte", "gt", "lte", "lt"} {
		n, _ := range_.integer(bound)
		p.created[i] = stamp(n)
	}
	return p
}

func (p page) holds(created int64) bool {
	switch at := stamp(created); {
	case p.exactly != 0 && at != p.exactly,
		p.created[0] != 0 && at < p.created[0], p.created[1] != 0 && at <= p.created[1],
		p.created[2] != 0 && at > p.created[2], p.created[3] != 0 && at >= p.created[3]:
		return false
	}
	return true
}

// listed responds with the records for which keep returns true, newest first.
func listed[T record](s *Server, c *call, object string, keep func(T) bool) (any, *apiError) {
	p := c.page()
	if e := c.done(); e != nil {
		return nil, e
	}
	records := filter(all[T](s, object), func(r T) bool { return p.holds(r.head().Created) && keep(r) })
	slices.Reverse(records)
	return cutPage(c, p, records, func(r T) map[string]any {
		if e, ok := any(r).(*event); ok {
			return s.renderEvent(e, "")
		}
		return render(raw(r), c.version)
	})
}

// cutPage returns one page of a list, newest first.
func cutPage[T record](c *call, p page, records []T, show func(T) map[string]any) (any, *apiError) {
	at := func(id, param string) (int, *apiError) {
		i := slices.IndexFunc(records, func(r T) bool { return r.head().ID == id })
		if i < 0 {
			return 0, noSuchParam("object", param, id)
		}
		return i, nil
	}
	more := false
	switch {
	case p.after != "":
		i, e := at(p.after, "starting_after")
		if e != nil {
			return nil, e
		}
		records = records[i+1:]
	case p.before != "":
		i, e := at(p.before, "ending_before")
		if e != nil {
			return nil, e
		}
		if records = records[:i]; len(records) > p.limit {
			more, records = true, records[len(records)-p.limit:]
		}
	}
	if len(records) > p.limit {
		more, records = true, records[:p.limit]
	}
	data := make([]any, 0, len(records))
	for _, r := range records {
		data = append(data, show(r))
	}
	return map[string]any{"object": "list", "url": c.request.URL.Path, "has_more": more, "data": data}, nil
}

// wholeList is a list in another object.
func wholeList[T record](url string, records []T, version string) map[string]any {
	data := make([]any, 0, len(records))
	for _, r := range records {
		data = append(data, render(raw(r), version))
	}
	return map[string]any{"object": "list", "url": url, "has_more": false, "total_count": len(data), "data": data}
}

func filter[T any](in []T, keep func(T) bool) []T {
	var out []T
	for _, t := range in {
		if keep(t) {
			out = append(out, t)
		}
	}
	return out
}

// is reports whether a filter is absent or equals a value.
func is(filter string, given bool, value string) bool { return !given || filter == value }

func lower(s string) string { return strings.ToLower(s) }
