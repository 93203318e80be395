package gdrive_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"docledger/adapter/sim/gdrive"
)

func (w *world) startToken() string {
	w.t.Helper()
	return w.ok("changes/startPageToken", nil)["startPageToken"].(string)
}

// feed reads all changes after a token.
func (w *world) feed(token string) (out []object, next string, pages int) {
	w.t.Helper()
	for range 1000 {
		p := w.ok("changes", url.Values{"pageToken": {token}, "fields": {"*"}})
		pages++
		for _, one := range p["changes"].([]any) {
			out = append(out, one.(object))
		}
		more, goesOn := p["nextPageToken"].(string)
		end, done := p["newStartPageToken"].(string)
		if goesOn == done {
			w.t.Fatalf("a page with both or none of its tokens: %v", p)
		}
		if done {
			return out, end, pages
		}
		token = more
	}
	w.t.Fatal("the feed does not end")
	return nil, "", 0
}

func TestChanges(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	w.added(gdrive.File{Name: "before.xml"})
	token := w.startToken()
	if got, _, pages := w.feed(token); len(got) != 0 || pages != 1 {
		t.Errorf("nothing happened: %v", got)
	}
	var ids []string
	for n := range 25 {
		ids = append(ids, w.added(gdrive.File{Name: strconv.Itoa(n)}))
	}
	w.must(w.sim.Rename(ids[0], "renamed"))
	w.must(w.sim.Trash(ids[1]))
	w.must(w.sim.Delete(ids[2]))
	w.sim.SetLimits(func(l *gdrive.Limits) { l.MaxPage = 7 })
	got, next, pages := w.feed(token)
	states := map[string]object{}
	for _, c := range got {
		states[c["fileId"].(string)] = c
	}
	if len(got) != 25 || len(states) != 25 || pages != 4 {
		t.Errorf("%d changes of %d files on %d pages", len(got), len(states), pages)
	}
	if f := states[ids[0]]["file"].(object); f["name"] != "renamed" {
		t.Errorf("renamed: %v", f)
	}
	if f := states[ids[1]]["file"].(object); f["trashed"] != true {
		t.Errorf("in the bin: %v", f)
	}
	if c := states[ids[2]]; c["removed"] != true || c["file"] != nil {
		t.Errorf("deleted: %v", c)
	}
	w.sim.Configure(func(s *gdrive.Settings) { s.Repeats, s.EmptyPages = true, true })
	again, _, more := w.feed(token)
	if len(again) <= 28 || more != 8 {
		t.Errorf("%d changes on %d pages, with repeats and empty ones", len(again), more)
	}
	w.must(w.sim.Restore(ids[1]))
	if got, _, _ := w.feed(next); len(got) != 2 || got[0]["file"].(object)["trashed"] != false {
		t.Errorf("restored: %v", got)
	}
	for _, bad := range []string{"no-such", "1", "999999"} {
		w.refused("changes", url.Values{"pageToken": {bad}}, 400, "invalid")
	}
	w.refused("changes", nil, 400, "required")
	w.sim.InvalidateTokens()
	w.refused("changes", url.Values{"pageToken": {next}}, 400, "invalid")
	w.feed(w.startToken())
}

// TestChangesOfSharedDrives checks that the feed contains them only on request.
func TestChangesOfSharedDrives(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	drive, err := w.sim.AddDrive("Team")
	w.must(err)
	token := w.startToken()
	mine, theirs := w.added(gdrive.File{Name: "mine"}), w.added(gdrive.File{Name: "theirs", Parent: drive})
	all := url.Values{"supportsAllDrives": {"true"}, "includeItemsFromAllDrives": {"true"}}
	one := maps.Clone(all)
	one.Set("driveId", drive)
	for name, test := range map[string]struct {
		q    url.Values
		want []string
	}{"own": {url.Values{}, []string{mine}}, "all": {all, []string{mine, theirs}}, "one drive": {one, []string{theirs}}} {
		test.q.Set("pageToken", token)
		if got, _ := w.ids("changes", "changes", "fileId", test.q); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	w.refused("changes", url.Values{"driveId": {"none"}, "supportsAllDrives": {"true"}, "pageToken": {token}}, 404, "notFound")
}

func TestChannels(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	calls := make(chan http.Header, 10)
	inbox := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { calls <- r.Header }))
	t.Cleanup(inbox.Close)
	expect := func(state, number string) {
		t.Helper()
		select {
		case h := <-calls:
			if h.Get("X-Goog-Resource-State") != state || h.Get("X-Goog-Message-Number") != number || h.Get("X-Goog-Channel-Id") != "channel-1" || h.Get("X-Goog-Channel-Token") != "canary" {
				t.Errorf("message %v, want %s", h, state)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("no message %s", state)
		}
	}
	token := url.Values{"pageToken": {w.startToken()}}
	body := object{"id": "channel-1", "type": "web_hook", "address": inbox.URL, "token": "canary"}
	status, ch := w.api("POST", "changes/watch", token, body)
	if want := start.Add(time.Hour).UnixMilli(); status != 200 || ch["expiration"] != strconv.FormatInt(want, 10) || ch["resourceId"] == "" {
		t.Fatalf("%d %v", status, ch)
	}
	expect("sync", "1")
	id := w.added(gdrive.File{Name: "a"})
	expect("change", "2")
	w.sim.Configure(func(s *gdrive.Settings) { s.DropNotifications = true })
	w.must(w.sim.Rename(id, "b"))
	w.sim.Configure(func(s *gdrive.Settings) { s.DropNotifications, s.RepeatNotifications = false, true })
	w.must(w.sim.Rename(id, "c"))
	expect("change", "4")
	expect("change", "4")
	if status, out := w.api("POST", "changes/watch", token, body); status != 400 || reasonOf(out) != "channelIdNotUnique" {
		t.Errorf("the same again: %d %v", status, out)
	}
	stop := object{"id": "channel-1", "resourceId": ch["resourceId"]}
	if status, out := w.api("POST", "channels/stop", nil, stop); status != 204 || out != nil {
		t.Errorf("stop: %d %v", status, out)
	}
	if status, _ := w.api("POST", "channels/stop", nil, stop); status != 404 {
		t.Errorf("stopped again: %d", status)
	}
	w.sim.Configure(func(s *gdrive.Settings) { s.RepeatNotifications = false })
	for name, change := range map[string]object{
		"no TLS": {"address": "http://elsewhere.example"}, "past": {"expiration": "1"}, "type": {"type": "mail"}, "id": {"id": ""},
	} {
		bad := maps.Clone(body)
		maps.Copy(bad, change)
		if status, _ := w.api("POST", "changes/watch", token, bad); status != 400 {
			t.Errorf("%s: %d", name, status)
		}
	}
	unverified := maps.Clone(body)
	maps.Copy(unverified, object{"id": "channel-2", "address": "https://hooks.example/x"})
	if status, out := w.api("POST", "changes/watch", token, unverified); status != 401 || reasonOf(out) != "webhookUrlUnauthorized" {
		t.Errorf("an unverified address: %d %v", status, out)
	}
	// A watch of one file reports its changes until the watch expires. A watch without a limit
	// expires after one day.
	body["expiration"] = start.Add(1000 * time.Hour).UnixMilli()
	if _, ch = w.api("POST", "files/"+id+"/watch", nil, body); ch["expiration"] != strconv.FormatInt(start.Add(24*time.Hour).UnixMilli(), 10) {
		t.Errorf("the watch is %v", ch)
	}
	expect("sync", "1")
	w.added(gdrive.File{Name: "other"})
	w.must(w.sim.Trash(id))
	expect("trash", "2")
	w.sim.Kit.Clock.Advance(25 * time.Hour)
	w.must(w.sim.Restore(id))
	w.sim.Close()
	if len(calls) != 0 {
		t.Errorf("an expired channel was notified: %v", <-calls)
	}
}
