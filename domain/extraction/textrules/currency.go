package textrules

import (
	"maps"
	"slices"
	"strings"
)

// currencyCodes are the ISO 4217 codes that occur on invoices.
var currencyCodes = setOf(`AED ARS AUD BGN BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP GEL HKD HRK HUF IDR ILS INR ISK JOD JPY KES KRW
	KWD LBP LKR MAD MDL MKD MXN MYR NGN NOK NZD OMR PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB TND TRY TWD UAH USD UYU VND ZAR`)

// signs maps a currency sign to its possible currencies, most likely first.
var signs = map[string][]string{
	"€": {"EUR"}, "euro": {"EUR"}, "euros": {"EUR"}, "£": {"GBP"}, "¥": {"JPY", "CNY"}, "￥": {"JPY", "CNY"}, "円": {"JPY"}, "元": {"CNY"}, "圆": {"CNY"}, "rmb": {"CNY"},
	"$":  {"USD", "CAD", "AUD", "SGD", "NZD", "HKD", "MXN", "TWD", "CLP", "ARS", "COP"},
	"r$": {"BRL"}, "us$": {"USD"}, "usd$": {"USD"}, "a$": {"AUD"}, "au$": {"AUD"}, "c$": {"CAD"}, "ca$": {"CAD"}, "s$": {"SGD"}, "nz$": {"NZD"}, "hk$": {"HKD"}, "nt$": {"TWD"}, "mx$": {"MXN"},
	"zl": {"PLN"}, "kc": {"CZK"}, "ft": {"HUF"}, "лв": {"BGN"}, "лв.": {"BGN"}, "lei": {"RON"}, "ron": {"RON"}, "₹": {"INR"}, "rs": {"INR", "PKR", "LKR"}, "rs.": {"INR", "PKR", "LKR"},
	"₽": {"RUB"}, "₺": {"TRY"}, "tl": {"TRY"}, "₴": {"UAH"}, "₪": {"ILS"}, "₩": {"KRW"}, "₱": {"PHP"}, "฿": {"THB"}, "₫": {"VND"},
	"fr.": {"CHF"}, "sfr.": {"CHF"}, "kr": {"SEK", "NOK", "DKK", "ISK"}, "kr.": {"DKK", "SEK", "NOK"}, ":-": {"SEK"},
	"ريال": {"SAR", "QAR", "OMR", "YER"}, "ر.س": {"SAR"}, "ر.س.": {"SAR"}, "درهم": {"AED", "MAD"}, "د.إ": {"AED"}, "﷼": {"SAR"}, "جنيه": {"EGP"},
}

// names maps unambiguous currency names to currencies.
var names = map[string]string{
	"us dollars": "USD", "us dollar": "USD", "u s dollars": "USD", "american dollars": "USD", "canadian dollars": "CAD", "australian dollars": "AUD",
	"pounds sterling": "GBP", "swiss francs": "CHF", "schweizer franken": "CHF", "euro": "EUR", "ريال سعودي": "SAR", "ευρω": "EUR", "лева": "BGN", "人民币": "CNY", "日本円": "JPY",
	"svenska kronor": "SEK", "norske kroner": "NOK", "danske kroner": "DKK", "zlotych": "PLN", "reais": "BRL", "درهم اماراتي": "AED",
}

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// Currencies returns the possible currencies of a sign or code next to a number, most
// likely first; none if the text is not a currency.
func Currencies(text string) []string {
	text = strings.Trim(text, "()[]:;")
	if currencyCodes[text] {
		return []string{text}
	}
	return signs[Fold(strings.TrimSuffix(text, ","))]
}

// namedCurrency is the name of a currency in words.
type namedCurrency struct {
	words []string
	code  string
}

// namesByWord contains the names of currencies by their first word, solidNames those
// in scripts without spaces.
var namesByWord, solidNames = indexNames()

func indexNames() (byWord map[string][]namedCurrency, solid []namedCurrency) {
	byWord = map[string][]namedCurrency{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		words := strings.Fields(name)
		byWord[words[0]] = append(byWord[words[0]], namedCurrency{words, names[name]})
		if IsIdeographic(name) {
			solid = append(solid, namedCurrency{[]string{name}, names[name]})
		}
	}
	return byWord, solid
}

// NamedCurrency returns the currency that a text names in words, or "". list are the
// tokens of the text. The first name counts.
func NamedCurrency(text string, list []Token) string {
	for i := range list {
		for _, n := range namesByWord[list[i].Text] {
			if len(n.words) <= len(list)-i && slices.EqualFunc(n.words, list[i:i+len(n.words)], func(w string, t Token) bool { return w == t.Text }) {
				return n.code
			}
		}
	}
	if !IsIdeographic(text) {
		return ""
	}
	for _, n := range solidNames {
		if strings.Contains(text, n.words[0]) {
			return n.code
		}
	}
	return ""
}

// WholeUnits reports whether amounts of a currency have no decimals (ISO 4217).
func WholeUnits(currency string) bool {
	switch currency {
	case "JPY", "KRW", "CLP", "VND", "ISK", "PYG", "UGX", "XAF", "XOF", "XPF":
		return true
	}
	return false
}

// suffixSigns are signs that are currencies only after an amount. Before digits they
// are units of something else, as in "Ft3".
var suffixSigns = setOf(`ft kc zl lei tl лв лв.`)

// CurrenciesBefore returns the possible currencies of a text directly before an
// amount. "R" is the rand if the amount has cents.
func CurrenciesBefore(text, digits string) []string {
	if suffixSigns[Fold(text)] {
		return nil
	}
	if text == "R" || text == "-R" {
		if n := len(digits); n > 3 && (digits[n-3] == '.' || digits[n-3] == ',') {
			return []string{"ZAR"}
		}
		return nil
	}
	return Currencies(text)
}
