package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// onStores runs a test with every document store on each database.
func onStores(t *testing.T, test func(t *testing.T, s *harness.Server, st *harness.Store)) {
	t.Helper()
	for provider, open := range harness.StoresOf() {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			harness.OnEach(t, func(t *testing.T, o harness.Options) {
				st := open(t)
				o = o.WithStore(st)
				o.Env["POLL_INTERVAL"] = "2s"
				test(t, harness.Start(t, o), st)
			})
		})
	}
}

// waitTimeout is the timeout of waits for events without a required duration.
const waitTimeout = 30 * time.Second

// TestStoreIsWatched tests the flow over HTTP from the consent to a new file in
// the store that is an invoice within five seconds.
func TestStoreIsWatched(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, s *harness.Server, st *harness.Store) {
		o := s.NewOrganization("Watchers")
		token := o.Admin.Token
		id := s.ConnectStore(o, o.Entity, st)
		base := "/api/v1/integrations/" + id
		of := "?entity_id=" + o.Entity.String()
		sources := s.Do(http.MethodGet, base+"/trigger-sources"+of, token, nil).OK()
		if !lists(sources, st.Source) {
			t.Errorf("no source %s in %s", st.Source, sources.Raw)
		}
		subs := s.Do(http.MethodGet, base+"/trigger-sources/"+url.PathEscape(st.Source)+"/sub-sources"+of, token, nil).OK()
		if !lists(subs, st.SubSource) {
			t.Errorf("no sub-source %s in %s", st.SubSource, subs.Raw)
		}
		s.Do(http.MethodGet, base+"/trigger-sources/none/sub-sources"+of, token, nil).Want(404, "not_found")
		folder := st.AddFolder("", "In voices")
		st.Add("", "outside.xml", harness.UBL("OUTSIDE"))
		if set := s.SetUpStore(o, o.Entity, st, id, "/In voices/").OK(); set.Text("status") != "ACTIVE" {
			t.Fatalf("set up: %s", set.Raw)
		}
		status := func() harness.Response {
			return s.Do(http.MethodGet, "/api/integrations/"+id+"/status", token, nil).OK()
		}
		s.Eventually("up to date", waitTimeout, func() bool { return status().At("lag") != nil }, func() string { return string(status().Raw) })
		// At least one of several files must meet the limit, because other work
		// may use the machine.
		for try := 1; ; try++ {
			number := uuid.NewString()
			st.Add(folder, number+".xml", harness.UBL(number))
			took := s.Eventually("extracted", waitTimeout, func() bool { return extracted(s, o, number) }, func() string { return string(status().Raw) })
			t.Logf("extracted after %s", took)
			if took <= 5*time.Second {
				break
			}
			if try == 3 {
				t.Fatal("no file was an extracted invoice within 5 s")
			}
		}
		skipped := func() harness.Response {
			return s.Do(http.MethodGet, base+"/skipped"+of+"&limit=1", token, nil).OK()
		}
		st.Add(folder, "~$invoice.docx", []byte("lock"))
		s.Eventually("one skipped file", waitTimeout, func() bool { return status().Number("files_skipped") == 1 }, func() string { return string(status().Raw) })
		st.Add(folder, "empty.pdf", nil)
		s.Eventually("two skipped files", waitTimeout, func() bool { return status().Number("files_skipped") == 2 }, func() string { return string(status().Raw) })
		first := skipped()
		second := s.Do(http.MethodGet, base+"/skipped"+of+"&limit=1&cursor="+first.Text("next_cursor"), token, nil).OK()
		if first.Text("items", 0, "path") != "In voices/empty.pdf" || first.Text("items", 0, "reason") != "empty" ||
			second.Text("items", 0, "path") != "In voices/~$invoice.docx" || second.Text("items", 0, "reason") != "temporary" || second.At("next_cursor") != nil ||
			first.Text("items", 0, "at") < second.Text("items", 0, "at") {
			t.Errorf("skipped are %s and %s", first.Raw, second.Raw)
		}
		st.Rename(folder, "Renamed")
		renamed := uuid.NewString()
		st.Add(folder, "renamed.xml", harness.UBL(renamed))
		s.Eventually("extracted from the renamed folder", waitTimeout, func() bool { return extracted(s, o, renamed) }, func() string { return string(status().Raw) })
		if got := status(); got.Text("directories", 0, "folders", 0, "current_path") != "Renamed" {
			t.Errorf("the status shows %s", got.Raw)
		}
		if extracted(s, o, "OUTSIDE") {
			t.Error("a file outside of the directory is an invoice")
		}
		s.Do(http.MethodDelete, base, token, nil).OK()
	})
}

// TestSourcesReachNoOtherPath verifies that no source id reaches another path
// at the store.
func TestSourcesReachNoOtherPath(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, s *harness.Server, st *harness.Store) {
		o := s.NewOrganization("Curious")
		id := s.ConnectStore(o, o.Entity, st)
		before := st.Requests()
		for _, source := range []string{
			"..", "../me", "../../me/drive", "a/../../me", "%2e%2e", "a%2Fb", "a?x=y", "a#b", "a b", "root:", "a,b", "b!a,b,c", "a'b", "a\\b", "ä", "a;b", "a%",
			strings.Repeat("x", 2000),
		} {
			path := "/api/v1/integrations/" + id + "/trigger-sources/" + url.PathEscape(source) + "/sub-sources?entity_id=" + o.Entity.String()
			s.Do(http.MethodGet, path, o.Admin.Token, nil).Want(404, "not_found")
			metadata := map[string]any{"provider": st.Provider, "source_id": source, "sub_source_id": st.SubSource}
			r := s.Do(http.MethodPut, "/api/v1/integrations/"+id+"?entity_id="+o.Entity.String(), o.Admin.Token, map[string]any{"status": "PENDING", "public_metadata": metadata})
			if field := r.Want(400, "invalid_request").Text("error", "details", "fields", 0, "field"); field != "public_metadata.source_id" {
				t.Errorf("%q: names %q", source, field)
			}
		}
		if asked := st.Requests(); len(asked) != len(before) {
			t.Errorf("the store was asked for %v", asked[len(before):])
		}
	})
}

func lists(r harness.Response, id string) bool {
	for n := range r.Len("items") {
		if r.Text("items", n, "id") == id {
			return true
		}
	}
	return false
}

// extracted reports whether an ingested document has an invoice with the
// number.
func extracted(s *harness.Server, o harness.Organization, number string) bool {
	list := s.Do(http.MethodGet, "/api/invoices?entity_id="+o.Entity.String(), o.Admin.Token, nil).OK()
	for n := range list.Len("items") {
		if list.Text("items", n, "invoice_number") == number {
			d := s.Do(http.MethodGet, "/api/documents/"+list.Text("items", n, "document_id"), o.Admin.Token, nil).OK()
			return d.Text("source") == "TRIGGER" && d.Text("status") == "EXTRACTED"
		}
	}
	return false
}

// TestStoreEndsConsent withdraws the consent at the store and reconnects.
// Changes of the meantime are ingested.
func TestStoreEndsConsent(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, s *harness.Server, st *harness.Store) {
		o := s.NewOrganization("Withdrawn")
		id := s.Watch(o, o.Entity, st)
		status := func() harness.Response {
			return s.Do(http.MethodGet, "/api/integrations/"+id+"/status", o.Admin.Token, nil).OK()
		}
		said := func() string { return string(status().Raw) }
		s.Eventually("up to date", waitTimeout, func() bool { return status().At("lag") != nil }, said)
		st.Withdraw()
		s.Eventually("in need of a consent", waitTimeout, func() bool { return status().Text("status") == "ERROR" }, said)
		if hinted := strings.Contains(status().Text("status_reason", "message"), "testing mode"); hinted != (st.Provider == "DOCSTORE_B") {
			t.Errorf("the reason of %s is %s", st.Provider, said())
		}
		number := uuid.NewString()
		st.Add("", "meanwhile.xml", harness.UBL(number))
		s.Do(http.MethodGet, "/api/v1/integrations/"+id+"/trigger-sources?entity_id="+o.Entity.String(), o.Admin.Token, nil).Want(500, "provider_unauthorized")
		again := s.Do(http.MethodPost, "/api/integrations/"+id+"/connect", o.Admin.Token, map[string]any{"redirect_url": harness.RedirectURL}).OK()
		if q := s.AgreeStore(st, again.Text("authorization_url")); q.Get("status") != "ACTIVE" || q.Get("integration_id") != id {
			t.Errorf("the page receives %v", q)
		}
		s.Eventually("extracted", waitTimeout, func() bool { return extracted(s, o, number) }, said)
	})
}
