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
	// Ended returns when the last pause ended; zero if no pause has ended.
	Ended(ctx context.Context) (time.Time, error)
}

// Paused reports whether work is paused; h may be nil.
func Paused(ctx context.Context, h Pause) (bool, error) {
	if h == nil {
		return false, nil
	}
	since, err := h.Since(ctx)
	return !since.IsZero(), err
}

// Waker makes snoozed jobs due.
type Waker interface {
	// Wake makes due up to 1,000 snoozed jobs of the kinds. It returns their number.
	Wake(ctx context.Context, kinds ...string) (int, error)
}

// wakeFor is the time after the end of a pause in which its jobs are woken. It exceeds the longest
// delay of a snoozed job, after which the job is due automatically.
const wakeFor = 5 * time.Minute

// WakePaused makes due the jobs that were snoozed during a pause that ended shortly before now. It
// returns their number.
func WakePaused(ctx context.Context, p Pause, w Waker, now time.Time) (int, error) {
	ended, err := p.Ended(ctx)
	if err != nil || ended.IsZero() || now.Sub(ended) > wakeFor {
		return 0, err
	}
	return w.Wake(ctx, PausedKinds()...)
}
