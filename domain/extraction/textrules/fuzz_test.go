package textrules_test

import (
	"strings"
	"testing"

	"docledger/domain/extraction/textrules"
	"docledger/test/lib/cputime"
)

// FuzzNumber checks that the plain notation of a parsed number has the same value.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"1.234,56", "1,234", "(12.00)", "12-", "1'000.50", "12,34,567.89", "٫٥", "125,-", "-.-"} {
		f.Add(s, byte('.'))
		f.Add(s, byte(0))
	}
	f.Fuzz(func(t *testing.T, s string, decimal byte) {
		if decimal != '.' && decimal != ',' {
			decimal = 0
		}
		n, ok := textrules.ParseNumber(s, textrules.Style{Decimal: decimal})
		if !ok {
			return
		}
		again, ok := textrules.ParseNumber(n.Value.String(), textrules.Style{Decimal: '.'})
		if !ok || !again.Value.Equal(n.Value) {
			t.Errorf("%q is %s, which is %s", s, n.Value, again.Value)
		}
		var v textrules.Votes
		v.Count(s, true)
	})
}

// FuzzDate checks that a date is within the text and exists.
func FuzzDate(f *testing.F) {
	for _, s := range []string{"5.3.2024", "March 3, 2021", "2024年5月31日", "12/13/14 1/2/2003", "İ 1.1.2020", "3 de mayo del 2021"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, d := range textrules.FindDates(s) {
			date, other, ok := d.Read(textrules.OrderUnknown)
			if !ok || date.IsZero() || other != nil && *other == date {
				t.Errorf("%q has the date %v or %v", s, date, other)
			}
			if d.Start < 0 || d.End < d.Start {
				t.Errorf("%q has a date at %d to %d", s, d.Start, d.End)
			}
		}
	})
}

// FuzzLabels checks that labels and headings are within the text and do not overlap.
func FuzzLabels(f *testing.F) {
	for _, s := range []string{"Invoice No. 12", "請求書番号: 2024", "Käufer/Leistungsempfänger", "# % @", "10%対象 291,000円 消費税 29,100円"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tokens := textrules.Tokens(s)
		for i, tok := range tokens {
			if tok.Start < 0 || tok.End > len(s) || tok.Start >= tok.End || i > 0 && tok.Start < tokens[i-1].End {
				t.Fatalf("%q: token %+v", s, tok)
			}
		}
		last := 0
		for _, m := range textrules.FindLabels(tokens) {
			if m.From < last || m.To <= m.From || m.To > len(tokens) {
				t.Fatalf("%q: label %+v", s, m)
			}
			last = m.To
		}
		textrules.FindHeads(s, tokens)
		textrules.KindOf(s)
	})
}

// FuzzPaymentDays checks that payment days are within the limit, longest first,
// without duplicates.
func FuzzPaymentDays(f *testing.F) {
	for _, s := range []string{"net 30", "Zahlbar innerhalb von 14 Tagen", "2% 10 days, 30 days net", "pay 007-7 dni", "pay n٣٠ days"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		days := textrules.PaymentDays(s)
		for i, n := range days {
			if n < 1 || n > 180 || i > 0 && n >= days[i-1] {
				t.Errorf("%q: %v", s, days)
			}
		}
	})
}

// FuzzTime checks that the time for a long repetitive line is proportional to its
// size.
func FuzzTime(f *testing.F) {
	for _, s := range []string{"5.3.2024 ", "Invoice No. ", "net 30 days ", "1.234,56 ", "請求書", "a", "VAT ID DE123456789 ", "- . / "} {
		f.Add(s, uint16(5000))
	}
	f.Fuzz(func(t *testing.T, s string, times uint16) {
		const longest = 200_000 // maximum characters of a page that are read
		if len(s) == 0 {
			return
		}
		text := strings.Repeat(s, min(int(times), longest/len(s)))
		cputime.Within(t, len(text), func() {
			tokens := textrules.Tokens(text)
			textrules.FindLabels(tokens)
			textrules.FindHeads(text, tokens)
			textrules.FindDates(text)
			textrules.PaymentDays(text)
			textrules.KindOf(text)
			textrules.ParseNumber(text, textrules.Style{})
		})
	})
}
