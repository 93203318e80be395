package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// LoginInput contains the credentials of a user.
type LoginInput struct {
	Email          string
	Password       string
	OrganizationID uuid.UUID // zero: the organization of the last use, or else the oldest membership
	Address        string    // network address of the caller, for counting attempts
}

// Login checks a password and starts a session. Unknown addresses, wrong passwords,
// disabled accounts and accounts without an organization return the same error after
// the same time (decisions 4).
func (s *Service) Login(ctx context.Context, in LoginInput) (Token, error) {
	floor := time.NewTimer(s.FailureFloor)
	defer floor.Stop()
	token, err := s.login(ctx, in)
	if fault.CodeOf(err) != fault.CodeInvalidCredentials && !errors.Is(err, errAfterCheck) {
		return token, err
	}
	select {
	case <-floor.C:
		return Token{}, err
	case <-ctx.Done():
		return Token{}, fmt.Errorf("sign in: %w", ctx.Err())
	}
}

func (s *Service) login(ctx context.Context, in LoginInput) (Token, error) {
	now := s.Clock.Now()
	email := identity.NormalizeEmail(in.Email)
	var user *identity.User
	var membership *identity.Membership
	err := s.guarded(ctx, email, in.Address, now, func() (err error) {
		if user, err = s.checkPassword(ctx, email, in.Password); err != nil {
			return err
		}
		membership, err = s.chooseMembership(ctx, user.ID, in.OrganizationID)
		return err
	})
	if err != nil {
		return Token{}, err
	}
	return s.start(ctx, *membership, user.PasswordHash, now)
}

// checkPassword returns the account with an address and password, from the local
// accounts or the identity provider. It always checks both, so that all refusals take
// the same time.
func (s *Service) checkPassword(ctx context.Context, email, password string) (*identity.User, error) {
	user, err := s.Users.ByEmail(ctx, email)
	if err != nil && fault.CodeOf(err) != fault.CodeNotFound {
		return nil, fmt.Errorf("find user: %w", err)
	}
	var hash string
	if user != nil {
		hash = user.PasswordHash
	}
	matches, err := s.Passwords.Matches(ctx, hash, password)
	if err != nil {
		return nil, fmt.Errorf("compare password: %w", err)
	}
	if matches && user != nil && !user.Disabled {
		return user, nil
	}
	if s.Provider == nil {
		return nil, errCredentials()
	}
	return s.Provider.CheckPassword(ctx, email, password)
}

func (s *Service) start(ctx context.Context, m identity.Membership, hash string, now time.Time) (Token, error) {
	session := s.newSession(m.UserID, m.OrganizationID, now)
	var role identity.Role
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		// The update holds the lock of the account. A concurrent lock or password
		// change either sees this session and ends it, or is visible here.
		_, err := s.Users.Update(ctx, m.UserID, func(u *identity.User) error {
			if u.Disabled || u.PasswordHash != hash {
				return errCredentials()
			}
			return nil
		})
		if err != nil {
			return err
		}
		if role, err = s.use(ctx, m.UserID, m.OrganizationID, now); err != nil {
			return err
		}
		if err := s.Sessions.Add(ctx, session); err != nil {
			return fmt.Errorf("add session: %w", err)
		}
		return nil
	})
	if fault.CodeOf(err) == fault.CodeNotFound {
		err = errCredentials()
	}
	if err != nil {
		return Token{}, err
	}
	return s.issue(session, role, now)
}

func (s *Service) newSession(user, organization uuid.UUID, now time.Time) identity.Session {
	return identity.Session{
		ID: s.IDs.New(), UserID: user, OrganizationID: organization, CreatedAt: now, ExpiresAt: now.Add(identity.SessionLifetime),
	}
}

// use records the use of a membership and returns its role. It is called under the
// lock of the account, so that it does not restore a membership that ended
// concurrently. It returns a NotFound fault in that case.
func (s *Service) use(ctx context.Context, user, organization uuid.UUID, now time.Time) (identity.Role, error) {
	m, err := s.Memberships.Find(ctx, user, organization)
	if err != nil {
		return "", err
	}
	m.LastUsedAt = now
	if err := s.Memberships.Put(ctx, *m); err != nil {
		return "", fmt.Errorf("put membership: %w", err)
	}
	return m.Role, nil
}

func (s *Service) chooseMembership(ctx context.Context, user, organization uuid.UUID) (*identity.Membership, error) {
	memberships, err := s.Memberships.OfUser(ctx, user)
	if err != nil {
		return nil, fmt.Errorf("list memberships: %w", err)
	}
	for _, m := range memberships {
		if organization == uuid.Nil || m.OrganizationID == organization {
			return &m, nil
		}
	}
	return nil, errCredentials()
}

func errCredentials() error {
	return fault.New(fault.Unauthenticated, fault.CodeInvalidCredentials,
		"The e-mail address or the password is wrong, or the account is not a member of the organization.")
}
