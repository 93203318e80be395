package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// Profile describes the caller (domain D27).
type Profile struct {
	User          identity.User
	Organization  Belonging
	Organizations []Belonging
	Key           *identity.KeyRights // of an API key; nil for every other credential
	Assistant     bool                // the credential is the user's grant to an OAuth client
	ExpiresAt     time.Time
}

// Belonging is an organization with the caller's role in it.
type Belonging struct {
	ID   uuid.UUID
	Name string
	Role identity.Role
}

// Me returns the caller's account and organizations.
func (s *Service) Me(ctx context.Context, a identity.Actor) (*Profile, error) {
	if a.Key != nil {
		return s.keyProfile(ctx, a)
	}
	user, err := s.Users.ByID(ctx, a.UserID)
	if err != nil {
		return nil, fmt.Errorf("find user: %w", err)
	}
	memberships, err := s.memberships(ctx, user)
	if err != nil {
		return nil, err
	}
	ids := []uuid.UUID{a.OrganizationID}
	for _, m := range memberships {
		ids = append(ids, m.OrganizationID)
	}
	organizations, err := s.Organizations.ByIDs(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("list organizations: %w", err)
	}
	names := map[uuid.UUID]string{}
	for _, o := range organizations {
		names[o.ID] = o.Name
	}
	p := &Profile{
		User: *user, ExpiresAt: a.ExpiresAt, Assistant: a.Type == identity.ActorAssistant,
		Organization: Belonging{ID: a.OrganizationID, Name: names[a.OrganizationID], Role: a.Role},
	}
	for _, m := range memberships {
		p.Organizations = append(p.Organizations, Belonging{ID: m.OrganizationID, Name: names[m.OrganizationID], Role: m.Role})
	}
	return p, nil
}

// keyProfile describes an API key: its user is the one who created it, and it
// belongs to its organization only.
func (s *Service) keyProfile(ctx context.Context, a identity.Actor) (*Profile, error) {
	user, err := s.Users.ByID(ctx, a.Key.CreatedBy)
	if fault.CodeOf(err) == fault.CodeNotFound {
		user, err = &identity.User{ID: a.Key.CreatedBy}, nil // the account was erased
	}
	if err != nil {
		return nil, fmt.Errorf("find user: %w", err)
	}
	found, err := s.Organizations.ByIDs(ctx, []uuid.UUID{a.OrganizationID})
	if err != nil {
		return nil, fmt.Errorf("find organization: %w", err)
	}
	own := Belonging{ID: a.OrganizationID, Role: a.Role}
	for _, o := range found {
		own.Name = o.Name
	}
	return &Profile{User: *user, ExpiresAt: a.ExpiresAt, Key: a.Key, Organization: own, Organizations: []Belonging{own}}, nil
}

// memberships returns the memberships of a user. It confirms those that the identity
// provider manages.
func (s *Service) memberships(ctx context.Context, u *identity.User) ([]identity.Membership, error) {
	memberships, err := s.Memberships.OfUser(ctx, u.ID)
	if err != nil {
		return nil, fmt.Errorf("list memberships: %w", err)
	}
	stale := func(m identity.Membership) bool { return s.Clock.Now().Sub(m.CheckedAt) >= identity.MembershipFresh }
	if u.IdentityID == "" || !slices.ContainsFunc(memberships, stale) {
		return memberships, nil
	}
	s.confirm(ctx, func(ctx context.Context) error { return s.Provider.Confirm(ctx, u.ID) })
	if memberships, err = s.Memberships.OfUser(ctx, u.ID); err != nil {
		return nil, fmt.Errorf("list memberships: %w", err)
	}
	return memberships, nil
}

// Members lists the members of the caller's organization, for administrators.
func (s *Service) Members(ctx context.Context, a identity.Actor, p page.Request) (page.Of[identity.Member], error) {
	if err := a.RequireAdmin(); err != nil {
		return page.Of[identity.Member]{}, err
	}
	if p.After == "" {
		s.confirm(ctx, func(ctx context.Context) error { return s.Provider.ConfirmMembers(ctx, a.OrganizationID) })
	}
	return s.Memberships.List(ctx, a.OrganizationID, p)
}

// confirmTimeout limits the wait of a read for the identity provider.
const confirmTimeout = 2 * time.Second

// confirm updates the data of a read. If the provider does not respond, the last
// known data is used.
func (s *Service) confirm(ctx context.Context, ask func(context.Context) error) {
	if s.Provider == nil {
		return
	}
	limited, cancel := context.WithTimeout(ctx, confirmTimeout)
	defer cancel()
	if err := ask(limited); err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "not confirmed by the identity provider, using last known data", "error", err)
	}
}
