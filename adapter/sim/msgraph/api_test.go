package msgraph_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"docledger/adapter/sim/msgraph"
)

func TestSites(t *testing.T) {
	t.Parallel()
	w := connected(t, func(o *msgraph.Options) { l := msgraph.DefaultLimits(); l.MinuteUnits = 0; o.Limits = &l })
	w.sim.AddSites(1199)
	list, _ := w.all("/v1.0/sites?search=*&$top=500")
	ids := map[any]bool{}
	for _, at := range list {
		ids[at["id"]] = true
	}
	if len(list) != 1200 || len(ids) != 1200 || !ids[msgraph.DefaultSite] {
		t.Fatalf("%d sites, %d ids", len(list), len(ids))
	}
	if some, _ := w.all("/v1.0/sites?search=seeded%201199"); len(some) != 1 {
		t.Errorf("%d sites of that name", len(some))
	}
	w.get(400, "/v1.0/sites")
	w.get(400, "/v1.0/sites?search=*&$skiptoken=x")
	site := "/v1.0/sites/" + url.PathEscape(msgraph.DefaultSite)
	if at := w.get(200, site); at.text("displayName") != "Books" || w.get(200, "/v1.0/sites/root").text("id") != at.text("id") {
		t.Errorf("%s", at.raw)
	}
	if d := w.get(200, site+"/drive?$select=id,name"); d.text("id") != msgraph.DefaultDrive || len(d.body) != 2 {
		t.Errorf("%s", d.raw)
	}
	w.must(w.sim.AddDrives(msgraph.DefaultSite, 450))
	if drives, _ := w.all(site + "/drives"); len(drives) != 451 {
		t.Errorf("%d drives", len(drives))
	}
	w.get(404, "/v1.0/sites/no-such-site/drives")
	w.must(w.sim.Deny(msgraph.DefaultSite, true))
	for _, path := range []string{site, site + "/drives", drivePath, drivePath + "/root/delta", drivePath + "/root/children"} {
		if r := w.get(403, path); r.code() != "accessDenied" {
			t.Errorf("%s: %s", path, r.raw)
		}
	}
	if list, _ = w.all("/v1.0/sites?search=*"); len(list) != 1199 {
		t.Errorf("%d sites without the one that is denied", len(list))
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	id := w.put("In voices/20 % & #1's/a b.xml", "<a/>")
	w.put("In voices/z.pdf", "pdf")
	byPath := w.get(200, drivePath+"/root:/In%20voices/20%20%25%20&%20%231%27s/A%20B.xml")
	byID := w.get(200, drivePath+"/items/"+id)
	for _, r := range []reply{byPath, byID} {
		parent, _ := r.body["parentReference"].(map[string]any)
		if r.text("id") != id || r.text("name") != "a b.xml" || r.body["size"] != 4.0 ||
			parent["path"] != "/drives/"+msgraph.DefaultDrive+"/root:/In%20voices/20%20%25%20&%20%231%27s" || r.text("@microsoft.graph.downloadUrl") == "" {
			t.Errorf("%s", r.raw)
		}
	}
	if kids, _ := w.all(drivePath + "/root:/in%20voices:/children?$top=1"); len(kids) != 2 {
		t.Errorf("%d children", len(kids))
	}
	if kids, _ := w.all(drivePath + "/root/children"); len(kids) != 1 || kids[0]["folder"] == nil {
		t.Errorf("%v", kids)
	}
	if kids, _ := w.all(drivePath + "/root:/:/children"); len(kids) != 1 {
		t.Errorf("%v", kids)
	}
	for path, status := range map[string]int{
		drivePath + "/items/no": 404, drivePath + "/root:/no": 404, drivePath + "/items/..%2F..%2Fme": 404, "/v1.0/drives/..%2Fme/root": 404,
		"/v1.0/drives/x/root": 404, drivePath + "/items/" + id + "/versions": 400, drivePath + "/nothing": 400, "/v1.0/users": 400, "/v1.0//x": 400,
		"/v2.0/me": 404, drivePath + "/items/" + id + "/children/more": 400,
	} {
		if r := w.call(http.MethodGet, path, nil); r.status != status {
			t.Errorf("%s: %d, want %d", path, r.status, status)
		}
	}
	if r := w.call(http.MethodDelete, drivePath+"/items/"+id, nil); r.status != 405 {
		t.Errorf("an item can be deleted: %d", r.status)
	}
	if r := w.call(http.MethodGet, "/v1.0/me", nil, "Authorization", ""); r.status != 401 || r.header.Get("WWW-Authenticate") == "" {
		t.Errorf("without a token: %d", r.status)
	}
}

// TestContent follows the redirect to the content without the token, as a client must, and with
// it, as a client must not.
func TestContent(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	id := w.put("a.xml", "0123456789")
	at := w.get(302, drivePath+"/items/"+id+"/content").header.Get("Location")
	if !strings.HasPrefix(at, w.url+"/_layouts/15/download.aspx?") {
		t.Fatal(at)
	}
	if r := w.call(http.MethodGet, at, nil, "Authorization", ""); r.raw != "0123456789" || r.header.Get("Content-Length") != "10" {
		t.Errorf("%d %q", r.status, r.raw)
	}
	if r := w.call(http.MethodGet, at, nil, "Authorization", "", "Range", "bytes=2-4"); r.status != 206 || r.raw != "234" {
		t.Errorf("%d %q", r.status, r.raw)
	}
	if w.sim.Leaked() {
		t.Error("a token came along, it is said")
	}
	if r := w.call(http.MethodGet, at, nil); r.status != 401 || !w.sim.Leaked() {
		t.Errorf("with a token: %d", r.status)
	}
	w.sim.Kit.Clock.Advance(11 * time.Minute)
	if r := w.call(http.MethodGet, at, nil, "Authorization", ""); r.status != 401 {
		t.Errorf("later: %d", r.status)
	}
	for name, tc := range map[string]struct {
		hold   msgraph.Hold
		status int
		code   string
	}{
		"locked":    {msgraph.Hold{Locked: true}, 423, "resourceLocked"},
		"uploading": {msgraph.Hold{Uploading: true}, 409, "resourceModified"},
		"infected":  {msgraph.Hold{Infected: true}, 403, "malwareDetected"},
	} {
		w.must(w.sim.Hold("", id, tc.hold))
		if r := w.get(tc.status, drivePath+"/items/"+id+"/content"); r.code() != tc.code {
			t.Errorf("%s: %s", name, r.raw)
		}
		if r := w.get(200, drivePath+"/items/"+id); r.text("@microsoft.graph.downloadUrl") != "" {
			t.Errorf("%s has an address: %s", name, r.raw)
		}
	}
	large, err := w.sim.Put("", "large.bin", []byte("head"), 5<<30, "")
	w.must(err)
	at = w.get(302, drivePath+"/root:/large.bin:/content").header.Get("Location")
	if r := w.call(http.MethodGet, at, nil, "Authorization", "", "Range", "bytes=2-5"); r.raw != "ad\x00\x00" || r.header.Get("Content-Range") != "bytes 2-5/5368709120" {
		t.Errorf("%q %s of %s", r.raw, r.header.Get("Content-Range"), large)
	}
	w.get(400, drivePath+"/root/content")
}

func TestThrottling(t *testing.T) {
	t.Parallel()
	w := connected(t, func(o *msgraph.Options) { l := msgraph.DefaultLimits(); l.MinuteUnits = 5; o.Limits = &l })
	w.sim.Kit.Clock.Advance(4872 * time.Millisecond)
	for range 2 {
		w.get(200, "/v1.0/sites?search=*")
	}
	w.get(429, "/v1.0/sites?search=*")
	r := w.get(200, drivePath+"/root")
	if r.header.Get("RateLimit-Limit") != "5" || r.header.Get("RateLimit-Remaining") != "0" || r.header.Get("RateLimit-Reset") != "56" {
		t.Errorf("%v", r.header)
	}
	if r = w.get(429, drivePath+"/root"); r.header.Get("Retry-After") != "55.128" || r.code() != "activityLimitReached" {
		t.Errorf("%v %s", r.header, r.raw)
	}
	w.sim.Kit.Clock.Advance(56 * time.Second)
	w.get(200, drivePath+"/root")
}

func TestControls(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	do := func(status int, method, path, body string) reply {
		t.Helper()
		req, err := http.NewRequest(method, w.url+path, strings.NewReader(body))
		w.must(err)
		resp, err := http.DefaultClient.Do(req)
		w.must(err)
		if raw := string(w.read(resp)); resp.StatusCode != status {
			t.Fatalf("%s %s: %d %s", path, body, resp.StatusCode, raw)
		}
		return reply{}
	}
	do(200, "PUT", "/_sim/files?path=in/a.xml", "<a/>")
	id := w.get(200, drivePath+"/root:/in/a.xml").text("id")
	do(200, "POST", "/_sim/folders", `{"path":"out"}`)
	do(200, "POST", "/_sim/rename", `{"id":"`+id+`","name":"b.xml"}`)
	folder := w.get(200, drivePath+"/root:/out").text("id")
	do(200, "POST", "/_sim/move", `{"id":"`+id+`","folder":"`+folder+`"}`)
	w.get(200, drivePath+"/root:/out/b.xml")
	do(200, "POST", "/_sim/delete", `{"id":"`+id+`"}`)
	w.get(404, drivePath+"/items/"+id)
	do(200, "POST", "/_sim/restore", `{"id":"`+id+`"}`)
	do(200, "POST", "/_sim/hold", `{"id":"`+id+`","locked":true}`)
	w.get(423, drivePath+"/items/"+id+"/content")
	do(200, "POST", "/_sim/settings", `{"page_size":1}`)
	do(200, "POST", "/_sim/limits", `{"minute_units":0,"token_lifetime":"1m"}`)
	do(200, "POST", "/_sim/sites", `{"count":2}`)
	if list := w.get(200, "/v1.0/sites?search=*").list(); len(list) != 1 {
		t.Errorf("a page of %d", len(list))
	}
	do(200, "POST", "/_sim/drives", `{"site":"`+msgraph.DefaultSite+`","count":2}`)
	do(200, "POST", "/_sim/cursors", `{}`)
	do(200, "POST", "/_sim/deny", `{"site":"`+msgraph.DefaultSite+`","denied":true}`)
	w.get(403, drivePath)
	do(200, "GET", "/_sim/notifications", "")
	do(200, "GET", "/_sim/settings", "")
	do(200, "GET", "/_sim/state", "")
	do(200, "POST", "/_sim/withdraw", `{}`)
	w.get(401, "/v1.0/me")
	for path, body := range map[string]string{
		"/_sim/delete": `{"id":"no"}`, "/_sim/rename": `{"id":"` + id + `","name":"a/b"}`, "/_sim/move": `{"id":"` + id + `","folder":"` + id + `"}`,
		"/_sim/sites": `{"count":0}`, "/_sim/settings": `{"unknown":1}`, "/_sim/limits": `{"token_lifetime":"x"}`, "/_sim/deny": `{"site":"no"}`,
		"/_sim/folders": `{"drive":"no","path":"x"}`, "/_sim/restore": `{"id":"` + id + `"}`, "/_sim/cursors": `{"drive":"no"}`,
	} {
		do(400, "POST", path, body)
	}
	do(400, "PUT", "/_sim/files?path=", "x")
	do(400, "PUT", "/_sim/files?path=a..:b", "x")
}
