package worker

import (
	"slices"
	"testing"

	"docledger/adapter/extract/layout"
)

// TestRaisedDigitsAreAWordOfTheirOwn checks that raised cents do not become digits of
// the amount before them, and that digits of text that is printed upwards stay together.
func TestRaisedDigitsAreAWordOfTheirOwn(t *testing.T) {
	t.Parallel()
	type character struct {
		r              rune
		x0, y0, x1, y1 float64
	}
	for name, c := range map[string]struct {
		characters []character
		want       []string
	}{
		"raised":  {[]character{{'1', 10, 100, 14, 108}, {'5', 15, 100, 19, 108}, {'9', 20, 99.5, 22, 103.9}, {'7', 23, 99.5, 25, 103.9}}, []string{"15", "97"}},
		"level":   {[]character{{'1', 10, 100, 14, 108}, {'5', 15, 100, 19, 108}, {'9', 20, 100, 24, 108}}, []string{"159"}},
		"upwards": {[]character{{'0', 100, 50, 108, 55}, {'0', 100, 44, 108, 49}, {'1', 100, 41, 108, 43}}, []string{"001"}},
	} {
		j := joiner{}
		for _, ch := range c.characters {
			j.add(ch.r, layout.Box{ch.x0 / 1000, ch.y0 / 1000, ch.x1 / 1000, ch.y1 / 1000})
		}
		j.end()
		var got []string
		for _, w := range j.out {
			got = append(got, w.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: words = %q, want %q", name, got, c.want)
		}
	}
}
