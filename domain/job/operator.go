package job

import (
	"context"
	"time"

	"docledger/domain/page"

	"github.com/google/uuid"
)

// State is where a job stands, for the operator.
type State string

// The states.
const (
	Waiting   State = "WAITING" // due, or put off for a while
	Running   State = "RUNNING"
	Retrying  State = "RETRYING" // waits after an attempt that failed
	Done      State = "DONE"
	Failed    State = "FAILED"    // given up after as many attempts as its kind has
	Cancelled State = "CANCELLED" // by the operator
)

// States lists them all.
func States() []State { return []State{Waiting, Running, Retrying, Done, Failed, Cancelled} }

// Open says that the job is still to run and does not run now.
func (s State) Open() bool { return s == Waiting || s == Retrying }

// Record is a job as the queue keeps it.
type Record struct {
	ID           int64
	Kind         string
	State        State
	Organization uuid.UUID // Nil for work of the installation
	// Subject is the id of what the job is about, or the name of what is done
	// every so often.
	Subject   string
	Args      Args // nil for kinds and versions that the release does not know
	Attempts  int
	CreatedAt time.Time
	DueAt     time.Time
	Failure   string // of the last attempt that failed
}

// Filter narrows a list; the zero value lists all.
type Filter struct {
	Kind   string
	States []State
}

// Operator is the operator's view of the queue, over all organizations.
type Operator interface {
	// ForOperator lists jobs, newest first. Those that have ended are kept for
	// some days.
	ForOperator(ctx context.Context, f Filter, p page.Request) (page.Of[Record], error)
	// RecordForOperator returns a job, or a NotFound fault.
	RecordForOperator(ctx context.Context, id int64) (*Record, error)
	// RetryForOperator makes a job due that does not run; a Conflict fault where
	// another one does the same work.
	RetryForOperator(ctx context.Context, id int64) error
	// CancelForOperator ends a job that waits; ok is false where it does not, or
	// not any more.
	CancelForOperator(ctx context.Context, id int64) (ok bool, err error)
}
