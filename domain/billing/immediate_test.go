package billing_test

import (
	"testing"
	"time"

	"docledger/domain/billing"
)

// TestCheckoutEnd checks that no page stays open past the midnight before or after a 1st, except
// for the half hour that the processor requires.
func TestCheckoutEnd(t *testing.T) {
	t.Parallel()
	at := func(m time.Month, d, hour, minute int) time.Time {
		return time.Date(2028, m, d, hour, minute, 0, 0, time.UTC)
	}
	for name, tt := range map[string]struct{ now, want time.Time }{
		"on the 1st":                 {at(3, 1, 9, 0), at(3, 2, 0, 0)},
		"as the 1st begins":          {at(3, 1, 0, 0), time.Time{}},
		"late on the 1st":            {at(3, 1, 23, 45), at(3, 2, 0, 16)},
		"in the middle of a month":   {at(3, 15, 9, 0), time.Time{}},
		"a day before the last":      {at(3, 30, 23, 59), time.Time{}},
		"on the last day":            {at(3, 31, 9, 0), at(4, 1, 0, 0)},
		"late on the last day":       {at(3, 31, 23, 59), at(4, 1, 0, 30)},
		"on the leap day":            {at(2, 29, 9, 0), at(3, 1, 0, 0)},
		"a day before the leap day":  {at(2, 28, 9, 0), time.Time{}},
		"on the year's last day":     {at(12, 31, 9, 0), at(13, 1, 0, 0)},
		"by a clock east of the UTC": {at(3, 1, 9, 0).In(time.FixedZone("", 14*3600)), at(3, 2, 0, 0)},
	} {
		if got := billing.CheckoutEnd(tt.now); !got.Equal(tt.want) {
			t.Errorf("%s the page lasts until %s, want %s", name, got, tt.want)
		}
	}
}
