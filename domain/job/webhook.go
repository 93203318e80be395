package job

import (
	"time"

	"github.com/google/uuid"
)

// WebhookVersion is the version of DeliverWebhook that this release writes.
const WebhookVersion = 1

// Webhook is the kind of DeliverWebhook. It has a separate queue, because a receiver can take seconds
// to respond: no other work waits for it. Its jobs are not cancelled, because a webhook with due
// deliveries gets another job.
var Webhook = define(Kind{
	Name: "deliver_webhook", Version: WebhookVersion, Queue: WebhookQueue, Attempts: 10, Timeout: 2 * time.Minute, Paused: true,
	Noun:           "Deliveries of webhook",
	NotCancellable: "Deliveries are made while the webhook is enabled. To stop them, disable or delete webhook %s.",
}, func(a DeliverWebhook) string { return a.WebhookID.String() })

// DeliverWebhook sends the due events of one webhook.
type DeliverWebhook struct {
	V              int
	OrganizationID uuid.UUID
	WebhookID      uuid.UUID
}

// Kind implements Args.
func (DeliverWebhook) Kind() string { return "deliver_webhook" }

// Organization implements OfOrganization.
func (a DeliverWebhook) Organization() uuid.UUID { return a.OrganizationID }
