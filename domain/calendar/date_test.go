package calendar_test

import (
	"testing"
	"time"

	"docledger/domain/calendar"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"2026-01-31", "2024-02-29", "0001-01-01", "9999-12-31"} {
		d, err := calendar.Parse(s)
		if err != nil || d.String() != s {
			t.Errorf("Parse(%s) = %s, %v", s, d, err)
		}
	}
	for _, s := range []string{"", "2023-02-29", "2023-02-30", "0000-00-00", "2026-1-1", "2026-13-01", "2026-00-10", "20260101", "2026-01-01Z", "２026-01-01"} {
		if d, err := calendar.Parse(s); err == nil || !d.IsZero() {
			t.Errorf("Parse(%q) = %s, %v; want an error", s, d, err)
		}
	}
}

func TestArithmetic(t *testing.T) {
	t.Parallel()
	d, err := calendar.New(2024, time.February, 28)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.AddDays(2).String(); got != "2024-03-01" {
		t.Errorf("two days after %s is %s", d, got)
	}
	if !d.Before(d.AddDays(1)) || d.Before(d) || d.Compare(d.AddDays(-1)) != 1 {
		t.Error("the order of days is wrong")
	}
	if (calendar.Date{}).String() != "" {
		t.Error("the zero date has a text")
	}
}

// FuzzParse checks that a parsed date has the same text.
func FuzzParse(f *testing.F) {
	f.Add("2026-11-27")
	f.Add("2023-02-30")
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := calendar.Parse(s); err == nil && d.String() != s {
			t.Errorf("Parse(%q) = %s", s, d)
		}
	})
}
