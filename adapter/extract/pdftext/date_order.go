package pdftext

import (
	"docledger/domain/calendar"
	"docledger/domain/extraction"
	"docledger/domain/extraction/textrules"
)

// chosenOrder is the order of day and month that the entity chose for ambiguous
// dates; OrderUnknown where it leaves that to the document.
func (s *parsedDocument) chosenOrder() textrules.Order {
	switch s.dates {
	case extraction.DayMonthYear:
		return textrules.DayFirst
	case extraction.MonthDayYear:
		return textrules.MonthFirst
	default:
		return textrules.OrderUnknown
	}
}

// readDate returns the date that is printed and, where it may be another one as
// well, that one.
func (s *parsedDocument) readDate(p textrules.PrintedDate) (date calendar.Date, alternative *calendar.Date, ok bool) {
	if s.dates == extraction.YearMonthDay {
		if date, ok := p.ReadYearFirst(); ok {
			return date, nil, true
		}
	}
	return p.Read(s.order)
}

// votes reports whether a date can show the order of day and month. One that
// is read with its year first can't.
func (s *parsedDocument) votes(p textrules.PrintedDate) bool {
	if s.dates != extraction.YearMonthDay {
		return true
	}
	_, yearFirst := p.ReadYearFirst()
	return !yearFirst
}
