package convert

import (
	"fmt"

	"docledger/domain/calendar"
	"docledger/domain/fault"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/gen/backend"

	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
	openapi "github.com/oapi-codegen/runtime/types"
)

// values collects the values of a merge patch by path; null becomes "".
type values map[string]string

func put[T ~string](v values, path string, n nullable.Nullable[T]) {
	if n.IsSpecified() {
		text, _ := n.Get() // null gives the zero value
		v[path] = string(text)
	}
}

func (v values) date(path string, n nullable.Nullable[openapi.Date]) {
	if !n.IsSpecified() {
		return
	}
	v[path] = ""
	if d, err := n.Get(); err == nil {
		v[path] = calendar.Of(d.Time).String()
	}
}

// object returns the members of a nested object; null clears all given paths.
func object[T any](v values, n nullable.Nullable[T], paths ...string) (members T) {
	if n.IsNull() {
		for _, path := range paths {
			v[path] = ""
		}
	}
	members, _ = n.Get()
	return members
}

// FromAPIPatch returns the correction of a merge patch (RFC 7396). Lines are
// matched by id (domain D20).
func FromAPIPatch(p *backend.InvoicePatch) (invoice.Correction, error) {
	v := values{}
	if p.DocumentType != nil {
		v["document_type"] = string(*p.DocumentType)
	}
	put(v, "invoice_number", p.InvoiceNumber)
	v.date("issue_date", p.IssueDate)
	v.date("due_date", p.DueDate)
	v.date("delivery_date", p.DeliveryDate)
	v.date("posting_date", p.PostingDate)
	put(v, "currency", p.Currency)
	put(v, "tax_currency", p.TaxCurrency)
	v.party("seller", p.Seller)
	v.party("buyer", p.Buyer)
	put(v, "purchase_order", p.PurchaseOrder)
	payment := object(v, p.Payment, "payment.iban", "payment.bic", "payment.reference", "payment.terms")
	put(v, "payment.iban", payment.Iban)
	put(v, "payment.bic", payment.Bic)
	put(v, "payment.reference", payment.Reference)
	put(v, "payment.terms", payment.Terms)
	period := object(v, p.BillingPeriod, "billing_period.start", "billing_period.end")
	v.date("billing_period.start", period.Start)
	v.date("billing_period.end", period.End)
	put(v, "net_total", p.NetTotal)
	put(v, "tax_total", p.TaxTotal)
	put(v, "tax_total_in_tax_currency", p.TaxTotalInTaxCurrency)
	put(v, "gross_total", p.GrossTotal)
	put(v, "prepaid_total", p.PrepaidTotal)
	put(v, "withheld_total", p.WithheldTotal)
	put(v, "payable_rounding", p.PayableRounding)
	put(v, "amount_due", p.AmountDue)
	put(v, "contact_id", p.ContactId)
	put(v, "note", p.Note)
	put(v, "external_id", p.ExternalId)
	c := invoice.Correction{Values: v}
	if p.Lines != nil {
		c.Lines = list(*p.Lines, fromAPILinePatch)
	}
	return c, fromAPILists(p, &c)
}

func (v values) party(name string, n nullable.Nullable[backend.PartyPatch]) {
	at := func(member string) string { return name + "." + member }
	addressPaths := []string{
		at("address.line1"), at("address.line2"), at("address.line3"), at("address.city"),
		at("address.postal_code"), at("address.region"), at("address.country"),
	}
	p := object(v, n, append(addressPaths, at("name"), at("trading_name"), at("tax_id"), at("registration_id"),
		at("email"), at("phone"), at("iban"), at("bic"))...)
	put(v, at("name"), p.Name)
	put(v, at("trading_name"), p.TradingName)
	put(v, at("tax_id"), p.TaxId)
	put(v, at("registration_id"), p.RegistrationId)
	put(v, at("email"), p.Email)
	put(v, at("phone"), p.Phone)
	put(v, at("iban"), p.Iban)
	put(v, at("bic"), p.Bic)
	a := object(v, p.Address, addressPaths...)
	put(v, at("address.line1"), a.Line1)
	put(v, at("address.line2"), a.Line2)
	put(v, at("address.line3"), a.Line3)
	put(v, at("address.city"), a.City)
	put(v, at("address.postal_code"), a.PostalCode)
	put(v, at("address.region"), a.Region)
	put(v, at("address.country"), a.Country)
}

func fromAPILinePatch(p backend.InvoiceLinePatch) invoice.LineCorrection {
	v := values{}
	put(v, "description", p.Description)
	put(v, "quantity", p.Quantity)
	put(v, "unit", p.Unit)
	put(v, "unit_price", p.UnitPrice)
	put(v, "price_base_quantity", p.PriceBaseQuantity)
	put(v, "net_amount", p.NetAmount)
	put(v, "tax_rate", p.TaxRate)
	put(v, "tax_category", p.TaxCategory)
	put(v, "account_id", p.AccountId)
	put(v, "tax_rate_id", p.TaxRateId)
	c := invoice.LineCorrection{Values: v, Deleted: p.Deleted != nil && *p.Deleted}
	if p.Id != nil {
		c.ID = uuid.UUID(*p.Id)
	}
	return c
}

// fromAPILists reads the lists that a patch replaces as a whole; null clears a
// list.
func fromAPILists(p *backend.InvoicePatch, c *invoice.Correction) error {
	n := numbers{}
	if p.Taxes.IsSpecified() {
		items, _ := p.Taxes.Get()
		taxes := make([]invoice.Tax, len(items))
		for i, t := range items {
			at := fmt.Sprintf("taxes[%d].", i)
			category, _ := t.Category.Get()
			taxes[i] = invoice.Tax{Category: category, Rate: n.of(at+"rate", t.Rate), Base: n.of(at+"base", t.Base), Amount: n.of(at+"amount", t.Amount)}
		}
		c.Taxes = &taxes
	}
	if p.PrecedingInvoices.IsSpecified() {
		items, _ := p.PrecedingInvoices.Get()
		references := list(items, func(r backend.PrecedingInvoiceInput) invoice.Reference {
			day, err := r.IssueDate.Get()
			if err != nil {
				return invoice.Reference{Number: r.Number}
			}
			return invoice.Reference{Number: r.Number, IssueDate: calendar.Of(day.Time)}
		})
		c.PrecedingInvoices = &references
	}
	c.Allowances = n.allowances("allowances", false, p.Allowances)
	c.Charges = n.allowances("charges", true, p.Charges)
	return n.err()
}

// numbers reads decimals and collects the invalid ones.
type numbers struct{ wrong []fault.Field }

func (n *numbers) of(path string, v nullable.Nullable[string]) *money.Decimal {
	text, err := v.Get()
	if err != nil {
		return nil
	}
	d, err := money.Parse(text)
	if err != nil {
		n.wrong = append(n.wrong, fault.Field{Field: path, Reason: "must be a decimal number such as 12.50"})
	}
	return &d
}

func (n *numbers) allowances(path string, isCharge bool, v nullable.Nullable[[]backend.AllowanceChargeInput]) *[]invoice.AllowanceCharge {
	if !v.IsSpecified() {
		return nil
	}
	items, _ := v.Get()
	out := make([]invoice.AllowanceCharge, len(items))
	for i, a := range items {
		at := fmt.Sprintf("%s[%d].", path, i)
		reason, _ := a.Reason.Get()
		code, _ := a.ReasonCode.Get()
		category, _ := a.TaxCategory.Get()
		out[i] = invoice.AllowanceCharge{
			IsCharge: isCharge, Reason: reason, ReasonCode: code, TaxCategory: category,
			Amount: n.of(at+"amount", value(a.Amount)), Base: n.of(at+"base", a.Base),
			Percentage: n.of(at+"percentage", a.Percentage), TaxRate: n.of(at+"tax_rate", a.TaxRate),
		}
	}
	return &out
}

func (n *numbers) err() error {
	if len(n.wrong) == 0 {
		return nil
	}
	return fault.InvalidFields(n.wrong)
}
