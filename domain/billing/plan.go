package billing

import (
	"time"

	"docledger/domain/organization"
)

// Statuses of organizations without a subscription (domain D14); with one the
// status is the processor's word.
const (
	TrialStatus   = "trialing"
	ExpiredStatus = "trial_expired"
	NoneStatus    = "none" // there is no trial either
)

// Names of plans that nobody buys.
const (
	trialPlan = "trial"
	noPlan    = "none"
)

// Plan is what an organization may do. A nil limit is unlimited.
type Plan struct {
	Name                string
	Status              string
	Writable            bool      // new entities, uploads and extractions are allowed
	CycleEnd            time.Time // of the running period, or of the trial; zero where there is none
	MaxEntities         *int
	MaxInvoicesPerMonth *int
}

// OnTrial says that the plan is the trial, running or ended.
func (p Plan) OnTrial() bool { return p.Name == trialPlan }

// SelfHosted is the plan of an installation without a payment processor.
func SelfHosted() Plan { return Plan{Name: "self_hosted", Status: string(Active), Writable: true} }

// TrialPlan is the plan of an organization without a subscription: active
// through 23:59:59 UTC of the trial's last day. Without a trial there is none.
func TrialPlan(t organization.Trial, now time.Time) Plan {
	if t.None() {
		return Plan{Name: noPlan, Status: NoneStatus}
	}
	entities, invoices := t.MaxEntities, t.MaxInvoicesPerMonth
	p := Plan{
		Name: trialPlan, Status: TrialStatus, Writable: true, CycleEnd: t.End(),
		MaxEntities: &entities, MaxInvoicesPerMonth: &invoices,
	}
	if !now.Before(p.CycleEnd) {
		p.Status, p.Writable = ExpiredStatus, false
	}
	return p
}

// PlanOf decides what an organization may do from what the processor knows of
// its customer: the subscription that counts, else the trial (decisions 6).
// The error is that of a limit which is no number.
func PlanOf(s Snapshot, t organization.Trial, now time.Time) (Plan, error) {
	sub, ok := s.Effective()
	if !ok {
		return TrialPlan(t, now), nil
	}
	p := Plan{Status: string(sub.Status), Writable: sub.Status.Writable(), CycleEnd: sub.PeriodEnd}
	if len(sub.Items) > 0 {
		price := sub.Items[0].Price
		limits, err := price.Limits()
		if err != nil {
			return Plan{}, err
		}
		p.Name, p.MaxEntities, p.MaxInvoicesPerMonth = price.Plan(), limits.MaxEntities, limits.MaxInvoicesPerMonth
	}
	return p, nil
}

// Record is the plan as the cache keeps it.
func (p Plan) Record() Record {
	return Record{
		SubscriptionStatus: p.Status, CurrentPlan: p.Name, BillingCycleEnd: p.CycleEnd,
		MaxInvoicesPerMonth: p.MaxInvoicesPerMonth, MaxEntities: p.MaxEntities,
	}
}

// Plan is the plan that a record tells of at now: a trial may have ended since
// it was written.
func (r Record) Plan(now time.Time) Plan {
	p := Plan{
		Name: r.CurrentPlan, Status: r.SubscriptionStatus, CycleEnd: r.BillingCycleEnd,
		MaxEntities: r.MaxEntities, MaxInvoicesPerMonth: r.MaxInvoicesPerMonth,
		Writable: SubscriptionStatus(r.SubscriptionStatus).Writable(),
	}
	if r.CurrentPlan == trialPlan && p.Writable && !now.Before(p.CycleEnd) {
		p.Status, p.Writable = ExpiredStatus, false
	}
	return p
}
