package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
)

type sessionRow struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	UserID         uuid.UUID
	OrganizationID uuid.UUID
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	ExpiresAt      time.Time
	Generation     int
	Superseded     string // times in microseconds since 1970, latest first
	RefreshedAt    *time.Time
	ClientID       string
}

// TableName implements gorm's tabler.
func (sessionRow) TableName() string { return "sessions" }

func (r sessionRow) fromRow() identity.Session {
	return identity.Session{
		ID: r.ID, UserID: r.UserID, OrganizationID: r.OrganizationID, Generation: r.Generation, Superseded: fromMicros(r.Superseded),
		CreatedAt: instant(r.CreatedAt), RefreshedAt: fromOptionalTime(r.RefreshedAt), ExpiresAt: instant(r.ExpiresAt),
		ClientID: r.ClientID,
	}
}

func toSessionRow(x identity.Session) sessionRow {
	return sessionRow{
		ID: x.ID, UserID: x.UserID, OrganizationID: x.OrganizationID, Generation: x.Generation, Superseded: toMicros(x.Superseded),
		CreatedAt: instant(x.CreatedAt), RefreshedAt: optionalTime(x.RefreshedAt), ExpiresAt: instant(x.ExpiresAt),
		ClientID: clean(x.ClientID),
	}
}

// toMicros formats times as numbers separated by commas.
func toMicros(times []time.Time) string {
	texts := make([]string, len(times))
	for i, t := range times {
		texts[i] = strconv.FormatInt(t.UnixMicro(), 10)
	}
	return strings.Join(texts, ",")
}

// fromMicros parses the result of toMicros. An invalid time ends the list, so that an earlier
// generation is refused, never accepted.
func fromMicros(text string) (times []time.Time) {
	if text == "" {
		return nil
	}
	for one := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(one, 10, 64)
		if err != nil {
			return times
		}
		times = append(times, time.UnixMicro(n).UTC())
	}
	return times
}

// Sessions implements identity.Sessions.
type Sessions struct{ s *Store }

// Add implements identity.Sessions.
func (r Sessions) Add(ctx context.Context, x identity.Session) error {
	r.s.stamp(&x.CreatedAt)
	row := toSessionRow(x)
	return failed("store the session", r.s.handle(ctx).Create(&row).Error)
}

// Access implements identity.Sessions.
func (r Sessions) Access(ctx context.Context, id, organization uuid.UUID) (*identity.SessionAccess, error) {
	row := sessionRow{ID: id}
	var x identity.SessionAccess
	var checked *time.Time
	// Every request calls this, so that it does without gorm.
	err := r.s.Conn(ctx).QueryRowContext(ctx, `SELECT s.user_id, s.organization_id, s.created_at, s.expires_at, s.generation, s.superseded, s.refreshed_at, s.client_id,
			u.disabled, u.identity_id IS NOT NULL, COALESCE(m.role, ''), m.checked_at
		FROM sessions AS s JOIN users AS u ON u.id = s.user_id
		LEFT JOIN memberships AS m ON m.user_id = s.user_id AND m.organization_id = $1 WHERE s.id = $2`, organization, id).
		Scan(&row.UserID, &row.OrganizationID, &row.CreatedAt, &row.ExpiresAt, &row.Generation, &row.Superseded, &row.RefreshedAt, &row.ClientID,
			&x.Disabled, &x.Provider, &x.Role, &checked)
	if err != nil {
		return nil, found("session", err)
	}
	x.Session, x.CheckedAt = row.fromRow(), fromOptionalTime(checked)
	return &x, nil
}

// Update implements identity.Sessions.
func (r Sessions) Update(ctx context.Context, id uuid.UUID, change func(*identity.Session) error) (*identity.Session, error) {
	var x identity.Session
	err := r.s.inOne(ctx, func(ctx context.Context) error {
		var row sessionRow
		if err := r.s.handle(ctx).Clauses(lock).Take(&row, "id = ?", id).Error; err != nil {
			return found("session", err)
		}
		x = row.fromRow()
		if err := change(&x); err != nil {
			return err
		}
		row = toSessionRow(x)
		return failed("change the session", r.s.handle(ctx).
			Select("organization_id", "generation", "superseded", "refreshed_at").Updates(&row).Error)
	})
	if err != nil {
		return nil, err
	}
	return &x, nil
}

// OfUser implements identity.Sessions. The ids of sessions increase with time.
func (r Sessions) OfUser(ctx context.Context, user uuid.UUID, now time.Time, p page.Request) (page.Of[identity.Session], error) {
	b := bind("sessions", user).done()
	after, err := b.idKey(p.After)
	if err != nil {
		return page.Of[identity.Session]{}, err
	}
	q := r.s.handle(ctx).Where("user_id = ? AND expires_at > ?", user, instant(now))
	if after != uuid.Nil {
		q = q.Where("id < ?", after)
	}
	var rows []sessionRow
	if err := q.Order("id DESC").Limit(p.Size() + 1).Find(&rows).Error; err != nil {
		return page.Of[identity.Session]{}, failed("list sessions", err)
	}
	return pageOf(rows, p.Size(), sessionRow.fromRow, func(row sessionRow) string { return b.cursor(row.ID[:]) }), nil
}

// End implements identity.Sessions.
func (r Sessions) End(ctx context.Context, f identity.SessionFilter) ([]identity.Session, error) {
	sql, values := "DELETE FROM sessions WHERE user_id = ?", []any{f.UserID}
	if f.ID != uuid.Nil {
		sql, values = sql+" AND id = ?", append(values, f.ID)
	}
	if f.OrganizationID != uuid.Nil {
		sql, values = sql+" AND organization_id = ?", append(values, f.OrganizationID)
	}
	var rows []sessionRow
	err := r.s.handle(ctx).Raw(sql+" RETURNING id, user_id, organization_id, created_at, expires_at, generation, superseded, refreshed_at, client_id", values...).
		Scan(&rows).Error
	return mapped(rows, sessionRow.fromRow), failed("end sessions", err)
}

// Expire removes sessions that have ended.
func (r Sessions) Expire(ctx context.Context, now time.Time) error {
	return failed("remove old sessions", r.s.handle(ctx).Delete(&sessionRow{}, "expires_at <= ?", instant(now)).Error)
}

type attemptRow struct {
	KeyHash      string `gorm:"primaryKey"`
	Attempts     int
	EndsAt       time.Time
	BlockedUntil *time.Time
}

// TableName implements gorm's tabler.
func (attemptRow) TableName() string { return "sign_in_attempts" }

// Attempts implements identity.Attempts. Keys are stored as hashes, because they may have any
// length and may contain an address.
type Attempts struct{ s *Store }

// Get implements identity.Attempts.
func (r Attempts) Get(ctx context.Context, key string) (identity.Attempt, error) {
	var row attemptRow
	err := r.s.handle(ctx).Where("key_hash = ?", hashed(key)).Limit(1).Find(&row).Error
	return row.attempt(), failed("read the attempts", err)
}

func (r attemptRow) attempt() identity.Attempt {
	return identity.Attempt{Failures: r.Attempts, BlockedUntil: fromOptionalTime(r.BlockedUntil), EndsAt: instant(r.EndsAt)}
}

// Change implements identity.Attempts.
func (r Attempts) Change(ctx context.Context, key string, change func(*identity.Attempt) error) error {
	return r.s.inOne(ctx, func(ctx context.Context) error {
		row := attemptRow{KeyHash: hashed(key)}
		// The row must exist before it can be locked. Otherwise two concurrent first attempts
		// would not see each other.
		err := r.s.handle(ctx).Exec("INSERT INTO sign_in_attempts (key_hash, attempts, ends_at) VALUES (?, 0, ?) ON CONFLICT (key_hash) DO NOTHING",
			row.KeyHash, time.Unix(0, 0).UTC()).Error
		if err == nil {
			err = r.s.handle(ctx).Clauses(lock).Take(&row).Error
		}
		if err != nil {
			return failed("read the attempts", err)
		}
		x := row.attempt()
		if err := change(&x); err != nil {
			return err
		}
		row.Attempts, row.BlockedUntil, row.EndsAt = x.Failures, optionalTime(x.BlockedUntil), instant(x.EndsAt)
		return failed("store the attempts", r.s.handle(ctx).Select("*").Updates(&row).Error)
	})
}

// Counted implements identity.Attempts.
func (r Attempts) Counted(ctx context.Context, key string, now time.Time) (int, time.Time, error) {
	var row attemptRow
	err := r.s.handle(ctx).Where("key_hash = ? AND ends_at > ?", hashed(key), instant(now)).Limit(1).Find(&row).Error
	return row.Attempts, instant(row.EndsAt), failed("read the attempts", err)
}

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
