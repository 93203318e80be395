package store

import (
	"context"
	"strconv"
	"time"

	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

const (
	// exportPage is the number of invoices that an export reads at a time.
	exportPage = 1000
	// exportLines is the number of lines that an export reads at a time, unless one invoice has
	// more.
	exportLines = 10_000
)

// exportRow is the summary of an invoice with what only exports need.
type exportRow struct {
	Summary    summaryRow `gorm:"embedded"`
	LinesTotal int
	SupplierID *uuid.UUID
}

// Export implements invoice.Exporter.
func (r Invoices) Export(
	ctx context.Context, s identity.Scope, f invoice.Filter, rows invoice.ExportRows, limit time.Duration, visit func([]invoice.Exported) error,
) error {
	after, more := uuid.Nil, true
	for more {
		var found []invoice.Exported
		read, end := context.WithTimeout(ctx, limit)
		err := r.s.inSnapshot(read, func(ctx context.Context) (err error) {
			found, more, err = r.exported(ctx, s, f, rows, after)
			return err
		})
		end()
		if err != nil || len(found) == 0 {
			return err
		}
		after = found[len(found)-1].ID
		if err := visit(found); err != nil {
			return err
		}
	}
	return nil
}

// exported returns the invoices after an id, and whether there are more.
func (r Invoices) exported(
	ctx context.Context, s identity.Scope, f invoice.Filter, with invoice.ExportRows, after uuid.UUID,
) (found []invoice.Exported, more bool, err error) {
	var rows []exportRow
	err = r.s.list(r.s.handle(ctx).Model(&invoiceRow{}), listing{
		table: "invoices", key: "id", order: "%s.id", scope: s, entity: f.EntityID, limit: exportPage,
		narrow: func(q *gorm.DB, t string) *gorm.DB {
			q = r.s.narrowInvoices(q, t, f)
			if after != uuid.Nil {
				q = q.Where(t+".id > ?", after)
			}
			return q
		},
	}).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, false, failed("export invoices", err)
	}
	more = len(rows) == exportPage
	if with == invoice.ExportLines {
		lines := 0
		for i, row := range rows {
			if lines += row.LinesTotal; lines > exportLines && i > 0 {
				rows, more = rows[:i], true
				break
			}
		}
	}
	summaries := mapped(rows, func(row exportRow) invoice.Summary { return row.Summary.fromRow() })
	if err := r.syncStates(ctx, summaries); err != nil {
		return nil, false, err
	}
	found = make([]invoice.Exported, len(rows))
	at := make(map[uuid.UUID]*invoice.Exported, len(rows))
	for i, summary := range summaries {
		found[i] = invoice.Exported{Summary: summary, SupplierID: fromOptionalID(rows[i].SupplierID)}
		at[summary.ID] = &found[i]
	}
	switch with {
	case invoice.ExportLines:
		err = r.exportLines(ctx, at)
	case invoice.ExportTaxes:
		err = r.exportTaxes(ctx, at)
	}
	return found, more, err
}

// exportLines adds all lines to invoices. The evidence of lines is not read.
func (r Invoices) exportLines(ctx context.Context, at map[uuid.UUID]*invoice.Exported) error {
	var rows []lineRow
	err := r.s.handle(ctx).Omit("evidence").Where("invoice_id IN ?", keysOf(at)).Order("invoice_id, ordinal").Find(&rows).Error
	for _, row := range rows {
		at[row.InvoiceID].Lines = append(at[row.InvoiceID].Lines, row.fromRow())
	}
	return failed("export lines", err)
}

// exportTaxes adds the tax breakdown to invoices.
func (r Invoices) exportTaxes(ctx context.Context, at map[uuid.UUID]*invoice.Exported) error {
	var rows []taxRow
	err := r.s.handle(ctx).Where("invoice_id IN ?", keysOf(at)).Order("invoice_id, ordinal").Find(&rows).Error
	if err != nil {
		return failed("export taxes", err)
	}
	for _, row := range rows {
		tax := invoice.Tax{Category: row.Category, Rate: (*money.Decimal)(row.Rate)}
		for from, to := range map[*int64]**money.Decimal{row.BaseFixed: &tax.Base, row.AmountFixed: &tax.Amount} {
			if from == nil {
				continue
			}
			if *to, err = fromFixed(strconv.FormatInt(*from, 10)); err != nil {
				return err
			}
		}
		at[row.InvoiceID].Taxes = append(at[row.InvoiceID].Taxes, tax)
	}
	return nil
}

func keysOf(at map[uuid.UUID]*invoice.Exported) []uuid.UUID {
	ids := make([]uuid.UUID, 0, len(at))
	for id := range at {
		ids = append(ids, id)
	}
	return ids
}
