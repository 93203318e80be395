// Package settings keeps the choices of each entity.
package settings

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Ledgers judges what settings say of the ledger that an entity books in.
type Ledgers interface {
	// CheckLedger refuses an integration that the entity can't book with.
	CheckLedger(ctx context.Context, a identity.Actor, entity, integration uuid.UUID, field string) error
	// CheckAccount refuses an account that nothing can be booked on. While the
	// integration does not work every account is let through: what is wrong
	// with it shows when it is booked on.
	CheckAccount(ctx context.Context, a identity.Actor, integration uuid.UUID, account, field string) error
}

// Service reads and changes settings.
type Service struct {
	Ledgers    Ledgers
	Settings   entity.SettingsRepository
	Events     event.Log
	UnitOfWork usecase.UnitOfWork
	Clock      usecase.Clock
}

// Get returns the settings of an entity within the caller's scope.
func (s *Service) Get(ctx context.Context, a identity.Actor, id uuid.UUID) (*entity.Settings, error) {
	return s.Settings.Get(ctx, a.Scope(), id)
}

// Update changes settings by what change does to them; administrators may.
func (s *Service) Update(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, change func(*entity.Settings)) (*entity.Settings, error) {
	now, err := s.Settings.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	if err := s.checkLedger(ctx, a, *now, change); err != nil {
		return nil, err
	}
	var updated *entity.Settings
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		var changes []event.Change
		var err error
		updated, err = s.Settings.Update(ctx, a.Scope(), id, ifVersion, func(v *entity.Settings) error {
			before := *v
			change(v)
			if err := validate(*v, before); err != nil {
				return err
			}
			if changes = differences(before, *v); len(changes) == 0 {
				return errUnchanged
			}
			v.UpdatedAt = s.Clock.Now()
			return nil
		})
		if err != nil {
			return err
		}
		ev := event.By(a, event.SettingsChanged, id, event.Subject{Type: event.SubjectSettings, ID: id, Version: updated.Version})
		ev.Changes = changes
		return s.Events.Append(ctx, ev)
	})
	if errors.Is(err, errUnchanged) {
		return s.Settings.Get(ctx, a.Scope(), id)
	}
	if err != nil {
		return nil, err
	}
	return updated, nil
}

// checkLedger validates the settings after a change, with the ledger. The ledger
// is called before the transaction.
func (s *Service) checkLedger(ctx context.Context, a identity.Actor, now entity.Settings, change func(*entity.Settings)) error {
	wanted := now
	wanted.TaxMappings = slices.Clone(now.TaxMappings)
	wanted.EInvoiceByProfile = slices.Clone(now.EInvoiceByProfile)
	change(&wanted)
	var wrong fault.Fields
	if err := wrong.Take(validate(wanted, now)); err != nil {
		return err
	}
	usable := wanted.AccountingIntegrationID != uuid.Nil
	if usable && wanted.AccountingIntegrationID != now.AccountingIntegrationID {
		before := len(wrong)
		err := wrong.Take(s.Ledgers.CheckLedger(ctx, a, now.EntityID, wanted.AccountingIntegrationID, "accounting_integration_id"))
		if err != nil {
			return err
		}
		usable = len(wrong) == before
	}
	chosen := wanted.DefaultAccountID != now.DefaultAccountID || wanted.AccountingIntegrationID != now.AccountingIntegrationID
	if usable && wanted.DefaultAccountID != "" && chosen {
		err := wrong.Take(s.Ledgers.CheckAccount(ctx, a, wanted.AccountingIntegrationID, wanted.DefaultAccountID, "default_account_id"))
		if err != nil {
			return err
		}
	}
	return wrong.Err()
}

// errUnchanged rolls a change back that changes nothing, so that it makes no
// version and no event.
var errUnchanged = errors.New("unchanged")

// validate returns a fault that names every invalid value of a change from before to v.
func validate(v, before entity.Settings) error {
	var wrong fault.Fields
	if _, err := time.LoadLocation(v.Timezone); err != nil || v.Timezone == "" || v.Timezone == "Local" {
		wrong.Add("timezone", "must be a name of the IANA time zone database, such as Europe/Berlin")
	}
	for i, rule := range v.AutoApproveIgnore {
		field := fmt.Sprintf("auto_approve_ignore[%d]", i)
		switch {
		case !slices.Contains(invoice.WarningRules(), rule):
			wrong.Add(field, "must be one of %s", strings.Join(invoice.WarningRules(), ", "))
		case slices.Index(v.AutoApproveIgnore, rule) != i:
			wrong.Add(field, "is named twice")
		}
	}
	for i, p := range v.EInvoiceByProfile {
		twin := func(o entity.ProfileRules) bool { return o.Profile == p.Profile }
		if slices.IndexFunc(v.EInvoiceByProfile, twin) != i {
			wrong.Add(fmt.Sprintf("einvoice_rules_by_profile[%d]", i), "names a profile that is named before")
		}
	}
	if !slices.Equal(v.TaxMappings, before.TaxMappings) {
		validateTaxMappings(v.TaxMappings, &wrong)
	}
	return wrong.Err()
}

// validateTaxMappings compares rates as numbers, as the coding of bills does. Mappings that were
// stored before do not prevent another change.
func validateTaxMappings(mappings []entity.TaxMapping, wrong *fault.Fields) {
	type key struct{ category, rate string }
	seen := map[key]bool{}
	for i, m := range mappings {
		field := fmt.Sprintf("tax_mappings[%d]", i)
		rate, err := money.Parse(m.Rate)
		if err != nil || strings.HasPrefix(m.Rate, "-") {
			wrong.Add(field+".rate", "must be a percentage of at least 0, such as 19 or 5.5")
			continue
		}
		k := key{m.Category, rate.Normal()}
		if seen[k] {
			wrong.Add(field, "maps a category and rate that is mapped before")
		}
		seen[k] = true
	}
}

func differences(a, b entity.Settings) []event.Change {
	var changes []event.Change
	for _, c := range []struct {
		field    string
		from, to any
	}{
		{"default_currency", a.DefaultCurrency, b.DefaultCurrency},
		{"date_order", a.DateOrder, b.DateOrder},
		{"timezone", a.Timezone, b.Timezone},
		{"auto_extract", a.AutoExtract, b.AutoExtract},
		{"auto_sync", a.AutoSync, b.AutoSync},
		{"approval_required", a.ApprovalRequired, b.ApprovalRequired},
		{"auto_approve_ignore", a.AutoApproveIgnore, b.AutoApproveIgnore},
		{"review_threshold", a.ReviewThreshold, b.ReviewThreshold},
		{"accounting_integration_id", idText(a.AccountingIntegrationID), idText(b.AccountingIntegrationID)},
		{"default_account_id", a.DefaultAccountID, b.DefaultAccountID},
		{"default_tax_rate_id", a.DefaultTaxRateID, b.DefaultTaxRateID},
		{"tax_mappings", a.TaxMappings, b.TaxMappings},
		{"duplicate_policy", a.DuplicatePolicy, b.DuplicatePolicy},
		{"four_eyes", a.FourEyes, b.FourEyes},
		{"assistant_actions", a.AssistantActions, b.AssistantActions},
		{"route_by_buyer", a.RouteByBuyer, b.RouteByBuyer},
		{"bill_status", a.BillStatus, b.BillStatus},
		{"einvoice_rules", a.EInvoiceRules, b.EInvoiceRules},
		{"einvoice_rules_by_profile", a.EInvoiceByProfile, b.EInvoiceByProfile},
	} {
		if from, to := fmt.Sprint(c.from), fmt.Sprint(c.to); from != to {
			changes = append(changes, event.Change{Field: c.field, From: from, To: to})
		}
	}
	return changes
}

func idText(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}
	return id.String()
}
