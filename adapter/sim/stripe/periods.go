package stripe

import "time"

// boundary is the k-th end of a period counted from an anchor. Months keep the anchor's day if
// they have it; otherwise they end on their last day.
func boundary(anchor time.Time, r *recurring, k int) time.Time {
	n := int(r.IntervalCount) * k
	switch r.Interval {
	case "day":
		return anchor.AddDate(0, 0, n)
	case "week":
		return anchor.AddDate(0, 0, 7*n)
	case "year":
		return addMonths(anchor, 12*n)
	}
	return addMonths(anchor, n)
}

func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	day := min(t.Day(), daysIn(first))
	return first.AddDate(0, 0, day-1)
}

func daysIn(t time.Time) int {
	return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// following is the first end of a period after a time.
func following(anchor time.Time, r *recurring, at time.Time) time.Time {
	k := 0
	for !boundary(anchor, r, k).After(at) {
		k++
	}
	return boundary(anchor, r, k)
}

// anchorOf is the first time after now that matches a configuration.
func anchorOf(now time.Time, c *anchorConfig) time.Time {
	pick := func(p *int64, otherwise int) int {
		if p == nil {
			return otherwise
		}
		return int(*p)
	}
	for k := 0; ; k++ {
		first := time.Date(now.Year(), now.Month()+time.Month(k), 1, 0, 0, 0, 0, time.UTC)
		if c.Month != nil && int(first.Month()) != int(*c.Month) {
			continue
		}
		day := min(int(c.DayOfMonth), daysIn(first))
		at := time.Date(first.Year(), first.Month(), day,
			pick(c.Hour, now.Hour()), pick(c.Minute, now.Minute()), pick(c.Second, now.Second()), 0, time.UTC)
		if at.After(now) {
			return at
		}
	}
}

// moment is a time of the API.
func moment(unix int64) time.Time { return time.Unix(unix, 0).UTC() }
