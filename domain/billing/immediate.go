package billing

import "time"

// ImmediateCharge decides whether a subscription that was created at a moment
// is charged for the running month at once, and by which price (contract 4.6).
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

// NextAnchor is when a subscription bought at now begins its first full
// period: the next 1st at 00:00 UTC. On the 1st itself it begins at once,
// which is the zero time (records D26).
func NextAnchor(now time.Time) time.Time {
	if now.UTC().Day() == 1 {
		return time.Time{}
	}
	_, next := MonthOf(now)
	return next
}
