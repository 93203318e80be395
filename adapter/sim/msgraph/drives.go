package msgraph

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
)

// drives serves requests for a drive and its items. The caller holds the lock.
func (s *Server) drives(c *call, at address) answer {
	if !c.grant.allows("Files.Read.All", "Files.ReadWrite.All", "Sites.Read.All", "Sites.ReadWrite.All") {
		return accessDenied()
	}
	d := s.store.drives[at.id]
	switch {
	case d == nil:
		return notFound("The drive")
	case d.site.isDenied:
		return accessDenied()
	case !at.hasItem && at.tail == "":
		return fine(choose(d.render(), c.query.Get("$select")))
	case !at.hasItem:
		return badRequest("Resource not found for the segment '" + at.tail + "'.")
	}
	i := d.item(at.item)
	if i != nil {
		i = i.below(at.path)
	}
	if i == nil {
		return notFound("The resource")
	}
	switch at.tail {
	case "":
		return fine(choose(s.whole(i), c.query.Get("$select")))
	case "children":
		kids := i.children()
		return s.page(c, "driveItems", len(kids), func(n int) object { return choose(s.whole(kids[n]), c.query.Get("$select")) })
	case "content":
		return s.content(c, i)
	case "delta":
		return s.delta(c, i)
	}
	return badRequest("Resource not found for the segment '" + at.tail + "'.")
}

// position is the position of a delta. The delta returns what changed after it. A fresh
// enumeration omits items that were deleted before it began.
type position struct {
	epoch        int
	after, fresh int64 // fresh is the latest change at that time; 0 for no enumeration
}

func (p position) String() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "d!%d;%d;%d", p.epoch, p.after, p.fresh))
}

func readPosition(token string) (p position, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return position{}, false
	}
	_, err = fmt.Sscanf(string(raw), "d!%d;%d;%d", &p.epoch, &p.after, &p.fresh)
	return p, err == nil && p.after >= 0 && p.fresh >= 0
}

// delta returns the changes of a drive. The caller holds the lock.
func (s *Server) delta(c *call, of *item) answer {
	d, token := of.drive, c.query.Get("token")
	if of != d.root {
		return refusal(http.StatusNotImplemented, "notSupported", "A delta is supported only for the root.")
	}
	p, ok := position{epoch: d.epoch, fresh: d.seq}, true
	switch token {
	case "":
	case "latest":
		return s.deltaPage(c, nil, position{epoch: d.epoch, after: d.seq}, true)
	default:
		p, ok = readPosition(token)
	}
	switch {
	case !ok:
		return badRequest("The delta token is not valid.")
	case p.epoch != d.epoch:
		a := refusal(http.StatusGone, "resyncRequired", "Resync required. Replace any local items with the server's version.")
		a.body.(object)["error"].(object)["innerError"].(object)["code"] = "resyncChangesApplyDifferences"
		a.header["Location"] = s.link(c, "token", position{epoch: d.epoch, fresh: d.seq}.String())
		return a
	}
	changed, more := d.changed(p, s.size(c))
	list := s.entries(d, p, changed)
	if more {
		p.after = changed[len(changed)-1].seq
		return s.deltaPage(c, list, p, false)
	}
	return s.deltaPage(c, list, position{epoch: d.epoch, after: d.seq}, true)
}

// changed returns the next items in the order of their latest changes.
func (d *drive) changed(p position, size int) (out []*item, more bool) {
	for _, i := range d.items {
		if i.seq > p.after && (p.fresh == 0 || !i.gone() || i.deleted && i.seq > p.fresh) {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b *item) int { return int(a.seq - b.seq) })
	if len(out) > size {
		return out[:size], true
	}
	return out, false
}

// entries returns the entries of a page: the changes and, depending on the settings, the repeated
// and additional entries that a client must tolerate.
func (s *Server) entries(d *drive, p position, changed []*item) []object {
	out, seen := []object{}, map[*item]bool{}
	add := func(i *item) {
		if seen[i] = true; i.gone() {
			out = append(out, i.renderGone())
			return
		}
		entry := i.render()
		if !s.settings.ContentTags {
			delete(entry, "cTag")
		}
		out = append(out, entry)
	}
	if s.settings.RepeatItems && p.after > 0 {
		for _, i := range d.items {
			if i.seq == p.after {
				add(i)
			}
		}
	}
	for _, i := range changed {
		if s.settings.RepeatItems {
			for above := i.parent; above != nil; above = above.parent {
				if !seen[above] && !above.gone() {
					add(above)
				}
			}
		}
		add(i)
	}
	return out
}

// deltaPage responds with entries and the link to the next page or the next delta.
func (s *Server) deltaPage(c *call, entries []object, p position, last bool) answer {
	list := []object{}
	for _, entry := range entries {
		list = append(list, choose(entry, c.query.Get("$select")))
	}
	name := "@odata.nextLink"
	if last {
		name = "@odata.deltaLink"
	}
	return fine(object{
		"@odata.context": s.options.Origin + apiPath + "/$metadata#Collection(driveItem)", "value": list, name: s.link(c, "token", p.String()),
	})
}
