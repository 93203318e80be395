package store

import (
	"context"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/organization"
	"docledger/domain/page"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"
)

type userRow struct {
	ID                uuid.UUID `gorm:"primaryKey"`
	IdentityID        *string
	Email             string
	Name              string
	PasswordHash      string
	Disabled          bool
	PasswordChangedAt *time.Time
	CreatedAt         time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt         time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (userRow) TableName() string { return "users" }

func (r userRow) fromRow() identity.User {
	return identity.User{
		ID: r.ID, IdentityID: fromOptionalText(r.IdentityID), Email: r.Email, Name: r.Name, PasswordHash: r.PasswordHash, Disabled: r.Disabled,
		PasswordChangedAt: fromOptionalTime(r.PasswordChangedAt), CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
}

func toUserRow(u *identity.User) userRow {
	return userRow{
		ID: u.ID, IdentityID: optionalText(u.IdentityID), Email: clean(u.Email), Name: clean(u.Name), PasswordHash: u.PasswordHash, Disabled: u.Disabled,
		PasswordChangedAt: optionalTime(u.PasswordChangedAt), CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt,
	}
}

// Users implements identity.Users and identity.ProviderAccounts.
type Users struct{ s *Store }

// Add implements identity.Users.
func (r Users) Add(ctx context.Context, u *identity.User) error {
	return r.s.inOne(ctx, func(ctx context.Context) error {
		if err := r.lockFirst(ctx, "pg_advisory_xact_lock_shared"); err != nil {
			return err
		}
		return r.add(ctx, u)
	})
}

// AddFirst implements identity.Users.
func (r Users) AddFirst(ctx context.Context, u *identity.User) error {
	if err := r.lockFirst(ctx, "pg_advisory_xact_lock"); err != nil {
		return err
	}
	exists, err := r.Any(ctx)
	if err != nil {
		return err
	}
	if exists {
		return fault.New(fault.Conflict, fault.CodeConflict, "The first user exists already.")
	}
	return r.add(ctx, u)
}

func (r Users) add(ctx context.Context, u *identity.User) error {
	r.s.stamp(&u.CreatedAt)
	r.s.stamp(&u.UpdatedAt)
	row := toUserRow(u)
	return failed("add the user", r.s.handle(ctx).Create(&row).Error)
}

// lockFirst makes AddFirst wait for every transaction that adds a user, and these for AddFirst.
// Additions do not wait for each other. SQLite has one writer, which the transaction already is.
func (r Users) lockFirst(ctx context.Context, function string) error {
	if !r.s.postgres {
		return nil
	}
	return failed("wait for other users", r.s.handle(ctx).Exec("SELECT "+function+"(hashtextextended(?, 0))", "docledger first user").Error)
}

// ByEmail implements identity.Users.
func (r Users) ByEmail(ctx context.Context, email string) (*identity.User, error) {
	return r.find(ctx, "email = ? AND identity_id IS NULL", clean(email))
}

// ByID implements identity.Users.
func (r Users) ByID(ctx context.Context, id uuid.UUID) (*identity.User, error) {
	return r.find(ctx, "id = ?", id)
}

func (r Users) find(ctx context.Context, condition string, value any) (*identity.User, error) {
	var row userRow
	if err := r.s.handle(ctx).Take(&row, condition, value).Error; err != nil {
		return nil, found("user", err)
	}
	u := row.fromRow()
	return &u, nil
}

// ByIdentity implements identity.ProviderAccounts.
func (r Users) ByIdentity(ctx context.Context, user string) (*identity.User, error) {
	return r.find(ctx, "identity_id = ?", user)
}

// Put implements identity.ProviderAccounts.
func (r Users) Put(ctx context.Context, u *identity.User) error {
	r.s.stamp(&u.CreatedAt)
	r.s.stamp(&u.UpdatedAt)
	row := toUserRow(u)
	err := r.s.handle(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "identity_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"email", "name", "updated_at"}),
	}, clause.Returning{Columns: []clause.Column{{Name: "id"}}}).Create(&row).Error
	u.ID = row.ID
	return failed("store the user", err)
}

// Membership implements identity.ProviderAccounts.
func (r Users) Membership(ctx context.Context, user, organization string) (*identity.Membership, error) {
	var row membershipRow
	err := r.s.handle(ctx).Table("memberships AS m").
		Select("m.user_id, m.organization_id, m.role, m.created_at, m.last_used_at, m.checked_at").
		Joins("JOIN users AS u ON u.id = m.user_id").Joins("JOIN organizations AS o ON o.id = m.organization_id").
		Where("u.identity_id = ? AND o.identity_id = ?", user, organization).Take(&row).Error
	if err != nil {
		return nil, found("membership", err)
	}
	m := row.fromRow()
	return &m, nil
}

// Update implements identity.Users.
func (r Users) Update(ctx context.Context, id uuid.UUID, change func(*identity.User) error) (*identity.User, error) {
	var u identity.User
	err := r.s.inOne(ctx, func(ctx context.Context) error {
		var row userRow
		if err := r.s.handle(ctx).Clauses(lock).Take(&row, "id = ?", id).Error; err != nil {
			return found("user", err)
		}
		u = row.fromRow()
		before := u
		if err := change(&u); err != nil {
			return err
		}
		u.ID, u.IdentityID, u.CreatedAt = before.ID, before.IdentityID, before.CreatedAt
		r.s.touch(&u.UpdatedAt, before.UpdatedAt)
		row = toUserRow(&u)
		return failed("change the user", r.s.handle(ctx).Select("*").Updates(&row).Error)
	})
	if err != nil {
		return nil, err
	}
	return &u, nil
}

// Any implements identity.Users.
func (r Users) Any(ctx context.Context) (bool, error) {
	var any bool
	err := r.s.handle(ctx).Raw("SELECT EXISTS (SELECT 1 FROM users)").Scan(&any).Error
	return any, failed("look for users", err)
}

type membershipRow struct {
	UserID         uuid.UUID `gorm:"primaryKey"`
	OrganizationID uuid.UUID `gorm:"primaryKey"`
	Role           identity.Role
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	LastUsedAt     *time.Time
	CheckedAt      *time.Time
}

// TableName implements gorm's tabler.
func (membershipRow) TableName() string { return "memberships" }

func (r membershipRow) fromRow() identity.Membership {
	return identity.Membership{
		UserID: r.UserID, OrganizationID: r.OrganizationID, Role: r.Role,
		CreatedAt: instant(r.CreatedAt), LastUsedAt: fromOptionalTime(r.LastUsedAt), CheckedAt: fromOptionalTime(r.CheckedAt),
	}
}

// Memberships implements identity.Memberships.
type Memberships struct{ s *Store }

// Put implements identity.Memberships.
func (r Memberships) Put(ctx context.Context, m identity.Membership) error {
	r.s.stamp(&m.CreatedAt)
	row := membershipRow{
		UserID: m.UserID, OrganizationID: m.OrganizationID, Role: m.Role,
		CreatedAt: m.CreatedAt, LastUsedAt: optionalTime(m.LastUsedAt), CheckedAt: optionalTime(m.CheckedAt),
	}
	err := r.s.handle(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "user_id"}, {Name: "organization_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"role", "last_used_at", "checked_at"}),
	}).Create(&row).Error
	return failed("store the membership", err)
}

// Find implements identity.Memberships.
func (r Memberships) Find(ctx context.Context, user, organization uuid.UUID) (*identity.Membership, error) {
	var row membershipRow
	if err := r.s.handle(ctx).Take(&row, "user_id = ? AND organization_id = ?", user, organization).Error; err != nil {
		return nil, found("membership", err)
	}
	m := row.fromRow()
	return &m, nil
}

// OfUser implements identity.Memberships.
func (r Memberships) OfUser(ctx context.Context, user uuid.UUID) ([]identity.Membership, error) {
	var rows []membershipRow
	err := r.s.handle(ctx).Where("user_id = ?", user).
		Order("last_used_at IS NULL, last_used_at DESC, created_at, organization_id").Find(&rows).Error
	return mapped(rows, membershipRow.fromRow), failed("list a user's memberships", err)
}

// OfOrganization implements identity.Memberships.
func (r Memberships) OfOrganization(ctx context.Context, organization uuid.UUID) ([]identity.Member, error) {
	return r.members(ctx, organization, memberKey{}, -1)
}

// memberKey is the position of a member in the order of an organization's members. In a cursor
// the id comes first, because its length is fixed.
type memberKey struct {
	email string
	id    uuid.UUID
}

// List implements identity.Memberships.
func (r Memberships) List(ctx context.Context, organization uuid.UUID, p page.Request) (page.Of[identity.Member], error) {
	b := bind("members", organization).done()
	var after memberKey
	if p.After != "" {
		key, err := b.keyAfter(p.After, len(after.id))
		if err != nil {
			return page.Of[identity.Member]{}, err
		}
		after = memberKey{id: uuid.UUID(key[:len(after.id)]), email: string(key[len(after.id):])}
	}
	members, err := r.members(ctx, organization, after, p.Size()+1)
	if err != nil {
		return page.Of[identity.Member]{}, err
	}
	same := func(m identity.Member) identity.Member { return m }
	return pageOf(members, p.Size(), same, func(m identity.Member) string {
		return b.cursor(append(m.User.ID[:], m.User.Email...))
	}), nil
}

type memberRow struct {
	User userRow `gorm:"embedded"`
	Role identity.Role
}

func (r memberRow) fromRow() identity.Member {
	return identity.Member{User: r.User.fromRow(), Role: r.Role}
}

// members lists at most limit members after a position; a negative limit means no limit.
func (r Memberships) members(ctx context.Context, organization uuid.UUID, after memberKey, limit int) ([]identity.Member, error) {
	var rows []memberRow
	// The columns are named, because a cached plan of * fails when a release adds a column.
	err := r.s.handle(ctx).Table("users").
		Select("users.id, identity_id, email, name, password_hash, disabled, password_changed_at, users.created_at, updated_at, m.role").
		Joins("JOIN memberships AS m ON m.user_id = users.id").
		Where("m.organization_id = ? AND (users.email, users.id) > (?, ?)", organization, clean(after.email), after.id).
		Order("users.email, users.id").Limit(limit).Scan(&rows).Error
	return mapped(rows, memberRow.fromRow), failed("list the members", err)
}

// Remove implements identity.Memberships.
func (r Memberships) Remove(ctx context.Context, user, organization uuid.UUID) error {
	err := r.s.handle(ctx).Delete(&membershipRow{}, "user_id = ? AND organization_id = ?", user, organization).Error
	return failed("end the membership", err)
}

// Erase implements erasure.Accounts. The memberships and sessions refer to the account. The database
// deletes them with it.
func (r Users) Erase(ctx context.Context, id uuid.UUID) (organizations []uuid.UUID, unassigned []organization.Unassigned, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		var row userRow
		if err := r.s.handle(ctx).Clauses(lock).Take(&row, "id = ?", id).Error; err != nil {
			return found("user", err)
		}
		err := r.s.handle(ctx).Table("memberships").Where("user_id = ?", id).Order("organization_id").Pluck("organization_id", &organizations).Error
		if err != nil {
			return failed("find the memberships", err)
		}
		if err := r.s.handle(ctx).Delete(&entityMemberRow{}, "user_id = ?", id).Error; err != nil {
			return failed("end the roles on entities", err)
		}
		err = r.s.handle(ctx).Raw(`UPDATE invoices SET assigned_to = NULL, version = version + 1, updated_at = ? WHERE assigned_to = ?
			RETURNING organization_id, entity_id, id AS invoice_id, version`, instant(r.s.now()), id).Scan(&unassigned).Error
		if err != nil {
			return failed("end the assignments", err)
		}
		if row.IdentityID != nil {
			if err := r.s.deleteMessages(ctx, *row.IdentityID); err != nil {
				return err
			}
		}
		if err := r.s.deleteMessages(ctx, row.Email); err != nil {
			return err
		}
		return failed("delete the account", r.s.handle(ctx).Delete(&userRow{}, "id = ?", id).Error)
	})
	return organizations, unassigned, err
}
