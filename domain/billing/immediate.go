package billing

import "time"

// ImmediateCharge decides whether a subscription that was created at a moment
// is charged for the running month at once, and by which price (interface 4.6).
// The 1st is judged in UTC by the event's own time, which is the same on every
// delivery; only the exact value "true" counts. A price that is not named is
// "": the charge was asked for and can't be made.
func ImmediateCharge(created time.Time, metadata map[string]string) (price string, due bool) {
	if created.UTC().Day() == 1 || metadata[MetadataChargeCurrentMonth] != ChargeCurrentMonthOn {
		return "", false
	}
	return metadata[MetadataPrice], true
}

// MonthOf returns the month of a moment in UTC: its first instant and that of
// the next one.
func MonthOf(t time.Time) (from, until time.Time) {
	y, m, _ := t.UTC().Date()
	return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC), time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC)
}

// leastCheckout is how long the processor keeps a page open at the least, and a
// minute for clocks that differ.
const leastCheckout = 31 * time.Minute

// CheckoutEnd is when a page made at now must close where that is within a day,
// else the zero time. What it sells is arranged for the 1st or for another day:
// bought across that midnight, a month would be charged by the processor and by
// us, or by neither. In the last half hour before it the processor keeps the
// page open beyond.
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

// NextAnchor is when a subscription bought at now begins its first full
// period: the next 1st at 00:00 UTC. On the 1st itself it begins at once,
// which is the zero time (domain D26).
func NextAnchor(now time.Time) time.Time {
	if now.UTC().Day() == 1 {
		return time.Time{}
	}
	_, next := MonthOf(now)
	return next
}
