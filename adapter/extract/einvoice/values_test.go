package einvoice

import (
	"math/big"
	"regexp"
	"testing"
	"time"
)

var xsDecimal = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$`)

// FuzzNumber checks that only an xs:decimal is parsed as a number, with the correct
// value rounded to the scale.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-12.50", "+.5", "5.", "1e400", "NaN", "12,34", "0x10", "1/2", "-0.00", "00012.3400000000000", "999999999999999.99995", "١٢"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		const scale = 4
		v, err := parseNumber(s, scale)
		if err != nil {
			return
		}
		if !xsDecimal.MatchString(s) {
			t.Fatalf("%q was parsed as %s", s, v)
		}
		want, ok := new(big.Rat).SetString(s)
		got, _ := new(big.Rat).SetString(v.String())
		if !ok || new(big.Rat).Abs(new(big.Rat).Sub(want, got)).Cmp(big.NewRat(1, 20_000)) > 0 || v.Decimals() > scale {
			t.Fatalf("%q was parsed as %s", s, v)
		}
	})
}

// FuzzDate checks that a date is parsed only if it exists and the text starts with
// it.
func FuzzDate(f *testing.F) {
	for _, s := range []string{"2024-02-29", "2023-02-29", "0000-00-00", "20240229", "202402291530", "2024-02-01Z", "2024-02-01+01:00", "2024-02-01T10:00:00", "2024-2-1", "2024-02-01 x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		date, err := parseAnyDate(s)
		if err != nil {
			return
		}
		layout := time.DateOnly
		if len(s) >= 8 && s[4] != '-' {
			layout = "20060102"
		}
		want, err := time.Parse(layout, s[:len(layout)])
		if err != nil || !date.Time().Equal(want) {
			t.Fatalf("%q was parsed as %s", s, date)
		}
	})
}

func TestParseNumber(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"10.50": "10.50", "-7": "-7", "+.5": "0.5", "5.": "5", "139.43640000": "139.4364", "0.00005": "0.0001", "-0.00": "0.00",
		"": "", "12,34": "", "1 000": "", "1e3": "", "Infinity": "", "--1": "", ".": "", "1.2.3": "", "1234567890123456": "",
	} {
		got := ""
		if v, err := parseNumber(s, 4); err == nil {
			got = v.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"2024-02-01": "2024-02-01", "2024-02-01Z": "2024-02-01", "2024-02-01-05:00": "2024-02-01", "2024-02-01T23:59:59+01:00": "2024-02-01",
		"20240201": "2024-02-01", "202402011530": "2024-02-01", "20240201153000": "2024-02-01",
		"2024-02-30": "", "0000-00-00": "", "2024-02": "", "202402": "", "01.02.2024": "", "2024-02-01x": "", "2024-02-01T": "", "1/2/2024": "",
	} {
		got := ""
		if d, err := parseAnyDate(s); err == nil {
			got = d.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
