package textrules_test

import (
	"slices"
	"testing"

	"docledger/domain/extraction/textrules"
)

func TestPaymentDays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{
		"Net 30":                         nil, // may be an amount
		"Due net 30":                     {30},
		"Payment terms: net30":           {30},
		"Terms: 30 days net":             {30},
		"Please pay within 14 days.":     {14},
		"zahlbar innerhalb von 14 Tagen": {14},
		"Zahlungsziel: 30 Tage netto":    {30},
		"Bitte überweisen Sie den Betrag innerhalb von 10 Tagen": {10},
		"Paiement à 45 jours":                                            {45},
		"Pago a 60 días":                                                 {60},
		"Pagamento entro 30 giorni":                                      {30},
		"Betaling binnen 14 dagen":                                       {14},
		"Termin płatności: 14 dni":                                       {14},
		"Payable in 14-30 days":                                          {30, 14},
		"10 Tage 2 % Skonto, 30 Tage netto":                              {30, 10},
		"2 % Skonto bei Zahlung innerhalb von 10 Tagen":                  nil, // the discount period
		"Zahlbar innerhalb von 14 Tagen nach Erhalt der Rechnung":        nil, // counts from the receipt
		"Payable within 10 business days":                                nil,
		"Payment 30 days end of month":                                   nil,
		"Interest of 1.5% is charged on payments more than 30 days late": nil,
		"Goods may be returned within 30 days":                           nil,
		"Delivered within 14 days":                                       nil,
		"Payable within 9999 days":                                       nil,
		"Net 1,234.50":                                                   nil,
		"Netto 112":                                                      nil,
		"Subscription for 30 days":                                       nil,
		"Payment reference 30":                                           nil,
	} {
		if got := textrules.PaymentDays(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
