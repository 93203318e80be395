package xero

import (
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-01": "2026-03-01", "2026-03-01T00:00:00": "2026-03-01", "2026-02-30": "", "01/03/2026": "", "": "",
		"/Date(1772323200000+0000)/": "2026-03-01", "/Date(1772323200000)/": "2026-03-01", "/Date(-86400000+0000)/": "1969-12-31",
		"/Date(x)/": "", "/Date(1772323200000": "", "/Date(99999999999999999)/": "",
	} {
		got, ok := parseDate(text)
		if ok != (want != "") || ok && got.Format(time.DateOnly) != want {
			t.Errorf("%q is %s, %t; want %q", text, got, ok, want)
		}
	}
}

// FuzzWhere checks that no filter makes the parser or the filter panic or run forever.
func FuzzWhere(f *testing.F) {
	for _, text := range []string{
		`Status=="ACTIVE" AND Type=="BANK"`, `Date>=DateTime(2015,01,01) && Total<10.5`, `A.Contains("x") or (B==null)`,
		`Contact.ContactID==guid("c0de0000-0000-4000-80b1-000000000001")`, `X=="\" AND Y==true`, `((((`, `-`, `"`, `A.Contains(`,
	} {
		f.Add(text)
	}
	thing := object{{"Status", "ACTIVE"}, {"Total", amount{}}, {"Date", day(time.Unix(0, 0))}, {"Contact", object{{"ContactID", guid("x")}}}, {"B", nil}}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseWhere(text)
		if err != nil {
			return
		}
		if fits, err := c(thing); err != nil && fits {
			t.Error("an error that fits")
		}
	})
}

// FuzzDate checks that a parsed date is a day of the calendar.
func FuzzDate(f *testing.F) {
	for _, text := range []string{"2026-03-01", "/Date(1772323200000+0000)/", "/Date(-1)/", "2026-03-01T10:00:00Z", "/Date(+)/"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, ok := parseDate(text)
		if ok && (at.Year() < 1 || at.Year() > 9999 || at != at.Truncate(24*time.Hour)) {
			t.Errorf("%q is %s", text, at)
		}
	})
}
