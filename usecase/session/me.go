package session

import (
	"context"
	"fmt"
	"time"

	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// Profile is the answer to "who am I" (records D27).
type Profile struct {
	User          identity.User
	Organization  Belonging
	Organizations []Belonging
	ExpiresAt     time.Time
}

// Belonging is an organization with the caller's role in it.
type Belonging struct {
	ID   uuid.UUID
	Name string
	Role identity.Role
}

// Me tells the caller who they are and where they belong.
func (s *Service) Me(ctx context.Context, a identity.Actor) (*Profile, error) {
	user, err := s.Users.ByID(ctx, a.UserID)
	if err != nil {
		return nil, fmt.Errorf("find user: %w", err)
	}
	memberships, err := s.Memberships.OfUser(ctx, a.UserID)
	if err != nil {
		return nil, fmt.Errorf("list memberships: %w", err)
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
		User: *user, ExpiresAt: a.ExpiresAt,
		Organization: Belonging{ID: a.OrganizationID, Name: names[a.OrganizationID], Role: a.Role},
	}
	for _, m := range memberships {
		p.Organizations = append(p.Organizations, Belonging{ID: m.OrganizationID, Name: names[m.OrganizationID], Role: m.Role})
	}
	return p, nil
}

// Members lists the people of the caller's organization, for administrators.
func (s *Service) Members(ctx context.Context, a identity.Actor, p page.Request) (page.Of[identity.Member], error) {
	if err := a.RequireAdmin(); err != nil {
		return page.Of[identity.Member]{}, err
	}
	return s.Memberships.List(ctx, a.OrganizationID, p)
}
