package gdrive_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/sim/gdrive"
)

func TestListOfFiles(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	folder, err := w.sim.AddFolder("", "In voices")
	w.must(err)
	w.must(w.sim.SeedFolders(folder, 250))
	q := func() url.Values {
		return url.Values{"q": {"'" + folder + "' in parents and trashed=false"}, "fields": {"nextPageToken,files(id)"}}
	}
	got, pages := w.ids("files", "files", "id", q())
	slices.Sort(got)
	if len(slices.Compact(got)) != 250 || pages != 3 {
		t.Errorf("%d folders on %d pages", len(got), pages)
	}
	w.sim.Configure(func(s *gdrive.Settings) { s.EmptyPages = true })
	if got, pages := w.ids("files", "files", "id", q()); len(got) != 250 || pages != 6 {
		t.Errorf("%d folders on %d pages, every other of which is empty", len(got), pages)
	}
	w.sim.Configure(func(s *gdrive.Settings) { s.EmptyPages = false })
	one := w.ok("files", url.Values{"pageSize": {"1"}})
	if file := one["files"].([]any)[0].(object); len(file) != 4 || one["kind"] != "drive#fileList" || one["incompleteSearch"] != false {
		t.Errorf("without fields: %v", one)
	}
	w.refused("files", url.Values{"pageSize": {"1001"}}, 400, "invalid")
	w.refused("files", url.Values{"q": {"name = x"}}, 400, "invalid")
	w.refused("files", url.Values{"fields": {"nothing"}}, 400, "invalid")
	w.refused("files", url.Values{"q": {"'no-such' in parents"}}, 404, "notFound")
	w.refused("files", url.Values{"pageToken": {"no-such"}}, 400, "invalid")
	next := one["nextPageToken"].(string)
	w.refused("files", url.Values{"pageToken": {next}, "q": {"trashed=true"}}, 400, "invalid")
	w.sim.InvalidateTokens()
	w.refused("files", url.Values{"pageToken": {next}}, 400, "invalid")
}

func TestFilesAndTheirBytes(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	id := w.added(gdrive.File{Name: "a.xml", MimeType: "text/xml", Content: []byte("0123456789")})
	got := w.ok("files/"+id, url.Values{"fields": {"id,size,version,md5Checksum,sha256Checksum,headRevisionId,parents"}})
	if got["size"] != "10" || got["md5Checksum"] != "781e5e245d69b566979b86e28d23f2c7" || len(got["sha256Checksum"].(string)) != 64 || len(got) != 7 {
		t.Errorf("the file is %v", got)
	}
	if parents := got["parents"].([]any); len(parents) != 1 || parents[0] != w.sim.Root() {
		t.Errorf("it lies in %v", parents)
	}
	media := url.Values{"alt": {"media"}}
	if status, h, body := w.raw("GET", "files/"+id, media, nil, nil); status != 200 || body != "0123456789" || h.Get("Content-Length") != "10" || h.Get("Content-Type") != "text/xml" {
		t.Errorf("%d %q %v", status, body, h)
	}
	if status, h, body := w.raw("GET", "files/"+id, media, nil, http.Header{"Range": {"bytes=2-4"}}); status != 206 || body != "234" || h.Get("Content-Range") != "bytes 2-4/10" {
		t.Errorf("%d %q %v", status, body, h)
	}
	if status, _, _ := w.raw("GET", "files/"+id, media, nil, http.Header{"Range": {"bytes=20-"}}); status != 416 {
		t.Errorf("beyond the end: %d", status)
	}
	revision := got["headRevisionId"]
	w.must(w.sim.Rename(id, "b.xml"))
	after := w.ok("files/"+id, url.Values{"fields": {"version,headRevisionId"}})
	if after["headRevisionId"] != revision || after["version"] == got["version"] {
		t.Errorf("renamed: %v of %v", after, got)
	}
	w.must(w.sim.Lock(id, true))
	w.refused("files/"+id, media, 403, "cannotDownloadFile")
	half := w.added(gdrive.File{Name: "half.pdf", Content: []byte("x"), Partial: true})
	w.refused("files/"+half, media, 403, "fileNotDownloadable")
	if got := w.ok("files/"+half, url.Values{"fields": {"*"}}); got["size"] != "0" || got["md5Checksum"] != nil {
		t.Errorf("half uploaded: %v", got)
	}
	w.must(w.sim.Finish(half))
	if _, _, body := w.raw("GET", "files/"+half, media, nil, nil); body != "x" {
		t.Errorf("uploaded: %q", body)
	}
	w.refused("files/no-such", nil, 404, "notFound")
}

func TestExports(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	id := w.added(gdrive.File{Name: "Invoice", MimeType: gdrive.DocumentType, Content: []byte("%PDF-1.7 it")})
	pdf := url.Values{"mimeType": {"application/pdf"}}
	if status, h, body := w.raw("GET", "files/"+id+"/export", pdf, nil, nil); status != 200 || body != "%PDF-1.7 it" || h.Get("Content-Type") != "application/pdf" {
		t.Errorf("%d %q", status, body)
	}
	if got := w.ok("files/"+id, url.Values{"fields": {"*"}}); got["size"] != nil || got["md5Checksum"] != nil || got["headRevisionId"] != nil {
		t.Errorf("a document: %v", got)
	}
	w.refused("files/"+id, url.Values{"alt": {"media"}}, 403, "fileNotDownloadable")
	w.refused("files/"+id+"/export", url.Values{"mimeType": {"text/none"}}, 400, "invalid")
	w.sim.SetLimits(func(l *gdrive.Limits) { l.ExportBytes = 10 })
	w.refused("files/"+id+"/export", pdf, 403, "exportSizeLimitExceeded")
	plain := w.added(gdrive.File{Name: "a.pdf", Content: []byte("x")})
	w.refused("files/"+plain+"/export", pdf, 403, "fileNotExportable")
}

func TestSharedDrives(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	var last string
	for range 12 {
		id, err := w.sim.AddDrive("Team")
		w.must(err)
		last = id
	}
	_, err := w.sim.AddDrive("Others", "somebody else")
	w.must(err)
	if got, pages := w.ids("drives", "drives", "id", url.Values{}); len(got) != 12 || pages != 2 || !slices.Contains(got, last) {
		t.Errorf("%d drives on %d pages", len(got), pages)
	}
	w.ok("drives/"+last, nil)
	w.refused("drives/no-such", nil, 404, "notFound")
	w.refused("drives", url.Values{"pageSize": {"101"}}, 400, "invalid")
	id := w.added(gdrive.File{Name: "a.xml", Parent: last, Content: []byte("a")})
	w.refused("files/"+id, nil, 404, "notFound")
	if got := w.ok("files/"+id, url.Values{"supportsAllDrives": {"true"}, "fields": {"driveId"}}); got["driveId"] != last {
		t.Errorf("it lies in %v", got)
	}
	all := url.Values{"supportsAllDrives": {"true"}, "includeItemsFromAllDrives": {"true"}, "corpora": {"drive"}, "driveId": {last}, "q": {"'" + last + "' in parents"}}
	if got, _ := w.ids("files", "files", "id", all); len(got) != 1 || got[0] != id {
		t.Errorf("in the drive: %v", got)
	}
	if got, _ := w.ids("files", "files", "id", url.Values{}); len(got) != 0 {
		t.Errorf("of one's own: %v", got)
	}
	w.refused("files", url.Values{"corpora": {"drive"}}, 400, "invalid")
	w.refused("files", url.Values{"corpora": {"drive"}, "driveId": {last}}, 403, "teamDrivesParamMustBeSpecified")
	w.refused("files", url.Values{"includeItemsFromAllDrives": {"true"}}, 403, "teamDrivesParamMustBeSpecified")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	folder, err := w.sim.AddFolder("", "private")
	w.must(err)
	id := w.added(gdrive.File{Name: "a.xml", Parent: folder})
	for status, reason := range map[int]string{403: "insufficientFilePermissions", 404: "notFound"} {
		w.must(w.sim.Deny(folder, status))
		w.refused("files/"+id, nil, status, reason)
		w.refused("files", url.Values{"q": {"'" + folder + "' in parents"}}, status, reason)
	}
	w.must(w.sim.Deny(folder, 0))
	w.ok("files/"+id, nil)
	w.must(w.sim.Refuse("dailyLimitExceeded", 1))
	w.refused("files", nil, 403, "dailyLimitExceeded")
	w.ok("files", nil)
	w.sim.SetLimits(func(l *gdrive.Limits) { l.UserMinute = 1 })
	w.refused("files", nil, 403, "userRateLimitExceeded")
	w.token = "no-such"
	w.refused("files", nil, 401, "authError")
}

// TestControls changes files over HTTP as people do.
func TestControls(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	send := func(path, body string, want int) string {
		t.Helper()
		resp, err := http.Post(w.url+"/_sim/"+path, "application/json", strings.NewReader(body))
		w.must(err)
		status, _, raw := w.read(resp)
		if status != want {
			t.Fatalf("%s %s: %d %s", path, body, status, raw)
		}
		_, id, _ := strings.Cut(raw, `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		return id
	}
	folder := send("files", `{"action":"folder","name":"in"}`, 200)
	id := send("files", `{"action":"add","name":"a.xml","parent":"`+folder+`","text":"<a/>"}`, 200)
	for _, action := range []string{
		`"rename","name":"b.xml"`, `"change","text":"<b/>"`, `"trash"`, `"restore"`, `"lock"`, `"unlock"`, `"deny","status":404`, `"deny"`,
		`"move","parent":"` + w.sim.Root() + `"`,
	} {
		send("files", `{"id":"`+id+`","action":`+action+`}`, 200)
	}
	if got := w.ok("files/"+id, url.Values{"fields": {"name,size,parents,trashed"}}); got["name"] != "b.xml" || got["trashed"] != false || got["parents"].([]any)[0] != w.sim.Root() {
		t.Errorf("it is %v", got)
	}
	send("files", `{"id":"`+id+`","action":"delete"}`, 200)
	w.refused("files/"+id, nil, 404, "notFound")
	for _, bad := range []string{`{"id":"none","action":"trash"}`, `{"action":"fly"}`, `{"action":"add","name":"x","parent":"none"}`, `{"unknown":1}`, `{`} {
		send("files", bad, 400)
	}
	send("seed", `{"parent":"`+folder+`","count":3}`, 200)
	send("drives", `{"name":"Team"}`, 200)
	send("refuse", `{"reason":"rateLimitExceeded","times":1}`, 200)
	send("refuse", `{"reason":"because","times":1}`, 400)
	w.refused("files", nil, 403, "rateLimitExceeded")
	send("limits", `{"max_page":2}`, 200)
	send("settings", `{"empty_pages":true}`, 200)
	if got, pages := w.ids("files", "files", "id", url.Values{"q": {"'" + folder + "' in parents"}}); len(got) != 3 || pages != 4 {
		t.Errorf("%d files on %d pages", len(got), pages)
	}
	send("invalidate", `{}`, 200)
	if status, _, state := w.get("/_sim/state"); status != 200 || !strings.Contains(state, folder) || strings.Contains(state, w.token) || strings.Contains(state, clientSecret) {
		t.Errorf("state: %d %s", status, state)
	}
	send("disconnect", `{}`, 200)
	w.refused("files", nil, 401, "authError")
}
