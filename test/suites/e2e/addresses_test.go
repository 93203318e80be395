package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"docledger/adapter/httpapi/edge"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// TestAddressesForPeopleArePages opens every address that docledger gives to the
// user of an assistant: the page of each operation, and the answers of whereTo.
func TestAddressesForPeopleArePages(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{NoWorkers: true})
	org := s.NewOrganization("Pages")
	addresses := map[string]string{}
	for _, op := range s.Checker.Operations() {
		addresses[op.ID] = edge.PageOf(op.ID, func(string) string { return uuid.NewString() })
		// The body can lack the id.
		addresses[op.ID+" without a body"] = edge.PageOf(op.ID, func(parameter string) string {
			if strings.Contains(op.Path, "{"+parameter+"}") {
				return uuid.NewString()
			}
			return ""
		})
	}
	doc := s.Do(http.MethodGet, "/openapi/docledger.json", "", nil).OK()
	actions := doc.At("components", "schemas", "PageAction", "enum").([]any)
	for _, action := range actions {
		for _, entity := range []string{"", "&entity_id=" + org.Entity.String()} {
			at := s.Do(http.MethodGet, "/api/where-to?action="+action.(string)+entity, org.Admin.Token, nil).OK().Text("url")
			addresses[action.(string)+entity] = strings.TrimPrefix(at, s.URL)
			// The web application reads the entity of a page from the parameter entity.
			if u, err := url.Parse(at); err != nil || u.RawQuery != "" && u.RawQuery != "entity="+org.Entity.String() {
				t.Errorf("%s leads to %s (%v)", action, at, err)
			}
		}
	}
	for of, address := range addresses {
		// The client of the harness knows operations only.
		r, err := http.Get(s.URL + address)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s leads to %s: %d %s", of, address, r.StatusCode, r.Header.Get("Content-Type"))
		}
	}
}
