package job

import (
	"context"
	"errors"
	"time"
)

// ErrPaused says that a job waits because its installation was restored from a
// backup (domain D23). It is no failed attempt.
var ErrPaused = errors.New("held since a restore, until docledger resume")

// Later is the error of a job that cannot run now through no fault of its own,
// and is given again after a while. It is no failed attempt.
type Later struct {
	After time.Duration
	Cause error
}

// Error implements error.
func (l *Later) Error() string { return "later: " + l.Cause.Error() }

// Unwrap returns the cause.
func (l *Later) Unwrap() error { return l.Cause }

// Pause keeps whether an installation that was restored from a backup waits
// with all that reaches out to others, for every process and through restarts
// (domain D23).
type Pause interface {
	// Since returns the moment since which work is held; zero where none is.
	Since(ctx context.Context) (time.Time, error)
	// Begin holds work from now on. Where it is held already, that stands.
	Begin(ctx context.Context, now time.Time) error
	// End lets work go on.
	End(ctx context.Context, now time.Time) error
	// Wake makes the jobs of the kinds due that were put off while they were
	// held, if that ended not long before now. It returns how many.
	Wake(ctx context.Context, now time.Time, kinds ...string) (int, error)
}

// Paused says whether work is held now; h may be nil.
func Paused(ctx context.Context, h Pause) (bool, error) {
	if h == nil {
		return false, nil
	}
	since, err := h.Since(ctx)
	return !since.IsZero(), err
}

// PausedKinds are the kinds of jobs that are held: all that reaches out to others.
func PausedKinds() []string {
	return []string{SyncInvoice{}.Kind(), ProcessEvent{}.Kind(), PollStore{}.Kind()}
}
