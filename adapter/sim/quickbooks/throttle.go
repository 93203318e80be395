package quickbooks

import "time"

// meter counts calls per fixed window of the clock.
type meter struct {
	calls int
	from  time.Time
}

// room counts a call in a window and reports whether it is within the limit. The caller holds the
// lock.
func (s *Server) room(of string, most int, length time.Duration) bool {
	m := s.meters[of]
	if m == nil {
		m = &meter{}
		s.meters[of] = m
	}
	if from := s.Kit.Clock.Now().Truncate(length); !from.Equal(m.from) {
		m.calls, m.from = 0, from
	}
	m.calls++
	return most <= 0 || m.calls <= most
}

// admit counts a call of an application in a company. Refused calls count too. The caller holds
// the lock.
func (s *Server) admit(g *grant) bool {
	minute := s.room("minute "+g.realm, s.limits.Minute, time.Minute)
	second := s.room("second "+g.realm+" "+g.client, s.limits.Second, time.Second)
	return minute && second
}
