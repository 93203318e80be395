package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
)

// counted is an identity.Attempts in memory.
type counted struct {
	mu       sync.Mutex
	attempts map[string]identity.Attempt
	windows  map[string]int
	ends     time.Time
}

func (c *counted) Get(_ context.Context, key string) (identity.Attempt, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.attempts[key], nil
}

func (c *counted) Change(_ context.Context, key string, change func(*identity.Attempt) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.attempts[key]
	if err := change(&a); err != nil {
		return err
	}
	c.attempts[key] = a
	return nil
}

func (c *counted) Count(_ context.Context, key string, window time.Duration, now time.Time) (int, time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.windows[key]++
	c.ends = now.Add(window)
	return c.windows[key], c.ends, nil
}

func (c *counted) Counted(_ context.Context, key string, _ time.Time) (int, time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.windows[key], c.ends, nil
}

func (c *counted) Forget(_ context.Context, key string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
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
		s := &Service{Attempts: memory, Clock: &hand{at: now}, Limits: Limits{PerAccount: 5, PerAddress: 3}}
		err := s.guarded(t.Context(), "a@example.com", "192.0.2.1", now, func() error {
			memory.windows[networkAttemptPrefix+"192.0.2.1"] = 3
			memory.ends = now.Add(time.Minute)
			return result
		})
		if f, ok := fault.As(err); !ok || f.Code != fault.CodeRateLimited || f.RetryAfter <= 0 || !errors.Is(err, errAfterCheck) {
			t.Errorf("%s: %v", name, err)
		}
		if a := memory.attempts[accountAttemptPrefix+"a@example.com 192.0.2.1"]; a.Failures != 0 {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// TestConcurrentAttempts has many replicas check passwords of one account at the same
// time. Correct passwords are never refused. No more wrong passwords than the limit get
// a result, and a correct one after them gets none either.
func TestConcurrentAttempts(t *testing.T) {
	t.Parallel()
	const callers, limit = 60, 5
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	memory := &counted{attempts: map[string]identity.Attempt{}, windows: map[string]int{}}
	attempt := func(check func() error) error {
		s := &Service{Attempts: memory, Clock: &hand{at: now}, Limits: Limits{PerAccount: limit, PerAddress: 50}}
		return s.guarded(t.Context(), "a@example.com", "192.0.2.1", now, check)
	}
	all := func(result error) map[fault.Code]int {
		var mu sync.Mutex
		var group, checking sync.WaitGroup
		checking.Add(callers)
		count := map[fault.Code]int{}
		for range callers {
			group.Go(func() {
				err := attempt(func() error {
					checking.Done()
					checking.Wait() // all checks overlap
					return result
				})
				mu.Lock()
				defer mu.Unlock()
				count[fault.CodeOf(err)]++
			})
		}
		group.Wait()
		return count
	}
	if got := all(nil); len(got) != 1 || got[fault.CodeOf(nil)] != callers {
		t.Fatalf("correct passwords: %v", got)
	}
	if got := all(errCredentials()); got[fault.CodeInvalidCredentials] != limit || got[fault.CodeRateLimited] != callers-limit {
		t.Errorf("wrong passwords: %v", got)
	}
	if err := attempt(func() error { return nil }); fault.CodeOf(err) != fault.CodeRateLimited {
		t.Errorf("a correct password after the limit: %v", err)
	}
}

// TestAttemptsUnderWayRevealNothing has two replicas check passwords of one account
// while the account reaches its limit. The results of these checks stay hidden.
func TestAttemptsUnderWayRevealNothing(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, result := range map[string]error{"correct": nil, "wrong": errCredentials()} {
		memory := &counted{attempts: map[string]identity.Attempt{}, windows: map[string]int{}}
		limits := Limits{PerAccount: 1, PerAddress: 50}
		one, other := &Service{Attempts: memory, Clock: &hand{at: now}, Limits: limits}, &Service{Attempts: memory, Clock: &hand{at: now}, Limits: limits}
		var checks atomic.Int64
		guess := func(s *Service, result error, during func()) error {
			return s.guarded(t.Context(), "a@example.com", "192.0.2.1", now, func() error {
				checks.Add(1)
				during()
				return result
			})
		}
		err := guess(one, result, func() {
			if err := guess(other, errCredentials(), func() {}); fault.CodeOf(err) != fault.CodeInvalidCredentials {
				t.Errorf("%s: the first result: %v", name, err)
			}
		})
		if fault.CodeOf(err) != fault.CodeRateLimited || !errors.Is(err, errAfterCheck) {
			t.Errorf("%s: %v", name, err)
		}
		if err := guess(one, result, func() {}); fault.CodeOf(err) != fault.CodeRateLimited || errors.Is(err, errAfterCheck) || checks.Load() != 2 {
			t.Errorf("%s: after the limit %v, %d checks", name, err, checks.Load())
		}
	}
}

// hand is a clock that the test sets.
type hand struct{ at time.Time }

func (h *hand) Now() time.Time { return h.at }

// TestRefusalBeginsWithTheResult expects the whole refusal of one second after a result that took
// longer than a second: because the check was slow, or because the response waited for FailureFloor.
func TestRefusalBeginsWithTheResult(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct{ floor, check, result time.Duration }{
		"slow check":      {0, 3 * time.Second, 3 * time.Second},
		"waiting answer":  {2 * time.Second, 0, 2 * time.Second},
		"check and floor": {2 * time.Second, 3 * time.Second, 3 * time.Second},
	} {
		clock := &hand{at: began}
		memory := &counted{attempts: map[string]identity.Attempt{}, windows: map[string]int{}}
		s := &Service{Attempts: memory, Clock: clock, FailureFloor: test.floor, Limits: Limits{PerAccount: 1, PerAddress: 50}}
		try := func(result error) error {
			return s.guarded(t.Context(), "a@example.com", "192.0.2.1", clock.Now(), func() error {
				clock.at = clock.at.Add(test.check)
				return result
			})
		}
		if err := try(errCredentials()); fault.CodeOf(err) != fault.CodeInvalidCredentials {
			t.Fatalf("%s: %v", name, err)
		}
		clock.at = began.Add(test.result)
		f, ok := fault.As(try(nil))
		if !ok || f.Code != fault.CodeRateLimited || f.RetryAfter != time.Second {
			t.Errorf("%s: the attempt after the result is answered %v", name, f)
		}
		clock.at = began.Add(test.result + time.Second)
		if err := try(nil); err != nil {
			t.Errorf("%s: a second after the result: %v", name, err)
		}
	}
}
