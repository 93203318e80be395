// Package webhookout sends events to outgoing webhooks (domain D17). Headers and
// signatures follow Standard Webhooks 1.0.
package webhookout

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"docledger/domain/secret"
	"docledger/domain/webhook"
	"docledger/infrastructure/httpclient"

	"github.com/google/uuid"
)

// The headers of a request.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
)

// Sender implements webhook.Sender.
type Sender struct{ Client *httpclient.PublicClient }

var _ webhook.Sender = (*Sender)(nil)

// Accepts implements webhook.Sender.
func (s *Sender) Accepts(address string) string {
	if err := s.Client.CheckURL(address); err != nil {
		return err.Error()
	}
	return ""
}

// Send implements webhook.Sender.
func (s *Sender) Send(ctx context.Context, w *webhook.Webhook, d *webhook.Delivery, now time.Time) webhook.Result {
	body, err := Body(d)
	if err != nil {
		return webhook.Result{Failure: "The event could not be encoded."}
	}
	header := http.Header{"Content-Type": {"application/json"}}
	header.Set(headerID, d.Event.ID.String())
	header.Set(headerTimestamp, strconv.FormatInt(now.Unix(), 10))
	header.Set(headerSignature, signatures(w.SigningSecrets(now), d.Event.ID, now, body))
	status, err := s.Client.Post(ctx, w.URL, header, body)
	switch {
	case err != nil:
		return webhook.Result{Failure: reason(err)}
	case status < http.StatusOK || status >= http.StatusMultipleChoices:
		return webhook.Result{Status: status, Failure: fmt.Sprintf("The receiver returned status %d. Only 2xx confirms an event.", status)}
	}
	return webhook.Result{Status: status}
}

// reason returns why there was no response, without details of the network.
func reason(err error) string {
	var name *net.DNSError
	switch {
	case errors.Is(err, httpclient.ErrAddressNotAllowed), errors.As(err, &name):
		// Two texts would tell which names exist in the network of this service.
		return "The host was not found, or is not on the public internet."
	case errors.Is(err, httpclient.ErrResponseTimeout) || errors.Is(err, os.ErrDeadlineExceeded):
		return "The receiver did not respond in time."
	case strings.Contains(err.Error(), "tls:") || strings.Contains(err.Error(), "x509:"):
		return "The TLS certificate of the receiver was not accepted."
	}
	return "The connection failed."
}

// signatures returns the value of the signature header: one signature for each secret.
func signatures(secrets []secret.Text, id uuid.UUID, now time.Time, body []byte) string {
	var list []string
	for _, s := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s.Reveal(), webhook.SecretPrefix))
		if err != nil {
			continue
		}
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%d.%s", id, now.Unix(), body)
		list = append(list, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(list, " ")
}

type subjectJSON struct {
	Type       string    `json:"type"`
	ID         uuid.UUID `json:"id"`
	Version    *int      `json:"version"`
	ExternalID *string   `json:"external_id"`
}

type actorJSON struct {
	Type     string     `json:"type"`
	ID       *uuid.UUID `json:"id"`
	ClientID *string    `json:"client_id"`
}

type eventJSON struct {
	ID             uuid.UUID   `json:"id"`
	Type           string      `json:"type"`
	OrganizationID uuid.UUID   `json:"organization_id"`
	EntityID       *uuid.UUID  `json:"entity_id"`
	Subject        subjectJSON `json:"subject"`
	Actor          actorJSON   `json:"actor"`
	RequestID      *string     `json:"request_id"`
	CreatedAt      time.Time   `json:"created_at"`
}

// Body returns the JSON of an event: the record of the event log without changes and
// data. It is the schema DeliveredEvent of the specification.
func Body(d *webhook.Delivery) ([]byte, error) {
	e := d.Event
	return json.Marshal(eventJSON{
		ID: e.ID, Type: string(e.Type), OrganizationID: e.OrganizationID, EntityID: optional(e.EntityID),
		Subject:   subjectJSON{Type: string(e.Subject.Type), ID: e.Subject.ID, Version: optional(e.Subject.Version), ExternalID: optional(e.Subject.ExternalID)},
		Actor:     actorJSON{Type: string(e.ActorType), ID: optional(e.ActorID), ClientID: optional(e.ClientID)},
		RequestID: optional(e.RequestID), CreatedAt: e.CreatedAt.UTC(),
	})
}

func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
