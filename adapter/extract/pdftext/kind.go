package pdftext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/domain/extraction"
	"docledger/domain/extraction/textrules"
)

// noInvoice returns the reason why a document is not an invoice, or nil if it may be
// one. The title decides: a document of another kind has its title and no title of an
// invoice.
func (s *parsedDocument) noInvoice() *extraction.Failure {
	if s.titledDelivery() {
		return otherKind(string(extraction.DeliveryNote))
	}
	kind, invoiced := "", false
	// The number of a proforma invoice has the label of an invoice's, perhaps above the title.
	if slices.ContainsFunc(s.segments, s.titledProforma) {
		kind = string(extraction.Proforma)
	}
	var reminds *segment // the title of a reminder
	for _, seg := range s.segments {
		if seg.page != 1 || seg.used || kind == string(extraction.Proforma) {
			continue
		}
		found := textrules.KindOf(seg.text)
		if found != "" && s.isLabel(seg) {
			found = ""
		}
		if found == string(extraction.Proforma) && !s.titledBeside(seg) {
			kind = found
			break
		}
		// A reminder names an invoice below its title: its number, or in the heading of a list.
		if s.titled(seg) && (reminds == nil || s.largerTitle(seg, reminds)) {
			return nil
		}
		// A proforma invoice also names who is billed, perhaps above its title.
		if invoiced = invoiced || kind == "" && invoicedTo(seg); invoiced {
			continue
		}
		if kind == "" && seg.line < 25 {
			kind = found
			if kind == string(extraction.Reminder) {
				reminds = seg
			}
		}
	}
	if kind != "" {
		failure := otherKind(kind)
		if reminds != nil && failure.Kind == extraction.Reminder {
			failure.Numbers = s.namedInvoices()
		}
		return failure
	}
	return nil
}

func otherKind(kind string) *extraction.Failure {
	return extraction.NoInvoice(extraction.Kind(kind),
		"By its title the document is no invoice but of another kind: %s. Upload the invoice, or extract it with force if it is one.", strings.ReplaceAll(kind, "_", " "))
}

// titledDelivery reports whether a text in large type is the title of a delivery note, and no text is the
// title of an invoice. A delivery note can also state the number of its invoice. Below the number of the
// invoice, the title heads the lines of a delivery.
func (s *parsedDocument) titledDelivery() bool {
	delivery := false
	for _, seg := range s.segments {
		if seg.page != 1 {
			continue
		}
		if hasRole(seg, textrules.RoleTitle, textrules.RoleCreditTitle) && (seg.labels[0].From == 0 || s.isLarge(seg)) || s.isLarge(seg) && textrules.NamesInvoice(seg.text) {
			return false
		}
		if !delivery && s.titled(seg) {
			return false
		}
		delivery = delivery || !seg.used && s.isLarge(seg) && textrules.KindOf(seg.text) == string(extraction.DeliveryNote)
	}
	return delivery
}

// titledProforma reports whether a text above the lines is the title of a proforma invoice and the only
// one in its line, or in large type.
func (s *parsedDocument) titledProforma(seg *segment) bool {
	return seg.page == 1 && !seg.used && (s.isLarge(seg) || len(s.lines[seg.line].segments) == 1 && !s.belowTable(seg)) &&
		textrules.KindOf(seg.text) == string(extraction.Proforma) && !s.titledBeside(seg)
}

// titledBeside reports whether a text that is also the title of an invoice has another one next to it. In
// Czech, "zálohová faktura" alone announces a payment, and with "daňový doklad" it is an invoice.
func (s *parsedDocument) titledBeside(seg *segment) bool {
	isOther := func(o *segment) bool { return o != seg && s.titled(o) && textrules.KindOf(o.text) == "" }
	if !s.titled(seg) || slices.ContainsFunc(s.lines[seg.line].segments, isOther) {
		return s.titled(seg)
	}
	// The second part of a title in two lines has its size and place.
	const near = 3 // lines
	for _, l := range s.lines[seg.line+1 : min(seg.line+1+near, len(s.lines))] {
		for _, o := range l.segments {
			below := o.page == seg.page && o.y0 >= seg.y0 && o.y0-seg.y1 < o.y1-o.y0
			sameType := abs((o.y1-o.y0)-(seg.y1-seg.y0)) < s.height/2
			if below && sameType && (abs(o.x0-seg.x0) < s.height || abs(o.x1-seg.x1) < s.height) && hasRole(o, textrules.RoleTitle) && isOther(o) {
				return true
			}
		}
	}
	return false
}

// largerTitle reports whether a segment is the title of an invoice or credit note in larger type than
// another title.
func (s *parsedDocument) largerTitle(seg, other *segment) bool {
	const larger = 1.1
	return seg.y1-seg.y0 > larger*(other.y1-other.y0) && hasRole(seg, textrules.RoleTitle, textrules.RoleCreditTitle)
}

// titled reports whether a segment is the title of an invoice or credit note.
func (s *parsedDocument) titled(seg *segment) bool {
	for _, label := range seg.labels {
		switch label.Role {
		case textrules.RoleTitle, textrules.RoleCreditTitle:
			if label.From == 0 && !listRow(s.lines[seg.line]) {
				return true
			}
		case textrules.RoleNumber:
			if !label.Weak && label.From <= 1 && !headsList(s.lines[seg.line]) && !listRow(s.lines[seg.line]) {
				return true
			}
		}
	}
	return false
}

// invoicedTo reports whether a segment is a label of the buyer with the word for an invoice: "Bill to:".
// Documents with the title of another kind have it as well.
func invoicedTo(seg *segment) bool {
	for _, label := range seg.labels {
		if label.Role != textrules.RoleBuyer {
			continue
		}
		first := seg.tokens[label.From : label.From+1]
		if alone := textrules.FindLabels(first); len(alone) > 0 && alone[0].Role == textrules.RoleTitle {
			return true
		}
	}
	return false
}

// listRow reports whether a line is a row of a list, such as an invoice in a
// statement: a date and amounts in one line.
func listRow(l *line) bool {
	const fewest = 4 // cells
	dated, amounts := false, 0
	for _, seg := range l.segments {
		dated = dated || len(seg.dates) > 0
		for i := range seg.amounts {
			if seg.amounts[i].showsMoney() {
				amounts++
			}
		}
	}
	return dated && amounts > 0 && len(l.segments) >= fewest
}

// headsList reports whether a line is the heading of a list, such as the list of
// invoices in a statement.
func headsList(l *line) bool {
	for _, seg := range l.segments {
		if hasDigit(seg.text) {
			return false
		}
	}
	return len(l.segments) > 2
}

// unreadable reports whether the text of a document cannot be decoded: most of its
// letters belong to no script, or none of its words is pronounceable.
func unreadable(segments []*segment) bool {
	letters, strange, labels := 0, 0, 0
	long, mute := 0, 0
	for _, seg := range segments {
		labels += len(seg.labels)
		for _, w := range seg.words {
			for _, r := range w.text {
				switch {
				case r == utf8.RuneError, unicode.Is(unicode.Co, r), r < 0x20:
					strange++
				case unicode.IsLetter(r), unicode.IsDigit(r):
					letters++
				}
			}
			if n := latinLetters(w.text); n >= 5 {
				long++
				if !strings.ContainsAny(textrules.Fold(w.text), "aeiouy") {
					mute++
				}
			}
		}
	}
	const enough = 20 // minimum number of letters for a decision
	if letters+strange < enough {
		return strange > letters
	}
	return strange*3 > letters || labels < 3 && long > 5 && mute*2 > long
}

func latinLetters(text string) int {
	n := 0
	for _, r := range text {
		if !unicode.Is(unicode.Latin, r) {
			return 0
		}
		n++
	}
	return n
}
