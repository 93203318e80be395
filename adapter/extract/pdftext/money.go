package pdftext

import (
	"regexp"
	"slices"
	"strings"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// cue is something that speaks for a currency.
type cue struct {
	code   string
	weight float64
	seg    *segment
}

// readCurrency reads the currency from codes and signs at amounts, at labels
// and in words.
func (s *parsedDocument) readCurrency(d *draft, sums *totals) {
	var cues []cue
	ambiguous := map[string]*segment{} // signs of several currencies, by the likeliest
	for _, seg := range s.segments {
		for i := range seg.amounts {
			a := &seg.amounts[i]
			switch {
			case len(a.currencies) == 1:
				cues = append(cues, cue{a.currencies[0], 1, seg})
			case len(a.currencies) > 1:
				ambiguous[a.currencies[0]] = seg
			}
		}
		for _, label := range seg.labels {
			if label.Role == textrules.RoleCurrency || slices.Contains(totalRoles, label.Role) {
				for _, w := range append(s.wordsAfter(seg, label), strings.Fields(seg.text)...) {
					if codes := textrules.Currencies(w); len(codes) == 1 {
						cues = append(cues, cue{codes[0], 2, seg})
					}
				}
			}
		}
		if code := textrules.NamedCurrency(seg.text); code != "" {
			cues = append(cues, cue{code, 1, seg})
		}
	}
	sum, first := map[string]float64{}, map[string]*segment{}
	for _, c := range cues {
		sum[c.code] += c.weight
		if first[c.code] == nil {
			first[c.code] = c.seg
		}
	}
	best, rival := "", ""
	for _, c := range cues {
		switch {
		case best == "" || sum[c.code] > sum[best]:
			if best != c.code {
				best, rival = c.code, best
			}
		case c.code != best && (rival == "" || sum[c.code] > sum[rival]):
			rival = c.code
		}
	}
	switch {
	case best != "" && rival == "":
		s.setCurrency(d, best, sure, first[best])
	case best != "" && sum[rival]*4 <= sum[best]:
		s.setCurrency(d, best, likely, first[best], rival)
	case best != "":
		s.setCurrency(d, best, open, first[best], rival)
	default:
		s.bySign(d, ambiguous)
	}
}

func (s *parsedDocument) setCurrency(d *draft, code string, confidence float64, seg *segment, others ...string) {
	d.content.Currency, s.currency = code, code
	d.recordEvidence("currency", confidence, seg, 0, 0, others...)
}

// wordsAfter are the words of a segment behind a label, and of the one beside
// it where there are none.
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
	usAddress = regexp.MustCompile(`\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])\.?,? +\d{4,5}(?:[-\dA-Z]|\b)`)
	otherUS   = regexp.MustCompile(`(?i)\b(?:canada|australia|singapore|new zealand|hong kong|mexico|abn|gst|hst|ontario|quebec|nsw|victoria)\b`)
)

// bySign decides what a sign such as "$" or "kr" stands for by the country the
// document speaks of.
func (s *parsedDocument) bySign(d *draft, ambiguous map[string]*segment) {
	for _, code := range []string{"USD", "JPY", "INR", "SEK", "DKK", "AED", "SAR"} {
		seg := ambiguous[code]
		if seg == nil {
			continue
		}
		switch code {
		case "USD":
			american, other := s.mentions(usAddress), s.mentions(otherUS)
			confidence := 0.8
			if american && !other {
				confidence = 0.96
			} else if other {
				confidence = open
			}
			s.setCurrency(d, "USD", confidence, seg)
		case "JPY":
			if s.anyRune(isKana) {
				s.setCurrency(d, "JPY", sure, seg)
			} else {
				s.setCurrency(d, "CNY", likely, seg)
			}
		case "SEK", "DKK":
			s.nordic(d, seg)
		case "SAR":
			s.setCurrency(d, "SAR", doubtful, seg, "QAR", "OMR")
		default:
			s.setCurrency(d, code, doubtful, seg)
		}
		return
	}
}

func (s *parsedDocument) mentions(re *regexp.Regexp) bool {
	return slices.ContainsFunc(s.segments, func(seg *segment) bool { return re.MatchString(seg.text) })
}

func (s *parsedDocument) anyRune(f func(rune) bool) bool {
	return slices.ContainsFunc(s.segments, func(seg *segment) bool { return strings.ContainsFunc(seg.text, f) })
}

func isKana(r rune) bool { return '\u3041' <= r && r <= '\u30ff' }

var nordicCues = []struct {
	code string
	cue  *regexp.Regexp
}{
	{"SEK", regexp.MustCompile(`(?i)\bSE\d{2} ?\d{4}|\bSE\d{12}|organisationsnummer|bankgiro|förfallodatum|att betala|\bsverige\b`)},
	{"NOK", regexp.MustCompile(`(?i)\bNO\d{2} ?\d{4}|\bMVA\b|forfallsdato|å betale|\bnorge\b`)},
	{"DKK", regexp.MustCompile(`(?i)\bDK\d{8}|\bDK\d{2} ?\d{4}|\bCVR\b|forfaldsdato|at betale|\bdanmark\b`)},
	{"ISK", regexp.MustCompile(`(?i)kennitala|\bÍsland\b`)},
}

func (s *parsedDocument) nordic(d *draft, seg *segment) {
	found := ""
	var others []string
	for _, c := range nordicCues {
		if !s.mentions(c.cue) {
			continue
		}
		if found != "" {
			others = append(others, c.code)
			continue
		}
		found = c.code
	}
	switch {
	case found == "":
		s.setCurrency(d, "SEK", open, seg, "NOK", "DKK")
	case others != nil:
		s.setCurrency(d, found, open, seg, others...)
	default:
		s.setCurrency(d, found, likely, seg)
	}
}

var english = regexp.MustCompile(`(?i)\b(?:invoice|date|bill to|amount|quantity|qty|description|total due|balance due|subtotal|due date|unit price)\b`)

// dateOrder returns the order of day and month: what the dates show, else what
// the entity chose, else what the terms of payment confirm, else the custom of
// the country.
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
		}
		if byTerms := s.orderByTerms(); byTerms != textrules.OrderUnknown {
			fallback = byTerms
		}
	}
	return textrules.VoteOrder(all, fallback)
}

var termDays = regexp.MustCompile(`(?i)\b(?:net\s*)?(\d{1,3})\s*(?:days?|d\b|jours|tage|dagen|dias|giorni)|\bnet\s*(\d{1,3})\b`)

// orderByTerms finds the order in which issue and due date lie as many days
// apart as the terms of payment say.
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

// readLines puts the rows of the table into the draft.
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
		confidence := likely
		if it.consistent() {
			confidence = sure
		}
		d.recordEvidence(linePath(len(d.content.Lines)), confidence, it.at, 0, 0)
		d.content.Lines = append(d.content.Lines, l)
	}
}
