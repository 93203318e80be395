package invoice

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"docledger/domain/money"
)

// Settlement is what an invoice states about its own payment.
type Settlement struct {
	Full   bool           // nothing remains to be paid
	Amount *money.Decimal // the paid amount; nil if only a text states the payment
	Path   string         // the value that states it; "" if the invoice states no payment
	Text   string         // that value, as stated
}

// Settlement returns what the content states about its payment. The amounts decide first. A text
// decides only if it states the payment without a condition.
func (c *Content) Settlement() Settlement {
	if s, ok := c.settledByAmounts(); ok {
		return s
	}
	for _, v := range []struct{ path, text string }{{"payment.terms", c.Payment.Terms}, {"note", c.Note}} {
		if sentence := statesPaid(v.text); sentence != "" {
			return Settlement{Full: true, Path: v.path, Text: sentence}
		}
	}
	if p := c.PrepaidTotal; p != nil && !p.IsZero() {
		paid := p.Abs()
		return Settlement{Amount: &paid, Path: "prepaid_total", Text: p.String()}
	}
	return Settlement{}
}

// settledByAmounts reports whether the amounts state that nothing remains to be paid. A total that
// the buyer pays to the tax office instead is not paid.
func (c *Content) settledByAmounts() (Settlement, bool) {
	if c.GrossTotal == nil || c.GrossTotal.IsZero() {
		return Settlement{}, false
	}
	total := *c.GrossTotal
	if c.PayableRounding != nil {
		total = total.Add(*c.PayableRounding)
	}
	switch {
	case c.AmountDue != nil && !c.AmountDue.IsZero():
		return Settlement{}, false
	case c.AmountDue != nil:
		if w := c.WithheldTotal; w != nil && !w.IsZero() && (c.PrepaidTotal == nil || c.PrepaidTotal.IsZero()) {
			return Settlement{}, false
		}
		paid := total.Abs()
		if c.PrepaidTotal != nil && !c.PrepaidTotal.IsZero() {
			paid = c.PrepaidTotal.Abs()
		}
		return Settlement{Full: true, Amount: &paid, Path: "amount_due", Text: c.AmountDue.String()}, true
	case c.PrepaidTotal != nil && c.PrepaidTotal.Abs().Within(total.Abs(), cent):
		paid := c.PrepaidTotal.Abs()
		return Settlement{Full: true, Amount: &paid, Path: "prepaid_total", Text: c.PrepaidTotal.String()}, true
	}
	return Settlement{}, false
}

// paid reports an invoice that states that it is paid, because its bill is an open debt in the
// ledger until a person records the payment.
func (e *checker) paid() {
	if s := e.c.Settlement(); s.Full {
		e.add(RulePaidAlready, Warning, false, s.Path, "an amount that is still to be paid", s.Text)
	}
}

// paidPhrases state a payment that was made. Each is in lower case, with single spaces.
var paidPhrases = []string{
	"already paid", "paid in full", "fully paid", "has been paid", "payment received", "paid with thanks", "paid online",
	"paid by credit card", "paid by card", "paid by paypal", "paid via paypal", "paid in cash", "no payment required", "no payment is required",
	"bereits bezahlt", "bereits gezahlt", "bereits beglichen", "wurde bezahlt", "wurde beglichen", "vollständig bezahlt", "dankend erhalten",
	"zahlung erhalten", "betrag erhalten", "per kreditkarte bezahlt", "mit kreditkarte bezahlt", "per paypal bezahlt", "mit paypal bezahlt",
	"bar bezahlt", "keine zahlung erforderlich",
	"déjà payé", "déjà payée", "déjà réglé", "déjà réglée", "facture acquittée", "paiement reçu", "payée par carte", "réglée par carte",
	"ya pagado", "ya pagada", "pago recibido", "factura pagada", "pagado con tarjeta",
	"già pagato", "già pagata", "già saldata", "fattura pagata", "pagamento ricevuto",
	"reeds betaald", "reeds voldaan", "al betaald", "betaling ontvangen",
	"já pago", "já paga", "pagamento recebido",
	"faktura zapłacona", "faktura opłacona",
	"redan betald", "allerede betalt",
}

// paidWords state a payment if they are the whole sentence.
var paidWords = []string{
	"paid", "bezahlt", "payé", "payée", "acquittée", "pagado", "pagada", "pagato", "pagata", "betaald", "voldaan", "pago", "paga",
	"betald", "betalt", "zapłacono", "opłacono",
}

// conditions are words that make a sentence state a condition, a possibility, a future or a negation,
// such as a retention of title: `our property until paid in full`. The last row names payments of
// something else or of a part.
var conditions = []string{
	"until", "unless", "if", "not", "once", "when", "after", "before", "must", "should", "shall", "will", "upon", "where", "provided", "till",
	"bis", "wenn", "falls", "sofern", "nicht", "nach", "sobald", "solange", "erst", "muss", "sollte", "sollten", "haben sie", "noch", "vor",
	"si", "jusqu", "après", "avant", "pas", "non", "lorsque", "hasta", "no", "después", "antes", "cuando",
	"se", "fino", "finché", "dopo", "prima", "als", "indien", "tot", "totdat", "niet", "zodra", "na", "até", "não", "após", "quando",
	"nie", "jeśli", "do", "dopóki", "om", "inte", "ikke", "hvis", "tills", "indtil",
	"be", "can", "may", "could", "only", "kann", "können", "werden", "darf", "être", "peut", "peuvent", "puede", "pueden", "ser", "può",
	"essere", "kan", "kunnen", "worden", "pode", "może", "być", "kunna", "kunne",
	"orders", "previous", "last", "deposit", "instalment", "installment", "anzahlung", "abschlag", "teilbetrag", "vorherige", "acompte",
	"anticipo", "acconto", "aanbetaling", "zaliczka",
}

var (
	sentenceEnd = regexp.MustCompile(`[;!?\n\r]+|\.(?:\s+|$)`)
	statedSum   = regexp.MustCompile(`^[\s:]*(?:[\p{L}]{3}|\p{Sc})?\s*\d[\d.,' ]*[.,]\d{2}(?:[^\d.,]|$)`)
)

// statesPaid returns the first sentence of the text that states, without a condition, that the
// invoice is paid. A stated amount may be zero or a part, so such a sentence does not count.
func statesPaid(text string) string {
	for _, sentence := range sentenceEnd.Split(text, -1) {
		plain := strings.ToLower(strings.Join(strings.Fields(sentence), " "))
		if slices.Contains(paidWords, strings.Trim(plain, " .:-*")) {
			return shorten(sentence)
		}
		for _, phrase := range paidPhrases {
			before, after, ok := cutWords(plain, phrase)
			if ok && !statedSum.MatchString(after) && !conditional(before) && !conditional(after) {
				return shorten(sentence)
			}
		}
	}
	return ""
}

// conditional reports whether the text contains a condition as whole words.
func conditional(s string) bool {
	return slices.ContainsFunc(conditions, func(word string) bool {
		_, _, found := cutWords(s, word)
		return found
	})
}

// cutWords cuts s around the first occurrence of phrase that is neither preceded nor followed by a
// letter.
func cutWords(s, phrase string) (before, after string, found bool) {
	for from := 0; ; {
		at := strings.Index(s[from:], phrase)
		if at < 0 {
			return "", "", false
		}
		before, after = s[:from+at], s[from+at+len(phrase):]
		if !endsInLetter(before) && !startsWithLetter(after) {
			return before, after, true
		}
		from += at + len(phrase)
	}
}

func endsInLetter(s string) bool {
	r := []rune(s[max(0, len(s)-4):])
	return len(r) > 0 && unicode.IsLetter(r[len(r)-1])
}

func startsWithLetter(s string) bool {
	for _, r := range s {
		return unicode.IsLetter(r)
	}
	return false
}

// longestFound is the number of characters of a sentence that a check shows.
const longestFound = 200

func shorten(s string) string {
	r := []rune(strings.TrimSpace(s))
	if len(r) > longestFound {
		return string(r[:longestFound-1]) + "…"
	}
	return string(r)
}
