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
// The attempt counts as a failure before the check, so that concurrent attempts
// cannot exceed the limit of the account. If it succeeds, the failure is removed. The
// limit of the network must not refuse users who sign in correctly at the same time,
// so it is evaluated again after the check. Once the network has reached its limit,
// no result of a check is revealed.
func (s *Service) guarded(ctx context.Context, email, address string, now time.Time, check func() error) error {
	network := identity.Network(address)
	account := accountAttemptPrefix + email + " " + network
	n, ends, err := s.Attempts.Counted(ctx, networkAttemptPrefix+network, now)
	if err != nil {
		return fmt.Errorf("read attempts: %w", err)
	}
	if n >= s.Limits.PerAddress {
		return errTooMany(ends.Sub(now))
	}
	err = s.Attempts.Change(ctx, account, func(a *identity.Attempt) error {
		if wait := a.Blocked(now); wait > 0 {
			return errTooMany(wait)
		}
		a.Fail(s.Limits.PerAccount, now)
		return nil
	})
	if err != nil {
		return err
	}
	failed := check()
	switch {
	case failed == nil:
		n, ends, err := s.Attempts.Counted(ctx, networkAttemptPrefix+network, now)
		if err != nil {
			return fmt.Errorf("read attempts: %w", err)
		}
		if n >= s.Limits.PerAddress {
			return errTooMany(ends.Sub(now)).WithCause(errAfterCheck)
		}
		if err := s.Attempts.Forget(ctx, account); err != nil {
			return fmt.Errorf("delete attempts: %w", err)
		}
	case fault.CodeOf(failed) == fault.CodeInvalidCredentials:
		n, ends, err := s.Attempts.Count(ctx, networkAttemptPrefix+network, AttemptWindow, now)
		if err != nil {
			return fmt.Errorf("count attempt: %w", err)
		}
		if n > s.Limits.PerAddress {
			return errTooMany(ends.Sub(now)).WithCause(errAfterCheck)
		}
	case ctx.Err() == nil:
		// The password was not checked. This is not a failure of the caller.
		err := s.Attempts.Change(ctx, account, func(a *identity.Attempt) error {
			a.Failures, a.BlockedUntil = max(a.Failures-1, 0), time.Time{}
			return nil
		})
		if err != nil {
			return fmt.Errorf("remove the failed attempt: %w", err)
		}
	}
	return failed
}

// errAfterCheck is in the chain of a refusal whose password was checked. The
// time of such a refusal must not reveal the result.
var errAfterCheck = errors.New("the network reached its limit while the password was checked")

func errTooMany(wait time.Duration) *fault.Error {
	f := fault.New(fault.TooMany, fault.CodeRateLimited, "Too many sign-in attempts failed. Wait and try again.")
	f.RetryAfter = max(wait, time.Second)
	return f
}
