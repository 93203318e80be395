package billing

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"docledger/domain/billing"
	"docledger/domain/calendar"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/usecase"

	"github.com/google/uuid"
)

// AlertCode identifies an alert about a plan (decisions 3).
type AlertCode string

// The alerts.
const (
	TrialExpiring        AlertCode = "TRIAL_EXPIRING" // fewer than three days left
	SubscriptionInactive AlertCode = "SUBSCRIPTION_INACTIVE"
	UsageNearLimit       AlertCode = "USAGE_NEAR_LIMIT" // 80 % of a limit
	UsageLimitReached    AlertCode = "USAGE_LIMIT_REACHED"
	PaymentFailed        AlertCode = "PAYMENT_FAILED" // an invoice is unpaid
)

// Alert is one alert. URL is the page where the user can resolve it.
type Alert struct {
	Code    AlertCode
	Message string
	URL     string
}

// alertDays is the number of days before the end of a trial when the alert starts
// (interface 8).
const alertDays = 3

// Trial is the remaining trial period.
type Trial struct {
	Active   bool
	Expiry   calendar.Date // last day, in UTC
	DaysLeft int           // whole days until the last day; 0 on it, negative after it
}

// Overview is the plan, usage and alerts of an organization.
type Overview struct {
	OrganizationID uuid.UUID
	Plan           billing.Plan
	Entities       int
	Invoices       int // of the month
	PeriodStart    calendar.Date
	PeriodEnd      calendar.Date // last day of the month
	Trial          *Trial        // nil with a subscription, or without a processor
	Alerts         []Alert
}

// Source reads plans for display. Unlike for limits, an unavailable source is an
// error.
type Source interface {
	Read(ctx context.Context, organization uuid.UUID) (billing.Plan, error)
}

// Reader shows an organization its plan. Customers and Known are nil without a
// payment processor.
type Reader struct {
	Source    Source
	Usage     billing.Usage
	Customers *Customers
	Known     billing.LastKnownPlans
	Clock     usecase.Clock
	Log       *slog.Logger
}

// Overview reads the caller's plan. For an organization without payment customer it
// creates one and logs a warning (interface 3).
func (r *Reader) Overview(ctx context.Context, a identity.Actor) (*Overview, error) {
	organization := a.OrganizationID
	if r.Customers != nil {
		if _, err := r.Customers.EnsureAtRequest(ctx, organization); err != nil {
			return nil, err
		}
	}
	plan, err := r.Source.Read(ctx, organization)
	if err != nil {
		return nil, err
	}
	now := r.Clock.Now()
	from, until := billing.MonthOf(now)
	v := &Overview{
		OrganizationID: organization, Plan: plan, PeriodStart: calendar.Of(from), PeriodEnd: calendar.Of(until.Add(-time.Second)),
	}
	if v.Entities, err = r.Usage.Used(ctx, organization, billing.Entities, ""); err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	if v.Invoices, err = r.Usage.Used(ctx, organization, billing.Invoices, billing.Month(now)); err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	if plan.OnTrial() {
		v.Trial = trialUntil(plan.CycleEnd, now)
	}
	url, err := r.paymentURL(ctx, organization)
	if err != nil {
		return nil, err
	}
	v.Alerts = alerts(v, url)
	return v, nil
}

// trialUntil computes the trial from the end of the plan. The current terms of the
// organization may be newer than a cached plan, and both parts of one response must
// agree.
func trialUntil(end, now time.Time) *Trial {
	last, today := calendar.Of(end.UTC()).AddDays(-1), calendar.Of(now.UTC())
	return &Trial{
		Active: now.Before(end), Expiry: last, DaysLeft: int(last.Time().Sub(today.Time()).Hours() / 24),
	}
}

// paymentURL returns the page of an unpaid invoice; "" for none.
func (r *Reader) paymentURL(ctx context.Context, id uuid.UUID) (string, error) {
	if r.Known == nil {
		return "", nil
	}
	known, err := r.Known.Get(ctx, id)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the last known plan: %w", err)
	}
	return known.PaymentURL, nil
}

func alerts(v *Overview, paymentURL string) []Alert {
	var out []Alert
	add := func(code AlertCode, url, format string, args ...any) {
		out = append(out, Alert{Code: code, Message: fmt.Sprintf(format, args...), URL: url})
	}
	if v.Trial != nil && v.Trial.Active && v.Trial.DaysLeft < alertDays {
		add(TrialExpiring, "", "The trial ends on %s (UTC). Choose a plan to continue adding documents.", v.Trial.Expiry)
	}
	if !v.Plan.Writable {
		add(SubscriptionInactive, "", "The plan is not active. Existing data can be read, but nothing can be added. Choose a plan.")
	}
	for _, limit := range []struct {
		name string
		used int
		most *int
	}{{"entities", v.Entities, v.Plan.MaxEntities}, {"invoices this month", v.Invoices, v.Plan.MaxInvoicesPerMonth}} {
		switch {
		case limit.most == nil, *limit.most == 0 && !v.Plan.Writable: // SubscriptionInactive says it
		case limit.used >= *limit.most:
			add(UsageLimitReached, "", "The plan limit of %d %s is reached.", *limit.most, limit.name)
		case limit.used*5 >= *limit.most*4:
			add(UsageNearLimit, "", "%d of %d %s of the plan are used.", limit.used, *limit.most, limit.name)
		}
	}
	if paymentURL != "" {
		add(PaymentFailed, paymentURL, "An invoice is unpaid. Pay it to keep the plan active.")
	}
	return out
}
