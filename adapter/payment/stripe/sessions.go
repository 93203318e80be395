package stripe

import (
	"context"

	"docledger/domain/billing"

	sdk "github.com/stripe/stripe-go/v79"
)

// Sessions implements billing.Sessions.
type Sessions struct{ api *resources }

var _ billing.Sessions = Sessions{}

// Checkout implements billing.Sessions.
func (s Sessions) Checkout(ctx context.Context, in billing.Checkout) (string, error) {
	const doing = "open checkout session"
	params := &sdk.CheckoutSessionParams{
		Mode:       sdk.String(string(sdk.CheckoutSessionModeSubscription)),
		Customer:   sdk.String(in.Customer),
		SuccessURL: sdk.String(in.SuccessURL),
		CancelURL:  sdk.String(in.CancelURL),
		LineItems:  []*sdk.CheckoutSessionLineItemParams{{Price: sdk.String(in.Price), Quantity: sdk.Int64(1)}},
		SubscriptionData: &sdk.CheckoutSessionSubscriptionDataParams{
			Metadata: in.Metadata,
		},
	}
	if !in.Anchor.IsZero() {
		// Without "none" the processor would charge for the time before the anchor, in addition to
		// docledger's charge.
		behavior := "none"
		if in.Prorate {
			behavior = "create_prorations"
		}
		params.SubscriptionData.BillingCycleAnchor = sdk.Int64(in.Anchor.Unix())
		params.SubscriptionData.ProrationBehavior = sdk.String(behavior)
	}
	if !in.Until.IsZero() {
		params.ExpiresAt = sdk.Int64(in.Until.Unix())
	}
	params.Context = ctx
	got, err := s.api.CheckoutSessions.New(params)
	if err != nil {
		return "", translate(ctx, doing, "customer or price", err)
	}
	if got.URL == "" {
		return "", malformed(doing)
	}
	return got.URL, nil
}

// CloseCheckouts implements billing.Sessions.
func (s Sessions) CloseCheckouts(ctx context.Context, customer string) error {
	const doing = "close checkout sessions"
	params := &sdk.CheckoutSessionListParams{Customer: sdk.String(customer), Status: sdk.String(string(sdk.CheckoutSessionStatusOpen))}
	params.Context = ctx
	params.Limit = sdk.Int64(pageSize)
	var open []string
	pages := s.api.CheckoutSessions.List(params)
	for pages.Next() {
		open = append(open, pages.CheckoutSession().ID)
	}
	if err := pages.Err(); err != nil {
		return translate(ctx, doing, "customer", err)
	}
	for _, id := range open {
		expire := &sdk.CheckoutSessionExpireParams{}
		expire.Context = ctx
		if _, err := s.api.CheckoutSessions.Expire(id, expire); err != nil {
			return translate(ctx, doing, "checkout session", err)
		}
	}
	return nil
}

// Portal implements billing.Sessions.
func (s Sessions) Portal(ctx context.Context, customer, returnURL string) (string, error) {
	const doing = "open portal session"
	params := &sdk.BillingPortalSessionParams{Customer: sdk.String(customer), ReturnURL: sdk.String(returnURL)}
	params.Context = ctx
	got, err := s.api.BillingPortalSessions.New(params)
	if err != nil {
		return "", translate(ctx, doing, "customer", err)
	}
	if got.URL == "" {
		return "", malformed(doing)
	}
	return got.URL, nil
}
