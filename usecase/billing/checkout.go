package billing

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Checkout sells plans through pages of the processor (domain D26). It exists only
// with a payment processor.
type Checkout struct {
	Customers     *Customers
	Subscriptions billing.Subscriptions
	Prices        billing.Prices
	Sessions      billing.Sessions
	Clock         usecase.Clock
	// Products are the ids of the products for sale.
	Products []string
	// Origins are the origins that pages of the processor may redirect to.
	Origins []string
	Log     *slog.Logger

	reported sync.Map // logged reasons of prices that cannot be sold
}

// Offer is a price for sale.
type Offer struct {
	Price  billing.Price
	Limits billing.Limits
}

// Plans lists the prices for sale. Like each billing request it creates a missing
// payment customer of the caller's organization.
func (s *Checkout) Plans(ctx context.Context, a identity.Actor) ([]Offer, error) {
	if _, err := s.Customers.EnsureAtRequest(ctx, a.OrganizationID); err != nil {
		return nil, err
	}
	return s.offers(ctx)
}

// offers omits a price that cannot be sold and logs each reason once, so that one such
// price does not hide the others.
func (s *Checkout) offers(ctx context.Context) ([]Offer, error) {
	prices, err := s.Prices.OfProducts(ctx, s.Products)
	if err != nil {
		return nil, fmt.Errorf("read the prices: %w", err)
	}
	sellable, unsellable := billing.SplitSellable(prices)
	for _, u := range unsellable {
		if _, logged := s.reported.LoadOrStore(u.Price.ID, u.Reason.Error()); !logged {
			s.Log.WarnContext(ctx, "price left out of the plans", "price", u.Price.ID, "reason", u.Reason)
		}
	}
	offers := make([]Offer, 0, len(sellable))
	for _, p := range sellable {
		limits, err := p.Limits()
		if err != nil {
			return nil, err
		}
		offers = append(offers, Offer{Price: p, Limits: limits})
	}
	return offers, nil
}

// CheckoutInput selects a price and the return address.
type CheckoutInput struct {
	PriceID    string
	SuccessURL string
	CancelURL  string
}

// CreateSession returns the address of a page that sells a plan to the caller's
// organization. The subscription is anchored to the next 1st. The days before it are
// charged once. For a monthly price, docledger makes the immediate charge (interface
// 4.6). For a price of another interval, the processor uses proration, because that
// price is not the price of one month. An organization has at most one subscription.
// A second page closes the first one, and no page is opened while a subscription
// continues.
func (s *Checkout) CreateSession(ctx context.Context, a identity.Actor, in CheckoutInput) (string, error) {
	if err := a.RequireAdmin(); err != nil {
		return "", err
	}
	for field, raw := range map[string]string{"success_url": in.SuccessURL, "cancel_url": in.CancelURL} {
		if err := s.allowed(field, raw); err != nil {
			return "", err
		}
	}
	offers, err := s.offers(ctx)
	if err != nil {
		return "", err
	}
	chosen := slices.IndexFunc(offers, func(o Offer) bool { return o.Price.ID == in.PriceID })
	if chosen < 0 {
		return "", fault.InvalidField("price_id", "is not for sale; see GET /api/billing/plans")
	}
	now, monthly := s.Clock.Now(), offers[chosen].Price.Monthly()
	checkout := billing.Checkout{
		Price: in.PriceID, SuccessURL: in.SuccessURL, CancelURL: in.CancelURL,
		Anchor: billing.NextAnchor(now), Prorate: !monthly, Until: billing.CheckoutEnd(now),
		Metadata: map[string]string{
			billing.MetadataOrganization: a.OrganizationID.String(),
			billing.MetadataPrice:        in.PriceID,
		},
	}
	if monthly {
		checkout.Metadata[billing.MetadataChargeCurrentMonth] = billing.ChargeCurrentMonthOn
	}
	return s.openPage(ctx, a.OrganizationID, func(customer string) (string, error) {
		checkout.Customer = customer
		if err := s.requireNone(ctx, customer); err != nil {
			return "", err
		}
		return s.Sessions.Checkout(ctx, checkout)
	})
}

// requireNone refuses a purchase by a customer with a subscription that has not
// ended, and closes the pages on which the customer could still buy another one.
func (s *Checkout) requireNone(ctx context.Context, customer string) error {
	snapshot, err := s.Subscriptions.OfCustomer(ctx, customer)
	if err != nil {
		return fmt.Errorf("read the subscriptions: %w", err)
	}
	if current, ok := snapshot.Ongoing(); ok {
		return fault.New(fault.Conflict, fault.CodeConflict,
			"Your organization already has a subscription with the status %s. Change its plan or pay for it in the portal: POST /api/billing/portal-session.",
			current.Status).
			With("subscription_status", string(current.Status)).With("next_operation", "createPortalSession")
	}
	if err := s.Sessions.CloseCheckouts(ctx, customer); err != nil {
		return fmt.Errorf("close earlier checkout pages: %w", err)
	}
	return nil
}

// Portal returns the address of the page where the caller's organization manages its
// subscription.
func (s *Checkout) Portal(ctx context.Context, a identity.Actor, returnURL string) (string, error) {
	if err := a.RequireAdmin(); err != nil {
		return "", err
	}
	if err := s.allowed("return_url", returnURL); err != nil {
		return "", err
	}
	return s.openPage(ctx, a.OrganizationID, func(customer string) (string, error) { return s.Sessions.Portal(ctx, customer, returnURL) })
}

// openPage opens a page for the customer of the organization. If the customer was
// deleted at the processor, it creates another one.
func (s *Checkout) openPage(ctx context.Context, organization uuid.UUID, open func(customer string) (url string, err error)) (string, error) {
	customer, err := s.Customers.EnsureAtRequest(ctx, organization)
	if err != nil {
		return "", err
	}
	url, err := open(customer)
	if fault.CodeOf(err) != fault.CodeNotFound {
		return url, err
	}
	other, failed := s.Customers.Replace(ctx, organization, customer)
	if failed != nil || other == customer {
		return "", err
	}
	return open(other)
}

// allowed rejects addresses outside the configured origins.
func (s *Checkout) allowed(field, raw string) error {
	if !usecase.IsAllowedRedirect(raw, s.Origins) {
		return fault.InvalidField(field, "must be an address of an allowed origin (REDIRECT_ORIGINS)")
	}
	return nil
}
