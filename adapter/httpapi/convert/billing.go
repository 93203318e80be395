package convert

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"

	"docledger/domain/billing"
	"docledger/domain/calendar"
	api "docledger/gen/billing"
	usecase "docledger/usecase/billing"

	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
	openapi "github.com/oapi-codegen/runtime/types"
)

// ToAPIBilling returns an organization's plan, usage and alerts.
func ToAPIBilling(v *usecase.Overview) api.Billing {
	return api.Billing{
		OrganizationId: v.OrganizationID, Plan: v.Plan.Name, SubscriptionStatus: v.Plan.Status,
		BillingCycleEnd: orNull(v.Plan.CycleEnd),
		Limits: toAPILimits(billing.Limits{
			MaxEntities: v.Plan.MaxEntities, MaxInvoicesPerMonth: v.Plan.MaxInvoicesPerMonth,
		}),
		Usage: api.BillingUsage{
			Entities: v.Entities, InvoicesThisMonth: v.Invoices, PeriodStart: day(v.PeriodStart), PeriodEnd: day(v.PeriodEnd),
		},
		Trial: toAPITrial(v.Trial), Alerts: list(v.Alerts, toAPIAlert),
	}
}

// ToAPIUsageByEntity returns the usage of a month.
func ToAPIUsageByEntity(u *usecase.UsageByEntity) api.UsageByEntity {
	return api.UsageByEntity{Month: u.Month, Total: u.Total, Items: list(u.Shares, func(s billing.Share) api.EntityUsage {
		return api.EntityUsage{EntityId: orNull(s.Entity), Invoices: s.Used}
	})}
}

// ToCSVUsageByEntity returns the usage of a month as CSV with a header row.
func ToCSVUsageByEntity(u *usecase.UsageByEntity) ([]byte, error) {
	rows := [][]string{{"month", "entity_id", "invoices"}}
	for _, s := range u.Shares {
		entity := ""
		if s.Entity != uuid.Nil {
			entity = s.Entity.String()
		}
		rows = append(rows, []string{u.Month, entity, strconv.Itoa(s.Used)})
	}
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
		return nil, fmt.Errorf("write usage as CSV: %w", err)
	}
	return text.Bytes(), nil
}

func toAPILimits(l billing.Limits) api.PlanLimits {
	return api.PlanLimits{MaxEntities: limit(l.MaxEntities), MaxInvoicesPerMonth: limit(l.MaxInvoicesPerMonth)}
}

// limit returns null for unlimited; 0 is a limit.
func limit(most *int) nullable.Nullable[int] {
	if most == nil {
		return null[int]()
	}
	return value(*most)
}

func toAPITrial(t *usecase.Trial) nullable.Nullable[api.BillingTrial] {
	if t == nil {
		return null[api.BillingTrial]()
	}
	return value(api.BillingTrial{Active: t.Active, ExpiryDate: day(t.Expiry), DaysLeft: t.DaysLeft})
}

func toAPIAlert(a usecase.Alert) api.BillingAlert {
	return api.BillingAlert{Code: string(a.Code), Message: a.Message, Url: orNull(a.URL)}
}

func day(d calendar.Date) openapi.Date { return openapi.Date{Time: d.Time()} }

// ToAPIPlans returns the plans for sale.
func ToAPIPlans(offers []usecase.Offer) []api.PlanOffer {
	return list(offers, func(o usecase.Offer) api.PlanOffer {
		return api.PlanOffer{
			PriceId: o.Price.ID, Name: o.Price.ProductName, Amount: decimal(o.Price.Amount), Currency: o.Price.Currency,
			Interval: o.Price.Interval, IntervalCount: o.Price.IntervalCount, Limits: toAPILimits(o.Limits),
		}
	})
}
