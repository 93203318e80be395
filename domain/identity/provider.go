package identity

import (
	"context"
	"fmt"
	"time"
)

// ProviderTokenKind says what sort of token of the identity provider a caller
// presented.
type ProviderTokenKind string

// The kinds of tokens. A session token is a person's own sign-in at the web
// application; an OAuth token is what that person granted to a client, such as
// an assistant.
const (
	ProviderSession ProviderTokenKind = "session"
	ProviderOAuth   ProviderTokenKind = "oauth"
)

// ScopeReadOrganization is the OAuth scope without which the identity provider
// leaves the organization out of a token (interface 5.8).
const ScopeReadOrganization = "user:org:read"

// ProviderClaims are what a verified token of the identity provider states.
// Ids are the provider's own.
type ProviderClaims struct {
	Kind           ProviderTokenKind
	Subject        string   // the user
	OrganizationID string   // "" only in a session without an active organization
	Role           Role     // in that organization; "" where the token states none, as OAuth tokens do
	ClientID       string   // the OAuth client; "" in sessions
	Scopes         []string // granted to the OAuth client; nil in sessions
	SessionID      string   // "" in OAuth tokens
	IssuedAt       time.Time
	ExpiresAt      time.Time
}

// TokenVerifier verifies bearer tokens that the identity provider issued.
type TokenVerifier interface {
	// Verify returns the claims of a token that the provider signed, that is
	// good at now, and that was meant for this service: a session of the
	// instance, or an OAuth token of the one dedicated client (interface 5.2).
	// The audience is never examined. The faults:
	//
	//   - Unauthenticated with unauthorized for whatever is wrong with a token.
	//     The message tells what to do and nothing of the reason, which is the
	//     error's cause;
	//   - Unauthenticated with organization_required for an OAuth token without
	//     an organization (interface 5.4);
	//   - Unavailable while the provider's keys could not be loaded even once.
	Verify(ctx context.Context, bearer string, now time.Time) (ProviderClaims, error)
}

// ProviderOrganization is an organization as the identity provider knows it.
type ProviderOrganization struct {
	ID        string
	Name      string
	CreatedAt time.Time // from which the trial counts
	UpdatedAt time.Time // tells which of two events is the later one
	Deleted   bool      // only in events; nothing but ID is set then
	Trial     TrialMetadata
}

// TrialMetadata is the trial as it stands in the provider's public metadata of
// an organization (interface 2.4). Zero values stand for what is absent or not
// of its type.
type TrialMetadata struct {
	ExpiryDate          string // YYYY-MM-DD, UTC
	MaxEntities         int
	MaxInvoicesPerMonth int
}

// ProviderUser is a person as the identity provider knows them.
type ProviderUser struct {
	ID    string
	Email string // the primary address, normalized; "" where there is none
	Name  string
}

// ProviderMembership is a person's place in an organization at the provider.
type ProviderMembership struct {
	Organization ProviderOrganization
	Role         Role
	CreatedAt    time.Time
}

// ProviderMember is a person with their role in one organization.
type ProviderMember struct {
	User ProviderUser
	Role Role
}

// OrganizationDirectory reads and marks organizations at the identity
// provider. Besides the faults named below a call fails with Upstream and
// provider_unavailable when the provider does not answer as it should, which
// RetryAfter bounds, and with provider_unauthorized when it refuses our key.
type OrganizationDirectory interface {
	// Organization returns an organization, or a NotFound fault.
	Organization(ctx context.Context, id string) (ProviderOrganization, error)
	// SetTrial merges the three keys of the trial, and no other, into the
	// organization's public metadata. Writing them again changes nothing but
	// still makes the provider send organization.updated. An organization that
	// is gone is a NotFound fault.
	SetTrial(ctx context.Context, id string, trial TrialMetadata) error
	// Members lists who belongs to an organization, which is a NotFound fault
	// where it is gone.
	Members(ctx context.Context, id string) ([]ProviderMember, error)
}

// UserDirectory reads people at the identity provider. It fails as
// OrganizationDirectory does.
type UserDirectory interface {
	// User returns a person, or a NotFound fault; somebody who was banned is as
	// good as gone.
	User(ctx context.Context, id string) (ProviderUser, error)
	// Memberships lists where a person belongs, oldest first; a person who is
	// gone is a NotFound fault.
	Memberships(ctx context.Context, user string) ([]ProviderMembership, error)
}

// PasswordChecker signs people in with the password they have at the identity
// provider.
type PasswordChecker interface {
	// CheckPassword returns whose address and password these are. Unknown
	// addresses, unconfirmed ones, wrong passwords, accounts without a password
	// and blocked ones are one Unauthenticated fault with invalid_credentials
	// and take alike long. An account with a second factor is refused with the
	// same code and a message that says so, since a password alone is not
	// enough for it. It fails as OrganizationDirectory does otherwise.
	CheckPassword(ctx context.Context, email, password string) (ProviderUser, error)
}

// ProviderEventType names what happened at the identity provider; the list is
// open.
type ProviderEventType string

// The identity events that docledger acts upon (interface 6), and the
// end of an organization.
const (
	OrganizationCreated ProviderEventType = "organization.created"
	OrganizationUpdated ProviderEventType = "organization.updated"
	OrganizationDeleted ProviderEventType = "organization.deleted"
)

// ProviderEvents lists the identity events of the contract.
func ProviderEvents() []ProviderEventType {
	return []ProviderEventType{OrganizationCreated, OrganizationUpdated}
}

// ProviderEvent tells that something changed at the identity provider. Events
// come twice, late and in any order.
type ProviderEvent struct {
	ID           string // the same on every delivery
	Type         ProviderEventType
	CreatedAt    time.Time            // zero where the event does not say
	Organization ProviderOrganization // zero unless the event is about an organization
}

// String names the event for logs.
func (e ProviderEvent) String() string { return fmt.Sprintf("%s %s", e.Type, e.ID) }

// WebhookVerifier reads what the identity provider sends us.
type WebhookVerifier interface {
	// Verify holds the signature in header against the raw body and then reads
	// the event. A signature that is missing, wrong, or more than five minutes
	// away from now in either direction is Invalid with invalid_signature. A
	// body that is no event is Invalid with invalid_request, and the event holds
	// its id, and its type as far as that can be read. Of several secrets one
	// must fit. An event of an unknown type is no error.
	Verify(header map[string][]string, body []byte, now time.Time) (ProviderEvent, error)
	// Read reads the event of an id from a body that was verified before it was
	// stored.
	Read(id string, body []byte) (ProviderEvent, error)
}
