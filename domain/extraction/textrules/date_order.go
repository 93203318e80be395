package textrules

import (
	"time"

	"docledger/domain/calendar"
)

// shortDate matches three numbers of which the first or the last may be a year.
var shortDate = MustPattern(`^(\d{2}) ?[-/.] ?(\d{1,2}) ?[-/.] ?(\d{2})$`)

// ReadYearFirst returns the date of three short numbers if the year comes first, as
// in 26-03-05. ok is false for every other form, and if the day does not exist.
func (d PrintedDate) ReadYearFirst() (date calendar.Date, ok bool) {
	m := shortDate.FindStringSubmatch(d.Text)
	if d.fixed || m == nil {
		return calendar.Date{}, false
	}
	date, err := calendar.New(year(m[1]), time.Month(atoi(m[2])), atoi(m[3]))
	return date, err == nil
}
