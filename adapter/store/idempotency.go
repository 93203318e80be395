package store

import (
	"context"
	"errors"
	"time"

	"docledger/domain/idempotency"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

type idempotencyRow struct {
	OrganizationID uuid.UUID `gorm:"primaryKey"`
	Credential     string    `gorm:"primaryKey"`
	Operation      string    `gorm:"primaryKey"`
	Key            string    `gorm:"primaryKey"`
	Fingerprint    string
	Status         int
	Body           *[]byte
	ETag           string `gorm:"column:etag"`
	StartedAt      time.Time
	FinishedAt     *time.Time
}

// TableName implements gorm's tabler.
func (idempotencyRow) TableName() string { return "idempotency_keys" }

// Idempotency implements idempotency.Store.
type Idempotency struct{ s *Store }

const ofKey = "organization_id = ? AND credential = ? AND operation = ? AND key = ?"

func keyArgs(k idempotency.Key) []any {
	return []any{k.OrganizationID, clean(k.Credential), k.Operation, clean(k.Key)}
}

// Begin implements idempotency.Store.
func (r Idempotency) Begin(ctx context.Context, k idempotency.Key, now time.Time) (idempotency.State, *idempotency.Answer, error) {
	for {
		mine, err := r.claim(ctx, k, instant(now))
		if err != nil {
			return 0, nil, failed("claim the idempotency key", err)
		}
		if mine {
			return idempotency.Started, nil, nil
		}
		var row idempotencyRow
		err = r.s.handle(ctx).Where(ofKey, keyArgs(k)...).Take(&row).Error
		switch {
		case errors.Is(err, gorm.ErrRecordNotFound):
			continue // its owner abandoned it just now
		case err != nil:
			return 0, nil, failed("read the idempotency key", err)
		case row.FinishedAt == nil:
			return idempotency.Running, nil, nil
		}
		answer := &idempotency.Answer{Fingerprint: row.Fingerprint, Status: row.Status, ETag: row.ETag}
		if row.Body != nil {
			answer.Body = *row.Body
		}
		return idempotency.Finished, answer, nil
	}
}

// claim takes a key that is new, past its lifetime, or left behind.
func (r Idempotency) claim(ctx context.Context, k idempotency.Key, now time.Time) (bool, error) {
	done := r.s.handle(ctx).Exec(`INSERT INTO idempotency_keys AS i
			(organization_id, credential, operation, key, fingerprint, status, etag, started_at)
			VALUES (?, ?, ?, ?, '', 0, '', ?)
		ON CONFLICT (organization_id, credential, operation, key) DO UPDATE SET
			fingerprint = '', status = 0, body = NULL, etag = '', started_at = excluded.started_at, finished_at = NULL
		WHERE i.started_at <= ? OR (i.finished_at IS NULL AND i.started_at <= ?)`,
		append(keyArgs(k), now, instant(now.Add(-idempotency.Lifetime)), instant(now.Add(-idempotency.Lease)))...)
	return done.RowsAffected == 1, done.Error
}

// Finish implements idempotency.Store. The first answer stays.
func (r Idempotency) Finish(ctx context.Context, k idempotency.Key, a idempotency.Answer, now time.Time) error {
	err := r.s.handle(ctx).Model(&idempotencyRow{}).Where(ofKey, keyArgs(k)...).Where("finished_at IS NULL").
		Updates(map[string]any{
			"fingerprint": a.Fingerprint, "status": a.Status, "body": a.Body, "etag": a.ETag, "finished_at": instant(now),
		}).Error
	return failed("keep the answer", err)
}

// Abandon implements idempotency.Store.
func (r Idempotency) Abandon(ctx context.Context, k idempotency.Key) error {
	err := r.s.handle(ctx).Where(ofKey, keyArgs(k)...).Delete(&idempotencyRow{}, "finished_at IS NULL").Error
	return failed("free the idempotency key", err)
}

// Expire implements idempotency.Store.
func (r Idempotency) Expire(ctx context.Context, now time.Time) error {
	err := r.s.handle(ctx).Delete(&idempotencyRow{}, "started_at <= ?", instant(now.Add(-idempotency.Lifetime))).Error
	return failed("remove old idempotency keys", err)
}
