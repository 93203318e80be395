//go:build !race

package operations

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docledger/test/lib/generator"
	"docledger/test/lib/harness"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// TestReaderThatCannotStart checks a worker with a cache folder that cannot be
// created. It continues with documents that need no cache, reports the problem, and
// extracts the others after the repair.
func TestReaderThatCannotStart(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "base")
	if err := os.WriteFile(base, nil, 0o600); err != nil { // a file at the path of the folder
		t.Fatal(err)
	}
	cache := filepath.Join(base, "cache")
	s := harness.Start(t, harness.Options{Metrics: true, Env: map[string]string{"COMPILE_CACHE_DIR": cache}})
	org := s.NewOrganization("Reader")
	ready := func() harness.Response {
		return s.Send(http.MethodGet, "/readyz", "", nil)
	}
	s.Eventually("degraded", 30*time.Second, func() bool { return strings.Contains(string(ready().Raw), `"degraded":["reader"]`) }, func() string { return string(ready().Raw) })
	if r := ready(); r.Status != http.StatusOK || r.Text("status") != "ok" {
		t.Errorf("/readyz returns %d %s", r.Status, r.Raw)
	}
	get := func(id string) harness.Response {
		return s.Do(http.MethodGet, "/api/documents/"+id, org.Admin.Token, nil).OK()
	}
	printed := s.Upload(org.Admin.Token, org.Entity, "a.pdf", printedPDF(t)).OK().Text("id")
	s.Eventually("waiting for the reader", 30*time.Second, func() bool { return get(printed).Text("held_reason") == "reader_unavailable" }, func() string { return string(get(printed).Raw) })
	if d := get(printed); d.Text("status") != "PROCESSING" {
		t.Errorf("the document is %s", d.Raw)
	}
	if n := readerFailures(t, s); n < 1 {
		t.Errorf("the metrics count %v documents that the reader could not start for", n)
	}
	xml := s.Upload(org.Admin.Token, org.Entity, "a.xml", harness.UBL("R-1")).OK().Text("id")
	s.Eventually("XML extracted", 30*time.Second, func() bool { return get(xml).Text("status") == "EXTRACTED" }, func() string { return string(get(xml).Raw) })
	repaired := filepath.Join(t.TempDir(), "base")
	err := errors.Join(os.CopyFS(filepath.Join(repaired, "cache"), os.DirFS(harness.CompileCache)), os.Chmod(filepath.Join(repaired, "cache"), 0o700), //nolint:gosec // a folder
		os.Remove(base), os.Rename(repaired, base))
	if err != nil {
		t.Fatal(err)
	}
	s.Eventually("extracted after the repair", 3*time.Minute, func() bool { return get(printed).Text("status") == "EXTRACTED" }, func() string { return string(get(printed).Raw) })
	if r := ready(); r.Status != http.StatusOK || r.At("degraded") != nil {
		t.Errorf("after the repair /readyz returns %d %s", r.Status, r.Raw)
	}
}

// readerFailures returns how many extractions the metrics count that the reader could not start for.
func readerFailures(t *testing.T, s *harness.Server) (n float64) {
	t.Helper()
	resp, err := http.Get(s.MetricsURL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range families["docledger_extraction_duration_seconds"].GetMetric() {
		for _, l := range m.GetLabel() {
			if l.GetName() == "outcome" && l.GetValue() == "unavailable" {
				n += float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return n
}

// printedPDF returns the first generated document that can be printed.
func printedPDF(t *testing.T) []byte {
	t.Helper()
	for seed := uint64(1); ; seed++ {
		if data, ok := generator.New(seed, generator.None).PDF(); ok {
			return data
		}
	}
}
