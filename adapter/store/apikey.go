package store

import (
	"context"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
)

type apiKeyRow struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	Name           string
	Role           identity.EntityRole
	EntityIDs      *jsonOf[[]uuid.UUID] `gorm:"column:entity_ids"`
	SecretHash     string
	Hint           string
	CreatedBy      uuid.UUID
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	ExpiresAt      time.Time
	LastUsedAt     *time.Time
	RevokedAt      *time.Time
	ExpiryNoted    bool
}

// TableName implements gorm's tabler.
func (apiKeyRow) TableName() string { return "api_keys" }

func (r apiKeyRow) fromRow() identity.APIKey {
	k := identity.APIKey{
		ID: r.ID, OrganizationID: r.OrganizationID, Name: r.Name, Role: r.Role, Hint: r.Hint, CreatedBy: r.CreatedBy,
		CreatedAt: instant(r.CreatedAt), ExpiresAt: instant(r.ExpiresAt), LastUsedAt: fromOptionalTime(r.LastUsedAt),
		RevokedAt: fromOptionalTime(r.RevokedAt),
	}
	if r.EntityIDs != nil {
		k.EntityIDs = r.EntityIDs.V
	}
	return k
}

// APIKeys implements identity.APIKeys.
type APIKeys struct{ s *Store }

// APIKeys returns the API keys.
func (s *Store) APIKeys() APIKeys { return APIKeys{s} }

// Add implements identity.APIKeys. The row of the organization is locked, so that
// concurrent calls cannot exceed the limit.
func (r APIKeys) Add(ctx context.Context, k *identity.APIKey, secret string) error {
	r.s.stamp(&k.CreatedAt)
	row := apiKeyRow{
		ID: k.ID, OrganizationID: k.OrganizationID, Name: clean(k.Name), Role: k.Role, SecretHash: hashed(secret), Hint: k.Hint,
		CreatedBy: k.CreatedBy, CreatedAt: instant(k.CreatedAt), ExpiresAt: instant(k.ExpiresAt),
		LastUsedAt: optionalTime(k.LastUsedAt), RevokedAt: optionalTime(k.RevokedAt),
	}
	if k.EntityIDs != nil {
		row.EntityIDs = &jsonOf[[]uuid.UUID]{k.EntityIDs}
	}
	return r.s.inOne(ctx, func(ctx context.Context) error {
		if err := r.s.lockOrganization(ctx, k.OrganizationID); err != nil {
			return err
		}
		var n int64
		usable := r.s.handle(ctx).Model(&apiKeyRow{}).
			Where("organization_id = ? AND revoked_at IS NULL AND expires_at > ?", k.OrganizationID, row.CreatedAt)
		if err := usable.Count(&n).Error; err != nil {
			return failed("count the API keys", err)
		}
		if n >= identity.MaxKeysPerOrganization {
			return fault.New(fault.Conflict, fault.CodeConflict,
				"The organization has %d API keys, which is the maximum. Revoke one that is no longer used.", n)
		}
		return failed("add the API key", r.s.handle(ctx).Create(&row).Error)
	})
}

// BySecret implements identity.APIKeys.
func (r APIKeys) BySecret(ctx context.Context, secret string) (*identity.APIKey, error) {
	return r.take(ctx, "secret_hash = ?", hashed(secret))
}

// ByID implements identity.APIKeys.
func (r APIKeys) ByID(ctx context.Context, organization, id uuid.UUID) (*identity.APIKey, error) {
	return r.take(ctx, "organization_id = ? AND id = ?", organization, id)
}

func (r APIKeys) take(ctx context.Context, condition string, values ...any) (*identity.APIKey, error) {
	var row apiKeyRow
	if err := r.s.handle(ctx).Where(condition, values...).Take(&row).Error; err != nil {
		return nil, found("API key", err)
	}
	k := row.fromRow()
	return &k, nil
}

// List implements identity.APIKeys. The ids of keys increase with time.
func (r APIKeys) List(ctx context.Context, organization uuid.UUID, p page.Request) (page.Of[identity.APIKey], error) {
	b := bind("api_keys", organization).done()
	after, err := b.idKey(p.After)
	if err != nil {
		return page.Of[identity.APIKey]{}, err
	}
	q := r.s.handle(ctx).Where("organization_id = ?", organization)
	if after != uuid.Nil {
		q = q.Where("id < ?", after)
	}
	var rows []apiKeyRow
	if err := q.Order("id DESC").Limit(p.Size() + 1).Find(&rows).Error; err != nil {
		return page.Of[identity.APIKey]{}, failed("list API keys", err)
	}
	return pageOf(rows, p.Size(), apiKeyRow.fromRow, func(row apiKeyRow) string { return b.cursor(row.ID[:]) }), nil
}

// Revoke implements identity.APIKeys.
func (r APIKeys) Revoke(ctx context.Context, organization, id uuid.UUID, now time.Time) (k *identity.APIKey, changed bool, err error) {
	done := r.s.handle(ctx).Model(&apiKeyRow{}).Where("organization_id = ? AND id = ? AND revoked_at IS NULL", organization, id).
		Update("revoked_at", instant(now))
	if done.Error != nil {
		return nil, false, failed("revoke the API key", done.Error)
	}
	k, err = r.ByID(ctx, organization, id)
	return k, done.RowsAffected > 0, err
}

// Used implements identity.APIKeys.
func (r APIKeys) Used(ctx context.Context, id uuid.UUID, now, least time.Time) error {
	return failed("record the use of the API key", r.s.handle(ctx).Model(&apiKeyRow{}).
		Where("id = ? AND (last_used_at IS NULL OR last_used_at < ?)", id, instant(least)).Update("last_used_at", instant(now)).Error)
}

// TakeExpiring implements identity.APIKeys.
func (r APIKeys) TakeExpiring(ctx context.Context, now, until time.Time) ([]identity.APIKey, error) {
	var rows []apiKeyRow
	err := r.s.handle(ctx).Raw(`UPDATE api_keys SET expiry_noted = ? WHERE expires_at > ? AND expires_at <= ? AND revoked_at IS NULL AND expiry_noted = ?
		RETURNING id, organization_id, expires_at`, true, instant(now), instant(until), false).Scan(&rows).Error
	return mapped(rows, apiKeyRow.fromRow), failed("find expiring API keys", err)
}
