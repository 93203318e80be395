package webhook_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"docledger/adapter/webhook"
	"docledger/domain/docstore"
	"docledger/domain/fault"

	"github.com/google/uuid"
)

var subscription = uuid.MustParse("01936b1e-0000-7000-8000-000000000001")

// hearing hears the notifications of one subscription, whose secret is the
// body, and echoes as DOCSTORE_A wants it.
type hearing struct {
	fails error
	heard int
	read  bool
}

func (h *hearing) Notified(_ context.Context, id uuid.UUID, c docstore.Call) (string, error) {
	if id != subscription {
		return "", fault.Missing("subscription")
	}
	h.read = true
	body, err := c.ReadBody()
	if err != nil {
		return "", err
	}
	switch {
	case h.fails != nil:
		return "", h.fails
	case len(c.Query["validationToken"]) > 0:
		return c.Query["validationToken"][0], nil
	case string(body) != secret && http.Header(c.Header).Get("X-Goog-Channel-Token") != secret:
		return "", fault.New(fault.Invalid, fault.CodeInvalidSignature, "The secret of the notification is wrong.")
	}
	h.heard++
	return "", nil
}

func TestStorageNotifications(t *testing.T) {
	t.Parallel()
	at := "/webhook/storage/" + subscription.String()
	header := func(pairs ...string) http.Header {
		h := http.Header{"Content-Type": {"application/json"}}
		for n := 0; n < len(pairs); n += 2 {
			h.Add(pairs[n], pairs[n+1])
		}
		return h
	}
	const proof = "X-Goog-Channel-Token"
	for name, test := range map[string]struct {
		path, body string
		header     http.Header
		fails      error
		status     int
		code       string
	}{
		"proven by the body":    {at, secret, header(), nil, 200, ""},
		"proven by the header":  {at, "", header(proof, secret), nil, 200, ""},
		"forged":                {at, "", header(proof, "guess"), nil, 400, "invalid_signature"},
		"without a secret":      {at, "", header(), nil, 400, "invalid_signature"},
		"two secrets":           {at, "", header(proof, secret, proof, "guess"), nil, 400, "invalid_signature"},
		"two texts to echo":     {at + "?validationToken=a&validationToken=b", "", header(), nil, 400, "invalid_signature"},
		"too large":             {at, strings.Repeat("x", 1<<20+1), header(proof, secret), nil, 400, "payload_too_large"},
		"unknown subscription":  {"/webhook/storage/" + uuid.NewString(), secret, header(), nil, 404, "not_found"},
		"no id":                 {"/webhook/storage/..%2Fpayments", secret, header(), nil, 404, "not_found"},
		"the database is away":  {at, secret, header(), errors.New("away"), 500, "internal"},
		"nothing to be found":   {"/webhook/storage", secret, header(), nil, 404, "not_found"},
		"the secret in the URL": {at + "?token=" + url.QueryEscape(secret), "", header(), nil, 400, "invalid_signature"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &hearing{fails: test.fails}
			w := start(t, nil, func(r *webhook.Receiver) { r.Storage = h })
			status, code := w.send(test.path, strings.NewReader(test.body), test.header)
			if status != test.status || code != test.code {
				t.Errorf("returned %d %q, want %d %q", status, code, test.status, test.code)
			}
			if want := status == 200; want != (h.heard == 1) {
				t.Errorf("heard %d times", h.heard)
			}
			if strings.Contains(w.log.String(), secret) {
				t.Error("the log shows the secret")
			}
		})
	}
	t.Run("no store calls", func(t *testing.T) {
		t.Parallel()
		if status, code := start(t, nil).send(at, strings.NewReader(secret), header()); status != 404 || code != "not_found" {
			t.Errorf("returned %d %q", status, code)
		}
	})
}

// TestEcho has the text that a store wants repeated come back exactly,
// as plain text.
func TestEcho(t *testing.T) {
	t.Parallel()
	w := start(t, nil, func(r *webhook.Receiver) { r.Storage = &hearing{} })
	for sent, want := range map[string]string{
		"Validation%3A+Testing+reachability":  "Validation: Testing reachability",
		"%3Cscript%3Ealert(1)%3C%2Fscript%3E": "<script>alert(1)</script>",
	} {
		resp, err := w.server.Client().Post(w.server.URL+"/webhook/storage/"+subscription.String()+"?validationToken="+sent, "text/plain", nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || string(body) != want || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("%s: %d %s %q, %v", sent, resp.StatusCode, resp.Header.Get("Content-Type"), body, err)
		}
		if got := resp.Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("a browser may guess the type: %q", got)
		}
	}
}
