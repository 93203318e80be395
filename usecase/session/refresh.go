package session

import (
	"context"
	"fmt"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// Refresh issues a new token for the session of the caller's current token. With an
// organization it switches the session to that organization (domain D27). The end of
// the session does not change. Tokens of the previous generation stay valid for
// identity.RefreshGrace.
func (s *Service) Refresh(ctx context.Context, a identity.Actor, organization uuid.UUID) (Token, error) {
	if a.SessionID == uuid.Nil {
		return Token{}, fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"Only a token that this service issued can be refreshed here; refresh other tokens at their issuer.")
	}
	now := s.Clock.Now()
	if s.Provider != nil {
		// A membership that ended at the provider must not continue in tokens of
		// docledger.
		if err := s.Provider.Confirm(ctx, a.UserID); err != nil {
			return Token{}, fmt.Errorf("confirm memberships: %w", err)
		}
	}
	var session *identity.Session
	var role identity.Role
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) (err error) {
		// The update holds the lock of the account, as at sign-in. A concurrent end
		// of the membership either ends this session too, or is visible here.
		if _, err := s.Users.Update(ctx, a.UserID, func(*identity.User) error { return nil }); err != nil {
			return fmt.Errorf("lock the account: %w", err)
		}
		// Before the session refers to the organization: one that does not exist has the
		// same answer as one of others.
		if organization != uuid.Nil {
			_, err := s.role(ctx, a.UserID, organization)
			if fault.CodeOf(err) == fault.CodeNotFound {
				return fault.Missing("organization")
			}
			if err != nil {
				return err
			}
		}
		switched := false
		session, err = s.Sessions.Update(ctx, a.SessionID, func(x *identity.Session) error {
			if switched = organization != uuid.Nil && organization != x.OrganizationID; switched {
				x.OrganizationID = organization
			}
			x.Refresh(a.Generation, now)
			return nil
		})
		if fault.CodeOf(err) == fault.CodeNotFound {
			return errUnauthorized()
		}
		if err != nil {
			return err
		}
		if switched {
			role, err = s.use(ctx, a.UserID, session.OrganizationID, now)
		} else {
			role, err = s.role(ctx, a.UserID, session.OrganizationID)
		}
		if fault.CodeOf(err) == fault.CodeNotFound {
			return errUnauthorized()
		}
		return err
	})
	if err != nil {
		return Token{}, err
	}
	return s.issue(*session, role, now)
}

// role returns the role of a user in an organization. It returns a NotFound fault for
// a user who is not a member.
func (s *Service) role(ctx context.Context, user, organization uuid.UUID) (identity.Role, error) {
	m, err := s.Memberships.Find(ctx, user, organization)
	if err != nil {
		return "", err
	}
	return m.Role, nil
}
