package stripe

import (
	"encoding/json"

	"docledger/domain/billing"
)

// wireEvent holds the fields of an event that all API versions share.
type wireEvent struct {
	ID         string   `json:"id"`
	Object     string   `json:"object"`
	Type       string   `json:"type"`
	Created    int64    `json:"created"`
	APIVersion string   `json:"api_version"`
	Data       wireData `json:"data"`
}

type wireData struct {
	Object json.RawMessage `json:"object"`
}

// fields is an object of an unknown API version. A field of an unexpected type is treated as
// absent.
type fields map[string]json.RawMessage

func read[T any](f fields, name string) T {
	var v T
	if err := json.Unmarshal(f[name], &v); err != nil {
		var none T
		return none
	}
	return v
}

// reference returns the id in a field that holds either an expanded object or its id.
func (f fields) reference(name string) string {
	if id := read[string](f, name); id != "" {
		return id
	}
	return read[string](read[fields](f, name), "id")
}

// periodEnd returns the end of the current period. API versions since 2025-03-31 state it on each
// item, earlier ones on the subscription.
func (f fields) periodEnd() int64 {
	var latest int64
	for _, item := range read[[]fields](read[fields](f, "items"), "data") {
		latest = max(latest, read[int64](item, "current_period_end"))
	}
	if latest > 0 {
		return latest
	}
	return read[int64](f, "current_period_end")
}

// quantities returns the quantity of each price of a subscription, by price id.
func (f fields) quantities() map[string]int64 {
	var out map[string]int64
	for _, item := range read[[]fields](read[fields](f, "items"), "data") {
		if price, n := item.reference("price"), read[int64](item, "quantity"); price != "" && n > 0 {
			if out == nil {
				out = map[string]int64{}
			}
			out[price] = n
		}
	}
	return out
}

// subscription returns the id of the subscription that an object is or belongs to. In API versions
// since 2025-03-31 an invoice states it under parent.
func (f fields) subscription() string {
	if read[string](f, "object") == "subscription" {
		return read[string](f, "id")
	}
	if id := f.reference("subscription"); id != "" {
		return id
	}
	return read[fields](read[fields](f, "parent"), "subscription_details").reference("subscription")
}

func (f fields) customer() string {
	if read[string](f, "object") == "customer" {
		return read[string](f, "id")
	}
	return f.reference("customer")
}

// endOf9999 is the latest time that both databases can store, in Unix seconds.
const endOf9999 = 253_402_300_799

// readEvent converts an event. With an error it also returns the id and type.
func readEvent(e wireEvent) (billing.PaymentEvent, error) {
	known := billing.PaymentEvent{ID: e.ID, Type: billing.EventType(e.Type)}
	if e.Object != "event" || e.ID == "" || e.Type == "" || e.Created <= 0 || e.Created > endOf9999 {
		return known, notAnEvent("the event lacks a required field")
	}
	var object fields
	if err := json.Unmarshal(e.Data.Object, &object); err != nil || object == nil {
		return known, notAnEvent("the event has no object")
	}
	out := billing.PaymentEvent{
		ID: e.ID, Type: billing.EventType(e.Type), CreatedAt: moment(e.Created),
		Customer: object.customer(), Subscription: object.subscription(),
		Metadata:   read[map[string]string](object, "metadata"),
		APIVersion: e.APIVersion, OtherVersion: e.APIVersion != APIVersion,
	}
	if read[string](object, "object") == "subscription" {
		out.Status = billing.SubscriptionStatus(read[string](object, "status"))
		out.PeriodEnd = moment(object.periodEnd())
		out.Quantities = object.quantities()
		if out.Customer == "" || out.Subscription == "" {
			return known, notAnEvent("the subscription has no customer")
		}
	}
	return out, nil
}
