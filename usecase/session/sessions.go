package session

import (
	"context"
	"fmt"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// Logout ends the session of the caller's token and returns it.
func (s *Service) Logout(ctx context.Context, a identity.Actor) (*identity.Session, error) {
	if a.SessionID == uuid.Nil {
		return nil, fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"Only a session that this service started can be ended here; sign out where you signed in.")
	}
	return s.EndSession(ctx, a, a.SessionID)
}

// List lists the caller's sessions, newest first.
func (s *Service) List(ctx context.Context, a identity.Actor, p page.Request) (page.Of[identity.Session], error) {
	return s.Sessions.OfUser(ctx, a.UserID, s.Clock.Now(), p)
}

// EndSession ends one of the caller's sessions and returns it. The session of another
// user is not found.
func (s *Service) EndSession(ctx context.Context, a identity.Actor, id uuid.UUID) (*identity.Session, error) {
	ended, err := s.Sessions.End(ctx, identity.SessionFilter{UserID: a.UserID, ID: id})
	if err != nil {
		return nil, err
	}
	if len(ended) == 0 {
		return nil, fault.Missing("session")
	}
	return &ended[0], nil
}

// PasswordInput changes a password.
type PasswordInput struct {
	Current string
	New     string
	Address string // network address of the caller, for counting failures
}

// ChangePassword changes the password of the caller's local account. It ends all
// sessions of the account and returns a token of a new session.
func (s *Service) ChangePassword(ctx context.Context, a identity.Actor, in PasswordInput) (Token, error) {
	now := s.Clock.Now()
	u, err := s.Users.ByID(ctx, a.UserID)
	if err != nil {
		return Token{}, fmt.Errorf("find user: %w", err)
	}
	if u.IdentityID != "" || a.SessionID == uuid.Nil {
		return Token{}, fault.New(fault.Conflict, fault.CodeConflict,
			"The identity provider manages the password of this account. Change it there.")
	}
	if len(in.New) < identity.MinPassword {
		return Token{}, fault.InvalidField("new_password", "must have at least %d characters", identity.MinPassword)
	}
	err = s.guarded(ctx, u.Email, in.Address, now, func() error {
		matches, err := s.Passwords.Matches(ctx, u.PasswordHash, in.Current)
		if err == nil && !matches {
			err = errCredentials()
		}
		return err
	})
	if fault.CodeOf(err) == fault.CodeInvalidCredentials {
		// Not a 401: the token is valid, and clients would refresh it.
		return Token{}, fault.InvalidField("current_password", "is not the password of this account")
	}
	if err != nil {
		return Token{}, err
	}
	hash, err := s.Passwords.Hash(ctx, in.New)
	if err != nil {
		return Token{}, fmt.Errorf("hash password: %w", err)
	}
	session := s.newSession(a.UserID, a.OrganizationID, now)
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		_, err := s.Users.Update(ctx, a.UserID, func(now *identity.User) error {
			if now.PasswordHash != u.PasswordHash || now.Disabled {
				return errUnauthorized()
			}
			// What began until now ends, also during the computation of the hash.
			now.PasswordHash, now.PasswordChangedAt = hash, s.Clock.Now()
			return nil
		})
		if err != nil {
			return err
		}
		if _, err := s.Sessions.End(ctx, identity.SessionFilter{UserID: a.UserID}); err != nil {
			return err
		}
		return s.Sessions.Add(ctx, session)
	})
	if err != nil {
		return Token{}, err
	}
	return s.issue(session, a.Role, now)
}
