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

// The confidence of recognition limits the confidence of the rules.
const (
	// surelyRead is the minimum confidence of an accepted character.
	surelyRead = 0.9
	// nameRead is the minimum for names, because a person notices a wrong letter in a
	// name.
	nameRead = 0.7
	// confirmed is the confidence of the rules for a value that arithmetic or a
	// checksum confirms.
	confirmed = 0.97
	// uncertain is the confidence of an ambiguous value.
	uncertain = 0.6
)

// maxTries is the maximum number of words that are replaced by an alternative to make
// the totals agree.
const maxTries = 12

// Pages returns the invoices on pages with recognized words. If part is set, the pages
// are those of one invoice. An ambiguous character is
// resolved if a checksum or the arithmetic of the totals permits only one
// alternative. Otherwise the value is uncertain, and its evidence lists the
// alternatives.
func Pages(pages []layout.Page, options pdftext.Options, part bool) (*extraction.Result, error) {
	pages = settleNumbers(pages)
	read := func(pages []layout.Page) (*extraction.Draft, error) {
		draft, err := pdftext.Read(pages, options)
		if err != nil {
			return nil, err
		}
		draft = settleTotals(pages, draft, options)
		doubt(pages, draft)
		return draft, nil
	}
	if part {
		draft, err := read(renumbered(pages))
		if err != nil {
			return nil, err
		}
		return &extraction.Result{Method: invoice.Text, PageCount: len(pages), Drafts: []extraction.Draft{*draft}}, nil
	}
	drafts, err := several(pages, read)
	if err != nil {
		return nil, err
	}
	return &extraction.Result{Method: invoice.Text, PageCount: len(pages), Drafts: drafts}, nil
}

// lookalikes maps letters that recognition confuses with digits to these digits.
var lookalikes = map[rune]rune{
	'O': '0', 'o': '0', 'Q': '0', 'D': '0', 'I': '1', 'l': '1', 'i': '1', '|': '1', 'S': '5', 's': '5', 'B': '8', 'Z': '2', 'z': '2', 'G': '6',
}

// amountShape matches an amount in which letters may replace digits. It ends in a
// separator and two decimals.
var amountShape = regexp.MustCompile(`^[-+(]?[0-9OoQDIli|SsBZzG]{1,3}(?:[.,'’][0-9OoQDIli|SsBZzG]{3})*[.,][0-9OoQDIli|SsBZzG]{2}[)-]?$`)

// settleNumbers replaces letters in amounts by digits, because letters have no
// meaning there. It also corrects account numbers if the checksum permits only one
// correction.
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

// settleWord replaces an unknown word with low confidence by an alternative that is a
// known label or the legal form of a company.
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

// replace sets the text of a word and keeps the recognized text as an alternative.
func replace(w *layout.Word, text string) {
	r := *w.Recognized
	r.Alternatives = append([]string{w.Text}, r.Alternatives...)
	w.Text, w.Recognized = text, &r
}

// ibanStart matches the start of an IBAN.
var ibanStart = regexp.MustCompile(`^[A-Z]{2}[0-9OoQDIlSBZG]{2}`)

// maxIBANWords is the maximum number of words of a printed IBAN.
const maxIBANWords = 10

// settleIBANs corrects account numbers with one wrong character.
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

// settleIBAN reports whether words are an account number. It corrects the number if
// exactly one replacement makes it valid.
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

// readings returns the alternatives of a word: those from recognition, and those with
// one character replaced by a similar one.
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

// settleTotals replaces one amount at a time by an alternative if the totals are not
// confirmed. It uses a replacement that confirms them if all such replacements have
// the same total.
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

// totalsConfirmed reports whether the stated net and tax totals add up to the gross
// total with high confidence. The confidence alone is not sufficient, because the
// rules omit an amount that does not fit.
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

// doubt marks each recognized value and lowers its confidence to that of its
// characters, unless other evidence confirms the value.
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

// isAmount reports whether a path is that of an amount.
func isAmount(path string) bool {
	last := path[strings.LastIndexByte(path, '.')+1:]
	return strings.HasSuffix(last, "_total") || strings.HasSuffix(last, "amount") || strings.HasSuffix(last, "amount_due") ||
		strings.HasSuffix(last, "price") || last == "quantity" || last == "rate"
}

// proven reports whether arithmetic or a checksum confirms a value.
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

// valueAt returns the text of an identifier or a name; "" for other values.
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

// lower limits the confidence of a value to that of its words and lists the
// alternatives.
func lower(path string, e *invoice.Evidence, words []*layout.Word, value string, pages []layout.Page) {
	limit := surelyRead
	if strings.HasSuffix(path, "name") {
		limit = nameRead
	}
	identifier := path == "invoice_number" || path == "purchase_order" || strings.HasSuffix(path, "tax_id") || strings.HasSuffix(path, "iban")
	for _, w := range words {
		if identifier && !strings.Contains(value, w.Text) {
			continue // the label of the value
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

// mixups returns the alternatives of an identifier that contains a letter among
// digits, or a digit among letters, with a similar character of the other type.
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

// repeated reports whether a word was recognized with the same text at another
// position.
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
