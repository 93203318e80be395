package httpapi

import (
	"context"

	"docledger/adapter/httpapi/convert"
	"docledger/adapter/httpapi/edge"
	"docledger/domain/einvoice"
	"docledger/domain/entity"
	"docledger/gen/backend"

	"github.com/oapi-codegen/nullable"
)

// GetSettings implements the operation getSettings.
func (s *Server) GetSettings(ctx context.Context, r backend.GetSettingsRequestObject) (backend.GetSettingsResponseObject, error) {
	v, err := s.Settings.Get(ctx, actor(ctx), r.EntityId)
	if err != nil {
		return nil, err
	}
	return backend.GetSettings200JSONResponse{
		Body: convert.ToAPISettings(v), Headers: backend.GetSettings200ResponseHeaders{ETag: edge.ETag(v.Version)},
	}, nil
}

// UpdateSettings implements the operation updateSettings.
func (s *Server) UpdateSettings(ctx context.Context, r backend.UpdateSettingsRequestObject) (backend.UpdateSettingsResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	if version, err = s.settingsVersion(ctx, r, version); err != nil {
		return nil, err
	}
	v, err := s.Settings.Update(ctx, actor(ctx), r.EntityId, version, func(v *entity.Settings) { applySettings(v, r.Body) })
	if err != nil {
		return nil, err
	}
	return backend.UpdateSettings200JSONResponse{
		Body: convert.ToAPISettings(v), Headers: backend.UpdateSettings200ResponseHeaders{ETag: edge.ETag(v.Version)},
	}, nil
}

// settingsVersion checks the read-only keys of a body. It returns the version
// that the change is valid for; 0 for every version.
func (s *Server) settingsVersion(ctx context.Context, r backend.UpdateSettingsRequestObject, version int) (int, error) {
	if repeated, err := repeats(r.Body, settingsKeys); err != nil || !repeated {
		return version, err
	}
	v, err := s.Settings.Get(ctx, actor(ctx), r.EntityId)
	if err != nil {
		return 0, err
	}
	fixed, err := checkRepeated(r.Body, convert.ToAPISettings(v), v.Version, "", settingsKeys)
	if fixed && version == 0 {
		version = v.Version
	}
	return version, err
}

// applySettings sets the keys of the body; null resets a key to its default.
func applySettings(v *entity.Settings, b *backend.SettingsUpdate) {
	d := entity.DefaultSettings(v.OrganizationID, v.EntityID)
	set(&v.DefaultCurrency, b.DefaultCurrency)
	setAs(&v.DateOrder, b.DateOrder, d.DateOrder)
	reset(&v.Timezone, b.Timezone, d.Timezone)
	reset(&v.AutoExtract, b.AutoExtract, d.AutoExtract)
	reset(&v.AutoSync, b.AutoSync, d.AutoSync)
	reset(&v.ApprovalRequired, b.ApprovalRequired, d.ApprovalRequired)
	reset(&v.ReviewThreshold, b.ReviewThreshold, d.ReviewThreshold)
	set(&v.AccountingIntegrationID, b.AccountingIntegrationId)
	set(&v.DefaultAccountID, b.DefaultAccountId)
	set(&v.DefaultTaxRateID, b.DefaultTaxRateId)
	setAs(&v.DuplicatePolicy, b.DuplicatePolicy, d.DuplicatePolicy)
	reset(&v.FourEyes, b.FourEyes, d.FourEyes)
	reset(&v.RouteByBuyer, b.RouteByBuyer, d.RouteByBuyer)
	setAs(&v.AssistantActions, b.AssistantActions, d.AssistantActions)
	setAs(&v.BillStatus, b.BillStatus, d.BillStatus)
	setAs(&v.EInvoiceRules, b.EinvoiceRules, d.EInvoiceRules)
	if b.AutoApproveIgnore.IsSpecified() {
		rules, _ := b.AutoApproveIgnore.Get()
		v.AutoApproveIgnore = nil
		for _, rule := range rules {
			v.AutoApproveIgnore = append(v.AutoApproveIgnore, string(rule))
		}
	}
	if b.EinvoiceRulesByProfile.IsSpecified() {
		profiles, _ := b.EinvoiceRulesByProfile.Get()
		v.EInvoiceByProfile = nil
		for _, p := range profiles {
			v.EInvoiceByProfile = append(v.EInvoiceByProfile, entity.ProfileRules{
				Profile: einvoice.Profile(p.Profile), Effect: entity.EInvoiceRules(p.Effect),
			})
		}
	}
	if b.TaxMappings.IsSpecified() {
		mappings, _ := b.TaxMappings.Get()
		v.TaxMappings = nil
		for _, m := range mappings {
			v.TaxMappings = append(v.TaxMappings, entity.TaxMapping{Category: string(m.Category), Rate: m.Rate, TaxRateID: m.TaxRateId})
		}
	}
}

// reset is set with a default value for null.
func reset[T any](to *T, n nullable.Nullable[T], preset T) {
	if n.IsNull() {
		*to = preset
		return
	}
	set(to, n)
}
