// Package attention contains what needs a person (domain D28).
package attention

import (
	"context"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// Code is the kind of an item. The codes of the billing alerts are further ones.
type Code string

// The codes.
const (
	IntegrationError   Code = "INTEGRATION_ERROR"
	IntegrationPending Code = "INTEGRATION_PENDING" // the connection was started and is not complete
	SyncFailed         Code = "SYNC_FAILED"
	DocumentFailed     Code = "DOCUMENT_FAILED"
	DocumentsHeld      Code = "DOCUMENTS_HELD"
	ReviewWaiting      Code = "REVIEW_WAITING"
	DuplicateSuspected Code = "DUPLICATE_SUSPECTED"
	BankAccountNew     Code = "BANK_ACCOUNT_NEW"
	DueSoon            Code = "DUE_SOON"
	WatcherLate        Code = "WATCHER_LATE"
	WebhookDisabled    Code = "WEBHOOK_DISABLED"
	APIKeyExpiring     Code = "API_KEY_EXPIRING"
)

// Codes lists the codes in the order of the list. A test compares the specification with it.
func Codes() []Code {
	return []Code{
		IntegrationError, SyncFailed, DocumentFailed, DocumentsHeld, BankAccountNew, WebhookDisabled, WatcherLate, DuplicateSuspected,
		DueSoon, ReviewWaiting, IntegrationPending, APIKeyExpiring,
	}
}

// Action is what a person does about an item.
type Action string

// The actions.
const (
	Reconnect         Action = "reconnect"
	FinishSetup       Action = "finish_setup"
	RetrySync         Action = "retry_sync"
	OpenDocument      Action = "open_document"
	ChangePlan        Action = "change_plan"
	Review            Action = "review"
	Approve           Action = "approve"
	CompareDuplicates Action = "compare_duplicates"
	ConfirmAccount    Action = "confirm_bank_account"
	CheckWatch        Action = "check_watch"
	EnableWebhook     Action = "enable_webhook"
	ReplaceKey        Action = "replace_api_key"
	Pay               Action = "pay"
)

// Actions lists every action. A test compares the specification with it.
func Actions() []Action {
	return []Action{
		Reconnect, FinishSetup, RetrySync, OpenDocument, ChangePlan, Review, Approve, CompareDuplicates, ConfirmAccount, CheckWatch,
		EnableWebhook, ReplaceKey, Pay,
	}
}

// Cause is why records of an entity need a person. Its value is the reason of an item and the
// query that counts it.
type Cause string

// The causes.
const (
	CauseSyncFailed     Cause = "sync_failed"
	CauseDocumentFailed Cause = "document_failed"
	CauseDocumentHeld   Cause = "document_held"
	CauseNeedsReview    Cause = "needs_review"
	CauseExtracted      Cause = "extracted" // waits for approval
	CauseDuplicate      Cause = "duplicate"
	CauseBankAccount    Cause = "bank_account"
	CauseDue            Cause = "due" // not approved, and due at the latest on the given day
)

// Causes lists every cause.
func Causes() []Cause {
	return []Cause{
		CauseSyncFailed, CauseDocumentFailed, CauseDocumentHeld, CauseNeedsReview, CauseExtracted, CauseDuplicate, CauseBankAccount, CauseDue,
	}
}

// MaxCount limits the number of records that are counted of one entity and cause, so that the cost
// of the list does not depend on the number of invoices.
const MaxCount = 1000

// DueDays is the number of days before the due date from which an invoice is due soon.
const DueDays = 7

// LateAfter is the time after which a watched location that is not up to date is late, as in
// docs/alerts.yaml.
const LateAfter = time.Hour

// Count is the number of records of an entity with the same cause.
type Count struct {
	EntityID uuid.UUID
	Cause    Cause
	Number   int // at most MaxCount
	FirstID  uuid.UUID
	FirstAt  time.Time // when the first of them was created
	// SupplierID is the supplier of the first invoice of CauseBankAccount.
	SupplierID uuid.UUID
}

// Record is a record of which there are few and which needs a person on its own.
type Record struct {
	ID       uuid.UUID
	EntityID uuid.UUID // zero for a record of the organization
	Name     string
	Reason   string
	At       time.Time // since when
}

// Source finds what needs a person. Each query is limited to the scope, and to one entity unless it
// is zero. Records of archived entities are not part of it.
type Source interface {
	// Count counts the records with the cause for each entity that has any. dueBy is the last day
	// of CauseDue.
	Count(ctx context.Context, s identity.Scope, entity uuid.UUID, cause Cause, dueBy calendar.Date) ([]Count, error)
	// FailedIntegrations returns the integrations in ERROR, and PendingIntegrations those in PENDING.
	FailedIntegrations(ctx context.Context, s identity.Scope, entity uuid.UUID) ([]Record, error)
	PendingIntegrations(ctx context.Context, s identity.Scope, entity uuid.UUID) ([]Record, error)
	// LateWatches returns the ACTIVE integrations with a watched location that is not paused and
	// was not up to date since the given time.
	LateWatches(ctx context.Context, s identity.Scope, entity uuid.UUID, since time.Time) ([]Record, error)
	// DisabledWebhooks returns the webhooks that docledger disabled after failures.
	DisabledWebhooks(ctx context.Context, organization uuid.UUID) ([]Record, error)
	// ExpiringKeys returns the API keys in use that expire after from and at the latest at until.
	ExpiringKeys(ctx context.Context, organization uuid.UUID, from, until time.Time) ([]Record, error)
}

// Subject names the one record of an item.
type Subject struct {
	Type string // as in events
	ID   uuid.UUID
}

// Item is one thing that needs a person.
type Item struct {
	Code     Code
	Severity invoice.Severity
	EntityID uuid.UUID // zero for the organization
	Count    int
	OldestAt time.Time // zero if it has no beginning
	Subject  *Subject  // nil for several records
	Message  string
	Action   Action
	// Path is the page of the web application where the action is done. URL is the address of a page
	// of a third party that replaces it.
	Path, URL string
}
