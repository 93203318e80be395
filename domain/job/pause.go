package job

import (
	"context"
	"errors"
	"time"
)

// ErrPaused reports that a job waits because the installation was restored from a backup (domain
// D23). It does not count as a failed attempt.
var ErrPaused = errors.New("paused after a restore; run docledger resume")

// Later is the error of a job that cannot run now for an external reason and runs again later. It
// does not count as a failed attempt.
type Later struct {
	After time.Duration
	Cause error
}

// Error implements error.
func (l *Later) Error() string { return "later: " + l.Cause.Error() }

// Unwrap returns the cause.
func (l *Later) Unwrap() error { return l.Cause }

// Pause stores whether outgoing work is paused after a restore from a backup. It applies to every
// process and survives restarts (domain D23).
type Pause interface {
	// Since returns when work was paused; zero if it is not paused.
	Since(ctx context.Context) (time.Time, error)
	// Begin pauses work from now on. An existing pause is unchanged.
	Begin(ctx context.Context, now time.Time) error
	// End resumes work.
	End(ctx context.Context, now time.Time) error
	// Wake makes due the jobs of the kinds that were snoozed during a pause that ended shortly
	// before now. It returns their number.
	Wake(ctx context.Context, now time.Time, kinds ...string) (int, error)
}

// Paused reports whether work is paused; h may be nil.
func Paused(ctx context.Context, h Pause) (bool, error) {
	if h == nil {
		return false, nil
	}
	since, err := h.Since(ctx)
	return !since.IsZero(), err
}

// PausedKinds returns the kinds of jobs that a restore pauses: all that call other systems.
func PausedKinds() []string {
	return []string{SyncInvoice{}.Kind(), ProcessEvent{}.Kind(), PollStore{}.Kind()}
}
