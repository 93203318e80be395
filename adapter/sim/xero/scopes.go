package xero

import (
	"net/http"
	"slices"
)

// needs are the scopes of which one suffices to write, by part of the API. The name with the
// suffix .read suffices to read. The broad scopes are those of applications from before March
// 2026.
var needs = map[string][]string{
	"bills":       {"accounting.invoices", "accounting.transactions"},
	"settings":    {"accounting.settings"},
	"contacts":    {"accounting.contacts"},
	"attachments": {"accounting.attachments"},
}

func knownScopes() []string {
	out := []string{"openid", "profile", "email", "offline_access"}
	for _, names := range needs {
		for _, name := range names {
			out = append(out, name, name+".read")
		}
	}
	slices.Sort(out)
	return out
}

// allows reports whether a grant suffices for a method in a part of the API.
func (g *grant) allows(method, part string) bool {
	return slices.ContainsFunc(needs[part], func(name string) bool {
		return slices.Contains(g.scopes, name) || method == http.MethodGet && slices.Contains(g.scopes, name+".read")
	})
}
