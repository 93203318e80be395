package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
)

// guarded checks a password unless too many checks failed before: for this account
// from the caller's network, or for all accounts from the network. It refuses
// immediately and never delays a response. Failures from other networks do not count
// for an account, so that no caller can lock out another user. An account that does
// not exist is treated like one that does.
//
// Only a failed check counts, so that users who sign in correctly at the same time are
// never refused. Both limits are evaluated again after the check: once one of them is
// reached, the results of the checks under way are not revealed and do not count.
// Concurrent attempts, also those of several replicas, therefore learn the result of
// no more wrong passwords than the limits allow. In one process, attempts on one
// account from one network wait for each other, so that passwords beyond the limit are
// refused without a check.
func (s *Service) guarded(ctx context.Context, email, address string, now time.Time, check func() error) error {
	g := guard{
		attempts: s.Attempts, limits: s.Limits, now: now,
		network: networkAttemptPrefix + identity.Network(address),
		account: accountAttemptPrefix + email + " " + identity.Network(address),
	}
	done, err := s.turns.Take(ctx, g.account)
	if err != nil {
		return fmt.Errorf("wait for other attempts: %w", err)
	}
	defer done()
	if _, err := g.open(ctx); err != nil {
		return err
	}
	failed := check()
	if failed != nil && fault.CodeOf(failed) != fault.CodeInvalidCredentials {
		return failed // the password was not checked
	}
	failures, err := g.open(ctx)
	if err == nil && failed != nil {
		err = g.fail(ctx, s.answered(now))
	}
	if f, ok := fault.As(err); ok && f.Code == fault.CodeRateLimited {
		return f.WithCause(errAfterCheck)
	}
	if err != nil {
		return err
	}
	if failed == nil && failures > 0 {
		if err := s.Attempts.Forget(ctx, g.account); err != nil {
			return fmt.Errorf("delete attempts: %w", err)
		}
	}
	return failed
}

// answered returns when the caller gets the result of an attempt that began at the given time. The
// refusal of further attempts begins then. If it began with the attempt, the time of the check and
// FailureFloor would use up the first refusal of one second.
func (s *Service) answered(began time.Time) time.Time {
	at := began.Add(s.FailureFloor)
	if now := s.Clock.Now(); now.After(at) {
		return now
	}
	return at
}

// guard evaluates the limits for one attempt.
type guard struct {
	attempts         identity.Attempts
	limits           Limits
	now              time.Time // when the attempt started
	network, account string    // keys of the counts
}

// open returns the number of failures of the account, or a refusal.
func (g guard) open(ctx context.Context) (failures int, err error) {
	n, ends, err := g.attempts.Counted(ctx, g.network, g.now)
	if err != nil {
		return 0, fmt.Errorf("read attempts: %w", err)
	}
	if n >= g.limits.PerAddress {
		return 0, errTooMany(ends.Sub(g.now))
	}
	a, err := g.attempts.Get(ctx, g.account)
	if err != nil {
		return 0, fmt.Errorf("read attempts: %w", err)
	}
	if wait := a.Blocked(g.now); wait > 0 {
		return 0, errTooMany(wait)
	}
	return a.Failures, nil
}

// fail counts a failure. The caller gets its result at the given time. It returns a
// refusal if a concurrent failure reached a limit first.
func (g guard) fail(ctx context.Context, answered time.Time) error {
	err := g.attempts.Change(ctx, g.account, func(a *identity.Attempt) error {
		if wait := a.Blocked(g.now); wait > 0 {
			return errTooMany(wait)
		}
		a.Fail(g.limits.PerAccount, answered)
		return nil
	})
	if err != nil {
		return err
	}
	n, ends, err := g.attempts.Count(ctx, g.network, AttemptWindow, g.now)
	if err != nil {
		return fmt.Errorf("count attempt: %w", err)
	}
	if n > g.limits.PerAddress {
		return errTooMany(ends.Sub(g.now))
	}
	return nil
}

// errAfterCheck is in the chain of a refusal whose password was checked. The
// time of such a refusal must not reveal the result.
var errAfterCheck = errors.New("a limit was reached while the password was checked")

func errTooMany(wait time.Duration) *fault.Error {
	f := fault.New(fault.TooMany, fault.CodeRateLimited, "Too many sign-in attempts failed. Wait and try again.")
	f.RetryAfter = max(wait, time.Second)
	return f
}
