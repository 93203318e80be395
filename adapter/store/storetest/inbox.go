package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/domain/fault"
	"docledger/domain/inbox"
	"docledger/domain/organization"
	"docledger/domain/page"
	"docledger/usecase"

	"github.com/google/uuid"
)

func message(event string) *inbox.Message {
	return &inbox.Message{
		ID: newID(), Sender: inbox.Payments, EventID: event, Type: "customer.subscription.created", Body: []byte("{\"a\":\"\x00\xff\"}"),
		OccurredAt: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), ReceivedAt: time.Date(2026, 3, 1, 0, 0, 1, 0, time.UTC), State: inbox.Received,
	}
}

func testInbox(t *testing.T, b *bench) {
	m, other := message("evt_1"), message("evt_1")
	other.Sender = inbox.Identity
	add := func(messages []*inbox.Message, want ...*inbox.Message) {
		t.Helper()
		added, err := b.Inbox().Add(b.ctx, messages)
		must(t, err)
		var ids []uuid.UUID
		for _, m := range want {
			ids = append(ids, m.ID)
		}
		if !slices.Equal(added, ids) {
			t.Errorf("added %v, want %v", added, ids)
		}
	}
	add(nil)
	add([]*inbox.Message{m}, m)
	add([]*inbox.Message{message("evt_1"), other, message("evt_1")}, other)
	add([]*inbox.Message{message("evt_1")})
	got, err := b.Inbox().Get(b.ctx, m.ID)
	must(t, err)
	if !bytes.Equal(got.Body, m.Body) || !got.OccurredAt.Equal(m.OccurredAt) || got.State != inbox.Received || !got.DoneAt.IsZero() {
		t.Errorf("kept %+v", got)
	}
	unfinished, err := b.Inbox().Unfinished(b.ctx, m.ReceivedAt.Add(time.Second), 10)
	must(t, err)
	early, err := b.Inbox().Unfinished(b.ctx, m.ReceivedAt, 10)
	must(t, err)
	if len(unfinished) != 2 || len(early) != 0 {
		t.Errorf("%d unfinished, %d of them too young", len(unfinished), len(early))
	}
	done, err := b.Inbox().Update(b.ctx, m.ID, func(m *inbox.Message) error {
		m.State, m.Attempts, m.DoneAt = inbox.Done, 2, m.ReceivedAt.Add(time.Minute)
		return nil
	})
	must(t, err)
	if done.State != inbox.Done || done.Attempts != 2 || done.DoneAt.IsZero() {
		t.Errorf("changed to %+v", done)
	}
	listed := pages(t, 1, func(p page.Request) (page.Of[inbox.Message], error) {
		return b.Inbox().ForOperator(b.ctx, inbox.Filter{Sender: inbox.Payments, States: []inbox.State{inbox.Done}}, p)
	})
	all := pages(t, 1, func(p page.Request) (page.Of[inbox.Message], error) {
		return b.Inbox().ForOperator(b.ctx, inbox.Filter{}, p)
	})
	if len(listed) != 1 || listed[0].ID != m.ID || len(all) != 2 {
		t.Errorf("%d listed of %d", len(listed), len(all))
	}
	_, err = b.Inbox().Get(b.ctx, newID())
	wantCode(t, err, fault.CodeNotFound)
	for _, body := range [][]byte{nil, {}} {
		empty := message("evt_empty_" + newID().String())
		empty.Body, empty.State = body, inbox.Failed
		add([]*inbox.Message{empty}, empty)
		got, err := b.Inbox().Get(b.ctx, empty.ID)
		must(t, err)
		if len(got.Body) != 0 || got.State != inbox.Failed {
			t.Errorf("without a body kept %+v", got)
		}
	}
}

// testInboxAtOnce stores the same events in several concurrent transactions, each in another
// order. On PostgreSQL each row takes some time, so that the transactions overlap.
func testInboxAtOnce(t *testing.T, b *bench) {
	if b.db.Name() == "postgres" {
		for _, sql := range []string{
			"CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.005); RETURN NEW; END $$",
			"CREATE TRIGGER slowly BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION slowly()",
		} {
			must(t, b.db.Exec(sql).Error)
		}
	}
	const events, callers = 20, 6
	var added atomic.Int64
	atOnce(callers, func(i int) {
		var messages []*inbox.Message
		for n := range events {
			messages = append(messages, message(fmt.Sprint("evt_", n)))
		}
		if i%2 == 1 {
			slices.Reverse(messages)
		}
		ids, err := b.Inbox().Add(b.ctx, messages)
		if err != nil {
			t.Error(err)
		}
		added.Add(int64(len(ids)))
	})
	if added.Load() != events {
		t.Errorf("%d of %d events were added", added.Load(), events)
	}
}

func testLeases(t *testing.T, b *bench) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var winners atomic.Int64
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			_, ok, err := b.Leases().Acquire(b.ctx, "one", newID().String(), now, time.Minute)
			if err != nil {
				t.Error(err)
			}
			if ok {
				winners.Add(1)
			}
		})
	}
	callers.Wait()
	if winners.Load() != 1 {
		t.Errorf("%d of 20 callers hold the lease", winners.Load())
	}
	// A caller that has left still learns that it must release the lease.
	gone, leave := context.WithCancel(b.ctx)
	leave()
	left, ok, err := b.Leases().Acquire(gone, "left", "a", now, time.Minute)
	if !ok || err != nil {
		t.Errorf("a caller that has left: %v, %v", ok, err)
	}
	must(t, b.Leases().Release(b.ctx, left))
	first, ok, err := b.Leases().Acquire(b.ctx, "two", "a", now, time.Minute)
	must(t, err)
	_, early, err := b.Leases().Acquire(b.ctx, "two", "b", now.Add(time.Minute-time.Microsecond), time.Minute)
	must(t, err)
	second, late, err := b.Leases().Acquire(b.ctx, "two", "b", now.Add(time.Minute), time.Minute)
	must(t, err)
	if !ok || early || !late || second.Generation <= first.Generation {
		t.Errorf("held %v, taken early %v, taken late %v; generations %d, %d", ok, early, late, first.Generation, second.Generation)
	}
	must(t, b.Leases().Release(b.ctx, first))
	if _, ok, err := b.Leases().Acquire(b.ctx, "two", "c", now.Add(time.Minute), time.Minute); ok || err != nil {
		t.Errorf("a late owner released another's lease (%v)", err)
	}
	for _, tt := range []struct {
		name  string
		lease usecase.Lease
		at    time.Duration
		ok    bool
	}{
		{"lost", first, 90 * time.Second, false}, {"held", second, 90 * time.Second, true},
		{"held still", second, 149 * time.Second, true}, {"run out", second, 210 * time.Second, false},
	} {
		if ok, err := b.Leases().Renew(b.ctx, tt.lease, now.Add(tt.at), time.Minute); ok != tt.ok || err != nil {
			t.Errorf("a lease that is %s was renewed: %v, %v", tt.name, ok, err)
		}
	}
	must(t, b.Leases().Release(b.ctx, second))
	third, ok, err := b.Leases().Acquire(b.ctx, "two", "c", now.Add(time.Minute), time.Minute)
	must(t, err)
	if !ok || third.Generation <= second.Generation {
		t.Errorf("a released lease is not to be had: %v, %+v", ok, third)
	}
}

func testOrganizationLookups(t *testing.T, b *bench) {
	long := "cus_" + strings.Repeat("ü", organization.MaxPaymentCustomerID-4)
	o := &organization.Organization{ID: newID(), IdentityID: "org_1", Name: "One"}
	must(t, b.Organizations().Add(b.ctx, o))
	changed, err := b.Organizations().Update(b.ctx, o.ID, func(o *organization.Organization) error {
		return o.SetPaymentCustomer(long, time.Now())
	})
	must(t, err)
	if changed.PaymentCustomerID != long {
		t.Errorf("the customer is %q", changed.PaymentCustomerID)
	}
	for customers, want := range map[string]int{"": 0, "none": 0, long: 1, "none," + long: 1} {
		found, err := b.Organizations().ByPaymentCustomers(b.ctx, strings.Split(customers, ","))
		must(t, err)
		if len(found) != want || want > 0 && found[0] != o.ID {
			t.Errorf("%d organizations are found, want %d", len(found), want)
		}
	}
	for name, find := range map[string]func(context.Context, string) (*organization.Organization, error){
		"org_1": b.Organizations().ByIdentity, long: b.Organizations().ByPaymentCustomer,
	} {
		found, err := find(b.ctx, name)
		must(t, err)
		if found.ID != o.ID {
			t.Errorf("%s finds %s", name, found.ID)
		}
		_, err = find(b.ctx, "")
		wantCode(t, err, fault.CodeNotFound)
	}
	_, err = b.Organizations().Update(b.ctx, o.ID, func(o *organization.Organization) error {
		o.PaymentCustomerID = ""
		return o.SetPaymentCustomer(long+"x", time.Now())
	})
	wantCode(t, err, fault.CodeInvalidRequest)
	again, err := b.Organizations().Update(b.ctx, o.ID, func(o *organization.Organization) error { return o.SetPaymentCustomer("cus_other", time.Now()) })
	must(t, err)
	if again.PaymentCustomerID != long {
		t.Errorf("a second customer took the place of the first: %q", again.PaymentCustomerID)
	}
}
