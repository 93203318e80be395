package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

type sessionRow struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	UserID         uuid.UUID
	OrganizationID uuid.UUID
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	ExpiresAt      time.Time
}

// TableName implements gorm's tabler.
func (sessionRow) TableName() string { return "sessions" }

// Sessions implements identity.Sessions.
type Sessions struct{ s *Store }

// Add implements identity.Sessions.
func (r Sessions) Add(ctx context.Context, x identity.Session) error {
	r.s.stamp(&x.CreatedAt)
	row := sessionRow{
		ID: x.ID, UserID: x.UserID, OrganizationID: x.OrganizationID, CreatedAt: x.CreatedAt, ExpiresAt: instant(x.ExpiresAt),
	}
	return failed("store the session", r.s.handle(ctx).Create(&row).Error)
}

// Find implements identity.Sessions.
func (r Sessions) Find(ctx context.Context, id uuid.UUID) (*identity.Session, error) {
	x := identity.Session{ID: id}
	// Every request asks this: scanned by hand, it takes half the time.
	err := r.s.handle(ctx).Raw("SELECT user_id, organization_id, created_at, expires_at FROM sessions WHERE id = ?", id).
		Row().Scan(&x.UserID, &x.OrganizationID, &x.CreatedAt, &x.ExpiresAt)
	if err != nil {
		return nil, found("session", err)
	}
	x.CreatedAt, x.ExpiresAt = instant(x.CreatedAt), instant(x.ExpiresAt)
	return &x, nil
}

// Switch implements identity.Sessions.
func (r Sessions) Switch(ctx context.Context, id, organization uuid.UUID) error {
	done := r.s.handle(ctx).Model(&sessionRow{}).Where("id = ?", id).Update("organization_id", organization)
	if done.Error == nil && done.RowsAffected == 0 {
		return fault.Missing("session")
	}
	return failed("switch the session", done.Error)
}

// EndAll implements identity.Sessions.
func (r Sessions) EndAll(ctx context.Context, user uuid.UUID) error {
	return failed("end the sessions", r.s.handle(ctx).Delete(&sessionRow{}, "user_id = ?", user).Error)
}

// Expire removes sessions that have ended.
func (r Sessions) Expire(ctx context.Context, now time.Time) error {
	return failed("remove old sessions", r.s.handle(ctx).Delete(&sessionRow{}, "expires_at <= ?", instant(now)).Error)
}

type attemptRow struct {
	KeyHash  string `gorm:"primaryKey"`
	Attempts int
	EndsAt   time.Time
}

// TableName implements gorm's tabler.
func (attemptRow) TableName() string { return "sign_in_attempts" }

// Attempts implements identity.Attempts. Keys are kept as hashes: they may be
// of any length, and whose address was tried is nobody's business.
type Attempts struct{ s *Store }

// Count implements identity.Attempts.
func (r Attempts) Count(ctx context.Context, key string, window time.Duration, now time.Time) (int, time.Time, error) {
	now = instant(now)
	var row attemptRow
	err := r.s.handle(ctx).Raw(`INSERT INTO sign_in_attempts AS a (key_hash, attempts, ends_at) VALUES (?, 1, ?)
		ON CONFLICT (key_hash) DO UPDATE SET
			attempts = CASE WHEN a.ends_at <= ? THEN 1 ELSE a.attempts + 1 END,
			ends_at = CASE WHEN a.ends_at <= ? THEN excluded.ends_at ELSE a.ends_at END
		RETURNING attempts, ends_at`, hashed(key), instant(now.Add(window)), now, now).Scan(&row).Error
	if err != nil {
		return 0, time.Time{}, failed("count the attempt", err)
	}
	return row.Attempts, instant(row.EndsAt), nil
}

// Forget implements identity.Attempts.
func (r Attempts) Forget(ctx context.Context, key string) error {
	return failed("forget the attempts", r.s.handle(ctx).Delete(&attemptRow{}, "key_hash = ?", hashed(key)).Error)
}

// Expire removes windows that have ended.
func (r Attempts) Expire(ctx context.Context, now time.Time) error {
	return failed("remove old attempts", r.s.handle(ctx).Delete(&attemptRow{}, "ends_at <= ?", instant(now)).Error)
}

func hashed(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}
