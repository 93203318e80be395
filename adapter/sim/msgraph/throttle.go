package msgraph

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

// meter counts an application's units per fixed minute of the clock.
type meter struct {
	used int
	from time.Time
}

// meter counts a request and writes the headers with the remaining units, or refuses the request.
// The caller holds the lock.
func (s *Server) meter(h http.Header, client string, units int) *answer {
	if s.limits.MinuteUnits <= 0 {
		return nil
	}
	m := s.meters[client]
	if m == nil {
		m = &meter{}
		s.meters[client] = m
	}
	now := s.Kit.Clock.Now()
	if from := now.Truncate(time.Minute); from != m.from {
		m.used, m.from = 0, from
	}
	left := m.from.Add(time.Minute).Sub(now)
	over := m.used+units > s.limits.MinuteUnits
	if !over {
		m.used += units
	}
	h.Set("RateLimit-Limit", strconv.Itoa(s.limits.MinuteUnits))
	h.Set("RateLimit-Remaining", strconv.Itoa(s.limits.MinuteUnits-m.used))
	h.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil(left.Seconds()))))
	if !over {
		return nil
	}
	refused := refusal(http.StatusTooManyRequests, "activityLimitReached", "The request has been throttled.")
	refused.header["Retry-After"] = fmt.Sprintf("%.3f", left.Seconds())
	return &refused
}
