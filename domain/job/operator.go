package job

import (
	"context"
	"time"

	"docledger/domain/page"

	"github.com/google/uuid"
)

// State is a job's state as shown to the operator.
type State string

// The states.
const (
	Waiting   State = "WAITING" // due, or scheduled for later
	Running   State = "RUNNING"
	Retrying  State = "RETRYING" // waits after a failed attempt
	Done      State = "DONE"
	Failed    State = "FAILED"    // all attempts of its kind have failed
	Cancelled State = "CANCELLED" // by the operator
)

// States lists every state.
func States() []State { return []State{Waiting, Running, Retrying, Done, Failed, Cancelled} }

// Open reports whether the job will run and is not running.
func (s State) Open() bool { return s == Waiting || s == Retrying }

// Record is a job as the queue stores it.
type Record struct {
	ID           int64
	Kind         string
	State        State
	Organization uuid.UUID // Nil for work of the whole installation
	// Subject is the id of what the job works on, or the name of a periodic task.
	Subject   string
	Args      Args // nil for kinds and versions that this release does not know
	Attempts  int
	CreatedAt time.Time
	DueAt     time.Time
	Failure   string // the error of the last failed attempt
}

// Filter restricts a list; the zero value matches all jobs.
type Filter struct {
	Kind   string
	States []State
}

// Operator is the operator's access to the queue, across organizations.
type Operator interface {
	// ForOperator lists jobs, newest first. Finished jobs are kept for some days.
	ForOperator(ctx context.Context, f Filter, p page.Request) (page.Of[Record], error)
	// RecordForOperator returns a job, or a NotFound fault.
	RecordForOperator(ctx context.Context, id int64) (*Record, error)
	// RetryForOperator makes a job due if it is not running. It returns a Conflict fault if another
	// job does the same work.
	RetryForOperator(ctx context.Context, id int64) error
	// CancelForOperator cancels a waiting job. ok is false if the job is not waiting.
	CancelForOperator(ctx context.Context, id int64) (ok bool, err error)
}
