package store

import (
	"time"

	"docledger/domain/calendar"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// invoiceBody is the content of an invoice's JSON column: everything that is neither a column nor
// a line. Its names never change; new ones may be added.
type invoiceBody struct {
	TypeCode              string                  `json:"type_code,omitempty"`
	DeliveryDate          day                     `json:"delivery_date,omitzero"`
	TaxCurrency           string                  `json:"tax_currency,omitempty"`
	Seller                partyJSON               `json:"seller"`
	Buyer                 partyJSON               `json:"buyer"`
	PurchaseOrder         string                  `json:"purchase_order,omitempty"`
	Payment               paymentJSON             `json:"payment"`
	PeriodStart           day                     `json:"period_start,omitzero"`
	PeriodEnd             day                     `json:"period_end,omitzero"`
	PrecedingInvoices     []referenceJSON         `json:"preceding_invoices,omitempty"`
	Note                  string                  `json:"note,omitempty"`
	Taxes                 []taxJSON               `json:"taxes,omitempty"`
	AllowancesCharges     []allowanceChargeJSON   `json:"allowances_charges,omitempty"`
	LineTotal             *number                 `json:"line_total,omitempty"`
	AllowanceTotal        *number                 `json:"allowance_total,omitempty"`
	ChargeTotal           *number                 `json:"charge_total,omitempty"`
	TaxTotalInTaxCurrency *number                 `json:"tax_total_in_tax_currency,omitempty"`
	PrepaidTotal          *number                 `json:"prepaid_total,omitempty"`
	PayableRounding       *number                 `json:"payable_rounding,omitempty"`
	WithheldTotal         *number                 `json:"withheld_total,omitempty"`
	Checks                []checkJSON             `json:"checks,omitempty"`
	Fields                map[string]evidenceJSON `json:"fields,omitempty"`
	Extraction            extractionJSON          `json:"extraction"`
	ContactID             string                  `json:"contact_id,omitempty"`
	PostingDate           day                     `json:"posting_date,omitzero"`
	Approval              *approvalJSON           `json:"approval,omitempty"`
	Rejection             *rejectionJSON          `json:"rejection,omitempty"`
	Reopened              bool                    `json:"reopened,omitempty"`
	CreatedBy             uuid.UUID               `json:"created_by,omitzero"`
	ChangedBy             uuid.UUID               `json:"changed_by,omitzero"`
	CodedBy               uuid.UUID               `json:"coded_by,omitzero"`
}

type partyJSON struct {
	Name           string      `json:"name,omitempty"`
	TradingName    string      `json:"trading_name,omitempty"`
	TaxID          string      `json:"tax_id,omitempty"`
	RegistrationID string      `json:"registration_id,omitempty"`
	Address        addressJSON `json:"address"`
	Email          string      `json:"email,omitempty"`
	Phone          string      `json:"phone,omitempty"`
	IBAN           string      `json:"iban,omitempty"`
	BIC            string      `json:"bic,omitempty"`
}

type addressJSON struct {
	Line1      string `json:"line1,omitempty"`
	Line2      string `json:"line2,omitempty"`
	Line3      string `json:"line3,omitempty"`
	City       string `json:"city,omitempty"`
	PostalCode string `json:"postal_code,omitempty"`
	Region     string `json:"region,omitempty"`
	Country    string `json:"country,omitempty"`
}

type paymentJSON struct {
	IBAN      string `json:"iban,omitempty"`
	BIC       string `json:"bic,omitempty"`
	Reference string `json:"reference,omitempty"`
	Terms     string `json:"terms,omitempty"`
}

type referenceJSON struct {
	Number    string `json:"number"`
	IssueDate day    `json:"issue_date,omitzero"`
}

type taxJSON struct {
	Category string  `json:"category,omitempty"`
	Rate     *number `json:"rate,omitempty"`
	Base     *number `json:"base,omitempty"`
	Amount   *number `json:"amount,omitempty"`
}

type allowanceChargeJSON struct {
	IsCharge    bool    `json:"is_charge,omitempty"`
	Amount      *number `json:"amount,omitempty"`
	Base        *number `json:"base,omitempty"`
	Percentage  *number `json:"percentage,omitempty"`
	Reason      string  `json:"reason,omitempty"`
	ReasonCode  string  `json:"reason_code,omitempty"`
	TaxCategory string  `json:"tax_category,omitempty"`
	TaxRate     *number `json:"tax_rate,omitempty"`
}

type checkJSON struct {
	Rule              string           `json:"rule"`
	Severity          invoice.Severity `json:"severity"`
	Passed            bool             `json:"passed"`
	Path              string           `json:"path,omitempty"`
	Expected          string           `json:"expected,omitempty"`
	Found             string           `json:"found,omitempty"`
	SuggestedEntityID uuid.UUID        `json:"suggested_entity_id,omitzero"`
	Detail            string           `json:"detail,omitempty"`
}

type evidenceJSON struct {
	Source       invoice.Source `json:"source"`
	Confidence   float64        `json:"confidence"`
	Page         int            `json:"page,omitempty"`
	Box          *[4]float64    `json:"box,omitempty"`
	SourceText   string         `json:"source_text,omitempty"`
	Alternatives []string       `json:"alternatives,omitempty"`
	Original     *string        `json:"original,omitempty"`
}

type extractionJSON struct {
	Method        invoice.Method `json:"method"`
	Format        string         `json:"format,omitempty"`
	EngineVersion string         `json:"engine_version"`
	Duration      time.Duration  `json:"duration_ns"`
}

type approvalJSON struct {
	By      uuid.UUID `json:"by"`
	At      time.Time `json:"at"`
	Version int       `json:"version"`
}

type rejectionJSON struct {
	By     uuid.UUID `json:"by"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}

func toInvoiceBody(inv *invoice.Invoice, header map[string]invoice.Evidence) invoiceBody {
	b := invoiceBody{
		TypeCode: inv.TypeCode, DeliveryDate: day(inv.DeliveryDate), TaxCurrency: inv.TaxCurrency,
		Seller: toPartyJSON(inv.Seller), Buyer: toPartyJSON(inv.Buyer), PurchaseOrder: inv.PurchaseOrder,
		Payment:     paymentJSON(inv.Payment),
		PeriodStart: day(inv.BillingPeriod.Start), PeriodEnd: day(inv.BillingPeriod.End), Note: inv.Note,
		PrecedingInvoices: mapped(inv.PrecedingInvoices, func(r invoice.Reference) referenceJSON {
			return referenceJSON{Number: r.Number, IssueDate: day(r.IssueDate)}
		}),
		Taxes: mapped(inv.Taxes, func(t invoice.Tax) taxJSON {
			return taxJSON{t.Category, (*number)(t.Rate), (*number)(t.Base), (*number)(t.Amount)}
		}),
		AllowancesCharges: mapped(inv.AllowancesCharges, func(a invoice.AllowanceCharge) allowanceChargeJSON {
			return allowanceChargeJSON{
				IsCharge: a.IsCharge, Amount: (*number)(a.Amount), Base: (*number)(a.Base), Percentage: (*number)(a.Percentage),
				Reason: a.Reason, ReasonCode: a.ReasonCode, TaxCategory: a.TaxCategory, TaxRate: (*number)(a.TaxRate),
			}
		}),
		LineTotal: (*number)(inv.LineTotal), AllowanceTotal: (*number)(inv.AllowanceTotal), ChargeTotal: (*number)(inv.ChargeTotal),
		TaxTotalInTaxCurrency: (*number)(inv.TaxTotalInTaxCurrency), PrepaidTotal: (*number)(inv.PrepaidTotal),
		PayableRounding: (*number)(inv.PayableRounding), WithheldTotal: (*number)(inv.WithheldTotal),
		Checks:     mapped(inv.Checks, func(c invoice.Check) checkJSON { return checkJSON(c) }),
		Extraction: extractionJSON(inv.Extraction),
		ContactID:  inv.ContactID, PostingDate: day(inv.PostingDate), CreatedBy: inv.CreatedBy, ChangedBy: inv.ChangedBy, CodedBy: inv.CodedBy,
	}
	if a := inv.Approval; a != nil {
		b.Approval = &approvalJSON{a.By, instant(a.At), a.Version}
	}
	b.Reopened = inv.Reopened
	if r := inv.Rejection; r != nil {
		b.Rejection = &rejectionJSON{r.By, instant(r.At), r.Reason}
	}
	if header != nil {
		b.Fields = make(map[string]evidenceJSON, len(header))
	}
	for path, e := range header {
		b.Fields[path] = evidenceJSON(e)
	}
	return b
}

// fill sets the fields of an invoice from the body.
func (b *invoiceBody) fill(inv *invoice.Invoice) {
	inv.Content = invoice.Content{
		TypeCode: b.TypeCode, DeliveryDate: calendar.Date(b.DeliveryDate), TaxCurrency: b.TaxCurrency,
		Seller: b.Seller.party(), Buyer: b.Buyer.party(), PurchaseOrder: b.PurchaseOrder,
		Payment:       invoice.Payment(b.Payment),
		BillingPeriod: invoice.Period{Start: calendar.Date(b.PeriodStart), End: calendar.Date(b.PeriodEnd)}, Note: b.Note,
		PrecedingInvoices: mapped(b.PrecedingInvoices, func(r referenceJSON) invoice.Reference {
			return invoice.Reference{Number: r.Number, IssueDate: calendar.Date(r.IssueDate)}
		}),
		Taxes: mapped(b.Taxes, func(t taxJSON) invoice.Tax {
			return invoice.Tax{Category: t.Category, Rate: (*money.Decimal)(t.Rate), Base: (*money.Decimal)(t.Base), Amount: (*money.Decimal)(t.Amount)}
		}),
		AllowancesCharges: mapped(b.AllowancesCharges, func(a allowanceChargeJSON) invoice.AllowanceCharge {
			return invoice.AllowanceCharge{
				IsCharge: a.IsCharge, Amount: (*money.Decimal)(a.Amount), Base: (*money.Decimal)(a.Base),
				Percentage: (*money.Decimal)(a.Percentage), Reason: a.Reason, ReasonCode: a.ReasonCode,
				TaxCategory: a.TaxCategory, TaxRate: (*money.Decimal)(a.TaxRate),
			}
		}),
		LineTotal: (*money.Decimal)(b.LineTotal), AllowanceTotal: (*money.Decimal)(b.AllowanceTotal),
		ChargeTotal: (*money.Decimal)(b.ChargeTotal), TaxTotalInTaxCurrency: (*money.Decimal)(b.TaxTotalInTaxCurrency),
		PrepaidTotal: (*money.Decimal)(b.PrepaidTotal), PayableRounding: (*money.Decimal)(b.PayableRounding),
		WithheldTotal: (*money.Decimal)(b.WithheldTotal),
	}
	inv.Checks = mapped(b.Checks, func(c checkJSON) invoice.Check { return invoice.Check(c) })
	inv.Extraction = invoice.Extraction(b.Extraction)
	inv.ContactID, inv.PostingDate = b.ContactID, calendar.Date(b.PostingDate)
	inv.CreatedBy, inv.ChangedBy, inv.CodedBy = b.CreatedBy, b.ChangedBy, b.CodedBy
	if a := b.Approval; a != nil {
		inv.Approval = &invoice.Approval{By: a.By, At: instant(a.At), Version: a.Version}
	}
	inv.Reopened = b.Reopened
	if r := b.Rejection; r != nil {
		inv.Rejection = &invoice.Rejection{By: r.By, At: instant(r.At), Reason: r.Reason}
	}
	for path, e := range b.Fields {
		if inv.Fields == nil {
			inv.Fields = make(map[string]invoice.Evidence, len(b.Fields))
		}
		inv.Fields[path] = invoice.Evidence(e)
	}
}

func toPartyJSON(p invoice.Party) partyJSON {
	return partyJSON{
		Name: p.Name, TradingName: p.TradingName, TaxID: p.TaxID, RegistrationID: p.RegistrationID,
		Address: addressJSON(p.Address), Email: p.Email, Phone: p.Phone, IBAN: p.IBAN, BIC: p.BIC,
	}
}

func (p partyJSON) party() invoice.Party {
	return invoice.Party{
		Name: p.Name, TradingName: p.TradingName, TaxID: p.TaxID, RegistrationID: p.RegistrationID,
		Address: invoice.Address(p.Address), Email: p.Email, Phone: p.Phone, IBAN: p.IBAN, BIC: p.BIC,
	}
}
