package integration

import (
	"context"
	"time"

	"docledger/domain/identity"

	"github.com/google/uuid"
)

// Filter narrows a list of integrations; zero values do not.
type Filter struct {
	EntityID uuid.UUID
	Provider Provider
	GrantID  uuid.UUID
	Tenant   string
	Statuses []Status
}

// Reader reads integrations within a scope.
type Reader interface {
	// Get returns the integration, or a NotFound fault where it is missing or
	// its entity outside the scope.
	Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*Integration, error)
	// List returns all that fit, oldest first. An organization has few.
	List(ctx context.Context, s identity.Scope, f Filter) ([]Integration, error)
}

// Repository stores integrations.
type Repository interface {
	Reader
	Add(ctx context.Context, i *Integration) error
	// Update loads the integration under a row lock, applies change, and stores
	// it with Version raised by one; ifVersion, where positive, must be the
	// present version, else a version_conflict fault. An error of change is
	// returned as it is and nothing is stored.
	Update(ctx context.Context, s identity.Scope, id uuid.UUID, ifVersion int, change func(*Integration) error) (*Integration, error)
	// Touch sets LastActivityAt, and nothing else, without raising Version.
	Touch(ctx context.Context, organization, id uuid.UUID, at time.Time) error
}

// CrossOrganizationReader looks over all organizations, for what concerns the installation
// as a whole.
type CrossOrganizationReader interface {
	// UnverifiedForSweep lists set-ups that wait for verification since before,
	// the longest waiting first.
	UnverifiedForSweep(ctx context.Context, before time.Time, limit int) ([]Integration, error)
	// TenantInUseForDisconnect says whether another integration that has not
	// ended is for the same tenant, which one connection at the provider may
	// serve.
	TenantInUseForDisconnect(ctx context.Context, i *Integration) (bool, error)
}

// OAuthState is one consent that was asked for: the single-use state of OAuth.
type OAuthState struct {
	State          string // as in the authorization URL; stored as a hash
	OrganizationID uuid.UUID
	IntegrationID  uuid.UUID
	UserID         uuid.UUID
	Verifier       string // of PKCE; stored encrypted
	RedirectURL    string // where the browser goes afterwards
	ExpiresAt      time.Time
}

// AttemptLifetime is how long a consent may take (decisions 3).
const AttemptLifetime = 10 * time.Minute

// OAuthStates stores consents that were asked for.
type OAuthStates interface {
	Add(ctx context.Context, a OAuthState) error
	// Take returns the attempt of a state and uses it up: a second Take, and
	// one of an unknown state, is a NotFound fault. Its expiry is the caller's
	// to judge. It carries no scope: the browser that brings the state back
	// carries no credential.
	Take(ctx context.Context, state string) (*OAuthState, error)
	// RemoveExpired forgets attempts that ended before now, over all
	// organizations.
	RemoveExpired(ctx context.Context, now time.Time) error
}

// Accesses lends access to providers to whoever works on an integration.
type Accesses interface {
	// With runs call with an access that is good now. Where call fails with
	// ErrAccessRefused the token is renewed, once, and call runs again; so call
	// must do nothing before the provider took the token. Where the consent has
	// ended, or the tenant is gone, the integrations concerned become ERROR and
	// the error is returned. background is Access.Background.
	With(ctx context.Context, i *Integration, background bool, call func(ctx context.Context, a Access) error) error
}
