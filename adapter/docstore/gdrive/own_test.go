package gdrive_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/adapter/docstore/gdrive"
	sim "docledger/adapter/sim/gdrive"
	"docledger/domain/docstore"
	"docledger/domain/docstore/docstoretest"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// entered consents and returns an access.
func (w *fixture) entered(c *gdrive.Connector) integration.Access {
	w.t.Helper()
	consent, err := c.Exchange(context.Background(), w.agreed(c))
	w.must(err)
	return integration.Access{Token: consent.Tokens.Access, Account: consent.Account}
}

// agreed returns the callback of the consent page, on which scopes may be deselected.
func (w *fixture) agreed(c *gdrive.Connector, scopes ...string) integration.Callback {
	w.t.Helper()
	to, err := w.sim.Consent(c.AuthorizationURL(integration.AuthorizationRequest{State: "s", RedirectURI: docstoretest.RedirectURI}), scopes...)
	q := w.brought(to, err)
	return integration.Callback{Code: q.Get("code"), RedirectURI: docstoretest.RedirectURI, Query: q}
}

func TestUntickedScope(t *testing.T) {
	t.Parallel()
	c, w := open(t, false, nil)
	_, err := c.Exchange(context.Background(), w.agreed(c, "openid"))
	if f, ok := fault.As(err); !ok || f.Kind != fault.Invalid || !strings.Contains(f.Message, "ticked") {
		t.Errorf("without the scope: %v", err)
	}
	if _, err := c.Exchange(context.Background(), w.agreed(c, sim.ReadScope)); fault.CodeOf(err) != fault.CodeInvalidRequest {
		t.Errorf("without an account: %v", err)
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	c, w := open(t, false, nil)
	consent, err := c.Exchange(context.Background(), w.agreed(c))
	w.must(err)
	for range 2 {
		w.must(c.Revoke(context.Background(), consent.Tokens))
	}
	if _, err := c.Refresh(context.Background(), consent.Tokens.Refresh); !errors.Is(err, integration.ErrReconnect) {
		t.Errorf("after the expiry: %v", err)
	}
	other, err := gdrive.New(gdrive.Options{ClientID: clientID, ClientSecret: secret.New("another"), URL: w.url, LoopbackHTTP: true})
	w.must(err)
	if _, err := other.Refresh(context.Background(), consent.Tokens.Refresh); fault.CodeOf(err) != fault.CodeProviderSetup || errors.Is(err, integration.ErrReconnect) {
		t.Errorf("with a wrong secret: %v", err)
	}
}

// TestSourcesOfAllKinds checks that own folders, shared folders and shared drives are sources, and
// nothing else is.
func TestSourcesOfAllKinds(t *testing.T) {
	t.Parallel()
	c, w := open(t, false, nil)
	a := w.entered(c)
	drive := w.id(w.sim.AddDrive("Team"))
	shared := w.id(w.sim.Add(sim.File{Name: "Shared", MimeType: sim.FolderType, SharedWithMe: true}))
	binned := w.id(w.sim.AddFolder("", "Old"))
	w.must(w.sim.Trash(binned))
	w.id(w.sim.Add(sim.File{Name: "a.pdf"}))
	w.id(w.sim.Add(sim.File{Name: "link", MimeType: sim.ShortcutType, Target: drive}))
	list, err := c.Sources(context.Background(), a)
	w.must(err)
	var ids []string
	for _, s := range list {
		ids = append(ids, s.ID)
	}
	if want := []string{w.place.Source, shared, drive}; !slices.Equal(ids, want) {
		t.Errorf("sources %v, want %v", ids, want)
	}
	inside := w.id(w.sim.AddFolder(shared, "in it"))
	for _, source := range []string{shared, drive} {
		if _, err := c.SubSources(context.Background(), a, source); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.SubSource(context.Background(), a, docstore.Location{Source: shared, SubSource: inside}); err != nil {
		t.Error(err)
	}
	for _, none := range []string{binned, "root"} {
		if _, err := c.SubSources(context.Background(), a, none); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("%s: %v", none, err)
		}
	}
	// A folder without access is reported as not found.
	w.must(w.sim.Deny(w.place.Source, 404))
	if _, err := c.SubSources(context.Background(), a, w.place.Source); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("no access: %v", err)
	}
}

// TestKinds covers items that are not plain files.
func TestKinds(t *testing.T) {
	t.Parallel()
	c, w := open(t, false, nil)
	a := w.entered(c)
	in := func(f sim.File) string {
		f.Parent = w.place.SubSource
		return w.id(w.sim.Add(f))
	}
	doc := in(sim.File{Name: "Bill", MimeType: sim.DocumentType, Content: []byte("%PDF-1.7")})
	link := in(sim.File{Name: "link", MimeType: sim.ShortcutType, Target: w.outside})
	form := in(sim.File{Name: "form", MimeType: "application/vnd.google-apps.form"})
	half := in(sim.File{Name: "half.pdf", MimeType: "application/pdf", Content: []byte("%PDF"), Partial: true})
	page, err := c.Children(context.Background(), a, w.place, "", "")
	w.must(err)
	items := map[string]docstore.Item{}
	for _, change := range page.Changes {
		items[change.ID] = change.Item
	}
	if !items[link].Linked || items[link].Folder || !items[form].Linked || items[doc].Linked || items[doc].Size != -1 || items[doc].Version == "" {
		t.Errorf("the items are %+v", items)
	}
	got, err := c.Open(context.Background(), a, w.place, items[doc])
	w.must(err)
	raw, err := io.ReadAll(got.Body)
	w.must(err)
	w.must(got.Body.Close())
	if string(raw) != "%PDF-1.7" || got.MediaType != "application/pdf" || got.Name != "Bill.pdf" {
		t.Errorf("the document is %q, %+v", raw, got)
	}
	for _, id := range []string{link, form, w.outside} {
		if _, err := c.Open(context.Background(), a, w.place, docstore.Item{ID: id}); !errors.Is(err, docstore.ErrWithheld) {
			t.Errorf("%s: %v, want ErrWithheld", items[id].Name, err)
		}
	}
	w.sim.SetLimits(func(l *sim.Limits) { l.ExportBytes = 3 })
	if _, err := c.Open(context.Background(), a, w.place, items[doc]); !errors.Is(err, docstore.ErrWithheld) {
		t.Errorf("too large: %v", err)
	}
	if _, err := c.Open(context.Background(), a, w.place, items[half]); !errors.Is(err, docstore.ErrLocked) {
		t.Errorf("half uploaded: %v", err)
	}
	cursor, err := c.Start(context.Background(), a, w.place)
	w.must(err)
	w.must(w.sim.Finish(half))
	next, err := c.Next(context.Background(), a, w.place, cursor)
	w.must(err)
	if len(next.Changes) != 1 || next.Changes[0].ID != half || next.Changes[0].Version == items[half].Version || !strings.HasPrefix(next.Changes[0].Hash, "sha256:") {
		t.Errorf("uploaded: %+v", next)
	}
}

// TestDirectoriesOfOneName checks that names may repeat and may differ only in case.
func TestDirectoriesOfOneName(t *testing.T) {
	t.Parallel()
	c, w := open(t, false, nil)
	a := w.entered(c)
	var want []string
	for range 2 {
		twin := w.id(w.sim.AddFolder(w.place.SubSource, "2026"))
		want = append(want, w.id(w.sim.AddFolder(twin, `May \ 'ü`)))
	}
	w.id(w.sim.AddFolder(w.id(w.sim.AddFolder(w.place.SubSource, "2026")), `may \ 'Ü`))
	got, err := c.Directories(context.Background(), a, w.place, `2026/May \ 'ü`)
	w.must(err)
	if len(got) != 2 || got[0].ID != want[0] || got[1].ID != want[1] {
		t.Errorf("found %+v, want %v", got, want)
	}
}

// TestPermanentDeletion checks that a permanently deleted file is reported as deleted.
func TestPermanentDeletion(t *testing.T) {
	t.Parallel()
	c, w := open(t, false, nil)
	a := w.entered(c)
	id := w.Add("d/a.xml", []byte("<a/>"))
	cursor, err := c.Start(context.Background(), a, w.place)
	w.must(err)
	w.must(w.sim.Delete(id))
	w.id(w.sim.AddDrive("Team"))
	page, err := c.Next(context.Background(), a, w.place, cursor)
	w.must(err)
	if len(page.Changes) != 1 || !page.Changes[0].Removed || page.Changes[0].ID != id || !page.Done {
		t.Errorf("received %+v", page)
	}
}

func TestRefusalsOfTheLimits(t *testing.T) {
	t.Parallel()
	c, w := open(t, false, nil)
	a := w.entered(c)
	for reason, after := range map[string]time.Duration{
		"userRateLimitExceeded": time.Minute, "rateLimitExceeded": time.Minute, "dailyLimitExceeded": time.Hour,
	} {
		w.must(w.sim.Refuse(reason, 1))
		_, err := c.Sources(context.Background(), a)
		if f, ok := fault.As(err); !ok || !errors.Is(err, integration.ErrRateLimited) || f.RetryAfter != after {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

func TestNotifications(t *testing.T) {
	t.Parallel()
	for name, shared := range map[string]bool{"own files": false, "shared drive": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testNotifications(t, shared)
		})
	}
}

func testNotifications(t *testing.T, shared bool) {
	c, w := open(t, shared, nil)
	a := w.entered(c)
	calls := make(chan http.Header, 10)
	inbox := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { calls <- r.Header }))
	t.Cleanup(inbox.Close)
	cursor, err := c.Start(context.Background(), a, w.place)
	w.must(err)
	proof := secret.New("canary-proof")
	first, err := c.Subscribe(context.Background(), a, w.place, cursor, inbox.URL, proof)
	w.must(err)
	if left := first.ExpiresAt.Sub(w.Now()); first.ID == "" || first.Resource == "" || left != 6*24*time.Hour {
		t.Errorf("subscribed %+v", first)
	}
	second, err := c.Renew(context.Background(), a, w.place, first, cursor, inbox.URL, proof)
	w.must(err)
	if second.ID == first.ID {
		t.Error("a channel was extended, which the store does not support")
	}
	for range 2 {
		w.must(c.Unsubscribe(context.Background(), a, first))
	}
	w.Add("a.xml", []byte("<a/>"))
	for _, want := range []string{"sync", "sync", "change"} {
		select {
		case h := <-calls:
			if h.Get("X-Goog-Resource-State") != want || h.Get("X-Goog-Channel-Token") != "canary-proof" {
				t.Errorf("received %v, want %s", h, want)
			}
			read, err := c.Read(docstore.Call{Header: h})
			if w.must(err); read.Echo != "" || len(read.Proofs) != 1 || read.Proofs[0] != proof || read.Changed != (want == "change") {
				t.Errorf("%s is read as %+v", want, read)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("no notification of %s", want)
		}
	}
	for name, wrong := range map[string][2]string{"address": {cursor, "http://elsewhere.example"}, "cursor": {"none", inbox.URL}} {
		if _, err := c.Subscribe(context.Background(), a, w.place, wrong[0], wrong[1], proof); err == nil {
			t.Errorf("subscribed with a wrong %s", name)
		}
	}
}
