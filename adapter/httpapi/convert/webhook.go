package convert

import (
	"docledger/domain/webhook"
	"docledger/gen/backend"

	"github.com/google/uuid"
)

// ToAPIWebhook returns a webhook without its secret.
func ToAPIWebhook(w *webhook.Webhook) backend.Webhook {
	api := backend.Webhook{
		Id: w.ID, Url: w.URL, Types: some(w.Types), EntityIds: null[[]uuid.UUID](), Enabled: w.Enabled,
		FailingSince: orNull(w.FailingSince), DisabledAt: orNull(w.DisabledAt), CreatedBy: w.CreatedBy, CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt,
	}
	if w.EntityIDs != nil {
		api.EntityIds = value(w.EntityIDs)
	}
	return api
}

// ToAPIWebhooks returns a page of webhooks.
func ToAPIWebhooks(webhooks []webhook.Webhook) []backend.Webhook {
	return list(webhooks, func(w webhook.Webhook) backend.Webhook { return ToAPIWebhook(&w) })
}

// ToAPIWebhookWithSecret returns a webhook with its secret.
func ToAPIWebhookWithSecret(w *webhook.Webhook) backend.WebhookWithSecret {
	return backend.WebhookWithSecret{Webhook: ToAPIWebhook(w), Secret: w.Secret.Reveal()}
}

// ToAPIDelivery returns a delivery.
func ToAPIDelivery(d webhook.Delivery) backend.WebhookDelivery {
	e := ToAPIEvent(d.Event)
	return backend.WebhookDelivery{
		Id: d.ID, WebhookId: d.WebhookID, State: string(d.State), Attempts: d.Attempts, NextAttemptAt: orNull(d.NextAttemptAt),
		LastAttemptAt: orNull(d.LastAttemptAt), ResponseStatus: orNull(d.Status), Failure: orNull(d.Failure), CreatedAt: d.CreatedAt,
		Event: backend.DeliveredEvent{
			Id: e.Id, Type: e.Type, OrganizationId: e.OrganizationId, EntityId: e.EntityId, Actor: e.Actor,
			Subject: backend.DeliveredSubject{
				Type: e.Subject.Type, Id: e.Subject.Id, Version: e.Subject.Version, ExternalId: orNull(d.Event.Subject.ExternalID),
			},
			RequestId: e.RequestId, CreatedAt: e.CreatedAt,
		},
	}
}

// ToAPIDeliveries returns a page of deliveries.
func ToAPIDeliveries(deliveries []webhook.Delivery) []backend.WebhookDelivery {
	return list(deliveries, ToAPIDelivery)
}
