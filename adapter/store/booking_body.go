package store

import (
	"time"

	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// bookingBody contains the fields of a sync that no query uses.
type bookingBody struct {
	Attempts         int                     `json:"attempts"`
	Round            int                     `json:"round"`
	Run              int                     `json:"run"`
	Generation       int                     `json:"generation"`
	Setbacks         int                     `json:"setbacks,omitempty"`
	Waiting          bool                    `json:"waiting,omitempty"`
	Force            bool                    `json:"force,omitempty"`
	Link             string                  `json:"link,omitempty"`
	Since            time.Time               `json:"since"`
	Kind             accounting.BillKind     `json:"kind,omitempty"`
	RemoteNumber     string                  `json:"remote_number,omitempty"`
	RemoteURL        string                  `json:"remote_url,omitempty"`
	LedgerTotal      *number                 `json:"ledger_total,omitempty"`
	Difference       *number                 `json:"difference,omitempty"`
	Attachment       invoice.AttachmentState `json:"attachment,omitempty"`
	AttachmentReason string                  `json:"attachment_reason,omitempty"`
	SyncedAt         time.Time               `json:"synced_at,omitzero"`
	Error            *syncErrorJSON          `json:"error,omitempty"`
	Intent           *intentJSON             `json:"intent,omitempty"`
}

type syncErrorJSON struct {
	Code       string          `json:"code"`
	Message    string          `json:"message"`
	Action     string          `json:"action"`
	Candidates []candidateJSON `json:"candidates,omitempty"`
}

type candidateJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

type intentJSON struct {
	Key           string           `json:"key"`
	IntegrationID uuid.UUID        `json:"integration_id"`
	Bill          billJSON         `json:"bill"`
	Lines         []lineCodingJSON `json:"lines,omitempty"`
	Supplier      string           `json:"supplier,omitempty"`
	At            time.Time        `json:"at"`
}

type lineCodingJSON struct {
	Line          uuid.UUID            `json:"line"`
	AccountID     string               `json:"account_id"`
	AccountSource invoice.CodingSource `json:"account_source"`
	TaxRateID     string               `json:"tax_rate_id,omitempty"`
	TaxSource     invoice.CodingSource `json:"tax_source,omitempty"`
}

type billJSON struct {
	Kind      accounting.BillKind     `json:"kind"`
	Contact   string                  `json:"contact"`
	Number    string                  `json:"number"`
	Reference string                  `json:"reference"`
	Link      string                  `json:"link,omitempty"`
	Date      day                     `json:"date"`
	DueDate   day                     `json:"due_date,omitzero"`
	Currency  string                  `json:"currency"`
	Stage     accounting.Stage        `json:"stage"`
	Tax       accounting.TaxTreatment `json:"tax"`
	Lines     []billLineJSON          `json:"lines"`
	Taxes     []billTaxJSON           `json:"taxes,omitempty"`
	Total     number                  `json:"total"`
	Corrects  []correctedJSON         `json:"corrects,omitempty"`
	Memo      string                  `json:"memo,omitempty"`
	Again     bool                    `json:"again,omitempty"`
}

type billLineJSON struct {
	Description string  `json:"description"`
	Quantity    *number `json:"quantity,omitempty"`
	UnitPrice   *number `json:"unit_price,omitempty"`
	Amount      number  `json:"amount"`
	Account     string  `json:"account"`
	TaxRate     string  `json:"tax_rate,omitempty"`
	TaxAmount   number  `json:"tax_amount"`
}

type billTaxJSON struct {
	TaxRate string `json:"tax_rate"`
	Base    number `json:"base"`
	Amount  number `json:"amount"`
}

type correctedJSON struct {
	ID     string `json:"id,omitempty"`
	Number string `json:"number"`
}

func toBookingBody(b *ledgersync.Sync) bookingBody {
	body := bookingBody{
		Attempts: b.Attempts, Round: b.Round, Run: b.Run, Generation: b.Generation, Setbacks: b.Failures, Waiting: b.Waiting, Force: b.Force, Link: b.Link,
		Since: instant(b.Since), Kind: b.Kind, RemoteNumber: b.RemoteNumber, RemoteURL: b.RemoteURL,
		LedgerTotal: (*number)(b.LedgerTotal), Difference: (*number)(b.Difference),
		Attachment: b.Attachment, AttachmentReason: b.AttachmentReason,
	}
	if !b.SyncedAt.IsZero() {
		body.SyncedAt = instant(b.SyncedAt)
	}
	if e := b.Error; e != nil {
		body.Error = &syncErrorJSON{
			Code: e.Code, Message: e.Message, Action: e.Action,
			Candidates: mapped(e.Candidates, func(c invoice.SyncCandidate) candidateJSON { return candidateJSON(c) }),
		}
	}
	if i := b.Intent; i != nil {
		body.Intent = &intentJSON{
			Key: i.Key, IntegrationID: i.IntegrationID, Bill: toBillJSON(i.Bill), Supplier: i.Supplier, At: instant(i.At),
			Lines: mapped(i.Lines, func(l ledgersync.LineCoding) lineCodingJSON { return lineCodingJSON(l) }),
		}
	}
	return body
}

func toBillJSON(b accounting.Bill) billJSON {
	return billJSON{
		Kind: b.Kind, Contact: b.Contact, Number: b.Number, Reference: b.Reference, Link: b.Link, Date: day(b.Date), DueDate: day(b.DueDate),
		Currency: b.Currency, Stage: b.Stage, Tax: b.Tax, Total: number(b.Total), Memo: b.Memo, Again: b.AllowDuplicate,
		Lines: mapped(b.Lines, func(l accounting.BillLine) billLineJSON {
			return billLineJSON{
				Description: l.Description, Quantity: (*number)(l.Quantity), UnitPrice: (*number)(l.UnitPrice), Amount: number(l.Amount),
				Account: l.Account, TaxRate: l.TaxRate, TaxAmount: number(l.TaxAmount),
			}
		}),
		Taxes: mapped(b.Taxes, func(t accounting.BillTax) billTaxJSON {
			return billTaxJSON{TaxRate: t.TaxRate, Base: number(t.Base), Amount: number(t.Amount)}
		}),
		Corrects: mapped(b.Corrects, func(c accounting.Corrected) correctedJSON { return correctedJSON(c) }),
	}
}

func (b billJSON) bill() accounting.Bill {
	return accounting.Bill{
		Kind: b.Kind, Contact: b.Contact, Number: b.Number, Reference: b.Reference, Link: b.Link,
		Date: calendar.Date(b.Date), DueDate: calendar.Date(b.DueDate),
		Currency: b.Currency, Stage: b.Stage, Tax: b.Tax, Total: money.Decimal(b.Total), Memo: b.Memo, AllowDuplicate: b.Again,
		Lines: mapped(b.Lines, func(l billLineJSON) accounting.BillLine {
			return accounting.BillLine{
				Description: l.Description, Quantity: (*money.Decimal)(l.Quantity), UnitPrice: (*money.Decimal)(l.UnitPrice),
				Amount: money.Decimal(l.Amount), Account: l.Account, TaxRate: l.TaxRate, TaxAmount: money.Decimal(l.TaxAmount),
			}
		}),
		Taxes: mapped(b.Taxes, func(t billTaxJSON) accounting.BillTax {
			return accounting.BillTax{TaxRate: t.TaxRate, Base: money.Decimal(t.Base), Amount: money.Decimal(t.Amount)}
		}),
		Corrects: mapped(b.Corrects, func(c correctedJSON) accounting.Corrected { return accounting.Corrected(c) }),
	}
}

// fill sets the fields of a sync from the body.
func (body bookingBody) fill(b *ledgersync.Sync) {
	b.Attempts, b.Round, b.Run, b.Generation, b.Failures = body.Attempts, body.Round, body.Run, body.Generation, body.Setbacks
	b.Waiting, b.Force, b.Link, b.Since, b.Kind = body.Waiting, body.Force, body.Link, instant(body.Since), body.Kind
	b.RemoteNumber, b.RemoteURL = body.RemoteNumber, body.RemoteURL
	b.LedgerTotal, b.Difference = (*money.Decimal)(body.LedgerTotal), (*money.Decimal)(body.Difference)
	b.Attachment, b.AttachmentReason = body.Attachment, body.AttachmentReason
	if !body.SyncedAt.IsZero() {
		b.SyncedAt = instant(body.SyncedAt)
	}
	if e := body.Error; e != nil {
		b.Error = &invoice.SyncError{
			Code: e.Code, Message: e.Message, Action: e.Action,
			Candidates: mapped(e.Candidates, func(c candidateJSON) invoice.SyncCandidate { return invoice.SyncCandidate(c) }),
		}
	}
	if i := body.Intent; i != nil {
		b.Intent = &ledgersync.Intent{
			Key: i.Key, IntegrationID: i.IntegrationID, Bill: i.Bill.bill(), Supplier: i.Supplier, At: instant(i.At),
			Lines: mapped(i.Lines, func(l lineCodingJSON) ledgersync.LineCoding { return ledgersync.LineCoding(l) }),
		}
	}
}
