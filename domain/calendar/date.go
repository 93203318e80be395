// Package calendar defines dates without a time of day or zone, as used on invoices.
package calendar

import (
	"errors"
	"fmt"
	"time"
)

// ErrSyntax reports that a text is not a calendar date.
var ErrSyntax = errors.New("not a date (YYYY-MM-DD)")

// Date is a day of the proleptic Gregorian calendar. The zero value means no
// date.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// Of returns the date of t in the zone of t.
func Of(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// New returns the date, or ErrSyntax if the day does not exist.
func New(year int, month time.Month, day int) (Date, error) {
	if year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31 {
		return Date{}, ErrSyntax
	}
	if got := Of(time.Date(year, month, day, 0, 0, 0, 0, time.UTC)); got.Day != day {
		return Date{}, ErrSyntax
	}
	return Date{year, month, day}, nil
}

// Parse parses an ISO 8601 date, YYYY-MM-DD. It accepts no other form.
func Parse(s string) (Date, error) {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return Date{}, ErrSyntax
	}
	var n [3]int
	for i, part := range []string{s[:4], s[5:7], s[8:]} {
		for _, c := range []byte(part) {
			if c < '0' || c > '9' {
				return Date{}, ErrSyntax
			}
			n[i] = n[i]*10 + int(c-'0')
		}
	}
	return New(n[0], time.Month(n[1]), n[2])
}

// String returns YYYY-MM-DD, or "" for no date.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day)
}

// IsZero reports whether d is no date.
func (d Date) IsZero() bool { return d == Date{} }

// Before reports whether d is earlier than x.
func (d Date) Before(x Date) bool { return d.Compare(x) < 0 }

// Compare returns -1, 0 or 1.
func (d Date) Compare(x Date) int {
	return d.Time().Compare(x.Time())
}

// AddDays returns the date n days later.
func (d Date) AddDays(n int) Date { return Of(d.Time().AddDate(0, 0, n)) }

// Time returns midnight UTC of the day.
func (d Date) Time() time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC)
}
