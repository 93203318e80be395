package organization

import (
	"context"
	"time"

	"docledger/domain/integration"

	"github.com/google/uuid"
)

// Report shows how well the processing of one organization works: the documents
// that arrived in a period, and what became of them.
type Report struct {
	From, To  time.Time
	Documents int // without files that were split; their parts count
	Invoices  int
	// Decided counts the invoices that are approved, synced or rejected.
	Decided int
	// Touchless counts the approved and synced invoices on which no person and no
	// API key acted after the upload.
	Touchless int
	// ArrivalToSync is the time from the arrival of a document to its bill.
	ArrivalToSync Durations
	Failures      []FailureCount
	Calls         []ProviderCalls
}

// TouchlessPercent returns the part of the decided invoices that is touchless;
// ok is false if no invoice is decided.
func (r *Report) TouchlessPercent() (percent float64, ok bool) {
	if r.Decided == 0 {
		return 0, false
	}
	return 100 * float64(r.Touchless) / float64(r.Decided), true
}

// Durations summarizes several durations. Ninety is the one that nine of ten do
// not exceed.
type Durations struct {
	Count                   int
	Median, Ninety, Longest time.Duration
}

// Stage is the part of the processing that failed.
type Stage string

// The stages.
const (
	StageExtraction Stage = "extraction"
	StageSync       Stage = "sync"
)

// FailureCount counts the failures with one reason, a code of the stage.
type FailureCount struct {
	Stage  Stage
	Reason string
	Count  int
}

// ProviderCalls counts the calls to one account of a provider in the longest
// window that the provider limits, up to now.
type ProviderCalls struct {
	Provider integration.Provider
	Account  string
	Window   time.Duration
	Used     int
}

// Reports reads reports.
type Reports interface {
	// Report returns the report on the documents of an organization that arrived
	// from a time on.
	Report(ctx context.Context, organizationID uuid.UUID, from time.Time) (*Report, error)
}
