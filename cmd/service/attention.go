package service

import (
	"context"

	domain "docledger/domain/attention"
	"docledger/domain/identity"
	"docledger/usecase/attention"
	"docledger/usecase/billing"
)

// newAttention builds the list of what needs a person, with the alerts about the plan.
func (s *Service) newAttention() *attention.Service {
	return &attention.Service{
		Entities: s.store.Entities(), Source: s.store.Attention(), Clock: s.clock, Log: s.log,
		Alerts: func(ctx context.Context, a identity.Actor) ([]attention.Alert, error) {
			ctx, cancel := context.WithTimeout(ctx, billing.EnforcementTimeout)
			defer cancel()
			overview, err := s.Billing.Overview(ctx, a)
			if err != nil {
				return nil, err
			}
			alerts := make([]attention.Alert, len(overview.Alerts))
			for i, alert := range overview.Alerts {
				alerts[i] = attention.Alert{
					Code: domain.Code(alert.Code), Message: alert.Message, URL: alert.URL,
					Blocks: alert.Code == billing.SubscriptionInactive || alert.Code == billing.UsageLimitReached || alert.Code == billing.PaymentFailed,
				}
			}
			return alerts, nil
		},
	}
}
