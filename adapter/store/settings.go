package store

import (
	"cmp"
	"context"
	"time"

	"docledger/domain/einvoice"
	"docledger/domain/entity"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

type settingsRow struct {
	EntityID                uuid.UUID `gorm:"primaryKey"`
	OrganizationID          uuid.UUID
	DefaultCurrency         string
	DateOrder               entity.DateOrder
	Timezone                string
	AutoExtract             bool
	AutoSync                bool
	ApprovalRequired        bool
	AutoApproveIgnore       jsonOf[[]string]
	ReviewThreshold         float64
	AccountingIntegrationID *uuid.UUID
	DefaultAccountID        string
	DefaultTaxRateID        string
	TaxMappings             jsonOf[[]taxMappingJSON]
	DuplicatePolicy         entity.DuplicatePolicy
	FourEyes                bool
	AssistantActions        identity.AssistantActions
	RouteByBuyer            bool
	BillStatus              entity.BillStatus
	EInvoiceRules           entity.EInvoiceRules       `gorm:"column:einvoice_rules"`
	EInvoiceByProfile       jsonOf[[]profileRulesJSON] `gorm:"column:einvoice_rules_by_profile"`
	Version                 int
	UpdatedAt               time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (settingsRow) TableName() string { return "settings" }

type taxMappingJSON struct {
	Category  string `json:"category"`
	Rate      string `json:"rate"`
	TaxRateID string `json:"tax_rate_id"`
}

type profileRulesJSON struct {
	Profile einvoice.Profile     `json:"profile"`
	Effect  entity.EInvoiceRules `json:"effect"`
}

func (r settingsRow) fromRow() entity.Settings {
	return entity.Settings{
		EntityID: r.EntityID, OrganizationID: r.OrganizationID, DefaultCurrency: r.DefaultCurrency,
		DateOrder: r.DateOrder, Timezone: r.Timezone, AutoExtract: r.AutoExtract, AutoSync: r.AutoSync,
		ApprovalRequired: r.ApprovalRequired, AutoApproveIgnore: r.AutoApproveIgnore.V, ReviewThreshold: r.ReviewThreshold,
		AccountingIntegrationID: fromOptionalID(r.AccountingIntegrationID),
		DefaultAccountID:        r.DefaultAccountID, DefaultTaxRateID: r.DefaultTaxRateID,
		TaxMappings:     mapped(r.TaxMappings.V, func(m taxMappingJSON) entity.TaxMapping { return entity.TaxMapping(m) }),
		DuplicatePolicy: r.DuplicatePolicy, FourEyes: r.FourEyes, AssistantActions: r.AssistantActions,
		RouteByBuyer: r.RouteByBuyer, BillStatus: r.BillStatus, EInvoiceRules: r.EInvoiceRules,
		EInvoiceByProfile: mapped(r.EInvoiceByProfile.V, func(p profileRulesJSON) entity.ProfileRules { return entity.ProfileRules(p) }),
		Version:           r.Version, UpdatedAt: instant(r.UpdatedAt),
	}
}

func toSettingsRow(s *entity.Settings) settingsRow {
	mappings := mapped(s.TaxMappings, func(m entity.TaxMapping) taxMappingJSON { return taxMappingJSON(m) })
	profiles := mapped(s.EInvoiceByProfile, func(p entity.ProfileRules) profileRulesJSON { return profileRulesJSON(p) })
	ignored := mapped(s.AutoApproveIgnore, func(rule string) string { return rule })
	return settingsRow{
		EntityID: s.EntityID, OrganizationID: s.OrganizationID, DefaultCurrency: clean(s.DefaultCurrency),
		DateOrder: s.DateOrder, Timezone: clean(s.Timezone), AutoExtract: s.AutoExtract, AutoSync: s.AutoSync,
		ApprovalRequired: s.ApprovalRequired, AutoApproveIgnore: jsonOf[[]string]{ignored}, ReviewThreshold: s.ReviewThreshold,
		AccountingIntegrationID: optionalID(s.AccountingIntegrationID),
		DefaultAccountID:        clean(s.DefaultAccountID), DefaultTaxRateID: clean(s.DefaultTaxRateID),
		TaxMappings:     jsonOf[[]taxMappingJSON]{mappings},
		DuplicatePolicy: s.DuplicatePolicy, FourEyes: s.FourEyes, AssistantActions: s.AssistantActions,
		RouteByBuyer: s.RouteByBuyer, BillStatus: s.BillStatus, EInvoiceRules: cmp.Or(s.EInvoiceRules, entity.EInvoiceWarn),
		EInvoiceByProfile: jsonOf[[]profileRulesJSON]{profiles},
		Version:           s.Version, UpdatedAt: s.UpdatedAt,
	}
}

// Settings implements entity.SettingsRepository.
type Settings struct{ s *Store }

// Add implements entity.SettingsRepository.
func (r Settings) Add(ctx context.Context, s *entity.Settings) error {
	r.s.stamp(&s.UpdatedAt)
	s.Version = max(s.Version, 1)
	row := toSettingsRow(s)
	return failed("add the settings", r.s.handle(ctx).Create(&row).Error)
}

// Get implements entity.SettingsRepository.
func (r Settings) Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*entity.Settings, error) {
	return r.get(ctx, s, id, "")
}

func (r Settings) get(ctx context.Context, s identity.Scope, id uuid.UUID, locked string) (*entity.Settings, error) {
	condition, values := withinScope("settings", s)
	row, err := readFirst[settingsRow](ctx, r.s, condition+" AND settings.entity_id = ?"+locked, append(values, id)...)
	if err != nil {
		return nil, found("entity", err)
	}
	out := row.fromRow()
	return &out, nil
}

// Update implements entity.SettingsRepository.
func (r Settings) Update(ctx context.Context, s identity.Scope, id uuid.UUID, ifVersion int, change func(*entity.Settings) error) (*entity.Settings, error) {
	var out *entity.Settings
	err := r.s.inOne(ctx, func(ctx context.Context) (err error) {
		if out, err = r.get(ctx, s, id, r.s.forUpdate("settings")); err != nil {
			return err
		}
		before := *out
		if err := current(ifVersion, out.Version); err != nil {
			return err
		}
		if err := change(out); err != nil {
			return err
		}
		out.EntityID, out.OrganizationID, out.Version = before.EntityID, before.OrganizationID, before.Version+1
		r.s.touch(&out.UpdatedAt, before.UpdatedAt)
		row := toSettingsRow(out)
		return failed("change the settings", save(r.s.handle(ctx), &row, "organization_id"))
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
