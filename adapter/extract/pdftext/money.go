package pdftext

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// cue is evidence for a currency.
type cue struct {
	code   string
	weight float64
	seg    *segment
}

// mostLabels is the maximum number of labels of a segment that can precede a currency. The
// text of the segment is read for each of them.
const mostLabels = 20

// currencyCues returns where the document shows its currency, with the possible currencies of a
// sign that several share.
func (s *parsedDocument) currencyCues() (cues []cue, shared map[string]float64, sharedAt *segment) {
	shared = map[string]float64{}
	for _, seg := range s.segments {
		for i := range seg.amounts {
			a := &seg.amounts[i]
			switch {
			case len(a.currencies) == 1:
				cues = append(cues, cue{a.currencies[0], 1, seg})
			case len(a.currencies) > 1:
				sharedAt = seg
				for _, code := range a.currencies {
					shared[code]++
				}
			}
		}
		for _, label := range seg.labels[:min(len(seg.labels), mostLabels)] {
			if label.Role == textrules.RoleCurrency || slices.Contains(totalRoles, label.Role) {
				for _, w := range append(s.wordsAfter(seg, label), strings.Fields(seg.text)...) {
					if codes := textrules.Currencies(strings.Trim(w, "().,:")); len(codes) == 1 {
						cues = append(cues, cue{codes[0], 2, seg})
					}
				}
			}
		}
		if code := textrules.NamedCurrency(seg.text, seg.tokens); code != "" {
			cues = append(cues, cue{code, 1, seg})
		}
		if seg.used && len(seg.words) <= 4 && !hasDigit(seg.text) { // the heading of a column
			for _, w := range seg.words {
				if codes := textrules.Currencies(strings.Trim(w.text, "().,:[]")); len(codes) == 1 {
					cues = append(cues, cue{codes[0], 1, seg})
				}
			}
		}
	}
	return cues, shared, sharedAt
}

// readCurrency determines the currency from codes and signs at amounts, at labels and
// in words. Evidence of the country decides a sign that several currencies share, and
// the currency of a document that prints none.
func (s *parsedDocument) readCurrency(d *draft) {
	cues, shared, sharedAt := s.currencyCues()
	totals, first := map[string]float64{}, map[string]*segment{}
	for _, c := range cues {
		totals[c.code] += c.weight
		if first[c.code] == nil {
			first[c.code] = c.seg
		}
	}
	for code := range totals {
		// A sign such as "kr" confirms the code of one of its currencies.
		totals[code] += min(shared[code], totals[code])
	}
	ranked := byWeight(totals)
	switch {
	case len(ranked) == 1 && totals[ranked[0]] >= 1:
		confidence := sure
		if totals[ranked[0]] < 2 && s.countries(d.content.Seller.TaxID)[ranked[0]] == 0 {
			confidence = likely
		}
		s.setCurrency(d, ranked[0], confidence, first[ranked[0]])
	case len(ranked) > 1 && totals[ranked[1]]*4 <= totals[ranked[0]]:
		s.setCurrency(d, ranked[0], likely, first[ranked[0]], ranked[1])
	case len(ranked) > 1:
		s.setCurrency(d, ranked[0], open, first[ranked[0]], ranked[1])
	default:
		s.byCountry(d, shared, s.countries(d.content.Seller.TaxID), sharedAt)
	}
}

// byWeight returns the keys, greatest weight first.
func byWeight(weights map[string]float64) []string {
	out := slices.Sorted(maps.Keys(weights))
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(weights[b], weights[a]) })
	return out
}

// countries returns the strength of the evidence for each currency from the countries
// in the document.
func (s *parsedDocument) countries(sellerTaxID string) map[string]float64 {
	out := map[string]float64{}
	const most = 6.0 // maximum of one country, for any number of occurrences
	byCountry := map[string]float64{}
	add := func(country string, weight float64) { byCountry[country] = min(most, byCountry[country]+weight) }
	const lines = 600
	for i, seg := range s.segments {
		if i >= lines {
			break
		}
		if seg.used {
			continue
		}
		for country, weight := range textrules.CountryCues(seg.text, seg.tokens) {
			add(country, weight)
		}
	}
	for country, weight := range textrules.CountryCues(sellerTaxID, nil) {
		add(country, 2*weight)
	}
	for country, weight := range byCountry {
		if code := textrules.CurrencyOf(country); code != "" {
			out[code] = max(out[code], weight)
		}
	}
	return out
}

// byCountry selects one of the possible currencies of a shared sign, or of all
// currencies if no sign is printed, by the evidence of the country.
func (s *parsedDocument) byCountry(d *draft, shared, countries map[string]float64, seg *segment) {
	if len(shared) > 0 {
		for code := range countries {
			if shared[code] == 0 {
				delete(countries, code)
			}
		}
	}
	ranked := byWeight(countries)
	if len(ranked) == 0 {
		if len(shared) > 0 {
			codes := byWeight(shared)
			for _, usual := range []string{"USD", "JPY", "INR", "SEK", "SAR"} {
				if shared[usual] > 0 {
					codes = append([]string{usual}, slices.DeleteFunc(codes, func(c string) bool { return c == usual })...)
				}
			}
			s.setCurrency(d, codes[0], open, seg, codes[1:min(len(codes), 6)]...)
		}
		return
	}
	confidence, rival := doubtful, 0.0
	if len(ranked) > 1 {
		rival = countries[ranked[1]]
	}
	top := countries[ranked[0]]
	switch {
	case len(shared) > 0 && top >= 2 && rival*2 <= top:
		confidence = 0.95
	case len(shared) > 0 && top >= 1 && rival == 0:
		confidence = likely
	case len(shared) == 0 && top >= 4 && rival*2 <= top:
		confidence = likely
	case len(shared) == 0 && top >= 2 && rival == 0:
		confidence = probable
	}
	s.setCurrency(d, ranked[0], confidence, seg, ranked[1:min(len(ranked), 5)]...)
}

func (s *parsedDocument) setCurrency(d *draft, code string, confidence float64, seg *segment, others ...string) {
	d.content.Currency, s.currency = code, code
	d.recordEvidence("currency", confidence, seg, 0, 0, others...)
}

// wordsAfter returns the words of a segment after a label, or of the next segment if
// there are none.
func (s *parsedDocument) wordsAfter(seg *segment, label textrules.Match) []string {
	text := seg.text[seg.tokens[label.To-1].End:]
	if strings.Trim(text, " :") == "" {
		segments := s.lines[seg.line].segments
		if i := slices.Index(segments, seg); i+1 < len(segments) {
			text = segments[i+1].text
		}
	}
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = strings.Trim(w, ".,:;()")
	}
	return words
}

var (
	usAddress = textrules.MustPattern(`\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])\.?,? +\d{4,5}(?:[-\dA-Z]|\b)`)
	otherUS   = textrules.MustPattern(`(?i)\b(?:canada|australia|singapore|new zealand|hong kong|mexico|abn|gst|hst|ontario|quebec|nsw|victoria)\b`)
)

func (s *parsedDocument) mentions(re *textrules.Pattern) bool {
	return slices.ContainsFunc(s.segments, func(seg *segment) bool { return re.MatchString(seg.text) })
}

var english = textrules.MustPattern(`(?i)\b(?:invoice|date|bill to|amount|quantity|qty|description|total due|balance due|subtotal|due date|unit price)\b`)

// monthFirst are the currencies of countries that print the month first, and the
// currency of a document that states none.
var monthFirst = map[string]bool{"USD": true, "CAD": true, "PHP": true, "": true}

// dayFirst has, for currencies of countries that print the day first in English, what a document
// of the country states. A currency alone is the buyer's choice.
var dayFirst = map[string]*textrules.Pattern{
	"AUD": textrules.MustPattern(`(?i)\b(?:abn|gst)\b|\baustralia\b|\b(?:nsw|vic|qld|tas)\.?,? +\d{4}\b`),
	"NZD": textrules.MustPattern(`(?i)\b(?:nzbn|gst)\b|\bnew zealand\b`),
	"SGD": textrules.MustPattern(`(?i)\b(?:uen|gst)\b|\bsingapore\b`),
	"ZAR": textrules.MustPattern(`(?i)\bsouth africa\b`),
	"INR": textrules.MustPattern(`(?i)\b(?:gstin|[cs]gst|igst|gst)\b|\bindia\b`),
	"HKD": textrules.MustPattern(`(?i)\bhong kong\b`),
	"MYR": textrules.MustPattern(`(?i)\bmalaysia\b`),
}

// monthFirstCountry is what a document of a country that prints the month first states.
var monthFirstCountry = textrules.MustPattern(`(?i)\bunited states\b|\bu\.?s\.?a\b|\bphilippines\b|\bcanada\b|[a-z],? +\d{5}-\d{4}\b|\b(?:california|new york|texas|florida|illinois|pennsylvania|ohio|georgia|washington|massachusetts|arizona|colorado|oregon|nevada|virginia|carolina|michigan|minnesota|tennessee|wisconsin|maryland|missouri|indiana|alabama|louisiana|kentucky|utah|iowa|kansas|arkansas|mississippi|nebraska|idaho|hawaii|maine|montana|delaware|dakota|alaska|vermont|wyoming|oklahoma|connecticut|new (?:jersey|mexico|hampshire)|rhode island),? +\d{5}\b`)

// isOf reports whether the document states what documents of a country state; country may be nil.
func (s *parsedDocument) isOf(country *textrules.Pattern) bool {
	return country != nil && s.mentions(country)
}

// accented reports whether several words of the document have letters that English
// does not have.
func (s *parsedDocument) accented() bool {
	const several = 6
	n := 0
	for _, seg := range s.segments {
		for _, t := range seg.tokens {
			if strings.ContainsFunc(seg.text[t.Start:t.End], func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }) {
				if n++; n >= several {
					return true
				}
			}
		}
	}
	return false
}

// dateOrder returns the order of day and month: the order that the dates show, or
// else the entity's setting, or else the order that the payment terms confirm, or
// else the country's custom.
func (s *parsedDocument) dateOrder(d *draft) textrules.Order {
	var all []textrules.PrintedDate
	for _, seg := range s.segments {
		for _, date := range seg.dates {
			if s.votes(date) {
				all = append(all, date)
			}
		}
	}
	if chosen := s.chosenOrder(); chosen != textrules.OrderUnknown {
		return textrules.VoteOrder(all, chosen)
	}
	fallback := textrules.DayFirst
	if s.mentions(english) {
		fallback = textrules.OrderUnknown
		switch {
		case d.content.Currency == "USD" && s.mentions(usAddress) && !s.mentions(otherUS):
			fallback = textrules.MonthFirst
		case d.content.Currency == "GBP" && strings.HasPrefix(d.content.Seller.TaxID, "GB"):
			fallback = textrules.DayFirst
		case s.isOf(dayFirst[d.content.Currency]) && !s.mentions(usAddress) && !s.mentions(monthFirstCountry):
			fallback = textrules.DayFirst
		case !monthFirst[d.content.Currency] && !s.mentions(usAddress) && s.accented():
			fallback = textrules.DayFirst // a word such as "date" is not only English
		}
		if byTerms := s.orderByTerms(); byTerms != textrules.OrderUnknown {
			fallback = byTerms
		}
	}
	return textrules.VoteOrder(all, fallback)
}

var termDays = textrules.MustPattern(`(?i)\b(?:net\s*)?(\d{1,3})\s*(?:days?|d\b|jours|tage|dagen|dias|giorni)|\bnet\s*(\d{1,3})\b`)

// orderByTerms returns the order with which the number of days between issue date and
// due date equals the payment period.
func (s *parsedDocument) orderByTerms() textrules.Order {
	days := 0
	for _, seg := range s.segments {
		if m := termDays.FindStringSubmatch(seg.text); m != nil {
			days = atoi(m[1] + m[2])
		}
	}
	if days == 0 {
		return textrules.OrderUnknown
	}
	fits := textrules.OrderUnknown
	for _, order := range []textrules.Order{textrules.DayFirst, textrules.MonthFirst} {
		s.order = order
		issue, due := s.datesOf(textrules.RoleIssueDate), s.datesOf(textrules.RoleDueDate)
		if len(issue) == 0 || len(due) == 0 || issue[0].date.AddDays(days) != due[0].date {
			continue
		}
		if fits != textrules.OrderUnknown {
			return textrules.OrderUnknown
		}
		fits = order
	}
	return fits
}

func atoi(s string) int {
	n := 0
	for _, c := range []byte(s) {
		n = n*10 + int(c-'0')
	}
	return n
}

// readLines adds the rows of the table to the draft.
func (s *parsedDocument) readLines(d *draft, t *table) {
	if t.start >= 0 && len(t.items) == 0 {
		d.checks = append(d.checks, invoice.Check{
			Rule: invoice.RuleLinesReadable, Severity: invoice.Blocking, Path: "lines",
			Expected: "the lines under the heading of the table", Found: "none that can be read",
		})
	}
	if t.start < 0 {
		d.checks = append(d.checks, invoice.Check{
			Rule: invoice.RuleLinesReadable, Severity: invoice.Warning, Path: "lines", Expected: "a table of lines", Found: "none that can be read",
		})
	}
	rates := s.printedRates()
	for i := range t.items {
		if len(d.content.Lines) >= invoice.MaxLines {
			return
		}
		it := &t.items[i]
		l := invoice.Line{
			Position:    len(d.content.Lines) + 1,
			Description: strings.Join(it.description, " "),
			Unit:        it.unit,
			Quantity:    it.value(textrules.ColumnQuantity),
			UnitPrice:   it.value(textrules.ColumnPrice),
			NetAmount:   it.value(textrules.ColumnAmount),
			TaxRate:     it.value(textrules.ColumnTaxRate),
		}
		if isRateCode(it.cells[textrules.ColumnTaxRate], rates) {
			l.TaxRate = nil
		}
		confidence := likely
		if it.consistent() {
			confidence = sure
		}
		d.recordEvidence(linePath(len(d.content.Lines)), confidence, it.at, 0, 0)
		d.content.Lines = append(d.content.Lines, l)
	}
}
