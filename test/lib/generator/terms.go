package generator

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// termsOf are texts of payment terms in days, by language.
var termsOf = map[string][]string{
	"en": {"Payment terms: net %d", "Terms: %d days net", "Please pay within %d days.", "Payment is due within %d days of the invoice date"},
	"de": {"Zahlungsbedingungen: %d Tage netto", "Zahlbar innerhalb von %d Tagen ohne Abzug", "Bitte überweisen Sie den Betrag innerhalb von %d Tagen."},
	"fr": {"Conditions de paiement : %d jours", "Paiement à %d jours", "Payable sous %d jours"},
	"es": {"Forma de pago: %d días", "Pago a %d días"},
	"it": {"Termini di pagamento: %d giorni", "Pagamento entro %d giorni"},
	"nl": {"Betalingsvoorwaarden: %d dagen", "Betaling binnen %d dagen"},
	"pt": {"Condições de pagamento: %d dias", "Pagamento em %d dias"},
	"pl": {"Warunki płatności: %d dni", "Płatność w ciągu %d dni"},
}

// giveTerms makes one of seven documents with a due date print the payment
// terms instead, if the language has texts for them.
func (t *Truth) giveTerms(r *rand.Rand, l *Locale) {
	language, _, _ := strings.Cut(l.Name, "-")
	texts := termsOf[language]
	if len(texts) == 0 || t.DueDate.IsZero() || r.IntN(7) != 0 {
		return
	}
	days := int(t.DueDate.Time().Sub(t.IssueDate.Time()).Hours() / 24)
	t.Terms = fmt.Sprintf(texts[r.IntN(len(texts))], days)
}
