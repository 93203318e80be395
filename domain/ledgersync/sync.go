package ledgersync

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// Sync is the booking of one invoice, of which invoice.Sync is what people
// see. It changes under the lock of its invoice.
type Sync struct {
	InvoiceID      uuid.UUID
	OrganizationID uuid.UUID
	EntityID       uuid.UUID
	invoice.SyncView
	Round   int  // rises with every request, and so names its job apart from the last one's
	Run     int  // rises with every attempt, so that a late one can be told
	Waiting bool // a person waits for it
	// Failures counts the attempts in a row that came to nothing, which space
	// the next ones. One that ended with its process, or that only waited for its
	// turn, is none.
	Failures int
	Force    bool   // book although the ledger has such a bill
	Link     string // adopt this bill of the ledger; "" for none
	Since    time.Time
	// Intent is the bill as it was sent, as long as its fate is not certain. It
	// is sent again unchanged and under the same key until the ledger has said
	// what became of it.
	Intent     *Intent
	Generation int // rises with every intent that came to an end
	Kind       accounting.BillKind
	UpdatedAt  time.Time
}

// Intent is what is about to be booked, recorded before the ledger is told.
type Intent struct {
	Key           string
	IntegrationID uuid.UUID
	Bill          accounting.Bill
	Lines         []LineCoding
	Supplier      string // of Supplier
	At            time.Time
}

// LineCoding is what a line of the invoice was booked under.
type LineCoding struct {
	Line          uuid.UUID
	AccountID     string
	AccountSource invoice.CodingSource
	TaxRateID     string
	TaxSource     invoice.CodingSource
}

// Repository stores bookings.
type Repository interface {
	// Get returns the booking of an invoice, or a NotFound fault.
	Get(ctx context.Context, s identity.Scope, invoice uuid.UUID) (*Sync, error)
	// Change loads an invoice with its first lines and its booking, nil where
	// there is none, under the invoice's lock, lets change alter them, and
	// stores what change returns: the booking, or its removal for nil. The
	// invoice is stored, with its version raised, where changed says so. A
	// booking that was withdrawn is not shown as the invoice's.
	Change(ctx context.Context, s identity.Scope, invoice uuid.UUID, change func(*invoice.Invoice, *Sync) (b *Sync, changed bool, err error)) (*invoice.Invoice, *Sync, error)
	// Due returns bookings that are to go on, were not touched since before,
	// and have no job, over all organizations.
	Due(ctx context.Context, now, before time.Time, limit int) ([]Sync, error)
	// Holder returns the invoice of an organization that counts as a bill of the
	// ledger of an integration; Nil for none.
	Holder(ctx context.Context, organization, integration uuid.UUID, remote string) (uuid.UUID, error)
	// Corrected finds what the ledger has of an earlier invoice of the entity
	// with the number, from a seller with one of the two names: the ids of
	// bills that were booked through the integration.
	Corrected(ctx context.Context, s identity.Scope, entity, integration uuid.UUID, seller invoice.Party, number string) ([]string, error)
}

// Options says what a request asks for.
type Options struct {
	Integration uuid.UUID
	Force       bool
	Link        string
	Waiting     bool
}

// Accepts says whether a request can be met: one that goes on by itself keeps to
// what it was begun with.
func (b *Sync) Accepts(w Options) bool {
	ended := b.State.Final() || b.State == ""
	return ended || (!w.Force || b.Force) && (w.Link == "" || w.Link == b.Link)
}

// Request begins a booking, or goes on with one that waits or has failed. An
// intent whose fate is not certain stays.
func (b *Sync) Request(w Options, now time.Time) {
	b.Round++
	b.Waiting, b.NextAttemptAt = b.Waiting || w.Waiting, now
	if !b.State.Final() && b.State != "" {
		return // goes on by itself, only sooner
	}
	b.SyncView = invoice.SyncView{State: invoice.SyncQueued, IntegrationID: w.Integration, NextAttemptAt: now}
	if b.Intent != nil {
		b.State = invoice.SyncChecking
	}
	b.Force, b.Link, b.Since, b.Failures = w.Force, w.Link, now, 0
}

// Withdraw takes a booking back that waits and of which the ledger knows
// nothing. What counts its attempts and intents stays, so that neither a late
// attempt nor a key that was used is taken for one of the next booking.
func (b *Sync) Withdraw() {
	b.SyncView = invoice.SyncView{IntegrationID: b.IntegrationID}
	b.Waiting, b.Force, b.Link, b.Failures = false, false, "", 0
}

// IsRequested says whether somebody asked for the booking and has not taken that
// back.
func (b *Sync) IsRequested() bool { return b != nil && b.State != "" }

// Claimable says whether an attempt may begin. A RUNNING one belongs to a
// process that is gone, since one job works on it at a time.
func (b *Sync) Claimable(now time.Time) bool {
	return b.IsRequested() && !b.State.Final() && !b.NextAttemptAt.After(now)
}

// Claim begins an attempt.
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

// MarkPaused says why a booking waits whose installation was restored from a backup.
// It returns whether that was not said yet.
func (b *Sync) MarkPaused() bool {
	if b.isPaused() {
		return false
	}
	b.Error = errorOf(accounting.Refuse(accounting.CodeHeld, ""))
	return true
}

func (b *Sync) isPaused() bool { return b.Error != nil && b.Error.Code == string(accounting.CodeHeld) }

// keyBase is the base of the generation in an intent's key, which is short so
// that a ledger takes it.
const keyBase = 36

// RecordIntent records what is about to be sent.
func (b *Sync) RecordIntent(integration uuid.UUID, bill accounting.Bill, lines []LineCoding, supplier string, now time.Time) {
	b.Intent = &Intent{
		Key:           b.InvoiceID.String() + "-" + strconv.FormatInt(int64(b.Generation), keyBase),
		IntegrationID: integration, Bill: bill, Lines: lines, Supplier: supplier, At: now,
	}
	b.Kind, b.IntegrationID = bill.Kind, integration
}

// settle ends the intent: its fate is certain.
func (b *Sync) settle() {
	if b.Intent != nil {
		b.Intent = nil
		b.Generation++
	}
}

// GivenUp says that the intent was recorded for an earlier request that has
// failed for good since, so that people may have changed the invoice.
func (b *Sync) GivenUp() bool { return b.Intent != nil && b.Intent.At.Before(b.Since) }

// DropIntentKeepKey drops an intent that was given up and that the ledger does not show.
// The next one keeps its key: should the old one arrive after all, the ledger
// knows it from that.
func (b *Sync) DropIntentKeepKey() {
	b.Intent = nil
	if b.State == invoice.SyncChecking {
		b.State = invoice.SyncRunning
	}
}

// DropIntentNewKey drops the intent: the ledger surely has nothing of it. The next one
// gets a key of its own.
func (b *Sync) DropIntentNewKey() {
	b.settle()
	if b.State == invoice.SyncChecking {
		b.State = invoice.SyncRunning
	}
}

// RecordBill records the bill that the ledger holds; total is what it should have
// come to, nil where the invoice does not say.
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

// Finish ends the booking well.
func (b *Sync) Finish(a invoice.AttachmentState, reason string) {
	b.State, b.Attachment, b.AttachmentReason = invoice.SyncDone, a, reason
	b.Error, b.NextAttemptAt, b.Waiting = nil, time.Time{}, false
}

// Refuse ends the booking with what a person must do. The ledger has nothing
// of it.
func (b *Sync) Refuse(r *accounting.Refusal) {
	b.settle()
	b.fail(r)
}

func (b *Sync) fail(r *accounting.Refusal) {
	b.State, b.Error, b.NextAttemptAt, b.Waiting = invoice.SyncEnded, errorOf(r), time.Time{}, false
}

// Removed records that the bill is gone from the ledger. Only the next request
// books again.
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

// ScheduleRetry plans another attempt after one that came to nothing for a passing
// reason. It is given up when it has lasted for too long.
func (b *Sync) ScheduleRetry(code accounting.Code, after time.Duration, now time.Time) {
	if !turn(code) {
		b.Failures++
	}
	b.plan(code, max(b.delay(code), min(after, longestAsked)), now)
}

// ScheduleUncounted plans another attempt after one that was not let through, since the
// ledger has been failing others. That is no setback of its own.
func (b *Sync) ScheduleUncounted(code accounting.Code, after time.Duration, now time.Time) {
	b.plan(code, max(busyDelay, min(after, longestAsked)), now)
}

func (b *Sync) plan(code accounting.Code, pause time.Duration, now time.Time) {
	r := accounting.Refuse(code, "")
	if now.Sub(b.Since) > maxSyncAge && b.RemoteID == "" {
		b.fail(accounting.Refuse(code, "It was tried for %d hours.", int(maxSyncAge.Hours())))
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
	// maxSyncAge is how long a booking goes on by itself.
	maxSyncAge = 72 * time.Hour
	longest    = 6 * time.Hour
	// longestAsked is the longest pause that a ledger may ask for.
	longestAsked = 24 * time.Hour
	// interactiveWindow is how long a person waits for an answer; then the booking goes on
	// behind those for which somebody waits.
	interactiveWindow = 30 * time.Second
	// contactDelay is the pause after which somebody else's work is done.
	contactDelay = time.Second
	// busyDelay is the pause of one that waits for its turn: the ledger says itself
	// when it takes more, and asking our own count again costs nothing.
	busyDelay = 5 * time.Second
)

// retryDelays between attempts, the last one for all that follow.
var retryDelays = []time.Duration{
	2 * time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, longest,
}

// turn says that an attempt only waited for others.
func turn(code accounting.Code) bool {
	return code == accounting.CodeContactUnderWay || code == accounting.CodeBusy
}

// delay is the pause before the next attempt. A connection that has ended is
// waited for less eagerly: people must act first.
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

// ContactKey is the key under which a supplier is added to a ledger.
func ContactKey(integration uuid.UUID, supplier string) string {
	return "contact-" + uuid.NewSHA1(integration, []byte(supplier)).String()
}

// ContactLease names the right to add a supplier to a ledger.
func ContactLease(integration uuid.UUID, supplier string) string {
	return fmt.Sprintf("booking:%s", ContactKey(integration, supplier))
}
