package money_test

import (
	"errors"
	"strings"
	"testing"

	"docledger/domain/money"
)

func TestParsePreservesScale(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"229.60": "229.60", "-0.10": "-0.10", "+5": "5", "007": "7", ".5": "0.5", "5.": "5", "0": "0",
		"123456789012345.1234": "123456789012345.1234", "0.3333333333333333": "0.3333333333333333",
		"1.000000000000000000000": "1.0000000000",
	} {
		d, err := money.Parse(text)
		if err != nil || d.String() != want {
			t.Errorf("Parse(%q) = %s, %v; want %s", text, d, err, want)
		}
	}
	for text, want := range map[string]error{
		"": money.ErrSyntax, ".": money.ErrSyntax, "-": money.ErrSyntax, "--1": money.ErrSyntax, "1e5": money.ErrSyntax, "NaN": money.ErrSyntax,
		"12,34": money.ErrSyntax, "1.2.3": money.ErrSyntax, " 1": money.ErrSyntax, "0x10": money.ErrSyntax, "٣": money.ErrSyntax,
		"1234567890123456": money.ErrRange, strings.Repeat("9", 65): money.ErrSyntax,
	} {
		if _, err := money.Parse(text); !errors.Is(err, want) {
			t.Errorf("Parse(%q) = %v, want %v", text, err, want)
		}
	}
}

func TestFixed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"1": 10000, "-0.00005": -1, "0.00004": 0, "123456789012345.1234": 1234567890123451234} {
		if got, ok := money.MustParse(text).Fixed(); !ok || got != want {
			t.Errorf("Fixed(%s) = %d, %v; want %d", text, got, ok, want)
		}
	}
	if _, ok := money.MustParse("999999999999999").Mul(money.FromInt(10)).Fixed(); ok {
		t.Error("Fixed accepted a number beyond 64 bits")
	}
}

func TestFits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"999999999999999.9999": true, "0.00001": false, "-999999999999999": true} {
		if got := money.MustParse(text).Fits(4); got != want {
			t.Errorf("Fits(%s) = %v", text, got)
		}
	}
}

// FuzzParse checks that a parsed number has the same text and that parsing the text
// again returns an equal number.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "-1.50", "1e400", "12,34", "+.5", "999999999999999.9999999999", "00.0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := money.Parse(s)
		if err != nil {
			return
		}
		again, err := money.Parse(d.String())
		if err != nil || !again.Equal(d) || again.String() != d.String() {
			t.Errorf("Parse(%q) = %s, which parses as %s, %v", s, d, again, err)
		}
		d.Fixed()
	})
}

func TestTextBetweenProcesses(t *testing.T) {
	t.Parallel()
	sum := money.MustParse("999999999999999").Mul(money.MustParse("1000.0000000001"))
	for _, d := range []money.Decimal{{}, money.MustParse("-10.50"), money.MustParse("0.00"), sum} {
		text, err := d.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back money.Decimal
		if err := back.UnmarshalText(text); err != nil || back.String() != d.String() || !back.Equal(d) {
			t.Errorf("%s was unmarshalled as %s, %v", d, back, err)
		}
	}
	for _, text := range []string{"", "-", ".5", "1e9", "NaN", "1.2.3", "+1", strings.Repeat("9", 300)} {
		var d money.Decimal
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was accepted as %s", text, d)
		}
	}
}
