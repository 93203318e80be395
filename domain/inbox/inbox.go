// Package inbox holds what other systems told us by webhook, from the moment
// that it was proven to be theirs until its effect is done.
package inbox

import (
	"context"
	"errors"
	"time"

	"docledger/domain/page"

	"github.com/google/uuid"
)

// Sender names who sends events.
type Sender string

// The senders.
const (
	Payments Sender = "payments"
	Identity Sender = "identity"
)

// Valid says whether s is one of the senders.
func (s Sender) Valid() bool { return s == Payments || s == Identity }

// State is where a message stands.
type State string

// The states.
const (
	Received State = "RECEIVED" // its effect is to come
	Done     State = "DONE"
	Ignored  State = "IGNORED" // nothing that we act on
	Failed   State = "FAILED"  // given up; an operator may replay it
)

// ErrIgnored says that there is nothing to do for an event.
var ErrIgnored = errors.New("nothing to do for this event")

// Message is one event as its sender sent it.
type Message struct {
	ID         uuid.UUID
	Sender     Sender
	EventID    string // the sender's own; unique with Sender
	Type       string
	Body       []byte    // as it was signed
	OccurredAt time.Time // by the sender's own word
	ReceivedAt time.Time
	State      State
	Attempts   int
	Failure    string // why the last attempt failed; no content of the body
	DoneAt     time.Time
}

// Filter narrows a list; the zero value lists all.
type Filter struct {
	Sender Sender
	States []State
}

// Repository keeps messages. It takes no scope: senders speak about any
// organization, and only the service itself and its operator ask.
type Repository interface {
	// Add stores the messages whose sender's event is not there already, each
	// event once, and returns the ids of those that it stored.
	Add(ctx context.Context, messages []*Message) (added []uuid.UUID, err error)
	// Get returns the message, or a NotFound fault.
	Get(ctx context.Context, id uuid.UUID) (*Message, error)
	// Update changes the message under a row lock.
	Update(ctx context.Context, id uuid.UUID, change func(*Message) error) (*Message, error)
	// Unfinished lists messages in Received from before the given time, oldest
	// first.
	Unfinished(ctx context.Context, before time.Time, limit int) ([]Message, error)
	// ForOperator lists messages, newest first.
	ForOperator(ctx context.Context, f Filter, p page.Request) (page.Of[Message], error)
}
