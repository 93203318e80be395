// Package inbox defines events that other systems sent by webhook, from the
// verification of their signature until they are processed.
package inbox

import (
	"context"
	"errors"
	"time"

	"docledger/domain/page"

	"github.com/google/uuid"
)

// Sender identifies a sender of events.
type Sender string

// The senders.
const (
	Payments Sender = "payments"
	Identity Sender = "identity"
)

// Valid reports whether s is one of the senders.
func (s Sender) Valid() bool { return s == Payments || s == Identity }

// State is the processing state of a message.
type State string

// The states.
const (
	Received State = "RECEIVED" // not processed yet
	Done     State = "DONE"
	Ignored  State = "IGNORED" // docledger does not process the type
	Failed   State = "FAILED"  // all attempts failed; an operator may replay it
)

// ErrIgnored reports that an event needs no processing.
var ErrIgnored = errors.New("the event needs no processing")

// Message is one event in the form that its sender sent.
type Message struct {
	ID         uuid.UUID
	Sender     Sender
	EventID    string // id of the sender; unique with Sender
	Type       string
	Body       []byte    // the signed bytes
	OccurredAt time.Time // time stated by the sender
	ReceivedAt time.Time
	State      State
	Attempts   int
	Failure    string // reason of the last failed attempt; no content of the body
	DoneAt     time.Time
}

// Filter selects messages; the zero value selects all.
type Filter struct {
	Sender Sender
	States []State
}

// Repository stores messages. It has no scope, because senders report about any
// organization. Only the service itself and its operator use it.
type Repository interface {
	// Add stores each new event once and returns the ids of the stored messages. It
	// ignores events that are already stored.
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
