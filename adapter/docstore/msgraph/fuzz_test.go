package msgraph_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"docledger/adapter/docstore/msgraph"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/secret"
)

// FuzzResponses decodes arbitrary responses. The result is a fault or a valid value, and no host
// other than the provider's is called.
func FuzzResponses(f *testing.F) {
	const base = "https://graph.microsoft.com/v1.0/"
	for _, seed := range []struct {
		status int
		body   string
		header string
	}{
		{200, `{"value":[{"id":"a","name":"a.pdf","size":1,"file":{"hashes":{"quickXorHash":"q"}},"parentReference":{"id":"r"}}],"@odata.deltaLink":"` + base + `drives/d/root/delta?token=1"}`, ""},
		{200, `{"value":[{"id":"r","root":{},"folder":{}},{"id":"x","deleted":{}}],"@odata.nextLink":"` + base + `drives/d/root/delta?token=1"}`, ""},
		{200, `{"value":[{"id":"a","displayName":"A","webUrl":"https://contoso.sharepoint.com/sites/a"}]}`, ""},
		{200, `{"id":"s","expirationDateTime":"2026-11-15T12:00:00.0000000Z","access_token":"a","expires_in":3599}`, ""},
		{302, "", "https://contoso.sharepoint.com/_layouts/15/download.aspx?tempauth=1"},
		{410, `{"error":{"code":"resyncRequired","innerError":{"code":"resyncChangesApplyDifferences"}}}`, base + "drives/d/root/delta?token=2"},
		{429, `{"error":{"code":"TooManyRequests"}}`, "2.128"},
		{400, `{"error":"invalid_grant"}`, ""},
	} {
		f.Add(seed.status, seed.body, seed.header)
	}
	f.Fuzz(func(t *testing.T, status int, body, header string) {
		if status < 100 || status > 999 {
			return
		}
		s := &transport{answer: func(r *http.Request) *http.Response {
			return respond(status, body, "Location", header, "Retry-After", header, "RateLimit-Remaining", header)
		}}
		c := connected(t, msgraph.Options{Transport: s})
		ctx := context.Background()
		page, err := c.Next(ctx, canary, where, cursorOne)
		switch {
		case err != nil:
			if restart := docstore.Restart(err); restart != "" && !strings.HasPrefix(restart, "1:") {
				t.Errorf("restarts at %q", restart)
			}
		case !strings.HasPrefix(page.Cursor, "1:") || len(page.Cursor) > docstore.MaxCursor:
			t.Errorf("cursor %q", page.Cursor)
		}
		for _, change := range page.Changes {
			if change.ID == "" || change.Size < -1 || change.WebURL != "" && !strings.HasPrefix(change.WebURL, "https://") {
				t.Errorf("change %+v", change)
			}
		}
		list, errList := c.SubSources(ctx, canary, where.Source)
		for _, source := range list {
			if source.ID == "" || source.Name == "" {
				t.Errorf("source %+v", source)
			}
		}
		_, errRefresh := c.Refresh(ctx, secret.New("refresh"))
		_, errOpen := c.Open(ctx, canary, where, docstore.Item{ID: "file"})
		_, errTell := c.Subscribe(ctx, canary, where, "", "https://here.example", secret.New("proof"))
		for _, err := range []error{err, errList, errRefresh, errOpen, errTell} {
			if _, ok := fault.As(err); err != nil && !ok {
				t.Errorf("no fault: %v", err)
			}
		}
		for _, r := range s.asked {
			tokened := r.Header.Get("Authorization") != ""
			switch host := r.URL.Hostname(); {
			case host == "graph.microsoft.com" && strings.HasPrefix(r.URL.EscapedPath(), "/v1.0/"), host == "login.microsoftonline.com" && !tokened:
			case strings.HasSuffix(strings.ToLower(host), ".sharepoint.com") && r.URL.Scheme == "https" && !tokened:
			default:
				t.Errorf("%s was requested, with token: %v", r.URL, tokened)
			}
		}
	})
}
