package einvoice_test

import (
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"docledger/domain/calendar"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// TestRoundTrip writes invoices with random values as UBL and as CII and expects the
// same values after parsing.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	const invoices = 300
	for seed := range uint64(invoices) {
		want := generate(rand.New(rand.NewPCG(seed, 1)))
		for name, doc := range map[string]string{"UBL": writeUBL(want), "CII": writeCII(want)} {
			d := read(t, doc)
			if !reflect.DeepEqual(plain(reflect.ValueOf(d.Content)), plain(reflect.ValueOf(want))) {
				t.Fatalf("seed %d as %s:\ngot  %v\nwant %v\n%s", seed, name, plain(reflect.ValueOf(d.Content)), plain(reflect.ValueOf(want)), doc)
			}
			for path, e := range d.Fields {
				if e.Unreadable() {
					t.Errorf("seed %d as %s: %s is unreadable: %q", seed, name, path, e.SourceText)
				}
			}
		}
	}
}

func generate(r *rand.Rand) invoice.Content {
	c := invoice.Content{
		Type: invoice.TypeInvoice, TypeCode: pick(r, "380", "384", "389"), Number: word(r), Currency: "EUR",
		IssueDate: day(r), DueDate: day(r), DeliveryDate: day(r), PurchaseOrder: word(r), Note: word(r),
		Seller: party(r), Buyer: party(r),
		Payment:           invoice.Payment{IBAN: word(r), BIC: word(r), Reference: word(r), Terms: word(r)},
		BillingPeriod:     invoice.Period{Start: day(r), End: day(r)},
		PrecedingInvoices: []invoice.Reference{{Number: word(r), IssueDate: day(r)}},
		LineTotal:         number(r, 4), AllowanceTotal: number(r, 4), ChargeTotal: number(r, 4), NetTotal: number(r, 4), TaxTotal: number(r, 4),
		GrossTotal: number(r, 4), PrepaidTotal: number(r, 4), PayableRounding: number(r, 4), AmountDue: number(r, 4),
	}
	for range r.IntN(4) {
		c.Taxes = append(c.Taxes, invoice.Tax{Category: pick(r, "S", "Z", "AE"), Rate: number(r, 2), Base: number(r, 4), Amount: number(r, 4)})
	}
	for range r.IntN(4) {
		c.AllowancesCharges = append(c.AllowancesCharges, invoice.AllowanceCharge{
			IsCharge: r.IntN(2) == 0, Amount: number(r, 4), Base: number(r, 4), Percentage: number(r, 2),
			Reason: word(r), ReasonCode: word(r), TaxCategory: "S", TaxRate: number(r, 2)})
	}
	for i := range r.IntN(6) {
		c.Lines = append(c.Lines, invoice.Line{
			Position: i + 1, Description: word(r), Quantity: number(r, 10), Unit: pick(r, "C62", "HUR"), UnitPrice: number(r, 10),
			PriceBase: number(r, 3), NetAmount: number(r, 4), TaxRate: number(r, 2), TaxCategory: "S"})
	}
	return c
}

func party(r *rand.Rand) invoice.Party {
	return invoice.Party{
		Name: word(r), TradingName: word(r), TaxID: word(r), RegistrationID: word(r), Email: word(r), Phone: word(r),
		Address: invoice.Address{Line1: word(r), Line2: word(r), Line3: word(r), City: word(r), PostalCode: word(r), Region: word(r), Country: "FR"},
	}
}

func pick(r *rand.Rand, values ...string) string { return values[r.IntN(len(values))] }

// word returns a unique text with characters that are difficult for XML parsers.
func word(r *rand.Rand) string {
	return pick(r, "a & b", "<x>", `"quoted"`, "Ünïcödé", "数字", "]]>", "'; DROP", "=1+1", "%s") + fmt.Sprintf(" %d", r.Uint32())
}

func day(r *rand.Rand) calendar.Date {
	return calendar.Date{Year: 2000, Month: 1, Day: 1}.AddDays(r.IntN(20_000))
}

// number returns a decimal with up to scale digits after the decimal point.
func number(r *rand.Rand, scale int) *money.Decimal {
	s := fmt.Sprintf("%d", r.Int64N(1_000_000_000))
	if n := r.IntN(scale + 1); n > 0 {
		digits := ""
		for range n {
			digits += fmt.Sprint(r.IntN(10))
		}
		s += "." + digits
	}
	if r.IntN(5) == 0 {
		s = "-" + s
	}
	d := money.MustParse(s)
	return &d
}

// element returns an element with text, or "" for an empty text.
func element(name, text string) string {
	if text == "" {
		return ""
	}
	tag, _, _ := strings.Cut(name, " ")
	return "<" + name + ">" + escape(text) + "</" + tag + ">"
}

func escape(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic(err)
	}
	return b.String()
}

func group(name string, parts ...string) string {
	return "<" + name + ">" + strings.Join(parts, "") + "</" + name + ">"
}

func sum(name string, d *money.Decimal) string {
	return element(name+` currencyID="EUR"`, invoice.Show(d))
}

func writeUBL(c invoice.Content) string {
	vat := group("cac:TaxScheme", element("cbc:ID", "VAT"))
	category := func(name, id string, rate *money.Decimal) string {
		return group(name, element("cbc:ID", id), element("cbc:Percent", invoice.Show(rate)), vat)
	}
	party := func(p invoice.Party) string {
		return group("cac:Party",
			group("cac:PartyName", element("cbc:Name", p.TradingName)),
			group("cac:PostalAddress", element("cbc:StreetName", p.Address.Line1), element("cbc:AdditionalStreetName", p.Address.Line2),
				element("cbc:CityName", p.Address.City), element("cbc:PostalZone", p.Address.PostalCode), element("cbc:CountrySubentity", p.Address.Region),
				group("cac:AddressLine", element("cbc:Line", p.Address.Line3)), group("cac:Country", element("cbc:IdentificationCode", p.Address.Country))),
			group("cac:PartyTaxScheme", element("cbc:CompanyID", p.TaxID), vat),
			group("cac:PartyLegalEntity", element("cbc:RegistrationName", p.Name), element("cbc:CompanyID", p.RegistrationID)),
			group("cac:Contact", element("cbc:Telephone", p.Phone), element("cbc:ElectronicMail", p.Email)))
	}
	var b strings.Builder
	b.WriteString("<Invoice " + ublSpaces + ">")
	b.WriteString(element("cbc:ID", c.Number) + element("cbc:IssueDate", c.IssueDate.String()) + element("cbc:DueDate", c.DueDate.String()) +
		element("cbc:InvoiceTypeCode", c.TypeCode) + element("cbc:Note", c.Note) + element("cbc:DocumentCurrencyCode", c.Currency))
	b.WriteString(group("cac:InvoicePeriod", element("cbc:StartDate", c.BillingPeriod.Start.String()), element("cbc:EndDate", c.BillingPeriod.End.String())))
	b.WriteString(group("cac:OrderReference", element("cbc:ID", c.PurchaseOrder)))
	for _, p := range c.PrecedingInvoices {
		b.WriteString(group("cac:BillingReference", group("cac:InvoiceDocumentReference", element("cbc:ID", p.Number), element("cbc:IssueDate", p.IssueDate.String()))))
	}
	b.WriteString(group("cac:AccountingSupplierParty", party(c.Seller)) + group("cac:AccountingCustomerParty", party(c.Buyer)))
	b.WriteString(group("cac:Delivery", element("cbc:ActualDeliveryDate", c.DeliveryDate.String())))
	b.WriteString(group("cac:PaymentMeans", element("cbc:PaymentID", c.Payment.Reference),
		group("cac:PayeeFinancialAccount", element("cbc:ID", c.Payment.IBAN), group("cac:FinancialInstitutionBranch", element("cbc:ID", c.Payment.BIC)))))
	b.WriteString(group("cac:PaymentTerms", element("cbc:Note", c.Payment.Terms)))
	for _, a := range c.AllowancesCharges {
		b.WriteString(group("cac:AllowanceCharge", element("cbc:ChargeIndicator", fmt.Sprint(a.IsCharge)), element("cbc:AllowanceChargeReasonCode", a.ReasonCode),
			element("cbc:AllowanceChargeReason", a.Reason), element("cbc:MultiplierFactorNumeric", invoice.Show(a.Percentage)),
			sum("cbc:Amount", a.Amount), sum("cbc:BaseAmount", a.Base), category("cac:TaxCategory", a.TaxCategory, a.TaxRate)))
	}
	var taxes strings.Builder
	for _, tax := range c.Taxes {
		taxes.WriteString(group("cac:TaxSubtotal", sum("cbc:TaxableAmount", tax.Base), sum("cbc:TaxAmount", tax.Amount), category("cac:TaxCategory", tax.Category, tax.Rate)))
	}
	b.WriteString(group("cac:TaxTotal", sum("cbc:TaxAmount", c.TaxTotal), taxes.String()))
	b.WriteString(group("cac:LegalMonetaryTotal", sum("cbc:LineExtensionAmount", c.LineTotal), sum("cbc:TaxExclusiveAmount", c.NetTotal),
		sum("cbc:TaxInclusiveAmount", c.GrossTotal), sum("cbc:AllowanceTotalAmount", c.AllowanceTotal), sum("cbc:ChargeTotalAmount", c.ChargeTotal),
		sum("cbc:PrepaidAmount", c.PrepaidTotal), sum("cbc:PayableRoundingAmount", c.PayableRounding), sum("cbc:PayableAmount", c.AmountDue)))
	for _, l := range c.Lines {
		b.WriteString(group("cac:InvoiceLine", element(fmt.Sprintf("cbc:InvoicedQuantity unitCode=%q", l.Unit), invoice.Show(l.Quantity)),
			sum("cbc:LineExtensionAmount", l.NetAmount),
			group("cac:Item", element("cbc:Name", l.Description), category("cac:ClassifiedTaxCategory", l.TaxCategory, l.TaxRate)),
			group("cac:Price", sum("cbc:PriceAmount", l.UnitPrice), element("cbc:BaseQuantity", invoice.Show(l.PriceBase)))))
	}
	b.WriteString("</Invoice>")
	return b.String()
}

func writeCII(c invoice.Content) string {
	when := func(name string, d calendar.Date) string {
		return group(name, element(`udt:DateTimeString format="102"`, strings.ReplaceAll(d.String(), "-", "")))
	}
	tax := func(name, category string, rate *money.Decimal, parts ...string) string {
		return group(name, append(parts, element("ram:TypeCode", "VAT"), element("ram:CategoryCode", category), element("ram:RateApplicablePercent", invoice.Show(rate)))...)
	}
	party := func(name string, p invoice.Party) string {
		a := p.Address
		return group(name, element("ram:Name", p.Name),
			group("ram:SpecifiedLegalOrganization", element("ram:ID", p.RegistrationID), element("ram:TradingBusinessName", p.TradingName)),
			group("ram:DefinedTradeContact", group("ram:TelephoneUniversalCommunication", element("ram:CompleteNumber", p.Phone)),
				group("ram:EmailURIUniversalCommunication", element("ram:URIID", p.Email))),
			group("ram:PostalTradeAddress", element("ram:PostcodeCode", a.PostalCode), element("ram:LineOne", a.Line1), element("ram:LineTwo", a.Line2),
				element("ram:LineThree", a.Line3), element("ram:CityName", a.City), element("ram:CountryID", a.Country), element("ram:CountrySubDivisionName", a.Region)),
			group("ram:SpecifiedTaxRegistration", element(`ram:ID schemeID="VA"`, p.TaxID)))
	}
	var trade, settlement strings.Builder
	for _, l := range c.Lines {
		trade.WriteString(group("ram:IncludedSupplyChainTradeLineItem",
			group("ram:SpecifiedTradeProduct", element("ram:Name", l.Description)),
			group("ram:SpecifiedLineTradeAgreement", group("ram:NetPriceProductTradePrice", element("ram:ChargeAmount", invoice.Show(l.UnitPrice)), element("ram:BasisQuantity", invoice.Show(l.PriceBase)))),
			group("ram:SpecifiedLineTradeDelivery", element(fmt.Sprintf("ram:BilledQuantity unitCode=%q", l.Unit), invoice.Show(l.Quantity))),
			group("ram:SpecifiedLineTradeSettlement", tax("ram:ApplicableTradeTax", l.TaxCategory, l.TaxRate),
				group("ram:SpecifiedTradeSettlementLineMonetarySummation", element("ram:LineTotalAmount", invoice.Show(l.NetAmount))))))
	}
	trade.WriteString(group("ram:ApplicableHeaderTradeAgreement", party("ram:SellerTradeParty", c.Seller), party("ram:BuyerTradeParty", c.Buyer),
		group("ram:BuyerOrderReferencedDocument", element("ram:IssuerAssignedID", c.PurchaseOrder))))
	trade.WriteString(group("ram:ApplicableHeaderTradeDelivery", group("ram:ActualDeliverySupplyChainEvent", when("ram:OccurrenceDateTime", c.DeliveryDate))))
	settlement.WriteString(element("ram:PaymentReference", c.Payment.Reference) + element("ram:InvoiceCurrencyCode", c.Currency))
	settlement.WriteString(group("ram:SpecifiedTradeSettlementPaymentMeans", group("ram:PayeePartyCreditorFinancialAccount", element("ram:IBANID", c.Payment.IBAN)),
		group("ram:PayeeSpecifiedCreditorFinancialInstitution", element("ram:BICID", c.Payment.BIC))))
	for _, x := range c.Taxes {
		settlement.WriteString(tax("ram:ApplicableTradeTax", x.Category, x.Rate, element("ram:CalculatedAmount", invoice.Show(x.Amount)), element("ram:BasisAmount", invoice.Show(x.Base))))
	}
	settlement.WriteString(group("ram:BillingSpecifiedPeriod", when("ram:StartDateTime", c.BillingPeriod.Start), when("ram:EndDateTime", c.BillingPeriod.End)))
	for _, a := range c.AllowancesCharges {
		settlement.WriteString(group("ram:SpecifiedTradeAllowanceCharge", group("ram:ChargeIndicator", element("udt:Indicator", fmt.Sprint(a.IsCharge))),
			element("ram:CalculationPercent", invoice.Show(a.Percentage)), element("ram:BasisAmount", invoice.Show(a.Base)), element("ram:ActualAmount", invoice.Show(a.Amount)),
			element("ram:ReasonCode", a.ReasonCode), element("ram:Reason", a.Reason), tax("ram:CategoryTradeTax", a.TaxCategory, a.TaxRate)))
	}
	settlement.WriteString(group("ram:SpecifiedTradePaymentTerms", element("ram:Description", c.Payment.Terms), when("ram:DueDateDateTime", c.DueDate)))
	settlement.WriteString(group("ram:SpecifiedTradeSettlementHeaderMonetarySummation",
		element("ram:LineTotalAmount", invoice.Show(c.LineTotal)), element("ram:ChargeTotalAmount", invoice.Show(c.ChargeTotal)),
		element("ram:AllowanceTotalAmount", invoice.Show(c.AllowanceTotal)), element("ram:TaxBasisTotalAmount", invoice.Show(c.NetTotal)),
		sum("ram:TaxTotalAmount", c.TaxTotal), element("ram:RoundingAmount", invoice.Show(c.PayableRounding)), element("ram:GrandTotalAmount", invoice.Show(c.GrossTotal)),
		element("ram:TotalPrepaidAmount", invoice.Show(c.PrepaidTotal)), element("ram:DuePayableAmount", invoice.Show(c.AmountDue))))
	for _, p := range c.PrecedingInvoices {
		settlement.WriteString(group("ram:InvoiceReferencedDocument", element("ram:IssuerAssignedID", p.Number), when("ram:FormattedIssueDateTime", p.IssueDate)))
	}
	trade.WriteString(group("ram:ApplicableHeaderTradeSettlement", settlement.String()))
	return `<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100" xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">` +
		group("rsm:ExchangedDocument", element("ram:ID", c.Number), element("ram:TypeCode", c.TypeCode), when("ram:IssueDateTime", c.IssueDate), group("ram:IncludedNote", element("ram:Content", c.Note))) +
		group("rsm:SupplyChainTradeTransaction", trade.String()) + `</rsm:CrossIndustryInvoice>`
}
