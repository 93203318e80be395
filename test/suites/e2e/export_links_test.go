package e2e

import (
	"net/http"
	"strings"
	"testing"

	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/link"
	"docledger/test/lib/harness"
)

// TestExportLinks reads exports with links, which have the rights of their person at that moment.
func TestExportLinks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.extract("1.xml", harness.UBL("X-1"))
	person := d.s.NewPerson(d.org.ID, identity.RoleMember)
	set := func(members ...entity.Member) { d.s.SetMembers(d.org, entity.AccessRestricted, members...) }
	set(entity.Member{UserID: person.ID, Role: identity.Viewer})
	create := func(query string) string {
		r := d.s.Do(http.MethodPost, "/api/invoices/export-links"+query, person.Token, nil).OK()
		return strings.TrimPrefix(r.Text("url"), d.s.URL)
	}
	path := create("?format=csv&style=european&status=EXTRACTED&status=NEEDS_REVIEW")
	read := func() harness.Response { return d.s.Send(http.MethodGet, path, "", nil) }
	if r := read(); r.Status != http.StatusOK || !strings.Contains(string(r.Raw), "X-1") || !strings.Contains(string(r.Raw), ";") || !strings.Contains(r.Header.Get("Content-Disposition"), ".csv") {
		t.Errorf("the export: %d %s", r.Status, r.Raw)
	}
	set()
	if r := read(); r.Status != http.StatusOK || strings.Contains(string(r.Raw), "X-1") {
		t.Errorf("without a role: %d %s", r.Status, r.Raw)
	}
	for range 3 {
		read()
	}
	read().Want(http.StatusNotFound, "not_found")

	// A read that is refused does not count.
	set(entity.Member{UserID: person.ID, Role: identity.Viewer})
	path = create("?entity_id=" + d.org.Entity.String())
	for range link.MaxReads + 1 { // HEAD reads nothing, so that it does not count
		if r := d.s.Send(http.MethodHead, path, "", nil); r.Status != http.StatusOK || !strings.Contains(r.Header.Get("Content-Disposition"), ".csv") {
			t.Errorf("HEAD: %d %v", r.Status, r.Header)
		}
	}
	set()
	for range link.MaxReads {
		read().Want(http.StatusNotFound, "not_found")
	}
	set(entity.Member{UserID: person.ID, Role: identity.Viewer})
	if r := read(); r.Status != http.StatusOK || !strings.Contains(string(r.Raw), "X-1") {
		t.Errorf("after refused reads: %d %s", r.Status, r.Raw)
	}
	set()
	d.s.Do(http.MethodPost, "/api/invoices/export-links?entity_id="+d.org.Entity.String(), person.Token, nil).Want(http.StatusNotFound, "not_found")
	d.s.Do(http.MethodPost, "/api/invoices/export-links?format=pdf", person.Token, nil).Want(http.StatusBadRequest, "invalid_request")
}
