package identity

import (
	"context"
	"strings"
	"time"

	"docledger/domain/page"

	"github.com/google/uuid"
)

// MinPassword is the minimum length of a local account's password, in bytes.
const MinPassword = 12

// MembershipFresh is how long a confirmed membership of the identity provider is used
// without another confirmation, if the credential does not state the role.
const MembershipFresh = 5 * time.Minute

// User is a person: a local account, or a user of the identity provider.
type User struct {
	ID                uuid.UUID
	IdentityID        string // at the identity provider; "" for a local account
	Email             string // normalized by NormalizeEmail; unique among local accounts, may be "" for others
	Name              string
	PasswordHash      string // argon2id in PHC notation; "" until the invitation is accepted
	Disabled          bool
	PasswordChangedAt time.Time
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

// NormalizeEmail returns the form of an address for comparison and storage.
func NormalizeEmail(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// Membership is the membership of a user in an organization.
type Membership struct {
	UserID         uuid.UUID
	OrganizationID uuid.UUID
	Role           Role
	CreatedAt      time.Time
	LastUsedAt     time.Time // zero until the first sign-in
	CheckedAt      time.Time // last confirmation by the identity provider; zero for local accounts
}

// Member is a membership with its user.
type Member struct {
	User User
	Role Role
}

// Claims are the claims of a token that docledger issued.
type Claims struct {
	UserID         uuid.UUID
	OrganizationID uuid.UUID
	SessionID      uuid.UUID
	Role           Role   // "" in tokens of an assistant
	ClientID       string // the OAuth client of an assistant; "" in tokens of a sign-in
	Generation     int    // generation of the session when the token was issued
	IssuedAt       time.Time
	ExpiresAt      time.Time
}

// Users stores users. Lookups have no scope, because an account is independent of
// organizations. Only sign-in and the command line use them.
type Users interface {
	// Add stores a new user. An address in use is a Conflict fault.
	Add(ctx context.Context, u *User) error
	// AddFirst stores a new user if there is none. Otherwise it is a Conflict fault. Of
	// concurrent calls of Add and AddFirst, AddFirst is the first or fails. It needs a
	// transaction.
	AddFirst(ctx context.Context, u *User) error
	// ByEmail returns the local account with a normalized address, or a NotFound
	// fault.
	ByEmail(ctx context.Context, email string) (*User, error)
	// ByID returns the user, or a NotFound fault.
	ByID(ctx context.Context, id uuid.UUID) (*User, error)
	// Update changes the user under a row lock.
	Update(ctx context.Context, id uuid.UUID, change func(*User) error) (*User, error)
	// Any reports whether any user exists.
	Any(ctx context.Context) (bool, error)
}

// ProviderAccounts finds users and memberships of the identity provider. Lookups have
// no scope, because the ids come from a token or from the provider.
type ProviderAccounts interface {
	// ByIdentity returns the user with an id at the provider, or a NotFound fault.
	ByIdentity(ctx context.Context, user string) (*User, error)
	// Put adds the user with u.IdentityID under u.ID. If the user exists, Put updates
	// the name and address and sets u.ID to the existing id.
	Put(ctx context.Context, u *User) error
	// Membership returns the membership of a user in an organization by their
	// ids at the provider, or a NotFound fault.
	Membership(ctx context.Context, user, organization string) (*Membership, error)
}

// Memberships stores memberships.
type Memberships interface {
	// Put adds the membership or changes its role, LastUsedAt and CheckedAt.
	Put(ctx context.Context, m Membership) error
	// Find returns one membership, or a NotFound fault.
	Find(ctx context.Context, user, organization uuid.UUID) (*Membership, error)
	// OfUser lists the memberships of a user, last used first, then those never used,
	// oldest first.
	OfUser(ctx context.Context, user uuid.UUID) ([]Membership, error)
	// OfOrganization lists members with their users, ordered by address.
	OfOrganization(ctx context.Context, organization uuid.UUID) ([]Member, error)
	// List returns one page of an organization's members, ordered by address
	// and id.
	List(ctx context.Context, organization uuid.UUID, p page.Request) (page.Of[Member], error)
	// Remove ends a membership. A missing membership is not an error.
	Remove(ctx context.Context, user, organization uuid.UUID) error
}
