package billing

import (
	"time"

	"docledger/domain/organization"
)

// Statuses of organizations without a subscription (domain D14). With a subscription the status is
// the processor's.
const (
	TrialStatus   = "trialing"
	ExpiredStatus = "trial_expired"
	NoneStatus    = "none" // there is no trial
	// OrganizationInactive is the status of an organization that the identity provider has deleted.
	OrganizationInactive = "organization_inactive"
)

// Names of plans that are not sold.
const (
	trialPlan = "trial"
	noPlan    = "none"
)

// Plan is what an organization may do. A nil limit means unlimited.
type Plan struct {
	Name                string
	Status              string
	Writable            bool      // new entities, uploads and extractions are allowed
	CycleEnd            time.Time // end of the current period or of the trial; zero if there is none
	MaxEntities         *int
	MaxInvoicesPerMonth *int
}

// Differs reports whether p is another plan than before, or permits adding where before did not, or
// the reverse. A new period or status of payment is no other plan.
func (p Plan) Differs(before Plan) bool {
	return p.Name != before.Name || p.Writable != before.Writable
}

// OnTrial reports whether the plan is the trial, active or ended.
func (p Plan) OnTrial() bool { return p.Name == trialPlan }

// SelfHosted returns the plan of an installation without a payment processor.
func SelfHosted() Plan { return Plan{Name: "self_hosted", Status: string(Active), Writable: true} }

// TrialPlan returns the plan of an organization without a subscription. It is active through
// 23:59:59 UTC of the trial's last day. Without a trial it is inactive.
func TrialPlan(t organization.Trial, now time.Time) Plan {
	if t.None() {
		var none int // null would mean unlimited (decisions 6)
		return Plan{Name: noPlan, Status: NoneStatus, MaxEntities: &none, MaxInvoicesPerMonth: &none}
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

// PlanOf derives an organization's plan from the processor's data: the effective subscription, else
// the trial (decisions 6). It returns an error if a limit is not a number.
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

// Record returns the plan in the form that is cached.
func (p Plan) Record() Record {
	return Record{
		SubscriptionStatus: p.Status, CurrentPlan: p.Name, BillingCycleEnd: p.CycleEnd,
		MaxInvoicesPerMonth: p.MaxInvoicesPerMonth, MaxEntities: p.MaxEntities,
	}
}

// Plan returns the plan of a record at now. A trial may have ended since the record was written.
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
