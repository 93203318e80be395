package identities

import (
	"context"
	"fmt"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
)

// Authenticate returns the actor of a token that the provider issued: a session
// token, or an OAuth token of the configured client (interface 5). It stores an
// organization or a user that it does not know yet.
func (s *Service) Authenticate(ctx context.Context, bearer string) (identity.Actor, error) {
	now := s.Clock.Now()
	claims, err := s.Tokens.Verify(ctx, bearer, now)
	if err != nil {
		return identity.Actor{}, err
	}
	if claims.OrganizationID == "" {
		return identity.Actor{}, errNoOrganization()
	}
	m, err := s.member(ctx, claims, now)
	if err != nil {
		return identity.Actor{}, err
	}
	a := identity.Actor{
		Type: identity.ActorUser, UserID: m.UserID, OrganizationID: m.OrganizationID, Role: m.Role, ExpiresAt: claims.ExpiresAt,
	}
	if claims.Role != "" {
		a.Role = claims.Role
	}
	if claims.Kind == identity.ProviderOAuth {
		a.Type, a.ClientID = identity.ActorAssistant, claims.ClientID
	}
	return a, nil
}

// member returns the membership of a token. A session token states the role. For an
// OAuth token the role is the one that the provider confirmed within MembershipFresh.
// If the provider does not respond, it is the last known role.
func (s *Service) member(ctx context.Context, claims identity.ProviderClaims, now time.Time) (*identity.Membership, error) {
	known, err := s.Accounts.Membership(ctx, claims.Subject, claims.OrganizationID)
	switch {
	case fault.CodeOf(err) == fault.CodeNotFound:
		return s.addMember(ctx, claims)
	case err != nil:
		return nil, fmt.Errorf("find membership: %w", err)
	case claims.Role != "":
		if claims.Role == known.Role || !claims.IssuedAt.After(known.CheckedAt) {
			return known, nil
		}
		known.Role, known.CheckedAt = claims.Role, claims.IssuedAt
		return s.storeLatest(ctx, *known)
	case now.Sub(known.CheckedAt) < identity.MembershipFresh:
		return known, nil
	}
	return s.recheck(ctx, claims, known)
}

// recheck asks the provider whether an older membership still exists.
func (s *Service) recheck(ctx context.Context, claims identity.ProviderClaims, known *identity.Membership) (*identity.Membership, error) {
	limited, cancel := context.WithTimeout(ctx, waitTimeout)
	defer cancel()
	err := s.checks.do(limited, claims.Subject, s.Clock.Now, func(ctx context.Context) error { return s.refresh(ctx, claims.Subject) })
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if fault.CodeOf(err) == fault.CodeNotFound {
			return nil, errUnauthorized(err)
		}
		s.Log.WarnContext(ctx, "membership not confirmed by the identity provider, using last known role", "user_id", known.UserID, "error", err)
		return known, nil
	}
	return s.confirmed(ctx, claims)
}

// addMember stores the user and organization of a token for the first time.
func (s *Service) addMember(ctx context.Context, claims identity.ProviderClaims) (*identity.Membership, error) {
	if claims.Role != "" {
		if m, err := s.join(ctx, claims); m != nil || err != nil {
			return m, err
		}
	}
	// A recent check of the user may be older than this organization. The subject
	// therefore includes the organization.
	subject := claims.Subject + " " + claims.OrganizationID
	err := s.checks.do(ctx, subject, s.Clock.Now, func(ctx context.Context) error { return s.refresh(ctx, claims.Subject) })
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, errUnauthorized(err)
	}
	if err != nil {
		return nil, unavailable(err)
	}
	m, err := s.confirmed(ctx, claims)
	if err == nil && claims.Role != "" {
		m.Role = claims.Role
	}
	return m, err
}

// join accepts the membership of a session token if user and organization are known;
// nil if one of them is new.
func (s *Service) join(ctx context.Context, claims identity.ProviderClaims) (*identity.Membership, error) {
	u, err := s.Accounts.ByIdentity(ctx, claims.Subject)
	if err != nil {
		return nil, unlessMissing(err)
	}
	o, err := s.Organizations.ByIdentity(ctx, claims.OrganizationID)
	if err != nil {
		return nil, unlessMissing(err)
	}
	return s.storeLatest(ctx, identity.Membership{
		UserID: u.ID, OrganizationID: o.ID, Role: claims.Role, CreatedAt: s.Clock.Now(), CheckedAt: claims.IssuedAt,
	})
}

func unlessMissing(err error) error {
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil
	}
	return err
}

// confirmed returns the membership after the provider confirmed it.
func (s *Service) confirmed(ctx context.Context, claims identity.ProviderClaims) (*identity.Membership, error) {
	m, err := s.Accounts.Membership(ctx, claims.Subject, claims.OrganizationID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, errUnauthorized(err)
	}
	return m, err
}

func errUnauthorized(cause error) error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "The token is missing, expired or not valid. Sign in again.").WithCause(cause)
}

func errNoOrganization() error {
	return fault.New(fault.Unauthenticated, fault.CodeOrganizationRequired,
		"The session has no active organization. Choose one in the application, then try again.")
}

// unavailable returns the fault for a provider that does not respond. A new sign-in
// would not help.
func unavailable(cause error) error {
	f := fault.New(fault.Unavailable, fault.CodeUnavailable, "The identity provider does not respond at the moment. Try again shortly.")
	f.RetryAfter = checkPause
	return f.WithCause(cause)
}
