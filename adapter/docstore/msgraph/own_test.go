package msgraph_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/adapter/docstore/msgraph"
	sim "docledger/adapter/sim/msgraph"
	"docledger/domain/docstore"
	"docledger/domain/docstore/docstoretest"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// entered consents and returns an access.
func (w *fixture) entered(c *msgraph.Connector) integration.Access {
	w.t.Helper()
	consent, err := c.Exchange(context.Background(), w.agreed(c))
	w.must(err)
	return integration.Access{Token: consent.Tokens.Access, Account: consent.Account}
}

func (w *fixture) agreed(c *msgraph.Connector) integration.Callback {
	w.t.Helper()
	q := w.Consent(c.AuthorizationURL(integration.AuthorizationRequest{State: "s", RedirectURI: docstoretest.RedirectURI}))
	return integration.Callback{Code: q.Get("code"), RedirectURI: docstoretest.RedirectURI, Query: q}
}

// TestInsufficientConsents covers consents with fewer scopes than required.
func TestInsufficientConsents(t *testing.T) {
	t.Parallel()
	for scopes, message := range map[string]string{
		"openid offline_access Files.Read.All":           "read sites",
		"offline_access Sites.Read.All":                  "does not accept the consent",
		"openid Sites.Read.All":                          "does not accept the consent",
		"openid offline_access Sites.ReadWrite.All":      "",
		"openid offline_access User.Read sites.read.ALL": "",
	} {
		c, w := open(t, func(o *msgraph.Options) { o.Scopes = strings.Fields(scopes) })
		consent, err := c.Exchange(context.Background(), w.agreed(c))
		if f, ok := fault.As(err); message != "" && (!ok || f.Kind != fault.Invalid || !strings.Contains(f.Message, message)) {
			t.Errorf("%s: %v", scopes, err)
		}
		if errors.Is(err, integration.ErrAdminRequired) != (message == "read sites") {
			t.Errorf("%s: %v, and whether an administrator must consent is wrong", scopes, err)
		}
		if message == "" && (err != nil || consent.Account != sim.DefaultTenant+":"+sim.DefaultUsers()[0].ID) {
			t.Errorf("%s: %q, %v", scopes, consent.Account, err)
		}
	}
}

// TestRevoke checks that the connector claims no revocation, because the provider has none.
func TestRevoke(t *testing.T) {
	t.Parallel()
	c, w := open(t, nil)
	consent, err := c.Exchange(context.Background(), w.agreed(c))
	w.must(err)
	w.must(c.Revoke(context.Background(), consent.Tokens))
	if reach, ok := any(c).(integration.RevocationReach); ok && reach.RevokesAccount() {
		t.Error("it claims to end other consents")
	}
	next, err := c.Refresh(context.Background(), consent.Tokens.Refresh)
	w.must(err)
	if next.Refresh == consent.Tokens.Refresh {
		t.Error("the refresh token was not replaced")
	}
	other, err := msgraph.New(msgraph.Options{ClientID: clientID, ClientSecret: secret.New("another"), URL: w.url, LoopbackHTTP: true})
	w.must(err)
	if _, err := other.Refresh(context.Background(), consent.Tokens.Refresh); fault.CodeOf(err) != fault.CodeProviderSetup || errors.Is(err, integration.ErrReconnect) {
		t.Errorf("with a wrong secret: %v", err)
	}
}

// TestTokenEndpoint checks the fault for each error code of the token endpoint.
func TestTokenEndpoint(t *testing.T) {
	t.Parallel()
	for word, test := range map[string]struct {
		status    int
		reconnect bool
		want      fault.Code
	}{
		"invalid_grant": {400, true, fault.CodeProviderUnauthorized}, "interaction_required": {400, true, fault.CodeProviderUnauthorized},
		"consent_required": {400, true, fault.CodeProviderUnauthorized}, "unauthorized_client": {400, false, fault.CodeProviderSetup},
		"invalid_client": {401, false, fault.CodeProviderSetup}, "temporarily_unavailable": {400, false, fault.CodeProviderUnavailable},
		"server_error": {500, false, fault.CodeProviderUnavailable},
	} {
		s := &transport{answer: func(*http.Request) *http.Response {
			return respond(test.status, `{"error":"`+word+`","error_description":"canary-token"}`)
		}}
		_, err := connected(t, msgraph.Options{Transport: s}).Refresh(context.Background(), secret.New("canary-refresh"))
		if fault.CodeOf(err) != test.want || errors.Is(err, integration.ErrReconnect) != test.reconnect || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", word, err)
		}
	}
}

// TestIDTokens checks that only a valid id token identifies an account.
func TestIDTokens(t *testing.T) {
	t.Parallel()
	claims := func(tid, oid, aud string) string {
		raw, err := json.Marshal(map[string]string{"tid": tid, "oid": oid, "aud": aud})
		if err != nil {
			t.Fatal(err)
		}
		return "e30." + base64.RawURLEncoding.EncodeToString(raw) + ".x"
	}
	for token, account := range map[string]string{
		claims("t-1", "p-1", clientID): "t-1:p-1", claims("t-1", "p-1", "another"): "", claims("", "p", clientID): "", claims("t", "", clientID): "",
		claims("t:u", "p", clientID): "", claims("t", strings.Repeat("p", 65), clientID): "", "": "", "a.b.c": "", "..": "",
	} {
		s := &transport{answer: func(*http.Request) *http.Response {
			return respond(http.StatusOK, `{"access_token":"a","refresh_token":"r","expires_in":3599,"id_token":"`+token+`"}`)
		}}
		got, err := connected(t, msgraph.Options{Transport: s}).Exchange(context.Background(), integration.Callback{Code: "c"})
		if got.Account != account || (err == nil) != (account != "") {
			t.Errorf("%s: %q, %v", token, got.Account, err)
		}
	}
}

// TestSourceNames checks that sources have the names that people know.
func TestSourceNames(t *testing.T) {
	t.Parallel()
	c, w := open(t, nil)
	a := w.entered(c)
	list, err := c.Sources(context.Background(), a)
	w.must(err)
	if len(list) != 1 || list[0].ID != sim.DefaultSite || list[0].Name != "Books" || list[0].Path != "/sites/books" || !strings.HasPrefix(list[0].WebURL, "https://") {
		t.Errorf("sources %+v", list)
	}
	inside, err := c.SubSources(context.Background(), a, list[0].ID)
	w.must(err)
	if len(inside) != 2 || inside[0].Name != "Documents" || inside[0].Path != "/sites/books/Documents" || inside[0].ID != sim.DefaultDrive {
		t.Errorf("sub-sources %+v", inside)
	}
}

// TestKinds covers items that are not plain files.
func TestKinds(t *testing.T) {
	t.Parallel()
	s := &transport{answer: func(*http.Request) *http.Response {
		return respond(http.StatusOK, `{"@odata.deltaLink":"https://graph.microsoft.com/v1.0/drives/d/root/delta?token=2","value":[
			{"id":"r","name":"root","root":{},"folder":{"childCount":1}},
			{"id":"shortcut","name":"s","folder":{},"remoteItem":{"id":"x"},"parentReference":{"id":"r"}},
			{"id":"notebook","name":"n","package":{"type":"oneNote"},"folder":{},"parentReference":{"id":"r"}},
			{"id":"unknown","name":"u","parentReference":{"id":"r"}},
			{"id":"plain","name":"p.pdf","size":5,"eTag":"e","webUrl":"javascript:alert(1)","file":{"mimeType":"application/pdf","hashes":{"quickXorHash":"q"}},"lastModifiedDateTime":"2026-11-15T12:00:00Z","parentReference":{"id":"r"}},
			{"id":"bare","name":"b.pdf","eTag":"e2","file":{},"parentReference":{"id":"r"}},
			{"id":"sha","name":"c.pdf","size":-3,"cTag":"c3","file":{"hashes":{"sha256Hash":"AB","quickXorHash":"q"}},"parentReference":{"id":"r"}},
			{"name":"no id"},
			{"id":"gone","deleted":{"state":"deleted"},"file":{},"parentReference":{"id":"r"}}]}`)
	}}
	page, err := connected(t, msgraph.Options{Transport: s}).Next(context.Background(), canary, where, cursorOne)
	if err != nil || !page.Done || page.Cursor != "1:drives/d/root/delta?token=2" {
		t.Fatalf("%+v, %v", page, err)
	}
	got := map[string]docstore.Change{}
	for _, c := range page.Changes {
		got[c.ID] = c
	}
	if len(got) != 8 || !got["r"].Top || !got["r"].Folder || got["r"].Linked || !got["gone"].Removed || got["plain"].Removed {
		t.Errorf("changes %+v", got)
	}
	for id, linked := range map[string]bool{"shortcut": true, "notebook": true, "unknown": true, "plain": false, "bare": false, "sha": false} {
		if it := got[id]; it.Linked != linked || it.Folder || it.Top || it.Parent != "r" {
			t.Errorf("%s is %+v", id, it)
		}
	}
	if it := got["plain"]; it.Version != "quickxor:q:5:2026-11-15T12:00:00Z" || it.Hash != "quickxor:q" || it.Size != 5 || it.WebURL != "" || it.MediaType != "application/pdf" {
		t.Errorf("a file without content tag is %+v", it)
	}
	if it := got["bare"]; it.Version != "e2" || it.Hash != "" || it.Size != -1 {
		t.Errorf("a file without digest is %+v", it)
	}
	if it := got["sha"]; it.Version != "c3" || it.Hash != "sha256:ab" || it.Size != -1 {
		t.Errorf("a file with two digests is %+v", it)
	}
}

// TestBlockedFiles covers files that the store blocks.
func TestBlockedFiles(t *testing.T) {
	t.Parallel()
	c, w := open(t, nil)
	a := w.entered(c)
	id, folder := w.Add("half.pdf", []byte("%PDF")), w.AddFolder("d")
	openIt := func(id string) error {
		content, err := c.Open(context.Background(), a, w.Place(), docstore.Item{ID: id})
		if err == nil {
			_, err = io.Copy(io.Discard, content.Body)
			err = errors.Join(err, content.Body.Close())
		}
		return err
	}
	for _, test := range []struct {
		hold sim.Hold
		want error
	}{{sim.Hold{Uploading: true}, docstore.ErrLocked}, {sim.Hold{Infected: true}, docstore.ErrWithheld}, {}} {
		w.must(w.sim.Hold("", id, test.hold))
		if err := openIt(id); !errors.Is(err, test.want) {
			t.Errorf("%+v: %v", test.hold, err)
		}
	}
	if err := openIt(folder); !errors.Is(err, docstore.ErrWithheld) {
		t.Errorf("a folder: %v", err)
	}
	// The provider compares ids without case.
	w.must(openIt(strings.ToLower(id)))
	if w.Leaked() {
		t.Error("the token reached the host that serves contents")
	}
}

// TestDirectoryNamesIgnoreCase checks that directory names are compared without case.
func TestDirectoryNamesIgnoreCase(t *testing.T) {
	t.Parallel()
	c, w := open(t, nil)
	a := w.entered(c)
	id := w.AddFolder("In/Été")
	got, err := c.Directories(context.Background(), a, w.Place(), "iN/éTÉ")
	w.must(err)
	if len(got) != 1 || got[0].ID != id || got[0].Name != "Été" {
		t.Errorf("found %+v, want %s", got, id)
	}
	gone := docstore.Location{Source: sim.DefaultSite, SubSource: "b!none"}
	if _, err := c.Directories(context.Background(), a, gone, "In"); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("of a deleted library: %v", err)
	}
	if _, err := c.Next(context.Background(), a, gone, "1:drives/b!none/root/delta"); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("changes of a deleted library: %v", err)
	}
}

func TestNotifications(t *testing.T) {
	t.Parallel()
	c, w := open(t, nil)
	a := w.entered(c)
	received := make(chan string, 10)
	inbox := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if token := r.URL.Query().Get("validationToken"); token != "" {
			rw.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(rw, token)
			return
		}
		raw, _ := io.ReadAll(r.Body) // what is missing is seen below
		received <- string(raw)
	}))
	t.Cleanup(inbox.Close)
	proof := secret.New("canary-proof")
	first, err := c.Subscribe(context.Background(), a, w.Place(), "", inbox.URL, proof)
	w.must(err)
	if first.ID == "" || first.ExpiresAt.Sub(w.Now()) != 28*24*time.Hour {
		t.Errorf("subscribed %+v", first)
	}
	w.Advance(10 * 24 * time.Hour)
	a = w.entered(c)
	second, err := c.Renew(context.Background(), a, w.Place(), first, "", inbox.URL, proof)
	w.must(err)
	if second.ID != first.ID || second.ExpiresAt.Sub(first.ExpiresAt) != 10*24*time.Hour {
		t.Errorf("renewed %+v", second)
	}
	w.Add("a.xml", []byte("<a/>"))
	select {
	case body := <-received:
		if !strings.Contains(body, `"clientState":"canary-proof"`) || !strings.Contains(body, first.ID) {
			t.Errorf("received %s", body)
		}
		read, err := c.Read(docstore.Call{Body: []byte(body)})
		if w.must(err); read.Echo != "" || len(read.Proofs) != 1 || read.Proofs[0] != proof || !read.Changed {
			t.Errorf("read as %+v", read)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no notification")
	}
	for range 2 {
		w.must(c.Unsubscribe(context.Background(), a, second))
	}
	if _, err := c.Renew(context.Background(), a, w.Place(), second, "", inbox.URL, proof); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("renewed after the expiry: %v", err)
	}
	if _, err := c.Subscribe(context.Background(), a, w.Place(), "", "http://elsewhere.example", proof); err == nil {
		t.Error("subscribed with a wrong address")
	}
	w.sim.Configure(func(s *sim.Settings) { s.ReadOnlySubscriptions = false })
	if _, err := c.Subscribe(context.Background(), a, w.Place(), "", inbox.URL, proof); !errors.Is(err, docstore.ErrDenied) {
		t.Errorf("without the right to write: %v, want ErrDenied", err)
	}
}

// TestReadCalls covers calls of unverified senders.
func TestReadCalls(t *testing.T) {
	t.Parallel()
	c, _ := open(t, nil)
	for name, test := range map[string]struct {
		token, body string
		want        docstore.Notification
		code        fault.Code
	}{
		"a text to repeat":    {"Validation: <b>", "", docstore.Notification{Echo: "Validation: <b>"}, ""},
		"too long a text":     {strings.Repeat("x", 5000), "", docstore.Notification{}, fault.CodeInvalidRequest},
		"nothing":             {"", "", docstore.Notification{}, fault.CodeInvalidRequest},
		"no JSON":             {"", "<a/>", docstore.Notification{}, fault.CodeInvalidRequest},
		"other JSON":          {"", `{"value":{"clientState":"s"}}`, docstore.Notification{}, fault.CodeInvalidRequest},
		"no notification":     {"", `{"value":[]}`, docstore.Notification{Changed: true}, ""},
		"one without a proof": {"", `{"value":[{"clientState":"s"},{}]}`, docstore.Notification{Changed: true, Proofs: []secret.Text{secret.New("s"), {}}}, ""},
	} {
		q := url.Values{}
		if test.token != "" {
			q.Set("validationToken", test.token)
		}
		got, err := c.Read(docstore.Call{Query: q, Body: []byte(test.body)})
		if fault.CodeOf(err) != test.code || got.Echo != test.want.Echo || got.Changed != test.want.Changed || !slices.Equal(got.Proofs, test.want.Proofs) {
			t.Errorf("%s: read as %+v, %v", name, got, err)
		}
	}
}
