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
	kind, invoiced := "", false
	var reminds *segment // the title of a reminder
	for _, seg := range s.segments {
		if seg.page != 1 || seg.used {
			continue
		}
		found := textrules.KindOf(seg.text)
		if found == string(extraction.Proforma) {
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
		failure := extraction.NoInvoice(extraction.Kind(kind),
			"By its title the document is no invoice but of another kind: %s. Upload the invoice, or extract it with force if it is one.", strings.ReplaceAll(kind, "_", " "))
		if reminds != nil && failure.Kind == extraction.Reminder {
			failure.Numbers = s.namedInvoices()
		}
		return failure
	}
	return nil
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

// isCreditNote reports whether the document has the title of a credit note. In
// German, "Gutschrift" also means a self-billed invoice. Therefore the legal term for
// a credit note does not override the sign of the amounts.
func (s *parsedDocument) isCreditNote() (is bool, seg *segment) {
	for _, seg := range s.segments {
		if seg.page != 1 || seg.used || len(seg.labels) == 0 {
			continue
		}
		first := seg.labels[0]
		phrase := textrules.Fold(seg.text[seg.tokens[first.From].Start:seg.tokens[first.To-1].End])
		switch {
		case first.From > 0:
		case strings.Contains(textrules.Fold(seg.text), "selbst ausgestellt"), strings.Contains(textrules.Fold(seg.text), "self billed"), strings.Contains(textrules.Fold(seg.text), "self-billed"):
			return false, seg
		case first.Role == textrules.RoleCreditTitle, first.Role == textrules.RoleNumber && creditNumber(phrase):
			return true, seg
		case first.Role == textrules.RoleTitle && len(seg.tokens) <= first.To+4:
			return false, seg
		}
	}
	return false, nil
}

// maybeCredit reports whether a title in large type, or a text that is only the title of a credit
// note, contradicts that the document is an invoice.
func (s *parsedDocument) maybeCredit() bool {
	const large, longest = 1.25, 6
	for _, seg := range s.segments {
		if seg.page != 1 || seg.used || len(seg.tokens) == 0 || len(seg.tokens) > longest {
			continue
		}
		only := slices.ContainsFunc(seg.labels, func(m textrules.Match) bool {
			return m.Role == textrules.RoleCreditTitle && !m.Weak && m.From == 0 && m.To == len(seg.tokens)
		})
		// A letterhead can have these words as well: "Credit Services Ltd".
		titled := seg.y1-seg.y0 > large*s.height && !textrules.IsCompany(seg.text)
		if only || titled && correction.MatchString(textrules.Fold(seg.text)) {
			return true
		}
	}
	return false
}

// correction matches the words of titles of documents that correct or cancel an invoice.
var correction = textrules.MustPattern(`credit|gutschrift|storno|korrektur|cancel|annul|rectif|correct|rettif|kredit|\babono|accredit|hyvit|dobropis|koryg|korekt|devolu|reversal|refund|\biade`)

func creditNumber(phrase string) bool {
	for _, w := range []string{"credit", "gutschrift", "avoir", "kredit", "abono", "coryguj", "koryguj"} {
		if strings.Contains(phrase, w) {
			return true
		}
	}
	return false
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
