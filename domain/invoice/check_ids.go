package invoice

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/domain/character"
)

// identifiers checks the check digits of accounts and tax identifiers.
func (e *checker) identifiers() {
	for _, account := range []struct{ path, iban string }{
		{"payment.iban", e.c.Payment.IBAN}, {"seller.iban", e.c.Seller.IBAN},
	} {
		if valid, known := ValidIBAN(account.iban); known {
			e.add(RuleIBANChecksum, Warning, valid, account.path, expectation(valid, "an IBAN with right length and check digits"), account.iban)
		}
	}
	for _, party := range []struct {
		path string
		p    Party
	}{{"seller.tax_id", e.c.Seller}, {"buyer.tax_id", e.c.Buyer}} {
		if valid, known := ValidTaxID(party.p.TaxID, party.p.Address.Country); known {
			e.add(RuleTaxIDChecksum, Warning, valid, party.path, expectation(valid, "a tax identifier with right check digits"), party.p.TaxID)
		}
	}
}

func expectation(met bool, what string) string {
	if met {
		return ""
	}
	return what
}

// ibanLengths are the IBAN lengths by country, from the IBAN registry (ISO 13616).
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29, "BY": 28,
	"CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
	"FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28,
	"IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
	"LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28,
	"NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24,
	"SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26,
	"UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}

// ValidIBAN checks the length and check digits of an IBAN (ISO 13616, ISO 7064 MOD 97-10). known is
// false if the text is another kind of account number.
func ValidIBAN(s string) (valid, known bool) {
	iban := alphanumeric(s)
	if len(iban) < 15 || !isLetter(iban[0]) || !isLetter(iban[1]) || !isDigit(iban[2]) || !isDigit(iban[3]) {
		return false, false
	}
	length, ok := ibanLengths[iban[:2]]
	if !ok {
		return false, false
	}
	return len(iban) == length && mod97(iban[4:]+iban[:4]) == 1, true
}

// mod97 returns the remainder modulo 97 of a number in which letters represent 10 to 35.
func mod97(s string) int {
	rest := 0
	for i := range len(s) {
		if isLetter(s[i]) {
			rest = (rest*100 + int(s[i]-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(s[i]-'0')) % 97
		}
	}
	return rest
}

// alphanumeric returns the Latin letters of s in upper case, and its digits.
func alphanumeric(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, s)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// FoldTaxID returns a tax identifier in the form used for comparison.
func FoldTaxID(s string) string {
	return strings.TrimSuffix(strings.TrimSuffix(alphanumeric(s), "MVA"), "MWST")
}

// FoldName returns a name in the form used for comparison: visible letters, marks and digits only,
// case-insensitive.
func FoldName(s string) string {
	return strings.Map(func(r rune) rune {
		switch { // most characters of most names
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case r < utf8.RuneSelf:
			return -1
		}
		if character.Invisible(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}
