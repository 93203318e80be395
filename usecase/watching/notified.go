package watching

import (
	"context"

	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"

	"github.com/google/uuid"
)

// Notified takes a call to the address of a subscription: once it is proven,
// the next poll is brought forward. Whatever else the call says is not
// believed; the poll reads what happened. An echo is what the store wants to be
// answered with.
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
	told, err := notifier.Read(c)
	if err != nil || told.Echo != "" {
		return told.Echo, err
	}
	proven := len(told.Proofs) > 0
	for _, proof := range told.Proofs {
		proven = known.Proves(proof.Reveal()) && proven
	}
	if !proven {
		return "", fault.New(fault.Invalid, fault.CodeInvalidSignature,
			"The notification is not proven: its secret is missing, or not the subscription's.")
	}
	if !told.Changed || i.Status == integration.Disconnected {
		return "", nil
	}
	return "", s.Wake(ctx, i)
}
