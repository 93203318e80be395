package watching_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/watch"
)

// TestRefusalIsSaidOnce verifies that a refused subscription is logged once for
// each reason, that the watch keeps the reason, and that it ends.
func TestRefusalIsSaidOnce(t *testing.T) {
	t.Parallel()
	callers(t, func(t *testing.T, w *world, c *calling) {
		var log bytes.Buffer
		w.Log = slog.New(slog.NewTextHandler(&log, nil))
		refuse := func(message, request string) {
			t.Helper()
			denied, _ := fault.As(docstore.Denied(integration.DocstoreA, errors.New("403")))
			c.refusal = denied.FromProvider(fault.Provider{Code: "accessDenied", Message: message, RequestID: request})
		}
		lines := func() int { return strings.Count(log.String(), "relying on polling") }
		for n, step := range []struct {
			message, request string
			lines            int
		}{{"Files.ReadWrite.All is required", "1", 1}, {"Files.ReadWrite.All is required", "2", 1}, {"The address is refused", "3", 2}} {
			refuse(step.message, step.request)
			got := w.poll()
			if want := (watch.Refusal{Code: "accessDenied", Message: step.message, Lasting: true}); got.Refusal != want {
				t.Errorf("step %d: the watch has %+v, want %+v", n, got.Refusal, want)
			}
			if lines() != step.lines {
				t.Errorf("step %d: said %d times, want %d:\n%s", n, lines(), step.lines, log.String())
			}
			w.clock.Advance(24 * time.Hour)
		}
		c.refusal = nil
		if got := w.poll(); got.Refusal != (watch.Refusal{}) || !strings.Contains(log.String(), "accepted again") {
			t.Errorf("accepted, the watch has %+v:\n%s", got.Refusal, log.String())
		}
	})
}
