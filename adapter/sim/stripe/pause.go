package stripe

// pausedCollection says what happens with the invoices of a subscription while
// its collection is paused. The subscription keeps its status and its periods.
// Source: docs.stripe.com/billing/subscriptions/pause-payment.
type pausedCollection struct {
	Behavior  string `json:"behavior"`
	ResumesAt stamp  `json:"resumes_at"`
}

// pauseOf reads pause_collection. An empty text resumes the collection.
func (s *Server) pauseOf(p *params) *pausedCollection {
	if n := p.node.keys["pause_collection"]; n.leaf {
		if v, _ := p.text("pause_collection"); v != "" {
			p.fail(invalid("", "pause_collection", "Invalid object"))
		}
		return nil
	}
	pause := p.group("pause_collection")
	pause.required("behavior")
	out := &pausedCollection{}
	out.Behavior, _ = pause.one("behavior", "keep_as_draft", "mark_uncollectible", "void")
	if at, given := pause.integer("resumes_at"); given {
		if at <= s.now {
			p.fail(invalid("", "pause_collection[resumes_at]", "resumes_at must be in the future."))
		}
		out.ResumesAt = stamp(at)
	}
	return out
}

// billPaused keeps an invoice as a draft, or finalizes and closes it. Nothing is
// collected.
func (s *Server) billPaused(c *call, sub *subscription, inv *invoice) {
	inv.AutoAdvance, inv.FinalizesAt = false, 0
	s.changed(c, "invoice.created", inv, nil)
	if sub.PauseCollection.Behavior == "keep_as_draft" {
		return
	}
	s.finalize(c, inv)
	if inv.Status != "open" {
		return // nothing was due
	}
	if sub.PauseCollection.Behavior == "void" {
		s.closed(c, inv, "void", "invoice.voided", &inv.StatusTransitions.VoidedAt)
		return
	}
	s.closed(c, inv, "uncollectible", "invoice.marked_uncollectible", &inv.StatusTransitions.UncollectibleAt)
}

// resumeCollection ends a pause at the time that it names.
func (s *Server) resumeCollection(sub *subscription) {
	before := raw(sub)
	sub.PauseCollection = nil
	s.changed(nil, subscriptionEvent+"updated", sub, before)
}
