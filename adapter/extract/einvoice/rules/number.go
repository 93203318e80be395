package rules

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// maxDigits is the maximum length of a text that is parsed as a number.
const maxDigits = 64

// number is an optional decimal. The result of arithmetic is missing if an operand
// is. A comparison with a missing number is false.
type number struct {
	d  decimal.Decimal
	ok bool
}

var (
	zero    = number{decimal.Zero, true}
	one     = number{decimal.NewFromInt(1), true}
	hundred = decimal.NewFromInt(100)
	half    = decimal.New(5, -1)
	cents2  = number{decimal.New(2, -2), true}
)

// parseNumber parses a plain decimal as XML Schema defines it.
func parseNumber(s string) number {
	s = strings.Trim(s, " \t\r\n")
	if s == "" || len(s) > maxDigits {
		return number{}
	}
	digits := 0
	for i, c := range []byte(s) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '.', (c == '-' || c == '+') && i == 0:
		default:
			return number{}
		}
	}
	if digits == 0 || strings.Count(s, ".") > 1 {
		return number{}
	}
	d, err := decimal.NewFromString(strings.TrimSuffix(s, "."))
	return number{d, err == nil}
}

// number returns the node's text as a number.
func (n *node) number() number {
	if n == nil {
		return number{}
	}
	if n.num == nil {
		v := parseNumber(n.value())
		n.num = &v
	}
	return *n.num
}

func (a number) add(b number) number { return number{a.d.Add(b.d), a.ok && b.ok} }
func (a number) sub(b number) number { return number{a.d.Sub(b.d), a.ok && b.ok} }
func (a number) mul(b number) number { return number{a.d.Mul(b.d), a.ok && b.ok} }
func (a number) abs() number         { return number{a.d.Abs(), a.ok} }

// div divides to 20 digits after the point.
func (a number) div(b number) number {
	if !a.ok || !b.ok || b.d.IsZero() {
		return number{}
	}
	return number{a.d.DivRound(b.d, 20), true}
}

// percent returns a times the rate in percent.
func (a number) percent(rate number) number {
	return number{a.d.Mul(rate.d).Shift(-2), a.ok && rate.ok}
}

// round rounds to whole numbers, halves upwards.
func (a number) round() number { return number{a.d.Add(half).Floor(), a.ok} }

// cents rounds to two digits after the point, halves upwards.
func (a number) cents() number {
	return number{a.d.Mul(hundred).Add(half).Floor().Shift(-2), a.ok}
}

func (a number) eq(b number) bool { return a.ok && b.ok && a.d.Equal(b.d) }
func (a number) lt(b number) bool { return a.ok && b.ok && a.d.LessThan(b.d) }
func (a number) le(b number) bool { return a.ok && b.ok && a.d.LessThanOrEqual(b.d) }
func (a number) gt(b number) bool { return b.lt(a) }
func (a number) ge(b number) bool { return b.le(a) }

func (a number) isZero() bool { return a.ok && a.d.IsZero() }

// within reports whether a and b differ by at most the slack.
func (a number) within(b, slack number) bool {
	return a.add(slack).ge(b) && a.sub(slack).le(b)
}

// about reports whether a and b differ by less than 1.
func (a number) about(b number) bool { return a.sub(one).lt(b) && a.add(one).gt(b) }

// orZero replaces a missing number by 0.
func (a number) orZero() number {
	if !a.ok {
		return zero
	}
	return a
}

// num returns the first selected element as a number.
func (d *document) num(n *node, s *selector) number { return s.first(d, n).number() }

// sum adds the selected elements. Texts that are not numbers count as 0.
func (d *document) sum(n *node, s *selector) number {
	total := zero
	s.each(d, n, func(m *node) bool {
		total = total.add(m.number().orZero())
		return true
	})
	return total
}

// date parses a date as XML Schema defines it, without a time zone.
func date(s string) (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, s)
	return t, err == nil
}

// decimalsOf returns the number of characters after the decimal point.
func decimalsOf(s string) int {
	_, fraction, _ := strings.Cut(s, ".")
	return len(fraction)
}
