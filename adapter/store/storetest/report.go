package storetest

import (
	"slices"
	"testing"
	"time"

	"docledger/domain/document"
	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
	"docledger/domain/organization"
)

// testReports compares the report on an organization with its records. Records
// of another organization and from before the period do not count.
func testReports(t *testing.T, b *bench) {
	s, other := b.organization(t), b.organization(t)
	empty, err := b.Organizations().Report(b.ctx, s.OrganizationID, b.at.Add(-time.Hour))
	must(t, err)
	if empty.Documents+empty.Invoices+empty.Decided+empty.Touchless+empty.ArrivalToSync.Count+len(empty.Failures)+len(empty.Calls) != 0 {
		t.Errorf("nothing is %+v", empty)
	}
	e := b.entity(t, s)
	b.document(t, e, func(d *document.Document) { d.CreatedAt = b.at.Add(-2 * time.Hour) })
	b.document(t, e, func(d *document.Document) { d.Status = document.Split })
	b.invoice(t, b.document(t, b.entity(t, other)), func(inv *invoice.Invoice) { inv.Status = invoice.Approved })
	for _, code := range []string{"encrypted", "encrypted", "no_text_layer"} {
		b.document(t, e, func(d *document.Document) {
			d.Status, d.Failure = document.Failed, &document.Failure{Code: code, Message: "m"}
		})
	}
	system, person := identity.System(s.OrganizationID), identity.Actor{Type: identity.ActorUser, OrganizationID: s.OrganizationID, UserID: newID()}
	// add makes an invoice and the events of its approval and its sync after the durations.
	add := func(status invoice.Status, by identity.Actor, synced ...time.Duration) *invoice.Invoice {
		inv := b.invoice(t, b.document(t, e), func(inv *invoice.Invoice) { inv.Status = status })
		subject := event.Subject{Type: event.SubjectInvoice, ID: inv.ID, Version: 1}
		asked := event.By(person, event.InvoiceExtracted, e.ID, subject)
		approved := event.By(by, event.InvoiceApproved, e.ID, subject)
		events := []event.Event{asked, approved}
		for _, after := range synced {
			done := event.By(system, event.InvoiceSynced, e.ID, subject)
			done.CreatedAt = b.at.Add(after)
			events = append(events, done)
		}
		for i := range events {
			events[i].ID = newID()
			if events[i].CreatedAt.IsZero() {
				events[i].CreatedAt = b.at
			}
		}
		must(t, b.Events().Append(b.ctx, events...))
		return inv
	}
	add(invoice.Synced, system, time.Minute, time.Hour) // the first sync counts
	add(invoice.Synced, system, 2*time.Minute)
	add(invoice.Synced, person, 3*time.Minute)
	add(invoice.Rejected, person)
	b.invoice(t, b.document(t, e), func(inv *invoice.Invoice) { inv.Status = invoice.NeedsReview })
	refused := add(invoice.SyncFailed, system)
	b.put(t, s, refused.ID, ledgersync.Sync{
		InvoiceID: refused.ID, OrganizationID: s.OrganizationID, EntityID: e.ID,
		SyncView: invoice.SyncView{State: invoice.SyncEnded, IntegrationID: newID(), Error: &invoice.SyncError{Code: "account_missing", Message: "m"}},
	})
	b.grant(t, s, "tenant:person")
	b.grant(t, other, "elsewhere")
	for _, tenant := range []string{"tenant", "tenan", "elsewhere"} {
		must(t, b.Meters().Change(b.ctx, integration.MeterKey(integration.AccountingA, tenant), func(m *integration.RateTracker) {
			m.Windows = []integration.WindowUsage{
				{Length: time.Minute, Buckets: []integration.Bucket{{Start: b.at, Used: 1}}},
				{Length: 24 * time.Hour, Buckets: []integration.Bucket{{Start: time.Now().Add(-48 * time.Hour), Used: 5}, {Start: time.Now(), Used: 7}}},
			}
		}))
	}
	r, err := b.Organizations().Report(b.ctx, s.OrganizationID, b.at.Add(-time.Hour))
	must(t, err)
	if r.Documents != 9 || r.Invoices != 6 || r.Decided != 5 || r.Touchless != 3 {
		t.Errorf("%d documents, %d invoices, %d decided, %d touchless", r.Documents, r.Invoices, r.Decided, r.Touchless)
	}
	want := organization.Durations{Count: 3, Median: 2 * time.Minute, Ninety: 3 * time.Minute, Longest: 3 * time.Minute}
	for _, pair := range [][2]time.Duration{{r.ArrivalToSync.Median, want.Median}, {r.ArrivalToSync.Ninety, want.Ninety}, {r.ArrivalToSync.Longest, want.Longest}} {
		if (pair[0]-pair[1]).Abs() > 10*time.Millisecond || r.ArrivalToSync.Count != want.Count {
			t.Errorf("from arrival to sync %+v, want %+v", r.ArrivalToSync, want)
		}
	}
	if failures := []organization.FailureCount{
		{Stage: organization.StageExtraction, Reason: "encrypted", Count: 2}, {Stage: organization.StageExtraction, Reason: "no_text_layer", Count: 1},
		{Stage: organization.StageSync, Reason: "account_missing", Count: 1},
	}; !slices.Equal(r.Failures, failures) {
		t.Errorf("failures %+v, want %+v", r.Failures, failures)
	}
	if calls := []organization.ProviderCalls{{Provider: integration.AccountingA, Account: "tenant", Window: 24 * time.Hour, Used: 7}}; !slices.Equal(r.Calls, calls) {
		t.Errorf("calls %+v, want %+v", r.Calls, calls)
	}
}
