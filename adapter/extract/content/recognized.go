package content

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
	"docledger/domain/extraction"
	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// What recognition says of a value lowers the confidence that the rules give it.
const (
	// surelyRead is the confidence of a character from which it is believed.
	surelyRead = 0.9
	// nameRead is that for names, of which a person sees a wrong letter.
	nameRead = 0.7
	// confirmed is the confidence of the rules for what arithmetic or a checksum
	// confirms.
	confirmed = 0.97
	// uncertain is the confidence of a value that may be another.
	uncertain = 0.6
)

// maxTries is how many words are exchanged for another reading to make the
// totals agree.
const maxTries = 12

// Pages returns the invoice that words state, of which some were recognized in
// images. A character that is easily taken for another is settled where a
// checksum or the arithmetic of the totals leaves one reading; elsewhere the
// value is uncertain and names the other readings.
func Pages(pages []layout.Page, options pdftext.Options) (*extraction.Result, error) {
	pages = settleNumbers(pages)
	draft, err := pdftext.Read(pages, options)
	if err != nil {
		return nil, err
	}
	draft = settleTotals(pages, draft, options)
	doubt(pages, draft)
	return &extraction.Result{Method: invoice.Text, PageCount: len(pages), Drafts: []extraction.Draft{*draft}}, nil
}

// lookalikes are letters that recognition takes for digits, and the digits.
var lookalikes = map[rune]rune{
	'O': '0', 'o': '0', 'Q': '0', 'D': '0', 'I': '1', 'l': '1', 'i': '1', '|': '1', 'S': '5', 's': '5', 'B': '8', 'Z': '2', 'z': '2', 'G': '6',
}

// amountShape is an amount in which letters may stand for digits: it ends in a
// separator and two places.
var amountShape = regexp.MustCompile(`^[-+(]?[0-9OoQDIli|SsBZzG]{1,3}(?:[.,'’][0-9OoQDIli|SsBZzG]{3})*[.,][0-9OoQDIli|SsBZzG]{2}[)-]?$`)

// settleNumbers writes digits for the letters inside of amounts, which can mean
// nothing else, and corrects account numbers whose checksum leaves one reading.
func settleNumbers(pages []layout.Page) []layout.Page {
	pages = slices.Clone(pages)
	for i := range pages {
		pages[i].Words = slices.Clone(pages[i].Words)
		words := pages[i].Words
		for k := range words {
			w := &words[k]
			settleWord(w)
			if w.Recognized == nil || !amountShape.MatchString(w.Text) || !strings.ContainsFunc(w.Text, isLookalike) || digits(w.Text) < 2 {
				continue
			}
			replace(w, strings.Map(func(r rune) rune {
				if d, ok := lookalikes[r]; ok {
					return d
				}
				return r
			}, w.Text))
		}
		settleIBANs(words)
	}
	return pages
}

// settleWord writes a word of labels, or the legal form of a company, for one that
// means nothing and was read less surely.
func settleWord(w *layout.Word) {
	if w.Text == "" || w.Recognized == nil || w.Recognized.Confidence >= surelyRead || unicode.IsDigit(rune(w.Text[0])) || meant(w.Text) {
		return
	}
	for _, other := range w.Recognized.Alternatives {
		if meant(other) {
			replace(w, other)
			return
		}
	}
}

func meant(word string) bool { return textrules.KnownWord(word) || textrules.IsLegalForm(word) }

func isLookalike(r rune) bool { return lookalikes[r] != 0 }

func digits(s string) (n int) {
	for _, r := range s {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// replace gives a word another text and keeps the one that was recognized.
func replace(w *layout.Word, text string) {
	r := *w.Recognized
	r.Alternatives = append([]string{w.Text}, r.Alternatives...)
	w.Text, w.Recognized = text, &r
}

// ibanStart is how an account number begins.
var ibanStart = regexp.MustCompile(`^[A-Z]{2}[0-9OoQDIlSBZG]{2}`)

// maxIBANWords is how many words an account number is printed in.
const maxIBANWords = 10

// settleIBANs corrects account numbers that are wrong by one character.
func settleIBANs(words []layout.Word) {
	for i := range words {
		if words[i].Recognized == nil || !ibanStart.MatchString(words[i].Text) {
			continue
		}
		for n := min(maxIBANWords, len(words)-i); n > 0; n-- {
			if settleIBAN(words[i : i+n]) {
				break
			}
		}
	}
}

// settleIBAN says whether words are an account number. It corrects one that a
// single exchange makes valid, if it is the only one.
func settleIBAN(words []layout.Word) bool {
	text := ""
	for _, w := range words {
		if w.Recognized == nil {
			return false
		}
		text += w.Text
	}
	if len(text) < 15 || len(text) > 34 {
		return false
	}
	if valid, _ := invoice.ValidIBAN(text); valid {
		return true
	}
	found, at := "", 0
	for i := range words {
		for _, other := range readings(words[i].Text, words[i].Recognized.Alternatives) {
			all := ""
			for k := range words {
				if k == i {
					all += other
				} else {
					all += words[k].Text
				}
			}
			if valid, _ := invoice.ValidIBAN(all); valid && found != other {
				if found != "" {
					return false
				}
				found, at = other, i
			}
		}
	}
	if found == "" {
		return false
	}
	replace(&words[at], found)
	return true
}

// readings are the texts that a word may be too: those that recognition named,
// and those with one character exchanged for one that looks like it.
func readings(text string, named []string) []string {
	out := slices.Clone(named)
	runes := []rune(text)
	for i, r := range runes {
		for letter, digit := range lookalikes {
			other := rune(0)
			switch r {
			case letter:
				other = digit
			case digit:
				other = letter
			}
			if other == 0 || unicode.IsLower(other) || other == '|' {
				continue
			}
			changed := slices.Clone(runes)
			changed[i] = other
			if s := string(changed); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// settleTotals exchanges one amount after the other for another reading where
// the totals are not confirmed, and keeps an exchange that confirms them, if
// all such agree on the total.
func settleTotals(pages []layout.Page, draft *extraction.Draft, o pdftext.Options) *extraction.Draft {
	if totalsConfirmed(draft) {
		return draft
	}
	var found *extraction.Draft
	tries := 0
	for i := range pages {
		for k := range pages[i].Words {
			w := &pages[i].Words[k]
			if w.Recognized == nil || digits(w.Text) < 2 || w.Recognized.Confidence >= surelyRead || !amountShape.MatchString(w.Text) {
				continue
			}
			for _, other := range w.Recognized.Alternatives {
				if digits(other) < 2 || tries == maxTries {
					continue
				}
				tries++
				kept := *w
				replace(w, other)
				again, err := pdftext.Read(pages, o)
				*w = kept
				if err != nil || !totalsConfirmed(again) {
					continue
				}
				if found != nil && !sameAmount(found.Content.GrossTotal, again.Content.GrossTotal) {
					return draft
				}
				found = again
			}
		}
	}
	if found != nil {
		return found
	}
	return draft
}

// totalsConfirmed reports whether the stated net and tax totals add up to the
// gross total, of which the rules are sure. The confidence alone is no
// confirmation: the rules leave out an amount that does not fit.
func totalsConfirmed(d *extraction.Draft) bool {
	c := &d.Content
	if c.GrossTotal == nil || c.NetTotal == nil || d.Fields["gross_total"].Confidence < surelyRead {
		return false
	}
	sum := *c.NetTotal
	if c.TaxTotal != nil {
		sum = sum.Add(*c.TaxTotal)
	}
	return sameAmount(&sum, c.GrossTotal)
}

// doubt tells of each value that it was recognized, and lowers its confidence by
// how surely its characters were read, unless something else confirms it.
func doubt(pages []layout.Page, draft *extraction.Draft) {
	byNumber := map[int]*layout.Page{}
	for i := range pages {
		byNumber[pages[i].Number] = &pages[i]
	}
	for path, e := range draft.Fields {
		page := byNumber[e.Page]
		if e.Source != invoice.FromText || page == nil || e.Box == nil {
			continue
		}
		words := recognizedIn(page, layout.Box(*e.Box))
		if len(words) == 0 {
			continue
		}
		e.Source = invoice.FromOCR
		if !proven(draft, path, &e) {
			lower(path, &e, words, valueAt(draft, path), pages)
		}
		draft.Fields[path] = e
	}
}

func recognizedIn(page *layout.Page, box layout.Box) []*layout.Word {
	var out []*layout.Word
	for i := range page.Words {
		w := &page.Words[i]
		shown := w.Shown()
		x, y := (shown[0]+shown[2])/2, (shown[1]+shown[3])/2
		if w.Recognized != nil && x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3] {
			out = append(out, w)
		}
	}
	return out
}

// isAmount says whether a path names an amount.
func isAmount(path string) bool {
	last := path[strings.LastIndexByte(path, '.')+1:]
	return strings.HasSuffix(last, "_total") || strings.HasSuffix(last, "amount") || strings.HasSuffix(last, "amount_due") ||
		strings.HasSuffix(last, "price") || last == "quantity" || last == "rate"
}

// proven says whether something beside its characters confirms a value:
// arithmetic, or a checksum.
func proven(d *extraction.Draft, path string, e *invoice.Evidence) bool {
	switch {
	case isAmount(path):
		return e.Confidence >= confirmed
	case strings.HasSuffix(path, "iban"):
		valid, _ := invoice.ValidIBAN(valueAt(d, path))
		return valid
	case strings.HasSuffix(path, "tax_id"):
		party := d.Content.Seller
		if strings.HasPrefix(path, "buyer") {
			party = d.Content.Buyer
		}
		valid, known := invoice.ValidTaxID(party.TaxID, party.Address.Country)
		return valid && known
	}
	return false
}

// valueAt is the text of the values that are identifiers or names; "" for others.
func valueAt(d *extraction.Draft, path string) string {
	c := &d.Content
	switch path {
	case "invoice_number":
		return c.Number
	case "purchase_order":
		return c.PurchaseOrder
	case "seller.name":
		return c.Seller.Name
	case "buyer.name":
		return c.Buyer.Name
	case "seller.tax_id":
		return c.Seller.TaxID
	case "buyer.tax_id":
		return c.Buyer.TaxID
	case "payment.iban":
		return c.Payment.IBAN
	}
	return ""
}

// lower lowers the confidence of a value by that of its words and names the
// other readings.
func lower(path string, e *invoice.Evidence, words []*layout.Word, value string, pages []layout.Page) {
	limit := surelyRead
	if strings.HasSuffix(path, "name") {
		limit = nameRead
	}
	identifier := path == "invoice_number" || path == "purchase_order" || strings.HasSuffix(path, "tax_id") || strings.HasSuffix(path, "iban")
	for _, w := range words {
		if identifier && !strings.Contains(value, w.Text) {
			continue // a label beside the value
		}
		doubtful := w.Recognized.Confidence < limit
		others := w.Recognized.Alternatives
		if identifier {
			if mixed := mixups(w.Text); len(mixed) > 0 {
				doubtful, others = true, append(slices.Clone(others), mixed...)
			}
		}
		if !doubtful || identifier && repeated(w.Text, pages) {
			continue
		}
		e.Confidence = min(e.Confidence, uncertain)
		if value == "" {
			continue
		}
		for _, other := range others {
			if whole := strings.Replace(value, w.Text, other, 1); whole != value && !slices.Contains(e.Alternatives, whole) {
				e.Alternatives = append(e.Alternatives, whole)
			}
		}
	}
}

// mixups are the other readings of an identifier in which a letter stands among
// digits, or a digit among letters, that looks like one of the others.
func mixups(text string) []string {
	runes := []rune(text)
	var out []string
	for i, r := range runes {
		if i == 0 || i == len(runes)-1 {
			continue
		}
		before, after := runes[i-1], runes[i+1]
		other := rune(0)
		switch {
		case lookalikes[r] != 0 && unicode.IsDigit(before) && unicode.IsDigit(after):
			other = lookalikes[r]
		case r == '0' && unicode.IsLetter(before) && unicode.IsLetter(after):
			other = 'O'
		case r == '1' && unicode.IsLetter(before) && unicode.IsLetter(after):
			other = 'I'
		case r == '5' && unicode.IsLetter(before) && unicode.IsLetter(after):
			other = 'S'
		case r == '8' && unicode.IsLetter(before) && unicode.IsLetter(after):
			other = 'B'
		}
		if other != 0 {
			changed := slices.Clone(runes)
			changed[i] = other
			out = append(out, string(changed))
		}
	}
	return out
}

// repeated says whether a word was read in the same way at another place.
func repeated(text string, pages []layout.Page) bool {
	n := 0
	for i := range pages {
		for k := range pages[i].Words {
			if strings.Contains(pages[i].Words[k].Text, text) {
				n++
			}
		}
	}
	return n > 1
}
