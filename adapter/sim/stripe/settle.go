package stripe

import "time"

// maxSteps limits the number of events that one advance of the clock can cause.
const maxSteps = 100_000

// settle performs everything that became due since the last call, in order and each at its own
// time: ends of periods, payment retries, finalization of drafts, ends of trials, expiry of
// sessions. The caller holds the lock.
func (s *Server) settle() {
	now := s.Kit.Clock.Now().Unix()
	for range maxSteps {
		at, happen := s.next(now)
		if happen == nil {
			break
		}
		s.now = at
		happen()
	}
	s.now = now
	s.expireEvents()
}

// next finds the first due action.
func (s *Server) next(now int64) (at int64, happen func()) {
	at = now + 1
	consider := func(due int64, f func()) {
		if due != 0 && due < at {
			at, happen = due, f
		}
	}
	for _, r := range s.store.kinds["subscription"] {
		if sub, ok := r.(*subscription); ok && sub.EndedAt == 0 {
			consider(sub.due(), func() { s.turn(sub) })
			if p := sub.PauseCollection; p != nil {
				consider(int64(p.ResumesAt), func() { s.resumeCollection(sub) })
			}
		}
	}
	for _, r := range s.store.kinds["invoice"] {
		inv, ok := r.(*invoice)
		switch {
		case !ok:
		case inv.Status == "draft":
			consider(int64(inv.FinalizesAt), func() { s.finalizeDue(inv) })
		case inv.Status == "open":
			consider(int64(inv.NextPaymentAttempt), func() { s.collect(nil, inv, "") })
		}
	}
	for _, r := range s.store.kinds["checkout.session"] {
		if cs, ok := r.(*checkoutSession); ok && cs.Status == "open" {
			consider(cs.ExpiresAt, func() { s.expire(nil, cs) })
		}
	}
	return at, happen
}

func (s *Server) finalizeDue(inv *invoice) {
	s.finalize(nil, inv)
	if inv.Status == "open" && inv.CollectionMethod == "charge_automatically" {
		s.collect(nil, inv, "") // a decline is recorded in the invoice
	}
}

// due is the time of the next action of a subscription.
func (sub *subscription) due() int64 {
	switch sub.Status {
	case "incomplete":
		return sub.incompleteUntil
	case "trialing":
		return int64(sub.TrialEnd)
	case "paused":
		return 0
	}
	if at := int64(sub.CancelAt); at != 0 && at < sub.CurrentPeriodEnd {
		return at
	}
	return sub.CurrentPeriodEnd
}

// turn performs the due action of a subscription.
func (s *Server) turn(sub *subscription) {
	before := raw(sub)
	switch {
	case sub.Status == "incomplete":
		sub.Status, sub.EndedAt, sub.incompleteUntil = "incomplete_expired", stamp(s.now), 0
		s.changed(nil, subscriptionEvent+"updated", sub, before)
		if inv, ok := find[*invoice](s, string(sub.LatestInvoice)); ok && inv.Status == "open" {
			inv.Status, inv.StatusTransitions.VoidedAt, inv.NextPaymentAttempt = "void", stamp(s.now), 0
		}
	case sub.CancelAt != 0 && int64(sub.CancelAt) <= s.now:
		s.end(nil, sub, "canceled")
	case sub.Status == "trialing" && s.payer(sub.Customer) == "" && sub.DefaultPaymentMethod == "" && sub.missingPaymentAtTrial != "create_invoice":
		if sub.missingPaymentAtTrial == "cancel" {
			s.end(nil, sub, "canceled")
			return
		}
		sub.Status = "paused"
		s.changed(nil, subscriptionEvent+"updated", sub, before)
		s.changed(nil, subscriptionEvent+"paused", sub, before)
	default:
		s.renew(sub, before)
	}
}

// renew starts the next period of a subscription and bills it.
func (s *Server) renew(sub *subscription, before map[string]any) {
	if sub.Status == "trialing" {
		sub.Status = activeSubscription
	}
	rhythm := sub.Items.Data[0].Price.Recurring
	sub.period(s.now, following(moment(sub.BillingCycleAnchor), rhythm, moment(s.now)).Unix())
	s.changed(nil, subscriptionEvent+"updated", sub, before)
	s.bill(nil, sub, "subscription_cycle", s.fullLines(sub))
}

// expireEvents removes the events that cannot be listed any more.
func (s *Server) expireEvents() {
	oldest := s.now - int64(s.limits.EventLifetime/time.Second)
	events := s.store.kinds["event"]
	n := 0
	for n < len(events) && events[n].head().Created < oldest {
		delete(s.store.byID, events[n].head().ID)
		n++
	}
	if n > 0 {
		s.store.kinds["event"] = append([]record{}, events[n:]...)
	}
}
