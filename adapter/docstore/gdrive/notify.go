package gdrive

import (
	"context"
	"net/http"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/integration"
	"docledger/domain/secret"
	"docledger/infrastructure/httpclient"

	"github.com/google/uuid"
)

// lifetime is the requested lifetime of a channel. The provider allows at most one week.
const lifetime = 6 * 24 * time.Hour

// Subscribe implements docstore.Notifier with a channel for all changes of the account or of the
// shared drive.
func (c *Connector) Subscribe(
	ctx context.Context, a integration.Access, _ docstore.Location, at, address string, proof secret.Text,
) (docstore.Subscription, error) {
	from, err := parse(at)
	if err != nil {
		return docstore.Subscription{}, err
	}
	ch, err := c.client.Watch(ctx, a, from.drive, from.token, uuid.NewString(), address, proof.Reveal(), c.Link.Now().Add(lifetime))
	if err != nil {
		return docstore.Subscription{}, translate("place", err)
	}
	return docstore.Subscription{ID: ch.ID, Resource: ch.ResourceID, ExpiresAt: ch.ExpiresAt}, nil
}

// Renew implements docstore.Notifier. The provider cannot extend a channel, so Renew creates
// another one.
func (c *Connector) Renew(
	ctx context.Context, a integration.Access, p docstore.Location, _ docstore.Subscription, at, address string, proof secret.Text,
) (docstore.Subscription, error) {
	return c.Subscribe(ctx, a, p, at, address, proof)
}

// These headers carry the content of a notification, which has no body.
const (
	proofHeader = "X-Goog-Channel-Token"
	stateHeader = "X-Goog-Resource-State"
	opened      = "sync" // the state of the first call, which reports no change
)

// Read implements docstore.Notifier.
func (c *Connector) Read(call docstore.Call) (docstore.Notification, error) {
	header := http.Header(call.Header)
	notification := docstore.Notification{Changed: header.Get(stateHeader) != opened}
	for _, proof := range header.Values(proofHeader) {
		notification.Proofs = append(notification.Proofs, secret.New(proof))
	}
	return notification, nil
}

// Unsubscribe implements docstore.Notifier.
func (c *Connector) Unsubscribe(ctx context.Context, a integration.Access, s docstore.Subscription) error {
	err := c.client.Stop(ctx, a, s.ID, s.Resource)
	if httpclient.StatusOf(err) == http.StatusNotFound {
		return nil
	}
	return translate("subscription", err)
}
