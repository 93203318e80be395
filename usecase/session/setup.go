package session

import (
	"context"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// Founder creates the first administrator.
type Founder interface {
	// AddFirstAdmin creates the organization and its administrator. It is a Conflict
	// fault if any user exists.
	AddFirstAdmin(ctx context.Context, admin identity.FirstAdmin) (*identity.User, uuid.UUID, error)
}

// Setup is what the first start of an installation with local accounts needs.
type Setup struct {
	Code    string // the setup code, which the log of the service shows
	Founder Founder
}

// SetupInput are the setup code and the first administrator.
type SetupInput struct {
	Code    string
	Admin   identity.FirstAdmin
	Trusted bool   // the caller needs no code
	Address string // network address of the caller, for counting attempts
}

// setupAccount is the account under which wrong setup codes are counted. No account has
// this address.
const setupAccount = "setup code"

// SetupOpen reports whether the first administrator can be created with SetUp.
func (s *Service) SetupOpen(ctx context.Context) (bool, error) {
	if s.Setup == nil {
		return false, nil
	}
	exists, err := s.Users.Any(ctx)
	return !exists && err == nil, err
}

// SetUp creates the first organization and its administrator, and signs them in. The
// error is the same for a wrong code and after the first user. Wrong codes are counted
// and refused like wrong passwords. Of concurrent calls one succeeds (decisions 4).
func (s *Service) SetUp(ctx context.Context, in SetupInput) (Token, error) {
	now := s.Clock.Now()
	err := s.guarded(ctx, setupAccount, in.Address, now, func() error {
		open, err := s.SetupOpen(ctx)
		if err != nil {
			return err
		}
		if !open || !in.Trusted && !identity.SameSetupCode(s.Setup.Code, in.Code) {
			return errSetup()
		}
		return nil
	})
	if err != nil {
		return Token{}, err
	}
	user, organization, err := s.Setup.Founder.AddFirstAdmin(ctx, in.Admin)
	if fault.CodeOf(err) == fault.CodeConflict {
		return Token{}, errSetup() // another call was first
	}
	if err != nil {
		return Token{}, err
	}
	return s.start(ctx, identity.Membership{UserID: user.ID, OrganizationID: organization}, user.PasswordHash, now)
}

func errSetup() error {
	return fault.New(fault.Unauthenticated, fault.CodeInvalidCredentials,
		"The setup code is wrong, or the first user exists already. The code is in the log of the service.")
}
