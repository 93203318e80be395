package xero

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"docledger/adapter/accounting/xero/client"
	"docledger/adapter/connector"
	"docledger/domain/accounting"
	"docledger/domain/integration"
	"docledger/domain/money"
	"docledger/infrastructure/httpclient"
)

const (
	longestNumber      = 255  // characters of a bill number
	longestDescription = 4000 // characters of a line description
	unitDecimals       = 4    // decimals of unit prices and quantities
	noTax              = "NONE"
)

// CreateBill implements accounting.BillCreator.
func (c *Connector) CreateBill(ctx context.Context, a integration.Access, b accounting.Bill, key string) (accounting.LedgerBill, error) {
	at, err := tenant(a)
	if err != nil {
		return accounting.LedgerBill{}, err
	}
	d, err := document(b)
	if err != nil {
		return accounting.LedgerBill{}, err
	}
	made, err := c.client.Create(ctx, at, d, key)
	if err != nil {
		return accounting.LedgerBill{}, refused(err, billCode)
	}
	if b.Kind == accounting.SupplierCredit && b.Stage == accounting.StageAuthorised {
		c.allocate(ctx, at, b, made, key)
	}
	return c.booked(made)
}

// allocate applies a credit note to the bills that it corrects, if they are approved and unpaid.
// The credit note exists whether this succeeds or not. Its text states the bill numbers, so a
// person can allocate the rest.
func (c *Connector) allocate(ctx context.Context, at client.Access, b accounting.Bill, note client.Document, key string) {
	left, err := connector.Decimal(note.Credit)
	for n, corrected := range b.Corrects {
		if err != nil || left.Sign() <= 0 {
			return
		}
		if !client.IsID(corrected.ID) {
			continue
		}
		var bill client.Document
		if bill, err = c.client.Document(ctx, at, client.Bills, corrected.ID); err != nil {
			return
		}
		due, notNumber := connector.Decimal(bill.Due)
		if notNumber != nil || due.Sign() <= 0 || bill.Status != string(accounting.StageAuthorised) || bill.Currency != note.Currency {
			continue
		}
		if due.Cmp(left) > 0 {
			due = left
		}
		if err = c.client.Allocate(ctx, at, note.ID, bill.ID, *exact(due), b.Date.String(), key+"-"+strconv.Itoa(n)); err == nil {
			left = left.Sub(due)
		}
	}
}

// document converts a bill into the provider's format.
func document(b accounting.Bill) (client.NewDocument, error) {
	if !client.IsID(b.Contact) {
		return client.NewDocument{}, accounting.Refuse(accounting.CodeContactUnusable, "The contact id does not have the ledger's format.")
	}
	d := client.NewDocument{
		Kind: kindOf(b.Kind), ContactID: b.Contact, Number: number(b.Number), Date: b.Date.String(), Currency: b.Currency,
		AmountTypes: amountTypes[b.Tax], Status: string(b.Stage),
	}
	if !b.DueDate.IsZero() {
		d.DueDate = b.DueDate.String()
	} else if b.Stage != accounting.StageDraft {
		d.DueDate = d.Date // an approved bill requires a due date
	}
	for _, l := range b.Lines {
		if !client.IsID(l.Account) {
			return client.NewDocument{}, accounting.Refuse(accounting.CodeAccountUnusable, "The account id does not have the ledger's format.")
		}
		d.Lines = append(d.Lines, line(l))
	}
	texts := notes(b)
	var linked bool
	if d.Link, linked = mark(b); !linked {
		texts = append(texts, textMark(b.Reference))
	}
	for _, text := range texts {
		d.Lines = append(d.Lines, client.Line{Description: description(text)})
	}
	return d, nil
}

var amountTypes = map[accounting.TaxTreatment]string{
	accounting.TaxExclusive: "Exclusive", accounting.TaxInclusive: "Inclusive", accounting.NoTax: "NoTax",
}

func kindOf(k accounting.BillKind) *client.Kind {
	if k == accounting.SupplierCredit {
		return client.CreditNotes
	}
	return client.Bills
}

// line converts a line. It omits price and quantity if the provider would compute a different
// amount from them. Stated tax is sent as stated.
func line(l accounting.BillLine) client.Line {
	out := client.Line{
		Description: description(l.Description), AccountID: l.Account, TaxType: l.TaxRate,
		Quantity: exact(money.FromInt(1)), UnitAmount: exact(l.Amount), LineAmount: exact(l.Amount), TaxAmount: exact(l.TaxAmount),
	}
	if out.TaxType == "" {
		out.TaxType = noTax
	}
	if l.Quantity != nil && l.UnitPrice != nil && l.Quantity.Fits(unitDecimals) && l.UnitPrice.Fits(unitDecimals) &&
		l.Quantity.Mul(*l.UnitPrice).Round(amountDecimals).Equal(l.Amount) {
		out.Quantity, out.UnitAmount = exact(*l.Quantity), exact(*l.UnitPrice)
	}
	return out
}

func exact(d money.Decimal) *json.Number {
	n := json.Number(d.String())
	return &n
}

// notes returns lines of text for people who open the bill.
func notes(b accounting.Bill) (out []string) {
	if len([]rune(b.Number)) > longestNumber {
		out = append(out, "Number: "+b.Number)
	}
	var corrected []string
	for _, c := range b.Corrects {
		if c.Number != "" {
			corrected = append(corrected, c.Number)
		}
	}
	if len(corrected) > 0 {
		out = append(out, "Corrects "+strings.Join(corrected, ", "))
	}
	if b.Memo != "" {
		out = append(out, b.Memo)
	}
	return out
}

// number returns a supplier's invoice number in the form that the provider stores. A number that is
// too long differs from every other number with the same beginning.
func number(s string) string { return accounting.ShortName(oneLine(s), s, longestNumber) }

// oneLine returns a text as one line, as the provider requires.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�")))
}

// description returns a text in the form that the provider accepts; it must not be empty.
func description(s string) string {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�")))
	if s == "" {
		return "-"
	}
	return cut(s, longestDescription)
}

func cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return strings.TrimSpace(string(runes[:most]))
	}
	return s
}

// booked converts a bill of the ledger.
func (c *Connector) booked(d client.Document) (accounting.LedgerBill, error) {
	total, err := connector.Decimal(d.Total)
	tax, err2 := connector.Decimal(d.TotalTax)
	if err = errors.Join(err, err2); err != nil {
		return accounting.LedgerBill{}, integration.Unavailable(Provider, 0, err)
	}
	out := accounting.LedgerBill{
		ID: d.ID, Kind: accounting.PurchaseBill, Contact: d.Contact.ID, Number: d.Number, Currency: d.Currency,
		Total: total, TaxTotal: tax, Reference: reference(d), Removed: d.Status == "DELETED" || d.Status == "VOIDED",
	}
	page := "/AccountsPayable/View.aspx?InvoiceID="
	if d.Kind == client.CreditNotes {
		out.Kind, page = accounting.SupplierCredit, "/AccountsPayable/ViewCreditNote.aspx?creditNoteID="
	}
	if c.web != "" {
		out.URL = c.web + page + d.ID
	}
	return out, nil
}

// refused returns a refusal if the ledger rejects a request permanently, and the translated error
// otherwise. code derives the reason from the provider's words.
func refused(err error, code func(words string) accounting.Code) error {
	f := httpclient.FailureOf(err)
	if f == nil || f.NotSent || f.Status != http.StatusBadRequest || !f.Recognized() {
		return translate(err)
	}
	if f.Has(client.CodeKeyReused) {
		return errors.Join(accounting.ErrKeyReused, f)
	}
	words := f.Words()
	return accounting.Refuse(code(strings.ToLower(words)), "%s", words).WithCause(f)
}

// billCode derives the reason for refusing a bill from the provider's words, because the provider
// has no codes for it. Unknown words give a general refusal.
func billCode(words string) accounting.Code {
	for _, reason := range []struct {
		says string
		code accounting.Code
	}{
		{"currency", accounting.CodeCurrency},
		{"lock date", accounting.CodePeriodClosed},
		{"taxtype", accounting.CodeTaxRateUnusable},
		{"tax type", accounting.CodeTaxRateUnusable},
		{"tax rate", accounting.CodeTaxRateUnusable},
		{"account", accounting.CodeAccountUnusable},
		{"contact", accounting.CodeContactUnusable},
	} {
		if strings.Contains(words, reason.says) {
			return reason.code
		}
	}
	return accounting.CodeRefused
}
