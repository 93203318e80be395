package stripe

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"

	sdk "github.com/stripe/stripe-go/v79"
	"github.com/stripe/stripe-go/v79/client"
)

// Events implements billing.Events.
type Events struct{ api *client.API }

var _ billing.Events = Events{}

// Since implements billing.Events.
func (e Events) Since(ctx context.Context, from time.Time, types []billing.EventType, each func(billing.PaymentEvent) error) error {
	params := &sdk.EventListParams{CreatedRange: &sdk.RangeQueryParams{GreaterThanOrEqual: from.Unix()}}
	params.Context = ctx
	params.Limit = sdk.Int64(pageSize)
	for _, t := range types {
		params.Types = append(params.Types, sdk.String(string(t)))
	}
	pages := e.api.Events.List(params)
	for pages.Next() {
		got := pages.Event()
		if got.Data == nil {
			return malformed("list events")
		}
		wire := wireEvent{
			ID: got.ID, Object: got.Object, Type: string(got.Type), Created: got.Created,
			APIVersion: got.APIVersion, Data: wireData{Object: got.Data.Raw},
		}
		event, err := readEvent(wire)
		if err != nil {
			return fmt.Errorf("list events: %w", err)
		}
		if event.Body, err = json.Marshal(wire); err != nil {
			return fmt.Errorf("list events: %w", err)
		}
		if err := each(event); err != nil {
			return err
		}
	}
	return translate(ctx, "list events", "event", pages.Err())
}

func isMissing(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Kind == fault.NotFound
}
