package tools

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	sim "docledger/adapter/sim/clerk"
	"docledger/test/lib/harness"
)

// TestManyFormerDuplicates rejects an invoice that many others are near to. All of them are checked
// again, most of them later. SYSTEM approves them unless an assistant rejected the invoice
// that may not approve in their entity, also while their check is still due.
func TestManyFormerDuplicates(t *testing.T) {
	t.Parallel()
	w := start(t)
	person := w.provider.Session("user_ada", "org_acme", sim.TokenOptions{})
	oauth := w.provider.OAuth("user_ada", "org_acme", harness.OAuthClient, sim.TokenOptions{})
	entity := func(setting string) string {
		id := w.entity()
		w.Do(http.MethodPut, "/api/settings/"+id, person, object{
			"approval_required": false, "auto_approve_ignore": []string{"buyer_is_entity"}, "assistant_actions": setting,
		}).OK()
		return id
	}
	read := func(entity, number, day string) string {
		content := bytes.ReplaceAll(harness.UBL(number), []byte("2026-01-15"), []byte(day))
		up := w.Upload(person, harness.ID(t, entity), number+".xml", content).OK()
		return "/api/invoices/" + w.Extract(person, up.Text("id")).OK().Text("id")
	}
	const others = 25
	for _, c := range []struct{ prefix, day, token, want string }{{"P", "2026-01-15", person, "APPROVED"}, {"Q", "2026-01-16", oauth, "EXTRACTED"}} {
		first, second := entity("ALL"), entity("PREPARE")
		changed := read(first, c.prefix, c.day)
		near := make([]string, others)
		for n := range near {
			near[n] = read(second, fmt.Sprintf("%s-%d", c.prefix, 101+n), c.day)
			if inv := w.Do(http.MethodGet, near[n], person, nil).OK(); inv.Text("status") != "EXTRACTED" || inv.Len("duplicates") != 1 {
				t.Fatalf("not near: %s", inv.Raw)
			}
		}
		w.Do(http.MethodPost, changed+"/reject", c.token, object{"reason": "a test"}).OK()
		last := w.Do(http.MethodPatch, near[others-1], person, object{"note": "seen"}).OK()
		if got := last.Text("status"); got != c.want {
			t.Errorf("an invoice that a person changed before its check is %s, want %s", got, c.want)
		}
		for _, path := range near {
			get := func() harness.Response { return w.Do(http.MethodGet, path, person, nil).OK() }
			passed := func() bool {
				inv := get()
				for i := range inv.Len("checks") {
					if inv.Text("checks", i, "rule") == "not_a_duplicate" {
						return inv.At("checks", i, "passed") == true
					}
				}
				return false
			}
			w.Eventually("checked again", time.Minute, passed, func() string { return string(get().Raw) })
			if inv := get(); inv.Text("status") != c.want || inv.Len("duplicates") != 0 {
				t.Errorf("%s: %v", inv.Text("status"), inv.At("duplicates"))
			}
		}
	}
}
