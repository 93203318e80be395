package httpapi

import (
	"testing"

	"docledger/domain/fault"

	"github.com/google/uuid"
)

// TestExportsAreLimited runs exports until the limit of an organization and that of the process,
// and checks that an ended export makes room.
func TestExportsAreLimited(t *testing.T) {
	t.Parallel()
	var slots exportSlots
	one, two, three := uuid.New(), uuid.New(), uuid.New()
	var leave []func()
	for _, organization := range []uuid.UUID{one, one, two, two} {
		end, err := slots.enter(organization)
		if err != nil {
			t.Fatalf("export %d is refused: %v", len(leave)+1, err)
		}
		leave = append(leave, end)
	}
	refused := func(organization uuid.UUID) {
		t.Helper()
		if _, err := slots.enter(organization); fault.CodeOf(err) != fault.CodeUnavailable {
			t.Errorf("got %v, want unavailable", err)
		}
	}
	refused(three) // the process
	leave[2]()
	refused(one) // the organization
	for range 2 {
		end, err := slots.enter(three)
		if err != nil {
			t.Fatal(err)
		}
		end()
	}
}
