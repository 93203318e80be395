package watching_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"docledger/adapter/extract/worker"
	"docledger/cmd/service"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
	"docledger/test/lib/harness"
	"docledger/usecase/integrations"

	"github.com/google/uuid"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	os.Exit(m.Run())
}

// consenting is a location whose consent page accepts automatically.
type consenting struct {
	*place
	asked []string // sources that sub-sources were asked of
}

func (c *consenting) SubSources(ctx context.Context, a integration.Access, source string) ([]docstore.SubSource, error) {
	c.set(func() { c.asked = append(c.asked, source) })
	return c.place.SubSources(ctx, a, source)
}

func (c *consenting) AuthorizationURL(r integration.AuthorizationRequest) string {
	return "https://store.example/authorize?" + url.Values{"state": {r.State}}.Encode()
}

func (c *consenting) Exchange(context.Context, integration.Callback) (integration.Consent, error) {
	return integration.Consent{Account: "account", Tokens: integration.Tokens{
		Access: secret.New("access-of-the-store"), Refresh: secret.New("refresh-of-the-store"), AccessExpiresAt: time.Now().Add(time.Hour),
	}}, nil
}

func (c *consenting) Refresh(context.Context, secret.Text) (integration.Tokens, error) {
	return integration.Tokens{}, integration.NeedsReconnect(integration.DocstoreA, errors.New("refreshed too early"))
}

func (c *consenting) Revoke(context.Context, integration.Tokens) error { return nil }

// walk is a service with a store and an integration with a consent.
type walk struct {
	*harness.Server
	t     *testing.T
	store *consenting
	org   harness.Organization
	id    string
	path  string
}

func newWalk(t *testing.T, o harness.Options) *walk {
	t.Helper()
	w := &walk{t: t, store: &consenting{place: newPlace(time.Now)}}
	o.Env = map[string]string{"POLL_INTERVAL": "2s", "REDIRECT_ORIGINS": "https://app.example"}
	o.Overrides = service.Overrides{Connectors: integrations.Connectors{integration.DocstoreA: w.store}}
	w.Server = harness.Start(t, o)
	w.org = w.NewOrganization("Watchers")
	asked := w.Do(http.MethodPost, "/api/v1/integrations/oauth/authorize", w.org.Admin.Token, map[string]any{
		"entity_id": w.org.Entity, "provider": "DOCSTORE_A", "redirect_url": harness.RedirectURL,
	}).OK()
	w.id = asked.Text("integration_id")
	w.path = "/api/v1/integrations/" + w.id
	to, err := url.Parse(asked.Text("authorization_url"))
	if err != nil {
		t.Fatal(err)
	}
	back := w.Send(http.MethodGet, "/api/v1/integrations/oauth/callback?"+url.Values{"state": {to.Query().Get("state")}, "code": {"code"}}.Encode(), "", nil)
	if back.Status != http.StatusFound || !strings.Contains(back.Header.Get("Location"), "status=PENDING") {
		t.Fatalf("back from the consent: %d %s", back.Status, back.Header.Get("Location"))
	}
	return w
}

func (w *walk) get(path string) harness.Response {
	w.t.Helper()
	return w.Do(http.MethodGet, w.path+path, w.org.Admin.Token, nil)
}

func (w *walk) setUp(metadata map[string]any) harness.Response {
	w.t.Helper()
	metadata["provider"] = "DOCSTORE_A"
	return w.Do(http.MethodPut, w.path+"?entity_id="+w.org.Entity.String(), w.org.Admin.Token, map[string]any{
		"status": "PENDING", "public_metadata": metadata,
	})
}

// TestWalk connects and sets up a document store over HTTP. A file that is
// added there is extracted within five seconds.
func TestWalk(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		w := newWalk(t, o)
		of := "?entity_id=" + w.org.Entity.String()
		if n := w.get("/trigger-sources" + of).OK().Len("items"); n != 1200 {
			t.Errorf("%d sources, want all 1200", n)
		}
		if r := w.get("/trigger-sources" + of + "&limit=200").OK(); r.Len("items") != 200 || r.Text("next_cursor") == "" {
			t.Errorf("a part has %d sources", r.Len("items"))
		}
		if got := w.get("/trigger-sources/"+url.PathEscape("site,1")+"/sub-sources"+of).OK().Text("items", 0, "id"); got != "b!1" {
			t.Errorf("sub-source %q", got)
		}
		in := w.store.add(top, "In", true, nil)
		w.store.add(top, "Archive", true, nil)
		w.store.add(top, "note.txt", false, []byte("-"))
		deeper := w.store.add(in, "2026", true, nil)
		w.store.add(deeper, "05", true, nil)
		folders := "/trigger-sources/" + url.PathEscape("site,1") + "/sub-sources/" + url.PathEscape("b!1") + "/folders" + of
		list := w.get(folders).OK()
		if list.Len("items") != 2 || list.Text("items", 0, "path") != "Archive" || list.Text("items", 1, "path") != "In" {
			t.Errorf("the folders at the top are %s", list.Raw)
		}
		first := w.get(folders + "&limit=1").OK()
		if next := w.get(folders + "&limit=1&cursor=" + first.Text("next_cursor")).OK(); first.Text("items", 0, "name") != "Archive" || next.Text("items", 0, "name") != "In" {
			t.Errorf("the parts are %s and %s", first.Raw, next.Raw)
		}
		if got := w.get(folders + "&path=/In/2026/").OK(); got.Len("items") != 1 || got.Text("items", 0, "name") != "05" || got.Text("items", 0, "path") != "In/2026/05" {
			t.Errorf("the folders inside are %s", got.Raw)
		}
		w.get(folders+"&path=In/No").Want(404, "not_found")
		w.get(folders+"&path=In/../Archive").Want(400, "invalid_request")
		w.get(strings.Replace(folders, "b%211", "b%212", 1)).Want(404, "not_found")
		set := w.setUp(map[string]any{"source_id": "site,1", "sub_source_id": "b!1", "directories": []string{"/In/"}}).OK()
		if set.Text("status") != "ACTIVE" || set.Text("public_metadata", "directories", 0) != "In" {
			t.Fatalf("set up: %s", set.Raw)
		}
		w.eventually("polled", func() bool { return w.status().Text("last_poll_at") != "" })
		began := time.Now()
		w.store.add(in, "bill.xml", false, harness.UBL(uuid.NewString()))
		w.eventually("extracted", func() bool {
			list := w.Do(http.MethodGet, "/api/documents?status=EXTRACTED&entity_id="+w.org.Entity.String(), w.org.Admin.Token, nil).OK()
			return list.Len("items") == 1 && list.Text("items", 0, "source") == "TRIGGER" && list.Text("items", 0, "integration_id") == w.id
		})
		t.Logf("extracted after %s", time.Since(began))
		w.eventually("up to date", func() bool {
			r := w.status()
			return r.Number("files_ingested") == 1 && r.Number("files_waiting") == 0 && r.Text("directories", 0, "folders", 0, "current_path") == "In"
		})
	})
}

func (w *walk) status() harness.Response {
	w.t.Helper()
	return w.Do(http.MethodGet, "/api/integrations/"+w.id+"/status", w.org.Admin.Token, nil).OK()
}

func (w *walk) eventually(what string, done func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("never %s: %s", what, w.status().Raw)
		}
	}
}

// TestSetUpFields verifies that the error names each missing or invalid key.
func TestSetUpFields(t *testing.T) {
	t.Parallel()
	w := newWalk(t, harness.Options{})
	good := func() map[string]any { return map[string]any{"source_id": "site,1", "sub_source_id": "b!1"} }
	for _, c := range []struct {
		name   string
		change func(map[string]any)
		field  string
	}{
		{"no source", func(m map[string]any) { delete(m, "source_id") }, "public_metadata.source_id"},
		{"no sub-source", func(m map[string]any) { delete(m, "sub_source_id") }, "public_metadata.sub_source_id"},
		{"other source", func(m map[string]any) { m["source_id"] = "site,9999" }, "public_metadata.source_id"},
		{"other place", func(m map[string]any) { m["sub_source_id"] = "b!2" }, "public_metadata.sub_source_id"},
		{"path upwards", func(m map[string]any) { m["directories"] = []string{"../x"} }, "public_metadata.directories[0]"},
		{"of a ledger", func(m map[string]any) { m["organization_id"] = "x" }, "public_metadata.organization_id"},
		{"tax of a ledger", func(m map[string]any) { m["pays_tax"] = true }, "public_metadata.pays_tax"},
	} {
		m := good()
		c.change(m)
		r := w.setUp(m)
		if got := r.Want(400, "invalid_request").Text("error", "details", "fields", 0, "field"); got != c.field {
			t.Errorf("%s: names %q, want %q", c.name, got, c.field)
		}
	}
	w.store.set(func() { w.store.denied = true })
	m := good()
	m["directories"] = []string{"In"}
	w.setUp(m).Want(400, "invalid_request")
	w.get("/trigger-sources?entity_id="+w.org.Entity.String()).Want(500, "provider_unauthorized")
	w.get("/trigger-sources/site,1/sub-sources?entity_id="+w.org.Entity.String()).Want(500, "provider_unauthorized")
	w.store.set(func() { w.store.denied = false })
	for _, list := range []string{"/accounting-organizations?entity_id=" + w.org.Entity.String(), "/accounting-accounts", "/accounting-contacts"} {
		w.get(list).Want(400, "invalid_request")
	}
	// The root folder in the list means the whole location.
	m["directories"] = []string{"", "No"}
	w.setUp(m).OK()
	// A later setup need not repeat the keys.
	w.setUp(map[string]any{"directories": []string{}}).OK()
}

// TestSourceSegment verifies that the path segment reaches the connector
// unchanged or is refused.
func TestSourceSegment(t *testing.T) {
	t.Parallel()
	w := newWalk(t, harness.Options{})
	for _, id := range []string{
		"host.example,1b0f,7f7a", "b!x y", "../me", "..", "a/b", "a%2Fb", "a?x=y", "a#b", "ä", "a\\b", "a;b", "a+b", "a%",
	} {
		r := w.get("/trigger-sources/" + url.PathEscape(id) + "/sub-sources?entity_id=" + w.org.Entity.String())
		if r.Status != http.StatusNotFound || r.Text("error", "code") != string(fault.CodeNotFound) {
			t.Errorf("%q: %d %s", id, r.Status, r.Raw)
		}
		w.store.set(func() {
			// An encoded slash separates segments too, and no store uses it in
			// ids.
			switch n := len(w.store.asked); {
			case strings.Contains(id, "/") && n > 0, n > 1:
				t.Errorf("%q reached the connector as %q", id, w.store.asked)
			case !strings.Contains(id, "/") && (n == 0 || w.store.asked[0] != id):
				t.Errorf("%q reached the connector as %q", id, w.store.asked)
			}
			w.store.asked = nil
		})
	}
	w.get(fmt.Sprintf("/trigger-sources/%s/sub-sources", "site,1")).Want(400, "invalid_request")
}
