package store

import (
	"context"
	"slices"
	"time"

	"docledger/domain/document"
	"docledger/domain/identity"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type blobRemovalRow struct {
	SHA256         string `gorm:"column:sha256;primaryKey"`
	OrganizationID uuid.UUID
	State          document.BlobState
	DueAt          time.Time
}

// TableName implements gorm's tabler.
func (blobRemovalRow) TableName() string { return "blob_removals" }

// Deletions implements document.Deletions.
type Deletions struct{ s *Store }

// Deletions returns the deletion of documents.
func (s *Store) Deletions() Deletions { return Deletions{s} }

// whole returns the rows of a document and of its parts, under a lock if locked is true.
func (r Deletions) whole(ctx context.Context, s identity.Scope, id uuid.UUID, locked bool) ([]documentRow, error) {
	query := func() *gorm.DB {
		q := r.s.handle(ctx)
		if locked {
			q = q.Clauses(lock)
		}
		return q
	}
	var first documentRow
	if err := r.s.within(query(), "documents", s).Take(&first, "documents.id = ?", id).Error; err != nil {
		return nil, found("document", err)
	}
	rows := []documentRow{first}
	for parents := []uuid.UUID{id}; len(parents) > 0; {
		var parts []documentRow
		err := query().Where("organization_id = ? AND parent_id IN ?", s.OrganizationID, parents).Order("id").Find(&parts).Error
		if err != nil {
			return nil, failed("find the parts of the document", err)
		}
		rows = append(rows, parts...)
		parents = mapped(parts, func(d documentRow) uuid.UUID { return d.ID })
	}
	return rows, nil
}

func (r Deletions) invoicesOf(ctx context.Context, s identity.Scope, rows []documentRow) ([]uuid.UUID, error) {
	return r.s.Moves().Invoices(ctx, s.OrganizationID, mapped(rows, func(d documentRow) uuid.UUID { return d.ID }))
}

// Invoices implements document.Deletions.
func (r Deletions) Invoices(ctx context.Context, s identity.Scope, id uuid.UUID) ([]uuid.UUID, error) {
	rows, err := r.whole(ctx, s, id, false)
	if err != nil {
		return nil, err
	}
	return r.invoicesOf(ctx, s, rows)
}

// Expired implements document.Deletions. Only the periodic deletion by age uses it, so it has no
// scope.
func (r Deletions) Expired(ctx context.Context, before time.Time, after *document.Document, limit int) ([]document.Document, error) {
	q := r.s.handle(ctx).Where("documents.parent_id IS NULL AND documents.created_at < ?", instant(before)).
		Where("NOT EXISTS (SELECT 1 FROM entities WHERE entities.id = documents.entity_id AND entities.legal_hold)")
	if after != nil {
		at := instant(after.CreatedAt)
		q = q.Where("documents.created_at > ? OR documents.created_at = ? AND documents.id > ?", at, at, after.ID)
	}
	var rows []documentRow
	err := q.Order("documents.created_at, documents.id").Limit(limit).Find(&rows).Error
	return mapped(rows, documentRow.fromRow), failed("look for old documents", err)
}

// Remove implements document.Deletions.
func (r Deletions) Remove(ctx context.Context, s identity.Scope, id uuid.UUID) (out document.Removed, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		rows, err := r.whole(ctx, s, id, true)
		if err != nil {
			return err
		}
		if out.Invoices, err = r.invoicesOf(ctx, s, rows); err != nil {
			return err
		}
		out.Documents = mapped(rows, documentRow.fromRow)
		if err := r.clearValues(ctx, s.OrganizationID, out); err != nil {
			return err
		}
		// The parts and the invoices refer to the document. The database deletes them with it.
		if err := r.s.handle(ctx).Delete(&documentRow{}, "organization_id = ? AND id = ?", s.OrganizationID, id).Error; err != nil {
			return failed("delete the document", err)
		}
		out.Blobs, err = r.unused(ctx, out.Documents)
		return err
	})
	return out, err
}

// namedAtOnce is the number of ids that one query looks for in stored responses.
const namedAtOnce = 100

// clearValues removes the values of invoices from what refers to them without a foreign key: their
// events keep who did what and when, suppliers and reminders forget them, and stored responses are dropped.
func (r Deletions) clearValues(ctx context.Context, organization uuid.UUID, gone document.Removed) error {
	if len(gone.Invoices) > 0 {
		err := r.s.handle(ctx).Table("events").Where("organization_id = ? AND subject_id IN ?", organization, gone.Invoices).
			Updates(map[string]any{"changes": nil, "data": nil}).Error
		if err != nil {
			return failed("clear the values of events", err)
		}
		err = r.s.handle(ctx).Table("suppliers").Where("organization_id = ? AND last_invoice_id IN ?", organization, gone.Invoices).
			Update("last_invoice_id", nil).Error
		if err != nil {
			return failed("forget the invoice of a supplier", err)
		}
		if err := r.s.forgetRelated(ctx, organization, gone.Invoices); err != nil {
			return err
		}
	}
	ids := append(mapped(gone.Documents, func(d document.Document) uuid.UUID { return d.ID }), gone.Invoices...)
	names := "position(convert_to(?, 'UTF8') in body) > 0"
	if !r.s.postgres {
		names = "instr(body, CAST(? AS blob)) > 0"
	}
	// A query reads all stored responses of the organization, so it looks for many ids.
	for some := range slices.Chunk(ids, namedAtOnce) {
		named := r.s.db.Where(names, some[0].String())
		for _, id := range some[1:] {
			named = named.Or(names, id.String())
		}
		err := r.s.handle(ctx).Where("organization_id = ?", organization).Where(named).Delete(&idempotencyRow{}).Error
		if err != nil {
			return failed("drop stored responses", err)
		}
	}
	return nil
}

// unused removes the renditions of originals without a document, and returns the blobs that nothing
// refers to.
func (r Deletions) unused(ctx context.Context, gone []document.Document) (blobs []string, err error) {
	originals := mapped(gone, func(d document.Document) string { return d.SHA256 })
	slices.Sort(originals) // so that two deletions do not wait for each other
	for _, sha256 := range slices.Compact(originals) {
		if err := r.lockBytes(ctx, sha256); err != nil {
			return nil, err
		}
		var left int64
		if err := r.s.handle(ctx).Model(&documentRow{}).Where("sha256 = ?", sha256).Limit(1).Count(&left).Error; err != nil {
			return nil, failed("look for documents with the same bytes", err)
		}
		if left > 0 {
			continue
		}
		derived, err := r.s.Renditions().Remove(ctx, sha256)
		if err != nil {
			return nil, err
		}
		blobs = append(blobs, derived...)
		if err := r.s.handle(ctx).Table("renditions").Where("sha256 = ?", sha256).Limit(1).Count(&left).Error; err != nil {
			return nil, failed("look for renditions with the same bytes", err)
		}
		if left == 0 {
			blobs = append(blobs, sha256)
		}
	}
	return without(blobs, nil), nil
}

// lockBytes orders the deletions of documents with the same bytes, also of different organizations:
// otherwise each of two would see the document of the other, and the bytes would remain. SQLite has
// one writer, which the transaction already is.
func (r Deletions) lockBytes(ctx context.Context, sha256 string) error {
	if !r.s.postgres {
		return nil
	}
	err := r.s.handle(ctx).Exec("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", "docledger bytes "+sha256).Error
	return failed("wait for the deletion of the same bytes", err)
}

// Removals implements document.Removals.
type Removals struct{ s *Store }

// Removals returns the blobs that are to be removed.
func (s *Store) Removals() Removals { return Removals{s} }

// Schedule implements document.Removals.
func (r Removals) Schedule(ctx context.Context, organization uuid.UUID, blobs []string, after time.Time) error {
	if len(blobs) == 0 {
		return nil
	}
	rows := mapped(blobs, func(sha256 string) blobRemovalRow {
		return blobRemovalRow{SHA256: sha256, OrganizationID: organization, State: document.BlobPending, DueAt: instant(after)}
	})
	err := r.s.handle(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "sha256"}},
		DoUpdates: clause.AssignmentColumns([]string{"organization_id", "state", "due_at"}),
		// A blob that is being removed has no reference, so nothing more is to be removed.
		Where: clause.Where{Exprs: []clause.Expression{gorm.Expr("blob_removals.state <> 'REMOVING' AND (blob_removals.state = 'REMOVED' OR blob_removals.due_at < excluded.due_at)")}},
	}).CreateInBatches(&rows, batch).Error
	return failed("schedule the removal of blobs", err)
}

// Keep implements document.Removals. Each upload calls it, so it is one statement.
func (r Removals) Keep(ctx context.Context, sha256 string, after time.Time) (document.BlobState, error) {
	var states []document.BlobState
	err := r.s.handle(ctx).Raw(`UPDATE blob_removals SET due_at = CASE WHEN state = 'PENDING' AND due_at < ? THEN ? ELSE due_at END
		WHERE sha256 = ? RETURNING state`, instant(after), instant(after), sha256).Scan(&states).Error
	if err != nil || len(states) == 0 {
		return "", failed("postpone the removal of a blob", err)
	}
	return states[0], nil
}

const noReference = `NOT EXISTS (SELECT 1 FROM documents WHERE documents.sha256 = blob_removals.sha256)
	AND NOT EXISTS (SELECT 1 FROM renditions WHERE renditions.sha256 = blob_removals.sha256)`

// Claim implements document.Removals. Only one process runs it at a time.
func (r Removals) Claim(ctx context.Context, now time.Time, limit int) (blobs []string, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		var due []string
		err := r.s.handle(ctx).Model(&blobRemovalRow{}).Where("state = 'PENDING' AND due_at <= ?", instant(now)).
			Order("due_at, sha256").Limit(limit).Pluck("sha256", &due).Error
		if err != nil {
			return failed("find due blobs", err)
		}
		if len(due) > 0 {
			// The conditions are evaluated again, because a document can have been stored.
			pending := func() *gorm.DB {
				return r.s.handle(ctx).Model(&blobRemovalRow{}).Where("sha256 IN ? AND state = 'PENDING' AND due_at <= ?", due, instant(now))
			}
			if err := pending().Where(noReference).Update("state", document.BlobRemoving).Error; err != nil {
				return failed("claim blobs", err)
			}
			if err := pending().Delete(&blobRemovalRow{}).Error; err != nil {
				return failed("drop removals of blobs in use", err)
			}
		}
		err = r.s.handle(ctx).Model(&blobRemovalRow{}).Where("state = 'REMOVING'").Order("due_at, sha256").Limit(limit).Pluck("sha256", &blobs).Error
		return failed("list claimed blobs", err)
	})
	return blobs, err
}

// Done implements document.Removals.
func (r Removals) Done(ctx context.Context, sha256 string, now time.Time) error {
	err := r.s.handle(ctx).Model(&blobRemovalRow{}).Where("sha256 = ? AND state = 'REMOVING'", sha256).
		Updates(map[string]any{"state": document.BlobRemoved, "due_at": instant(now)}).Error
	return failed("record the removal of a blob", err)
}

// Forget implements document.Removals.
func (r Removals) Forget(ctx context.Context, before time.Time) error {
	err := r.s.handle(ctx).Delete(&blobRemovalRow{}, "state = 'REMOVED' AND due_at < ?", instant(before)).Error
	return failed("forget removed blobs", err)
}
