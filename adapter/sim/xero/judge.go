package xero

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

const (
	longestNumber      = 255
	longestDescription = 4000
)

// judge converts a request to a document and collects its errors.
type judge struct {
	book     *book
	kind     *kind
	given    wireDocument
	places   int32
	now      time.Time
	old      *document
	contact  *Contact // the existing one; nil for a new one
	problems []string
}

func (j *judge) problem(text string) { j.problems = append(j.problems, text) }

// document returns the resulting document.
func (j *judge) document(method string) *document {
	d := &document{
		kind: j.kind, id: uuid.NewString(), date: j.now.Truncate(24 * time.Hour), currency: j.book.organization.BaseCurrency,
		rate: decimal.NewFromInt(1), amounts: "Exclusive", status: draft,
	}
	if id := j.given.id(); id != "" {
		j.old = j.book.document(j.kind, id)
		switch {
		case j.old == nil || method == http.MethodPut:
			j.problem("Invoice not found, or it exists already.")
			return d
		case len(transitions[j.old.status]) == 0:
			j.problem("Invoice not of valid status for modification")
			return d
		}
		copied := *j.old
		d = &copied
	}
	j.head(d)
	j.who(d)
	j.when(d)
	if j.given.LineItems != nil {
		d.lines = nil
		for _, l := range j.given.LineItems {
			d.lines = append(d.lines, j.line(d, l))
		}
	}
	sum(d)
	j.status(d)
	return d
}

func (j *judge) head(d *document) {
	g := j.given
	if g.Type != j.kind.document && (g.Type != "" || j.old == nil) {
		j.problem("The document type must be " + j.kind.document + ".")
	}
	if n := g.number(); n != nil {
		d.number = *n
		if utf8.RuneCountInString(d.number) > longestNumber {
			j.problem("Invoice # must be 255 characters or less")
		}
	}
	if g.Reference != nil && j.kind == bills && *g.Reference != "" {
		j.problem("Reference is not available for this type of document.")
	}
	if g.URL != nil {
		d.link = *g.URL
		if u, err := url.Parse(d.link); d.link != "" && (err != nil || !u.IsAbs() || u.Host == "") {
			j.problem("Url: A valid absolute Url must be provided")
		}
	}
	if g.CurrencyCode != "" {
		d.currency = g.CurrencyCode
		if !j.book.uses(d.currency) {
			j.problem("Organisation is not subscribed to currency " + d.currency)
		}
	}
	if g.CurrencyRate != nil {
		d.rate = *g.CurrencyRate
	}
	if g.LineAmountTypes != "" {
		d.amounts = g.LineAmountTypes
		if !slices.Contains([]string{"Exclusive", "Inclusive", "NoTax"}, d.amounts) {
			j.problem("The LineAmountTypes are not valid.")
		}
	}
}

// who finds the contact by id, or else by name. An unknown name creates a contact.
func (j *judge) who(d *document) {
	w := j.given.Contact
	switch {
	case w == nil && j.old != nil:
		return
	case w == nil || w.ContactID == "" && strings.TrimSpace(w.Name) == "":
		j.problem("A Contact must be specified for this type of transaction")
		return
	case w.ContactID != "":
		if j.contact = j.book.contact(w.ContactID); j.contact == nil {
			j.problem("The contact could not be found.")
			return
		}
	default:
		j.contact = find(j.book.contacts, func(c *Contact) bool { return c.Status == active && strings.EqualFold(c.Name, w.Name) })
	}
	if j.contact != nil && j.contact.Status != active {
		j.problem("The contact has been archived.")
	}
	d.contact = j.contact
}

func (j *judge) when(d *document) {
	for _, date := range []struct {
		text string
		into *time.Time
		name string
	}{{cmp.Or(j.given.Date, j.given.DateString), &d.date, "Date"}, {j.given.DueDate, &d.due, "DueDate"}} {
		if date.text == "" {
			continue
		}
		at, ok := parseDate(date.text)
		if !ok {
			j.problem(date.name + " is not a valid date")
			continue
		}
		*date.into = at
	}
}

func (j *judge) line(d *document, w wireLine) *line {
	l := &line{id: cmp.Or(w.LineItemID, uuid.NewString()), description: w.Description, quantity: decimal.NewFromInt(1)}
	if strings.TrimSpace(w.Description) == "" {
		j.problem("Description must be provided.")
	} else if utf8.RuneCountInString(w.Description) > longestDescription {
		j.problem("Description must be 4000 characters or less")
	}
	if w.Quantity == nil && w.UnitAmount == nil && w.LineAmount == nil && w.AccountCode == "" && w.AccountID == "" {
		l.quantity, l.onlyText = decimal.Zero, true
		return l
	}
	if w.Quantity != nil {
		l.quantity = w.Quantity.Round(4)
	}
	switch {
	case w.UnitAmount != nil:
		l.unit = w.UnitAmount.Round(j.places)
	case w.LineAmount != nil && !l.quantity.IsZero():
		l.unit = w.LineAmount.DivRound(l.quantity, j.places)
	}
	l.amount = l.quantity.Mul(l.unit).Round(2)
	if w.LineAmount != nil && w.UnitAmount != nil && !w.LineAmount.Equal(l.amount) {
		j.problem("The line total " + w.LineAmount.String() + " does not match the expected line total " + l.amount.StringFixed(2))
	}
	if w.LineAmount != nil && w.UnitAmount == nil {
		l.amount = w.LineAmount.Round(2)
	}
	j.account(l, w)
	j.tax(d, l, w)
	return l
}

func (j *judge) account(l *line, w wireLine) {
	if w.AccountCode == "" && w.AccountID == "" {
		return
	}
	l.account = j.book.account(w.AccountCode, w.AccountID)
	if a := l.account; a == nil || a.Status != active || a.Type == "BANK" || a.SystemAccount == "DEBTORS" || a.SystemAccount == "CREDITORS" {
		j.problem("Account code '" + cmp.Or(w.AccountCode, w.AccountID) + "' is not a valid code for this document.")
	}
}

// tax fills in the account's tax type and the tax amount of the line if they are absent. The
// amount is rounded half away from zero.
func (j *judge) tax(d *document, l *line, w wireLine) {
	l.taxType = w.TaxType
	switch {
	case d.amounts == "NoTax":
		l.taxType = "NONE"
		return
	case l.taxType == "" && l.account != nil:
		l.taxType = l.account.TaxType
	case l.taxType == "":
		l.taxType = "NONE"
	}
	rate := j.book.taxRate(l.taxType)
	if rate == nil || cmp.Or(rate.Status, active) != active || rate.NotForExpenses {
		j.problem("The TaxType code '" + l.taxType + "' does not exist or cannot be used for this type of transaction.")
		return
	}
	hundred := decimal.NewFromInt(100)
	percent := decimal.RequireFromString(rate.Rate)
	l.tax = l.amount.Mul(percent).DivRound(hundred, 2)
	if d.amounts == "Inclusive" {
		l.tax = l.amount.Sub(l.amount.Mul(hundred).DivRound(hundred.Add(percent), 2))
	}
	if w.TaxAmount != nil {
		l.tax = w.TaxAmount.Round(2)
	}
}

func sum(d *document) {
	lines, tax := decimal.Zero, decimal.Zero
	for _, l := range d.lines {
		lines, tax = lines.Add(l.amount), tax.Add(l.tax)
	}
	d.net, d.tax, d.total = lines, tax, lines.Add(tax)
	if d.amounts == "Inclusive" {
		d.net, d.total = lines.Sub(tax), lines
	}
}

// status sets the requested status. An approved document must be complete.
func (j *judge) status(d *document) {
	from := draft
	if j.old != nil {
		from = j.old.status
	}
	if j.given.Status != "" {
		d.status = j.given.Status
		if !slices.Contains(transitions[from], d.status) || j.old == nil && d.status == deleted {
			j.problem("Invoice not of valid status for " + map[bool]string{true: "creation", false: "modification"}[j.old == nil])
		}
	}
	if d.total.IsNegative() {
		j.problem("The document total must not be negative.")
	}
	if d.status != authorised && d.status != submitted {
		return
	}
	if len(d.lines) == 0 {
		j.problem("One or more line items must be specified")
	}
	if j.kind == bills && d.due.IsZero() {
		j.problem("DueDate must be specified")
	}
	for _, l := range d.lines {
		if l.account == nil && !l.onlyText {
			j.problem("Account code must be specified")
			break
		}
	}
	if locked := j.book.organization.LockedUntil; !locked.IsZero() && !d.date.After(locked) {
		j.problem("The document date cannot be before the period lock date, currently set at " + locked.Format("02 Jan 2006"))
	}
}
