package xero

import (
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// Statuses of documents.
const (
	draft      = "DRAFT"
	submitted  = "SUBMITTED"
	authorised = "AUTHORISED"
	deleted    = "DELETED"
	voided     = "VOIDED"
)

// transitions are the statuses that a request may set, by the current status.
var transitions = map[string][]string{
	draft:      {draft, submitted, authorised, deleted},
	submitted:  {submitted, draft, authorised, deleted},
	authorised: {authorised, voided},
}

// wireDocument is a bill or credit note in a request.
type wireDocument struct {
	Type             string
	InvoiceID        string
	CreditNoteID     string
	Contact          *wireContact
	InvoiceNumber    *string
	CreditNoteNumber *string
	Reference        *string
	URL              *string `json:"Url"`
	Date             string
	DateString       string
	DueDate          string
	CurrencyCode     string
	CurrencyRate     *decimal.Decimal
	LineAmountTypes  string
	Status           string
	LineItems        []wireLine
}

type wireLine struct {
	LineItemID  string
	Description string
	Quantity    *decimal.Decimal
	UnitAmount  *decimal.Decimal
	AccountCode string
	AccountID   string
	TaxType     string
	TaxAmount   *decimal.Decimal
	LineAmount  *decimal.Decimal
}

func (w *wireDocument) id() string {
	if w.InvoiceID != "" {
		return w.InvoiceID
	}
	return w.CreditNoteID
}

func (w *wireDocument) number() *string {
	if w.InvoiceNumber != nil {
		return w.InvoiceNumber
	}
	return w.CreditNoteNumber
}

// writeBills creates documents. With POST it changes the documents that the request names.
func (s *Server) writeBills(k *kind) operation {
	return func(c *call) answer {
		var in struct{ Invoices, CreditNotes []wireDocument }
		if refused := readBody(c, &in); refused != nil {
			return *refused
		}
		given := in.Invoices
		if k == creditNotes {
			given = in.CreditNotes
		}
		places := unitPlaces(c.Request)
		at := c.PathValue("id")
		if at != "" && c.book.document(k, at) == nil {
			return missing()
		}
		return s.writeEach(c, k.plural, len(given), func(i int) (func() object, object, []string) {
			one := given[i]
			if at != "" {
				one.InvoiceID = at
			}
			j := &judge{book: c.book, kind: k, given: one, places: places, now: s.Kit.Clock.Now()}
			d := j.document(c.Method)
			commit := func() object {
				if j.old == nil {
					d.client, d.created = c.grant.client, j.now
				}
				c.book.commit(j, d)
				return render(d, places, true)
			}
			return commit, shownRefused(k, one), j.problems
		})
	}
}

// shownRefused is a refused document as received.
func shownRefused(k *kind, w wireDocument) object {
	id := w.id()
	if id == "" {
		id = uuid.Nil.String()
	}
	out := object{{"Type", w.Type}, {k.id, guid(id)}}
	if n := w.number(); n != nil {
		out = out.with(k.number, *n)
	}
	return out
}

// unitPlaces is unitdp: the number of decimal places of a unit amount.
func unitPlaces(r *http.Request) int32 {
	if r.URL.Query().Get("unitdp") == "4" {
		return 4
	}
	return 2
}

func (b *book) document(k *kind, id string) *document {
	if d := b.byID[strings.ToLower(id)]; d != nil && d.kind.plural == k.plural {
		return d
	}
	return nil
}

// commit stores a valid document.
func (b *book) commit(j *judge, d *document) {
	if w := j.given.Contact; w != nil {
		d.contact = b.put(j.contact, *w, j.now) // the other contact fields change the contact
	}
	d.contact.IsSupplier = true
	d.updated, d.brief = j.now, nil
	if j.old != nil {
		*j.old = *d
		return
	}
	b.documents = append(b.documents, d)
	b.byID[d.id] = d
}

// getBill finds a document by id. It also finds a bill by number, and returns the newest of
// several.
func (s *Server) getBill(k *kind) operation {
	return func(c *call) answer {
		d := c.book.document(k, c.PathValue("id"))
		for i := len(c.book.documents) - 1; d == nil && i >= 0; i-- {
			if o := c.book.documents[i]; o.kind.plural == k.plural && o.number != "" && o.number == c.PathValue("id") {
				d = o
			}
		}
		if d == nil {
			return missing()
		}
		return s.list(k.plural, []object{render(d, unitPlaces(c.Request), true)}, nil)
	}
}

// listBills lists documents in the order of their creation. Without page it lists all of them
// without their lines.
func (s *Server) listBills(k *kind) operation {
	return func(c *call) answer {
		q := c.URL.Query()
		ids, numbers := commaSet(q.Get("IDs")), commaSet(q.Get(k.number+"s"))
		of, statuses := commaSet(q.Get("ContactIDs")), commaSet(q.Get("Statuses"))
		mine := strings.EqualFold(q.Get("createdByMyApp"), "true")
		has := func(set map[string]bool, value string) bool { return len(set) == 0 || set[strings.ToLower(value)] }
		var out []object
		for _, d := range c.book.documents {
			if d.kind.plural == k.plural && has(ids, d.id) && has(numbers, d.number) && has(of, d.contact.ID) && has(statuses, d.status) &&
				(!mine || d.client == c.grant.client) {
				out = append(out, d.briefly())
			}
		}
		if !q.Has("page") {
			return s.whole(c, k.plural, out)
		}
		return s.pages(c, k.plural, out, func(o object) object {
			id, _ := o.get(k.id)
			return render(c.book.byID[string(id.(guid))], unitPlaces(c.Request), true)
		})
	}
}

// render returns a document as in a response, with or without its lines.
func render(d *document, places int32, whole bool) object {
	out := object{{"Type", d.kind.document}, {d.kind.id, guid(d.id)}}.with(d.kind.number, d.number)
	if d.kind == bills {
		out = append(out, member{"Reference", d.reference}, member{"Prepayments", []object{}}, member{"Overpayments", []object{}},
			member{"AmountDue", money(d.left())}, member{"AmountPaid", money(decimal.Zero)}, member{"AmountCredited", money(d.settled)},
			member{"SentToContact", false}, member{"IsDiscounted", false})
	} else {
		out = append(out, member{"RemainingCredit", money(d.left())}, member{"Allocations", renderAllocations(d)})
	}
	out = append(out, member{"Payments", []object{}}, member{"HasErrors", false},
		member{"Contact", object{{"ContactID", guid(d.contact.ID)}, {"Name", d.contact.Name}}},
		member{"DateString", d.date.Format("2006-01-02T15:04:05")}, member{"Date", day(d.date)})
	if !d.due.IsZero() {
		out = append(out, member{"DueDateString", d.due.Format("2006-01-02T15:04:05")}, member{"DueDate", day(d.due)})
	}
	lines := []object{}
	if whole {
		for _, l := range d.lines {
			lines = append(lines, renderLine(l, places))
		}
	}
	return append(out, member{"Status", d.status}, member{"LineAmountTypes", d.amounts}, member{"LineItems", lines},
		member{"SubTotal", money(d.net)}, member{"TotalTax", money(d.tax)}, member{"Total", money(d.total)},
		member{"UpdatedDateUTC", updated(d.updated)}, member{"CurrencyCode", d.currency}, member{"CurrencyRate", amount{d.rate, 10}},
		member{"HasAttachments", len(d.attachments) > 0}).with("Url", d.link)
}

// briefly returns a document without its lines, as lists and filters need it.
func (d *document) briefly() object {
	if name, _ := d.brief.get("Contact.Name"); d.brief == nil || name != d.contact.Name {
		d.brief = render(d, 2, false)
	}
	return d.brief
}

func renderLine(l *line, places int32) object {
	out := object{{"LineItemID", guid(l.id)}}.with("Description", l.description)
	if l.onlyText {
		return append(out, member{"Tracking", []object{}})
	}
	out = append(out, member{"UnitAmount", amount{l.unit, places}}, member{"TaxType", l.taxType}, member{"TaxAmount", money(l.tax)},
		member{"LineAmount", money(l.amount)})
	if l.account != nil {
		out = out.with("AccountCode", l.account.Code).with("AccountID", guid(l.account.ID))
	}
	return append(out, member{"Tracking", []object{}}, member{"Quantity", amount{l.quantity, 4}})
}
