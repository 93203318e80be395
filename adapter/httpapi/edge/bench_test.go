package edge_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"docledger/adapter/httpapi/edge"

	"github.com/gin-gonic/gin"
)

// BenchmarkEdge is what a request costs before and after its handler.
func BenchmarkEdge(b *testing.B) {
	engine, err := edge.NewEngine(edge.Options{Authenticator: tokens{}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	done := func(c *gin.Context) { c.Status(http.StatusOK) }
	engine.GET("/api/invoices", done)
	engine.PATCH("/api/invoices/:invoice_id", done)
	line := `{"description":"Paper","quantity":"2.5","unit_price":"10.00","net_amount":"25.00"},`
	for name, request := range map[string]struct{ method, path, body string }{
		"GET with a filter":  {"GET", "/api/invoices?status=APPROVED&limit=50", ""},
		"PATCH of a field":   {"PATCH", "/api/invoices/" + thing, `{"due_date":"2026-04-30"}`},
		"PATCH of 500 lines": {"PATCH", "/api/invoices/" + thing, `{"lines":[` + strings.TrimSuffix(strings.Repeat(line, 500), ",") + `]}`},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				req := httptest.NewRequest(request.method, request.path, strings.NewReader(request.body))
				req.Header.Set("Authorization", "Bearer "+goodToken)
				req.Header.Set("Content-Type", "application/json")
				recorder := httptest.NewRecorder()
				engine.ServeHTTP(recorder, req)
				if recorder.Code != http.StatusOK {
					b.Fatalf("%d %s", recorder.Code, recorder.Body)
				}
			}
		})
	}
}
