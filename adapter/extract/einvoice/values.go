package einvoice

import (
	"errors"
	"strings"
	"unicode/utf8"

	"docledger/domain/calendar"
	"docledger/domain/money"
)

var errNotADate = errors.New("not a date in this format")

// parseNumber parses an xs:decimal and preserves its scale, up to scale digits after
// the decimal point. It rounds further digits half away from zero.
func parseNumber(s string, scale int) (money.Decimal, error) {
	v, err := money.Parse(s)
	if err != nil {
		return money.Decimal{}, err
	}
	if v.Decimals() > scale {
		v = v.Round(scale)
	}
	return v, nil
}

// parseDate parses an xs:date or the date of an xs:dateTime. It ignores a time zone,
// because the zone does not change the date.
func parseDate(s string) (calendar.Date, error) {
	const length = len("2006-01-02")
	if len(s) < length {
		return calendar.Date{}, errNotADate
	}
	switch rest := s[length:]; {
	case rest == "", rest == "Z", rest[0] == 'T' && len(rest) >= len("T15:04"):
	case len(rest) == len("+01:00") && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':':
	default:
		return calendar.Date{}, errNotADate
	}
	return calendar.Parse(s[:length])
}

// parseCompact parses CCYYMMDD with an optional time: the formats 102, 203 and 204 of
// UNTDID 2379.
func parseCompact(s string) (calendar.Date, error) {
	if len(s) != 8 && len(s) != 12 && len(s) != 14 {
		return calendar.Date{}, errNotADate
	}
	return calendar.Parse(s[:4] + "-" + s[4:6] + "-" + s[6:8])
}

// oneLine joins the words of a text with single spaces.
func oneLine(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' || c == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			return strings.Join(strings.Fields(s), " ")
		}
	}
	return s
}

// paragraphs joins texts by line breaks and drops consecutive duplicates.
func paragraphs(texts []string) string {
	var out []string
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if text != "" && (len(out) == 0 || out[len(out)-1] != text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// shorten cuts a text to a number of characters.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n == most {
			return s[:i]
		}
		n++
	}
	return s
}

// isCode reports whether s has the given number of capital letters and nothing else.
func isCode(s string, letters int) bool {
	if len(s) != letters {
		return false
	}
	for i := range len(s) {
		if s[i] < 'A' || s[i] > 'Z' {
			return false
		}
	}
	return true
}

// alpha2 converts the three-letter country codes of Facturae into ISO 3166-1 alpha-2.
var alpha2 = map[string]string{
	"AND": "AD", "ARE": "AE", "ARG": "AR", "AUS": "AU", "AUT": "AT", "BEL": "BE", "BGR": "BG", "BOL": "BO", "BRA": "BR",
	"CAN": "CA", "CHE": "CH", "CHL": "CL", "CHN": "CN", "COL": "CO", "CRI": "CR", "CUB": "CU", "CYP": "CY", "CZE": "CZ",
	"DEU": "DE", "DNK": "DK", "DOM": "DO", "DZA": "DZ", "ECU": "EC", "EGY": "EG", "ESP": "ES", "EST": "EE", "FIN": "FI",
	"FRA": "FR", "GBR": "GB", "GIB": "GI", "GRC": "GR", "GTM": "GT", "HKG": "HK", "HND": "HN", "HRV": "HR", "HUN": "HU",
	"IND": "IN", "IRL": "IE", "ISL": "IS", "ISR": "IL", "ITA": "IT", "JPN": "JP", "KOR": "KR", "LIE": "LI", "LTU": "LT",
	"LUX": "LU", "LVA": "LV", "MAR": "MA", "MCO": "MC", "MEX": "MX", "MLT": "MT", "NIC": "NI", "NLD": "NL", "NOR": "NO",
	"NZL": "NZ", "PAN": "PA", "PER": "PE", "POL": "PL", "PRT": "PT", "PRY": "PY", "ROU": "RO", "RUS": "RU", "SAU": "SA",
	"SGP": "SG", "SLV": "SV", "SRB": "RS", "SVK": "SK", "SVN": "SI", "SWE": "SE", "TUN": "TN", "TUR": "TR", "UKR": "UA",
	"URY": "UY", "USA": "US", "VEN": "VE", "ZAF": "ZA",
}
