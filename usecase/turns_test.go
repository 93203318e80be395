package usecase

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"
)

func TestOneOrganizationHasOneTurn(t *testing.T) {
	t.Parallel()
	var all Turns[uuid.UUID]
	mine, theirs := uuid.New(), uuid.New()
	done, err := all.Take(t.Context(), mine)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := all.Take(ended, mine); !errors.Is(err, context.Canceled) {
		t.Errorf("a second turn: %v", err)
	}
	other, err := all.Take(ended, theirs)
	for err != nil { // an ended context may be noticed first
		other, err = all.Take(t.Context(), theirs)
	}
	other()
	waited := make(chan error)
	go func() {
		next, err := all.Take(t.Context(), mine)
		if err == nil {
			next()
		}
		waited <- err
	}()
	done()
	if err := <-waited; err != nil {
		t.Errorf("the next turn: %v", err)
	}
	if len(all.slots) != 0 {
		t.Errorf("%d organizations are left", len(all.slots))
	}
}
