package integration

import (
	"context"
	"time"

	"docledger/domain/secret"

	"github.com/google/uuid"
)

// Grant is one consent of one provider account within one organization. Many
// integrations may stand on it (domain D4).
type Grant struct {
	ID             uuid.UUID
	OrganizationID uuid.UUID
	Provider       Provider
	Account        string // unique with organization and provider
	Event          string // of the latest consent
	Tokens         Tokens
	// Generation rises with every new pair of tokens, so that a late answer
	// does not overwrite a newer one.
	Generation int64
	// Ended says that the provider no longer accepts the tokens; a new consent
	// clears it.
	Ended     bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

// RefreshMargin is how long before its end an access token is renewed, so that
// it does not end on its way.
const RefreshMargin = 2 * time.Minute

// Fresh says whether the access token is good at now for a call that takes a
// while. refused is a token that the provider refused: it is good no more,
// whatever its expiry says.
func (g *Grant) Fresh(now time.Time, refused secret.Text) bool {
	if g.Ended || !refused.Empty() && refused == g.Tokens.Access {
		return false
	}
	return now.Add(RefreshMargin).Before(g.Tokens.AccessExpiresAt)
}

// Renewed puts a new pair in place of the old one.
func (g *Grant) Renewed(t Tokens) {
	if t.Scopes == nil {
		t.Scopes = g.Tokens.Scopes
	}
	g.Tokens = t
	g.Ended = false
	g.Generation++
}

// Consented takes a new consent of the same account over.
func (g *Grant) Consented(c Consent) {
	g.Renewed(c.Tokens)
	g.Event = c.Event
}

// Grants stores grants; tokens are encrypted at rest.
type Grants interface {
	// Get returns a grant of an organization, or a NotFound fault.
	Get(ctx context.Context, organization, id uuid.UUID) (*Grant, error)
	// Put stores the consent of an account: a new grant, or the one the account
	// has in the organization with the new tokens. It returns what is stored.
	Put(ctx context.Context, organization uuid.UUID, p Provider, c Consent) (*Grant, error)
	// Update changes a grant under a row lock, if its generation is still the
	// one given; else it returns the grant as it stands and ok is false. Either
	// way the row stays locked until the caller's transaction ends.
	Update(ctx context.Context, organization, id uuid.UUID, generation int64, change func(*Grant)) (g *Grant, ok bool, err error)
	// Remove erases a grant with its tokens. One that is gone is no error.
	Remove(ctx context.Context, organization, id uuid.UUID) error
	// SharedAccount says whether another grant of the installation belongs to
	// the same account of the provider.
	SharedAccount(ctx context.Context, g *Grant) (bool, error)
}

// GrantMaintenance is the keeper's view of the grants, over all organizations.
type GrantMaintenance interface {
	// ResealForRotation encrypts every grant that another key than the present
	// one sealed with the present one, and returns how many.
	ResealForRotation(ctx context.Context) (int, error)
	// CheckForOperator decrypts every grant. It returns how many there are and
	// how many each missing key sealed; one that was changed is an error.
	CheckForOperator(ctx context.Context) (grants int, missing map[string]int, err error)
	// EachForOperator visits every grant in the order of their ids, without its
	// tokens.
	EachForOperator(ctx context.Context, visit func(Grant) error) error
}
