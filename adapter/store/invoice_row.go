package store

import (
	"regexp"
	"strconv"
	"time"

	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// summaryRow holds the columns that lists show and filter by.
type summaryRow struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	DocumentID     uuid.UUID
	EntityID       uuid.UUID
	OrganizationID uuid.UUID
	Status         invoice.Status
	Type           invoice.Type
	Number         string
	IssueDate      *day
	DueDate        *day
	Currency       string
	SellerName     string
	SellerTaxID    string
	BuyerName      string
	BuyerTaxID     string
	NetTotal       *number
	TaxTotal       *number
	GrossTotal     *number
	AmountDue      *number
	FailedBlocking int
	FailedWarning  int
	ExternalID     string
	AssignedTo     *uuid.UUID
	Version        int
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt      time.Time `gorm:"autoUpdateTime:false"`
}

// invoiceRow is an invoice without its lines. What no query needs is in Body.
type invoiceRow struct {
	Summary    summaryRow `gorm:"embedded"`
	LinesTotal int
	NetFixed   *int64
	TaxFixed   *int64
	GrossFixed *int64
	DueFixed   *int64
	Search     string
	SearchFile string
	// FailedChecks is ",rule,rule," with each rule once; "" if no check failed.
	FailedChecks string
	// SupplierID is null if it is not determined, and the zero id if the invoice identifies none.
	SupplierID *uuid.UUID
	Body       jsonOf[invoiceBody]
}

// TableName implements gorm's tabler.
func (invoiceRow) TableName() string { return "invoices" }

type lineRow struct {
	ID            uuid.UUID `gorm:"primaryKey"`
	InvoiceID     uuid.UUID
	Ordinal       int // the place in the invoice, from 1
	Position      int
	Description   string
	Quantity      *number
	Unit          string
	UnitPrice     *number
	PriceBase     *number
	NetAmount     *number
	NetFixed      *int64
	TaxRate       *number
	TaxCategory   string
	AccountID     string
	AccountSource invoice.CodingSource
	TaxRateID     string
	TaxSource     invoice.CodingSource
	Evidence      *jsonOf[map[string]evidenceJSON] // by what follows `lines[i]` in the path
}

// TableName implements gorm's tabler.
func (lineRow) TableName() string { return "invoice_lines" }

func (r summaryRow) fromRow() invoice.Summary {
	return invoice.Summary{
		ID: r.ID, DocumentID: r.DocumentID, EntityID: r.EntityID, OrganizationID: r.OrganizationID,
		Status: r.Status, Type: r.Type, Number: r.Number,
		IssueDate: fromOptionalDay(r.IssueDate), DueDate: fromOptionalDay(r.DueDate), Currency: r.Currency,
		SellerName: r.SellerName, SellerTaxID: r.SellerTaxID, BuyerName: r.BuyerName, BuyerTaxID: r.BuyerTaxID,
		NetTotal: (*money.Decimal)(r.NetTotal), TaxTotal: (*money.Decimal)(r.TaxTotal),
		GrossTotal: (*money.Decimal)(r.GrossTotal), AmountDue: (*money.Decimal)(r.AmountDue),
		FailedBlocking: r.FailedBlocking, FailedWarning: r.FailedWarning, ExternalID: r.ExternalID, AssignedTo: fromOptionalID(r.AssignedTo), Version: r.Version,
		CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
}

func toInvoiceRow(inv *invoice.Invoice, header map[string]invoice.Evidence) invoiceRow {
	blocking, warning := inv.Failed()
	return invoiceRow{
		Summary: summaryRow{
			ID: inv.ID, DocumentID: inv.DocumentID, EntityID: inv.EntityID, OrganizationID: inv.OrganizationID,
			Status: inv.Status, Type: inv.Type, Number: clean(inv.Number),
			IssueDate: optionalDay(inv.IssueDate), DueDate: optionalDay(inv.DueDate), Currency: clean(inv.Currency),
			SellerName: clean(inv.Seller.Name), SellerTaxID: clean(inv.Seller.TaxID),
			BuyerName: clean(inv.Buyer.Name), BuyerTaxID: clean(inv.Buyer.TaxID),
			NetTotal: (*number)(inv.NetTotal), TaxTotal: (*number)(inv.TaxTotal),
			GrossTotal: (*number)(inv.GrossTotal), AmountDue: (*number)(inv.AmountDue),
			FailedBlocking: blocking, FailedWarning: warning, ExternalID: clean(inv.ExternalID), AssignedTo: optionalID(inv.AssignedTo), Version: inv.Version,
			CreatedAt: inv.CreatedAt, UpdatedAt: inv.UpdatedAt,
		},
		LinesTotal: len(inv.Lines),
		NetFixed:   fixed(inv.NetTotal), TaxFixed: fixed(inv.TaxTotal), GrossFixed: fixed(inv.GrossTotal), DueFixed: fixed(inv.AmountDue),
		// A line feed is in no search, so that none matches across two values.
		Search:       folded(inv.Number) + "\n" + folded(inv.Seller.Name) + "\n" + folded(inv.PurchaseOrder),
		FailedChecks: failedChecks(inv.Checks),
		SupplierID:   optionalID(inv.SupplierID),
		Body:         jsonOf[invoiceBody]{toInvoiceBody(inv, header)},
	}
}

// fromRow returns the invoice with the given lines.
func (r invoiceRow) fromRow(lines []lineRow) *invoice.Invoice {
	s := r.Summary.fromRow()
	inv := &invoice.Invoice{
		ID: s.ID, DocumentID: s.DocumentID, EntityID: s.EntityID, OrganizationID: s.OrganizationID,
		Status: s.Status, LinesTotal: r.LinesTotal, Version: s.Version, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
	r.Body.V.fill(inv)
	inv.SupplierID, inv.ExternalID, inv.AssignedTo = fromOptionalID(r.SupplierID), s.ExternalID, s.AssignedTo
	inv.Type, inv.Number, inv.IssueDate, inv.DueDate, inv.Currency = s.Type, s.Number, s.IssueDate, s.DueDate, s.Currency
	inv.NetTotal, inv.TaxTotal, inv.GrossTotal, inv.AmountDue = s.NetTotal, s.TaxTotal, s.GrossTotal, s.AmountDue
	inv.Lines = mapped(lines, lineRow.fromRow)
	for i, line := range lines {
		if line.Evidence == nil {
			continue
		}
		if inv.Fields == nil {
			inv.Fields = map[string]invoice.Evidence{}
		}
		line.evidence(i, inv.Fields)
	}
	return inv
}

// evidence adds the line's evidence to that of its invoice, in which the line
// has the given index.
func (r lineRow) evidence(index int, to map[string]invoice.Evidence) {
	if r.Evidence == nil {
		return
	}
	for path, e := range r.Evidence.V {
		to["lines["+strconv.Itoa(index)+"]"+path] = invoice.Evidence(e)
	}
}

// listed returns the line with its evidence.
func (r lineRow) listed() invoice.ListedLine {
	l := invoice.ListedLine{Line: r.fromRow(), Fields: map[string]invoice.Evidence{}}
	r.evidence(r.Ordinal-1, l.Fields)
	return l
}

func (r lineRow) fromRow() invoice.Line {
	return invoice.Line{
		ID: r.ID, Position: r.Position, Description: r.Description, Quantity: (*money.Decimal)(r.Quantity), Unit: r.Unit,
		UnitPrice: (*money.Decimal)(r.UnitPrice), PriceBase: (*money.Decimal)(r.PriceBase),
		NetAmount: (*money.Decimal)(r.NetAmount), TaxRate: (*money.Decimal)(r.TaxRate), TaxCategory: r.TaxCategory,
		AccountID: r.AccountID, AccountSource: r.AccountSource, TaxRateID: r.TaxRateID, TaxSource: r.TaxSource,
	}
}

func toLineRow(invoiceID uuid.UUID, ordinal int, l invoice.Line, evidence map[string]evidenceJSON) lineRow {
	row := lineRow{
		ID: l.ID, InvoiceID: invoiceID, Ordinal: ordinal, Position: l.Position, Description: clean(l.Description),
		Quantity: (*number)(l.Quantity), Unit: clean(l.Unit), UnitPrice: (*number)(l.UnitPrice),
		PriceBase: (*number)(l.PriceBase), NetAmount: (*number)(l.NetAmount), NetFixed: fixed(l.NetAmount), TaxRate: (*number)(l.TaxRate),
		TaxCategory: clean(l.TaxCategory), AccountID: clean(l.AccountID), AccountSource: l.AccountSource,
		TaxRateID: clean(l.TaxRateID), TaxSource: l.TaxSource,
	}
	if evidence != nil {
		row.Evidence = &jsonOf[map[string]evidenceJSON]{evidence}
	}
	return row
}

var linePath = regexp.MustCompile(`^lines\[(0|[1-9]\d{0,5})\]((?:\..+)?)$`)

// splitEvidence parts the evidence of each line, by its index and the path
// within the line, from that of the header. What names no line that there is
// stays with the header.
func splitEvidence(fields map[string]invoice.Evidence, lines int) (header map[string]invoice.Evidence, ofLine map[int]map[string]evidenceJSON) {
	if fields == nil {
		return nil, nil
	}
	header, ofLine = map[string]invoice.Evidence{}, map[int]map[string]evidenceJSON{}
	for path, e := range fields {
		m := linePath.FindStringSubmatch(path)
		if m == nil {
			header[path] = e
			continue
		}
		i, err := strconv.Atoi(m[1])
		if err != nil || i >= lines {
			header[path] = e
			continue
		}
		if ofLine[i] == nil {
			ofLine[i] = map[string]evidenceJSON{}
		}
		ofLine[i][m[2]] = evidenceJSON(e)
	}
	return header, ofLine
}
