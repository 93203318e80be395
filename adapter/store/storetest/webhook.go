package storetest

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/page"
	"docledger/domain/secret"
	"docledger/domain/webhook"

	"github.com/google/uuid"
)

// webhook returns a webhook with every value set.
func (b *bench) webhook() webhook.Webhook {
	return webhook.Webhook{
		ID: newID(), URL: "https://erp.example/", Types: []string{"*"}, EntityIDs: []uuid.UUID{newID()}, FailingSince: b.at.Add(time.Second),
		ResumeAt: b.at.Add(2 * time.Second), DisabledAt: b.at.Add(3 * time.Second), Secret: secret.New("whsec_a"),
		Former: []webhook.FormerSecret{
			{Secret: secret.New("whsec_b"), Until: b.at.Add(4 * time.Second)}, {Secret: secret.New("whsec_c"), Until: b.at.Add(2 * time.Second)},
		},
		CreatedBy: newID(), CreatedAt: b.at, UpdatedAt: b.at.Add(5 * time.Second), Enabled: true,
	}
}

func testWebhooks(t *testing.T, b *bench) {
	s, other := b.organization(t), b.organization(t)
	must(t, b.Events().Append(b.ctx, event.Event{Type: event.EntityCreated, OrganizationID: s.OrganizationID}))
	w := b.webhook()
	w.OrganizationID = s.OrganizationID
	must(t, b.Webhooks().Add(b.ctx, &w))
	got, err := b.Webhooks().Get(b.ctx, s.OrganizationID, w.ID)
	must(t, err)
	same(t, "the webhook", got, &w)
	if _, err := b.Webhooks().Get(b.ctx, other.OrganizationID, w.ID); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("a webhook of another organization: %v", err)
	}
	var row struct{ Sealed []byte }
	must(t, b.db.Raw("SELECT sealed FROM webhooks WHERE id = ?", w.ID).Scan(&row).Error)
	if len(row.Sealed) == 0 || bytes.Contains(row.Sealed, []byte("whsec_")) {
		t.Error("the secret is not encrypted")
	}
	list, err := b.Webhooks().List(b.ctx, s.OrganizationID, page.Request{})
	must(t, err)
	described := w
	described.Secret, described.Former = secret.Text{}, nil
	same(t, "the list", list.Items, []webhook.Webhook{described})
	for range webhook.MaxPerOrganization - 1 {
		next := b.webhook()
		next.OrganizationID = s.OrganizationID
		must(t, b.Webhooks().Add(b.ctx, &next))
	}
	one := b.webhook()
	one.OrganizationID = s.OrganizationID
	if err := b.Webhooks().Add(b.ctx, &one); fault.CodeOf(err) != fault.CodeConflict {
		t.Errorf("more webhooks than allowed: %v", err)
	}
	_, err = b.Webhooks().Delete(b.ctx, s.OrganizationID, w.ID)
	must(t, err)
	if _, err := b.Webhooks().Delete(b.ctx, s.OrganizationID, w.ID); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("deleted twice: %v", err)
	}
}

// testWebhookKeys verifies that a webhook with a lost key can be read and deleted, but
// not signed with.
func testWebhookKeys(t *testing.T, b *bench) {
	s := b.organization(t)
	w := b.webhook()
	w.OrganizationID = s.OrganizationID
	must(t, b.Webhooks().Add(b.ctx, &w))
	without, err := store.New(b.ctx, b.db, store.Options{Sealer: sealer{key: "k2"}})
	must(t, err)
	var unknown *secret.UnknownKeyError
	if _, err := without.Webhooks().Get(b.ctx, s.OrganizationID, w.ID); !errors.As(err, &unknown) {
		t.Errorf("a webhook without its key: %v", err)
	}
	got, err := without.Webhooks().Describe(b.ctx, s.OrganizationID, w.ID)
	must(t, err)
	list, err := without.Webhooks().List(b.ctx, s.OrganizationID, page.Request{})
	must(t, err)
	deleted, err := without.Webhooks().Delete(b.ctx, s.OrganizationID, w.ID)
	must(t, err)
	w.Secret, w.Former = secret.Text{}, nil
	same(t, "the webhook without secrets", got, &w)
	same(t, "the list without secrets", list.Items, []webhook.Webhook{w})
	same(t, "the deleted webhook", deleted, &w)
}

// testOutbox verifies that every committed event is read once, after its commit.
func testOutbox(t *testing.T, b *bench) {
	s := b.organization(t)
	w := b.webhook()
	w.OrganizationID, w.Enabled, w.ResumeAt = s.OrganizationID, true, time.Time{}
	must(t, b.Webhooks().Add(b.ctx, &w))
	due := func(want int) {
		t.Helper()
		found, err := b.Webhooks().Due(b.ctx, b.at, 10)
		must(t, err)
		if len(found) != want {
			t.Errorf("%d webhooks are due, want %d", len(found), want)
		}
	}
	due(0)
	undone := errors.New("undone")
	err := b.InTx(b.ctx, func(ctx context.Context) error {
		must(t, b.Events().Append(ctx, event.Event{Type: event.EntityChanged, OrganizationID: s.OrganizationID}))
		return undone
	})
	if !errors.Is(err, undone) {
		t.Fatal(err)
	}
	due(0)
	must(t, b.Events().Append(b.ctx, event.Event{ID: newID(), Type: event.EntityCreated, OrganizationID: s.OrganizationID, ActorType: identity.ActorSystem}))
	due(1)
	// Transactions of other tests hold the end of the log back for a moment.
	var events []event.Placed
	for end := time.Now().Add(30 * time.Second); len(events) == 0 && time.Now().Before(end); {
		events, err = b.Webhooks().Unread(b.ctx, s.OrganizationID, w.Cursor, 10)
		must(t, err)
	}
	if len(events) != 1 || events[0].Type != event.EntityCreated {
		t.Fatalf("unread: %+v", events)
	}
	d := webhook.New(newID(), &w, events[0].Event, b.at)
	for _, want := range []bool{true, false} { // the second call is that of another process
		moved, err := b.Webhooks().Advance(b.ctx, w.ID, w.Cursor, events[0].Place)
		must(t, err)
		if moved != want {
			t.Errorf("the cursor moved: %v", moved)
		}
		must(t, b.Deliveries().Add(b.ctx, d))
	}
	due(1) // the delivery
	found, err := b.Webhooks().DueDeliveries(b.ctx, w.ID, b.at, 10)
	must(t, err)
	same(t, "the delivery", found, []webhook.Delivery{*d})
	changed, err := b.Deliveries().Update(b.ctx, s.OrganizationID, w.ID, d.ID, func(d *webhook.Delivery) error {
		d.Start(b.at)
		d.Finish(webhook.Result{Status: 200}, b.at)
		return nil
	})
	must(t, err)
	due(0)
	listed, err := b.Deliveries().List(b.ctx, s.OrganizationID, w.ID, webhook.Delivered, page.Request{})
	must(t, err)
	same(t, "the deliveries", listed.Items, []webhook.Delivery{*changed})
	must(t, b.Deliveries().Expire(b.ctx, b.at.Add(time.Second)))
	listed, err = b.Deliveries().List(b.ctx, s.OrganizationID, w.ID, "", page.Request{})
	must(t, err)
	if len(listed.Items) != 0 {
		t.Errorf("expired: %+v", listed.Items)
	}
}
