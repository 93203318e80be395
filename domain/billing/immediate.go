package billing

import "time"

// ImmediateCharge decides whether a new subscription is charged immediately for the current month,
// and by which price (interface 4.6). The 1st is determined in UTC from the event's own time, which
// is the same on every delivery. Only the exact value "true" counts. price is "" if a charge was
// requested without a price; such a charge cannot be made.
func ImmediateCharge(created time.Time, metadata map[string]string) (price string, due bool) {
	if created.UTC().Day() == 1 || metadata[MetadataChargeCurrentMonth] != ChargeCurrentMonthOn {
		return "", false
	}
	return metadata[MetadataPrice], true
}

// MonthOf returns the UTC month of a time: its first instant and the first instant of the next
// month.
func MonthOf(t time.Time) (from, until time.Time) {
	y, m, _ := t.UTC().Date()
	return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC), time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC)
}

// leastCheckout is the minimum time for which the payment processor keeps a page open, plus a
// minute for clock differences.
const leastCheckout = 31 * time.Minute

// CheckoutEnd returns when a checkout page opened at now must close, or the zero time if it may
// stay open for a day. The page is configured either for the 1st or for another day. A purchase
// after that midnight would charge a month twice or not at all. In the last half hour the
// processor's minimum keeps the page open past midnight.
func CheckoutEnd(now time.Time) time.Time {
	end, next := MonthOf(now)
	end = end.AddDate(0, 0, 1)
	if !now.Before(end) {
		end = next
	}
	left := end.Sub(now)
	switch {
	case left >= 24*time.Hour:
		return time.Time{}
	case left < leastCheckout:
		return now.UTC().Add(leastCheckout)
	}
	return end
}

// NextAnchor returns when a subscription bought at now begins its first full period: the next 1st
// at 00:00 UTC. On the 1st it begins immediately, which is the zero time (domain D26).
func NextAnchor(now time.Time) time.Time {
	if now.UTC().Day() == 1 {
		return time.Time{}
	}
	_, next := MonthOf(now)
	return next
}
