package storetest

import (
	"testing"
	"time"

	"docledger/domain/attention"
	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/supplier"
	"docledger/domain/watch"
	"docledger/domain/webhook"

	"github.com/google/uuid"
)

var attentionDue = calendar.Date{Year: 2026, Month: 3, Day: 8}

// counts returns the number of records of a cause by entity.
func (b *bench) counts(t *testing.T, s identity.Scope, cause attention.Cause) map[uuid.UUID]attention.Count {
	t.Helper()
	found, err := b.Attention().Count(b.ctx, s, uuid.Nil, cause, attentionDue)
	must(t, err)
	out := map[uuid.UUID]attention.Count{}
	for _, c := range found {
		out[c.EntityID] = c
	}
	return out
}

// testAttention counts each cause, and shows that it ends with the change that a person makes.
func testAttention(t *testing.T, b *bench) {
	s, other := b.organization(t), b.organization(t)
	e, foreign := b.entity(t, s), b.entity(t, other)
	archived := b.entity(t, s)
	_, err := b.Entities().Update(b.ctx, s, archived.ID, 0, func(e *entity.Entity) error { e.Archived = true; return nil })
	must(t, err)
	known := supplier.Supplier{
		ID: newID(), OrganizationID: s.OrganizationID, EntityID: e.ID, Name: "Known", Version: 1, CreatedAt: b.at, UpdatedAt: b.at,
		Accounts: []supplier.BankAccount{{IBAN: "DE89370400440532013000", Source: supplier.SeenInLedger, FirstSeenAt: b.at, LastSeenAt: b.at, Trusted: true}},
	}
	must(t, b.Suppliers().Add(b.ctx, &known))
	fresh := supplier.Supplier{
		ID: newID(), OrganizationID: s.OrganizationID, EntityID: e.ID, Name: "New", Version: 1, CreatedAt: b.at, UpdatedAt: b.at,
		Accounts: []supplier.BankAccount{{IBAN: "DE02120300000000202051", Source: supplier.SeenInInvoice, FirstSeenAt: b.at, LastSeenAt: b.at}},
	}
	must(t, b.Suppliers().Add(b.ctx, &fresh))
	account := invoice.Check{Rule: "bank_account_known", Severity: invoice.Blocking}
	for _, test := range []struct {
		cause   attention.Cause
		invoice func(*invoice.Invoice)
		other   func(*invoice.Invoice) // an invoice without the cause
		end     func(*invoice.Invoice)
	}{
		{
			attention.CauseSyncFailed,
			func(inv *invoice.Invoice) { inv.Status = invoice.SyncFailed },
			func(inv *invoice.Invoice) { inv.Status = invoice.Approved },
			func(inv *invoice.Invoice) { inv.Status = invoice.Synced },
		},
		{
			attention.CauseNeedsReview,
			func(inv *invoice.Invoice) { inv.Status = invoice.NeedsReview },
			func(inv *invoice.Invoice) { inv.Status = invoice.Rejected },
			func(inv *invoice.Invoice) { inv.Status = invoice.Approved },
		},
		{
			attention.CauseExtracted,
			func(inv *invoice.Invoice) { inv.Status = invoice.Extracted },
			func(inv *invoice.Invoice) { inv.Status = invoice.Rejected },
			func(inv *invoice.Invoice) { inv.Status = invoice.Approved },
		},
		{
			attention.CauseDuplicate,
			func(inv *invoice.Invoice) {
				inv.Checks = []invoice.Check{{Rule: "not_a_duplicate", Severity: invoice.Warning}}
			},
			func(inv *invoice.Invoice) {
				inv.Checks = []invoice.Check{{Rule: "not_a_duplicate", Passed: true}, {Rule: "due_sum"}}
			},
			func(inv *invoice.Invoice) { inv.Checks = nil },
		},
		{
			attention.CauseBankAccount,
			func(inv *invoice.Invoice) { inv.Checks, inv.SupplierID = []invoice.Check{account}, known.ID },
			func(inv *invoice.Invoice) { inv.Checks, inv.SupplierID = []invoice.Check{account}, fresh.ID },
			func(inv *invoice.Invoice) { inv.Status = invoice.Approved },
		},
		{
			attention.CauseDue,
			func(inv *invoice.Invoice) { inv.DueDate = attentionDue },
			func(inv *invoice.Invoice) { inv.DueDate = attentionDue.AddDays(1) },
			func(inv *invoice.Invoice) { inv.Status = invoice.Approved },
		},
	} {
		before := b.counts(t, s, test.cause)[e.ID].Number
		first := b.invoice(t, b.document(t, e), test.invoice)
		for _, change := range []func(*invoice.Invoice){test.invoice, test.other} {
			b.invoice(t, b.document(t, e), change, func(inv *invoice.Invoice) { inv.CreatedAt = b.at.Add(time.Hour) })
		}
		b.invoice(t, b.document(t, archived), test.invoice)
		b.invoice(t, b.document(t, foreign), test.invoice)
		found := b.counts(t, s, test.cause)
		got := found[e.ID]
		if len(found) != 1 || got.Number != before+2 || before == 0 && (got.FirstID != first.ID || !got.FirstAt.Equal(b.at)) {
			t.Errorf("%s: %+v, before %d", test.cause, found, before)
		}
		if test.cause == attention.CauseBankAccount && got.SupplierID != known.ID {
			t.Errorf("the supplier is %s", got.SupplierID)
		}
		_, err := b.Invoices().Update(b.ctx, s, first.ID, 0, func(inv *invoice.Invoice) error { test.end(inv); return nil })
		must(t, err)
		if got := b.counts(t, s, test.cause)[e.ID].Number; got != before+1 {
			t.Errorf("%s after its end: %d, before %d", test.cause, got, before)
		}
	}
	testDocumentsOfAttention(t, b, s, e)
	testRecordsOfAttention(t, b, s)
}

func testDocumentsOfAttention(t *testing.T, b *bench, s identity.Scope, e *entity.Entity) {
	t.Helper()
	b.document(t, e, func(d *document.Document) {
		d.Status, d.Failure = document.Failed, &document.Failure{Code: "encrypted", Message: "m"}
	})
	b.document(t, e, func(d *document.Document) { d.HeldReason = document.HeldPlanLimit })
	b.document(t, e, func(d *document.Document) {
		d.Status, d.HeldReason = document.Processing, document.HeldReaderUnavailable
	})
	for _, cause := range []attention.Cause{attention.CauseDocumentFailed, attention.CauseDocumentHeld} {
		if got := b.counts(t, s, cause)[e.ID].Number; got != 1 {
			t.Errorf("%s: %d", cause, got)
		}
	}
	failed := b.document(t, e, func(d *document.Document) {
		d.Status, d.Failure = document.Failed, &document.Failure{Code: "encrypted", Message: "m"}
	})
	held := b.document(t, e, func(d *document.Document) { d.HeldReason = document.HeldPlanLimit })
	for id, cause := range map[uuid.UUID]attention.Cause{failed.ID: attention.CauseDocumentFailed, held.ID: attention.CauseDocumentHeld} {
		if got := b.counts(t, s, cause)[e.ID].Number; got != 2 {
			t.Errorf("%s: %d", cause, got)
		}
		_, err := b.Documents().Update(b.ctx, s, id, func(d *document.Document) error { d.Status, d.HeldReason = document.Extracted, ""; return nil })
		must(t, err)
		if got := b.counts(t, s, cause)[e.ID].Number; got != 1 {
			t.Errorf("%s after its end: %d", cause, got)
		}
	}
	// A member and a key see their entities only.
	member := identity.Scope{OrganizationID: s.OrganizationID, Member: newID()}
	hidden := b.entity(t, s, newID())
	b.document(t, hidden, func(d *document.Document) { d.HeldReason = document.HeldPlanLimit })
	if got := b.counts(t, member, attention.CauseDocumentHeld); len(got) != 1 {
		t.Errorf("a member sees %+v", got)
	}
	if got := b.counts(t, s, attention.CauseDocumentHeld); len(got) != 2 {
		t.Errorf("an administrator sees %+v", got)
	}
}

func testRecordsOfAttention(t *testing.T, b *bench, s identity.Scope) {
	t.Helper()
	source := b.Attention()
	one := func(what string, records []attention.Record, err error) {
		t.Helper()
		must(t, err)
		if len(records) != 1 || records[0].At.IsZero() {
			t.Errorf("%s: %+v", what, records)
		}
	}
	none := func(what string, records []attention.Record, err error) {
		t.Helper()
		must(t, err)
		if len(records) != 0 {
			t.Errorf("%s: %+v", what, records)
		}
	}
	i := b.watched(t, s)
	set := func(status integration.Status) {
		t.Helper()
		_, err := b.Integrations().Update(b.ctx, s, i.ID, 0, func(i *integration.Integration) error {
			i.Status, i.UpdatedAt = status, b.at
			return nil
		})
		must(t, err)
	}
	call := func(f func() ([]attention.Record, error)) ([]attention.Record, error) { return f() }
	late := func() ([]attention.Record, error) {
		return source.LateWatches(b.ctx, s, uuid.Nil, b.at.Add(time.Second))
	}
	broken := func() ([]attention.Record, error) { return source.FailedIntegrations(b.ctx, s, uuid.Nil) }
	pending := func() ([]attention.Record, error) { return source.PendingIntegrations(b.ctx, s, i.EntityID) }
	set(integration.Active)
	records, err := call(late)
	one("a watch that was never up to date", records, err)
	poll := func(change func(*watch.Watch)) {
		t.Helper()
		due := watch.Due{OrganizationID: s.OrganizationID, IntegrationID: i.ID}
		w, err := b.Watches().Claim(b.ctx, due)
		must(t, err)
		_, err = b.Watches().Update(b.ctx, due, w.Run, func(w *watch.Watch) error { change(w); return nil })
		must(t, err)
	}
	poll(func(w *watch.Watch) { w.UpToDateAt = b.at.Add(time.Minute) })
	records, err = call(late)
	none("a watch that is up to date", records, err)
	poll(func(w *watch.Watch) { w.UpToDateAt, w.Pause = b.at.Add(-time.Hour), watch.PausedPlan })
	records, err = call(late)
	none("a paused watch", records, err)
	for _, test := range []struct {
		status integration.Status
		list   func() ([]attention.Record, error)
	}{{integration.Failed, broken}, {integration.Pending, pending}} {
		set(test.status)
		records, err = test.list()
		one(string(test.status), records, err)
		set(integration.Disconnected)
		records, err = test.list()
		none("after "+string(test.status), records, err)
	}

	hook := &webhook.Webhook{ID: newID(), OrganizationID: s.OrganizationID, URL: "https://example.com", Types: []string{"*"}, DisabledAt: b.at, CreatedAt: b.at, UpdatedAt: b.at}
	must(t, b.Webhooks().Add(b.ctx, hook))
	records, err = source.DisabledWebhooks(b.ctx, s.OrganizationID)
	one("a disabled webhook", records, err)
	records, err = source.DisabledWebhooks(b.ctx, newID())
	none("a webhook of another organization", records, err)
	_, err = b.Webhooks().Update(b.ctx, s.OrganizationID, hook.ID, func(w *webhook.Webhook) (bool, error) { return w.Enable(true), nil })
	must(t, err)
	records, err = source.DisabledWebhooks(b.ctx, s.OrganizationID)
	none("a webhook that is enabled again", records, err)

	key := &identity.APIKey{ID: newID(), OrganizationID: s.OrganizationID, Name: "Import", Role: identity.Viewer, CreatedAt: b.at, ExpiresAt: b.at.Add(time.Hour)}
	must(t, b.APIKeys().Add(b.ctx, key, "secret"))
	expiring := func(from, until time.Duration) ([]attention.Record, error) {
		return source.ExpiringKeys(b.ctx, s.OrganizationID, b.at.Add(from), b.at.Add(until))
	}
	records, err = expiring(0, 2*time.Hour)
	one("a key that expires", records, err)
	records, err = expiring(0, time.Minute)
	none("a key that expires later", records, err)
	records, err = expiring(time.Hour, 2*time.Hour)
	none("an expired key", records, err)
}
