package einvoice

import (
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/calendar"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// Limits for the content of a draft from a hostile document.
const (
	maxShort      = 1000   // characters of a name, number or code
	maxProse      = 10_000 // characters of a note, terms or description
	maxSource     = 200    // characters of source text
	maxRows       = 1000   // taxes, allowances and charges, preceding invoices
	maxUnreadable = 100    // reported unreadable values of lines
)

// draft collects the values of one invoice and their positions in the document.
type draft struct {
	content    invoice.Content
	fields     map[string]invoice.Evidence
	checks     []invoice.Check
	unreadable int
	foreign    bool // an amount in another currency has been reported
}

func newDraft() *draft {
	return &draft{content: invoice.Content{Type: invoice.TypeInvoice}, fields: map[string]invoice.Evidence{}}
}

// copied returns a new draft with the values that several invoices of one file share.
func (d *draft) copied() *draft {
	return &draft{content: d.content, fields: maps.Clone(d.fields)}
}

// recordEvidence records that a value is from the document.
func (d *draft) recordEvidence(path, source string) {
	d.fields[path] = invoice.Evidence{Source: invoice.FromXML, Confidence: 1, SourceText: shorten(source, maxSource)}
}

// derived records that a value was derived from other stated values.
func (d *draft) derived(path, source string) {
	d.fields[path] = invoice.Evidence{Source: invoice.Computed, Confidence: 1, SourceText: shorten(source, maxSource)}
}

// failed records that a stated value is unreadable.
func (d *draft) failed(path, source string) {
	if strings.HasPrefix(path, "lines[") {
		if d.unreadable++; d.unreadable > maxUnreadable {
			return
		}
	}
	d.fields[path] = invoice.Evidence{Source: invoice.FromXML, SourceText: shorten(source, maxSource)}
}

// text sets a name, number or code, unless it is already set.
func (d *draft) text(path string, to *string, value string) {
	value = oneLine(value)
	if value == "" || *to != "" {
		return
	}
	if utf8.RuneCountInString(value) > maxShort {
		d.failed(path, value)
		return
	}
	*to = value
	d.recordEvidence(path, value)
}

// prose sets free text; several texts are joined by line breaks.
func (d *draft) prose(path string, to *string, values ...string) {
	if text := paragraphs(values); text != "" && *to == "" {
		*to = shorten(text, maxProse)
		d.recordEvidence(path, text)
	}
}

// date sets a date in the given format, unless it is already set.
func (d *draft) date(path string, to *calendar.Date, value string, parse func(string) (calendar.Date, error)) {
	if value == "" || !to.IsZero() {
		return
	}
	date, err := parse(value)
	if err != nil {
		d.failed(path, value)
		return
	}
	*to = date
	d.recordEvidence(path, value)
}

// amount sets a total, unless it is already set.
func (d *draft) amount(path string, to **money.Decimal, e xmltree.Elem) {
	value := e.Text()
	if value == "" || *to != nil {
		return
	}
	v, err := parseNumber(value, money.MaxAmountScale)
	if err != nil {
		d.failed(path, value)
		return
	}
	*to = &v
	d.recordEvidence(path, value)
	d.currencyOf(path, e)
}

// sum sets a total that the format states only in parts.
func (d *draft) sum(path string, to **money.Decimal, parts ...*money.Decimal) {
	var total *money.Decimal
	var texts []string
	for _, part := range parts {
		if part == nil {
			continue
		}
		texts = append(texts, part.String())
		if total == nil {
			total = part
			continue
		}
		v := total.Add(*part)
		total = &v
	}
	if total == nil || *to != nil {
		return
	}
	*to = total
	d.derived(path, strings.Join(texts, " + "))
}

// number parses a number in a part of a line or row. It joins path and part only if
// the number is unreadable.
func (d *draft) number(path, part string, scale int, e xmltree.Elem) *money.Decimal {
	value := e.Text()
	if value == "" {
		return nil
	}
	v, err := parseNumber(value, scale)
	if err != nil {
		d.failed(path+"."+part, value)
		return nil
	}
	return &v
}

// money is number for an amount of money.
func (d *draft) money(path, part string, e xmltree.Elem) *money.Decimal {
	v := d.number(path, part, money.MaxAmountScale, e)
	if v != nil {
		d.currencyOf(path+"."+part, e)
	}
	return v
}

// currencyOf reports the first amount with a currency other than the invoice's
// (BT-5).
func (d *draft) currencyOf(path string, e xmltree.Elem) {
	stated := strings.ToUpper(e.Attr("currencyID"))
	if stated == "" || d.foreign || d.content.Currency == "" || stated == d.content.Currency {
		return
	}
	d.foreign = true
	d.checks = append(d.checks, invoice.Check{
		Rule: invoice.RuleSingleCurrency, Severity: invoice.Blocking, Path: path,
		Expected: d.content.Currency, Found: shorten(stated, maxSource),
	})
}

// currency sets the currency of the invoice. It must run before the amounts, because
// they are compared with it.
func (d *draft) currency(path string, to *string, value string) {
	value = strings.ToUpper(oneLine(value))
	if value == "" || *to != "" {
		return
	}
	if !isCode(value, 3) {
		d.failed(path, value)
		return
	}
	*to = value
	d.recordEvidence(path, value)
}

// country sets a country code and converts three letters into two.
func (d *draft) country(path string, to *string, value string) {
	value = strings.ToUpper(oneLine(value))
	if two, ok := alpha2[value]; ok {
		value = two
	}
	if !isCode(value, 2) {
		return
	}
	d.text(path, to, value)
}

// typeCode sets the document type from a code of UNTDID 1001. A code of another kind
// of document is a Failure.
func (d *draft) typeCode(code string) error {
	code = oneLine(code)
	if kind, ok := kindsByCode[code]; ok {
		return noInvoice(kind, "document type "+code)
	}
	if creditNoteCodes[code] {
		d.content.Type = invoice.TypeCreditNote
	}
	d.content.TypeCode = shorten(code, maxSource)
	d.recordEvidence("document_type", code)
	return nil
}

// line appends a line and sets its position. The caller sets all other values.
func (d *draft) line(l invoice.Line, source string) error {
	if len(d.content.Lines) >= invoice.MaxLines {
		return extraction.Fail(extraction.TooLarge, "The invoice has more than %d lines. Ask the sender to split it.", invoice.MaxLines)
	}
	l.Description = shorten(oneLine(l.Description), maxProse)
	l.Unit = shorten(oneLine(l.Unit), maxShort)
	l.TaxCategory = shorten(oneLine(l.TaxCategory), maxShort)
	l.Position = len(d.content.Lines) + 1
	d.content.Lines = append(d.content.Lines, l)
	d.recordEvidence(d.linePath(-1), source)
	return nil
}

// linePath returns the path of the next line, or of the line that is back lines
// earlier.
func (d *draft) linePath(back int) string {
	return fmt.Sprintf("lines[%d]", len(d.content.Lines)+back)
}

func (d *draft) tax(t invoice.Tax, source string) {
	if len(d.content.Taxes) >= maxRows {
		return
	}
	t.Category = shorten(oneLine(t.Category), maxShort)
	d.recordEvidence(d.taxPath(), source)
	d.content.Taxes = append(d.content.Taxes, t)
}

func (d *draft) taxPath() string { return fmt.Sprintf("taxes[%d]", len(d.content.Taxes)) }

func (d *draft) allowanceCharge(a invoice.AllowanceCharge, source string) {
	if len(d.content.AllowancesCharges) >= maxRows {
		return
	}
	a.Reason = shorten(oneLine(a.Reason), maxShort)
	a.ReasonCode = shorten(oneLine(a.ReasonCode), maxShort)
	a.TaxCategory = shorten(oneLine(a.TaxCategory), maxShort)
	d.recordEvidence(d.allowancePath(a.IsCharge), source)
	d.content.AllowancesCharges = append(d.content.AllowancesCharges, a)
}

// allowancePath returns the path of the next allowance or charge.
func (d *draft) allowancePath(isCharge bool) string {
	n := 0
	for _, a := range d.content.AllowancesCharges {
		if a.IsCharge == isCharge {
			n++
		}
	}
	if isCharge {
		return fmt.Sprintf("charges[%d]", n)
	}
	return fmt.Sprintf("allowances[%d]", n)
}

// preceding adds an earlier invoice that the document refers to (BG-3).
func (d *draft) preceding(number, date string, parse func(string) (calendar.Date, error)) {
	path := fmt.Sprintf("preceding_invoices[%d]", len(d.content.PrecedingInvoices))
	if oneLine(number) == "" || len(d.content.PrecedingInvoices) >= maxRows {
		return
	}
	var r invoice.Reference
	d.text(path+".number", &r.Number, number)
	d.date(path+".issue_date", &r.IssueDate, date, parse)
	if r.Number != "" {
		d.content.PrecedingInvoices = append(d.content.PrecedingInvoices, r)
	}
}

// finish completes the draft after all values are set.
func (d *draft) finish() {
	c := &d.content
	_, stated := d.fields["gross_total"]
	if !stated && c.NetTotal != nil && c.TaxTotal != nil && c.AmountDue != nil &&
		isNothing(c.PrepaidTotal) && isNothing(c.PayableRounding) && isNothing(c.WithheldTotal) &&
		c.NetTotal.Add(*c.TaxTotal).Equal(*c.AmountDue) {
		// Two stated values confirm it: the amount due equals net plus tax.
		d.sum("gross_total", &c.GrossTotal, c.NetTotal, c.TaxTotal)
	}
	if _, ok := d.fields["document_type"]; !ok {
		d.derived("document_type", string(c.Type))
	}
	if turned := d.content.TurnSigns(); turned != nil {
		d.checks = append(d.checks, *turned)
	}
}

func isNothing(v *money.Decimal) bool { return v == nil || v.IsZero() }
