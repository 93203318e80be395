package invoice

import (
	"unicode/utf8"

	"docledger/domain/calendar"
	"docledger/domain/fault"
	"docledger/domain/money"
)

// Field is one header value of an invoice that a person can correct. Values have the API's text
// form: decimals and dates as text, "" for no value.
type Field struct {
	Path string
	// Coding reports whether the value belongs to the coding rather than to the document. Changing
	// a coding value keeps an approval (domain D2).
	Coding bool
	Get    func(*Invoice) string
	Set    func(*Invoice, string) error
}

// LineField is a value of a line that a person can correct; Path is relative to the line.
type LineField struct {
	Path   string
	Coding bool
	Get    func(*Line) string
	Set    func(*Line, string) error
}

// Fields are the header values that can be corrected, by path.
var Fields = fieldsByPath()

// LineFields are the values of a line that can be corrected, by path.
var LineFields = lineFieldsByPath()

func text(path string, at func(*Invoice) *string) Field {
	return Field{
		Path: path,
		Get:  func(inv *Invoice) string { return *at(inv) },
		Set:  func(inv *Invoice, v string) error { *at(inv) = v; return nil },
	}
}

// MaxExternalID is the maximum number of characters of an id of another program.
const MaxExternalID = 255

func externalID(path string) Field {
	f := text(path, func(i *Invoice) *string { return &i.ExternalID })
	set := f.Set
	f.Set = func(inv *Invoice, v string) error {
		if utf8.RuneCountInString(v) > MaxExternalID {
			return fault.InvalidField(path, "must have at most %d characters", MaxExternalID)
		}
		return set(inv, v)
	}
	return f
}

func date(path string, at func(*Invoice) *calendar.Date) Field {
	return Field{
		Path: path,
		Get:  func(inv *Invoice) string { return at(inv).String() },
		Set:  func(inv *Invoice, v string) error { return setDate(at(inv), path, v) },
	}
}

func amount(path string, at func(*Invoice) **money.Decimal) Field {
	return Field{
		Path: path,
		Get:  func(inv *Invoice) string { return Show(*at(inv)) },
		Set:  func(inv *Invoice, v string) error { return setDecimal(at(inv), path, v, money.MaxAmountScale) },
	}
}

// Show returns a decimal in the API's text form, "" for nil.
func Show(d *money.Decimal) string {
	if d == nil {
		return ""
	}
	return d.String()
}

func setDate(at *calendar.Date, path, v string) error {
	if v == "" {
		*at = calendar.Date{}
		return nil
	}
	d, err := calendar.Parse(v)
	if err != nil {
		return fault.InvalidField(path, "must be an existing date as YYYY-MM-DD")
	}
	*at = d
	return nil
}

func setDecimal(at **money.Decimal, path, v string, decimals int) error {
	if v == "" {
		*at = nil
		return nil
	}
	d, err := money.Parse(v)
	if err != nil || !d.Fits(decimals) {
		return fault.InvalidField(path, "must be a decimal number with at most %d digits before the point and %d after it",
			money.MaxIntegerDigits, decimals)
	}
	*at = &d
	return nil
}

func documentType(path string) Field {
	return Field{
		Path: path,
		Get:  func(inv *Invoice) string { return string(inv.Type) },
		Set: func(inv *Invoice, v string) error {
			if v != string(TypeInvoice) && v != string(TypeCreditNote) && v != string(TypeCorrection) {
				return fault.InvalidField(path, "must be INVOICE, CREDIT_NOTE or CORRECTION")
			}
			inv.Type = Type(v)
			return nil
		},
	}
}

func coding(f Field) Field {
	f.Coding = true
	return f
}

func fieldsByPath() map[string]Field {
	fields := []Field{
		documentType("document_type"),
		text("invoice_number", func(i *Invoice) *string { return &i.Number }),
		date("issue_date", func(i *Invoice) *calendar.Date { return &i.IssueDate }),
		date("due_date", func(i *Invoice) *calendar.Date { return &i.DueDate }),
		date("delivery_date", func(i *Invoice) *calendar.Date { return &i.DeliveryDate }),
		text("currency", func(i *Invoice) *string { return &i.Currency }),
		text("tax_currency", func(i *Invoice) *string { return &i.TaxCurrency }),
		text("purchase_order", func(i *Invoice) *string { return &i.PurchaseOrder }),
		text("payment.iban", func(i *Invoice) *string { return &i.Payment.IBAN }),
		text("payment.bic", func(i *Invoice) *string { return &i.Payment.BIC }),
		text("payment.reference", func(i *Invoice) *string { return &i.Payment.Reference }),
		text("payment.terms", func(i *Invoice) *string { return &i.Payment.Terms }),
		date("billing_period.start", func(i *Invoice) *calendar.Date { return &i.BillingPeriod.Start }),
		date("billing_period.end", func(i *Invoice) *calendar.Date { return &i.BillingPeriod.End }),
		amount("net_total", func(i *Invoice) **money.Decimal { return &i.NetTotal }),
		amount("tax_total", func(i *Invoice) **money.Decimal { return &i.TaxTotal }),
		amount("tax_total_in_tax_currency", func(i *Invoice) **money.Decimal { return &i.TaxTotalInTaxCurrency }),
		amount("gross_total", func(i *Invoice) **money.Decimal { return &i.GrossTotal }),
		amount("prepaid_total", func(i *Invoice) **money.Decimal { return &i.PrepaidTotal }),
		amount("withheld_total", func(i *Invoice) **money.Decimal { return &i.WithheldTotal }),
		amount("payable_rounding", func(i *Invoice) **money.Decimal { return &i.PayableRounding }),
		amount("amount_due", func(i *Invoice) **money.Decimal { return &i.AmountDue }),
		coding(text("contact_id", func(i *Invoice) *string { return &i.ContactID })),
		coding(date("posting_date", func(i *Invoice) *calendar.Date { return &i.PostingDate })),
		coding(text("note", func(i *Invoice) *string { return &i.Note })),
		coding(externalID("external_id")),
	}
	fields = append(fields, partyFields("seller", func(i *Invoice) *Party { return &i.Seller })...)
	fields = append(fields, partyFields("buyer", func(i *Invoice) *Party { return &i.Buyer })...)
	byPath := make(map[string]Field, len(fields))
	for _, f := range fields {
		byPath[f.Path] = f
	}
	return byPath
}

func partyFields(name string, of func(*Invoice) *Party) []Field {
	return []Field{
		text(name+".name", func(i *Invoice) *string { return &of(i).Name }),
		text(name+".trading_name", func(i *Invoice) *string { return &of(i).TradingName }),
		text(name+".tax_id", func(i *Invoice) *string { return &of(i).TaxID }),
		text(name+".registration_id", func(i *Invoice) *string { return &of(i).RegistrationID }),
		text(name+".email", func(i *Invoice) *string { return &of(i).Email }),
		text(name+".phone", func(i *Invoice) *string { return &of(i).Phone }),
		text(name+".iban", func(i *Invoice) *string { return &of(i).IBAN }),
		text(name+".bic", func(i *Invoice) *string { return &of(i).BIC }),
		text(name+".address.line1", func(i *Invoice) *string { return &of(i).Address.Line1 }),
		text(name+".address.line2", func(i *Invoice) *string { return &of(i).Address.Line2 }),
		text(name+".address.line3", func(i *Invoice) *string { return &of(i).Address.Line3 }),
		text(name+".address.city", func(i *Invoice) *string { return &of(i).Address.City }),
		text(name+".address.postal_code", func(i *Invoice) *string { return &of(i).Address.PostalCode }),
		text(name+".address.region", func(i *Invoice) *string { return &of(i).Address.Region }),
		text(name+".address.country", func(i *Invoice) *string { return &of(i).Address.Country }),
	}
}

func lineText(path string, at func(*Line) *string) LineField {
	return LineField{
		Path: path,
		Get:  func(l *Line) string { return *at(l) },
		Set:  func(l *Line, v string) error { *at(l) = v; return nil },
	}
}

func lineDecimal(path string, decimals int, at func(*Line) **money.Decimal) LineField {
	return LineField{
		Path: path,
		Get:  func(l *Line) string { return Show(*at(l)) },
		Set:  func(l *Line, v string) error { return setDecimal(at(l), path, v, decimals) },
	}
}

// lineCode returns the field of a coding value. Setting it records that a person chose it.
func lineCode(path string, at func(*Line) (*string, *CodingSource)) LineField {
	return LineField{
		Path: path, Coding: true,
		Get: func(l *Line) string { v, _ := at(l); return *v },
		Set: func(l *Line, v string) error {
			value, source := at(l)
			*value, *source = v, CodedByHuman
			if v == "" {
				*source = ""
			}
			return nil
		},
	}
}

func lineFieldsByPath() map[string]LineField {
	byPath := map[string]LineField{}
	for _, f := range []LineField{
		lineText("description", func(l *Line) *string { return &l.Description }),
		lineDecimal("quantity", money.MaxPriceScale, func(l *Line) **money.Decimal { return &l.Quantity }),
		lineText("unit", func(l *Line) *string { return &l.Unit }),
		lineDecimal("unit_price", money.MaxPriceScale, func(l *Line) **money.Decimal { return &l.UnitPrice }),
		lineDecimal("price_base_quantity", money.MaxPriceScale, func(l *Line) **money.Decimal { return &l.PriceBase }),
		lineDecimal("net_amount", money.MaxAmountScale, func(l *Line) **money.Decimal { return &l.NetAmount }),
		lineDecimal("tax_rate", money.MaxPriceScale, func(l *Line) **money.Decimal { return &l.TaxRate }),
		lineText("tax_category", func(l *Line) *string { return &l.TaxCategory }),
		lineCode("account_id", func(l *Line) (*string, *CodingSource) { return &l.AccountID, &l.AccountSource }),
		lineCode("tax_rate_id", func(l *Line) (*string, *CodingSource) { return &l.TaxRateID, &l.TaxSource }),
	} {
		byPath[f.Path] = f
	}
	return byPath
}
