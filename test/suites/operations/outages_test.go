package operations

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"docledger/test/lib/harness"
)

// outage is a row of the table "Outages" of docs/runbook.md. Its steps run in order.
type outage struct {
	*harness.Server
	cut, restore func()
	// continues and refused are verified during the outage. recovered is verified
	// after it, without an action of a user.
	continues, refused, recovered []step
}

// step is an action and its expected result.
type step struct {
	what string
	do   func()
}

// TestOutages verifies the table row by row.
func TestOutages(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]func(t *testing.T) outage{
		"Redis":                        redisUnavailable,
		"the documents' store":         blobsUnavailable,
		"the workers":                  func(t *testing.T) outage { return workersUnavailable(t, harness.Options{}) },
		"the workers, with PostgreSQL": workersUnavailableBesidePostgres,
		"the identity provider":        identityUnavailable,
		"the provider's keys":          keysNeverLoaded,
		"the payment processor":        paymentUnavailable,
		"one ledger":                   ledgerUnavailable,
		"one store":                    storeUnavailable,
		"the disk":                     func(t *testing.T) outage { return diskFull(t, harness.Options{}) },
		"the disk, with PostgreSQL":    diskFullBesidePostgres,
		"the database":                 databaseUnavailable,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := row(t)
			o.cut()
			o.take(t, "continues", o.continues)
			o.take(t, "refused", o.refused)
			o.restore()
			o.take(t, "recovered", o.recovered)
		})
	}
}

func (o outage) take(t *testing.T, how string, steps []step) {
	t.Helper()
	if len(steps) == 0 {
		t.Errorf("the row has no step for %s", how)
	}
	for _, s := range steps {
		t.Logf("%s: %s", how, s.what)
		s.do()
	}
}

// unavailable verifies that a response reports the outage and Retry-After.
func unavailable(t *testing.T, r harness.Response) {
	t.Helper()
	wantRetryAfter(t, r.Want(http.StatusServiceUnavailable, "unavailable"))
}

func wantRetryAfter(t *testing.T, r harness.Response) {
	t.Helper()
	if r.Header.Get("Retry-After") == "" {
		t.Errorf("no Retry-After: %s", r.Raw)
	}
}

// ready is a step: the service reports that it is.
func ready(s *harness.Server) step {
	return step{"/readyz", func() { s.Send(http.MethodGet, "/readyz", "", nil).OK() }}
}

// sender is an organization with a document and its invoice.
type sender struct {
	*harness.Server
	harness.Organization
	t                 *testing.T
	token             string
	document, invoice string
	sent              int
}

func newSender(t *testing.T, s *harness.Server) *sender {
	t.Helper()
	from := &sender{Server: s, Organization: s.NewOrganization("Sender"), t: t}
	from.token = from.Admin.Token
	return from
}

// read uploads a document and extracts it.
func (f *sender) read() {
	f.t.Helper()
	f.document = f.upload().OK().Text("id")
	f.invoice = f.Extract(f.token, f.document).OK().Text("id")
}

// upload sends a document that was not sent before.
func (f *sender) upload() harness.Response {
	f.t.Helper()
	f.sent++
	return f.Upload(f.token, f.Entity, "a.xml", harness.UBLFrom("Supplier", fmt.Sprint("N-", f.sent), "GBP", "20"))
}

func (f *sender) get(path string) harness.Response {
	f.t.Helper()
	return f.Do(http.MethodGet, path, f.token, nil)
}

// content downloads the original.
func (f *sender) content() harness.Response {
	f.t.Helper()
	return f.Send(http.MethodGet, "/api/documents/"+f.document+"/content", f.token, nil)
}

// reject rejects the invoice.
func (f *sender) reject() harness.Response {
	f.t.Helper()
	return f.Do(http.MethodPost, "/api/invoices/"+f.invoice+"/reject", f.token, map[string]any{"reason": "not ours"})
}

// until waits for something that happens automatically.
func (f *sender) until(what string, done func() bool) {
	f.t.Helper()
	f.Eventually(what, time.Minute, done, func() string { return "it did not happen" })
}
