package billing

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/domain/inbox"
	"docledger/domain/organization"
	"docledger/usecase"

	"github.com/google/uuid"
)

// FactSource is the source of a fact about an organization's plan.
type FactSource string

// The sources.
const (
	FromSubscription  FactSource = "subscription"
	FromTrial         FactSource = "trial metadata"
	FromLastKnown     FactSource = "last known plan"
	FromCache         FactSource = "cache"
	FromConfiguration FactSource = "configuration" // there is no payment processor
	FromCounter       FactSource = "counter"
	FromRecord        FactSource = "record"
	FromNowhere       FactSource = "none"
)

// Fact is one fact about an organization and its source.
type Fact struct {
	Name   string
	Value  string
	Source FactSource
	Detail string             // location within the source; may be ""
	Event  *billing.PlanEvent // the event that caused it, if known
}

// Explanation explains to an operator what an organization may do.
type Explanation struct {
	Organization *organization.Organization
	Facts        []Fact
}

// Explainer explains plans. All fields except Organizations, Usage and Clock are nil
// without a payment processor. It must run in a separate process, because its cache
// lookup would end a fill that a reader in the same process shares.
type Explainer struct {
	Organizations organization.Repository
	Usage         billing.Usage
	Subscriptions billing.Subscriptions
	Cache         billing.PlanCache
	Known         billing.LastKnownPlans
	Events        billing.PlanEvents
	Charges       billing.ChargeRecords
	Clock         usecase.Clock
}

// chargesShown is the number of immediate charges in an explanation.
const chargesShown = 3

// basis is the data that a plan was derived from.
type basis struct {
	plan       billing.Plan
	source     FactSource
	detail     string
	limits     func(key string) string // source of a limit
	event      *billing.PlanEvent
	paymentURL string
}

// Explain reads an organization's plan from its source and names the source of each
// part. It changes nothing.
func (x *Explainer) Explain(ctx context.Context, id uuid.UUID) (*Explanation, error) {
	o, err := x.Organizations.ByID(ctx, id)
	if err != nil {
		return nil, err
	}
	out := &Explanation{Organization: o}
	b, err := x.basis(ctx, o)
	if err != nil {
		return nil, err
	}
	out.Facts = b.facts()
	more := []func(context.Context, *organization.Organization, *basis) ([]Fact, error){x.usage}
	if x.Subscriptions != nil {
		more = append(more, x.cached, x.customer, x.charges)
	}
	for _, read := range more {
		facts, err := read(ctx, o, b)
		if err != nil {
			return nil, err
		}
		out.Facts = append(out.Facts, facts...)
	}
	return out, nil
}

func (x *Explainer) basis(ctx context.Context, o *organization.Organization) (*basis, error) {
	if x.Subscriptions == nil {
		return &basis{plan: billing.SelfHosted(), source: FromConfiguration, detail: "BILLING=none"}, nil
	}
	events, err := x.Events.OfOrganization(ctx, o.ID)
	if err != nil {
		return nil, fmt.Errorf("read the events: %w", err)
	}
	var snapshot billing.Snapshot
	if o.PaymentCustomerID != "" {
		if snapshot, err = x.Subscriptions.OfCustomer(ctx, o.PaymentCustomerID); err != nil {
			return x.lastKnown(ctx, o, latest(events, inbox.Payments), err)
		}
	}
	plan, err := billing.PlanOf(snapshot, o.TrialTerms(), x.Clock.Now())
	if err != nil {
		return nil, err
	}
	b := &basis{plan: plan, source: FromTrial, event: latest(events, inbox.Identity), detail: trialDetail(o)}
	if sub, ok := snapshot.Effective(); ok {
		b.source, b.event = FromSubscription, latest(events, inbox.Payments)
		b.detail = fmt.Sprintf("%s, 1 of %d", sub.ID, len(snapshot.Subscriptions))
		b.limits = limitsOf(sub)
	} else if o.TrialTerms().None() {
		b.source = FromNowhere
	}
	if snapshot.OpenInvoice != nil {
		b.paymentURL = snapshot.OpenInvoice.PaymentURL
	}
	return b, nil
}

// lastKnown returns the basis that applies while the processor is unavailable (domain
// D14).
func (x *Explainer) lastKnown(ctx context.Context, o *organization.Organization, event *billing.PlanEvent, cause error) (*basis, error) {
	known, err := x.Known.Get(ctx, o.ID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return &basis{
			plan: billing.Plan{Name: "unknown", Status: "unknown"}, source: FromNowhere, event: event,
			detail: "never read; " + cause.Error(),
		}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the last known plan: %w", err)
	}
	if event != nil && event.OccurredAt.After(known.ReadAt) {
		event = nil // the plan was read before the event
	}
	now := x.Clock.Now()
	b := &basis{
		plan: known.Plan.Record().Plan(now), source: FromLastKnown, event: event, paymentURL: known.PaymentURL,
		detail: "read " + known.ReadAt.Format(time.RFC3339) + "; " + cause.Error(),
	}
	if now.Sub(known.ReadAt) > billing.LastKnownPlanTTL {
		b.plan.Writable = false
		b.detail = "too old, " + b.detail
	}
	return b, nil
}

func latest(events []billing.PlanEvent, sender inbox.Sender) *billing.PlanEvent {
	for _, e := range events {
		if e.Sender == sender {
			return &e
		}
	}
	return nil
}

func trialDetail(o *organization.Organization) string {
	switch {
	case o.Trial == nil:
		return "terms of a new organization"
	case o.Trial.None():
		return "the identity provider has no trial date"
	}
	return "from the identity provider"
}

// limitsOf returns the metadata source of each limit of a subscription.
func limitsOf(sub billing.Subscription) func(key string) string {
	if len(sub.Items) == 0 {
		return nil
	}
	price := sub.Items[0].Price
	return func(key string) string {
		if _, ok := price.Metadata[key]; ok {
			return key + " of " + price.ID
		}
		if _, ok := price.ProductMetadata[key]; ok {
			return key + " of " + price.Product
		}
		return "no " + key + " on " + price.ID + " or " + price.Product
	}
}

func (b *basis) facts() []Fact {
	fact := func(name, value, detail string) Fact {
		return Fact{Name: name, Value: value, Source: b.source, Detail: detail, Event: b.event}
	}
	adding := "allowed"
	if !b.plan.Writable {
		adding = "refused"
	}
	end := "-"
	if !b.plan.CycleEnd.IsZero() {
		end = b.plan.CycleEnd.Format(time.RFC3339)
	}
	limit := func(name, key string, most *int) Fact {
		if b.limits == nil {
			return fact(name, describeLimit(most), b.detail)
		}
		return fact(name, describeLimit(most), b.limits(key))
	}
	facts := []Fact{
		fact("status", b.plan.Status, b.detail), fact("plan", b.plan.Name, b.detail),
		fact("adding", adding, b.detail), fact("cycle end", end, b.detail),
		limit("entities, most", billing.MetadataMaxEntities, b.plan.MaxEntities),
		limit("invoices a month, most", billing.MetadataMaxInvoices, b.plan.MaxInvoicesPerMonth),
	}
	if b.paymentURL != "" {
		facts = append(facts, fact("invoice to pay", b.paymentURL, b.detail))
	}
	return facts
}

func describeLimit(most *int) string {
	if most == nil {
		return "unlimited"
	}
	return strconv.Itoa(*most)
}

func (x *Explainer) usage(ctx context.Context, o *organization.Organization, _ *basis) ([]Fact, error) {
	month := billing.Month(x.Clock.Now())
	entities, err := x.Usage.Used(ctx, o.ID, billing.Entities, "")
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	invoices, err := x.Usage.Used(ctx, o.ID, billing.Invoices, month)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	return []Fact{
		{Name: "entities", Value: strconv.Itoa(entities), Source: FromCounter, Detail: "not archived"},
		{Name: "invoices", Value: strconv.Itoa(invoices), Source: FromCounter, Detail: "first read in " + month + " UTC"},
	}, nil
}

// errMiss ends a cache lookup without a fill.
var errMiss = errors.New("not in the cache")

// cached returns the cached plan that requests use, if this process can read the
// cache.
func (x *Explainer) cached(ctx context.Context, o *organization.Organization, _ *basis) ([]Fact, error) {
	record, err := x.Cache.Load(ctx, o.ID, func(context.Context) (billing.Record, error) { return billing.Record{}, errMiss })
	if errors.Is(err, errMiss) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the cache: %w", err)
	}
	return []Fact{{
		Name: "answered with", Value: record.SubscriptionStatus + ", " + record.CurrentPlan, Source: FromCache,
		Detail: billing.CacheKey(o.ID),
	}}, nil
}

func (x *Explainer) customer(_ context.Context, o *organization.Organization, _ *basis) ([]Fact, error) {
	if o.PaymentCustomerID == "" {
		return []Fact{{Name: "payment customer", Value: "-", Source: FromNowhere, Detail: "created at the first billing read"}}, nil
	}
	return []Fact{{Name: "payment customer", Value: o.PaymentCustomerID, Source: FromRecord}}, nil
}

func (x *Explainer) charges(ctx context.Context, o *organization.Organization, _ *basis) ([]Fact, error) {
	made, err := x.Charges.OfOrganization(ctx, o.ID, chargesShown)
	if err != nil {
		return nil, fmt.Errorf("read the charges: %w", err)
	}
	var facts []Fact
	for _, c := range made {
		value := string(c.State)
		for _, more := range []string{string(c.Outcome), c.Reason} {
			if more != "" {
				value += ", " + more
			}
		}
		facts = append(facts, Fact{
			Name: "charge " + c.Charge.Month, Value: value, Source: FromRecord, Detail: c.Charge.Subscription + " " + c.Invoice,
			Event: &billing.PlanEvent{
				Sender: inbox.Payments, ID: c.EventID, Type: string(billing.SubscriptionCreated), OccurredAt: c.EventAt,
			},
		})
	}
	return facts, nil
}
