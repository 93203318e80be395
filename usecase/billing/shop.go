package billing

import (
	"context"
	"fmt"
	"slices"

	"docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Shop sells plans on the processor's pages (records D26). It exists only with
// a payment processor.
type Shop struct {
	Customers *Customers
	Prices    billing.Prices
	Sessions  billing.Sessions
	Clock     usecase.Clock
	// Products are the ids of the products that are for sale.
	Products []string
	// Origins are those that the processor's pages may lead back to.
	Origins []string
}

// Offer is a price that is for sale.
type Offer struct {
	Price  billing.Price
	Limits billing.Limits
}

// Plans lists what is for sale.
func (s *Shop) Plans(ctx context.Context) ([]Offer, error) {
	prices, err := s.Prices.Active(ctx, s.Products)
	if err != nil {
		return nil, fmt.Errorf("read the prices: %w", err)
	}
	offers := make([]Offer, 0, len(prices))
	for _, p := range prices {
		if !p.Recurring {
			continue
		}
		limits, err := p.Limits()
		if err != nil {
			return nil, err
		}
		offers = append(offers, Offer{Price: p, Limits: limits})
	}
	return offers, nil
}

// CheckoutInput says what to buy and where to go afterwards.
type CheckoutInput struct {
	PriceID    string
	SuccessURL string
	CancelURL  string
}

// Checkout returns the address of a page that sells a plan to the caller's
// organization: anchored on the next 1st, charged for the running month at
// once by the rules of contract 4.6.
func (s *Shop) Checkout(ctx context.Context, a identity.Actor, in CheckoutInput) (string, error) {
	if err := a.RequireAdmin(); err != nil {
		return "", err
	}
	for field, raw := range map[string]string{"success_url": in.SuccessURL, "cancel_url": in.CancelURL} {
		if err := s.allowed(field, raw); err != nil {
			return "", err
		}
	}
	offers, err := s.Plans(ctx)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(offers, func(o Offer) bool { return o.Price.ID == in.PriceID }) {
		return "", fault.InvalidField("price_id", "is not for sale; see GET /api/billing/plans")
	}
	now := s.Clock.Now()
	checkout := billing.Checkout{
		Price: in.PriceID, SuccessURL: in.SuccessURL, CancelURL: in.CancelURL,
		Anchor: billing.NextAnchor(now), Until: billing.CheckoutEnd(now),
		Metadata: map[string]string{
			billing.MetadataOrganization:       a.OrganizationID.String(),
			billing.MetadataChargeCurrentMonth: billing.ChargeCurrentMonthOn,
			billing.MetadataPrice:              in.PriceID,
		},
	}
	return s.visit(ctx, a.OrganizationID, func(customer string) (string, error) {
		checkout.Customer = customer
		return s.Sessions.Checkout(ctx, checkout)
	})
}

// Portal returns the address of the page on which the caller's organization
// looks after its subscription.
func (s *Shop) Portal(ctx context.Context, a identity.Actor, returnURL string) (string, error) {
	if err := a.RequireAdmin(); err != nil {
		return "", err
	}
	if err := s.allowed("return_url", returnURL); err != nil {
		return "", err
	}
	return s.visit(ctx, a.OrganizationID, func(customer string) (string, error) { return s.Sessions.Portal(ctx, customer, returnURL) })
}

// visit opens a page for the organization's customer; for another one where
// that was deleted at the processor.
func (s *Shop) visit(ctx context.Context, organization uuid.UUID, open func(customer string) (url string, err error)) (string, error) {
	customer, err := s.Customers.Ensure(ctx, organization)
	if err != nil {
		return "", err
	}
	url, err := open(customer)
	if fault.CodeOf(err) != fault.CodeNotFound {
		return url, err
	}
	other, gone := s.Customers.Replace(ctx, organization, customer)
	if gone != nil || other == customer {
		return "", err
	}
	return open(other)
}

// allowed refuses addresses that lead anywhere but to our own pages.
func (s *Shop) allowed(field, raw string) error {
	if !usecase.LeadsTo(raw, s.Origins) {
		return fault.InvalidField(field, "must be an address of an allowed origin (REDIRECT_ORIGINS)")
	}
	return nil
}
