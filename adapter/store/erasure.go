package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"docledger/adapter/store/transfer"
	"docledger/domain/document"
	"docledger/domain/organization"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"
)

type erasureRow struct {
	OrganizationID uuid.UUID `gorm:"primaryKey"`
	Actor          string
	Counts         jsonOf[map[string]int64]
	StartedAt      time.Time
	FinishedAt     *time.Time
}

// TableName implements gorm's tabler.
func (erasureRow) TableName() string { return "erasures" }

// Erasures implements organization.Erasures.
type Erasures struct{ s *Store }

// Erasures returns the erasure of organizations.
func (s *Store) Erasures() Erasures { return Erasures{s} }

// Get implements organization.Erasures.
func (r Erasures) Get(ctx context.Context, id uuid.UUID) (*organization.Erasure, error) {
	var row erasureRow
	if err := r.s.handle(ctx).Take(&row, "organization_id = ?", id).Error; err != nil {
		return nil, found("erasure", err)
	}
	return &organization.Erasure{
		OrganizationID: row.OrganizationID, Actor: row.Actor, Counts: row.Counts.V,
		StartedAt: instant(row.StartedAt), FinishedAt: fromOptionalTime(row.FinishedAt),
	}, nil
}

// Begin implements organization.Erasures.
func (r Erasures) Begin(ctx context.Context, id uuid.UUID, actor string, now time.Time) error {
	return r.s.inOne(ctx, func(ctx context.Context) error {
		if err := r.requireNoHold(ctx, id); err != nil {
			return err
		}
		row := erasureRow{OrganizationID: id, Actor: actor, Counts: jsonOf[map[string]int64]{map[string]int64{}}, StartedAt: instant(now)}
		done := r.s.handle(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
		if done.Error != nil || done.RowsAffected == 0 {
			return failed("record the erasure", done.Error)
		}
		// The messages of the identity provider name the organization by this id only.
		var named []struct{ IdentityID *string }
		if err := r.s.handle(ctx).Table("organizations").Where("id = ?", id).Find(&named).Error; err != nil {
			return failed("read the organization", err)
		}
		if len(named) > 0 && named[0].IdentityID != nil {
			if err := r.s.deleteMessages(ctx, *named[0].IdentityID); err != nil {
				return err
			}
		}
		err := r.s.handle(ctx).Table("organizations").Where("id = ?", id).
			Updates(map[string]any{"inactive_since": instant(now), "identity_id": nil, "updated_at": instant(now)}).Error
		return failed("make the organization inactive", err)
	})
}

// requireNoHold locks the entities, so that a new hold waits for the transaction.
func (r Erasures) requireNoHold(ctx context.Context, id uuid.UUID) error {
	var rows []entityRow
	err := r.s.handle(ctx).Clauses(shared).Select("id", "legal_hold").Where("organization_id = ?", id).Order("id").Find(&rows).Error
	if err != nil {
		return failed("look for legal holds", err)
	}
	for _, e := range rows {
		if e.LegalHold {
			return organization.ErrHeld(e.ID)
		}
	}
	return nil
}

// exclusive selects the accounts that are members of one organization only.
const exclusive = `id IN (SELECT user_id FROM memberships WHERE organization_id = ?)
	AND NOT EXISTS (SELECT 1 FROM memberships AS other WHERE other.user_id = users.id AND other.organization_id <> ?)`

// Access implements organization.Erasures. The accounts end before the memberships that select them.
func (r Erasures) Access(ctx context.Context, id uuid.UUID) error {
	return r.s.inOne(ctx, func(ctx context.Context) error {
		counts := map[string]int64{}
		remove := func(table, condition string, values ...any) error {
			done := r.s.handle(ctx).Exec("DELETE FROM "+table+" WHERE "+condition, values...)
			counts[table] += done.RowsAffected
			return failed("end access", done.Error)
		}
		// Without its intake, an entity has no e-mail address.
		for _, table := range []string{"sessions", "api_keys", "links", "email_intakes"} {
			if err := remove(table, "organization_id = ?", id); err != nil {
				return err
			}
		}
		var accounts []uuid.UUID
		if err := r.s.handle(ctx).Table("users").Where(exclusive, id, id).Pluck("id", &accounts).Error; err != nil {
			return failed("find the accounts", err)
		}
		if err := remove("memberships", "organization_id = ?", id); err != nil {
			return err
		}
		for some := range slices.Chunk(accounts, batch) {
			if err := remove("users", "id IN ?", some); err != nil {
				return err
			}
		}
		return r.count(ctx, id, counts)
	})
}

// count adds to the counts of the proof.
func (r Erasures) count(ctx context.Context, id uuid.UUID, counts map[string]int64) error {
	var row erasureRow
	if err := r.s.handle(ctx).Clauses(lock).Take(&row, "organization_id = ?", id).Error; err != nil {
		return found("erasure", err)
	}
	if row.Counts.V == nil {
		row.Counts.V = map[string]int64{}
	}
	for table, n := range counts {
		if n > 0 {
			row.Counts.V[table] += n
		}
	}
	err := r.s.handle(ctx).Model(&erasureRow{}).Where("organization_id = ?", id).Update("counts", row.Counts).Error
	return failed("count erased rows", err)
}

// Documents implements organization.Erasures.
func (r Erasures) Documents(ctx context.Context, id uuid.UUID, limit int, now time.Time) (n int, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		if err := r.requireNoHold(ctx, id); err != nil {
			return err
		}
		var rows []documentRow
		err := r.s.handle(ctx).Clauses(lock).Where("organization_id = ? AND parent_id IS NULL", id).Order("id").Limit(limit).Find(&rows).Error
		if err != nil {
			return failed("find documents", err)
		}
		first := mapped(rows, func(d documentRow) uuid.UUID { return d.ID })
		for parents := first; len(parents) > 0; {
			var parts []documentRow
			err := r.s.handle(ctx).Where("organization_id = ? AND parent_id IN ?", id, parents).Order("id").Find(&parts).Error
			if err != nil {
				return failed("find parts", err)
			}
			rows = append(rows, parts...)
			parents = mapped(parts, func(d documentRow) uuid.UUID { return d.ID })
		}
		if n = len(rows); n == 0 {
			return nil
		}
		counts, err := r.countOf(ctx, id, mapped(rows, func(d documentRow) uuid.UUID { return d.ID }))
		if err != nil {
			return err
		}
		// The parts and the invoices refer to the documents. The database deletes them with these.
		if err := r.s.handle(ctx).Delete(&documentRow{}, "organization_id = ? AND id IN ?", id, first).Error; err != nil {
			return failed("delete documents", err)
		}
		blobs, err := r.s.Deletions().unused(ctx, mapped(rows, documentRow.fromRow))
		if err != nil {
			return err
		}
		if err := r.due(ctx, id, blobs, now); err != nil {
			return err
		}
		counts["blobs"] = int64(len(blobs))
		return r.count(ctx, id, counts)
	})
	return n, err
}

func (r Erasures) countOf(ctx context.Context, id uuid.UUID, documents []uuid.UUID) (map[string]int64, error) {
	counts := map[string]int64{"documents": int64(len(documents))}
	for some := range slices.Chunk(documents, batch) {
		var invoices int64
		err := r.s.handle(ctx).Table("invoices").Where("organization_id = ? AND document_id IN ?", id, some).Count(&invoices).Error
		if err != nil {
			return nil, failed("count invoices", err)
		}
		counts["invoices"] += invoices
	}
	return counts, nil
}

// due schedules the removal of blobs now, also of those that await the end of a grace period.
func (r Erasures) due(ctx context.Context, id uuid.UUID, blobs []string, now time.Time) error {
	if err := r.s.Removals().Schedule(ctx, id, blobs, now); err != nil {
		return err
	}
	for some := range slices.Chunk(blobs, batch) {
		err := r.s.handle(ctx).Model(&blobRemovalRow{}).Where("sha256 IN ? AND state = ?", some, document.BlobPending).Update("due_at", instant(now)).Error
		if err != nil {
			return failed("schedule the removal of blobs", err)
		}
	}
	return nil
}

// Rows implements organization.Erasures. Documents that arrived in the meantime are left to Documents,
// which schedules the removal of their blobs.
func (r Erasures) Rows(ctx context.Context, id uuid.UUID, limit int) (n int, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		for _, t := range transfer.OwnedTables() {
			if t.Table == "organizations" {
				continue
			}
			if t.Table == "documents" {
				var late int64
				if err := r.s.handle(ctx).Table("documents").Where("organization_id = ?", id).Limit(1).Count(&late).Error; err != nil {
					return failed("look for documents", err)
				}
				if n = int(late); n > 0 {
					return nil
				}
				continue
			}
			key := strings.Join(t.Key, ", ")
			done := r.s.handle(ctx).Exec("DELETE FROM "+t.Table+" WHERE ("+key+") IN (SELECT "+key+" FROM "+t.Table+" WHERE "+t.Condition+" LIMIT ?)", id, limit)
			if done.Error != nil {
				return failed("erase rows of "+t.Table, done.Error)
			}
			if n = int(done.RowsAffected); n > 0 {
				return r.count(ctx, id, map[string]int64{t.Table: done.RowsAffected})
			}
		}
		return nil
	})
	return n, err
}

// Finish implements organization.Erasures.
func (r Erasures) Finish(ctx context.Context, id uuid.UUID, now time.Time) error {
	return r.s.inOne(ctx, func(ctx context.Context) error {
		// Removals that awaited the end of a grace period are due now.
		err := r.s.handle(ctx).Model(&blobRemovalRow{}).Where("organization_id = ? AND state = ?", id, document.BlobPending).Update("due_at", instant(now)).Error
		if err != nil {
			return failed("schedule the removal of blobs", err)
		}
		var named []struct{ PaymentCustomerID *string }
		if err := r.s.handle(ctx).Table("organizations").Where("id = ?", id).Find(&named).Error; err != nil {
			return failed("read the organization", err)
		}
		if len(named) > 0 && named[0].PaymentCustomerID != nil {
			if err := r.s.deleteMessages(ctx, *named[0].PaymentCustomerID); err != nil {
				return err
			}
		}
		done := r.s.handle(ctx).Exec("DELETE FROM organizations WHERE id = ?", id)
		if done.Error != nil {
			return failed("delete the organization", done.Error)
		}
		if err := r.count(ctx, id, map[string]int64{"organizations": done.RowsAffected}); err != nil {
			return err
		}
		if !r.s.postgres {
			// The index of searches keeps parts of deleted texts until its segments are merged.
			if err := r.s.handle(ctx).Exec("INSERT INTO invoice_search (invoice_search) VALUES ('optimize')").Error; err != nil {
				return failed("clean the index of searches", err)
			}
		}
		err = r.s.handle(ctx).Model(&erasureRow{}).Where("organization_id = ? AND finished_at IS NULL", id).Update("finished_at", instant(now)).Error
		return failed("complete the erasure", err)
	})
}

// deleteMessages deletes the processed messages that contain an id or address.
func (s *Store) deleteMessages(ctx context.Context, name string) error {
	names := "position(convert_to(?, 'UTF8') in body) > 0"
	if !s.postgres {
		names = "instr(body, CAST(? AS blob)) > 0"
	}
	return failed("delete messages", s.handle(ctx).Where("done_at IS NOT NULL").Where(names, name).Delete(&inboxRow{}).Error)
}

// Clean implements organization.Erasures. Deleted content is overwritten in the file of SQLite
// (secure_delete), and its log has the former pages until it is emptied.
func (r Erasures) Clean(ctx context.Context) error {
	if r.s.postgres {
		return nil
	}
	var state struct{ Busy int }
	if err := r.s.handle(ctx).Raw("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&state).Error; err != nil {
		return failed("empty the log of the database", err)
	}
	if state.Busy != 0 {
		return organization.ErrLogInUse
	}
	return nil
}
