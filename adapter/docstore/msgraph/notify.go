package msgraph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"docledger/adapter/connector"
	"docledger/adapter/docstore/msgraph/client"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
	"docledger/infrastructure/httpclient"
)

// lifetime is the requested lifetime of a subscription. The provider allows 42,300 minutes, a
// little more than 29 days.
const lifetime = 28 * 24 * time.Hour

// Subscribe implements docstore.Notifier with a subscription to all changes in the library. It
// returns ErrDenied if the organization requires more than the permission to read.
func (c *Connector) Subscribe(
	ctx context.Context, a integration.Access, p docstore.Location, _, address string, proof secret.Text,
) (docstore.Subscription, error) {
	if !client.IsID(p.SubSource) {
		return docstore.Subscription{}, notFound("document library", connector.ErrNoSuchID)
	}
	s, err := c.client.Subscribe(ctx, a, p.SubSource, address, proof.Reveal(), c.Link.Now().Add(lifetime))
	return subscription(s, err)
}

// Renew implements docstore.Notifier.
func (c *Connector) Renew(
	ctx context.Context, a integration.Access, _ docstore.Location, s docstore.Subscription, _, _ string, _ secret.Text,
) (docstore.Subscription, error) {
	if !client.IsID(s.ID) {
		return docstore.Subscription{}, notFound("subscription", connector.ErrNoSuchID)
	}
	renewed, err := c.client.Renew(ctx, a, s.ID, c.Link.Now().Add(lifetime))
	return subscription(renewed, err)
}

// maxEcho limits the text that the provider wants repeated, in bytes.
const maxEcho = 4 << 10

// Read implements docstore.Notifier. A call contains either a text to repeat or a list of
// notifications, each with the secret.
func (c *Connector) Read(call docstore.Call) (docstore.Notification, error) {
	if echo := url.Values(call.Query).Get("validationToken"); echo != "" && len(echo) <= maxEcho {
		return docstore.Notification{Echo: echo}, nil
	}
	var in struct {
		Value notifications `json:"value"`
	}
	if err := json.Unmarshal(call.Body, &in); err != nil {
		return docstore.Notification{}, fault.New(fault.Invalid, fault.CodeInvalidRequest, "The body is not a notification of %s.", Provider).WithCause(err)
	}
	notification := docstore.Notification{Changed: true}
	for _, n := range in.Value {
		notification.Proofs = append(notification.Proofs, secret.New(n.State))
	}
	return notification, nil
}

// maxNotifications is the number of notifications that one call may contain.
const maxNotifications = 1000

type notification struct {
	State string `json:"clientState"`
}

// notifications decodes at most maxNotifications elements, because the caller is not verified yet.
type notifications []notification

// UnmarshalJSON implements json.Unmarshaler.
func (n *notifications) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return errors.New("the notifications are not a list")
	}
	for d.More() {
		if len(*n) == maxNotifications {
			return fmt.Errorf("more than %d notifications in one call", maxNotifications)
		}
		var one notification
		if err := d.Decode(&one); err != nil {
			return err
		}
		*n = append(*n, one)
	}
	return nil
}

// Unsubscribe implements docstore.Notifier.
func (c *Connector) Unsubscribe(ctx context.Context, a integration.Access, s docstore.Subscription) error {
	if !client.IsID(s.ID) {
		return nil
	}
	err := c.client.Unsubscribe(ctx, a, s.ID)
	if httpclient.StatusOf(err) == http.StatusNotFound {
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
