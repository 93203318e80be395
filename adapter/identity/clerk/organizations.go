package clerk

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

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

// maxMembers is the maximum number of members that can be listed; the provider's largest plan has
// fewer.
const maxMembers = 10_000

// Members implements identity.OrganizationDirectory.
func (o Organizations) Members(ctx context.Context, id string) ([]identity.ProviderMember, error) {
	const doing = "list members"
	if !validID(id) {
		return nil, missing("organization")
	}
	var out []identity.ProviderMember
	for {
		var page wireMembers
		err := o.api.do(ctx, call{
			doing: doing, what: "organization",
			method: http.MethodGet, path: []string{"organizations", id, "memberships"},
			query: url.Values{"limit": {strconv.Itoa(pageSize)}, "offset": {strconv.Itoa(len(out))}},
		}, &page)
		if err != nil {
			return nil, err
		}
		for _, m := range page.Data {
			if !validID(m.User.ID) {
				return nil, malformed(doing)
			}
			out = append(out, m.ours())
		}
		switch {
		case len(page.Data) == 0, len(out) >= page.TotalCount:
			return out, nil
		case len(out) >= maxMembers:
			// An incomplete list would remove memberships.
			return nil, fmt.Errorf("%s: there are more than %d", doing, maxMembers)
		}
	}
}
