package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// uploadNamed uploads a file as a form with an external id at the given place of the form.
func uploadNamed(t *testing.T, s *harness.Server, token string, entity uuid.UUID, external string, order ...string) harness.Response {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for _, part := range order {
		var err error
		switch part {
		case "entity_id":
			err = w.WriteField(part, entity.String())
		case "external_id":
			err = w.WriteField(part, external)
		case "file":
			file, failed := w.CreateFormFile("file", "x.xml")
			if failed != nil {
				t.Fatal(failed)
			}
			_, err = file.Write(harness.UBL("X-" + external))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return s.Send(http.MethodPost, "/api/documents/upload", token, &form, "Content-Type", w.FormDataContentType())
}

// TestExternalID follows the id of another program from the upload to the webhook.
func TestExternalID(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org := s.NewOrganization("External")
		token := org.Admin.Token
		url, requests := receiver(t, func() int { return http.StatusNoContent })
		hook := s.Do(http.MethodPost, "/api/webhooks", token, map[string]any{"url": url, "types": []string{"invoice.*"}}).OK().Text("webhook", "id")

		document := uploadNamed(t, s, token, org.Entity, "order-1", "entity_id", "external_id", "file").OK()
		if got := document.Text("external_id"); got != "order-1" {
			t.Errorf("the external id of the upload is %q", got)
		}
		invoice := s.Extract(token, document.Text("id")).OK()
		if got := invoice.Text("external_id"); got != "order-1" {
			t.Errorf("the external id of the invoice is %q", got)
		}
		if got := subjectExternalID(t, next(t, requests)); got != "order-1" {
			t.Errorf("the webhook has the external id %q", got)
		}
		deliveries := s.Do(http.MethodGet, "/api/webhooks/"+hook+"/deliveries", token, nil).OK()
		if got := deliveries.Text("items", 0, "event", "subject", "external_id"); got != "order-1" {
			t.Errorf("the delivery has the external id %q", got)
		}
		later := uploadNamed(t, s, token, org.Entity, "order 2/Ä", "file", "external_id", "entity_id").OK()
		s.Extract(token, later.Text("id")).OK()
		next(t, requests)
		uploadNamed(t, s, token, org.Entity, strings.Repeat("é", 255), "external_id", "entity_id", "file").OK()
		uploadNamed(t, s, token, org.Entity, "order-1", "entity_id", "file", "external_id").Want(400, "invalid_request")
		uploadNamed(t, s, token, org.Entity, strings.Repeat("é", 256), "external_id", "entity_id", "file").Want(400, "invalid_request")
		plain := s.Do(http.MethodPost, "/api/documents/upload", token, map[string]any{
			"entity_id": org.Entity, "filename": "p.xml", "external_id": "json-1",
			"content": base64.StdEncoding.EncodeToString(harness.UBL("P-1")),
		}).OK()
		if plain.Text("external_id") != "json-1" {
			t.Errorf("uploaded as JSON: %s", plain.Raw)
		}

		// The id of a document can be set after the upload. It is that of the invoice at its extraction.
		documentPath := "/api/documents/" + document.Text("id")
		seen := s.Do(http.MethodGet, documentPath, token, nil).OK()
		set := s.Do(http.MethodPatch, documentPath, token, map[string]any{"external_id": "order-9"}, "If-Match", seen.Header.Get("ETag")).OK()
		if set.Text("external_id") != "order-9" || set.Number("version") != seen.Number("version")+1 {
			t.Errorf("set: %s", set.Raw)
		}
		s.Do(http.MethodPatch, documentPath, token, map[string]any{"external_id": "late"}, "If-Match", seen.Header.Get("ETag")).Want(400, "version_conflict")
		if same := s.Do(http.MethodPatch, documentPath, token, map[string]any{"external_id": "order-9"}).OK(); same.Number("version") != set.Number("version") {
			t.Errorf("the same id again: %s", same.Raw)
		}
		s.Do(http.MethodPatch, documentPath, token, map[string]any{"external_id": strings.Repeat("é", 256)}).Want(400, "invalid_request")
		changes := s.Do(http.MethodGet, "/api/events?type=document.changed", token, nil).OK()
		if len(changes.At("items").([]any)) != 1 || changes.Text("items", 0, "actor", "id") != org.Admin.ID.String() ||
			changes.Text("items", 0, "changes", 0, "to") != "order-9" || changes.Text("items", 0, "changes", 0, "from") != "order-1" {
			t.Errorf("events of the change: %s", changes.Raw)
		}
		if got := s.Do(http.MethodGet, "/api/invoices/"+invoice.Text("id"), token, nil).OK().Text("external_id"); got != "order-1" {
			t.Errorf("the invoice has the external id %q", got)
		}
		watched := s.Do(http.MethodPost, "/api/webhooks", token, map[string]any{"url": url, "types": []string{"document.changed"}}).OK()
		if cleared := s.Do(http.MethodPatch, documentPath, token, map[string]any{"external_id": nil}).OK(); cleared.At("external_id") != nil {
			t.Errorf("cleared: %s", cleared.Raw)
		}
		s.Do(http.MethodPatch, documentPath, token, map[string]any{"external_id": "order-1"}).OK()
		for delivered := 0; delivered < 2; {
			got := next(t, requests)
			if got.text("type") != "document.changed" {
				continue
			}
			// A delivery has the id that the document has when the delivery is created.
			if id := subjectExternalID(t, got); id != "" && id != "order-1" {
				t.Errorf("the webhook of the change has the external id %q", id)
			}
			delivered++
		}
		s.Do(http.MethodDelete, "/api/webhooks/"+watched.Text("webhook", "id"), token, nil).OK()
		s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), token, map[string]any{"auto_extract": false}).OK()
		unread := s.Upload(token, org.Entity, "unread.xml", harness.UBL("U-1")).OK().Text("id")
		s.Do(http.MethodPatch, "/api/documents/"+unread, token, map[string]any{"external_id": "early"}).OK()
		if got := s.Do(http.MethodGet, "/api/documents?external_id=early", token, nil).OK(); got.Len("items") != 1 {
			t.Errorf("documents with an id that was set later: %s", got.Raw)
		}
		if got := s.Extract(token, unread).OK().Text("external_id"); got != "early" {
			t.Errorf("the invoice of a document with a later id has %q", got)
		}

		list := func(path string) []any { return s.Do(http.MethodGet, path, token, nil).OK().At("items").([]any) }
		for path, want := range map[string]int{
			"/api/documents?external_id=order-1":                            1,
			"/api/documents?external_id=order-1&external_id=order+2/%C3%84": 2,
			"/api/documents?external_id=ORDER-1":                            0,
			"/api/invoices?external_id=order-1":                             1,
			"/api/invoices?external_id=none&external_id=order-1":            1,
			"/api/invoices/summary?group_by=status&external_id=order-1":     1,
			"/api/invoices/summary?group_by=status&external_id=none":        0,
		} {
			if got := len(list(path)); got != want {
				t.Errorf("%s: %d records, want %d", path, got, want)
			}
		}

		// The id can change in every status.
		path := "/api/invoices/" + invoice.Text("id")
		s.Do(http.MethodPost, path+"/reject", token, map[string]any{"reason": "not ours"}).OK()
		changed := s.Do(http.MethodPatch, path, token, map[string]any{"external_id": "order-1b"}).OK()
		if changed.Text("external_id") != "order-1b" || changed.Text("status") != "REJECTED" {
			t.Errorf("changed: %s", changed.Raw)
		}
		for {
			got := next(t, requests)
			if got.text("type") != "invoice.corrected" {
				continue
			}
			if id := subjectExternalID(t, got); id != "order-1b" {
				t.Errorf("the webhook after the change has the external id %q", id)
			}
			break
		}
		if got := s.Do(http.MethodPatch, path, token, map[string]any{"external_id": nil}).OK().At("external_id"); got != nil {
			t.Errorf("cleared to %v", got)
		}
		s.Do(http.MethodPatch, path, token, map[string]any{"external_id": strings.Repeat("x", 256)}).Want(400, "invalid_request")
	})
}

func subjectExternalID(t *testing.T, r received) string {
	t.Helper()
	var body struct {
		Subject struct {
			ExternalID string `json:"external_id"`
		} `json:"subject"`
	}
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatal(err)
	}
	return body.Subject.ExternalID
}

// TestExternalIDThatChangesDuringTheExtraction verifies that parts of a file, files in a container and
// invoices have the external id that their document has at the end of its extraction.
func TestExternalIDThatChangesDuringTheExtraction(t *testing.T) {
	t.Parallel()
	draft := func(number string) extraction.Draft {
		return extraction.Draft{Content: invoice.Content{Type: invoice.TypeInvoice, Number: number}, Fields: map[string]invoice.Evidence{}}
	}
	for name, read := range map[string]readerFunc{
		"File": func(context.Context, extraction.Source) (*extraction.Result, error) {
			return &extraction.Result{Method: invoice.Structured, Drafts: []extraction.Draft{draft("E-1")}}, nil
		},
		"Parts": func(context.Context, extraction.Source) (*extraction.Result, error) {
			return &extraction.Result{Method: invoice.Structured, Drafts: []extraction.Draft{draft("E-1"), draft("E-2")}}, nil
		},
		"Container": func(_ context.Context, source extraction.Source) (*extraction.Result, error) {
			if err := source.OnFile(extraction.ContainedFile{Path: "a.xml", MediaType: "application/xml", Document: true, Data: harness.UBL("E-3")}); err != nil {
				return nil, err
			}
			return &extraction.Result{Container: true, MediaType: "application/zip"}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var set func()
			s, org, args := resting(t, func(ctx context.Context, source extraction.Source) (*extraction.Result, error) {
				set()
				return read(ctx, source)
			}, harness.UBL("E-0"))
			token := org.Admin.Token
			set = func() {
				s.Do(http.MethodPatch, "/api/documents/"+args.DocumentID.String(), token, map[string]any{"external_id": "order-9"}).OK()
			}
			if err := s.Service.Extraction.Run(context.Background(), args); err != nil {
				t.Fatal(err)
			}
			for _, kind := range []string{"documents", "invoices"} {
				list := s.Do(http.MethodGet, "/api/"+kind, token, nil).OK()
				for i := range list.Len("items") {
					if got := list.At("items", i, "external_id"); got != "order-9" {
						t.Errorf("%s: the external id is %v", kind, got)
					}
				}
				if n := list.Len("items"); n == 0 && (kind == "documents" || name != "Container") || kind == "documents" && name != "File" && n < 2 {
					t.Errorf("%d %s", n, kind)
				}
			}
		})
	}
}
