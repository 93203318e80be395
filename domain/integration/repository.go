package integration

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"time"

	"docledger/domain/identity"

	"github.com/google/uuid"
)

// Filter restricts a list of integrations; zero values do not restrict it.
type Filter struct {
	EntityID uuid.UUID
	Provider Provider
	GrantID  uuid.UUID
	Tenant   string
	Statuses []Status
}

// Reader reads integrations within a scope.
type Reader interface {
	// Get returns the integration. It returns a NotFound fault if the integration is missing or its
	// entity is outside the scope.
	Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*Integration, error)
	// List returns all matching integrations, oldest first, without paging: an organization has
	// few.
	List(ctx context.Context, s identity.Scope, f Filter) ([]Integration, error)
}

// Repository stores integrations.
type Repository interface {
	Reader
	Add(ctx context.Context, i *Integration) error
	// Update loads the integration under a row lock, applies change, increments Version and stores
	// it. A positive ifVersion must equal the current version; otherwise Update returns a
	// version_conflict fault. If change fails, Update returns its error unchanged and stores
	// nothing.
	Update(ctx context.Context, s identity.Scope, id uuid.UUID, ifVersion int, change func(*Integration) error) (*Integration, error)
	// Touch sets only LastActivityAt and does not change Version.
	Touch(ctx context.Context, organization, id uuid.UUID, at time.Time) error
}

// CrossOrganizationReader reads across organizations, for tasks of the whole installation.
type CrossOrganizationReader interface {
	// UnverifiedForSweep lists setups that have awaited verification since before, longest waiting
	// first.
	UnverifiedForSweep(ctx context.Context, before time.Time, limit int) ([]Integration, error)
	// LedgersForImport lists ACTIVE integrations that their entity syncs to and whose last import is
	// before a time.
	LedgersForImport(ctx context.Context, before time.Time, limit int) ([]Integration, error)
	// MarkImported records the time of an integration's last import.
	MarkImported(ctx context.Context, id uuid.UUID, at time.Time) error
	// TenantInUseForDisconnect reports whether another integration that is not disconnected uses
	// the same tenant. Both may depend on one connection at the provider.
	TenantInUseForDisconnect(ctx context.Context, i *Integration) (bool, error)
}

// OAuthState is the single-use state of a requested consent.
type OAuthState struct {
	State          string // the state of the authorization URL; stored as a hash
	OrganizationID uuid.UUID
	IntegrationID  uuid.UUID
	ActorType      identity.ActorType // who asked: a user, or an API key
	UserID         uuid.UUID          // the user, or the API key
	LinkID         uuid.UUID          // the connect link of the consent; zero for none
	Verifier       string             // the PKCE verifier; stored encrypted
	RedirectURL    string             // where the browser is redirected afterwards
	// BrowserHash is OAuthHash of the secret of the browser that began the consent.
	// ConfirmationHash is OAuthHash of the value of the confirmation page, "" until
	// a page was shown.
	BrowserHash      string
	ConfirmationHash string
	ExpiresAt        time.Time
}

// OAuthHash returns the form in which the secrets of a consent are stored.
func OAuthHash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// IsProven reports whether one of the secrets that a browser sent proves that
// it began the consent, or that a person confirmed it there.
func (a OAuthState) IsProven(cookie, confirmation string) bool {
	matches := func(hash, secret string) bool {
		return secret != "" && hash != "" && subtle.ConstantTimeCompare([]byte(hash), []byte(OAuthHash(secret))) == 1
	}
	return matches(a.BrowserHash, cookie) || matches(a.ConfirmationHash, confirmation)
}

// AttemptLifetime is the maximum duration of a consent (decisions 3).
const AttemptLifetime = 10 * time.Minute

// OAuthStates stores the states of requested consents.
type OAuthStates interface {
	Add(ctx context.Context, a OAuthState) error
	// Take returns the OAuthState of a state and deletes it. A second Take, or an unknown state,
	// returns a NotFound fault. The caller checks the expiry. There is no scope parameter, because
	// the browser that returns the state has no credential.
	Take(ctx context.Context, state string) (*OAuthState, error)
	// Find is Take without using the attempt up.
	Find(ctx context.Context, state string) (*OAuthState, error)
	// Ask stores the ConfirmationHash of the page that is shown for a state. The
	// page shown last is the one that counts.
	Ask(ctx context.Context, state, confirmationHash string) error
	// RemoveExpired deletes states that expired before now, across organizations.
	RemoveExpired(ctx context.Context, now time.Time) error
}

// Accesses provides access to providers for work on an integration.
type Accesses interface {
	// With runs call with a valid access. If call fails with ErrAccessRefused, With renews the
	// token once and runs call again; call must therefore have no effect before the provider
	// accepts the token. If the consent has ended or the tenant is gone, With sets the affected
	// integrations to ERROR and returns the error. background is Access.Background.
	With(ctx context.Context, i *Integration, background bool, call func(ctx context.Context, a Access) error) error
}
