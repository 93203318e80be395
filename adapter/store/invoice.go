package store

import (
	"context"
	"errors"
	"reflect"
	"time"

	"docledger/domain/duplicate"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/page"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// Invoices implements invoice.Repository.
type Invoices struct{ s *Store }

// Add implements invoice.Repository. Lines without an id get one.
func (r Invoices) Add(ctx context.Context, inv *invoice.Invoice) error {
	r.s.stamp(&inv.CreatedAt)
	r.s.stamp(&inv.UpdatedAt)
	inv.Version = max(inv.Version, 1)
	inv.LinesTotal = len(inv.Lines)
	row, lines, err := toInvoiceRows(inv)
	if err != nil {
		return err
	}
	return r.s.inOne(ctx, func(ctx context.Context) error {
		var filename, sha256 string
		var part int
		err := r.s.Conn(ctx).QueryRowContext(ctx, r.s.numbered("SELECT filename, sha256, part FROM documents WHERE id = ? AND organization_id = ?"),
			inv.DocumentID, inv.OrganizationID).Scan(&filename, &sha256, &part)
		if err != nil {
			return found("document", err)
		}
		row.SearchFile = folded(filename)
		keys := toDuplicateKeysRow(inv.OrganizationID, duplicate.Of(inv, duplicate.BytesKey(sha256, part)))
		return failed("add the invoice", r.add(ctx, row, keys, toTaxRows(inv), lines))
	})
}

// add stores the rows of a new invoice.
func (r Invoices) add(ctx context.Context, row invoiceRow, keys duplicateKeysRow, taxes []taxRow, lines []lineRow) error {
	invoices, err := insertionOf(ctx, r.s, []invoiceRow{row})
	if err != nil {
		return err
	}
	found, err := insertionOf(ctx, r.s, []duplicateKeysRow{keys})
	if err != nil {
		return err
	}
	ofTaxes, err := insertionsOf(ctx, r.s, taxes)
	if err != nil {
		return err
	}
	ofLines, err := insertionsOf(ctx, r.s, lines)
	if err == nil {
		_, err = r.s.insert(ctx, invoices, found, ofTaxes, ofLines)
	}
	return err
}

// Get implements invoice.Reader.
func (r Invoices) Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*invoice.Invoice, error) {
	var inv *invoice.Invoice
	err := r.s.inSnapshot(ctx, func(ctx context.Context) error {
		row, err := r.get(r.s.handle(ctx), s, id)
		if err != nil {
			return err
		}
		lines, err := r.lines(ctx, id, 0, invoice.FirstLines)
		if err != nil {
			return err
		}
		inv = row.fromRow(lines)
		if err := r.s.Duplicates().attach(ctx, s, inv); err != nil {
			return err
		}
		return r.s.Bookings().attach(ctx, inv)
	})
	if err != nil {
		return nil, err
	}
	return inv, nil
}

// revision selects what Invoices.Revision returns, up to the conditions.
const revision = "SELECT invoices.version, invoices.updated_at, b.updated_at, b.next_attempt_at, invoices.supplier_id, " + inPair +
	" FROM invoices LEFT JOIN invoice_syncs AS b ON b.invoice_id = invoices.id WHERE "

// Revision implements invoice.Reader.
func (r Invoices) Revision(ctx context.Context, s identity.Scope, id uuid.UUID) (invoice.Revision, error) {
	var stamp invoice.Revision
	var synced, next *time.Time
	var by *uuid.UUID
	var paired bool
	// Most reads of an invoice need only this, so that it does without gorm. Most invoices are in no
	// pair, so that a second statement is rare.
	condition, values := withinScope("invoices", s)
	err := r.s.Conn(ctx).QueryRowContext(ctx, r.s.numbered(revision+condition+" AND invoices.id = ?"), append(values, id)...).
		Scan(&stamp.Version, &stamp.UpdatedAt, &synced, &next, &by, &paired)
	if err != nil {
		return invoice.Revision{}, found("invoice", err)
	}
	stamp.UpdatedAt, stamp.SupplierID = instant(stamp.UpdatedAt), fromOptionalID(by)
	if synced != nil {
		stamp.SyncUpdatedAt = instant(*synced)
	}
	if next != nil {
		stamp.SyncNextAttemptAt = instant(*next)
	}
	if !paired {
		return stamp, nil
	}
	duplicates, err := r.s.Duplicates().of(ctx, s, s.OrganizationID, id)
	stamp.Duplicates = stampOf(duplicates)
	return stamp, err
}

func (r Invoices) get(q *gorm.DB, s identity.Scope, id uuid.UUID) (invoiceRow, error) {
	var row invoiceRow
	if err := r.s.within(q, "invoices", s).Take(&row, "invoices.id = ?", id).Error; err != nil {
		return row, found("invoice", err)
	}
	return row, nil
}

// lines returns at most limit lines after an ordinal; a negative limit means no limit.
func (r Invoices) lines(ctx context.Context, id uuid.UUID, after int64, limit int) ([]lineRow, error) {
	var rows []lineRow
	err := r.s.handle(ctx).Where("invoice_id = ? AND ordinal > ?", id, after).Order("ordinal").Limit(limit).Find(&rows).Error
	return rows, failed("read the invoice's lines", err)
}

// Lines implements invoice.Reader.
func (r Invoices) Lines(ctx context.Context, s identity.Scope, id uuid.UUID, p page.Request) (page.Of[invoice.ListedLine], error) {
	b := bind("lines", s.OrganizationID).with("invoice", id).done()
	after, err := b.numbersOf(p.After, 1)
	if err != nil {
		return page.Of[invoice.ListedLine]{}, err
	}
	var there []uuid.UUID
	if err := r.s.within(r.s.handle(ctx).Table("invoices"), "invoices", s).Where("id = ?", id).Pluck("id", &there).Error; err != nil {
		return page.Of[invoice.ListedLine]{}, failed("look up the invoice", err)
	}
	if len(there) == 0 {
		return page.Of[invoice.ListedLine]{}, fault.Missing("invoice")
	}
	rows, err := r.lines(ctx, id, after[0], p.Size()+1)
	if err != nil {
		return page.Of[invoice.ListedLine]{}, err
	}
	return pageOf(rows, p.Size(), lineRow.listed, func(l lineRow) string { return b.cursor(numbersKey(int64(l.Ordinal))) }), nil
}

// Update implements invoice.Repository. Like Get it returns the first lines.
func (r Invoices) Update(ctx context.Context, s identity.Scope, id uuid.UUID, ifVersion int, change func(*invoice.Invoice) error) (*invoice.Invoice, error) {
	var out *invoice.Invoice
	err := r.s.inOne(ctx, func(ctx context.Context) error {
		row, err := r.get(r.s.handle(ctx).Clauses(lock), s, id)
		if err != nil {
			return err
		}
		lines, err := r.lines(ctx, id, 0, -1)
		if err != nil {
			return err
		}
		inv := row.fromRow(lines)
		if err := r.s.Bookings().attach(ctx, inv); err != nil {
			return err
		}
		sync := inv.Sync
		if err := current(ifVersion, inv.Version); err != nil {
			return err
		}
		err = change(inv)
		if errors.Is(err, invoice.ErrUnchanged) {
			out = row.fromRow(lines[:min(len(lines), invoice.FirstLines)])
			out.Sync = sync
			return nil
		}
		if err != nil {
			return err
		}
		if out, err = r.store(ctx, row, lines, inv); err == nil {
			out.Sync = sync
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// store updates the rows of a changed invoice.
func (r Invoices) store(ctx context.Context, before invoiceRow, linesBefore []lineRow, inv *invoice.Invoice) (*invoice.Invoice, error) {
	was := before.Summary.fromRow()
	inv.ID, inv.DocumentID, inv.OrganizationID, inv.CreatedAt = was.ID, was.DocumentID, was.OrganizationID, was.CreatedAt
	inv.Version = was.Version + 1
	r.s.touch(&inv.UpdatedAt, was.UpdatedAt)
	row, lines, err := toInvoiceRows(inv)
	if err != nil {
		return nil, err
	}
	if err := save(r.s.handle(ctx), &row, "document_id", "organization_id", "created_at", "search_file"); err != nil {
		return nil, failed("change the invoice", err)
	}
	if err := r.replaceTaxes(ctx, inv); err != nil {
		return nil, err
	}
	if err := r.s.Duplicates().index(ctx, inv, ""); err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(lines, linesBefore) {
		if err := r.s.handle(ctx).Delete(&lineRow{}, "invoice_id = ?", inv.ID).Error; err != nil {
			return nil, failed("change the invoice's lines", err)
		}
		if err := r.addLines(ctx, lines); err != nil {
			return nil, err
		}
	}
	return row.fromRow(lines[:min(len(lines), invoice.FirstLines)]), nil
}

func (r Invoices) addLines(ctx context.Context, lines []lineRow) error {
	if len(lines) == 0 {
		return nil
	}
	in, err := insertionsOf(ctx, r.s, lines)
	if err == nil {
		_, err = r.s.insert(ctx, in)
	}
	return failed("store the invoice's lines", err)
}

// toInvoiceRows also gives ids to the lines without one.
func toInvoiceRows(inv *invoice.Invoice) (invoiceRow, []lineRow, error) {
	header, ofLine := splitEvidence(inv.Fields, len(inv.Lines))
	lines := make([]lineRow, len(inv.Lines))
	for i := range inv.Lines {
		if inv.Lines[i].ID == uuid.Nil {
			id, err := uuid.NewV7()
			if err != nil {
				return invoiceRow{}, nil, failed("make an id", err)
			}
			inv.Lines[i].ID = id
		}
		lines[i] = toLineRow(inv.ID, i+1, inv.Lines[i], ofLine[i])
	}
	return toInvoiceRow(inv, header), lines, nil
}
