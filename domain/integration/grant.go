package integration

import (
	"context"
	"time"

	"docledger/domain/secret"

	"github.com/google/uuid"
)

// Grant contains the tokens of one consent of one provider account within one organization. Several
// integrations may use it (domain D4).
type Grant struct {
	ID             uuid.UUID
	OrganizationID uuid.UUID
	Provider       Provider
	Account        string // unique per organization and provider
	Event          string // the event of the latest consent
	Tokens         Tokens
	// Generation increases with every new token pair, so that a late response does not overwrite a
	// newer pair.
	Generation int64
	// Ended reports that the provider no longer accepts the tokens. Another consent clears it.
	Ended     bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

// RefreshMargin is how long before its expiry an access token is renewed, so that it does not
// expire during a call.
const RefreshMargin = 2 * time.Minute

// Fresh reports whether the access token is valid at now for the duration of a call. refused is a
// token that the provider refused; it is invalid regardless of its expiry.
func (g *Grant) Fresh(now time.Time, refused secret.Text) bool {
	if g.Ended || !refused.Empty() && refused == g.Tokens.Access {
		return false
	}
	return now.Add(RefreshMargin).Before(g.Tokens.AccessExpiresAt)
}

// Renewed replaces the token pair.
func (g *Grant) Renewed(t Tokens) {
	if t.Scopes == nil {
		t.Scopes = g.Tokens.Scopes
	}
	g.Tokens = t
	g.Ended = false
	g.Generation++
}

// Consented stores another consent of the same account.
func (g *Grant) Consented(c Consent) {
	g.Renewed(c.Tokens)
	g.Event = c.Event
}

// Grants stores grants; tokens are encrypted at rest.
type Grants interface {
	// Get returns a grant of an organization, or a NotFound fault.
	Get(ctx context.Context, organization, id uuid.UUID) (*Grant, error)
	// Put stores the consent of an account and returns the stored grant. If the account already has
	// a grant in the organization, that grant gets the new tokens.
	Put(ctx context.Context, organization uuid.UUID, p Provider, c Consent) (*Grant, error)
	// Update changes a grant under a row lock if its generation is the given one. Otherwise it
	// returns the current grant and ok is false. In both cases the row stays locked until the
	// caller's transaction ends.
	Update(ctx context.Context, organization, id uuid.UUID, generation int64, change func(*Grant)) (g *Grant, ok bool, err error)
	// Remove deletes a grant with its tokens. A missing grant is not an error.
	Remove(ctx context.Context, organization, id uuid.UUID) error
	// SharedAccount reports whether another grant of the installation belongs to the same provider
	// account.
	SharedAccount(ctx context.Context, g *Grant) (bool, error)
}

// GrantMaintenance maintains the grants of all organizations.
type GrantMaintenance interface {
	// ResealForRotation encrypts with the current key every grant that was encrypted with another
	// one. It returns the number of grants.
	ResealForRotation(ctx context.Context) (int, error)
	// CheckForOperator decrypts every grant. It returns the number of grants, and the number
	// encrypted with each missing key. A modified ciphertext is an error.
	CheckForOperator(ctx context.Context) (grants int, missing map[string]int, err error)
	// EachForOperator visits every grant in the order of their ids, without tokens.
	EachForOperator(ctx context.Context, visit func(Grant) error) error
}
