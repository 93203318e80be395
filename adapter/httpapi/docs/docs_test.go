package docs_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/httpapi/docs"
	"docledger/domain/fault"
	"docledger/openapi"

	"github.com/gin-gonic/gin"
	"go.yaml.in/yaml/v3"
)

func get(t *testing.T, path string, headers ...string) *http.Response {
	t.Helper()
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	if err := docs.Register(engine); err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	engine.ServeHTTP(recorder, req)
	return recorder.Result()
}

func read(t *testing.T, r io.Reader) string {
	t.Helper()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestPageAsksNoOtherHost(t *testing.T) {
	t.Parallel()
	resp := get(t, "/docs/reference")
	body := read(t, resp.Body)
	if resp.StatusCode != 200 || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'self'") {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	if strings.Contains(body, "://") {
		t.Error("the page names another host")
	}
	for _, match := range regexp.MustCompile(`(?:src|href)="(/[^"]+)"`).FindAllStringSubmatch(body, -1) {
		if linked := get(t, match[1], "Accept-Encoding", "gzip"); linked.StatusCode != 200 {
			t.Errorf("%s returns %d", match[1], linked.StatusCode)
		}
	}
}

func TestViewerIsSentCompressedOrNot(t *testing.T) {
	t.Parallel()
	const path = "/docs/scalar-1.46.4.js"
	packed := get(t, path, "Accept-Encoding", "br, gzip;q=0.8")
	if packed.Header.Get("Content-Encoding") != "gzip" || packed.Header.Get("Vary") != "Accept-Encoding" {
		t.Fatalf("headers %v", packed.Header)
	}
	reader, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := read(t, reader)
	for _, accept := range []string{"", "identity", "gzip;q=0", "gzip; q=0.0", "br"} {
		plain := get(t, path, "Accept-Encoding", accept)
		if plain.Header.Get("Content-Encoding") != "" || read(t, plain.Body) != want {
			t.Errorf("Accept-Encoding %q: %v", accept, plain.Header)
		}
	}
}

func TestEverySpecificationIsServed(t *testing.T) {
	t.Parallel()
	entries, err := fs.ReadDir(openapi.Files(), ".")
	if err != nil || len(entries) < 3 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	for _, entry := range entries {
		want, err := fs.ReadFile(openapi.Files(), entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		resp := get(t, "/openapi/"+entry.Name())
		if resp.StatusCode != 200 || read(t, resp.Body) != string(want) {
			t.Errorf("%s: %d", entry.Name(), resp.StatusCode)
		}
		again := get(t, "/openapi/"+entry.Name(), "If-None-Match", resp.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %d", entry.Name(), again.StatusCode)
		}
	}
	var bases []string
	for _, entry := range entries {
		base := strings.TrimSuffix(strings.TrimSuffix(entry.Name(), ".yaml"), ".json")
		bases = append(bases, base)
		var inYAML, inJSON any
		if err := yaml.Unmarshal([]byte(read(t, get(t, "/openapi/"+base+".yaml").Body)), &inYAML); err != nil {
			t.Error(err)
		}
		if err := json.Unmarshal([]byte(read(t, get(t, "/openapi/"+base+".json").Body)), &inJSON); err != nil {
			t.Error(err)
		}
		asJSON, err := json.Marshal(inYAML)
		asJSON = bytes.ReplaceAll(asJSON, []byte(".yaml#/"), []byte(".json#/"))
		if want, _ := json.Marshal(inJSON); err != nil || !bytes.Equal(asJSON, want) {
			t.Errorf("%s says other things in YAML than in JSON (%v)", base, err)
		}
	}
	refs := regexp.MustCompile(`ref"?: ?["']([^#"']+)#`)
	for _, entry := range entries {
		base := strings.TrimSuffix(strings.TrimSuffix(entry.Name(), ".yaml"), ".json")
		for _, form := range []string{".yaml", ".json"} {
			for _, ref := range refs.FindAllStringSubmatch(read(t, get(t, "/openapi/"+base+form).Body), -1) {
				if other, ok := strings.CutSuffix(ref[1], form); !ok || !slices.Contains(bases, other) {
					t.Fatalf("%s refers to %s", base+form, ref[1])
				}
			}
		}
	}
	if resp := get(t, "/openapi/embed.go"); resp.StatusCode != 404 {
		t.Errorf("embed.go: %d", resp.StatusCode)
	}
}

// TestEveryErrorCodeHasHelp holds the page of errors to the codes that can be
// answered, each with the status that the edge gives it.
func TestEveryErrorCodeHasHelp(t *testing.T) {
	t.Parallel()
	list, err := docs.Errors()
	if err != nil {
		t.Fatal(err)
	}
	var codes []fault.Code
	for _, e := range list {
		codes = append(codes, e.Code)
		if e.Cause == "" || e.Remedy == "" || !slices.Contains([]int{400, 401, 403, 404, 429, 500, 503}, e.Status) {
			t.Errorf("%s has the help %+v", e.Code, e)
		}
	}
	if !slices.Equal(codes, fault.Codes()) {
		t.Errorf("there is help for %v, want %v", codes, fault.Codes())
	}
	body := read(t, get(t, "/docs/errors").Body)
	for _, code := range codes {
		if !strings.Contains(body, `id="`+string(code)+`"`) {
			t.Errorf("the page has no %s", code)
		}
	}
}

// TestOutlineNamesEveryOperation reads /llms.txt against the specification.
func TestOutlineNamesEveryOperation(t *testing.T) {
	t.Parallel()
	outline := read(t, get(t, "/llms.txt").Body)
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if !strings.Contains(outline, "- "+method+" "+path+": ") {
				t.Errorf("%s is not in the outline", op.OperationID)
			}
		}
	}
}
