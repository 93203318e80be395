package pdftext

import (
	"docledger/domain/calendar"
	"docledger/domain/extraction"
	"docledger/domain/extraction/textrules"
)

// chosenOrder returns the entity's order of day and month for ambiguous dates, or
// OrderUnknown if the document decides.
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

// readDate returns a printed date and its alternative, if it is ambiguous.
func (s *parsedDocument) readDate(p textrules.PrintedDate) (date calendar.Date, alternative *calendar.Date, ok bool) {
	if s.dates == extraction.YearMonthDay {
		if date, ok := p.ReadYearFirst(); ok {
			return date, nil, true
		}
	}
	return p.Read(s.order)
}

// votes reports whether a date can prove the order of day and month. A date with the
// year first cannot.
func (s *parsedDocument) votes(p textrules.PrintedDate) bool {
	if s.dates != extraction.YearMonthDay {
		return true
	}
	_, yearFirst := p.ReadYearFirst()
	return !yearFirst
}
