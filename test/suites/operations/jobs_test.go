package operations

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"docledger/domain/fault"
	"docledger/domain/inbox"
	"docledger/domain/job"
	"docledger/domain/page"
	"docledger/test/lib/harness"
	usecaseinbox "docledger/usecase/inbox"
)

// jobsWorld is an installation with workers that start and stop.
type jobsWorld struct {
	*harness.Server
	t   *testing.T
	org harness.Organization
}

// record finds the newest job of a kind in a state.
func (w *jobsWorld) record(kind string, states ...job.State) job.Record {
	w.t.Helper()
	list, err := w.Service.Work.List(context.Background(), job.Filter{Kind: kind, States: states}, page.Request{Limit: 1})
	if err != nil || len(list.Items) != 1 {
		w.t.Fatalf("%d jobs %s %v, %v", len(list.Items), kind, states, err)
	}
	return list.Items[0]
}

func (w *jobsWorld) cancel(kind string) job.Record {
	w.t.Helper()
	r, err := w.Service.Work.Cancel(context.Background(), w.record(kind, job.Waiting).ID)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.Service.Work.Cancel(context.Background(), r.ID); fault.CodeOf(err) != fault.CodeConflict {
		w.t.Errorf("a job was cancelled twice: %v", err)
	}
	if got := w.record(kind, job.Cancelled); got.ID != r.ID || got.Subject != r.Subject || got.State.Open() {
		w.t.Errorf("the cancelled job is %+v", got)
	}
	return *r
}

func (w *jobsWorld) retry(id int64) {
	w.t.Helper()
	if _, err := w.Service.Work.Retry(context.Background(), id); err != nil {
		w.t.Fatal(err)
	}
}

func (w *jobsWorld) get(path string) harness.Response {
	w.t.Helper()
	return w.Do(http.MethodGet, path, w.org.Admin.Token, nil).OK()
}

// TestJobsAreCancelledAndRetried cancels a job of each kind. Its record gets a
// visible state, is not processed again automatically, and continues on
// request.
func TestJobsAreCancelledAndRetried(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		l, _ := harness.NewLedgerA(t)
		o.DataDir = t.TempDir()
		o.Env = map[string]string{"BASE_URL": "http://localhost:1", "SYNC_WAIT_TIMEOUT": "1ms"}
		o = o.With(l)
		w := &jobsWorld{t: t}
		var invoice string
		t.Run("prepare", func(t *testing.T) {
			w.Server = harness.Start(t, o)
			w.org = w.NewOrganization("Jobs")
			token := w.org.Admin.Token
			id := w.Activate(w.org, w.org.Entity, l, l.Tenants[0])
			account := w.get("/api/v1/integrations/"+id+"/accounting-accounts?account_types=EXPENSE").Text("items", 0, "id")
			w.Do(http.MethodPut, "/api/settings/"+w.org.Entity.String(), token, map[string]any{"default_account_id": account}).OK()
			up := w.Upload(token, w.org.Entity, "b.xml", harness.UBLFrom("Supplier", "J-1", "GBP", "20")).OK()
			inv := w.Extract(token, up.Text("id")).OK()
			invoice = inv.Text("id")
			w.Do(http.MethodPost, "/api/invoices/"+invoice+"/approve", token, map[string]any{"version": inv.Number("version")}).OK()
			// The request for the extraction adds a second job, which has nothing to do, if the first
			// one ends at the same moment.
			var recorded []job.Record
			w.Eventually("recorded", time.Minute, func() bool {
				list, err := w.Service.Work.List(context.Background(), job.Filter{Kind: "extract_document", States: []job.State{job.Done}}, page.Request{})
				if err == nil {
					recorded = list.Items
				}
				return len(recorded) > 0
			}, func() string { return fmt.Sprintf("%+v", recorded) })
			if done := w.record("extract_document", job.Done); done.Subject != up.Text("id") || done.Attempts != 1 || done.Organization != w.org.ID {
				t.Errorf("the completed job is %+v", done)
			}
		})
		if t.Failed() {
			return
		}
		idle := o
		idle.NoWorkers = true
		w.Server = harness.Start(t, idle)
		wanted, unwanted := w.cancelExtraction(), w.cancelExtraction()
		w.retry(wanted.ID)
		w.cancelSync(invoice)
		event := w.cancelEvent()
		w.refuse()

		w.Server = harness.Start(t, o)
		w.Eventually("done", time.Minute, func() bool {
			return w.get("/api/documents/"+wanted.Subject).Text("status") == "EXTRACTED" && w.get("/api/invoices/"+invoice).Text("status") == "SYNCED"
		}, func() string {
			return fmt.Sprint(w.get("/api/documents/"+wanted.Subject).Text("status"), w.get("/api/invoices/"+invoice).Text("status"))
		})
		if d := w.get("/api/documents/" + unwanted.Subject); d.Text("status") != "FAILED" {
			t.Errorf("a cancelled extraction continued: %s", d.Raw)
		}
		if m, err := w.Service.Inbox.Inbox.Get(context.Background(), uuidOf(t, event.Subject)); err != nil || m.State != inbox.Failed {
			t.Errorf("a cancelled event continued: %+v, %v", m, err)
		}
		inv := w.Do(http.MethodPost, "/api/invoices/extract", w.org.Admin.Token, map[string]any{"document_id": unwanted.Subject, "force": true}).OK()
		if inv.Text("document_id") != unwanted.Subject {
			t.Errorf("extracted although cancelled: %s", inv.Raw)
		}
	})
}

// cancelExtraction cancels the extraction of a new document.
func (w *jobsWorld) cancelExtraction() job.Record {
	w.t.Helper()
	up := w.Upload(w.org.Admin.Token, w.org.Entity, "c.xml", harness.UBL("C-"+time.Now().Format("150405.000000"))).OK()
	r := w.cancel("extract_document")
	if r.Subject != up.Text("id") {
		w.t.Fatalf("the cancelled job is %+v", r)
	}
	if d := w.get("/api/documents/" + r.Subject); d.Text("status") != "FAILED" || d.Text("failure", "code") != "cancelled" {
		w.t.Errorf("the document is %s", d.Raw)
	}
	return r
}

// cancelSync cancels a sync and retries it.
func (w *jobsWorld) cancelSync(invoice string) {
	w.t.Helper()
	if q := w.Do(http.MethodPost, "/api/invoices/"+invoice+"/sync", w.org.Admin.Token, nil).OK(); q.Text("sync", "state") != "QUEUED" {
		w.t.Fatalf("queued: %s", q.Raw)
	}
	r := w.cancel("sync_invoice")
	if inv := w.get("/api/invoices/" + invoice); inv.Text("status") != "SYNC_FAILED" || inv.Text("sync", "error", "code") != "cancelled" {
		w.t.Errorf("the invoice is %s", inv.Raw)
	}
	w.retry(r.ID)
	if inv := w.get("/api/invoices/" + invoice); inv.Text("sync", "state") != "QUEUED" {
		w.t.Errorf("after the retry, the invoice is %s", inv.Raw)
	}
	w.retry(w.record("sync_invoice", job.Waiting).ID)
}

// quiet is an event handler that does nothing.
type quiet struct{}

func (quiet) Before(context.Context, []*inbox.Message) error { return nil }
func (quiet) Handle(context.Context, *inbox.Message) error   { return inbox.ErrIgnored }

// cancelEvent cancels an event twice, with a retry in between.
func (w *jobsWorld) cancelEvent() job.Record {
	w.t.Helper()
	ctx := context.Background()
	w.Service.Inbox.Handlers[inbox.Payments] = quiet{}
	if err := w.Service.Inbox.Receive(ctx, inbox.Payments, usecaseinbox.Event{ID: "evt_1", Type: "customer.updated", OccurredAt: time.Now(), Body: []byte("{}")}); err != nil {
		w.t.Fatal(err)
	}
	w.retry(w.cancel("process_event").ID)
	return w.cancel("process_event")
}

// refuse tries invalid operations.
func (w *jobsWorld) refuse() {
	w.t.Helper()
	ctx := context.Background()
	for id, code := range map[int64]fault.Code{
		1 << 40: fault.CodeNotFound, w.record("extract_document", job.Done).ID: fault.CodeConflict,
	} {
		if _, err := w.Service.Work.Cancel(ctx, id); fault.CodeOf(err) != code {
			w.t.Errorf("cancelled %d: %v", id, err)
		}
	}
	if _, err := w.Service.Work.Retry(ctx, w.record("extract_document", job.Done).ID); fault.CodeOf(err) != fault.CodeConflict {
		w.t.Errorf("a completed job was retried: %v", err)
	}
	if _, err := w.Service.Work.List(ctx, job.Filter{}, page.Request{After: "guess"}); err == nil {
		w.t.Error("a list accepted an invalid cursor")
	}
}
