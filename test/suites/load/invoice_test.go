package load

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"testing"

	"docledger/test/lib/harness"
)

// BenchmarkInvoice reads one invoice through the whole service, and the same
// bytes from a bare handler.
func BenchmarkInvoice(b *testing.B) {
	const perRound, rounds = 1000, 5
	s, database := start(b)
	org := s.NewOrganization("Load")
	up := s.Upload(org.Admin.Token, org.Entity, "a.xml", harness.UBL("L-1")).OK()
	invoice := s.Extract(org.Admin.Token, up.Text("id")).OK().Text("id")
	path := "/api/invoices/" + invoice
	body := s.Do(http.MethodGet, path, org.Admin.Token, nil).OK().Raw
	raw, err := base64.StdEncoding.DecodeString(seed)
	if err != nil {
		b.Fatal(err)
	}
	handler := bare(b, database, path, body, ed25519.NewKeyFromSeed(raw).Public().(ed25519.PublicKey))
	c := newCaller(org.Admin.Token)
	get := func(origin string) func(context.Context, int64) error {
		return func(ctx context.Context, _ int64) error {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+path, nil)
			if err != nil {
				return err
			}
			return c.send(req)
		}
	}
	perSecond(b, perRound, get(s.URL)) // connections and caches
	perSecond(b, perRound, get(handler.URL))
	for b.Loop() {
		var whole, least float64
		for range rounds {
			least += perSecond(b, perRound, get(handler.URL)) / rounds
			whole += perSecond(b, perRound, get(s.URL)) / rounds
		}
		b.ReportMetric(whole, "service/s")
		b.ReportMetric(least, "bare/s")
		b.ReportMetric(whole/least, "ratio")
	}
}
