package webapp

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gin-gonic/gin"
)

func serve(t *testing.T, files fstest.MapFS) *httptest.Server {
	t.Helper()
	app, err := newApp(files)
	if err != nil {
		t.Fatal(err)
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	app.Register(engine)
	server := httptest.NewServer(engine)
	t.Cleanup(server.Close)
	return server
}

func get(t *testing.T, url string, header ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	// The transport would decompress the response.
	response, err := (&http.Transport{DisableCompression: true}).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func packed(text string) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return out.Bytes()
}

func TestPagesShowTheApplication(t *testing.T) {
	t.Parallel()
	server := serve(t, fstest.MapFS{"index.html": {Data: []byte("<p>application")}})
	for _, address := range []string{"/", "/inbox", "/invoices/1", "/account/sessions"} {
		response, body := get(t, server.URL+address)
		policy := response.Header.Get("Content-Security-Policy")
		if response.StatusCode != http.StatusOK || body != "<p>application" {
			t.Errorf("%s: %d %q", address, response.StatusCode, body)
		}
		if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("%s has the policy %q", address, policy)
		}
	}
	response, _ := get(t, server.URL+"/", "If-None-Match", `"`+"x"+`"`)
	if response, _ = get(t, server.URL+"/", "If-None-Match", response.Header.Get("ETag")); response.StatusCode != http.StatusNotModified {
		t.Errorf("an unchanged page is sent again: %d", response.StatusCode)
	}
}

func TestPagesAreListedInTheDocumentation(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "and the pages of the web application:")
	list, _, _ = strings.Cut(list, "\n")
	for _, address := range pages {
		if documented := strings.ReplaceAll(address, ":id", "{id}"); !strings.Contains(list, "`"+documented+"`") {
			t.Errorf("docs/api.md does not list %s", documented)
		}
	}
}

func TestUnknownAddressesAreLeftToTheService(t *testing.T) {
	t.Parallel()
	server := serve(t, fstest.MapFS{"index.html": {Data: []byte("<p>application")}})
	for _, address := range []string{"/api/unknown", "/unknown", "/assets/none.js", "/assets/../index.html.gz", "/.well-known/unknown"} {
		if response, body := get(t, server.URL+address); response.StatusCode != http.StatusNotFound || strings.Contains(body, "application") {
			t.Errorf("%s: %d %q", address, response.StatusCode, body)
		}
	}
}

func TestAssetsAreSentCompressed(t *testing.T) {
	t.Parallel()
	server := serve(t, fstest.MapFS{
		"index.html": {Data: []byte("<p>")}, "assets/a.js.gz": {Data: packed("plain")},
	})
	plain, body := get(t, server.URL+"/assets/a.js")
	if body != "plain" || plain.Header.Get("Content-Encoding") != "" || !strings.Contains(plain.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("plain: %q %v", body, plain.Header)
	}
	small, body := get(t, server.URL+"/assets/a.js", "Accept-Encoding", "br, gzip;q=0.5")
	if body != string(packed("plain")) || small.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(small.Header.Get("Content-Type"), "javascript") {
		t.Errorf("compressed: %v", small.Header)
	}
	if response, _ := get(t, server.URL+"/assets/a.js.gz"); response.StatusCode != http.StatusNotFound {
		t.Errorf("the compressed file has an address: %d", response.StatusCode)
	}
}

func TestBuildWithoutTheApplicationSaysHowToGetIt(t *testing.T) {
	t.Parallel()
	server := serve(t, fstest.MapFS{"README.md": {Data: []byte("x")}})
	response, body := get(t, server.URL+"/inbox")
	if response.StatusCode != http.StatusOK || !strings.Contains(body, "make build") || !strings.Contains(body, "/docs") {
		t.Errorf("%d %q", response.StatusCode, body)
	}
}

// TestTheRootLeadsToTheDocumentation expects a redirect of a build without the
// application.
func TestTheRootLeadsToTheDocumentation(t *testing.T) {
	t.Parallel()
	server := serve(t, fstest.MapFS{"README.md": {Data: []byte("x")}})
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(server.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusFound || response.Header.Get("Location") != "/docs" {
		t.Errorf("%d to %q", response.StatusCode, response.Header.Get("Location"))
	}
}
