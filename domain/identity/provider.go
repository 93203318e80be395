package identity

import (
	"context"
	"fmt"
	"time"
)

// ProviderTokenKind is the kind of an identity provider token.
type ProviderTokenKind string

// The kinds of tokens. A session token is the user's sign-in at the web application.
// An OAuth token is the user's grant to a client, such as an assistant.
const (
	ProviderSession ProviderTokenKind = "session"
	ProviderOAuth   ProviderTokenKind = "oauth"
)

// ScopeReadOrganization is the OAuth scope that the identity provider requires to
// include the organization in a token (interface 5.8).
const ScopeReadOrganization = "user:org:read"

// ProviderClaims are the claims of a verified token of the identity provider. Ids are
// those of the provider.
type ProviderClaims struct {
	Kind           ProviderTokenKind
	Subject        string   // the user
	OrganizationID string   // "" only in a session without an active organization
	Role           Role     // in that organization; "" if the token states none, as OAuth tokens
	ClientID       string   // the OAuth client; "" in sessions
	Scopes         []string // granted to the OAuth client; nil in sessions
	SessionID      string   // "" in OAuth tokens
	IssuedAt       time.Time
	ExpiresAt      time.Time
}

// TokenVerifier verifies bearer tokens of the identity provider.
type TokenVerifier interface {
	// Verify returns the claims of a token that the provider signed, that is valid at
	// now, and that was issued for this service: a session of the instance, or an
	// OAuth token of the configured client (interface 5.2). Verify ignores the
	// audience. The faults:
	//
	//   - Unauthenticated with unauthorized for any defect of the token. The message
	//     gives the remedy; only the cause of the error gives the reason.
	//   - Unauthenticated with organization_required for an OAuth token without
	//     an organization (interface 5.4).
	//   - Unavailable if the provider's keys were never loaded.
	Verify(ctx context.Context, bearer string, now time.Time) (ProviderClaims, error)
}

// ProviderOrganization is an organization of the identity provider.
type ProviderOrganization struct {
	ID        string
	Name      string
	CreatedAt time.Time // start of the trial
	UpdatedAt time.Time // orders events
	Deleted   bool      // only in events; then only ID is set
	Trial     TrialMetadata
}

// TrialMetadata is the trial in the provider's public metadata of an organization
// (interface 2.4). A zero value means that the value is absent or has the wrong type.
type TrialMetadata struct {
	ExpiryDate          string // YYYY-MM-DD, UTC
	MaxEntities         int
	MaxInvoicesPerMonth int
}

// ProviderUser is a user of the identity provider.
type ProviderUser struct {
	ID    string
	Email string // primary address, normalized; "" if there is none
	Name  string
}

// ProviderMembership is a membership at the provider.
type ProviderMembership struct {
	Organization ProviderOrganization
	Role         Role
	CreatedAt    time.Time
}

// ProviderMember is a user with the role in one organization.
type ProviderMember struct {
	User ProviderUser
	Role Role
}

// OrganizationDirectory reads and updates organizations at the identity provider. In
// addition to the faults of each method, a call fails with Upstream and
// provider_unavailable if the provider does not respond correctly; RetryAfter gives
// the delay. It fails with provider_unauthorized if the provider refuses docledger's
// key.
type OrganizationDirectory interface {
	// Organization returns an organization, or a NotFound fault.
	Organization(ctx context.Context, id string) (ProviderOrganization, error)
	// SetTrial merges the three keys of the trial, and no others, into the
	// organization's public metadata. Writing the same values again makes the
	// provider send organization.updated again. A deleted organization is a NotFound
	// fault.
	SetTrial(ctx context.Context, id string, trial TrialMetadata) error
	// Members lists the members of an organization. A deleted organization is a
	// NotFound fault.
	Members(ctx context.Context, id string) ([]ProviderMember, error)
}

// UserDirectory reads users at the identity provider. It has the faults of
// OrganizationDirectory.
type UserDirectory interface {
	// User returns a user, or a NotFound fault. A banned user is treated as deleted.
	User(ctx context.Context, id string) (ProviderUser, error)
	// Memberships lists the memberships of a user, oldest first. A deleted user is a
	// NotFound fault.
	Memberships(ctx context.Context, user string) ([]ProviderMembership, error)
}

// PasswordChecker checks passwords at the identity provider.
type PasswordChecker interface {
	// CheckPassword returns the user with this address and password. Unknown or
	// unconfirmed addresses, wrong passwords, accounts without a password and blocked
	// accounts return the same Unauthenticated fault with invalid_credentials after
	// the same time. An account with a second factor has the same code and a message
	// that states the reason, because a password alone is not sufficient for it.
	// Other faults are those of OrganizationDirectory.
	CheckPassword(ctx context.Context, email, password string) (ProviderUser, error)
}

// ProviderEventType is the type of an event of the identity provider. The provider
// may add types.
type ProviderEventType string

// The identity events that docledger processes (interface 6), and the deletion of an
// organization.
const (
	OrganizationCreated ProviderEventType = "organization.created"
	OrganizationUpdated ProviderEventType = "organization.updated"
	OrganizationDeleted ProviderEventType = "organization.deleted"
)

// ProviderEvents lists the identity events of the contract.
func ProviderEvents() []ProviderEventType {
	return []ProviderEventType{OrganizationCreated, OrganizationUpdated}
}

// ProviderEvent reports a change at the identity provider. Events arrive repeatedly,
// late and in any order.
type ProviderEvent struct {
	ID           string // the same on every delivery
	Type         ProviderEventType
	CreatedAt    time.Time            // zero if the event does not state it
	Organization ProviderOrganization // ID and Deleted; zero unless the event is about an organization
}

// String returns the name of the event for logs.
func (e ProviderEvent) String() string { return fmt.Sprintf("%s %s", e.Type, e.ID) }

// WebhookVerifier parses webhooks of the identity provider.
type WebhookVerifier interface {
	// Verify validates the signature in header against the raw body and then parses
	// the event. A signature that is missing, wrong, or more than five minutes from
	// now in either direction is Invalid with invalid_signature. A body that is not
	// an event is Invalid with invalid_request, and the event contains its id, and
	// its type if it can be read. If several secrets are configured, one must match.
	// An unknown event type is not an error.
	Verify(header map[string][]string, body []byte, now time.Time) (ProviderEvent, error)
	// Read parses the event with an id from a body that was verified before it was
	// stored.
	Read(id string, body []byte) (ProviderEvent, error)
}
