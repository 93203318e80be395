package msgraph

import "slices"

const maxShown = 1000 // sites, and items of a drive, in the state

// state is the response of GET /_sim/state. It contains no password, secret or token.
func (s *Server) state() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	sites, subscriptions, clients := []any{}, []any{}, []any{}
	for _, at := range s.store.sites[:min(len(s.store.sites), maxShown)] {
		drives := []any{}
		for _, d := range at.drives[:min(len(at.drives), maxShown)] {
			drives = append(drives, map[string]any{"id": d.id, "name": d.name, "count": len(d.items) - 1, "items": d.report()})
		}
		sites = append(sites, map[string]any{"id": at.id, "name": at.name, "denied": at.isDenied, "drives": drives})
	}
	for _, n := range s.store.subscriptions {
		subscriptions = append(subscriptions, map[string]any{
			"id": n.id, "drive": n.drive.id, "address": n.address, "expires": n.expires,
		})
	}
	for _, c := range s.identity.clients {
		clients = append(clients, map[string]any{"client_id": c.ID, "name": c.Name, "redirect_uris": c.RedirectURIs})
	}
	return map[string]any{
		"now": s.Kit.Clock.Now(), "settings": s.settings, "sites_count": len(s.store.sites), "sites": sites,
		"subscriptions": subscriptions, "clients": clients, "token_leaked": s.leaked,
	}
}

// report lists the items of a drive, the latest change last.
func (d *drive) report() []any {
	all := make([]*item, 0, len(d.items))
	for _, i := range d.items {
		if i != d.root {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b *item) int { return int(a.seq - b.seq) })
	out := []any{}
	for _, i := range all[max(0, len(all)-maxShown):] {
		out = append(out, map[string]any{
			"id": i.id, "path": i.path(), "folder": i.folder, "size": i.content.size, "etag": i.eTag(), "in_bin": i.gone(),
			"locked": i.locked, "uploading": i.uploading, "infected": i.infected,
		})
	}
	return out
}
