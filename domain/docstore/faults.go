package docstore

import (
	"errors"
	"time"

	"docledger/domain/fault"
	"docledger/domain/integration"
)

// The errors of the ports of this package, in addition to those described at
// integration.ErrReconnect:
//
// - ErrDenied in the chain: the token is valid, but the account must not read this. It is never
// returned as an empty list.
// - ErrCursorLost in the chain: the document store no longer knows the cursor. Restart returns
// where to start.
// - ErrLocked in the chain: the file exists but cannot be downloaded now: locked, still being
// uploaded, or being scanned. RetryAfter is the delay until the next attempt.
// - ErrWithheld in the chain: the document store never provides this content, for example because
// it is too large to convert or considered harmful.
// - fault.NotFound: no such source, sub-source, item or version, or the account must not know of
// it.
var (
	ErrDenied     = errors.New("the account may not read this")
	ErrCursorLost = errors.New("the cursor is lost")
	ErrLocked     = errors.New("the file is not to be had now")
	ErrWithheld   = errors.New("the content is never provided")
)

// Denied returns the fault for something that the consenting account must not read.
func Denied(p integration.Provider, cause error) error {
	return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
		"The account that consented at %s cannot read this. Grant it access there, or connect the integration with another account.", p).
		WithCause(errors.Join(ErrDenied, cause))
}

// Locked returns the fault for a file that cannot be downloaded now. after is the delay until the
// next attempt, zero for a short one.
func Locked(p integration.Provider, after time.Duration, cause error) error {
	f := fault.New(fault.Upstream, fault.CodeProviderUnavailable, "%s does not provide the file at the moment. docledger retries automatically.", p)
	f.RetryAfter = max(after, time.Second)
	return f.WithCause(errors.Join(ErrLocked, cause))
}

// ContentUnavailable returns the fault for content that a document store never provides. reason is
// a sentence for users, without the document store's name.
func ContentUnavailable(p integration.Provider, reason string, cause error) error {
	return fault.New(fault.Invalid, fault.CodeInvalidRequest, "%s does not provide the file: %s", p, reason).
		WithCause(errors.Join(ErrWithheld, cause))
}

// lostCursor contains the cursor from which to start again.
type lostCursor struct{ restart string }

func (lostCursor) Error() string        { return ErrCursorLost.Error() }
func (lostCursor) Is(target error) bool { return target == ErrCursorLost }

// CursorLost returns the fault for a cursor that a document store no longer knows. restart is a
// cursor that reports all items; "" if Start returns one.
func CursorLost(p integration.Provider, restart string, cause error) error {
	return fault.New(fault.Upstream, fault.CodeProviderUnavailable, "%s has lost the change cursor. docledger starts a full scan.", p).
		WithCause(errors.Join(lostCursor{restart}, cause))
}

// Restart returns the cursor for a full scan after ErrCursorLost; "" if Start returns one.
func Restart(err error) string {
	var lost lostCursor
	if errors.As(err, &lost) {
		return lost.restart
	}
	return ""
}
