package textrules_test

import (
	"testing"

	"docledger/domain/extraction/textrules"
)

func TestParseNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		decimal byte
		want    string
		other   string // the second reading
	}{
		{"12", 0, "12", ""},
		{"1,234.56", 0, "1234.56", ""},
		{"1.234,56", 0, "1234.56", ""},
		{"27,80", '.', "27.80", ""},
		{"1'312.50", 0, "1312.50", ""},
		{"1’312.50", 0, "1312.50", ""},
		{"1 234 567,89", 0, "1234567.89", ""},
		{"12,34,567.89", 0, "1234567.89", ""},
		{"12,34,567", 0, "1234567", ""},
		{"1.234.567", 0, "1234567", ""},
		{"1,234", 0, "1234", "1.234"},
		{"1,234", '.', "1234", ""},
		{"54,910", ',', "54.910", ""},
		{"0.025", 0, "0.025", ""},
		{".5", 0, "0.5", ""},
		{"(240.00)", 0, "-240.00", ""},
		{"-12.00", 0, "-12.00", ""},
		{"12.00-", 0, "-12.00", ""},
		{"−12.00", 0, "-12.00", ""},
		{"125,-", 0, "125", ""},
		{"300.––", 0, "300", ""},
		{"١٬٤٣٧٫٥٠", 0, "1437.50", ""},
		{"１２３", 0, "123", ""},
	} {
		n, ok := textrules.ParseNumber(c.text, textrules.Style{Decimal: c.decimal})
		if !ok || n.Value.String() != c.want {
			t.Errorf("ParseNumber(%q) = %s, %t, want %s", c.text, n.Value, ok, c.want)
			continue
		}
		other := ""
		if len(n.Alternatives) > 0 {
			other = n.Alternatives[0].String()
		}
		if other != c.other {
			t.Errorf("ParseNumber(%q) has the second reading %q, want %q", c.text, other, c.other)
		}
	}
}

func TestParseNumberRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "-", "abc", "1,2,3", "1.23.45", "12 34", "1.2.2024", "1,234.567.8", "(12", "--5", "1e5", "12-34", "1'23"} {
		if n, ok := textrules.ParseNumber(text, textrules.Style{}); ok {
			t.Errorf("ParseNumber(%q) = %s, want none", text, n.Value)
		}
	}
}

func TestStyle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		texts []string
		want  byte
	}{
		{[]string{"1.234,56", "12,00", "1.500"}, ','},
		{[]string{"1,234.56", "12.00", "1,500"}, '.'},
		{[]string{"1,500", "12"}, 0},
		{[]string{"12,00", "12.00"}, 0},
		{[]string{"12,00", "13,00", "14,50", "15,25", "1,5", "2.4"}, ','},
		{[]string{"1.234.567"}, ','},
	} {
		var v textrules.Votes
		for _, text := range c.texts {
			v.Count(text, false)
		}
		if got := v.Style().Decimal; got != c.want {
			t.Errorf("style of %q = %q, want %q", c.texts, got, c.want)
		}
	}
}
