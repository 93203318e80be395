package textrules

import "strings"

// currencyOf maps a country to its currency (ISO 3166-1 alpha-2, ISO 4217).
var currencyOf = map[string]string{
	"US": "USD", "CA": "CAD", "AU": "AUD", "NZ": "NZD", "SG": "SGD", "HK": "HKD", "ZA": "ZAR", "IN": "INR", "GB": "GBP", "CH": "CHF", "LI": "CHF",
	"SE": "SEK", "NO": "NOK", "DK": "DKK", "IS": "ISK", "PL": "PLN", "CZ": "CZK", "HU": "HUF", "RO": "RON", "BG": "BGN", "TR": "TRY", "JP": "JPY",
	"CN": "CNY", "BR": "BRL", "MX": "MXN", "AR": "ARS", "CL": "CLP", "CO": "COP", "PE": "PEN", "AE": "AED", "SA": "SAR", "QA": "QAR", "EG": "EGP",
	"MA": "MAD", "TN": "TND", "IL": "ILS", "UA": "UAH", "RS": "RSD", "TW": "TWD", "KR": "KRW", "TH": "THB", "MY": "MYR", "ID": "IDR", "PH": "PHP",
	"DE": "EUR", "AT": "EUR", "FR": "EUR", "ES": "EUR", "IT": "EUR", "NL": "EUR", "BE": "EUR", "LU": "EUR", "IE": "EUR", "PT": "EUR", "FI": "EUR",
	"GR": "EUR", "SK": "EUR", "SI": "EUR", "EE": "EUR", "LV": "EUR", "LT": "EUR", "HR": "EUR", "MT": "EUR", "CY": "EUR",
}

// CurrencyOf returns the currency of a country, or "" if it is unknown.
func CurrencyOf(country string) string { return currencyOf[country] }

// cue is a text pattern that indicates a country.
type cue struct {
	country string
	weight  float64
	form    *Pattern
}

// cues are patterns of addresses, telephone numbers, domains and identifiers that
// belong to one country.
var cues = []cue{
	{"US", 1, MustPattern(`\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])\.?,? +\d{5}(?:-\d{4})?\b`)},
	{"US", 1, MustPattern(`\bE\.?I\.?N\b|\bFEIN\b|(?i:\bfederal tax\b|\bsales tax\b|\brouting (?:no|number)\b|\bzip\b|\bACH\b)`)},
	{"CA", 1.5, MustPattern(`\b(?:AB|BC|MB|NB|NL|NS|NT|NU|ON|PE|QC|SK|YT)\b,? +[A-Z]\d[A-Z] ?\d[A-Z]\d\b|\b[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d\b`)},
	{"CA", 2, MustPattern(`\bRT ?0\d{3}\b|\bHST\b|\bQST\b|\bTVQ\b|\bTPS\b|(?i:e-transfer)`)},
	{"AU", 2, MustPattern(`\bABN\b|\bA\.B\.N|\bBSB\b|\b(?:NSW|VIC|QLD|TAS)\b +\d{4}\b|\+61\b|\.com\.au\b|\.net\.au\b|\.edu\.au\b|\.org\.au\b`)},
	{"NZ", 2, MustPattern(`\bNZBN\b|\bIRD\b|\+64\b|\.co\.nz\b|\.org\.nz\b|\.net\.nz\b|\bGST (?:No|Number|Reg)[^0-9]{0,12}\d{2,3}-\d{3}-\d{3}\b`)},
	{"SG", 2, MustPattern(`\bUEN\b|\+65\b|\.com\.sg\b|\bSingapore \d{6}\b|\bM[2R9]-?\d{7}`)},
	{"ZA", 2, MustPattern(`\+27\b|\.co\.za\b|\.org\.za\b|\.net\.za\b|(?i:vat (?:reg|no|number)[^0-9]{0,16})4\d{9}\b`)},
	{"IN", 2, MustPattern(`\bGSTIN\b|\+91\b|\b[CSI]GST\b|\bIFSC\b|\b\d{2}[A-Z]{5}\d{4}[A-Z]\dZ[0-9A-Z]\b`)},
	{"GB", 1, MustPattern(`\bGB ?\d{9}\b|\+44\b|\.co\.uk\b|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b|\bBACS\b|(?i:sort code)`)},
	{"IE", 1.5, MustPattern(`\bIE ?\d{7}[A-Z]{1,2}\b|\+353\b|\.ie\b`)},
	{"MX", 2, MustPattern(`\bRFC\b|\bCLABE\b|\bCFDI\b|\+52\b|\.com\.mx\b|\bR\.F\.C`)},
	{"BR", 2, MustPattern(`\bCNPJ\b|\bCPF\b|\+55\b|\.com\.br\b|\bNF-?e\b|\bICMS\b`)},
	{"CH", 2, MustPattern(`\bCHE-?\d{3}|\+41\b|\bCH-\d{4}\b|\bCH\d{2} ?\d{4}`)},
	{"SE", 2, MustPattern(`\bSE ?\d{10}01\b|\bSE\d{2} ?\d{4}|(?i:bankgiro|plusgiro|organisationsnummer|f-skatt)|\+46\b|\bsverige\b`)},
	{"NO", 2, MustPattern(`\bMVA\b|\bNO\d{2} ?\d{4}|\+47\b|(?i:\bmva\b|organisasjonsn|kid-?n|forfallsdato)`)},
	{"DK", 2, MustPattern(`\bCVR\b|\bDK\d{8}\b|\bDK\d{2} ?\d{4}|\+45\b|(?i:forfaldsdato|\bfi-kort|danmark)`)},
	{"IS", 2, MustPattern(`(?i:kennitala)|\+354\b`)},
	{"FI", 2, MustPattern(`\bFI\d{8}\b|\bFI\d{2} ?\d{4}|\+358\b|(?i:y-tunnus|\balv\b)`)},
	{"PL", 2, MustPattern(`\bNIP\b|\bPL ?\d{10}\b|\+48\b|\bREGON\b|\bKRS\b`)},
	{"CZ", 2, MustPattern(`\bCZ\d{8,10}\b|\+420\b|(?i:\bdič\b|\bičo?\b|\bdph\b)`)},
	{"HU", 2, MustPattern(`\bHU\d{8}\b|\bHU\d{2} ?\d{4}|\+36\b|(?i:adószám|\báfa\b)|\b\d{8}-\d-\d{2}\b`)},
	{"RO", 2, MustPattern(`\bRO ?\d{6,10}\b|\bRO\d{2} ?[A-Z]{4}|\+40\b|\bCUI\b`)},
	{"TR", 2, MustPattern(`\bVKN\b|\bTCKN\b|\+90\b|\bKDV\b|\.com\.tr\b|\bTR\d{2} ?\d{4}`)},
	{"BG", 2, MustPattern(`\bBG\d{9,10}\b|\+359\b|ДДС`)},
	{"JP", 2, MustPattern(`\bT\d{13}\b|\+81\b|株式会社|消費税`)},
	{"CN", 2, MustPattern(`\+86\b|有限公司|增值税`)},
	{"DE", 1.5, MustPattern(`\bDE ?\d{9}\b|\bDE\d{2} ?\d{4}|\+49\b|(?i:\bust-?id|amtsgericht|finanzamt)`)},
	{"AT", 1.5, MustPattern(`\bATU ?\d{8}\b|\bAT\d{2} ?\d{4}|\+43\b`)},
	{"FR", 1.5, MustPattern(`\bFR ?[0-9A-Z]{2} ?\d{9}\b|\bFR\d{2} ?\d{4}|\+33\b|(?i:\bsiret\b|\bsiren\b|\br\.?c\.?s\b)`)},
	{"ES", 1.5, MustPattern(`\bES\d{2} ?\d{4}|\+34\b|(?i:\bn\.?i\.?f\b|\bc\.?i\.?f\b)`)},
	{"IT", 1.5, MustPattern(`\bIT ?\d{11}\b|\bIT\d{2} ?[A-Z]\d|\+39\b|(?i:\bp\.? ?iva\b|partita iva|codice fiscale)`)},
	{"NL", 1.5, MustPattern(`\bNL ?\d{9}B\d{2}\b|\bNL\d{2} ?[A-Z]{4}|\+31\b|(?i:\bkvk\b|\bbtw\b)`)},
	{"BE", 1.5, MustPattern(`\bBE ?[01]\d{3}\.?\d{3}\.?\d{3}\b|\bBE\d{2} ?\d{4}|\+32\b`)},
	{"PT", 1.5, MustPattern(`\bPT ?\d{9}\b|\bPT50\b|\+351\b|(?i:\bcontribuinte\b|\bnipc\b|\batcud\b|multibanco)`)},
	{"GR", 1.5, MustPattern(`\bEL ?\d{9}\b|\bGR\d{2} ?\d{4}|\+30\b|ΑΦΜ|ΦΠΑ`)},
	{"LU", 1.5, MustPattern(`\bLU ?\d{8}\b|\bLU\d{2} ?\d{4}|\+352\b`)},
	{"AE", 2, MustPattern(`\+971\b|\.ae\b|\bTRN\b`)},
	{"SA", 2, MustPattern(`\+966\b|\.sa\b`)},
}

// maxCue is the maximum length of a text that is searched for country cues.
const maxCue = 400

// CountryCues returns how strongly a line of text indicates each country, from
// patterns of addresses, telephone numbers, domains, accounts and identifiers, and
// from names of countries.
func CountryCues(text string, list []Token) map[string]float64 {
	var out map[string]float64
	add := func(country string, weight float64) {
		if out == nil {
			out = map[string]float64{}
		}
		out[country] = max(out[country], weight)
	}
	if len(text) > maxCue {
		text = text[:maxCue]
	}
	for _, country := range Countries(list) {
		add(country, 1.5)
	}
	if !cueWorthy(text) {
		return out
	}
	c := CharactersOf(text)
	for i := range cues {
		if cues[i].form.MayMatch(&c, text) && cues[i].form.form.MatchString(text) {
			add(cues[i].country, cues[i].weight)
		}
	}
	return out
}

// cueWorthy reports whether a text can contain a country cue. It is a cheap test
// before the many patterns.
func cueWorthy(text string) bool {
	return strings.ContainsAny(text, "0123456789.@") || strings.ContainsFunc(text, func(r rune) bool { return r > 0x7f }) || len(text) < 60
}
