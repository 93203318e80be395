package msgraph

import (
	"context"
	"net/http"
	"time"

	"docledger/adapter/docstore/msgraph/client"
	"docledger/domain/docstore"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// lifetime is how long a subscription is to live. The provider allows 42,300
// minutes, a little more than 29 days.
const lifetime = 28 * 24 * time.Hour

// Subscribe implements docstore.Notifier: a subscription to all that changes in
// the library. Where the organization asks for more than the right to read, it
// is refused as ErrDenied.
func (c *Connector) Subscribe(
	ctx context.Context, a integration.Access, p docstore.Place, _, address string, proof secret.Text,
) (docstore.Subscription, error) {
	if !client.IsID(p.SubSource) {
		return docstore.Subscription{}, noID("document library")
	}
	s, err := c.client.Subscribe(ctx, a, p.SubSource, address, proof.Reveal(), c.now().Add(lifetime))
	return subscription(s, err)
}

// Renew implements docstore.Notifier.
func (c *Connector) Renew(
	ctx context.Context, a integration.Access, _ docstore.Place, s docstore.Subscription, _, _ string, _ secret.Text,
) (docstore.Subscription, error) {
	if !client.IsID(s.ID) {
		return docstore.Subscription{}, noID("subscription")
	}
	renewed, err := c.client.Renew(ctx, a, s.ID, c.now().Add(lifetime))
	return subscription(renewed, err)
}

// Unsubscribe implements docstore.Notifier.
func (c *Connector) Unsubscribe(ctx context.Context, a integration.Access, s docstore.Subscription) error {
	if !client.IsID(s.ID) {
		return nil
	}
	err := c.client.Unsubscribe(ctx, a, s.ID)
	if status(err) == http.StatusNotFound {
		return nil
	}
	return translate("subscription", err)
}

func subscription(s client.Subscription, err error) (docstore.Subscription, error) {
	if err != nil {
		return docstore.Subscription{}, translate("subscription", err)
	}
	return docstore.Subscription{ID: s.ID, ExpiresAt: s.ExpiresAt}, nil
}
