package ledgersync

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// Sync is the sync of one invoice; invoice.SyncView is its public part. It changes only under the
// lock of its invoice.
type Sync struct {
	InvoiceID      uuid.UUID
	OrganizationID uuid.UUID
	EntityID       uuid.UUID
	invoice.SyncView
	Round   int  // increases with every request; part of the job's unique key
	Run     int  // the fencing token, increases with every attempt
	Waiting bool // a person waits for the result
	// Failures counts consecutive failed attempts and determines the retry delay. Attempts that
	// ended with their process, or that only waited for a turn, do not count.
	Failures int
	Force    bool   // create the bill even if the ledger has a similar one
	Link     string // adopt this bill of the ledger; "" for none
	Since    time.Time
	// Intent is the bill as sent, while its outcome is unknown. It is sent again unchanged and
	// under the same key until the ledger confirms the outcome.
	Intent     *Intent
	Generation int // increases with every intent whose outcome is known
	Kind       accounting.BillKind
	UpdatedAt  time.Time
}

// Intent is the bill to create. It is stored before the call to the ledger.
type Intent struct {
	Key           string
	IntegrationID uuid.UUID
	Bill          accounting.Bill
	Lines         []LineCoding
	Supplier      string // of Supplier
	At            time.Time
}

// LineCoding is the coding of one line of the invoice in the bill.
type LineCoding struct {
	Line          uuid.UUID
	AccountID     string
	AccountSource invoice.CodingSource
	TaxRateID     string
	TaxSource     invoice.CodingSource
}

// Repository stores syncs.
type Repository interface {
	// Get returns the sync of an invoice, or a NotFound fault.
	Get(ctx context.Context, s identity.Scope, invoice uuid.UUID) (*Sync, error)
	// Change locks an invoice and passes it, with its first lines and its sync (nil if none), to
	// change. It stores the returned sync; nil removes it. It stores the invoice with an
	// incremented version if changed is true. A withdrawn sync is not shown in the invoice.
	Change(ctx context.Context, s identity.Scope, invoice uuid.UUID, change func(*invoice.Invoice, *Sync) (b *Sync, changed bool, err error)) (*invoice.Invoice, *Sync, error)
	// Due lists syncs in all organizations that are due, unchanged since before, and without a job.
	Due(ctx context.Context, now, before time.Time, limit int) ([]Sync, error)
	// Holder returns the invoice that is linked to a bill of the integration's ledger; Nil if there
	// is none.
	Holder(ctx context.Context, organization, integration uuid.UUID, remote string) (uuid.UUID, error)
	// Corrected returns the ids of bills that were created through the integration for an earlier
	// invoice of the entity. The invoice has the number and one of the two seller names.
	Corrected(ctx context.Context, s identity.Scope, entity, integration uuid.UUID, seller invoice.Party, number string) ([]string, error)
}

// Options are the options of a sync request.
type Options struct {
	Integration uuid.UUID
	Force       bool
	Link        string
	Waiting     bool
	Delay       time.Duration // until the first attempt
}

// Accepts reports whether a request can be met. A sync in progress keeps the options it started
// with.
func (b *Sync) Accepts(w Options) bool {
	ended := b.State.Final() || b.State == ""
	return ended || (!w.Force || b.Force) && (w.Link == "" || w.Link == b.Link)
}

// Request starts a sync, or continues one that waits or has failed. An intent with an unknown
// outcome is kept.
func (b *Sync) Request(w Options, now time.Time) {
	b.Round++
	due := now.Add(w.Delay)
	b.Waiting, b.NextAttemptAt = b.Waiting || w.Waiting, due
	if !b.State.Final() && b.State != "" {
		return // already in progress; it only runs sooner
	}
	b.SyncView = invoice.SyncView{State: invoice.SyncQueued, IntegrationID: w.Integration, NextAttemptAt: due}
	if b.Intent != nil {
		b.State = invoice.SyncChecking
	}
	b.Force, b.Link, b.Since, b.Failures = w.Force, w.Link, now, 0
}

// Withdraw cancels a waiting sync that the ledger does not know. The counters are kept, so that a
// late attempt or a used key is never mistaken for one of the next sync.
func (b *Sync) Withdraw() {
	b.SyncView = invoice.SyncView{IntegrationID: b.IntegrationID}
	b.Waiting, b.Force, b.Link, b.Failures = false, false, "", 0
}

// RequireSettled returns a fault if a bill was sent and its outcome is unknown: the ledger can have it.
func (b *Sync) RequireSettled() error {
	if b.Intent == nil {
		return nil
	}
	return fault.New(fault.Conflict, fault.CodeConflict, "A bill of the invoice was sent to the ledger, and its outcome is not known. Sync the invoice to determine it, then try again.").
		With("invoice_id", b.InvoiceID.String()).With("sync_state", string(b.State)).With("allowed", []string{"sync"})
}

// IsRequested reports whether a sync was requested and not withdrawn.
func (b *Sync) IsRequested() bool { return b != nil && b.State != "" }

// Claimable reports whether an attempt may start. A RUNNING sync belongs to a dead process, because
// only one job works on a sync.
func (b *Sync) Claimable(now time.Time) bool {
	return b.IsRequested() && !b.State.Final() && !b.NextAttemptAt.After(now)
}

// Claim starts an attempt.
func (b *Sync) Claim(now time.Time) {
	b.Run++
	b.Attempts++
	if b.State == invoice.SyncQueued {
		b.State = invoice.SyncRunning
	}
	if b.isPaused() {
		b.Error = nil
	}
	b.NextAttemptAt = now
}

// MarkPaused records that the sync is paused after a restore. It reports whether that is new.
func (b *Sync) MarkPaused() bool {
	if b.isPaused() {
		return false
	}
	b.Error = errorOf(accounting.Refuse(accounting.CodeHeld, ""))
	return true
}

func (b *Sync) isPaused() bool { return b.Error != nil && b.Error.Code == string(accounting.CodeHeld) }

// keyBase is the number base of the generation in an intent's key. A large base keeps the key short
// enough for ledgers.
const keyBase = 36

// RecordIntent records the bill that is about to be sent.
func (b *Sync) RecordIntent(integration uuid.UUID, bill accounting.Bill, lines []LineCoding, supplier string, now time.Time) {
	b.Intent = &Intent{
		Key:           b.InvoiceID.String() + "-" + strconv.FormatInt(int64(b.Generation), keyBase),
		IntegrationID: integration, Bill: bill, Lines: lines, Supplier: supplier, At: now,
	}
	b.Kind, b.IntegrationID = bill.Kind, integration
}

// settle ends the intent, because its outcome is known.
func (b *Sync) settle() {
	if b.Intent != nil {
		b.Intent = nil
		b.Generation++
	}
}

// GivenUp reports whether the intent belongs to an earlier request that has failed permanently. The
// invoice may have changed since then.
func (b *Sync) GivenUp() bool { return b.Intent != nil && b.Intent.At.Before(b.Since) }

// DropIntentKeepKey drops an abandoned intent that the ledger does not show. The next intent keeps
// the key, so that the ledger detects a late arrival of the old one.
func (b *Sync) DropIntentKeepKey() {
	b.Intent = nil
	if b.State == invoice.SyncChecking {
		b.State = invoice.SyncRunning
	}
}

// DropIntentNewKey drops the intent if the ledger certainly has no bill for it. The next intent
// gets a new key.
func (b *Sync) DropIntentNewKey() {
	b.settle()
	if b.State == invoice.SyncChecking {
		b.State = invoice.SyncRunning
	}
}

// RecordBill records the ledger's bill. total is the expected total, nil if the invoice does not
// state one.
func (b *Sync) RecordBill(bill accounting.LedgerBill, total *money.Decimal, now time.Time) {
	b.Kind = bill.Kind
	b.RemoteID, b.RemoteNumber, b.RemoteURL, b.SyncedAt = bill.ID, bill.Number, bill.URL, now
	b.LedgerTotal = &bill.Total
	b.Difference = nil
	if total != nil {
		difference := bill.Total.Sub(total.Abs())
		b.Difference = &difference
	}
	b.State, b.Error, b.Force, b.Link, b.Failures = invoice.SyncRunning, nil, false, "", 0
	b.settle()
}

// Finish ends the sync successfully.
func (b *Sync) Finish(a invoice.AttachmentState, reason string) {
	b.State, b.Attachment, b.AttachmentReason = invoice.SyncDone, a, reason
	b.Error, b.NextAttemptAt, b.Waiting = nil, time.Time{}, false
}

// Refuse ends the sync with a Refusal that states what a person must do. The ledger has no bill.
func (b *Sync) Refuse(r *accounting.Refusal) {
	b.settle()
	b.fail(r)
}

func (b *Sync) fail(r *accounting.Refusal) {
	b.State, b.Error, b.NextAttemptAt, b.Waiting = invoice.SyncEnded, errorOf(r), time.Time{}, false
}

// Removed records that the bill was removed from the ledger. Only another request creates a bill
// again.
func (b *Sync) Removed() {
	b.settle()
	b.Generation++
	b.RemoteID, b.RemoteNumber, b.RemoteURL, b.Attachment, b.AttachmentReason = "", "", "", "", ""
	b.LedgerTotal, b.Difference, b.SyncedAt = nil, nil, time.Time{}
	b.fail(accounting.Refuse(accounting.CodeRemovedInLedger, ""))
}

func errorOf(r *accounting.Refusal) *invoice.SyncError {
	e := &invoice.SyncError{Code: string(r.Code), Message: r.Message(), Action: r.Code.Action()}
	for _, c := range r.Candidates {
		e.Candidates = append(e.Candidates, invoice.SyncCandidate(c))
	}
	return e
}

// ScheduleRetry plans another attempt after a temporary failure. The sync fails permanently after
// maxSyncAge.
func (b *Sync) ScheduleRetry(code accounting.Code, after time.Duration, now time.Time) {
	if !turn(code) {
		b.Failures++
	}
	b.plan(code, max(b.delay(code), min(after, longestAsked)), now)
}

// ScheduleUncounted plans another attempt after one that the circuit breaker refused. The refusal
// does not count as a failure.
func (b *Sync) ScheduleUncounted(code accounting.Code, after time.Duration, now time.Time) {
	b.plan(code, max(busyDelay, min(after, longestAsked)), now)
}

func (b *Sync) plan(code accounting.Code, pause time.Duration, now time.Time) {
	r := accounting.Refuse(code, "")
	if now.Sub(b.Since) > maxSyncAge && b.RemoteID == "" {
		b.fail(accounting.Refuse(code, "docledger tried for %d hours.", int(maxSyncAge.Hours())))
		return
	}
	b.Error = errorOf(r)
	b.NextAttemptAt, b.Waiting = now.Add(pause), b.Waiting && pause < interactiveWindow && now.Sub(b.Since) < interactiveWindow
	switch {
	case b.Intent != nil:
		b.State = invoice.SyncChecking
	case b.State == invoice.SyncRunning:
		b.State = invoice.SyncQueued
	}
}

const (
	// maxSyncAge is the time for which a sync retries automatically.
	maxSyncAge = 72 * time.Hour
	longest    = 6 * time.Hour
	// longestAsked is the longest delay that a ledger may request.
	longestAsked = 24 * time.Hour
	// interactiveWindow is the time for which a person waits for the result. Afterwards the sync
	// has background priority.
	interactiveWindow = 30 * time.Second
	// contactDelay is the delay until another sync has created the contact.
	contactDelay = time.Second
	// busyDelay is the delay of a sync that waits for its turn. It is short: the ledger reports its
	// own limit, and reading the local count is cheap.
	busyDelay = 5 * time.Second
)

// retryDelays are the delays between attempts; the last one applies to all further attempts.
var retryDelays = []time.Duration{
	2 * time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, longest,
}

// turn reports whether an attempt only waited for others.
func turn(code accounting.Code) bool {
	return code == accounting.CodeContactUnderWay || code == accounting.CodeBusy
}

// delay returns the delay before the next attempt. It is longer if the integration needs a person's
// action first.
func (b *Sync) delay(code accounting.Code) time.Duration {
	const people = 4
	setbacks := b.Failures
	switch code {
	case accounting.CodeContactUnderWay:
		return contactDelay
	case accounting.CodeBusy:
		return busyDelay
	case accounting.CodeReconnectNeeded:
		setbacks += people
	}
	return retryDelays[min(max(setbacks, 1), len(retryDelays))-1]
}

// ContactKey returns the idempotency key for creating a supplier in a ledger.
func ContactKey(integration uuid.UUID, supplier string) string {
	return "contact-" + uuid.NewSHA1(integration, []byte(supplier)).String()
}

// ContactLease returns the name of the lease for creating a supplier in a ledger.
func ContactLease(integration uuid.UUID, supplier string) string {
	return fmt.Sprintf("booking:%s", ContactKey(integration, supplier))
}
