package xero

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// meter counts calls per fixed window of the clock.
type meter struct {
	busy                int // calls in progress
	minute, day         int
	minuteFrom, dayFrom time.Time
}

func (m *meter) at(now time.Time) {
	if from := now.Truncate(time.Minute); from != m.minuteFrom {
		m.minute, m.minuteFrom = 0, from
	}
	if from := now.Truncate(24 * time.Hour); from != m.dayFrom {
		m.day, m.dayFrom = 0, from
	}
}

// crowded marks a call that exceeded the concurrency limit.
type crowded struct{}

// counted counts the calls in progress, including those that a fault delays.
func (s *Server) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant := r.Header.Get(tenantHeader)
		if tenant == "" || !strings.HasPrefix(r.URL.Path, accountingPrefix) {
			next.ServeHTTP(w, r)
			return
		}
		s.mu.Lock()
		a := s.identity.access[bearer(r)]
		if a == nil {
			s.mu.Unlock()
			next.ServeHTTP(w, r)
			return
		}
		m := s.meter(a.grant.client + " " + tenant)
		m.busy++
		over := s.limits.Concurrent > 0 && m.busy > s.limits.Concurrent
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			m.busy--
		}()
		if over {
			r = r.WithContext(context.WithValue(r.Context(), crowded{}, true))
		}
		next.ServeHTTP(w, r)
	})
}

// meter returns the counts of an application, or of its calls in a tenant. The caller holds the
// lock.
func (s *Server) meter(of string) *meter {
	m := s.meters[of]
	if m == nil {
		m = &meter{}
		s.meters[of] = m
	}
	m.at(s.Kit.Clock.Now())
	return m
}

// admit counts a call and writes the headers with the remaining calls. It returns false if it
// refused the call. Without a tenant only the application's limit applies. The caller holds the
// lock.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, client, tenant string) bool {
	now := s.Kit.Clock.Now()
	app := s.meter(client)
	problem, after := "", time.Duration(0)
	if s.limits.AppMinute > 0 && app.minute >= s.limits.AppMinute {
		problem, after = "appminute", app.minuteFrom.Add(time.Minute).Sub(now)
	}
	var m *meter
	if tenant != "" {
		m = s.meter(client + " " + tenant)
		switch {
		case r.Context().Value(crowded{}) != nil:
			problem, after = "concurrent", 0
		case s.limits.Day > 0 && m.day >= s.limits.Day:
			problem, after = "day", m.dayFrom.Add(24*time.Hour).Sub(now)
		case s.limits.Minute > 0 && m.minute >= s.limits.Minute:
			problem, after = "minute", m.minuteFrom.Add(time.Minute).Sub(now)
		}
	}
	if problem == "" {
		app.minute++
		if m != nil {
			m.minute++
			m.day++
		}
	}
	s.leftOver(w.Header(), app, m)
	if problem == "" {
		return true
	}
	w.Header().Set("X-Rate-Limit-Problem", problem)
	if after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	}
	w.WriteHeader(http.StatusTooManyRequests)
	return false
}

func (s *Server) leftOver(h http.Header, app, tenant *meter) {
	if tenant != nil {
		remaining(h, "X-DayLimit-Remaining", s.limits.Day, tenant.day)
		remaining(h, "X-MinLimit-Remaining", s.limits.Minute, tenant.minute)
	}
	remaining(h, "X-AppMinLimit-Remaining", s.limits.AppMinute, app.minute)
}

func remaining(h http.Header, name string, limit, used int) {
	if limit > 0 {
		h.Set(name, strconv.Itoa(max(0, limit-used)))
	}
}
