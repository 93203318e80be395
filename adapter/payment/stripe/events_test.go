package stripe_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"docledger/adapter/payment/stripe"
	"docledger/domain/billing"
)

// TestUnreadableEventsAreReported lists events, of which one has no customer and one no object.
// The other events are returned, and those two with the reason.
func TestUnreadableEventsAreReported(t *testing.T) {
	t.Parallel()
	const list = `{"object":"list","url":"/v1/events","has_more":false,"data":[
		{"id":"evt_3","object":"event","type":"customer.subscription.updated","created":3,"api_version":"2024-06-20",
			"data":{"object":{"id":"sub_1","object":"subscription","customer":"cus_1"}}},
		{"id":"evt_2","object":"event","type":"customer.subscription.updated","created":2,"api_version":"2024-06-20",
			"data":{"object":{"id":"sub_1","object":"subscription"}}},
		{"id":"evt_1","object":"event","type":"customer.subscription.created","created":1,"api_version":"2024-06-20"},
		{"id":"evt_0","object":"event","type":"customer.subscription.created","created":1,"api_version":"2024-06-20",
			"data":{"object":{"id":"sub_1","object":"subscription","customer":"cus_1"}}}]}`
	log := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, list) }))
	t.Cleanup(log.Close)
	c, err := stripe.New(stripe.Options{URL: log.URL, SecretKey: secretKey})
	if err != nil {
		t.Fatal(err)
	}
	var read, unread []string
	err = c.Events.Since(t.Context(), time.Unix(0, 0), billing.PaymentEvents(), func(e billing.PaymentEvent, unreadable error) error {
		if unreadable != nil {
			unread = append(unread, e.String())
		} else {
			read = append(read, e.ID)
		}
		return nil
	})
	if err != nil || !slices.Equal(read, []string{"evt_3", "evt_0"}) ||
		!slices.Equal(unread, []string{"customer.subscription.updated evt_2", "customer.subscription.created evt_1"}) {
		t.Errorf("read %v, unread %v, %v", read, unread, err)
	}
}
