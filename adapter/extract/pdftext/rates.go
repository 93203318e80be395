package pdftext

import (
	"math"
	"slices"
	"strconv"
)

func near(a, b int64) bool {
	d := a - b
	return d >= -unitsAmount/50 && d <= unitsAmount/50
}

func conflicts(strongest *sum, g moneyGroup, chosen *sum) bool {
	return strongest != nil && strongest.label(g) >= 1 && (chosen == nil || chosen.units != strongest.units)
}

func rateOf(c *combination) float64 {
	switch {
	case c.tax == nil:
		return -1
	case c.net != nil && c.net.units != 0:
		return 100 * float64(c.tax.units) / float64(c.net.units)
	case c.gross.units != c.tax.units:
		return 100 * float64(c.tax.units) / float64(c.gross.units-c.tax.units)
	}
	return -1
}

func ratePrinted(c *combination, rates []float64) bool {
	rate := rateOf(c)
	return slices.ContainsFunc(rates, func(r float64) bool { return math.Abs(r-rate) < 0.02+0.002*r })
}

// printedRates returns the percentages of the document without duplicates.
func (s *parsedDocument) printedRates() []float64 {
	var out []float64
	for _, seg := range s.segments {
		for i := range seg.amounts {
			if !seg.amounts[i].percent {
				continue
			}
			if v, err := strconv.ParseFloat(seg.amounts[i].value.String(), 64); err == nil && !slices.Contains(out, v) && len(out) < 24 {
				out = append(out, v)
			}
		}
	}
	return out
}

// formatRate formats a percentage as a decimal.
func formatRate(rate float64) string { return strconv.FormatFloat(rate, 'f', -1, 64) }

// isRateCode reports whether a number in the column of tax rates is the code of a rate,
// such as 1 for the full rate: a small number that is no printed percentage.
func isRateCode(a *amount, printed []float64) bool {
	if a == nil || a.percent || len(printed) == 0 {
		return false
	}
	v, err := strconv.ParseFloat(a.value.String(), 64)
	return err == nil && a.value.Decimals() == 0 && v >= 1 && v <= 4 && !slices.Contains(printed, v)
}
