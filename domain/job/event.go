package job

import (
	"time"

	"github.com/google/uuid"
)

// EventVersion is the version of ProcessEvent that this release writes.
const EventVersion = 1

// Event is the kind of ProcessEvent.
var Event = define(Kind{
	Name: "process_event", Version: EventVersion, Queue: DefaultQueue, Attempts: 10, Timeout: time.Minute, Paused: true,
	Noun: "Event", Cancelled: "The event is kept and FAILED. To process it, run docledger events replay %s.",
}, func(a ProcessEvent) string { return a.MessageID.String() })

// ProcessEvent processes an inbox message.
type ProcessEvent struct {
	V         int
	MessageID uuid.UUID
}

// Kind implements Args.
func (ProcessEvent) Kind() string { return "process_event" }
