// Package organizations is what the operator of an installation does on the
// command line: organizations, accounts and roles (domain D16).
package organizations

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/organization"
	"docledger/usecase"

	"github.com/google/uuid"
)

const maxName = 200

// MinPassword is the shortest password an account may have.
const MinPassword = identity.MinPassword

// Hasher hashes passwords.
type Hasher interface {
	Hash(ctx context.Context, password string) (string, error)
}

// Service holds the operator's operations.
type Service struct {
	Organizations organization.Repository
	Reports       organization.Reports
	Users         identity.Users
	Memberships   identity.Memberships
	Sessions      identity.Sessions
	Events        event.Log
	Passwords     Hasher
	UnitOfWork    usecase.UnitOfWork
	Clock         usecase.Clock
	IDs           usecase.IDs
}

// Create adds an organization.
func (s *Service) Create(ctx context.Context, name string) (*organization.Organization, error) {
	if err := checkName("name", name); err != nil {
		return nil, err
	}
	name = strings.TrimSpace(name)
	now := s.Clock.Now()
	o := &organization.Organization{ID: s.IDs.New(), Name: name, CreatedAt: now, UpdatedAt: now}
	if err := s.Organizations.Add(ctx, o); err != nil {
		return nil, fmt.Errorf("add organization: %w", err)
	}
	return o, nil
}

// checkName returns an Invalid fault for a name that cannot be stored or shown.
func checkName(field, name string) error {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, unicode.IsControl) {
		return fault.InvalidField(field, "must have 1 to %d characters and no control characters", maxName)
	}
	return nil
}

// List returns all organizations, oldest first.
func (s *Service) List(ctx context.Context) ([]organization.Organization, error) {
	return s.Organizations.ForOperator(ctx)
}

// MaxReportDays is the longest period of a report.
const MaxReportDays = 366

// Report returns the report on the documents of an organization that arrived in
// the last days.
func (s *Service) Report(ctx context.Context, id uuid.UUID, days int) (*organization.Organization, *organization.Report, error) {
	if days < 1 || days > MaxReportDays {
		return nil, nil, fault.InvalidField("days", "must be 1 to %d", MaxReportDays)
	}
	o, err := s.Organizations.ByID(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	r, err := s.Reports.Report(ctx, id, s.Clock.Now().AddDate(0, 0, -days))
	if err != nil {
		return nil, nil, err
	}
	return o, r, nil
}

// AddUserInput describes a new account and its first membership, of an
// organization that is there or of a new one.
type AddUserInput struct {
	Email           string
	Name            string
	Password        string
	OrganizationID  uuid.UUID
	NewOrganization string // the name of one to create; OrganizationID is not looked at then
	Role            identity.Role
}

// AddUser makes an account and its membership of an organization, whose id it
// returns too.
func (s *Service) AddUser(ctx context.Context, in AddUserInput) (*identity.User, uuid.UUID, error) {
	return s.addUser(ctx, in, false)
}

// AddFirstAdmin creates the first user as the administrator of a new organization. It
// is a Conflict fault if any user exists.
func (s *Service) AddFirstAdmin(ctx context.Context, admin identity.FirstAdmin) (*identity.User, uuid.UUID, error) {
	if err := checkName("organization_name", admin.OrganizationName); err != nil {
		return nil, uuid.Nil, err
	}
	if err := checkName("name", admin.Name); err != nil {
		return nil, uuid.Nil, err
	}
	return s.addUser(ctx, AddUserInput{
		Email: admin.Email, Name: admin.Name, Password: admin.Password, NewOrganization: admin.OrganizationName, Role: identity.RoleAdmin,
	}, true)
}

func (s *Service) addUser(ctx context.Context, in AddUserInput, first bool) (*identity.User, uuid.UUID, error) {
	u, err := s.newUser(ctx, in)
	if err != nil {
		return nil, uuid.Nil, err
	}
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		if in.NewOrganization != "" {
			o, err := s.Create(ctx, in.NewOrganization)
			if err != nil {
				return err
			}
			in.OrganizationID = o.ID
		}
		add := s.Users.Add
		if first {
			add = s.Users.AddFirst
		}
		if err := add(ctx, u); err != nil {
			return fmt.Errorf("add user: %w", err)
		}
		return s.join(ctx, u.ID, in.OrganizationID, in.Role)
	})
	if err != nil {
		return nil, uuid.Nil, err
	}
	return u, in.OrganizationID, nil
}

func (s *Service) newUser(ctx context.Context, in AddUserInput) (*identity.User, error) {
	email := identity.NormalizeEmail(in.Email)
	if local, host, ok := strings.Cut(email, "@"); !ok || local == "" || host == "" {
		return nil, fault.InvalidField("email", "must be an e-mail address")
	}
	if len(in.Password) < MinPassword {
		return nil, fault.InvalidField("password", "must have at least %d characters", MinPassword)
	}
	hash, err := s.Passwords.Hash(ctx, in.Password)
	if err != nil {
		return nil, fmt.Errorf("hash password: %w", err)
	}
	now := s.Clock.Now()
	name := strings.TrimSpace(in.Name)
	if name == "" {
		name = email
	}
	return &identity.User{
		ID: s.IDs.New(), Email: email, Name: name, PasswordHash: hash,
		PasswordChangedAt: now, CreatedAt: now, UpdatedAt: now,
	}, nil
}

// Invite makes an existing account a member of a further organization.
func (s *Service) Invite(ctx context.Context, email string, organization uuid.UUID, role identity.Role) error {
	u, err := s.Users.ByEmail(ctx, identity.NormalizeEmail(email))
	if err != nil {
		return err
	}
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error { return s.join(ctx, u.ID, organization, role) })
}

func (s *Service) join(ctx context.Context, user, organization uuid.UUID, role identity.Role) error {
	if !role.Valid() {
		return fault.InvalidField("role", "must be admin or member")
	}
	if _, err := s.Organizations.ByID(ctx, organization); err != nil {
		return err
	}
	err := s.Memberships.Put(ctx, identity.Membership{
		UserID: user, OrganizationID: organization, Role: role, CreatedAt: s.Clock.Now(),
	})
	if err != nil {
		return fmt.Errorf("put membership: %w", err)
	}
	e := event.By(identity.System(organization), event.MemberAdded, uuid.Nil, event.Subject{Type: event.SubjectMember, ID: user})
	e.Data = map[string]string{"role": string(role)}
	return s.Events.Append(ctx, e)
}

// Remove ends a membership and the member's sessions in that organization. The
// account stays, with its other memberships.
func (s *Service) Remove(ctx context.Context, email string, organization uuid.UUID) error {
	u, err := s.Users.ByEmail(ctx, identity.NormalizeEmail(email))
	if err != nil {
		return err
	}
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		// The account's lock comes first, as at sign-in: a session that begins at
		// the same time is either seen here or sees that the membership ended.
		if _, err := s.Users.Update(ctx, u.ID, func(*identity.User) error { return nil }); err != nil {
			return fmt.Errorf("lock the account: %w", err)
		}
		if _, err := s.Memberships.Find(ctx, u.ID, organization); err != nil {
			return err
		}
		if err := s.Memberships.Remove(ctx, u.ID, organization); err != nil {
			return fmt.Errorf("end membership: %w", err)
		}
		if _, err := s.Sessions.End(ctx, identity.SessionFilter{UserID: u.ID, OrganizationID: organization}); err != nil {
			return err
		}
		return s.Events.Append(ctx, event.By(identity.System(organization), event.MemberRemoved, uuid.Nil,
			event.Subject{Type: event.SubjectMember, ID: u.ID}))
	})
}

// SetRole changes a member's role in an organization, from their next request
// on.
func (s *Service) SetRole(ctx context.Context, email string, organization uuid.UUID, role identity.Role) error {
	if !role.Valid() {
		return fault.InvalidField("role", "must be admin or member")
	}
	u, err := s.Users.ByEmail(ctx, identity.NormalizeEmail(email))
	if err != nil {
		return err
	}
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		m, err := s.Memberships.Find(ctx, u.ID, organization)
		if err != nil {
			return err
		}
		before := m.Role
		m.Role = role
		if err := s.Memberships.Put(ctx, *m); err != nil {
			return fmt.Errorf("put membership: %w", err)
		}
		e := event.By(identity.System(organization), event.MemberChanged, uuid.Nil, event.Subject{Type: event.SubjectMember, ID: u.ID})
		e.Changes = []event.Change{{Field: "role", From: string(before), To: string(role)}}
		return s.Events.Append(ctx, e)
	})
}

// SetDisabled locks or unlocks an account; locking ends its sessions.
func (s *Service) SetDisabled(ctx context.Context, email string, disabled bool) error {
	return s.changeUser(ctx, email, disabled, func(u *identity.User) { u.Disabled = disabled })
}

// SetPassword changes a password and ends the account's sessions.
func (s *Service) SetPassword(ctx context.Context, email, password string) error {
	if len(password) < MinPassword {
		return fault.InvalidField("password", "must have at least %d characters", MinPassword)
	}
	hash, err := s.Passwords.Hash(ctx, password)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	return s.changeUser(ctx, email, true, func(u *identity.User) { u.PasswordHash, u.PasswordChangedAt = hash, s.Clock.Now() })
}

func (s *Service) changeUser(ctx context.Context, email string, endSessions bool, change func(*identity.User)) error {
	u, err := s.Users.ByEmail(ctx, identity.NormalizeEmail(email))
	if err != nil {
		return err
	}
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		_, err := s.Users.Update(ctx, u.ID, func(u *identity.User) error { change(u); return nil })
		if err != nil || !endSessions {
			return err
		}
		_, err = s.Sessions.End(ctx, identity.SessionFilter{UserID: u.ID})
		return err
	})
}
