package store

import (
	"context"
	"errors"
	"time"

	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/job"
	"docledger/domain/ledgersync"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type bookingRow struct {
	InvoiceID      uuid.UUID `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	EntityID       uuid.UUID
	IntegrationID  uuid.UUID
	State          invoice.SyncState
	NextAttemptAt  *time.Time
	RemoteID       string
	Body           jsonOf[bookingBody]
	UpdatedAt      time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (bookingRow) TableName() string { return "invoice_syncs" }

func toBookingRow(b *ledgersync.Sync) bookingRow {
	return bookingRow{
		InvoiceID: b.InvoiceID, OrganizationID: b.OrganizationID, EntityID: b.EntityID, IntegrationID: b.IntegrationID,
		State: b.State, NextAttemptAt: optionalTime(b.NextAttemptAt), RemoteID: clean(b.RemoteID),
		Body: jsonOf[bookingBody]{toBookingBody(b)}, UpdatedAt: instant(b.UpdatedAt),
	}
}

func (r bookingRow) fromRow() ledgersync.Sync {
	b := ledgersync.Sync{InvoiceID: r.InvoiceID, OrganizationID: r.OrganizationID, EntityID: r.EntityID, UpdatedAt: instant(r.UpdatedAt)}
	r.Body.V.fill(&b)
	b.State, b.IntegrationID, b.NextAttemptAt, b.RemoteID = r.State, r.IntegrationID, fromOptionalTime(r.NextAttemptAt), r.RemoteID
	return b
}

// Bookings implements ledgersync.Repository.
type Bookings struct{ s *Store }

// AnyThrough reports whether an invoice of an organization was, or may have been, synced through
// an integration.
func (r Bookings) AnyThrough(ctx context.Context, organization, integration uuid.UUID) (bool, error) {
	var n int64
	err := r.s.handle(ctx).Model(&bookingRow{}).Where("organization_id = ? AND integration_id = ?", organization, integration).
		Where("remote_id <> '' OR state IN ?", []invoice.SyncState{invoice.SyncRunning, invoice.SyncChecking}).Limit(1).Count(&n).Error
	return n > 0, failed("look for invoices that were booked", err)
}

// Get implements ledgersync.Repository.
func (r Bookings) Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*ledgersync.Sync, error) {
	var row bookingRow
	if err := r.s.within(r.s.handle(ctx), "invoice_syncs", s).Take(&row, "invoice_id = ?", id).Error; err != nil {
		return nil, found("sync", err)
	}
	b := row.fromRow()
	return &b, nil
}

// of returns an invoice's sync; nil if there is none.
func (r Bookings) of(ctx context.Context, id uuid.UUID) (*ledgersync.Sync, error) {
	var row bookingRow
	err := r.s.handle(ctx).Take(&row, "invoice_id = ?", id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, failed("read the invoice's sync", err)
	}
	b := row.fromRow()
	return &b, nil
}

// attach adds the sync to an invoice.
func (r Bookings) attach(ctx context.Context, inv *invoice.Invoice) error {
	b, err := r.of(ctx, inv.ID)
	if b.IsRequested() {
		inv.Sync = &b.SyncView
	}
	return err
}

// Change implements ledgersync.Repository.
func (r Bookings) Change(
	ctx context.Context, s identity.Scope, id uuid.UUID,
	change func(*invoice.Invoice, *ledgersync.Sync) (*ledgersync.Sync, bool, error),
) (inv *invoice.Invoice, b *ledgersync.Sync, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		inv, err = r.s.Invoices().Update(ctx, s, id, 0, func(inv *invoice.Invoice) error {
			before, err := r.of(ctx, id)
			if err != nil {
				return err
			}
			changed := false
			if b, changed, err = change(inv, before); err != nil {
				return err
			}
			if err := r.store(ctx, inv, b); err != nil {
				return err
			}
			if !changed {
				return invoice.ErrUnchanged
			}
			return nil
		})
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if inv.Sync = nil; b.IsRequested() {
		inv.Sync = &b.SyncView
	}
	return inv, b, nil
}

func (r Bookings) store(ctx context.Context, inv *invoice.Invoice, b *ledgersync.Sync) error {
	if b == nil {
		return failed("remove the invoice's sync", r.s.handle(ctx).Delete(&bookingRow{}, "invoice_id = ?", inv.ID).Error)
	}
	// Each change has a distinct time, on which invoice.Revision depends.
	now := instant(r.s.now())
	if !now.After(b.UpdatedAt) {
		now = b.UpdatedAt.Add(time.Microsecond)
	}
	b.InvoiceID, b.OrganizationID, b.EntityID, b.UpdatedAt = inv.ID, inv.OrganizationID, inv.EntityID, now
	row := toBookingRow(b)
	return failed("store the invoice's sync", r.s.handle(ctx).Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error)
}

// Due implements ledgersync.Repository. Only the sweep uses it, so it has no scope.
func (r Bookings) Due(ctx context.Context, now, before time.Time, limit int) ([]ledgersync.Sync, error) {
	var rows []bookingRow
	// The first condition is a literal, so that the database can use the partial index.
	err := r.s.jobless(ctx, r.s.idText("invoice_syncs.invoice_id"), "InvoiceID", []string{job.Sync.Name}, func(q *gorm.DB) error {
		return q.Where("invoice_syncs.state IN ('QUEUED', 'RUNNING', 'CHECKING') AND invoice_syncs.next_attempt_at <= ?", instant(now)).
			Where("invoice_syncs.updated_at < ?", instant(before)).
			Order("invoice_syncs.next_attempt_at, invoice_syncs.invoice_id").Limit(limit).Find(&rows).Error
	})
	return mapped(rows, bookingRow.fromRow), failed("look for syncs that are due", err)
}

// Resume makes the next attempts of an entity's syncs due now, after the reason for the delay
// ended.
func (r Bookings) Resume(ctx context.Context, organization, entity uuid.UUID, now time.Time) error {
	err := r.s.handle(ctx).Exec(`UPDATE invoice_syncs SET next_attempt_at = ? WHERE organization_id = ? AND entity_id = ?
		AND state IN ('QUEUED', 'RUNNING', 'CHECKING') AND next_attempt_at > ?`, instant(now), organization, entity, instant(now)).Error
	return failed("resume the entity's syncs", err)
}

// Holder implements ledgersync.Repository.
func (r Bookings) Holder(ctx context.Context, organization, integration uuid.UUID, remote string) (uuid.UUID, error) {
	var rows []bookingRow
	err := r.s.handle(ctx).Where("organization_id = ? AND integration_id = ? AND remote_id <> '' AND remote_id = ?", organization, integration, clean(remote)).
		Order("invoice_id").Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return uuid.Nil, failed("look for the invoice of a bill", err)
	}
	return rows[0].InvoiceID, nil
}

// maxCorrected limits the number of earlier invoices with one number.
const maxCorrected = 10

// Corrected implements ledgersync.Repository.
func (r Bookings) Corrected(ctx context.Context, s identity.Scope, entity, integration uuid.UUID, seller invoice.Party, number string) ([]string, error) {
	var ids []string
	q := r.s.within(r.s.handle(ctx).Table("invoices"), "invoices", s).
		Joins("JOIN invoice_syncs AS b ON b.invoice_id = invoices.id").
		Where("invoices.entity_id = ? AND invoices.type = ? AND invoices.number = ?", entity, invoice.TypeInvoice, clean(number)).
		Where("b.integration_id = ? AND b.remote_id <> ''", integration).
		Where("((invoices.seller_tax_id <> '' AND invoices.seller_tax_id = ?) OR (invoices.seller_name <> '' AND invoices.seller_name = ?))",
			clean(seller.TaxID), clean(seller.Name))
	err := q.Order("invoices.id").Limit(maxCorrected).Pluck("b.remote_id", &ids).Error
	return ids, failed("look for corrected invoices", err)
}
