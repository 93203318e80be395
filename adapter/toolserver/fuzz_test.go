package toolserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/adapter/toolserver"
	"docledger/adapter/toolserver/oauth"
)

// unconnected is a tool server that answers without a connection and reaches
// nothing.
func unconnected(f *testing.F) http.Handler {
	f.Helper()
	server, err := toolserver.New(toolserver.Options{
		Backend: "http://127.0.0.1:1", Log: slog.New(slog.DiscardHandler),
		OAuth: oauth.Config{BaseURL: base, Issuer: "https://idp.example.com", ClientID: "client_1", AuthMethod: "none", Now: time.Now},
		Verify: func(_ context.Context, bearer string) (toolserver.Caller, error) {
			if bearer != goodToken {
				return toolserver.Caller{}, errors.New("refused")
			}
			return toolserver.Caller{Subject: "user_1"}, nil
		},
	})
	if err != nil {
		f.Fatal(err)
	}
	return server
}

func sent(h http.Handler, method, target, body string, header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost"+target, strings.NewReader(body))
	r.Header = header
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// FuzzAuthorization reads whatever a client may send: one good header is let
// in, and every other gets a challenge that can be read.
func FuzzAuthorization(f *testing.F) {
	h := unconnected(f)
	for _, seed := range []string{
		"", "Bearer", "Bearer ", "bearer " + goodToken, "Bearer  " + goodToken, "Bearer\t" + goodToken, "Basic dTpw", "Bearer " + goodToken + ",Bearer x",
		"Bearer " + goodToken + " ", "Bearer \x00", "Bearer " + goodToken + "=", "Bearer ====", "BEARER a.b.c", "DPoP " + goodToken, "Bearer é",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		w := sent(h, http.MethodPost, "/mcp", listTools, http.Header{
			"Authorization": {value}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		})
		scheme, token, _ := strings.Cut(value, " ")
		good := strings.EqualFold(scheme, "Bearer") && strings.TrimLeft(token, " ") == goodToken
		if good != (w.Code == http.StatusOK) || !good && (w.Code != http.StatusUnauthorized || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer resource_metadata=")) {
			t.Errorf("%q: %d %s", value, w.Code, w.Header())
		}
	})
}

// FuzzRegister registers whatever a client may send: always the one client,
// with addresses that browsers may be sent to, or an error as OAuth has them.
func FuzzRegister(f *testing.F) {
	h := unconnected(f)
	for _, seed := range []string{
		``, `{}`, `null`, `[]`, `{"redirect_uris":["https://a.example/cb"]}`, `{"redirect_uris":["javascript:alert(1)"]}`, `{"redirect_uris":null}`,
		`{"redirect_uris":["HTTPS://a.example","http://127.0.0.1:1/"],"client_name":"\u0000"}`, `{"Redirect_URIs":["data:,x"]}`, `{"redirect_uris":["cursor://x/y"]}`,
		`{"redirect_uris":["http://[::1]:80/"]}`, `{"redirect_uris":["https://a@b/"]}`, `{"redirect_uris":["//a"]}`, `{"redirect_uris":[1]}`, `{"redirect_uris":["https:a"]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		w := sent(h, http.MethodPost, "/register", body, http.Header{"Content-Type": {"application/json"}})
		var got struct {
			ClientID  string   `json:"client_id"`
			Secret    *string  `json:"client_secret"`
			Redirects []string `json:"redirect_uris"`
			Error     string   `json:"error"`
		}
		raw, err := io.ReadAll(w.Body)
		if err != nil || json.Unmarshal(raw, &got) != nil {
			t.Fatalf("%q: %s, %v", body, raw, err)
		}
		switch w.Code {
		case http.StatusCreated:
			if got.ClientID != "client_1" || got.Secret != nil || got.Redirects == nil {
				t.Errorf("%q: %s", body, raw)
			}
			for _, redirect := range got.Redirects {
				u, err := url.Parse(redirect)
				if err != nil || u.Fragment != "" || u.User != nil || slices.Contains([]string{"", "javascript", "data", "file", "vbscript"}, u.Scheme) ||
					u.Scheme == "http" && u.Hostname() != "localhost" && !strings.HasPrefix(u.Hostname(), "127.") && u.Hostname() != "::1" && !strings.EqualFold(u.Hostname(), "localhost") {
					t.Errorf("%q was allowed", redirect)
				}
			}
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
			if got.Error == "" || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%q: %s", body, raw)
			}
		default:
			t.Errorf("%q: %d", body, w.Code)
		}
	})
}
