package session

import (
	"context"
	"errors"
	"testing"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
)

// counted is an identity.Attempts in memory, for one caller at a time.
type counted struct {
	attempts map[string]identity.Attempt
	windows  map[string]int
	ends     time.Time
}

func (c *counted) Change(_ context.Context, key string, change func(*identity.Attempt) error) error {
	a := c.attempts[key]
	if err := change(&a); err != nil {
		return err
	}
	c.attempts[key] = a
	return nil
}

func (c *counted) Count(_ context.Context, key string, window time.Duration, now time.Time) (int, time.Time, error) {
	c.windows[key]++
	c.ends = now.Add(window)
	return c.windows[key], c.ends, nil
}

func (c *counted) Counted(_ context.Context, key string, _ time.Time) (int, time.Time, error) {
	return c.windows[key], c.ends, nil
}

func (c *counted) Forget(_ context.Context, key string) error {
	delete(c.attempts, key)
	return nil
}

// TestNoResultIsRevealedAboveTheLimit has the network reach its limit while a
// password is checked. A correct and a wrong password get the same refusal and
// leave the same attempts.
func TestNoResultIsRevealedAboveTheLimit(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, result := range map[string]error{"correct": nil, "wrong": errCredentials()} {
		memory := &counted{attempts: map[string]identity.Attempt{}, windows: map[string]int{}}
		s := &Service{Attempts: memory, Limits: Limits{PerAccount: 5, PerAddress: 3}}
		err := s.guarded(t.Context(), "a@example.com", "192.0.2.1", now, func() error {
			memory.windows[networkAttemptPrefix+"192.0.2.1"] = 3
			memory.ends = now.Add(time.Minute)
			return result
		})
		if f, ok := fault.As(err); !ok || f.Code != fault.CodeRateLimited || f.RetryAfter <= 0 || !errors.Is(err, errAfterCheck) {
			t.Errorf("%s: %v", name, err)
		}
		if a := memory.attempts[accountAttemptPrefix+"a@example.com 192.0.2.1"]; a.Failures != 1 {
			t.Errorf("%s: %+v", name, a)
		}
	}
}
