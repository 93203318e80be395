package service

import (
	"errors"
	"testing"
)

// TestDetailOfJoinedErrors verifies that the one line of a check separates its errors.
func TestDetailOfJoinedErrors(t *testing.T) {
	t.Parallel()
	f := Finding{Err: errors.Join(errors.New("first:\n\tof a library"), errors.New("second"))}
	if got := f.Detail(); got != "first: of a library; second" {
		t.Error(got)
	}
}
