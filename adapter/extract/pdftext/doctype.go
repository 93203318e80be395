package pdftext

import (
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// largeTitle is how many times as high as the text of the page a title in large type is. Letters with
// accents are up to 1.39 times as high.
const largeTitle = 1.4

// readType reads whether the document is an invoice or a credit note. Its title decides. A text that
// contradicts it makes the type uncertain.
func (s *parsedDocument) readType(d *draft) {
	is, seg := s.isCreditNote()
	confidence := likely
	if seg == nil {
		confidence = probable
	}
	switch {
	case is:
		if s.maybeInvoice(seg) {
			confidence = contestedConfidence
		}
	case s.maybeCredit():
		confidence = contestedConfidence
		if title := s.correctingTitle(); seg == nil && title != nil {
			is, seg = true, title
		}
	case seg == nil && !s.namesInvoice(), s.titledOtherwise():
		confidence = contestedConfidence
	}
	if is {
		d.content.Type = invoice.TypeCreditNote
	}
	d.recordEvidence("document_type", confidence, seg, 0, 0)
}

// settleType lowers the confidence of an invoice with negative totals: it can be a credit note. With
// another text of a credit note it is one.
func (s *parsedDocument) settleType(d *draft) {
	e, ok := d.fields["document_type"]
	if ok && e.Page == 0 && s.unknownTitle(d.content.Seller.Name, d.content.Buyer.Name) {
		e.Confidence = min(e.Confidence, contestedConfidence)
		d.fields["document_type"] = e
	}
	if !ok || d.content.Type != invoice.TypeInvoice || !d.content.Negative() {
		return
	}
	if e.Confidence <= contestedConfidence && s.maybeCredit() {
		d.content.Type = invoice.TypeCreditNote
	}
	e.Confidence = min(e.Confidence, contestedConfidence)
	d.fields["document_type"] = e
}

// isCreditNote reports whether the document has the title of a credit note, and returns the title. In
// German, "Gutschrift" also means a self-billed invoice. Therefore the legal term for a credit note does
// not override the sign of the amounts.
func (s *parsedDocument) isCreditNote() (is bool, seg *segment) {
	for _, seg := range s.segments {
		if seg.page != 1 || seg.used {
			continue
		}
		if textrules.StatesSelfBilling(seg.tokens, seg.text) {
			return false, seg
		}
		if len(seg.labels) == 0 {
			continue
		}
		if seg.statesCreditNumber() {
			return true, seg
		}
		if seg.isSentence() {
			continue
		}
		first, last := seg.labels[0], seg.labels[len(seg.labels)-1]
		phrase := seg.text[seg.tokens[first.From].Start:seg.tokens[first.To-1].End]
		if !hasDigit(seg.text) {
			phrase = seg.text // "Nr faktury korygującej"
		}
		switch {
		case first.From > 1 || first.From == 1 && (first.Role != textrules.RoleCreditTitle || !textrules.IsNumberSign(seg.tokens[0].Text)):
		case first.Role == textrules.RoleCreditTitle && s.isRow(seg, first):
		case first.Role == textrules.RoleCreditTitle, (first.Role == textrules.RoleNumber || first.Role == textrules.RoleIssueDate) && textrules.Corrects(phrase):
			return true, seg
		case first.Role == textrules.RoleTitle && len(seg.tokens) <= first.To+4:
			return false, seg
		}
		// "Statement of charges / invoice"
		const longest = 6
		if last.Role == textrules.RoleTitle && !last.Weak && last.To == len(seg.tokens) && len(seg.tokens) <= longest && s.isLarge(seg) {
			return false, seg
		}
	}
	return false, nil
}

// isRow reports whether a text with a word for a credit at its beginning is no title: a row with an amount,
// a text below the lines, or a weak word with other words, such as "Credit card" and "Storno bis 18 Uhr".
func (s *parsedDocument) isRow(seg *segment, label textrules.Match) bool {
	if s.isLarge(seg) {
		return false
	}
	money := slices.ContainsFunc(seg.amounts, func(a amount) bool { return a.showsMoney() })
	words := slices.ContainsFunc(seg.tokens[label.To:], func(t textrules.Token) bool {
		return !hasDigit(t.Text) && !textrules.IsNumberSign(t.Text)
	})
	return money || s.amountRight(seg) || s.belowTable(seg) || label.Weak && words
}

// isSentence reports whether a segment is a sentence, even of few words: it is no title.
func (seg *segment) isSentence() bool {
	const few = 2
	words := 0
	for _, w := range seg.words {
		if strings.IndexFunc(w.text, unicode.IsLower) >= 0 {
			words++
		}
	}
	labelled := slices.ContainsFunc(seg.labels, func(m textrules.Match) bool { return m.To == len(seg.tokens) }) // "Invoice no."
	return seg.isProse() || words > few && strings.HasSuffix(seg.text, ".") && !labelled
}

// maybeCredit reports whether a title or a statement contradicts that the document is an invoice.
func (s *parsedDocument) maybeCredit() bool {
	return s.correctingTitle() != nil || slices.ContainsFunc(s.segments, func(seg *segment) bool {
		return seg.page == 1 && !seg.used && textrules.StatesCorrection(seg.tokens, seg.text)
	})
}

// correctingTitle returns a text that is only the title of a credit note, or a text in large type or
// above the lines with a word of corrections or credit; nil if there is none.
func (s *parsedDocument) correctingTitle() *segment {
	const longest = 6
	for _, seg := range s.segments {
		if seg.page != 1 || seg.used || len(seg.tokens) == 0 || len(seg.tokens) > longest {
			continue
		}
		only := slices.ContainsFunc(seg.labels, func(m textrules.Match) bool {
			return m.Role == textrules.RoleCreditTitle && !m.Weak && m.From == 0 && m.To == len(seg.tokens)
		})
		// A letterhead can have these words as well: "Credit Services Ltd".
		if only || textrules.Corrects(seg.text) && !textrules.IsCompany(seg.text) && (s.isLarge(seg) || s.standsAlone(seg)) {
			return seg
		}
	}
	return nil
}

// standsAlone reports whether a text above the lines is the only one in its line, without a label.
func (s *parsedDocument) standsAlone(seg *segment) bool {
	const most = 3 // words
	return !s.belowTable(seg) && len(s.lines[seg.line].segments) == 1 && len(seg.words) <= most && !hasDigit(seg.text) &&
		!slices.ContainsFunc(seg.labels, func(m textrules.Match) bool {
			return m.Role != textrules.RoleCreditTitle && m.Role != textrules.RoleTitle
		})
}

// maybeInvoice reports whether a text contradicts that the document is a credit note: a title of an
// invoice in larger type, or a statement of self-billing.
func (s *parsedDocument) maybeInvoice(title *segment) bool {
	return slices.ContainsFunc(s.segments, func(seg *segment) bool {
		return seg.page == 1 && !seg.used && (textrules.StatesSelfBilling(seg.tokens, seg.text) ||
			!seg.isSentence() && s.largerTitle(seg, title) && seg.labels[0].Role == textrules.RoleTitle && seg.labels[0].From == 0)
	})
}

// namesInvoice reports whether a label or a text in large type has the word for an invoice.
func (s *parsedDocument) namesInvoice() bool {
	return slices.ContainsFunc(s.segments, func(seg *segment) bool {
		return s.isLarge(seg) && textrules.NamesInvoice(seg.text) || slices.ContainsFunc(seg.labels, func(m textrules.Match) bool {
			return (m.Role == textrules.RoleTitle || m.Role == textrules.RoleNumber && !m.Weak) && m.From <= 1 && !seg.isSentence()
		})
	})
}

// titledOtherwise reports whether a text in large type is the title of a document of another kind.
func (s *parsedDocument) titledOtherwise() bool {
	return slices.ContainsFunc(s.segments, func(seg *segment) bool {
		return seg.page == 1 && !seg.used && s.isLarge(seg) && textrules.KindOf(seg.text) != ""
	})
}

// isLarge reports whether a text is in large type.
func (s *parsedDocument) isLarge(seg *segment) bool { return seg.y1-seg.y0 > largeTitle*s.height }

// isLabel reports whether a text that can be the title of another kind of document is a label of a
// value, such as the number of an order: "Pedido: 17", or a heading above it.
func (s *parsedDocument) isLabel(seg *segment) bool {
	labelled := slices.ContainsFunc(seg.labels, func(m textrules.Match) bool {
		return m.From == 0 && (m.Role == textrules.RoleOrder || m.Role == textrules.RoleOtherNumber)
	})
	return labelled && !s.isLarge(seg) && (strings.HasSuffix(strings.TrimSpace(seg.text), ":") || len(s.lines[seg.line].segments) > 1) && s.namesInvoice()
}

// unknownTitle reports whether a text in large type above the lines can be an unknown title: it is no
// name of a party, and not at the top of the page, where logos are.
func (s *parsedDocument) unknownTitle(seller, buyer string) bool {
	const longest = 3
	for _, seg := range s.segments {
		if seg.page != 1 || seg.used || seg.line == 0 || len(seg.labels) > 0 || len(seg.words) > longest || hasDigit(seg.text) || !s.isLarge(seg) || s.belowTable(seg) {
			continue
		}
		name := trimName(seg.text)
		if strings.ContainsFunc(name, unicode.IsLetter) && !textrules.NamesInvoice(name) && !textrules.IsCompany(name) && !sharesWord(name, seller) && !sharesWord(name, buyer) {
			return true
		}
	}
	return false
}

// statesCreditNumber reports whether a label of the number of a credit note is in a segment, with a
// colon: "Date: 2 May Credit note no.: 17".
func (seg *segment) statesCreditNumber() bool {
	return slices.ContainsFunc(seg.labels, func(m textrules.Match) bool {
		from, to := seg.tokens[m.From].Start, seg.tokens[m.To-1].End
		return m.Role == textrules.RoleNumber && strings.HasPrefix(strings.TrimLeft(seg.text[to:], ". "), ":") && textrules.Corrects(seg.text[from:to])
	})
}
