package ledgersync

import (
	"fmt"
	"slices"
	"strings"

	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/entity"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// Order is the input from which a bill is created.
type Order struct {
	Invoice  *invoice.Invoice // with all its lines
	Contact  string           // in the ledger
	Settings *entity.Settings
	PaysTax  bool // false: the tax is part of the cost and included in the amounts
	Coding   Coding
	Ledger   Ledger
	Link     string // the page that shows the invoice; "" for none
	Corrects []accounting.Corrected
	Again    bool // create the bill even if the ledger has one with the same number
}

const (
	maxDescription = 1000 // in characters
	rounding       = "Rounding"
)

// Bill returns the bill, or a Refusal that states what a person must do first. It also stores the
// bill's coding in the invoice's lines.
func (o Order) Bill() (accounting.Bill, error) {
	inv, rules := o.Invoice, o.Ledger.Rules
	if err := o.complete(); err != nil {
		return accounting.Bill{}, err
	}
	list := items(inv, rules.Decimals)
	if len(list) == 0 {
		return accounting.Bill{}, accounting.Refuse(accounting.CodeIncomplete, "The invoice states no amounts.")
	}
	taxed := o.PaysTax && rules.HasTax
	if err := code(list, o.Coding, o.Settings, o.Ledger, taxed); err != nil {
		return accounting.Bill{}, err
	}
	t, err := computeTotals(inv, list, rules.Decimals, taxed)
	if err != nil {
		return accounting.Bill{}, err
	}
	o.codeLines(t.items, taxed)
	b := accounting.Bill{
		Contact: o.Contact, Number: inv.Number, Reference: inv.ID.String(), Link: o.Link,
		Date: o.date(), DueDate: inv.DueDate, Currency: inv.Currency, Stage: accounting.Stage(o.Settings.BillStatus),
		Tax: accounting.TaxExclusive, Total: t.total, AllowDuplicate: o.Again,
	}
	b.Memo = memo(inv)
	switch {
	case !rules.HasTax:
		b.Tax = accounting.NoTax
	case !o.PaysTax:
		b.Tax = accounting.TaxInclusive
	}
	if b.Lines = lines(t.items, taxed); taxed {
		b.Taxes = taxes(t.items)
	}
	if t.total.Sign() < 0 {
		b = turned(b)
	}
	if b.Kind = kindOf(inv, t.total); b.Kind == accounting.SupplierCredit {
		b.Corrects = o.Corrects
	}
	return b, nil
}

// memo returns the text for people who open the bill. It says if the invoice states that it is paid,
// because the ledger shows the bill as an open debt.
func memo(inv *invoice.Invoice) string {
	var texts []string
	if inv.PurchaseOrder != "" {
		texts = append(texts, "Purchase order "+inv.PurchaseOrder)
	}
	switch s := inv.Settlement(); {
	case s.Full:
		texts = append(texts, "Already paid according to the invoice")
	case s.Amount != nil:
		texts = append(texts, fmt.Sprintf("%s %s already paid according to the invoice", inv.Currency, s.Amount))
	}
	return strings.Join(texts, "; ")
}

// KindOf returns the kind of bill that the stated totals of an invoice require.
func KindOf(inv *invoice.Invoice) accounting.BillKind {
	total := Total(inv)
	if total == nil {
		total = inv.NetTotal
	}
	if total == nil {
		total = &money.Decimal{}
	}
	return kindOf(inv, *total)
}

// kindOf returns the opposite kind if the total is negative.
func kindOf(inv *invoice.Invoice, total money.Decimal) accounting.BillKind {
	if (inv.Type == invoice.TypeCreditNote) != (total.Sign() < 0) {
		return accounting.SupplierCredit
	}
	return accounting.PurchaseBill
}

func (o Order) date() calendar.Date {
	if !o.Invoice.PostingDate.IsZero() {
		return o.Invoice.PostingDate
	}
	return o.Invoice.IssueDate
}

// complete returns a Refusal if values that a bill requires are missing.
func (o Order) complete() error {
	inv, rules := o.Invoice, o.Ledger.Rules
	for _, v := range []struct {
		missing bool
		field   string
	}{
		{inv.Number == "", "invoice_number"}, {inv.IssueDate.IsZero(), "issue_date"}, {inv.Currency == "", "currency"},
	} {
		if v.missing {
			return accounting.Refuse(accounting.CodeIncomplete, "The invoice has no %s.", v.field)
		}
	}
	if !slices.Contains(rules.Currencies, inv.Currency) {
		return accounting.Refuse(accounting.CodeCurrency, "The invoice is in %s.", inv.Currency)
	}
	if date := o.date(); !rules.ClosedUntil.IsZero() && date.Compare(rules.ClosedUntil) <= 0 {
		return accounting.Refuse(accounting.CodePeriodClosed, "The books are closed up to %s, the bill would be dated %s.", rules.ClosedUntil, date)
	}
	return nil
}

// codeLines stores the coding of the items in the invoice's lines.
func (o Order) codeLines(list []item, taxed bool) {
	for _, it := range list {
		if it.line < 0 {
			continue
		}
		l := &o.Invoice.Lines[it.line]
		l.AccountID, l.AccountSource = it.account, it.accountSource
		if taxed {
			l.TaxRateID, l.TaxSource = it.taxRate, it.taxSource
		}
	}
}

func lines(list []item, taxed bool) []accounting.BillLine {
	out := make([]accounting.BillLine, len(list))
	for i, it := range list {
		l := accounting.BillLine{
			Description: it.description, Quantity: it.quantity, UnitPrice: it.unitPrice, Amount: it.net,
			Account: it.account, TaxRate: it.taxRate, TaxAmount: it.tax,
		}
		if r := []rune(l.Description); len(r) > maxDescription {
			l.Description = string(r[:maxDescription-1]) + "…"
		}
		if !taxed {
			// Tax that is not reclaimed is part of the cost.
			l.Amount, l.TaxAmount = it.net.Add(it.tax), money.Decimal{}
			if !it.tax.IsZero() {
				l.Quantity, l.UnitPrice = nil, nil
			}
		}
		out[i] = l
	}
	return out
}

// taxes sums the tax of each rate, in order of first occurrence.
func taxes(list []item) (out []accounting.BillTax) {
	at := map[string]int{}
	for _, it := range list {
		if it.taxRate == "" {
			continue
		}
		i, ok := at[it.taxRate]
		if !ok {
			i = len(out)
			at[it.taxRate], out = i, append(out, accounting.BillTax{TaxRate: it.taxRate})
		}
		out[i].Base, out[i].Amount = out[i].Base.Add(it.net), out[i].Amount.Add(it.tax)
	}
	return out
}

// turned returns the bill with the sign of every amount changed.
func turned(b accounting.Bill) accounting.Bill {
	b.Total = b.Total.Neg()
	for i := range b.Lines {
		l := &b.Lines[i]
		l.Amount, l.TaxAmount = l.Amount.Neg(), l.TaxAmount.Neg()
		if l.Quantity != nil {
			quantity := l.Quantity.Neg()
			l.Quantity = &quantity
		}
	}
	for i := range b.Taxes {
		b.Taxes[i].Base, b.Taxes[i].Amount = b.Taxes[i].Base.Neg(), b.Taxes[i].Amount.Neg()
	}
	return b
}
