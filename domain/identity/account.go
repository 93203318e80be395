package identity

import (
	"context"
	"strings"
	"time"

	"docledger/domain/page"

	"github.com/google/uuid"
)

// MinPassword is the shortest password that a local account may have, in
// bytes.
const MinPassword = 12

// MembershipFresh is how long a membership that the identity provider
// confirmed is believed where the credential does not state the role itself.
const MembershipFresh = 5 * time.Minute

// User is a person: a local account, or somebody whom the identity provider
// knows.
type User struct {
	ID                uuid.UUID
	IdentityID        string // at the identity provider; "" for a local account
	Email             string // as NormalizeEmail gives it; unique among local accounts, may be "" for others
	Name              string
	PasswordHash      string // argon2id in PHC notation; "" until the invitation is taken up
	Disabled          bool
	PasswordChangedAt time.Time
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

// NormalizeEmail returns the form in which addresses are compared and stored.
func NormalizeEmail(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// Membership is a person's place in an organization.
type Membership struct {
	UserID         uuid.UUID
	OrganizationID uuid.UUID
	Role           Role
	CreatedAt      time.Time
	LastUsedAt     time.Time // zero until the first sign-in
	CheckedAt      time.Time // when the identity provider confirmed it last; zero for local accounts
}

// Member is a membership with the person it belongs to.
type Member struct {
	User User
	Role Role
}

// Claims are what one of our own tokens states.
type Claims struct {
	UserID         uuid.UUID
	OrganizationID uuid.UUID
	SessionID      uuid.UUID
	Role           Role
	Generation     int // of the session when the token was issued
	IssuedAt       time.Time
	ExpiresAt      time.Time
}

// Users stores people. Lookups carry no scope: an account stands above
// organizations, and only sign-in and administration on the command line ask.
type Users interface {
	// Add stores a new user; an address already taken is a Conflict fault.
	Add(ctx context.Context, u *User) error
	// ByEmail returns the local account of a normalized address, or a NotFound
	// fault.
	ByEmail(ctx context.Context, email string) (*User, error)
	// ByID returns the user, or a NotFound fault.
	ByID(ctx context.Context, id uuid.UUID) (*User, error)
	// Update changes the user under a row lock.
	Update(ctx context.Context, id uuid.UUID, change func(*User) error) (*User, error)
	// Any says whether there is any user at all.
	Any(ctx context.Context) (bool, error)
}

// ProviderAccounts finds what the identity provider told of people. Lookups
// carry no scope: the provider's ids come from a token or from itself.
type ProviderAccounts interface {
	// ByIdentity returns the user of an id at the provider, or a NotFound fault.
	ByIdentity(ctx context.Context, user string) (*User, error)
	// Put adds the person of u.IdentityID under u.ID, or gives the one who is
	// there the name and address of u; u.ID is theirs afterwards.
	Put(ctx context.Context, u *User) error
	// Membership returns the membership of a user in an organization by their
	// ids at the provider, or a NotFound fault.
	Membership(ctx context.Context, user, organization string) (*Membership, error)
}

// Memberships stores who belongs to which organization.
type Memberships interface {
	// Put adds the membership or changes its role, LastUsedAt and CheckedAt.
	Put(ctx context.Context, m Membership) error
	// Find returns one membership, or a NotFound fault.
	Find(ctx context.Context, user, organization uuid.UUID) (*Membership, error)
	// OfUser lists a person's memberships, the one used last first and those
	// never used after them, oldest first.
	OfUser(ctx context.Context, user uuid.UUID) ([]Membership, error)
	// OfOrganization lists members with their users, ordered by address.
	OfOrganization(ctx context.Context, organization uuid.UUID) ([]Member, error)
	// List returns one page of an organization's members, ordered by address
	// and id.
	List(ctx context.Context, organization uuid.UUID, p page.Request) (page.Of[Member], error)
	// Remove ends a membership; ending one that is not there is no error.
	Remove(ctx context.Context, user, organization uuid.UUID) error
}
