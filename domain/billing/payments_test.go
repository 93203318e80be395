package billing_test

import (
	"testing"

	"docledger/domain/billing"

	"github.com/google/uuid"
)

func number(n int) *int { return &n }

func same(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }

func TestPriceLimits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		price, product map[string]string
		entities       *int
		invoices       *int
		bad            bool
	}{
		"absent is unlimited":   {nil, nil, nil, nil, false},
		"of the price":          {map[string]string{"max_entities": "5", "max_invoices_per_month": "0"}, nil, number(5), number(0), false},
		"of the product":        {nil, map[string]string{"max_entities": "5"}, number(5), nil, false},
		"the price comes first": {map[string]string{"max_entities": "6"}, map[string]string{"max_entities": "5"}, number(6), nil, false},
		"no number":             {map[string]string{"max_entities": "ten"}, nil, nil, nil, true},
		"empty":                 {map[string]string{"max_entities": ""}, map[string]string{"max_entities": "5"}, nil, nil, true},
		"negative":              {nil, map[string]string{"max_invoices_per_month": "-1"}, nil, nil, true},
		"fraction":              {nil, map[string]string{"max_invoices_per_month": "1.5"}, nil, nil, true},
		"beyond any use":        {nil, map[string]string{"max_entities": "99999999999"}, nil, nil, true},
	} {
		got, err := billing.Price{ID: "price_1", Metadata: tt.price, ProductMetadata: tt.product}.Limits()
		if (err != nil) != tt.bad {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && (!same(got.MaxEntities, tt.entities) || !same(got.MaxInvoicesPerMonth, tt.invoices)) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestEffectiveSubscription(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		newestFirst []billing.SubscriptionStatus
		want        int // -1: none
	}{
		"none":                      {nil, -1},
		"the newest":                {[]billing.SubscriptionStatus{billing.Canceled, billing.Unpaid}, 0},
		"one that allows writing":   {[]billing.SubscriptionStatus{billing.Canceled, billing.Paused, billing.PastDue}, 2},
		"the newest of these":       {[]billing.SubscriptionStatus{billing.IncompleteExpired, billing.Trialing, billing.Active}, 1},
		"a status that is yet new":  {[]billing.SubscriptionStatus{"hibernating", billing.Active}, 1},
		"incomplete allows nothing": {[]billing.SubscriptionStatus{billing.Incomplete}, 0},
	} {
		var s billing.Snapshot
		for i, status := range tt.newestFirst {
			s.Subscriptions = append(s.Subscriptions, billing.Subscription{ID: string(rune('a' + i)), Status: status})
		}
		got, ok := s.Effective()
		if ok != (tt.want >= 0) || ok && got.ID != s.Subscriptions[tt.want].ID {
			t.Errorf("%s: %+v %v", name, got, ok)
		}
	}
}

func TestOngoingSubscriptions(t *testing.T) {
	t.Parallel()
	for status, want := range map[billing.SubscriptionStatus]bool{
		billing.Active: true, billing.Trialing: true, billing.PastDue: true, billing.Unpaid: true, billing.Paused: true,
		billing.Canceled: false, billing.Incomplete: false, billing.IncompleteExpired: false,
	} {
		s := billing.Snapshot{Subscriptions: []billing.Subscription{{ID: "ended", Status: billing.Canceled}, {ID: "a", Status: status}}}
		if got, ok := s.Ongoing(); ok != want || ok && got.ID != "a" {
			t.Errorf("%s: %+v %v", status, got, ok)
		}
	}
}

func TestKeysAreConstant(t *testing.T) {
	t.Parallel()
	organization := uuid.MustParse("0191d2a0-0000-7000-8000-000000000001")
	if got := billing.CustomerKey(organization, ""); got != "customer-create:0191d2a0-0000-7000-8000-000000000001" {
		t.Errorf("customer key %q", got)
	}
	charge := billing.Charge{Organization: organization, Customer: "cus_1", Subscription: "sub_1", Month: "2026-11"}
	if got := charge.Key("pay"); got != "immediate:sub_1:2026-11:pay" {
		t.Errorf("charge key %q", got)
	}
	charge.Customer, charge.Organization = "cus_2", uuid.New()
	if got := charge.Key("pay"); got != "immediate:sub_1:2026-11:pay" {
		t.Errorf("charge key %q", got)
	}
}
