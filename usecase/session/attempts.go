package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
)

// guarded checks a password, unless too many checks failed before: for this
// account from the caller's network, or from the network at all. It refuses at
// once and never holds an answer back. Failures from other networks do not
// count for an account, so that nobody can lock somebody else out, and an
// account that does not exist is treated like one that does.
//
// The attempt counts as a failure before the check, so that attempts at the
// same time cannot exceed the account's limit, and is taken back where it
// succeeds. The network's limit must not refuse people who sign in correctly at
// the same time, so it is evaluated after the check as well: once the network has
// its failures, no result of a check is revealed, whatever it is.
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
			return fmt.Errorf("forget attempts: %w", err)
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
		// The password was not checked, which is not the caller's failure.
		err := s.Attempts.Change(ctx, account, func(a *identity.Attempt) error {
			a.Failures, a.BlockedUntil = max(a.Failures-1, 0), time.Time{}
			return nil
		})
		if err != nil {
			return fmt.Errorf("take the attempt back: %w", err)
		}
	}
	return failed
}

// errAfterCheck is in the chain of a refusal whose password was checked. The
// time of such a refusal must not reveal the result.
var errAfterCheck = errors.New("the network reached its limit while the password was checked")

func errTooMany(wait time.Duration) *fault.Error {
	f := fault.New(fault.TooMany, fault.CodeRateLimited, "There were too many failed attempts to sign in. Wait and try again.")
	f.RetryAfter = max(wait, time.Second)
	return f
}
