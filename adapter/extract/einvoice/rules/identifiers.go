package rules

import (
	"math/big"
	"regexp"
	"strings"
)

// digitsOnly reports whether the text consists of the digits 0 to 9.
func digitsOnly(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// isNumber reports whether XPath converts the text to a number.
func isNumber(s string) bool { return parseNumber(s).ok || floatPattern.MatchString(s) }

var floatPattern = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// gln checks the check digit of a Global Location Number.
func gln(s string) bool {
	if !digitsOnly(s) {
		return false
	}
	sum := 0
	for i := range len(s) - 1 {
		digit := int(s[len(s)-2-i] - '0')
		sum += digit * (1 + (i+1)%2*2)
	}
	return (10-sum%10)%10 == int(s[len(s)-1]-'0')
}

// mod11 checks the check digit of a Norwegian organization number.
func mod11(s string) bool {
	if !digitsOnly(s) || strings.Trim(s, "0") == "" {
		return false
	}
	sum := 0
	for i := range len(s) - 1 {
		sum += int(s[len(s)-2-i]-'0') * (i%6 + 2)
	}
	return (11-sum%11)%11 == int(s[len(s)-1]-'0')
}

// belgian checks the check digits of a Belgian enterprise number.
func belgian(s string) bool {
	if len(s) != 10 || !digitsOnly(s) {
		return false
	}
	return 97-atoi(s[:8])%97 == atoi(s[8:])
}

func atoi(s string) int {
	n := 0
	for _, c := range []byte(s) {
		n = n*10 + int(c-'0')
	}
	return n
}

// danish checks the format of a Danish business number.
func danish(s string) bool {
	return len(s) == 10 && s[:2] == "DK" && digitsOnly(s[2:]) || len(s) == 8 && digitsOnly(s)
}

var codiceIPA = regexp.MustCompile(`^[A-Za-z0-9]{6}$`)

var codiceFiscale = regexp.MustCompile(`^[A-Za-z]{6}[0-9]{2}[A-Za-z][0-9]{2}.{3}[0-9][A-Za-z]$`)

// italianTaxCode checks the format of an Italian tax code of a person or company.
func italianTaxCode(s string) bool {
	switch len([]rune(s)) {
	case 11:
		return digitsOnly(s)
	case 16:
		return codiceFiscale.MatchString(s)
	}
	return false
}

// italianVAT checks the check digit of an Italian VAT identifier. It accepts
// identifiers of other countries.
func italianVAT(s string) bool {
	if !strings.EqualFold(cut(s, 2), "IT") {
		return true
	}
	code := s[2:]
	if len(code) != 11 || !digitsOnly(code) {
		return false
	}
	sum := 0
	for i := range len(code) {
		digit := int(code[i] - '0')
		if i%2 == 1 {
			digit = int("0246813579"[digit] - '0')
		}
		sum += digit
	}
	return sum%10 == 0
}

// swedish checks the check digit of a Swedish organization number. It ignores digits
// after the tenth.
func swedish(s string) bool {
	if !digitsOnly(s) || len(s) < 10 {
		return false
	}
	sum := 0
	for i := range 9 {
		digit := int(s[8-i] - '0')
		if i%2 == 0 {
			digit *= 2
			digit = digit%10 + digit/10
		}
		sum += digit
	}
	return (10-sum%10)%10 == int(s[9]-'0')
}

// australian checks the check digits of an Australian Business Number.
func australian(s string) bool {
	if len(s) != 11 || !digitsOnly(s) {
		return false
	}
	sum := (int(s[0]-'0') - 1) * 10
	for i := 1; i < 11; i++ {
		sum += int(s[i]-'0') * (2*i - 1)
	}
	return sum%89 == 0
}

// greek checks the check digit of a Greek tax number.
func greek(s string) bool {
	if len(s) < 9 || !digitsOnly(s[:9]) {
		return false
	}
	sum := 0
	for i := range 8 {
		sum += int(s[7-i]-'0') << (i + 1)
	}
	return sum%11%10 == int(s[8]-'0')
}

var ibanForm = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{0,30}$`)

// iban checks the format and the check digits of an IBAN. It ignores white space.
func iban(s string) bool {
	s = strings.Join(strings.Fields(s), "")
	if !ibanForm.MatchString(s) {
		return false
	}
	var digits strings.Builder
	for _, c := range []byte(s[4:] + s[:4]) {
		if c > 64 {
			n := int(c) - 55
			digits.WriteString(big.NewInt(int64(n)).String())
		} else {
			digits.WriteByte(c)
		}
	}
	n, ok := new(big.Int).SetString(digits.String(), 10)
	return ok && new(big.Int).Mod(n, big.NewInt(97)).Int64() == 1
}
