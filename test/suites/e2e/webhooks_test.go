package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/webhook"
	"docledger/test/lib/harness"
)

// received is a request to a webhook.
type received struct {
	header http.Header
	body   []byte
}

func (r received) text(key string) string {
	var body map[string]any
	if json.Unmarshal(r.body, &body) != nil {
		return ""
	}
	return fmt.Sprint(body[key])
}

// signedBy reports whether a secret signed the request (Standard Webhooks).
func (r received) signedBy(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", r.header.Get("webhook-id"), r.header.Get("webhook-timestamp"), r.body)
	wanted := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return err == nil && slices.Contains(strings.Fields(r.header.Get("webhook-signature")), wanted)
}

// receiver is a webhook that answers with status and reports each request.
func receiver(t *testing.T, status func() int) (url string, requests chan received) {
	t.Helper()
	requests = make(chan received, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.WriteHeader(status())
		requests <- received{r.Header, body}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/hook?token=t", requests
}

func next(t *testing.T, requests chan received) received {
	t.Helper()
	select {
	case r := <-requests:
		return r
	case <-time.After(30 * time.Second):
		t.Fatal("the webhook received nothing")
		return received{}
	}
}

// delivery waits until the delivery of an event reaches a state.
func delivery(t *testing.T, s *harness.Server, token, hook, event, state string) harness.Response {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		list := s.Do(http.MethodGet, "/api/webhooks/"+hook+"/deliveries?state="+state, token, nil).OK()
		for i := range list.Len("items") {
			if list.Text("items", i, "event", "id") == event {
				return list
			}
		}
	}
	t.Fatalf("the delivery of %s is not %s", event, state)
	return harness.Response{}
}

func TestWebhookLife(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org := s.NewOrganization("Webhooks")
		elsewhere := s.Do(http.MethodPost, "/api/entities", org.Admin.Token, map[string]any{"name": "Elsewhere"}).OK().Text("id")
		before := s.Upload(org.Admin.Token, org.Entity, "before.xml", harness.UBL("B-1")).OK().Text("id")
		s.Extract(org.Admin.Token, before).OK() // before the webhook exists
		answer := http.StatusNoContent
		url, requests := receiver(t, func() int { return answer })
		admin := func(method, path string, body any) harness.Response { return s.Do(method, path, org.Admin.Token, body) }
		made := admin(http.MethodPost, "/api/webhooks", map[string]any{"url": url, "types": []string{"document.received", "invoice.extracted"}, "entity_ids": []any{org.Entity}}).OK()
		hook, secret := made.Text("webhook", "id"), made.Text("secret")
		path := "/api/webhooks/" + hook

		s.Upload(org.Admin.Token, harness.ID(t, elsewhere), "other.xml", harness.UBL("O-1")).OK()
		document := s.Upload(org.Admin.Token, org.Entity, "w.xml", harness.UBL("W-1")).OK().Text("id")
		// Deliveries of different events may overlap.
		first, second := next(t, requests), next(t, requests)
		if second.text("type") == "document.received" {
			first, second = second, first
		}
		if first.text("type") != "document.received" || !strings.Contains(string(first.body), document) || !first.signedBy(secret) || first.header.Get("webhook-id") != first.text("id") {
			t.Errorf("the first request: %s %v", first.body, first.header)
		}
		for _, hidden := range []string{"changes", "data", "W-1", "w.xml"} {
			if strings.Contains(string(first.body), hidden) {
				t.Errorf("the body contains %q: %s", hidden, first.body)
			}
		}
		if !strings.HasPrefix(second.text("type"), "invoice.") || !second.signedBy(secret) {
			t.Errorf("the second request: %s", second.body)
		}
		delivery(t, s, org.Admin.Token, hook, first.text("id"), "DELIVERED")

		// A receiver with either former secret accepts the request.
		between := admin(http.MethodPost, path+"/rotate-secret", nil).OK().Text("secret")
		rotated := admin(http.MethodPost, path+"/rotate-secret", nil).OK().Text("secret")
		test := admin(http.MethodPost, path+"/test", nil).OK()
		sample := next(t, requests)
		if sample.text("type") != "webhook.test" || sample.header.Get("webhook-id") != test.Text("event", "id") || !sample.signedBy(secret) || !sample.signedBy(between) || !sample.signedBy(rotated) {
			t.Errorf("the sample: %s %v", sample.body, sample.header)
		}

		delivered := delivery(t, s, org.Admin.Token, hook, sample.text("id"), "DELIVERED")
		admin(http.MethodPost, path+"/deliveries/"+delivered.Text("items", 0, "id")+"/retry", nil).OK()
		if again := next(t, requests); again.header.Get("webhook-id") != sample.header.Get("webhook-id") || string(again.body) != string(sample.body) {
			t.Errorf("the repeated delivery: %s", again.body)
		}

		if got := admin(http.MethodPatch, path, map[string]any{"types": []string{"invoice.approved", "*"}, "entity_ids": nil, "enabled": false}).OK(); got.At("entity_ids") != nil || got.At("enabled") != false {
			t.Errorf("after the change: %s", got.Raw)
		}
		admin(http.MethodPost, path+"/test", nil).Want(400, "conflict")
		newest := admin(http.MethodGet, path+"/deliveries?limit=1", nil).OK()
		older := admin(http.MethodGet, path+"/deliveries?limit=1&cursor="+newest.Text("next_cursor"), nil).OK()
		if newest.Len("items") != 1 || older.Len("items") != 1 || newest.Text("items", 0, "id") == older.Text("items", 0, "id") {
			t.Errorf("pages of deliveries: %s, %s", newest.Raw, older.Raw)
		}
		newer := admin(http.MethodPost, "/api/webhooks", map[string]any{"url": "http://127.0.0.1:1/", "types": []string{"billing.*"}}).OK().Text("webhook", "id")
		page := admin(http.MethodGet, "/api/webhooks?limit=1", nil).OK()
		rest := admin(http.MethodGet, "/api/webhooks?limit=1&cursor="+page.Text("next_cursor"), nil).OK()
		if page.Text("items", 0, "id") != newer || rest.Text("items", 0, "id") != hook || rest.At("next_cursor") != nil {
			t.Errorf("pages of webhooks: %s, %s", page.Raw, rest.Raw)
		}
		admin(http.MethodDelete, "/api/webhooks/"+newer, nil).OK()
		list := admin(http.MethodGet, "/api/webhooks", nil).OK()
		if list.Len("items") != 1 || strings.Contains(string(list.Raw), "whsec_") || strings.Contains(string(admin(http.MethodGet, path, nil).OK().Raw), "whsec_") {
			t.Errorf("the list: %s", list.Raw)
		}
		events := admin(http.MethodGet, "/api/events?subject_id="+hook, nil).OK()
		if events.Len("items") != 4 || strings.Contains(string(events.Raw), "token=t") || strings.Contains(string(events.Raw), "whsec_") {
			t.Errorf("the events: %s", events.Raw)
		}
		admin(http.MethodDelete, path, nil).OK()
		admin(http.MethodGet, path, nil).Want(404, "not_found")
		admin(http.MethodGet, path+"/deliveries", nil).Want(404, "not_found")
		select {
		case r := <-requests:
			t.Errorf("an event that was not wanted, or was delivered twice: %s", r.body)
		default:
		}
	})
}

func TestWebhookInputs(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{NoWorkers: true, Env: map[string]string{"WEBHOOK_LOOPBACK": "off"}})
	org, other := s.NewOrganization("Inputs"), s.NewOrganization("Other")
	create := func(body map[string]any) harness.Response {
		return s.Do(http.MethodPost, "/api/webhooks", org.Admin.Token, body)
	}
	for _, url := range []string{
		"http://erp.example/", "https://127.0.0.1/", "https://[::1]/", "https://10.0.0.8/", "https://169.254.169.254/latest", "https://[::ffff:10.0.0.1]/",
		"https://user:password@erp.example/", "https://erp.example/#f", "ftp://erp.example/", "erp.example",
		"https://localhost/", "https://127.1/", "https://2130706433/", "https://0x7f000001/", "https://127。0。0。1/", "https://erp/", "https://erp.internal/",
	} {
		if got := create(map[string]any{"url": url, "types": []string{"*"}}).Want(400, "invalid_request").Text("error", "details", "fields", 0, "field"); got != "url" {
			t.Errorf("%s is refused for %q", url, got)
		}
	}
	for _, typ := range []string{"invoice.aproved", "nothing.*", "invoice", "inv*"} {
		create(map[string]any{"url": "https://erp.example/", "types": []string{typ}}).Want(400, "invalid_request")
	}
	create(map[string]any{"url": "https://erp.example/", "types": []string{"*"}, "entity_ids": []any{other.Entity}}).Want(400, "invalid_request")
	for range webhook.MaxPerOrganization {
		create(map[string]any{"url": "https://erp.example/", "types": []string{"*"}}).OK()
	}
	create(map[string]any{"url": "https://erp.example/", "types": []string{"*"}}).Want(400, "conflict")
}

// TestFailingWebhook follows a receiver that fails: the attempts and their delays, the
// end of a delivery, and the webhook that is disabled after five days.
func TestFailingWebhook(t *testing.T) {
	t.Parallel()
	clock := newHands()
	s := harness.Start(t, harness.Options{NoWorkers: true, Overrides: service.Overrides{Clock: clock}})
	org := s.NewOrganization("Failing")
	url, requests := receiver(t, func() int { return http.StatusInternalServerError })
	token := org.Admin.Token
	hook := s.Do(http.MethodPost, "/api/webhooks", token, map[string]any{"url": url, "types": []string{"entity.created"}}).OK().Text("webhook", "id")
	entity := func(name string) { s.Do(http.MethodPost, "/api/entities", token, map[string]any{"name": name}).OK() }
	entity("First")
	run := func() {
		if err := s.RunWebhook(org.ID, harness.ID(t, hook)); err != nil {
			t.Fatal(err)
		}
	}
	var delays []time.Duration
	last := clock.Now()
	for range webhook.MaxAttempts() {
		run()
		next(t, requests)
		list := s.Do(http.MethodGet, "/api/webhooks/"+hook+"/deliveries", s.Login(org.Admin.Email), nil).OK()
		due, err := time.Parse(time.RFC3339Nano, fmt.Sprint(list.At("items", 0, "next_attempt_at")))
		if err != nil {
			break // no attempt is left
		}
		delays, last = append(delays, due.Sub(last)), due
		run() // not due yet
		clock.advance(due.Sub(clock.Now()))
	}
	want := []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 10 * time.Hour}
	if !slices.Equal(delays, want) {
		t.Errorf("the delays are %v, want %v", delays, want)
	}
	list := s.Do(http.MethodGet, "/api/webhooks/"+hook+"/deliveries?state=FAILED", s.Login(org.Admin.Email), nil).OK()
	if list.Len("items") != 1 || list.Number("items", 0, "attempts") != 8 || list.Number("items", 0, "response_status") != 500 || list.Text("items", 0, "failure") == "" {
		t.Errorf("the delivery: %s", list.Raw)
	}
	token = s.Login(org.Admin.Email)
	if w := s.Do(http.MethodGet, "/api/webhooks/"+hook, token, nil).OK(); w.At("enabled") != true || w.At("failing_since") == nil {
		t.Errorf("before five days: %s", w.Raw)
	}
	clock.advance(webhook.MaxFailing)
	token = s.Login(org.Admin.Email)
	entity("Second")
	run()
	next(t, requests)
	w := s.Do(http.MethodGet, "/api/webhooks/"+hook, token, nil).OK()
	if w.At("enabled") != false || w.At("disabled_at") == nil {
		t.Errorf("after five days: %s", w.Raw)
	}
	if events := s.Do(http.MethodGet, "/api/events?type=webhook.disabled", token, nil).OK(); events.Len("items") != 1 || events.Text("items", 0, "actor", "type") != "SYSTEM" {
		t.Errorf("the event: %s", events.Raw)
	}
	entity("While disabled")
	run()
	s.Do(http.MethodPatch, "/api/webhooks/"+hook, token, map[string]any{"enabled": true}).OK()
	clock.advance(time.Hour)
	run()
	if again := next(t, requests); !strings.Contains(string(again.body), "entity.created") {
		t.Errorf("the pending delivery: %s", again.body)
	}
	select {
	case r := <-requests:
		t.Errorf("an event of the time while it was disabled: %s", r.body)
	default:
	}
}
