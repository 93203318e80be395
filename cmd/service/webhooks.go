package service

import (
	"context"

	"docledger/adapter/queue"
	"docledger/adapter/webhookout"
	"docledger/domain/webhook"
	"docledger/infrastructure/clock"
	"docledger/infrastructure/httpclient"
	"docledger/usecase/webhooks"
)

// newWebhooks returns the outgoing webhooks.
func (s *Service) newWebhooks() *webhooks.Service {
	st := s.store
	client := httpclient.NewPublic(httpclient.PublicOptions{Timeout: webhook.Timeout, Loopback: s.cfg.WebhookLoopback})
	return &webhooks.Service{
		Webhooks: st.Webhooks(), Deliveries: st.Deliveries(), Outbox: st.Webhooks(), Sender: &webhookout.Sender{Client: client},
		Entities: st.Entities(), Events: st.Events(), Queue: s.queue, Holds: st.Holds(), UnitOfWork: st, Clock: s.clock, IDs: clock.UUIDv7{},
	}
}

// enqueueWebhooks finds webhooks with new events or due deliveries.
func (s *Service) enqueueWebhooks() queue.Task {
	return queue.Task{Name: "webhooks that are due", Run: func(ctx context.Context) error {
		_, err := s.Webhooks.Enqueue(ctx)
		return err
	}}
}
