package clerk

import (
	"context"
	"net/http"

	"docledger/domain/identity"
)

// Organizations implements identity.OrganizationDirectory.
type Organizations struct{ api api }

var _ identity.OrganizationDirectory = Organizations{}

// Organization implements identity.OrganizationDirectory.
func (o Organizations) Organization(ctx context.Context, id string) (identity.ProviderOrganization, error) {
	const doing = "read organization"
	if !validID(id) {
		return identity.ProviderOrganization{}, missing("organization")
	}
	var got wireOrganization
	err := o.api.do(ctx, call{
		doing: doing, what: "organization",
		method: http.MethodGet, path: []string{"organizations", id},
	}, &got)
	if err == nil && (got.ID != id || got.CreatedAt <= 0) {
		err = malformed(doing)
	}
	if err != nil {
		return identity.ProviderOrganization{}, err
	}
	return got.ours(), nil
}

// SetTrial implements identity.OrganizationDirectory.
func (o Organizations) SetTrial(ctx context.Context, id string, trial identity.TrialMetadata) error {
	if !validID(id) {
		return missing("organization")
	}
	var got wireOrganization
	return o.api.do(ctx, call{
		doing: "write trial of organization", what: "organization",
		method: http.MethodPatch, path: []string{"organizations", id, "metadata"},
		body: map[string]any{"public_metadata": map[string]any{
			trialExpiryDate:          trial.ExpiryDate,
			trialMaxEntities:         trial.MaxEntities,
			trialMaxInvoicesPerMonth: trial.MaxInvoicesPerMonth,
		}},
	}, &got)
}
