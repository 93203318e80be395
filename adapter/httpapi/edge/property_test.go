package edge_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/httpapi/edge"
	"docledger/adapter/httpapi/spectest"

	"github.com/gin-gonic/gin"
)

// TestRequestsOfEveryOperation sends the whole set of generated requests to an
// API whose handlers find nothing: what is wrong is 400, what is right reaches
// the handler, and without a token nothing does.
func TestRequestsOfEveryOperation(t *testing.T) {
	t.Parallel()
	b := setup(t, missing)
	checker := spectest.New(t)
	counts := map[spectest.Kind]int{}
	for _, operation := range checker.Operations() {
		if operation.Signed {
			continue // not the edge's to judge
		}
		for _, c := range spectest.Cases(operation, 1, nil) {
			counts[c.Kind]++
			want := http.StatusNotFound
			handlers := strings.HasPrefix(c.Name, "multipart: ") && c.Name != "multipart: no boundary"
			if c.Kind == spectest.Fault && !handlers {
				want = http.StatusBadRequest
			}
			checkCase(t, b, checker, c, goodToken, want)
			if !operation.Public && counts[c.Kind]%20 == 0 {
				checkCase(t, b, checker, c, "", http.StatusUnauthorized)
			}
		}
	}
	if counts[spectest.Valid] < 100 || counts[spectest.Boundary] < 100 || counts[spectest.Fault] < 1000 {
		t.Errorf("the generator made few requests: %v", counts)
	}
	t.Logf("requests by kind: %v", counts)
}

func checkCase(t *testing.T, b *bundle, checker *spectest.Checker, c spectest.Case, token string, want int) {
	t.Helper()
	req, err := c.Request(t.Context(), b.server.URL)
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := b.server.Client().Do(req)
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	if resp.StatusCode != want {
		t.Errorf("%s: returned %d, want %d: %.300s (sent %.200s?%s)", c, resp.StatusCode, want, body, c.Body, c.RawQuery)
	}
	checker.Check(t, req, resp, body)
}

func TestRoutesAndSpecificationAgree(t *testing.T) {
	t.Parallel()
	b := setup(t, missing)
	if differences := routeDifferences(t, b); len(differences) > 0 {
		t.Errorf("differences: %v", differences)
	}
	b.engine.GET("/api/undocumented", func(*gin.Context) {})
	b.engine.GET("/healthz", func(*gin.Context) {})
	want := []string{"GET /api/undocumented is served but missing in the specification"}
	if got := routeDifferences(t, b); !slices.Equal(got, want) {
		t.Errorf("differences: %v, want %v", got, want)
	}
	checkEnvelope(t, b.send(t, b.request(t, "GET", "/api/undocumented", "")), 500, "internal")
}

func routeDifferences(t *testing.T, b *bundle) []string {
	t.Helper()
	differences, err := edge.RouteDifferences(b.engine.Routes())
	if err != nil {
		t.Fatal(err)
	}
	return differences
}
