package textrules_test

import (
	"slices"
	"testing"

	"docledger/domain/extraction/textrules"
)

// TestLanguagesLoad loads every language file and checks one label of each.
func TestLanguagesLoad(t *testing.T) {
	t.Parallel()
	languages, err := textrules.Languages()
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, l := range languages {
		codes = append(codes, l.Code)
	}
	for code, label := range map[string]string{
		"en": "Invoice number", "de": "Rechnungsnummer", "fr": "Numéro de facture", "es": "Número de factura", "it": "Numero fattura", "nl": "Factuurnummer",
		"pt": "Número da fatura", "pl": "Nr faktury", "sv": "Fakturanummer", "da": "Fakturanr.", "no": "Fakturanr", "fi": "Laskun numero",
		"cs": "Číslo faktury", "sk": "Číslo faktúry", "hu": "Számlaszám", "ro": "Număr factură", "tr": "Fatura numarası", "hr": "Broj računa",
		"el": "Αριθμός τιμολογίου", "bg": "Номер на фактура", "ja": "請求書番号", "zh": "发票号码", "ar": "رقم الفاتورة",
	} {
		if !slices.Contains(codes, code) {
			t.Errorf("language %s is missing", code)
		}
		found := textrules.FindLabels(textrules.Tokens(label))
		if len(found) != 1 || found[0].Role != textrules.RoleNumber {
			t.Errorf("%s: labels of %q = %v", code, label, found)
		}
	}
}

// TestParseLanguageRefuses checks that an invalid file is an error, not a language
// without words.
func TestParseLanguageRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"unknown kind":     "[roles.number]\ninvoice\n",
		"unknown role":     "[role.numbr]\ninvoice\n",
		"unknown column":   "[column.price_each]\nprice\n",
		"no section":       "invoice number\n",
		"empty phrase":     "[role.number]\ninvoice number | | no\n",
		"long country":     "[country.USA]\nunited states\n",
		"thirteenth month": "[month.13]\nundecimber\n",
	} {
		if _, err := textrules.ParseLanguage("xx", text); err == nil {
			t.Errorf("the file with %s was accepted", name)
		}
	}
	if _, err := textrules.ParseLanguage("xx", "# A language\n\n[role.number]\ninvoice no | ~no\n[words.days]\nday days\n"); err != nil {
		t.Error(err)
	}
}

// TestCurrenciesBefore checks that units are not currencies.
func TestCurrenciesBefore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, digits, want string }{
		{"Ft", "3", ""}, {"$", "3", "USD"}, {"R", "19 213,05", "ZAR"}, {"R", "17", ""}, {"kr", "12", "SEK"}, {"EUR", "1", "EUR"},
	} {
		got := ""
		if codes := textrules.CurrenciesBefore(c.text, c.digits); len(codes) > 0 {
			got = codes[0]
		}
		if got != c.want {
			t.Errorf("%s before %s is %q, want %q", c.text, c.digits, got, c.want)
		}
	}
}

// TestCountryCues checks that addresses and identifiers indicate their country.
func TestCountryCues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Toronto ON M5X 1A9": "CA", "12 Queen Street, Auckland": "NZ", "ABN 51 824 753 556": "AU", "Portland, OR 97201": "US", "CVR-nr. 61028420": "DK",
		"Org.nr. 748 724 443 MVA": "NO", "NIP: 5261040828": "PL", "+27 11 555 0100": "ZA", "GSTIN 27AAPFU0939F1ZV": "IN", "Taipei 110, Taiwan": "TW",
	} {
		cues := textrules.CountryCues(text, textrules.Tokens(text))
		best, weight := "", 0.0
		for country, w := range cues {
			if w > weight {
				best, weight = country, w
			}
		}
		if best != want {
			t.Errorf("%q indicates %v, want %s", text, cues, want)
		}
	}
}
