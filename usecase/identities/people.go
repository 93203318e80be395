package identities

import (
	"context"
	"fmt"

	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/organization"

	"github.com/google/uuid"
)

// refresh updates a user and their memberships from the provider. A user who was
// deleted there loses all memberships, and refresh returns the provider's NotFound
// fault.
func (s *Service) refresh(ctx context.Context, id string) error {
	person, err := s.People.User(ctx, id)
	if fault.CodeOf(err) == fault.CodeNotFound {
		if failed := s.setMemberships(ctx, id, nil); failed != nil {
			return failed
		}
		return err
	}
	if err != nil {
		return fmt.Errorf("read the user: %w", err)
	}
	memberships, err := s.People.Memberships(ctx, id)
	if err != nil {
		return fmt.Errorf("read their memberships: %w", err)
	}
	_, err = s.keepPerson(ctx, person, memberships)
	return err
}

// keepPerson stores a user with all their memberships.
func (s *Service) keepPerson(ctx context.Context, person identity.ProviderUser, in []identity.ProviderMembership) (*identity.User, error) {
	now := s.Clock.Now()
	u := &identity.User{ID: s.IDs.New(), IdentityID: person.ID, Email: person.Email, Name: personName(person), CreatedAt: now, UpdatedAt: now}
	if err := s.Accounts.Put(ctx, u); err != nil {
		return nil, fmt.Errorf("store the user: %w", err)
	}
	var memberships []identity.Membership
	for _, m := range in {
		o, err := s.keep(ctx, m.Organization)
		if err != nil {
			return nil, err
		}
		memberships = append(memberships, identity.Membership{
			UserID: u.ID, OrganizationID: o.ID, Role: m.Role, CreatedAt: m.CreatedAt, CheckedAt: now,
		})
	}
	return u, s.setMemberships(ctx, person.ID, memberships)
}

func personName(p identity.ProviderUser) string {
	if p.Name != "" {
		return p.Name
	}
	return p.Email
}

// setMemberships replaces a user's memberships.
func (s *Service) setMemberships(ctx context.Context, id string, now []identity.Membership) error {
	u, err := s.Accounts.ByIdentity(ctx, id)
	if err != nil {
		return unlessMissing(err)
	}
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		if err := s.lockAccount(ctx, u.ID); err != nil {
			return err
		}
		had, err := s.Memberships.OfUser(ctx, u.ID)
		if err != nil {
			return fmt.Errorf("list memberships: %w", err)
		}
		before := map[uuid.UUID]identity.Membership{}
		for _, m := range had {
			before[m.OrganizationID] = m
		}
		for _, m := range now {
			var old *identity.Membership
			if had, ok := before[m.OrganizationID]; ok {
				old, m.LastUsedAt = &had, had.LastUsedAt
				delete(before, m.OrganizationID)
			}
			if err := s.putMembership(ctx, old, m); err != nil {
				return err
			}
		}
		for _, m := range before {
			if err := s.endMembership(ctx, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// putMembership stores a membership and an event with the change; before is nil for a
// new membership.
func (s *Service) putMembership(ctx context.Context, before *identity.Membership, m identity.Membership) error {
	if err := s.Memberships.Put(ctx, m); err != nil {
		return fmt.Errorf("put membership: %w", err)
	}
	e := event.By(identity.System(m.OrganizationID), event.MemberAdded, uuid.Nil, event.Subject{Type: event.SubjectMember, ID: m.UserID})
	switch {
	case before == nil:
		e.Data = map[string]string{"role": string(m.Role)}
	case before.Role == m.Role:
		return nil
	default:
		e.Type = event.MemberChanged
		e.Changes = []event.Change{{Field: "role", From: string(before.Role), To: string(m.Role)}}
	}
	return s.Events.Append(ctx, e)
}

func (s *Service) endMembership(ctx context.Context, m identity.Membership) error {
	if err := s.Memberships.Remove(ctx, m.UserID, m.OrganizationID); err != nil {
		return fmt.Errorf("end membership: %w", err)
	}
	return s.Events.Append(ctx, event.By(identity.System(m.OrganizationID), event.MemberRemoved, uuid.Nil,
		event.Subject{Type: event.SubjectMember, ID: m.UserID}))
}

// CheckPassword returns the account with this address and password at the provider,
// with current memberships. Otherwise it returns an Unauthenticated fault with
// invalid_credentials.
func (s *Service) CheckPassword(ctx context.Context, email, password string) (*identity.User, error) {
	person, err := s.Passwords.CheckPassword(ctx, email, password)
	if err != nil {
		return nil, err
	}
	memberships, err := s.People.Memberships(ctx, person.ID)
	if err != nil {
		return nil, fmt.Errorf("read memberships: %w", err)
	}
	return s.keepPerson(ctx, person, memberships)
}

// Confirm updates the memberships of an account that the provider manages. An account
// that was deleted there loses all memberships; this is not an error.
func (s *Service) Confirm(ctx context.Context, user uuid.UUID) error {
	u, err := s.Users.ByID(ctx, user)
	if err != nil || u.IdentityID == "" {
		return err
	}
	err = s.checks.do(ctx, u.IdentityID, s.Clock.Now, func(ctx context.Context) error { return s.refresh(ctx, u.IdentityID) })
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil
	}
	return err
}

// ConfirmMembers updates the members of an organization from the provider, so that
// users who never signed in can also be given roles.
func (s *Service) ConfirmMembers(ctx context.Context, id uuid.UUID) error {
	o, err := s.Organizations.ByID(ctx, id)
	if err != nil || o.IdentityID == "" {
		return err
	}
	return s.checks.do(ctx, o.IdentityID, s.Clock.Now, func(ctx context.Context) error { return s.refreshMembers(ctx, o) })
}

func (s *Service) refreshMembers(ctx context.Context, o *organization.Organization) error {
	now := s.Clock.Now()
	listed, err := s.Directory.Members(ctx, o.IdentityID)
	if err != nil {
		return fmt.Errorf("list members: %w", err)
	}
	had, err := s.Memberships.OfOrganization(ctx, o.ID)
	if err != nil {
		return fmt.Errorf("list members: %w", err)
	}
	removed := map[uuid.UUID]bool{}
	for _, m := range had {
		removed[m.User.ID] = m.User.IdentityID != "" // the provider does not manage local accounts
	}
	for _, m := range listed {
		u := &identity.User{
			ID: s.IDs.New(), IdentityID: m.User.ID, Email: m.User.Email, Name: personName(m.User), CreatedAt: now, UpdatedAt: now,
		}
		if err := s.Accounts.Put(ctx, u); err != nil {
			return fmt.Errorf("store the user: %w", err)
		}
		delete(removed, u.ID)
		at := s.Clock.Now()
		_, err := s.storeLatest(ctx, identity.Membership{UserID: u.ID, OrganizationID: o.ID, Role: m.Role, CreatedAt: at, CheckedAt: at})
		if err != nil {
			return err
		}
	}
	for user, ended := range removed {
		if !ended {
			continue
		}
		m := identity.Membership{UserID: user, OrganizationID: o.ID}
		if err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error { return s.endMembership(ctx, m) }); err != nil {
			return err
		}
	}
	return nil
}

// storeLatest stores the state of a membership as of m.CheckedAt, unless a newer one
// is stored. It returns the stored state.
func (s *Service) storeLatest(ctx context.Context, m identity.Membership) (*identity.Membership, error) {
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		if err := s.lockAccount(ctx, m.UserID); err != nil {
			return err
		}
		before, err := s.Memberships.Find(ctx, m.UserID, m.OrganizationID)
		switch {
		case fault.CodeOf(err) == fault.CodeNotFound:
			return s.putMembership(ctx, nil, m)
		case err != nil:
			return fmt.Errorf("find membership: %w", err)
		case !m.CheckedAt.After(before.CheckedAt):
			m = *before
			return nil
		}
		m.LastUsedAt, m.CreatedAt = before.LastUsedAt, before.CreatedAt
		return s.putMembership(ctx, before, m)
	})
	return &m, err
}

// lockAccount serializes concurrent changes to the memberships of one user until the
// transaction ends.
func (s *Service) lockAccount(ctx context.Context, user uuid.UUID) error {
	if _, err := s.Users.Update(ctx, user, func(*identity.User) error { return nil }); err != nil {
		return fmt.Errorf("lock the account: %w", err)
	}
	return nil
}
