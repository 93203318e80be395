package assistants

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/link"

	"github.com/google/uuid"
)

// CodeInput is the exchange of an authorization code.
type CodeInput struct {
	ClientID    string
	Code        string
	RedirectURI string
	Verifier    string
}

// Exchange begins the session of a consent. A code can be used once: a failed exchange uses it
// up, and a second exchange ends the session of the first one (RFC 6749, section 4.1.2).
func (s *Service) Exchange(ctx context.Context, in CodeInput) (Granted, error) {
	if in.ClientID != s.ClientID {
		return Granted{}, errClient()
	}
	now := s.Clock.Now()
	l, err := s.Links.ByToken(ctx, link.AuthorizationCode, in.Code)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return Granted{}, errGrant()
	}
	if err != nil {
		return Granted{}, err
	}
	var p pending
	if err := json.Unmarshal([]byte(l.Parameters), &p); err != nil {
		return Granted{}, fmt.Errorf("decode the request of a code: %w", err)
	}
	session := identity.Session{
		ID: p.Grant, UserID: l.UserID, OrganizationID: l.OrganizationID, ClientID: s.ClientID, CreatedAt: now, ExpiresAt: now.Add(identity.GrantLifetime),
	}
	// A refusal must not undo the use of the code, so it does not end the transaction.
	var refused error
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		first, err := s.Links.Reserve(ctx, l.ID, now)
		switch {
		case err != nil:
			return err
		case !first:
			refused = errGrant()
			return s.end(ctx, session, "code_reused")
		case l.ClientID != in.ClientID, p.RedirectURI != in.RedirectURI, !verifies(p.Challenge, in.Verifier):
			refused = errGrant()
			return nil
		}
		if refused = s.begin(ctx, l, p, session); refused != nil && !isRefusal(refused) {
			return refused
		}
		return nil
	})
	if err != nil {
		return Granted{}, err
	}
	if refused != nil {
		return Granted{}, refused
	}
	return s.issue(session, now)
}

// begin stores the session of a consent while the sign-in of the person still exists.
func (s *Service) begin(ctx context.Context, l *link.Link, p pending, session identity.Session) error {
	if err := s.lockAccount(ctx, session); err != nil {
		return err
	}
	if _, err := s.live(ctx, identity.Session{ID: p.Session, UserID: l.UserID, OrganizationID: l.OrganizationID}, session.CreatedAt); err != nil {
		return err
	}
	return s.Sessions.Add(ctx, session)
}

func isRefusal(err error) bool { return errors.As(err, new(*Refusal)) }

// verifies compares a challenge with its verifier (RFC 7636, section 4.6).
func verifies(challenge, verifier string) bool {
	if len(verifier) < 43 || len(verifier) > 128 {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

// Refresh issues the tokens of the next generation. The rules are those of a sign-in: the
// previous refresh token stays valid for identity.RefreshGrace, because its caller may have missed the response.
// After that its use ends the session, because two parties have it.
func (s *Service) Refresh(ctx context.Context, clientID, token string) (Granted, error) {
	if clientID != s.ClientID {
		return Granted{}, errClient()
	}
	now := s.Clock.Now()
	claims, err := s.Tokens.VerifyRefresh(token, now)
	if err != nil || claims.ClientID != s.ClientID {
		return Granted{}, errGrant()
	}
	claimed := identity.Session{ID: claims.SessionID, UserID: claims.UserID, OrganizationID: claims.OrganizationID, ClientID: claims.ClientID}
	var session *identity.Session
	reused := false
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		if err := s.lockAccount(ctx, claimed); err != nil {
			return err
		}
		if _, err := s.live(ctx, claimed, now); err != nil {
			return err
		}
		session, err = s.Sessions.Update(ctx, claimed.ID, func(x *identity.Session) error {
			if reused = !x.Accepts(claims.Generation, now); !reused {
				x.Refresh(claims.Generation, now)
			}
			return nil
		})
		if fault.CodeOf(err) == fault.CodeNotFound {
			return errGrant()
		}
		if err == nil && reused {
			return s.end(ctx, claimed, "token_reused")
		}
		return err
	})
	if err != nil {
		return Granted{}, err
	}
	if reused {
		return Granted{}, errGrant()
	}
	return s.issue(*session, now)
}

// Revoke ends the session of an access token or a refresh token (RFC 7009). A token that is not
// valid any more has nothing to end.
func (s *Service) Revoke(ctx context.Context, clientID, token string) error {
	if clientID != s.ClientID {
		return errClient()
	}
	now := s.Clock.Now()
	claims, err := s.Tokens.VerifyRefresh(token, now)
	if err != nil {
		claims, err = s.Tokens.Verify(token, now)
	}
	if err != nil || claims.ClientID != s.ClientID {
		return nil
	}
	_, err = s.Sessions.End(ctx, identity.SessionFilter{UserID: claims.UserID, ID: claims.SessionID})
	return err
}

// end ends the session of a code or token that two parties have, and records it.
func (s *Service) end(ctx context.Context, session identity.Session, reason string) error {
	ended, err := s.Sessions.End(ctx, identity.SessionFilter{UserID: session.UserID, ID: session.ID})
	if err != nil || len(ended) == 0 {
		return err
	}
	e := event.By(identity.System(session.OrganizationID), event.MemberSessionEnded, uuid.Nil,
		event.Subject{Type: event.SubjectMember, ID: session.UserID})
	e.Data = map[string]string{"session_id": session.ID.String(), "reason": reason}
	return s.Events.Append(ctx, e)
}
