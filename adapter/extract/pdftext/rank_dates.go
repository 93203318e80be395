package pdftext

import (
	"strings"

	"docledger/domain/calendar"
	"docledger/domain/extraction/textrules"
)

// dateCandidates returns the dates outside long tables with their features for the
// issue date or the due date.
func (s *parsedDocument) dateCandidates(target textrules.Role, training bool) []candidate {
	type printed struct {
		seg         *segment
		n           int
		date        calendar.Date
		alternative *calendar.Date
	}
	var all []printed
	counts := map[calendar.Date]int{}
	earliest, latest := calendar.Date{}, calendar.Date{}
	inTable := 0
	for _, seg := range s.segments {
		for n := range seg.dates {
			date, alternative, ok := s.readDate(seg.dates[n])
			if !ok {
				continue
			}
			if seg.used {
				inTable++
			}
			counts[date]++
			all = append(all, printed{seg, n, date, alternative})
			if earliest.IsZero() || date.Before(earliest) {
				earliest = date
			}
			if latest.Before(date) {
				latest = date
			}
		}
	}
	issue := map[calendar.Date]float64{}
	for _, f := range s.datesOf(textrules.RoleIssueDate) {
		issue[f.date] = max(issue[f.date], f.weight)
	}
	due := map[calendar.Date]float64{}
	for _, f := range s.datesOf(textrules.RoleDueDate) {
		due[f.date] = max(due[f.date], f.weight)
	}
	single, hasSingle := s.onlyDate()
	field := rankIssue
	if target == textrules.RoleDueDate {
		field = rankDue
	}
	var out []candidate
	for k, p := range all {
		if len(out) >= maxCandidates {
			break
		}
		seg := p.seg
		d := &seg.dates[p.n]
		from, to := seg.wordsAt(d.Start, d.End)
		c := candidate{found: found{value: p.date.String(), date: p.date, seg: seg, from: from, to: to}}
		if p.alternative != nil {
			c.alternatives, c.ambiguous = []string{p.alternative.String()}, true
		}
		c.features = newFeatures(field, training)
		f := &c.features
		at := s.around(seg, d.Start, d.End)
		f.addLabels(at, groupIssue, groupDate, groupDue, groupDelivery, groupOtherDate, groupOrder, groupTitle, groupNumber, groupTerms, groupOther)
		for _, g := range []group{groupIssue, groupDue, groupDelivery} {
			f.flag(f.joined("after_", groupNames[g]), at.after.group == g && at.after.distance < 40)
		}
		f.addPlace(s, seg)
		f.add("issue_rule", issue[p.date])
		f.add("due_rule", due[p.date])
		f.flag("only", hasSingle && single.date == p.date)
		f.add("count", float64(min(counts[p.date], 6)))
		f.add("distinct", float64(min(len(counts), 12)))
		f.add("order", float64(min(k, 20)))
		f.add("in_table", float64(min(inTable, 20)))
		f.add("after_earliest", float64(min(daysBetween(earliest, p.date), 400)))
		f.add("before_latest", float64(min(daysBetween(p.date, latest), 400)))
		f.add("dates_in_segment", float64(len(seg.dates)))
		f.add("date_in_segment", float64(p.n))
		before, after := strings.TrimSpace(seg.text[:d.Start]), strings.TrimSpace(seg.text[d.End:])
		f.add("words_before", float64(min(len(strings.Fields(before)), 20)))
		f.add("words_after", float64(min(len(strings.Fields(after)), 20)))
		f.flag("pays", paysIn(seg))
		f.flag("place_before", placeBefore(before, after))
		f.flag("spelled", !strings.ContainsAny(d.Text, "/") && strings.ContainsFunc(d.Text, isLetterRune))
		f.flag("ranged", strings.HasPrefix(after, "-") || strings.HasSuffix(before, "-") || strings.HasSuffix(before, "–"))
		f.flag("title_in_segment", hasRole(seg, textrules.RoleTitle, textrules.RoleCreditTitle))
		f.flag("number_in_segment", hasRole(seg, textrules.RoleNumber))
		f.flag("discount", discounts(seg))
		f.flag("time_after", strings.Contains(after, ":") && len(after) < 10)
		f.flag("alone", before == "" && after == "")
		if target == textrules.RoleDueDate {
			for _, name := range []string{"after_issue", "is_issue"} {
				value := -1.0
				if !s.issued.IsZero() {
					value = float64(min(daysBetween(s.issued, p.date), 400))
					if name == "is_issue" {
						value = 0
						if s.issued == p.date {
							value = 1
						}
					}
				}
				f.add(name, value)
			}
		}
		out = append(out, c)
	}
	return out
}

func isLetterRune(r rune) bool { return r >= 'a' && r <= 'z' || r > 0x7f }

func daysBetween(a, b calendar.Date) int {
	return int(b.Time().Sub(a.Time()).Hours() / 24)
}

// paysIn reports whether a segment is about payment.
func paysIn(seg *segment) bool {
	for _, t := range seg.tokens {
		if textrules.SpeaksOfPaying(t.Text) {
			return true
		}
	}
	return false
}

func discounts(seg *segment) bool {
	for _, t := range seg.tokens {
		if textrules.IsWord("discount", t.Text) {
			return true
		}
	}
	return false
}

// placeBefore reports whether a date follows a town as in letters: "Paris, le 7 mai
// 2024".
func placeBefore(before, after string) bool {
	if after != "" {
		return false
	}
	town, rest, ok := strings.Cut(before, ",")
	return ok && !hasDigit(before) && len(strings.Fields(town)) <= 4 && len(strings.TrimSpace(rest)) <= 4
}
