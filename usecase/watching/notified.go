package watching

import (
	"context"

	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"

	"github.com/google/uuid"
)

// Notified processes a change notification: if its secret is valid, it brings the next poll
// forward. All other content is ignored; the poll reads the changes. echo is the response that the
// document store expects.
func (s *Service) Notified(ctx context.Context, subscription uuid.UUID, c docstore.Call) (echo string, err error) {
	known, err := s.Subscriptions.Find(ctx, subscription)
	if err != nil {
		return "", err
	}
	i, err := s.Integrations.Get(ctx, identity.Scope{OrganizationID: known.OrganizationID}, known.IntegrationID)
	if err != nil {
		return "", err
	}
	notifier, ok := s.Connectors(i.Provider).(docstore.Notifier)
	if !ok {
		return "", fault.Missing("subscription")
	}
	if c.ReadBody != nil {
		if c.Body, err = c.ReadBody(); err != nil {
			return "", err
		}
	}
	notification, err := notifier.Read(c)
	if err != nil || notification.Echo != "" {
		return notification.Echo, err
	}
	proven := len(notification.Proofs) > 0
	for _, proof := range notification.Proofs {
		proven = known.Proves(proof.Reveal()) && proven
	}
	if !proven {
		return "", fault.New(fault.Invalid, fault.CodeInvalidSignature,
			"The secret of the notification is missing or wrong.")
	}
	if !notification.Changed || i.Status == integration.Disconnected {
		return "", nil
	}
	return "", s.Wake(ctx, i)
}
