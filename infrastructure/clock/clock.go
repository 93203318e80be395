// Package clock provides the current time and new ids.
package clock

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// System reads the machine's clock.
type System struct{}

// Now returns the time in UTC, in whole microseconds.
func (System) Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// UUIDv7 generates ids that sort by creation time (RFC 9562).
type UUIDv7 struct{}

// New returns a new id.
func (UUIDv7) New() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// Pause waits for d. If ctx ends first, it returns the error of ctx.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
