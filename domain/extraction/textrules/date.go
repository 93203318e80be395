package textrules

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"docledger/domain/calendar"
)

// Order is the order of numeric day and month in a document.
type Order int

// The orders.
const (
	OrderUnknown Order = iota
	DayFirst
	MonthFirst
)

// PrintedDate is a date found in a text. If day and month are numbers that may be
// swapped, the result of Read depends on the order.
type PrintedDate struct {
	Start, End int // byte offsets in the text
	Text       string
	year       int
	first      int // the day, or the first of two numbers
	second     int // the month, or the second
	fixed      bool
	separator  byte
}

// firstYear and lastYear limit the accepted years. Other digits of the same form are
// numbers of articles, telephones or accounts.
const (
	firstYear = 1950
	lastYear  = 2099
)

var (
	yearFirst = MustPattern(`(\d{4}) ?[-/.年] ?(\d{1,2}) ?[-/.月] ?(\d{1,2})日?`)
	numeric   = MustPattern(`(\d{1,2}) ?([-/.]) ?(\d{1,2}) ?([-/.]) ?(\d{4}|\d{2})`)
	dayName   = MustPattern(`(\d{1,2})(?:st|nd|rd|th|er|º|ª|°)?\.?[ -]*(?:de |of |d')?[-/. ]*(\p{L}{3,12})[-/.,]*(?: de[l]?)?[ -]*('?\d{4}|'?\d{2})`)
	yearName  = MustPattern(`(\d{4})\.? +(\p{L}{3,12})\.? +(\d{1,2})\b`)
	nameDay   = MustPattern(`(\p{L}{3,12})\.? ?(\d{1,2})(?:st|nd|rd|th)?(?: ?, ?| )(\d{4})`)
)

// FindDates returns the dates in a text, in order. A month without a day is not a
// date.
func FindDates(text string) []PrintedDate {
	const fewest = 3 // digits of a date: a day and two of a year
	text = Digits(text)
	if c := CharactersOf(text); c.Digits() < fewest {
		return nil
	}
	shape := shapeOf(text)
	if !shape.dated() {
		return nil
	}
	text = strings.ToLower(text)
	var out []PrintedDate
	add := func(at []int, d PrintedDate, ok bool) {
		if !ok || !apart(text, at[0], at[1]) || d.year < firstYear || d.year > lastYear {
			return
		}
		d.Start, d.End, d.Text = at[0], at[1], text[at[0]:at[1]]
		if _, _, valid := d.Read(OrderUnknown); !valid {
			return
		}
		for _, o := range out {
			if d.Start < o.End && o.Start < d.End {
				return
			}
		}
		out = append(out, d)
	}
	part := func(at []int, i int) string { return text[at[2*i]:at[2*i+1]] }
	for _, at := range shape.matches(yearFirst, text) {
		add(at, PrintedDate{year: atoi(part(at, 1)), second: atoi(part(at, 2)), first: atoi(part(at, 3)), fixed: true}, true)
	}
	for _, at := range shape.matches(yearName, text) {
		month, ok := vocab().months[Fold(part(at, 2))]
		add(at, PrintedDate{year: atoi(part(at, 1)), second: month, first: atoi(part(at, 3)), fixed: true}, ok)
	}
	for _, at := range shape.matches(dayName, text) {
		month, ok := vocab().months[Fold(part(at, 2))]
		add(at, PrintedDate{year: year(part(at, 3)), second: month, first: atoi(part(at, 1)), fixed: true}, ok)
	}
	for _, at := range shape.matches(nameDay, text) {
		month, ok := vocab().months[Fold(part(at, 1))]
		add(at, PrintedDate{year: year(part(at, 3)), second: month, first: atoi(part(at, 2)), fixed: true}, ok)
	}
	for from := 0; shape.admits(numeric); {
		at := numeric.FindStringSubmatchIndex(text[from:])
		if at == nil {
			break
		}
		for i := range at {
			at[i] += from
		}
		known := len(out)
		d := PrintedDate{first: atoi(part(at, 1)), second: atoi(part(at, 3)), year: year(part(at, 5)), separator: part(at, 2)[0]}
		add(at, d, part(at, 2) == part(at, 4))
		if from = at[1]; len(out) == known {
			from = at[3] // the first number can belong to another value: "90012345 / 26.06.2026"
		}
	}
	slices.SortFunc(out, func(a, b PrintedDate) int { return a.Start - b.Start })
	return out
}

// apart reports whether the text from start to end is not part of a longer number or
// code.
func apart(text string, start, end int) bool {
	if start > 0 {
		before := text[start-1]
		if isDigit(before) || start > 1 && strings.IndexByte("-/.", before) >= 0 && isAlnum(text[start-2]) {
			return false
		}
		if isLetter(before) && isDigit(text[start]) {
			return false
		}
	}
	if end < len(text) {
		after := text[end]
		if isDigit(after) || end+1 < len(text) && strings.IndexByte("-/.", after) >= 0 && isDigit(text[end+1]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }
func isAlnum(c byte) bool  { return isDigit(c) || isLetter(c) }

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// year parses four digits, or two digits: up to 69 in this century and from 70 in the
// last century.
func year(s string) int {
	s = strings.TrimPrefix(s, "'")
	n := atoi(s)
	switch {
	case len(s) != 2:
		return n
	case n < 70:
		return 2000 + n
	}
	return 1900 + n
}

// Read returns the date and, if it is ambiguous, the alternative. valid is false if
// the day does not exist.
func (d PrintedDate) Read(order Order) (date calendar.Date, alternative *calendar.Date, valid bool) {
	day, dayErr := calendar.New(d.year, time.Month(d.second), d.first)
	if d.fixed {
		return day, nil, dayErr == nil
	}
	month, monthErr := calendar.New(d.year, time.Month(d.first), d.second)
	switch {
	case dayErr != nil && monthErr != nil:
		return calendar.Date{}, nil, false
	case dayErr != nil:
		return month, nil, true
	case monthErr != nil, day == month:
		return day, nil, true
	case order == MonthFirst && d.separator != '.':
		return month, nil, true
	case order == DayFirst || d.separator == '.':
		return day, nil, true
	}
	return day, &month, true
}

// Evidence returns the order that a date proves, because a number above 12 cannot be
// a month.
func (d PrintedDate) Evidence() Order {
	switch {
	case d.fixed || d.separator == '.':
		return OrderUnknown
	case d.first > 12:
		return DayFirst
	case d.second > 12:
		return MonthFirst
	}
	return OrderUnknown
}

// VoteOrder returns the order that the dates of a document show, or fallback if they
// show none. If dates contradict each other, the order is unknown.
func VoteOrder(dates []PrintedDate, fallback Order) Order {
	order := OrderUnknown
	for _, d := range dates {
		e := d.Evidence()
		if e == OrderUnknown {
			continue
		}
		if order != OrderUnknown && order != e {
			return OrderUnknown
		}
		order = e
	}
	if order == OrderUnknown {
		return fallback
	}
	return order
}
