package watching

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
	"docledger/domain/watch"

	"github.com/google/uuid"
)

// NotificationPath is the path prefix of change notifications under the public address. The
// subscription's id follows.
const NotificationPath = "/webhook/storage/"

// The delays after a failed subscription. The failure may be temporary or permanent.
const (
	subscribeAgain  = 10 * time.Minute
	subscribeDenied = 24 * time.Hour
)

// subscribe maintains the subscription for change notifications. Failures do not affect the poll,
// which misses nothing without notifications.
func (p *poll) subscribe(ctx context.Context) error {
	notifier, ok := p.st.Changes.(docstore.Notifier)
	now := p.Clock.Now()
	if !ok || p.CallURL == "" || !p.w.CaughtUp || now.Before(p.w.SubscribeAt) {
		return nil
	}
	all, err := p.Subscriptions.Of(ctx, p.i.ID)
	if err != nil {
		return err
	}
	s := &subscribing{poll: p, notifier: notifier}
	for n := range all {
		if s.live == nil && all[n].Serves(p.w.Place, now) {
			s.live = &all[n]
		} else {
			s.stale = append(s.stale, all[n])
		}
	}
	if err := s.renew(ctx); err != nil {
		return err
	}
	return s.endStale(ctx)
}

// subscribing is one check of the subscriptions of a location.
type subscribing struct {
	*poll
	notifier docstore.Notifier
	live     *watch.Subscription // nil if there is no active subscription
	stale    []watch.Subscription
}

// renew creates or renews the subscription. The subscription is stored before the request, because
// the document store may call immediately.
func (s *subscribing) renew(ctx context.Context) error {
	proof := secret.New(rand.Text())
	fresh := &watch.Subscription{
		ID: uuid.Must(uuid.NewV7()), IntegrationID: s.i.ID, OrganizationID: s.i.OrganizationID,
		Proof: watch.ProofOf(proof.Reveal()), Place: s.w.Place,
	}
	if err := s.change(ctx, func(ctx context.Context, _ *watch.Watch) error { return s.Subscriptions.Add(ctx, fresh) }); err != nil {
		return err
	}
	remote, err := s.ask(ctx, s.CallURL+NotificationPath+fresh.ID.String(), proof)
	if err != nil {
		s.stale = append(s.stale, *fresh)
		return s.refused(ctx, err)
	}
	kept := fresh
	if s.live != nil && remote.ID == s.live.Remote.ID {
		kept = s.live
		s.stale = append(s.stale, *fresh)
	} else if s.live != nil {
		s.stale = append(s.stale, *s.live)
	}
	return s.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		there, err := s.Subscriptions.Answered(ctx, kept.ID, remote)
		if err != nil {
			return err
		}
		kept.Remote = remote
		if !there { // the integration was disconnected in the meantime
			s.stale = append(s.stale, *kept)
		}
		if w.Refusal != (watch.Refusal{}) {
			s.Log.InfoContext(ctx, "subscription accepted again", "integration", s.i.ID, "provider", s.i.Provider)
		}
		now := s.Clock.Now()
		w.SubscribeAt, w.Refusal = now.Add(remote.ExpiresAt.Sub(now)/2), watch.Refusal{}
		return nil
	})
}

// ask requests the subscription from the document store.
func (s *subscribing) ask(ctx context.Context, address string, proof secret.Text) (remote docstore.Subscription, err error) {
	err = s.with(ctx, func(ctx context.Context, a integration.Access) error {
		if s.live != nil {
			remote, err = s.notifier.Renew(ctx, a, s.w.Place, s.live.Remote, s.w.Cursor, address, proof)
			if fault.CodeOf(err) != fault.CodeNotFound {
				return integration.Optional(err)
			}
		}
		remote, err = s.notifier.Subscribe(ctx, a, s.w.Place, s.w.Cursor, address, proof)
		return integration.Optional(err)
	})
	return remote, err
}

// refused schedules the next request. It logs a refusal once, and again if its reason changes.
func (s *subscribing) refused(ctx context.Context, cause error) error {
	if !foreign(cause) {
		return cause
	}
	again := subscribeAgain
	if f, ok := fault.As(cause); ok {
		again = max(again, f.RetryAfter)
	}
	reason := refusalOf(cause)
	if reason.Lasting {
		again = subscribeDenied
	}
	if reason != s.w.Refusal {
		s.Log.WarnContext(ctx, "subscription failed, relying on polling",
			"integration", s.i.ID, "provider", s.i.Provider, "again_in", again, "error", cause)
	}
	return s.change(ctx, func(_ context.Context, w *watch.Watch) error {
		w.SubscribeAt, w.Refusal = s.Clock.Now().Add(again), reason
		return nil
	})
}

// refusalOf returns what remains of a refusal. The id of the request differs each time.
func refusalOf(cause error) watch.Refusal {
	r := watch.Refusal{
		Code:    string(fault.CodeOf(cause)),
		Lasting: errors.Is(cause, docstore.ErrDenied) || integration.CapabilityRefused(cause),
	}
	if f, ok := fault.As(cause); ok && f.Provider() != (fault.Provider{}) {
		r.Code, r.Message = f.Provider().Code, f.Provider().Message
	}
	return r
}

// endStale removes subscriptions that are no longer needed: of another location, replaced, or
// requested by a process that died.
func (s *subscribing) endStale(ctx context.Context) error {
	for _, old := range s.stale {
		if old.Remote.ID != "" {
			err := s.with(ctx, func(ctx context.Context, a integration.Access) error {
				return integration.Optional(s.notifier.Unsubscribe(ctx, a, old.Remote))
			})
			if err != nil {
				// The subscription expires automatically; until then its notifications get not_found.
				s.Log.WarnContext(ctx, "subscription could not be removed", "integration", s.i.ID, "provider", s.i.Provider, "error", err)
			}
		}
		if err := s.Subscriptions.Remove(ctx, old.ID); err != nil {
			return err
		}
	}
	return nil
}

// Release deletes the subscriptions of an integration, within the caller's transaction. It returns
// those to remove at the document store.
func (s *Service) Release(ctx context.Context, i *integration.Integration) ([]docstore.Subscription, error) {
	taken, err := s.Subscriptions.Take(ctx, i.ID)
	var remote []docstore.Subscription
	for _, t := range taken {
		if t.Remote.ID != "" {
			remote = append(remote, t.Remote)
		}
	}
	return remote, err
}
