package store

import (
	"context"
	"errors"
	"time"

	"docledger/domain/fault"
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
	Owner          uuid.UUID
	Reserved       uuid.UUID
	Body           *[]byte
	ETag           string `gorm:"column:etag"`
	StartedAt      time.Time
	LeasedUntil    time.Time
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
func (r Idempotency) Begin(ctx context.Context, k idempotency.Key, fingerprint string, now time.Time) (idempotency.Claim, error) {
	owner, err1 := uuid.NewV7()
	reserved, err2 := uuid.NewV7()
	if err := errors.Join(err1, err2); err != nil {
		return idempotency.Claim{}, err
	}
	for {
		claim, mine, err := r.claim(ctx, k, fingerprint, owner, reserved, instant(now))
		if err != nil {
			// The claim may be stored although its result was lost. The next request with the
			// key must not wait until the lease ends.
			return claim, errors.Join(failed("claim the idempotency key", err), r.Abandon(ctx, k, owner))
		}
		if mine {
			return claim, nil
		}
		var row idempotencyRow
		err = r.s.handle(ctx).Where(ofKey, keyArgs(k)...).Take(&row).Error
		switch {
		case errors.Is(err, gorm.ErrRecordNotFound):
			continue // it expired a moment ago
		case err != nil:
			return claim, failed("read the idempotency key", err)
		case row.FinishedAt == nil && row.LeasedUntil.After(now):
			return idempotency.Claim{State: idempotency.Running}, nil
		case row.FinishedAt == nil:
			return idempotency.Claim{State: idempotency.Other}, nil
		}
		answer := &idempotency.Answer{Fingerprint: row.Fingerprint, ETag: row.ETag}
		if row.Body != nil {
			answer.Body = *row.Body
		}
		return idempotency.Claim{State: idempotency.Finished, Answer: answer}, nil
	}
}

// claim acquires a key that is new, expired, or abandoned by a request with the same fingerprint.
// An abandoned key keeps its reserved id.
func (r Idempotency) claim(
	ctx context.Context, k idempotency.Key, fingerprint string, owner, reserved uuid.UUID, now time.Time,
) (c idempotency.Claim, mine bool, err error) {
	expired := instant(now.Add(-idempotency.Lifetime))
	var rows []idempotencyRow
	err = r.s.handle(ctx).Raw(`INSERT INTO idempotency_keys AS i
			(organization_id, credential, operation, key, fingerprint, owner, reserved, etag, started_at, leased_until)
			VALUES (?, ?, ?, ?, ?, ?, ?, '', ?, ?)
		ON CONFLICT (organization_id, credential, operation, key) DO UPDATE SET
			fingerprint = excluded.fingerprint, owner = excluded.owner, leased_until = excluded.leased_until,
			reserved = CASE WHEN i.started_at <= ? THEN excluded.reserved ELSE i.reserved END,
			started_at = CASE WHEN i.started_at <= ? THEN excluded.started_at ELSE i.started_at END,
			body = NULL, etag = '', finished_at = NULL
		WHERE i.started_at <= ? OR (i.finished_at IS NULL AND i.leased_until <= ?
			AND (i.fingerprint = excluded.fingerprint OR i.fingerprint = '' OR excluded.fingerprint = ''))
		RETURNING owner, reserved`,
		append(keyArgs(k), fingerprint, owner, reserved, now, instant(now.Add(idempotency.Lease)), expired, expired, expired, now)...).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return c, false, err
	}
	return idempotency.Claim{State: idempotency.Started, Owner: rows[0].Owner, Reserved: rows[0].Reserved}, true, nil
}

// owned are the columns of a key that its owner still has.
func (r Idempotency) owned(ctx context.Context, k idempotency.Key, owner uuid.UUID) *gorm.DB {
	return r.s.handle(ctx).Model(&idempotencyRow{}).Where(ofKey, keyArgs(k)...).Where("owner = ? AND finished_at IS NULL", owner)
}

// Extend implements idempotency.Store.
func (r Idempotency) Extend(ctx context.Context, k idempotency.Key, owner uuid.UUID, now time.Time) error {
	err := r.owned(ctx, k, owner).Update("leased_until", instant(now.Add(idempotency.Lease))).Error
	return failed("hold the idempotency key", err)
}

// Finish implements idempotency.Store.
func (r Idempotency) Finish(ctx context.Context, k idempotency.Key, owner uuid.UUID, a idempotency.Answer, now time.Time) error {
	err := r.persist(ctx, func(ctx context.Context) error {
		return r.owned(ctx, k, owner).Updates(map[string]any{
			"fingerprint": a.Fingerprint, "body": a.Body, "etag": a.ETag, "finished_at": instant(now),
		}).Error
	})
	return failed("keep the answer", err)
}

// Abandon implements idempotency.Store. The row is kept, including the id that the next request
// gives to the resource that it creates.
func (r Idempotency) Abandon(ctx context.Context, k idempotency.Key, owner uuid.UUID) error {
	err := r.persist(ctx, func(ctx context.Context) error {
		return r.owned(ctx, k, owner).Update("leased_until", time.Unix(0, 0).UTC()).Error
	})
	return failed("free the idempotency key", err)
}

const (
	persistTries   = 6
	persistTimeout = 3 * time.Second
)

// persist repeats a statement while the database is unavailable, because a key that keeps its lease
// refuses the repeated request of its caller for minutes. It does not end with the request. The
// statement must have the same effect when it runs twice.
func (r Idempotency) persist(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), persistTimeout)
	defer cancel()
	pause := 10 * time.Millisecond
	for try := 1; ; try++ {
		err := do(ctx)
		if err == nil {
			return nil
		}
		if f, ok := fault.As(translate(err)); try == persistTries || !ok || f.Kind != fault.Unavailable {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
			pause *= 2
		}
	}
}

// Expire implements idempotency.Store.
func (r Idempotency) Expire(ctx context.Context, now time.Time) error {
	err := r.s.handle(ctx).Delete(&idempotencyRow{}, "started_at <= ?", instant(now.Add(-idempotency.Lifetime))).Error
	return failed("remove old idempotency keys", err)
}
