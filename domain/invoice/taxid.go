package invoice

import "strings"

// ValidTaxID checks the check digits of a VAT identifier of the supported countries (VIES and the
// national rules). country is the party's country and applies to identifiers without a country
// prefix. known is false for other countries and for texts that are not a VAT identifier of the
// country.
func ValidTaxID(id, country string) (valid, known bool) {
	body := FoldTaxID(id)
	if len(body) < 5 {
		return false, false
	}
	if check, ok := taxIDChecks[body[:2]]; ok && isLetter(body[0]) && isLetter(body[1]) {
		return check(body[2:]), true
	}
	if strings.HasPrefix(body, "CHE") {
		return checkCH(body[3:]), true
	}
	// Without a country prefix the text may be another number of that country, so only a valid
	// identifier is conclusive.
	if check, ok := taxIDChecks[country]; ok && check(body) {
		return true, true
	}
	return false, false
}

// taxIDChecks are the check functions by country prefix.
var taxIDChecks = map[string]func(string) bool{
	"AT": checkAT, "BE": checkBE, "DE": checkDE, "DK": checkDK, "ES": checkES, "FI": checkFI, "FR": checkFR, "GB": checkGB,
	"HU": checkHU, "IT": checkIT, "LU": checkLU, "NL": checkNL, "NO": checkNO, "PL": checkPL, "PT": checkPT, "SE": checkSE,
}

func allDigits(s string, length int) bool {
	if len(s) != length {
		return false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// weighted returns the sum of the digits multiplied by their weights.
func weighted(s string, weights ...int) int {
	sum := 0
	for i, w := range weights {
		sum += int(s[i]-'0') * w
	}
	return sum
}

func number(s string) int {
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// Luhn reports whether a text of digits satisfies the Luhn formula of ISO/IEC 7812.
func Luhn(s string) bool {
	sum := 0
	for i := range len(s) {
		digit := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			if digit *= 2; digit > 9 {
				digit -= 9
			}
		}
		sum += digit
	}
	return sum%10 == 0
}

func checkAT(s string) bool {
	if len(s) != 9 || s[0] != 'U' || !allDigits(s[1:], 8) {
		return false
	}
	sum := 4
	for i := 1; i <= 7; i++ {
		digit := int(s[i] - '0')
		if i%2 == 0 {
			digit = digit*2/10 + digit*2%10
		}
		sum += digit
	}
	return (10-sum%10)%10 == int(s[8]-'0')
}

func checkBE(s string) bool {
	if allDigits(s, 9) {
		s = "0" + s
	}
	return allDigits(s, 10) && 97-number(s[:8])%97 == number(s[8:])
}

// checkDE implements ISO 7064 MOD 11,10.
func checkDE(s string) bool {
	if !allDigits(s, 9) || s[0] == '0' {
		return false
	}
	product := 10
	for i := range 8 {
		sum := (int(s[i]-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = 2 * sum % 11
	}
	return (11-product)%10 == int(s[8]-'0')
}

func checkDK(s string) bool {
	return allDigits(s, 8) && weighted(s, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
}

// checkES checks identifiers of persons (DNI, NIE, and the letters K, L and M) and of companies
// (CIF).
func checkES(s string) bool {
	const letters = "TRWAGMYFPDXBNJZSQVHLCKE"
	if len(s) != 9 {
		return false
	}
	digits, last := s[:8], s[8]
	switch first := s[0]; {
	case strings.IndexByte("XYZ", first) >= 0:
		digits = string('0'+first-'X') + s[1:8]
	case strings.IndexByte("KLM", first) >= 0:
		digits = "0" + s[1:8]
	case isLetter(first):
		return allDigits(s[1:8], 7) && checkCIF(s)
	}
	return allDigits(digits, 8) && letters[number(digits)%23] == last
}

// checkCIF checks the number of a company. Its last character is a digit or, for some kinds of
// company, a letter.
func checkCIF(s string) bool {
	sum := 0
	for i := 1; i <= 7; i++ {
		digit := int(s[i] - '0')
		if i%2 == 1 {
			digit = digit*2/10 + digit*2%10
		}
		sum += digit
	}
	check := (10 - sum%10) % 10
	return s[8] == byte('0'+check) || s[8] == "JABCDEFGHI"[check]
}

func checkFI(s string) bool {
	if !allDigits(s, 8) {
		return false
	}
	rest := weighted(s, 7, 9, 10, 5, 8, 4, 2) % 11
	return rest != 1 && (11-rest)%11 == int(s[7]-'0')
}

// checkFR checks the key before the SIREN. Keys with letters follow another rule that is not
// applied consistently, so they pass.
func checkFR(s string) bool {
	if len(s) != 11 || !allDigits(s[2:], 9) {
		return false
	}
	if !allDigits(s[:2], 2) {
		return true
	}
	return (12+3*(number(s[2:])%97))%97 == number(s[:2])
}

func checkGB(s string) bool {
	if len(s) == 12 {
		s = s[:9] // identifies a branch
	}
	if !allDigits(s, 9) {
		return false
	}
	sum := weighted(s, 8, 7, 6, 5, 4, 3, 2) + number(s[7:])
	return sum%97 == 0 || (sum+55)%97 == 0
}

func checkHU(s string) bool {
	return allDigits(s, 8) && (10-weighted(s, 9, 7, 3, 1, 9, 7, 3)%10)%10 == int(s[7]-'0')
}

func checkIT(s string) bool { return allDigits(s, 11) && Luhn(s) }

func checkLU(s string) bool { return allDigits(s, 8) && number(s[:6])%89 == number(s[6:]) }

// checkNL checks numbers of companies (MOD 11) and newer ones of persons, whose check digits cover
// the whole identifier (MOD 97).
func checkNL(s string) bool {
	if len(s) != 12 || s[9] != 'B' || !allDigits(s[:9], 9) || !allDigits(s[10:], 2) {
		return false
	}
	return weighted(s, 9, 8, 7, 6, 5, 4, 3, 2)%11 == int(s[8]-'0') || mod97("NL"+s) == 1
}

func checkNO(s string) bool {
	if !allDigits(s, 9) {
		return false
	}
	rest := weighted(s, 3, 2, 7, 6, 5, 4, 3, 2) % 11
	return rest != 1 && (11-rest)%11 == int(s[8]-'0')
}

func checkCH(s string) bool {
	s = strings.TrimRight(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") // TVA, IVA
	if !allDigits(s, 9) {
		return false
	}
	rest := weighted(s, 5, 4, 3, 2, 7, 6, 5, 4) % 11
	return rest != 1 && (11-rest)%11 == int(s[8]-'0')
}

func checkPL(s string) bool {
	return allDigits(s, 10) && weighted(s, 6, 5, 7, 2, 3, 4, 5, 6, 7)%11 == int(s[9]-'0')
}

func checkPT(s string) bool {
	if !allDigits(s, 9) {
		return false
	}
	check := 11 - weighted(s, 9, 8, 7, 6, 5, 4, 3, 2)%11
	if check > 9 {
		check = 0
	}
	return check == int(s[8]-'0')
}

func checkSE(s string) bool { return allDigits(s, 12) && Luhn(s[:10]) }
