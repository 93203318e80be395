package stripe

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"

	sdk "github.com/stripe/stripe-go/v79"
)

// Events implements billing.Events.
type Events struct{ api *resources }

var _ billing.Events = Events{}

// Since implements billing.Events.
func (e Events) Since(ctx context.Context, from time.Time, types []billing.EventType, each func(billing.PaymentEvent, error) error) error {
	params := &sdk.EventListParams{CreatedRange: &sdk.RangeQueryParams{GreaterThanOrEqual: from.Unix()}}
	params.Context = ctx
	params.Limit = sdk.Int64(pageSize)
	for _, t := range types {
		params.Types = append(params.Types, sdk.String(string(t)))
	}
	pages := e.api.Events.List(params)
	for pages.Next() {
		if err := each(listedEvent(pages.Event())); err != nil {
			return err
		}
	}
	return translate(ctx, "list events", "event", pages.Err())
}

// listedEvent converts an event of the processor's log in the same way as a webhook.
func listedEvent(got *sdk.Event) (billing.PaymentEvent, error) {
	wire := wireEvent{ID: got.ID, Object: got.Object, Type: string(got.Type), Created: got.Created, APIVersion: got.APIVersion}
	if got.Data != nil {
		wire.Data.Object = got.Data.Raw
	}
	event, unreadable := readEvent(wire)
	body, err := json.Marshal(wire)
	event.Body = body
	return event, errors.Join(unreadable, err)
}

func isMissing(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Kind == fault.NotFound
}
