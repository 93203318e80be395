// Package pdftext extracts invoices from the words of PDF pages, without templates.
// It uses labels and the positions of their values, the geometry of tables, and the
// arithmetic of totals.
//
// A value is correct or marked as uncertain. A value that other content of the
// document confirms has a high confidence. An ambiguous value has a low confidence
// and lists its alternatives. A value that is not stated stays empty.
package pdftext

import (
	"slices"

	"docledger/adapter/extract/layout"
	"docledger/domain/extraction"
	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// fewWords is the minimum number of words of a document. A document with fewer words
// may be a scan with a stamp.
const fewWords = 8

// Options configure an extraction. The zero value is ready to use.
type Options struct {
	// Forced reports that a user declared the document to be an invoice, regardless
	// of its title.
	Forced bool
	// DateOrder is the order of ambiguous dates in the entity's documents.
	DateOrder extraction.DateOrder
	// Readings requests the printed texts that can be values.
	Readings bool
}

// Read returns the invoice on the pages. A document without text, with text that
// cannot be decoded, or that is not an invoice is an *extraction.Failure.
func Read(pages []layout.Page, o Options) (*extraction.Draft, error) {
	return read(pages, o, nil)
}

func read(pages []layout.Page, o Options, learn *training) (*extraction.Draft, error) {
	s := parseDocument(pages)
	s.dates = o.DateOrder
	if s.training = learn; learn != nil && learn.seed != "" {
		s.maskLabels(learn.seed)
	}
	words := 0
	for _, seg := range s.segments {
		words += len(seg.words)
	}
	if words < fewWords {
		return nil, extraction.Fail(extraction.NoTextLayer,
			"The document contains no readable text. Ask the sender for the original PDF or an e-invoice.")
	}
	if unreadable(s.segments) {
		return nil, extraction.Fail(extraction.NoTextLayer,
			"The text of the PDF cannot be decoded, because its fonts do not map glyphs to letters. Print it to a new PDF, or ask the sender for an e-invoice.")
	}
	s.readAmounts()
	t := s.chooseTable()
	if failure := s.noInvoice(); failure != nil && !o.Forced {
		return nil, failure
	}
	d := &draft{content: invoice.Content{Type: invoice.TypeInvoice}, fields: map[string]invoice.Evidence{}}
	sums := s.findTotals()
	if len(sums.rows) == 0 && len(t.items) == 0 && !s.anyTitle() {
		return nil, extraction.NoInvoice(extraction.Other,
			"The document states no amounts and does not call itself an invoice. Upload the invoice, or extract it with force if it is one.")
	}
	s.readType(d)
	s.readParties(d)
	s.readCurrency(d)
	s.order = s.dateOrder(d)
	s.readHeader(d)
	s.readLines(d, t)
	s.readTotals(d, sums, t)
	s.settleType(d)
	if turned := d.content.TurnSigns(); turned != nil {
		d.checks = append(d.checks, *turned)
	}
	out := &extraction.Draft{Content: d.content, Fields: d.fields, Checks: d.checks}
	if o.Readings {
		out.Readings = s.readings()
	}
	return out, nil
}

func (s *parsedDocument) anyTitle() bool {
	for _, seg := range s.segments {
		if seg.page == 1 && (s.titled(seg) || invoicedTo(seg)) {
			return true
		}
	}
	return false
}

// readHeader reads numbers and dates.
func (s *parsedDocument) readHeader(d *draft) {
	c := &d.content
	var issued found
	if f, confidence, ok := s.chooseNumber(); ok {
		c.Number = f.value
		d.recordEvidence("invoice_number", confidence, f.seg, f.from, f.to, f.alternatives...)
	}
	if f, confidence, ok := s.chooseDate(textrules.RoleIssueDate); ok {
		c.IssueDate = f.date
		s.issued, issued = f.date, f
		d.recordDate("issue_date", confidence, f)
	} else if f, ok := s.onlyDate(); ok {
		c.IssueDate = f.date
		confidence := doubtful
		if placeAndDate.MatchString(f.seg.text) {
			confidence = probable
		}
		d.recordDate("issue_date", confidence, f)
	}
	if f, confidence, ok := s.chooseDate(textrules.RoleDueDate); ok {
		c.DueDate = f.date
		if c.DueDate.Before(c.IssueDate) {
			confidence = min(confidence, doubtful)
		}
		d.recordDate("due_date", confidence, f)
	} else {
		s.doubtIssueDate(d, &issued)
	}
	s.dueFromTerms(d)
	if f, confidence, ok := choose(s.datesOf(textrules.RoleDelivery)); ok && confidence > open {
		c.DeliveryDate = f.date
		d.recordDate("delivery_date", confidence, f)
	}
	if f, ok := s.labelled(textrules.RoleOrder); ok {
		c.PurchaseOrder = f.value
		d.recordEvidence("purchase_order", probable, f.seg, f.from, f.to)
	}
	s.readPayment(d)
}

// recordDate records a date; an ambiguous date requires a review.
func (d *draft) recordDate(path string, confidence float64, f found) {
	if f.ambiguous {
		confidence = min(confidence, open)
	}
	d.recordEvidence(path, confidence, f.seg, f.from, f.to, f.alternatives...)
}

// placeAndDate matches the date line of a letter: "Paris, le 7 mai 2024".
var placeAndDate = textrules.MustPattern(`^\p{Lu}[\p{L} .-]+, (?:le|den|li|em|a|dnia|the|d\.) `)

// onlyDate returns the date of a document with a single date outside its table and no
// labelled date.
func (s *parsedDocument) onlyDate() (found, bool) {
	var out found
	n := 0
	for _, seg := range s.segments {
		if seg.used {
			continue
		}
		for _, p := range seg.dates {
			date, alternative, ok := s.readDate(p)
			if !ok || n > 0 && date == out.date {
				continue
			}
			n++
			from, to := seg.wordsAt(p.Start, p.End)
			out = found{value: date.String(), date: date, seg: seg, from: from, to: to}
			if alternative != nil {
				out.alternatives, out.ambiguous = []string{alternative.String()}, true
			}
		}
	}
	if n != 1 || len(s.datesOf(textrules.RoleDueDate)) > 0 || len(s.datesOf(textrules.RoleOtherDate)) > 0 {
		return out, false
	}
	return out, true
}

// labelled returns the identifier at the first label of a role.
func (s *parsedDocument) labelled(role textrules.Role) (found, bool) {
	for i, l := range s.lines {
		for k, seg := range l.segments {
			if seg.used {
				continue
			}
			for m, label := range seg.labels {
				if label.Role != role {
					continue
				}
				for _, p := range s.places(i, k, m) {
					if f, ok := s.identifier(p); ok {
						return f, true
					}
				}
			}
		}
	}
	return found{}, false
}

// readParties reads names and tax identifiers of seller and buyer.
func (s *parsedDocument) readParties(d *draft) {
	c := &d.content
	seller, buyer := s.chooseParties()
	if seller.name != "" {
		c.Seller.Name = seller.name
		d.recordEvidence("seller.name", s.nameSure(seller.name, seller.confidence), seller.seg, 0, 0, seller.alternatives...)
	}
	if buyer.name != "" {
		c.Buyer.Name = buyer.name
		d.recordEvidence("buyer.name", s.nameSure(buyer.name, buyer.confidence), buyer.seg, 0, 0, buyer.alternatives...)
	} else {
		// A review decides whether no buyer is stated or the buyer was not
		// recognized, unless nothing on the pages looks like a buyer.
		d.fields["buyer.name"] = invoice.Evidence{Source: invoice.FromText, Confidence: max(doubtful, buyer.confidence)}
	}
	s.readAddresses(d, s.findParties(), seller, buyer)
	ofSeller, ofBuyer := s.assignTaxIDs(s.taxIDs(), seller.seg, buyer.seg)
	if f, confidence, ok := s.chooseTaxID(seller.seg, buyer.seg); ok {
		c.Seller.TaxID = f.value
		isIt := func(id taxID) bool { return squeeze(id.id) == squeeze(f.value) }
		if slices.ContainsFunc(ofBuyer, isIt) && !slices.ContainsFunc(ofSeller, isIt) || !s.nextTo(f.seg, seller.seg) &&
			slices.ContainsFunc(ofSeller, func(id taxID) bool { return !isIt(id) && s.nextTo(id.seg, seller.seg) }) {
			confidence = min(confidence, contestedConfidence) // it is near another name
		}
		if s.ownedByOther(f.seg, seller.name, buyer.name) || seller.confidence < contestedConfidence && s.nextTo(f.seg, seller.seg) {
			confidence = min(confidence, contestedConfidence) // the name near it can be the buyer's
		}
		d.recordEvidence("seller.tax_id", confidence, f.seg, f.from, f.to, f.alternatives...)
		ofBuyer = slices.DeleteFunc(ofBuyer, isIt)
	} else if models()[rankTaxID] == nil {
		d.taxID("seller.tax_id", &c.Seller.TaxID, ofSeller)
	}
	d.taxID("buyer.tax_id", &c.Buyer.TaxID, ofBuyer)
}

// nextTo reports whether two segments are within a few lines of a page.
func (s *parsedDocument) nextTo(a, b *segment) bool {
	const lines = 6
	return a != nil && b != nil && a.page == b.page && abs(a.y0-b.y0) < lines*1.5*s.height
}

// nameSure lowers the confidence of names in scripts that a PDF may store in visual
// order.
func (s *parsedDocument) nameSure(name string, confidence float64) float64 {
	if textrules.IsRightToLeft(name) {
		return min(confidence, doubtful)
	}
	return confidence
}

func (d *draft) taxID(path string, to *string, ids []taxID) {
	if len(ids) == 0 {
		return
	}
	best := ids[0]
	for _, id := range ids {
		if id.valid && !best.valid {
			best = id
		}
	}
	confidence := likely
	for _, id := range ids {
		if squeeze(id.id) != squeeze(best.id) && id.valid == best.valid {
			confidence = doubtful
		}
	}
	if best.valid {
		confidence += 0.05
	}
	*to = best.id
	d.recordEvidence(path, confidence, best.seg, 0, 0)
}
