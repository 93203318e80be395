package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docledger/adapter/cache"
	"docledger/adapter/payment/stripe"
	domain "docledger/domain/billing"
	"docledger/domain/fault"
	domaininbox "docledger/domain/inbox"
	"docledger/infrastructure/clock"
	"docledger/usecase/billing"
	"docledger/usecase/inbox"
)

// openBilling builds the connection to the payment processor, or none (domain D16).
func (s *Service) openBilling() (plans domain.Plans, err error) {
	reader := &billing.Reader{Usage: s.store.Usage(), Clock: s.clock, Log: s.log}
	s.Billing = reader
	s.Explainer = &billing.Explainer{Organizations: s.store.Organizations(), Usage: s.store.Usage(), Clock: s.clock}
	if s.cfg.Billing == "stripe" {
		return s.openPayments(reader)
	}
	reader.Source = billing.Unlimited{}
	return billing.Unlimited{}, nil
}

func (s *Service) openPayments(reader *billing.Reader) (domain.Plans, error) {
	var secrets []string
	for _, secret := range s.cfg.PaymentSigningSecret {
		secrets = append(secrets, secret.Reveal())
	}
	client, err := stripe.New(stripe.Options{URL: s.cfg.PaymentURL, SecretKey: s.cfg.PaymentSecretKey.Reveal(), WebhookSecrets: secrets, Log: s.log})
	if err != nil {
		return nil, err
	}
	plans, err := s.openPlanCache()
	if err != nil {
		return nil, err
	}
	s.planCache = plans
	st, ids := s.store, clock.UUIDv7{}
	customers := &billing.Customers{
		Organizations: st.Organizations(), Processor: client.Customers, Leases: st.Leases(), Clock: s.clock, IDs: ids, Log: s.log,
	}
	subscribed := &billing.Subscribed{
		Organizations: st.Organizations(), Subscriptions: client.Subscriptions, Customers: customers, Cache: plans, Known: st.KnownPlans(),
		Events: st.Events(), UnitOfWork: st, Clock: s.clock, Log: s.log,
	}
	if s.identities != nil {
		subscribed.Trials, s.identities.Plans = s.identities, plans
	}
	s.customers = customers
	reader.Source, reader.Customers, reader.Known = subscribed, customers, st.KnownPlans()
	x := s.Explainer
	x.Subscriptions, x.Cache, x.Known, x.Events, x.Charges = client.Subscriptions, plans, st.KnownPlans(), st.PlanEvents(), st.Charges()
	s.Shop = &billing.Checkout{
		Customers: customers, Subscriptions: client.Subscriptions, Prices: client.Prices, Sessions: client.Sessions, Clock: s.clock,
		Products: s.cfg.PaymentProducts, Origins: s.cfg.RedirectOrigins, Log: s.log,
	}
	s.Inbox.Handlers[domaininbox.Payments] = &billing.Events{
		Organizations: st.Organizations(), Customers: client.Customers, Webhooks: client.Webhooks, Cache: plans, PlanEvents: st.PlanEvents(),
		Clock: s.clock, Log: s.log,
		Charger: &billing.Charger{
			Subscriptions: client.Subscriptions, Prices: client.Prices, Charges: client.Charges, Records: st.Charges(),
			Leases: st.Leases(), Events: st.Events(), UnitOfWork: st, Clock: s.clock, IDs: ids, Log: s.log,
		},
	}
	s.reconciler = &billing.Reconciler{
		Events: client.Events, Bookmark: st.Bookmark("payments"), Now: s.clock.Now, Receive: s.receivePayment,
	}
	s.verifyPayments = func(header map[string][]string, body []byte, now time.Time) (inbox.Event, error) {
		ev, err := client.Webhooks.Verify(header, body, now)
		if fault.CodeOf(err) == fault.CodeInvalidRequest {
			return unreadable(string(ev.Type), ev.ID, body, now, err), nil
		}
		if err != nil {
			return inbox.Event{}, err
		}
		if ev.OtherVersion {
			s.log.Warn("payment event of another version of the interface", "event", ev.ID, "version", ev.APIVersion)
		}
		return paymentEvent(ev, body), nil
	}
	return subscribed, nil
}

func paymentEvent(ev domain.PaymentEvent, body []byte) inbox.Event {
	return inbox.Event{ID: ev.ID, Type: string(ev.Type), OccurredAt: ev.CreatedAt, Body: body}
}

// unreadable is a signed event that cannot be parsed. The reason contains nothing of the body.
func unreadable(kind, id string, body []byte, now time.Time, reason error) inbox.Event {
	return inbox.Event{ID: id, Type: kind, OccurredAt: now, Body: body, Unreadable: reason.Error()}
}

// receivePayment stores an event from the processor's event list, readable or not, unless its
// webhook has already stored it.
func (s *Service) receivePayment(ctx context.Context, ev domain.PaymentEvent, reason error) error {
	e := paymentEvent(ev, ev.Body)
	if reason != nil {
		e = unreadable(string(ev.Type), ev.ID, ev.Body, s.clock.Now(), reason)
	}
	return s.Inbox.Receive(ctx, domaininbox.Payments, e)
}

// openPlanCache returns Redis if it is configured, otherwise a cache in this process.
func (s *Service) openPlanCache() (domain.PlanCache, error) {
	url := s.cfg.RedisURL.Reveal()
	if url == "" {
		return cache.NewMemory(nil)
	}
	plans, closeClient, err := cache.NewRedis(url)
	if err != nil {
		return nil, fmt.Errorf("REDIS_URL %w", err)
	}
	s.closers = append(s.closers, closeClient)
	return plans, nil
}

// Reconcile reads the events that webhooks may have missed.
func (s *Service) Reconcile(ctx context.Context) error {
	n, err := s.reconciler.Run(ctx)
	if n > 0 {
		s.log.InfoContext(ctx, "payment events reconciled", "events", n)
	}
	return err
}

func (s *Service) close() error {
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}
