package billingtest

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"
)

func (b bundle) since(t testing.TB, from time.Time, types ...billing.EventType) []billing.PaymentEvent {
	t.Helper()
	var got []billing.PaymentEvent
	err := b.Events.Since(context.Background(), from, types, func(e billing.PaymentEvent, unreadable error) error {
		got = append(got, e)
		return unreadable
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func testEventsSince(t *testing.T, b bundle) {
	price := b.monthly(b.AddProduct("Team", nil), "30")
	c := b.cardHolder(t, GoodCard)
	started := b.Now()
	id := b.Subscribe(Subscription{Customer: c.ID, Price: price, Metadata: map[string]string{"k": "v"}})
	b.Advance(time.Hour)
	b.Cancel(id)
	got := b.since(t, started, billing.PaymentEvents()...)
	if len(got) != 2 || got[0].Type != billing.SubscriptionDeleted || got[1].Type != billing.SubscriptionCreated {
		t.Fatalf("events %v, want the newest first", got)
	}
	created := got[1]
	if created.ID == "" || created.Customer != c.ID || created.Subscription != id || created.Status != billing.Active ||
		created.Metadata["k"] != "v" || created.OtherVersion || !created.CreatedAt.Equal(started) ||
		!created.PeriodEnd.Equal(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("event %+v", created)
	}
	if got := b.since(t, b.Now(), billing.PaymentEvents()...); len(got) != 1 || got[0].Type != billing.SubscriptionDeleted {
		t.Errorf("since now: %v", got)
	}
	if got := b.since(t, started, billing.SubscriptionCreated); len(got) != 1 {
		t.Errorf("of one type: %v", got)
	}
	stop := errors.New("enough")
	err := b.Events.Since(context.Background(), started, nil, func(billing.PaymentEvent, error) error { return stop })
	if err != stop {
		t.Errorf("error %v, want the unchanged error of the caller", err)
	}
}

func testEventPages(t *testing.T, b bundle) {
	price := b.monthly(b.AddProduct("Team", nil), "30")
	c := b.cardHolder(t, GoodCard)
	for range 105 {
		b.Cancel(b.Subscribe(Subscription{Customer: c.ID, Price: price}))
	}
	seen := map[string]bool{}
	for _, e := range b.since(t, b.Now(), billing.PaymentEvents()...) {
		seen[e.ID] = true
	}
	if len(seen) != 210 {
		t.Errorf("%d events, want 210", len(seen))
	}
}

// subscribed creates a subscription and returns its first event.
func (b bundle) subscribed(t testing.TB) billing.PaymentEvent {
	t.Helper()
	price := b.monthly(b.AddProduct("Team", nil), "30")
	b.Subscribe(Subscription{
		Customer: b.cardHolder(t, GoodCard).ID, Price: price, Metadata: map[string]string{billing.MetadataPrice: price},
	})
	return b.since(t, b.Now(), billing.SubscriptionCreated)[0]
}

func testWebhook(t *testing.T, b bundle) {
	want := b.subscribed(t)
	for _, newer := range []bool{false, true} {
		for _, drift := range []time.Duration{0, 5 * time.Minute, -5 * time.Minute} {
			header, body := b.Delivery(billing.SubscriptionCreated, newer, b.Now())
			got, err := b.Webhooks.Verify(header, body, b.Now().Add(drift))
			if err != nil {
				t.Fatalf("newer version %v, %s from now: %v", newer, drift, err)
			}
			stored := must[billing.PaymentEvent](t)(b.Webhooks.Read(body))
			for _, e := range []billing.PaymentEvent{got, stored} {
				if e.OtherVersion != newer || e.ID != want.ID || e.Type != want.Type || e.Customer != want.Customer ||
					e.Subscription != want.Subscription || e.Status != want.Status || !e.PeriodEnd.Equal(want.PeriodEnd) ||
					!e.CreatedAt.Equal(want.CreatedAt) || e.Metadata[billing.MetadataPrice] != want.Metadata[billing.MetadataPrice] {
					t.Errorf("newer version %v: %+v, want %+v", newer, e, want)
				}
			}
		}
	}
}

func testWebhookRefused(t *testing.T, b bundle) {
	b.subscribed(t)
	for _, newer := range []bool{false, true} {
		header, body := b.Delivery(billing.SubscriptionCreated, newer, b.Now())
		_, fresher := b.Delivery(billing.SubscriptionCreated, !newer, b.Now())
		for name, tt := range map[string]struct {
			header map[string][]string
			body   []byte
			now    time.Time
		}{
			"nothing signed":    {nil, body, b.Now()},
			"another body":      {header, fresher, b.Now()},
			"one byte more":     {header, append(bytes.Clone(body), ' '), b.Now()},
			"one byte changed":  {header, bytes.Replace(body, []byte("evt_"), []byte("evu_"), 1), b.Now()},
			"no body":           {header, nil, b.Now()},
			"too old":           {header, body, b.Now().Add(5*time.Minute + time.Second)},
			"from the future":   {header, body, b.Now().Add(-5*time.Minute - time.Second)},
			"a day old":         {header, body, b.Now().Add(-24 * time.Hour)},
			"two headers":       {doubled(header), body, b.Now()},
			"empty header":      {emptied(header), body, b.Now()},
			"truncated header":  {truncated(header, 20), body, b.Now()},
			"signature cut off": {truncated(header, 2), body, b.Now()},
		} {
			_, err := b.Webhooks.Verify(tt.header, tt.body, tt.now)
			if fault.CodeOf(err) != fault.CodeInvalidSignature {
				t.Errorf("newer version %v, %s: %v", newer, name, err)
			}
		}
	}
}

func changed(header map[string][]string, f func([]string) []string) map[string][]string {
	out := map[string][]string{}
	for name, values := range header {
		out[name] = f(values)
	}
	return out
}

func doubled(h map[string][]string) map[string][]string {
	return changed(h, func(v []string) []string { return append(append([]string{}, v...), v...) })
}

func emptied(h map[string][]string) map[string][]string {
	return changed(h, func([]string) []string { return []string{""} })
}

// truncated removes some characters from the end of each value.
func truncated(h map[string][]string, by int) map[string][]string {
	return changed(h, func(v []string) []string {
		out := make([]string, len(v))
		for i := range v {
			out[i] = v[i][:max(0, len(v[i])-by)]
		}
		return out
	})
}
