package edge_test

import (
	"strings"
	"testing"

	"docledger/adapter/httpapi/edge"
)

// TestSignedRequestsPassUntouched sends what is refused elsewhere: the bytes
// are the sender's, and only their signature reports whether they are good.
func TestSignedRequestsPassUntouched(t *testing.T) {
	t.Parallel()
	b := setup(t, missing, func(o *edge.Options) { o.Limits.JSONBytes = 100 })
	for name, test := range map[string]struct {
		body    string
		headers []string
	}{
		"no JSON":                {"\xff\xfe { ", nil},
		"two keys":               {"{\"a\":1, \"a\" :2}\r\n\n", nil},
		"no type":                {"{}", []string{"Content-Type", ""}},
		"another type":           {"{}", []string{"Content-Type", "text/plain; charset=utf-16"}},
		"a coding":               {"{}", []string{"Content-Encoding", "gzip"}},
		"a bearer":               {"{}", []string{"Authorization", "Bearer forged"}},
		"more than others may":   {strings.Repeat("x", 5000), nil},
		"nothing":                {"", nil},
		"a header that is empty": {"{}", []string{"svix-id", " "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"/webhook/payments?from=them", "/webhook/identity", "/webhook/storage/x?validationToken=y"} {
				r := b.send(t, b.request(t, "POST", path, test.body, test.headers...))
				if r.StatusCode != 200 || string(r.body) != test.body {
					t.Errorf("%s: %d %q", path, r.StatusCode, r.body)
				}
			}
		})
	}
}

// TestEveryEncodingIsRead sends a coding in the second of two lines.
func TestEveryEncodingIsRead(t *testing.T) {
	t.Parallel()
	b := setup(t, missing)
	req := b.request(t, "POST", "/api/entities", `{"name":"x"}`)
	req.Header["Content-Encoding"] = []string{"identity", "gzip"}
	if r := b.send(t, req); r.StatusCode != 400 || !strings.Contains(string(r.body), "unsupported_media_type") {
		t.Errorf("identity and gzip in two lines: %d %q", r.StatusCode, r.body)
	}
}
