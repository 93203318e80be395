package integrations

import (
	"context"

	"docledger/domain/accounting"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"

	"github.com/google/uuid"
)

// CheckContact returns a fault if an id is not an active contact of the ledger. It checks nothing
// while the integration does not work. field is the request's field name.
func (s *Service) CheckContact(ctx context.Context, a identity.Actor, id uuid.UUID, contact, field string) error {
	list, err := all[contactReader](ctx, s, a, id, "contacts", func(r contactReader) func(context.Context, integration.Access) ([]accounting.Contact, error) {
		return r.Contacts
	})
	if err != nil || list == nil {
		return err
	}
	for _, c := range list {
		if c.ID == contact && c.State == accounting.InUse {
			return nil
		}
	}
	return fault.InvalidField(field, "is not an active contact of the ledger; GET /api/v1/integrations/%s/accounting-contacts lists them", id)
}

// TaxPercent returns the percentage of a tax rate. It returns a fault if the id is not a tax rate
// for bills, and "" while the integration does not work. field is the request's field name.
func (s *Service) TaxPercent(ctx context.Context, a identity.Actor, id uuid.UUID, rate, field string) (string, error) {
	list, err := all[taxRateReader](ctx, s, a, id, "tax rates", func(r taxRateReader) func(context.Context, integration.Access) ([]accounting.TaxRate, error) {
		return r.TaxRates
	})
	if err != nil || list == nil {
		return "", err
	}
	for _, t := range list {
		if t.ID == rate && t.State == accounting.InUse && t.Purchases {
			return t.Rate.String(), nil
		}
	}
	return "", fault.InvalidField(field, "is not a tax rate for bills; GET /api/v1/integrations/%s/accounting-tax-rates lists them", id)
}

// all returns a complete list of the ledger; nil while the integration does not work.
func all[C, T any](
	ctx context.Context, s *Service, a identity.Actor, id uuid.UUID, name string, method func(C) func(context.Context, integration.Access) ([]T, error),
) ([]T, error) {
	i, err := s.Integrations.Get(ctx, a.Scope(), id)
	if err != nil || i.RequireActive() != nil {
		return nil, err
	}
	reader, err := capability[C](s, i)
	if err != nil {
		return nil, err
	}
	return read(ctx, s, i, name, method(reader))
}
