package quickbooks

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode"

	"docledger/adapter/accounting/quickbooks/client"
	"docledger/adapter/connector"
	"docledger/domain/accounting"
	"docledger/domain/integration"
	"docledger/domain/money"
)

const (
	longestNumber      = 21   // characters of a bill number
	longestDescription = 4000 // characters of a line description

	// sameTailKey ends the key of the second call, because the refused call holds the first key. No key
	// of a sync ends with it: after the last hyphen of a key comes a number of base 36.
	sameTailKey = "-"

	taxExcluded = "TaxExcluded"
	noTaxAtAll  = "NotApplicable"
)

// CreateBill implements accounting.BillCreator. The provider has no drafts: every stage creates a
// bill that is posted.
func (c *Connector) CreateBill(ctx context.Context, a integration.Access, b accounting.Bill, key string) (accounting.LedgerBill, error) {
	at, err := company(a)
	if err != nil {
		return accounting.LedgerBill{}, err
	}
	d, err := document(b)
	if err != nil {
		return accounting.LedgerBill{}, err
	}
	if err := c.untaxed(ctx, at, d); err != nil {
		return accounting.LedgerBill{}, err
	}
	made, err := c.client.Create(ctx, at, d, key)
	if err != nil && c.onlySameTail(ctx, at, b, err) {
		d.AllowDuplicate = true
		made, err = c.client.Create(ctx, at, d, key+sameTailKey)
	}
	if err != nil {
		return accounting.LedgerBill{}, c.refused(ctx, at, b, err)
	}
	return c.booked(made)
}

// document converts a bill into the provider's format.
func document(b accounting.Bill) (client.NewDocument, error) {
	if !client.IsID(b.Contact) {
		return client.NewDocument{}, accounting.Refuse(accounting.CodeContactUnusable, "The contact id does not have the ledger's format.")
	}
	d := client.NewDocument{
		Kind: kindOf(b.Kind), AllowDuplicate: b.AllowDuplicate, VendorRef: client.Ref{Value: b.Contact}, DocNumber: number(b.Number),
		TxnDate: b.Date.String(), GlobalTaxCalculation: noTaxAtAll, PrivateNote: note(b),
	}
	if b.Currency != "" {
		d.CurrencyRef = &client.Ref{Value: b.Currency}
	}
	if !b.DueDate.IsZero() && d.Kind == client.Bills {
		d.DueDate = b.DueDate.String()
	}
	for _, l := range b.Lines {
		if !client.IsID(l.Account) {
			return client.NewDocument{}, accounting.Refuse(accounting.CodeAccountUnusable, "The account id does not have the ledger's format.")
		}
		out := client.Line{
			DetailType: client.LineType, Amount: json.Number(net(l, b.Tax).String()), Description: cut(text(l.Description), longestDescription),
			Detail: client.Detail{AccountRef: client.Ref{Value: l.Account}},
		}
		if l.TaxRate != "" {
			out.Detail.TaxCodeRef = &client.Ref{Value: l.TaxRate}
			d.GlobalTaxCalculation = taxExcluded
		}
		d.Lines = append(d.Lines, out)
	}
	return d, nil
}

// net returns a line's amount without its tax, as the provider requires. The amount stays whole if
// the tax rate is unknown to the ledger.
func net(l accounting.BillLine, t accounting.TaxTreatment) money.Decimal {
	if t == accounting.TaxInclusive && l.TaxRate != "" {
		return l.Amount.Sub(l.TaxAmount)
	}
	return l.Amount
}

// untaxed assigns the ledger's zero-tax code to lines without tax if other lines have tax. The
// provider then requires a tax code on every line.
func (c *Connector) untaxed(ctx context.Context, at client.Access, d client.NewDocument) error {
	code := ""
	for i := range d.Lines {
		detail := &d.Lines[i].Detail
		if d.GlobalTaxCalculation == noTaxAtAll || detail.TaxCodeRef != nil {
			continue
		}
		if code == "" {
			var err error
			if code, err = c.noTaxCode(ctx, at); err != nil {
				return err
			}
		}
		detail.TaxCodeRef = &client.Ref{Value: code}
	}
	return nil
}

// noTaxCode returns the tax code that means "no tax". It prefers a code without any rate to one of
// 0 %.
func (c *Connector) noTaxCode(ctx context.Context, at client.Access) (string, error) {
	codes, err := c.client.TaxCodes(ctx, at)
	if err != nil {
		return "", beforehand(err)
	}
	for _, x := range codes {
		if client.IsID(x.ID) && x.Active && !x.Taxable && len(x.PurchaseTaxRateList.TaxRateDetail) == 0 {
			return x.ID, nil
		}
	}
	rates, err := c.taxRates(ctx, at)
	if err != nil {
		return "", beforehand(err)
	}
	for _, x := range rates {
		if x.Purchases && x.State == accounting.InUse && x.Rate.IsZero() {
			return x.ID, nil
		}
	}
	return "", accounting.Refuse(accounting.CodeTaxRateMissing, "The ledger has no tax code for lines without tax. Add one there, then try again.")
}

func kindOf(k accounting.BillKind) *client.Kind {
	if k == accounting.SupplierCredit {
		return client.VendorCredits
	}
	return client.Bills
}

// number returns a supplier's invoice number in the form that the provider stores. It keeps the end
// of a longer number, because the beginning is often the same in all numbers of a supplier.
func number(s string) string {
	s = oneLine(s)
	if runes := []rune(s); len(runes) > longestNumber {
		return strings.TrimSpace(string(runes[len(runes)-longestNumber:]))
	}
	return s
}

// oldNumber returns the form in which docledger stored a number before it kept the end.
func oldNumber(s string) string { return cut(oneLine(s), longestNumber) }

// oneLine returns a text as one line, as the provider requires.
func oneLine(s string) string { return strings.TrimSpace(strings.ReplaceAll(text(s), "\n", " ")) }

// text returns a text of several lines in the form that the provider accepts.
func text(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' || unicode.In(r, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�")))
}

func cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return strings.TrimSpace(string(runes[:most]))
	}
	return s
}

// booked converts a bill of the ledger.
func (c *Connector) booked(d client.Document) (accounting.LedgerBill, error) {
	total, err := connector.Decimal(d.TotalAmt)
	tax, err2 := connector.Decimal(d.TxnTaxDetail.TotalTax)
	if err = errors.Join(err, err2); err != nil {
		return accounting.LedgerBill{}, integration.Unavailable(Provider, 0, err)
	}
	out := accounting.LedgerBill{
		ID: d.ID, Kind: accounting.PurchaseBill, Contact: d.VendorRef.Value, Number: wholeNumber(d), Currency: d.CurrencyRef.Value,
		Total: total, TaxTotal: tax, Reference: reference(d.PrivateNote),
	}
	page := "/app/bill?txnId="
	if d.Kind == client.VendorCredits {
		out.Kind, page = accounting.SupplierCredit, "/app/vendorcredit?txnId="
	}
	if c.web != "" {
		out.URL = c.web + page + d.ID
	}
	return out, nil
}
