package stripe

import (
	"context"
	"net/http"

	sdk "github.com/stripe/stripe-go/v79"
)

// Setup reads what a person sets once in the processor's dashboard, and without which the processor
// refuses its pages.
type Setup struct{ api *resources }

// HasBusinessName reports whether the account has a name, which Checkout requires.
func (s Setup) HasBusinessName(ctx context.Context) (bool, error) {
	params := &sdk.AccountParams{}
	params.Context = ctx
	got := &sdk.Account{}
	// The library's own call for this address has no context.
	if err := s.api.backend.Call(http.MethodGet, "/v1/account", s.api.key, params, got); err != nil {
		return false, translate(ctx, "read account", "account", err)
	}
	return got.BusinessProfile != nil && got.BusinessProfile.Name != "" ||
		got.Settings != nil && got.Settings.Dashboard != nil && got.Settings.Dashboard.DisplayName != "", nil
}

// HasPortal reports whether the settings of the customer portal were saved once.
func (s Setup) HasPortal(ctx context.Context) (bool, error) {
	params := &sdk.BillingPortalConfigurationListParams{Active: sdk.Bool(true), IsDefault: sdk.Bool(true)}
	params.Context, params.Single = ctx, true
	list := s.api.BillingPortalConfigurations.List(params)
	found := list.Next()
	if err := list.Err(); err != nil {
		return false, translate(ctx, "read portal settings", "portal configuration", err)
	}
	return found, nil
}
