// Package money defines exact decimal numbers as stated in documents.
package money

import (
	"errors"
	"strings"

	"github.com/shopspring/decimal"
)

// Limits of a stated number (domain D13): totals have up to 15 digits before the
// decimal point and 4 after it, prices and quantities up to 10 after it.
const (
	MaxIntegerDigits = 15
	MaxAmountScale   = 4
	MaxPriceScale    = 10
	maxText          = 64
)

// Scale is the number of ten-thousandths in one unit. Databases compare, sort and sum
// amounts as ten-thousandths.
const Scale = 10_000

// ErrSyntax reports that a text is not a plain decimal number.
var ErrSyntax = errors.New("not a decimal number")

// ErrRange reports that a number has more digits than an invoice may state.
var ErrRange = errors.New("number out of range")

// Decimal is an exact decimal that preserves its stated scale: 10.50 stays "10.50".
// The zero value is 0. Decimals are immutable.
type Decimal struct{ d decimal.Decimal }

// Parse parses a plain decimal (`-12.50`; XML Schema's xs:decimal): an optional sign,
// digits, and at most one point with digits around it. Exponents, grouping, NaN and
// infinities return ErrSyntax. Too many digits return ErrRange.
func Parse(s string) (Decimal, error) {
	if s == "" || len(s) > maxText {
		return Decimal{}, ErrSyntax
	}
	body := strings.TrimLeft(s, "+-")
	if len(s)-len(body) > 1 {
		return Decimal{}, ErrSyntax
	}
	whole, fraction, pointed := strings.Cut(body, ".")
	if whole == "" && fraction == "" || !digits(whole) || !digits(fraction) {
		return Decimal{}, ErrSyntax
	}
	if pointed && fraction == "" {
		s = strings.TrimSuffix(s, ".")
	}
	if len(strings.TrimLeft(whole, "0")) > MaxIntegerDigits {
		return Decimal{}, ErrRange
	}
	if len(fraction) > MaxPriceScale {
		kept := strings.TrimRight(fraction, "0")
		if len(kept) > 2*MaxPriceScale {
			return Decimal{}, ErrRange
		}
		s = strings.TrimSuffix(s, fraction[max(len(kept), MaxPriceScale):])
	}
	d, err := decimal.NewFromString(s)
	if err != nil {
		return Decimal{}, ErrSyntax
	}
	return Decimal{d}, nil
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// MustParse is Parse for constants. It panics if the text is invalid.
func MustParse(s string) Decimal {
	d, err := Parse(s)
	if err != nil {
		panic("money: " + s + ": " + err.Error())
	}
	return d
}

// FromInt returns n as a Decimal without fraction digits.
func FromInt(n int64) Decimal { return Decimal{decimal.NewFromInt(n)} }

// String returns the number with its stated scale.
func (d Decimal) String() string {
	if e := d.d.Exponent(); e < 0 {
		return d.d.StringFixed(-e)
	}
	return d.d.String()
}

// Normal returns the number without trailing zeros in its fraction: the same text for
// equal values with different scales.
func (d Decimal) Normal() string { return d.d.String() }

// Decimals returns the number of digits after the point.
func (d Decimal) Decimals() int {
	if e := d.d.Exponent(); e < 0 {
		return int(-e)
	}
	return 0
}

// Add returns d + x.
func (d Decimal) Add(x Decimal) Decimal { return Decimal{d.d.Add(x.d)} }

// Sub returns d - x.
func (d Decimal) Sub(x Decimal) Decimal { return Decimal{d.d.Sub(x.d)} }

// Mul returns d × x, exactly.
func (d Decimal) Mul(x Decimal) Decimal { return Decimal{d.d.Mul(x.d)} }

// Div returns d ÷ x rounded half away from zero to 10 decimals; x must not be
// zero.
func (d Decimal) Div(x Decimal) Decimal { return Decimal{d.d.DivRound(x.d, MaxPriceScale)} }

// Neg returns -d.
func (d Decimal) Neg() Decimal { return Decimal{d.d.Neg()} }

// Negated returns −v of an optional amount; nil stays nil.
func Negated(v *Decimal) *Decimal {
	if v == nil {
		return nil
	}
	n := v.Neg()
	return &n
}

// Abs returns the absolute value.
func (d Decimal) Abs() Decimal { return Decimal{d.d.Abs()} }

// Round rounds half away from zero to the given number of decimals.
func (d Decimal) Round(decimals int) Decimal { return Decimal{d.d.Round(int32(decimals))} }

// Cmp compares the values: -1, 0 or 1.
func (d Decimal) Cmp(x Decimal) int { return d.d.Cmp(x.d) }

// Equal reports whether both have the same value, regardless of their scales.
func (d Decimal) Equal(x Decimal) bool { return d.d.Equal(x.d) }

// Sign returns -1, 0 or 1.
func (d Decimal) Sign() int { return d.d.Sign() }

// IsZero reports whether the value is 0.
func (d Decimal) IsZero() bool { return d.d.IsZero() }

// Within reports whether d and x differ by at most tolerance.
func (d Decimal) Within(x, tolerance Decimal) bool { return d.Sub(x).Abs().Cmp(tolerance) <= 0 }

// Fits reports whether d has at most 15 digits before the decimal point and the given
// number after it.
func (d Decimal) Fits(decimals int) bool {
	limit := decimal.New(1, MaxIntegerDigits)
	return d.Decimals() <= decimals && d.d.Abs().LessThan(limit)
}

// MarshalText returns String. Processes of one installation exchange numbers in this
// form.
func (d Decimal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText accepts every text that MarshalText returns. Computed sums and
// products may have more digits than Parse accepts.
func (d *Decimal) UnmarshalText(text []byte) error {
	const longest = 256
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(string(text), "-"), ".")
	if len(text) > longest || whole == "" || !digits(whole) || !digits(fraction) {
		return ErrSyntax
	}
	v, err := decimal.NewFromString(string(text))
	if err != nil {
		return ErrSyntax
	}
	d.d = v
	return nil
}

// Fixed returns the value in ten-thousandths, rounded half away from zero; ok is
// false if it does not fit 64 bits.
func (d Decimal) Fixed() (n int64, ok bool) {
	scaled := d.d.Shift(4).Round(0)
	if !scaled.BigInt().IsInt64() {
		return 0, false
	}
	return scaled.IntPart(), true
}
