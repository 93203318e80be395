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
// session's own end stays where it is.
func (s *Service) Refresh(ctx context.Context, a identity.Actor, organization uuid.UUID) (Token, error) {
	if a.SessionID == uuid.Nil {
		return Token{}, fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"Only a token that this service issued can be refreshed here; refresh others where they came from.")
	}
	now := s.Clock.Now()
	session, err := s.Sessions.Find(ctx, a.SessionID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return Token{}, errUnauthorized()
	}
	if err != nil {
		return Token{}, fmt.Errorf("find session: %w", err)
	}
	target := session.OrganizationID
	if organization != uuid.Nil {
		target = organization
	}
	if s.Provider != nil {
		// A membership that was lost there must not live on in our tokens.
		if err := s.Provider.Confirm(ctx, a.UserID); err != nil {
			return Token{}, fmt.Errorf("confirm memberships: %w", err)
		}
	}
	membership, err := s.Memberships.Find(ctx, a.UserID, target)
	if fault.CodeOf(err) == fault.CodeNotFound {
		if organization != uuid.Nil {
			return Token{}, fault.Missing("organization")
		}
		return Token{}, errUnauthorized()
	}
	if err != nil {
		return Token{}, fmt.Errorf("find membership: %w", err)
	}
	if target != session.OrganizationID {
		err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
			if _, err := s.Users.Update(ctx, a.UserID, func(*identity.User) error { return nil }); err != nil {
				return fmt.Errorf("lock the account: %w", err)
			}
			if membership.Role, err = s.use(ctx, a.UserID, target, now); err != nil {
				return err
			}
			if err := s.Sessions.Switch(ctx, session.ID, target); err != nil {
				return fmt.Errorf("switch session: %w", err)
			}
			return nil
		})
		if fault.CodeOf(err) == fault.CodeNotFound {
			err = fault.Missing("organization")
		}
		if err != nil {
			return Token{}, err
		}
		session.OrganizationID = target
	}
	return s.issue(*session, membership.Role, now)
}
