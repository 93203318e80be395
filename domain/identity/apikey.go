package identity

import (
	"context"
	"slices"
	"time"

	"docledger/domain/page"

	"github.com/google/uuid"
)

// KeyAdmin is the role of an API key that can also create entities.
// The other roles of keys are the entity roles.
const KeyAdmin EntityRole = "ADMIN"

// MaxKeysPerOrganization is the number of usable API keys that an organization can
// have (domain D25).
const MaxKeysPerOrganization = 50

// The limits of an API key's life (domain D18).
const (
	MaxKeyLife     = 366 * 24 * time.Hour
	DefaultKeyLife = 90 * 24 * time.Hour
	// KeyExpiryNotice is how long before its end the event api_key.expiring is
	// recorded.
	KeyExpiryNotice = 14 * 24 * time.Hour
	// KeyUseInterval is the least time between two writes of LastUsedAt.
	KeyUseInterval = 5 * time.Minute
)

// KeyPrefix begins the secret of every API key. TestKeyPrefix begins those of a
// sandbox.
const (
	KeyPrefix     = "dlk_"
	TestKeyPrefix = "dlk_test_"
)

// APIKey is the credential of a program.
type APIKey struct {
	ID             uuid.UUID
	OrganizationID uuid.UUID
	Name           string
	Role           EntityRole  // or KeyAdmin
	EntityIDs      []uuid.UUID // nil: every entity
	Hint           string      // the last characters of the secret
	CreatedBy      uuid.UUID
	CreatedAt      time.Time
	ExpiresAt      time.Time
	LastUsedAt     time.Time // zero until the first use
	RevokedAt      time.Time // zero while it is not revoked
}

// Usable reports whether the key authenticates requests at now.
func (k *APIKey) Usable(now time.Time) bool { return k.RevokedAt.IsZero() && now.Before(k.ExpiresAt) }

// AcceptedAt reports whether the key authenticates requests in an installation that accepts keys of
// the role ADMIN or not.
func (k *APIKey) AcceptedAt(now time.Time, admins bool) bool {
	return k.Usable(now) && (k.Role != KeyAdmin || admins)
}

// Actor returns the caller that the key is.
func (k *APIKey) Actor() Actor {
	a := Actor{
		Type: ActorAPIKey, UserID: k.ID, OrganizationID: k.OrganizationID, Role: RoleMember, ExpiresAt: k.ExpiresAt,
		Key: &KeyRights{Role: k.Role, EntityIDs: k.EntityIDs, CreatedBy: k.CreatedBy},
	}
	if k.Role == KeyAdmin {
		a.Role = RoleAdmin
	}
	return a
}

// KeyRights are the rights of an API key.
type KeyRights struct {
	Role      EntityRole
	EntityIDs []uuid.UUID // nil: every entity
	CreatedBy uuid.UUID
}

// On returns the role of the key on an entity of its organization.
func (r *KeyRights) On(entity uuid.UUID) EntityRole {
	if r.EntityIDs != nil && !slices.Contains(r.EntityIDs, entity) {
		return NoRole
	}
	return r.Role
}

// APIKeys stores API keys. Secrets are stored as hashes.
type APIKeys interface {
	// Add stores a key with the secret that authenticates it. It returns a Conflict
	// fault if the organization has MaxKeysPerOrganization usable keys when the key is
	// created.
	Add(ctx context.Context, k *APIKey, secret string) error
	// BySecret returns the key of a secret, or a NotFound fault. The lookup carries
	// no scope: the secret is the credential.
	BySecret(ctx context.Context, secret string) (*APIKey, error)
	// ByID returns a key of an organization, or a NotFound fault.
	ByID(ctx context.Context, organization, id uuid.UUID) (*APIKey, error)
	// List returns the keys of an organization, newest first.
	List(ctx context.Context, organization uuid.UUID, p page.Request) (page.Of[APIKey], error)
	// Revoke ends a key. It returns the key, and whether it was still usable
	// until now; or a NotFound fault.
	Revoke(ctx context.Context, organization, id uuid.UUID, now time.Time) (k *APIKey, changed bool, err error)
	// Used records the use of a key, unless another use is newer than least.
	Used(ctx context.Context, id uuid.UUID, now, least time.Time) error
	// TakeExpiring marks the keys of all organizations that expire until a time
	// and were not marked, and returns them.
	TakeExpiring(ctx context.Context, now, until time.Time) ([]APIKey, error)
}
