package session

import (
	"context"
	"fmt"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// Refresh gives a new token for the session of the caller's present one; with
// an organization it switches the session to that one (domain D27). The
// session's own end stays where it is. Tokens of the generation before stay
// valid for identity.RefreshGrace.
func (s *Service) Refresh(ctx context.Context, a identity.Actor, organization uuid.UUID) (Token, error) {
	if a.SessionID == uuid.Nil {
		return Token{}, fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"Only a token that this service issued can be refreshed here; refresh others where they came from.")
	}
	now := s.Clock.Now()
	if s.Provider != nil {
		// A membership that was lost there must not live on in our tokens.
		if err := s.Provider.Confirm(ctx, a.UserID); err != nil {
			return Token{}, fmt.Errorf("confirm memberships: %w", err)
		}
	}
	var session *identity.Session
	var role identity.Role
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) (err error) {
		// Under the account's lock, as at sign-in: whoever ends the membership
		// meanwhile either ends this session too, or is seen.
		if _, err := s.Users.Update(ctx, a.UserID, func(*identity.User) error { return nil }); err != nil {
			return fmt.Errorf("lock the account: %w", err)
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
			if organization != uuid.Nil {
				return fault.Missing("organization")
			}
			return errUnauthorized()
		}
		return err
	})
	if err != nil {
		return Token{}, err
	}
	return s.issue(*session, role, now)
}

// role is what a person is in an organization; a NotFound fault for somebody
// who is no member.
func (s *Service) role(ctx context.Context, user, organization uuid.UUID) (identity.Role, error) {
	m, err := s.Memberships.Find(ctx, user, organization)
	if err != nil {
		return "", err
	}
	return m.Role, nil
}
