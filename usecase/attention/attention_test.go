package attention_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	domain "docledger/domain/attention"
	"docledger/domain/calendar"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/page"
	"docledger/usecase/attention"

	"github.com/google/uuid"
)

var one = entity.Entity{ID: uuid.MustParse("01936b1e-0000-7000-8000-000000000003"), OrganizationID: uuid.MustParse("01936b1e-0000-7000-8000-000000000001"), Name: "Acme"}

type entities struct{}

func (entities) Get(context.Context, identity.Scope, uuid.UUID) (*entity.Entity, error) {
	return &one, nil
}

func (entities) List(context.Context, identity.Scope, entity.Filter, page.Request) (page.Of[entity.Entity], error) {
	return page.Of[entity.Entity]{Items: []entity.Entity{one}}, nil
}

// source has 1,000 or more records of each cause, and one record of each other kind.
type source struct{}

func (source) Count(_ context.Context, _ identity.Scope, _ uuid.UUID, cause domain.Cause, _ calendar.Date) ([]domain.Count, error) {
	return []domain.Count{{EntityID: one.ID, Cause: cause, Number: domain.MaxCount, FirstID: uuid.New(), FirstAt: time.Unix(1, 0)}}, nil
}

func records() ([]domain.Record, error) {
	return []domain.Record{{ID: uuid.New(), EntityID: one.ID, Name: "X"}}, nil
}

func (source) FailedIntegrations(context.Context, identity.Scope, uuid.UUID) ([]domain.Record, error) {
	return records()
}

func (source) PendingIntegrations(context.Context, identity.Scope, uuid.UUID) ([]domain.Record, error) {
	return records()
}

func (source) LateWatches(context.Context, identity.Scope, uuid.UUID, time.Time) ([]domain.Record, error) {
	return records()
}
func (source) DisabledWebhooks(context.Context, uuid.UUID) ([]domain.Record, error) { return records() }

func (source) ExpiringKeys(context.Context, uuid.UUID, time.Time, time.Time) ([]domain.Record, error) {
	return records()
}

type clock struct{}

func (clock) Now() time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) }

func TestEveryCodeHasAnActionAPageAndAMessage(t *testing.T) {
	t.Parallel()
	admin := identity.Actor{OrganizationID: one.OrganizationID, Role: identity.RoleAdmin}
	s := &attention.Service{Entities: entities{}, Source: source{}, Clock: clock{}, Log: slog.New(slog.DiscardHandler)}
	s.Alerts = func(context.Context, identity.Actor) ([]attention.Alert, error) {
		return []attention.Alert{{Code: "TRIAL_EXPIRING", Message: "m"}, {Code: "PAYMENT_FAILED", Blocks: true, Message: "m", URL: "https://pay.example"}}, nil
	}
	items, err := s.List(t.Context(), admin, uuid.Nil)
	if err != nil {
		t.Fatal(err)
	}
	seen, warnings := map[domain.Code]bool{}, false
	for _, i := range items {
		seen[i.Code] = true
		if i.Message == "" || i.Action == "" || !strings.HasPrefix(i.Path, "/") || strings.Contains(i.Message, "%!") {
			t.Errorf("%+v", i)
		}
		if i.Count == domain.MaxCount && !strings.HasPrefix(i.Message, "At least 1000 ") {
			t.Errorf("%s: %s", i.Code, i.Message)
		}
		// A page of several records must show all of them, whatever their status and supplier.
		if several := i.Code == domain.DuplicateSuspected || i.Code == domain.BankAccountNew; several && i.Path != "/inbox?entity="+one.ID.String()+"&tab=all" {
			t.Errorf("%s leads to %s", i.Code, i.Path)
		}
		if failed := i.Code == domain.DocumentFailed; failed && i.Path != "/documents?entity="+one.ID.String()+"&status=FAILED" {
			t.Errorf("%s leads to %s", i.Code, i.Path)
		}
		if warnings && i.Severity == "BLOCKING" {
			t.Errorf("%s follows a warning", i.Code)
		}
		warnings = warnings || i.Severity == "WARNING"
	}
	for _, code := range append(domain.Codes(), "TRIAL_EXPIRING", "PAYMENT_FAILED") {
		if !seen[code] {
			t.Errorf("%s is not in the list", code)
		}
	}
	s.Alerts = func(context.Context, identity.Actor) ([]attention.Alert, error) {
		return nil, errors.New("unreachable")
	}
	if without, err := s.List(t.Context(), admin, uuid.Nil); err != nil || len(without) != len(items)-2 {
		t.Errorf("without the payment processor: %d items, %v", len(without), err)
	}
}
