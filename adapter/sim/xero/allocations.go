package xero

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

const paid = "PAID" // set only by the provider

// wireAllocation is an allocation in a request.
type wireAllocation struct {
	Invoice struct{ InvoiceID string }
	Amount  decimal.Decimal
	Date    string
}

// allocate sets parts of a credit note against bills. Both must be approved, and have the same
// supplier and currency. A document without a remainder becomes PAID.
func (s *Server) allocate(c *call) answer {
	note := c.book.document(creditNotes, c.PathValue("id"))
	if note == nil {
		return missing()
	}
	var in struct{ Allocations []wireAllocation }
	if refused := readBody(c, &in); refused != nil {
		return *refused
	}
	return s.writeEach(c, "Allocations", len(in.Allocations), func(i int) (func() object, object, []string) {
		given := in.Allocations[i]
		bill := c.book.document(bills, given.Invoice.InvoiceID)
		at, ok := parseDate(given.Date)
		if !ok {
			at = s.Kit.Clock.Now().Truncate(24 * time.Hour)
		}
		shown := object{{"Amount", money(given.Amount)}}
		if problem := allocationProblem(note, bill, given.Amount); problem != "" {
			return nil, shown, []string{problem}
		}
		return func() object {
			a := allocation{uuid.NewString(), bill, given.Amount.Round(2), at}
			note.allocations = append(note.allocations, a)
			for _, d := range []*document{note, bill} {
				if d.settled = d.settled.Add(a.amount); !d.left().IsPositive() {
					d.status = paid
				}
				d.updated, d.brief = s.Kit.Clock.Now(), nil
			}
			return renderAllocation(a)
		}, shown, nil
	})
}

func allocationProblem(note, bill *document, amount decimal.Decimal) string {
	switch {
	case bill == nil:
		return "The invoice could not be found."
	case note.status != authorised || bill.status != authorised:
		return "Only approved credit notes can be allocated, to approved invoices."
	case note.contact != bill.contact || note.currency != bill.currency:
		return "The contact and currency of the credit note and the invoice must be the same."
	case !amount.IsPositive() || amount.GreaterThan(note.left()) || amount.GreaterThan(bill.left()):
		return "The amount is greater than what is outstanding."
	}
	return ""
}

func renderAllocations(d *document) []object {
	out := []object{}
	for _, a := range d.allocations {
		out = append(out, renderAllocation(a))
	}
	return out
}

func renderAllocation(a allocation) object {
	return object{
		{"AllocationID", guid(a.id)}, {"Amount", money(a.amount)}, {"Date", day(a.date)},
		{"Invoice", object{{"InvoiceID", guid(a.bill.id)}, {"InvoiceNumber", a.bill.number}}},
	}
}
