// Package export writes invoices as CSV, JSON Lines and ZIP (domain D9).
package export

import (
	"strconv"
	"strings"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// kind is the kind of a value. It decides how a format writes the value.
type kind int

const (
	text    kind = iota // text of a document or person, which is never trusted
	fixed               // an id, a date or a code of docledger
	decimal             // an exact decimal
	integer
)

// value is one value of a row. An empty value is no value.
type value struct {
	kind kind
	text string
}

func textOf(s string) value  { return value{text, s} }
func fixedOf(s string) value { return value{fixed, s} }
func intOf(n int) value      { return value{integer, strconv.Itoa(n)} }

func idOf(id uuid.UUID) value {
	if id == uuid.Nil {
		return value{kind: fixed}
	}
	return value{fixed, id.String()}
}

func dayOf(d calendar.Date) value  { return value{fixed, d.String()} }
func timeOf(t time.Time) value     { return value{fixed, t.UTC().Format(time.RFC3339)} }
func plain(d *money.Decimal) value { return value{decimal, invoice.Show(d)} }

// signed is an amount that is negative for credit notes (domain D13).
func signed(t invoice.Type, d *money.Decimal) value {
	if d != nil && t == invoice.TypeCreditNote {
		negative := d.Neg()
		d = &negative
	}
	return plain(d)
}

// names are the names of the columns by kind of row.
var names = map[invoice.ExportRows][]string{
	invoice.ExportInvoices: strings.Fields(`id external_id entity_id document_id status document_type invoice_number issue_date due_date
		currency supplier_id seller_name seller_tax_id buyer_name buyer_tax_id net_total tax_total gross_total amount_due
		failed_blocking failed_warning sync_state assigned_to version created_at updated_at`),
	invoice.ExportLines: append(strings.Fields(shared), strings.Fields(`line_id position description quantity unit unit_price
		price_base_quantity net_amount tax_category tax_rate account_id tax_rate_id`)...),
	invoice.ExportTaxes: append(strings.Fields(shared), strings.Fields(`tax_category tax_rate base amount`)...),
}

// shared are the columns of an invoice in the rows of its lines and taxes.
const shared = `invoice_id external_id entity_id status document_type invoice_number issue_date currency supplier_id seller_name seller_tax_id`

// valuesOf returns the rows of an invoice, in the order of names.
func valuesOf(rows invoice.ExportRows, e *invoice.Exported) [][]value {
	switch rows {
	case invoice.ExportLines:
		out := make([][]value, len(e.Lines))
		for i := range e.Lines {
			l := &e.Lines[i]
			out[i] = append(head(e), idOf(l.ID), intOf(l.Position), textOf(l.Description), plain(l.Quantity), textOf(l.Unit),
				plain(l.UnitPrice), plain(l.PriceBase), signed(e.Type, l.NetAmount), textOf(l.TaxCategory), plain(l.TaxRate),
				textOf(l.AccountID), textOf(l.TaxRateID))
		}
		return out
	case invoice.ExportTaxes:
		out := make([][]value, len(e.Taxes))
		for i, t := range e.Taxes {
			out[i] = append(head(e), textOf(t.Category), plain(t.Rate), signed(e.Type, t.Base), signed(e.Type, t.Amount))
		}
		return out
	default:
		return [][]value{{
			idOf(e.ID), textOf(e.ExternalID), idOf(e.EntityID), idOf(e.DocumentID), fixedOf(string(e.Status)), fixedOf(string(e.Type)),
			textOf(e.Number), dayOf(e.IssueDate), dayOf(e.DueDate), textOf(e.Currency), idOf(e.SupplierID), textOf(e.SellerName),
			textOf(e.SellerTaxID), textOf(e.BuyerName), textOf(e.BuyerTaxID), signed(e.Type, e.NetTotal), signed(e.Type, e.TaxTotal),
			signed(e.Type, e.GrossTotal), signed(e.Type, e.AmountDue), intOf(e.FailedBlocking), intOf(e.FailedWarning),
			fixedOf(string(e.SyncState)), idOf(e.AssignedTo), intOf(e.Version), timeOf(e.CreatedAt), timeOf(e.UpdatedAt),
		}}
	}
}

func head(e *invoice.Exported) []value {
	return []value{
		idOf(e.ID), textOf(e.ExternalID), idOf(e.EntityID), fixedOf(string(e.Status)), fixedOf(string(e.Type)), textOf(e.Number),
		dayOf(e.IssueDate), textOf(e.Currency), idOf(e.SupplierID), textOf(e.SellerName), textOf(e.SellerTaxID),
	}
}
