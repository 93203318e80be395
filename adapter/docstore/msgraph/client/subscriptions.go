package client

import (
	"context"
	"net/http"
	"time"

	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// Subscription is an address that receives change notifications for a drive.
type Subscription struct {
	ID        string
	ExpiresAt time.Time
}

type wireSubscription struct {
	ID         string `json:"id,omitempty"`
	ChangeType string `json:"changeType,omitempty"`
	Address    string `json:"notificationUrl,omitempty"`
	Resource   string `json:"resource,omitempty"`
	Expires    string `json:"expirationDateTime"`
	State      string `json:"clientState,omitempty"`
}

// Subscribe makes the provider call an address with a secret when something in a drive changes. The
// provider calls the address once before it responds.
func (c *Client) Subscribe(ctx context.Context, a integration.Access, drive, address, proof string, until time.Time) (Subscription, error) {
	return c.subscription(ctx, "subscribe", http.MethodPost, a, path("subscriptions"), wireSubscription{
		ChangeType: "updated", Address: address, Resource: "/" + path("drives", drive, rootAlias), Expires: moment(until), State: proof,
	})
}

// Renew extends a subscription.
func (c *Client) Renew(ctx context.Context, a integration.Access, id string, until time.Time) (Subscription, error) {
	return c.subscription(ctx, "renew subscription", http.MethodPatch, a, path("subscriptions", id), wireSubscription{Expires: moment(until)})
}

// Unsubscribe ends a subscription.
func (c *Client) Unsubscribe(ctx context.Context, a integration.Access, id string) error {
	return c.write(ctx, "unsubscribe", http.MethodDelete, a, path("subscriptions", id), nil, nil)
}

func (c *Client) subscription(
	ctx context.Context, doing, method string, a integration.Access, below string, sent wireSubscription,
) (Subscription, error) {
	var got wireSubscription
	if err := c.write(ctx, doing, method, a, below, sent, &got); err != nil {
		return Subscription{}, err
	}
	until, err := time.Parse(time.RFC3339Nano, got.Expires)
	if err != nil || !IsID(got.ID) {
		return Subscription{}, httpclient.Broken(doing, "the response describes a different subscription")
	}
	return Subscription{got.ID, until.UTC()}, nil
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.0000000Z") }
