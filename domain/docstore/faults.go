package docstore

import (
	"errors"
	"time"

	"docledger/domain/fault"
	"docledger/domain/integration"
)

// What the ports of this package answer beyond integration.ErrReconnect and its
// like:
//
//   - ErrDenied in the chain: the token is good, but the account may not read
//     this. Never told as an empty list.
//   - ErrCursorLost in the chain: the store no longer knows the cursor. Restart
//     says where to begin anew.
//   - ErrLocked in the chain: the file is there, but not to be had now: locked,
//     still being uploaded, or being checked. RetryAfter says when to come
//     back.
//   - ErrWithheld in the chain: the store never hands this content out, such as
//     one too large for its conversion, or one it holds for harmful.
//   - fault.NotFound: no such source, sub-source, item or version; an account
//     that may not know of it reads the same.
var (
	ErrDenied     = errors.New("the account may not read this")
	ErrCursorLost = errors.New("the cursor is lost")
	ErrLocked     = errors.New("the file is not to be had now")
	ErrWithheld   = errors.New("the content is never handed out")
)

// Denied says that the consenting account may not read something.
func Denied(p integration.Provider, cause error) error {
	return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
		"The account that consented at %s may not read this. Have access given to it there, or connect the integration with another account.", p).
		WithCause(errors.Join(ErrDenied, cause))
}

// Locked says that a file cannot be had for now; after is when to come back,
// zero for soon.
func Locked(p integration.Provider, after time.Duration, cause error) error {
	f := fault.New(fault.Upstream, fault.CodeProviderUnavailable, "%s does not hand the file out for now. It is tried again.", p)
	f.RetryAfter = max(after, time.Second)
	return f.WithCause(errors.Join(ErrLocked, cause))
}

// ContentUnavailable says that a store never hands a content out; reason tells people
// why, as a sentence without the store's name.
func ContentUnavailable(p integration.Provider, reason string, cause error) error {
	return fault.New(fault.Invalid, fault.CodeInvalidRequest, "%s does not hand the file out: %s", p, reason).
		WithCause(errors.Join(ErrWithheld, cause))
}

// lostCursor carries where to begin anew.
type lostCursor struct{ restart string }

func (lostCursor) Error() string        { return ErrCursorLost.Error() }
func (lostCursor) Is(target error) bool { return target == ErrCursorLost }

// CursorLost says that a store no longer knows a cursor. restart is a cursor
// that tells all there is anew; "" where Start gives one.
func CursorLost(p integration.Provider, restart string, cause error) error {
	return fault.New(fault.Upstream, fault.CodeProviderUnavailable, "%s has lost track of the changes. All is read anew.", p).
		WithCause(errors.Join(lostCursor{restart}, cause))
}

// Restart returns the cursor that tells all there is anew after ErrCursorLost;
// "" where Start gives one.
func Restart(err error) string {
	var lost lostCursor
	if errors.As(err, &lost) {
		return lost.restart
	}
	return ""
}
