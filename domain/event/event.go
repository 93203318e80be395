// Package event holds the one log of what happened (domain D3).
package event

import (
	"context"
	"time"

	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// Type names what happened, as `subject.verb`.
type Type string

// The types written so far; the list grows.
const (
	DocumentReceived     Type = "document.received"
	DocumentExtracted    Type = "document.extracted"
	DocumentFailed       Type = "document.failed"
	DocumentNotAnInvoice Type = "document.not_an_invoice"
	DocumentSplit        Type = "document.split"
	DocumentHeld         Type = "document.held"

	InvoiceExtracted         Type = "invoice.extracted"
	InvoiceNeedsReview       Type = "invoice.needs_review"
	InvoiceCorrected         Type = "invoice.corrected"
	InvoiceApproved          Type = "invoice.approved"
	InvoiceApprovalWithdrawn Type = "invoice.approval_withdrawn"
	InvoiceRejected          Type = "invoice.rejected"
	InvoiceReopened          Type = "invoice.reopened"
	InvoiceSyncQueued        Type = "invoice.sync_queued"
	InvoiceSynced            Type = "invoice.synced"
	InvoiceSyncFailed        Type = "invoice.sync_failed"

	EntityCreated   Type = "entity.created"
	EntityChanged   Type = "entity.changed"
	SettingsChanged Type = "settings.changed"
	MemberAdded     Type = "member.added"
	MemberChanged   Type = "member.changed"
	MemberRemoved   Type = "member.removed"
	// MemberSessionEnded: a superseded token was refreshed, so its session ended.
	MemberSessionEnded Type = "member.session_ended"

	IntegrationSetUp        Type = "integration.set_up"
	IntegrationActivated    Type = "integration.activated"
	IntegrationError        Type = "integration.error"
	IntegrationHealed       Type = "integration.healed"
	IntegrationDisconnected Type = "integration.disconnected"

	BillingLimitReached          Type = "billing.limit_reached"
	BillingChargePaid            Type = "billing.charge_paid"
	BillingChargeFailed          Type = "billing.charge_failed"
	BillingDoubleChargeSuspected Type = "billing.double_charge_suspected"
)

// SubjectType names the kind of thing an event is about.
type SubjectType string

// The subject types.
const (
	SubjectDocument     SubjectType = "document"
	SubjectInvoice      SubjectType = "invoice"
	SubjectEntity       SubjectType = "entity"
	SubjectSettings     SubjectType = "settings"
	SubjectMember       SubjectType = "member"
	SubjectOrganization SubjectType = "organization"
	SubjectIntegration  SubjectType = "integration"
)

// Subject is what an event is about.
type Subject struct {
	Type    SubjectType
	ID      uuid.UUID
	Version int // after the change; 0 where the subject has none
}

// Change is one value that changed; From and To are as the API shows them, ""
// where there was or is none.
type Change struct{ Field, From, To string }

// Event is one thing that happened, written in the transaction that made it
// so and never altered. People are named by id only; Changes and Data hold
// values of the subject as the API shows them.
type Event struct {
	ID             uuid.UUID
	Type           Type
	OrganizationID uuid.UUID
	EntityID       uuid.UUID
	Subject        Subject
	ActorType      identity.ActorType
	ActorID        uuid.UUID
	ClientID       string
	RequestID      string
	CreatedAt      time.Time
	Changes        []Change
	Data           map[string]string
}

// By returns an event of the actor about a subject within an entity.
func By(a identity.Actor, t Type, entity uuid.UUID, s Subject) Event {
	return Event{
		Type: t, OrganizationID: a.OrganizationID, EntityID: entity, Subject: s,
		ActorType: a.Type, ActorID: a.UserID, ClientID: a.ClientID, RequestID: a.RequestID,
	}
}

// Filter narrows the log; the zero value is all that the scope holds.
type Filter struct {
	Types       []Type
	EntityID    uuid.UUID
	SubjectIDs  []uuid.UUID
	ActorID     uuid.UUID
	CreatedFrom time.Time // inclusive; zero: open
	CreatedTo   time.Time // exclusive; zero: open
}

// Log appends and reads events.
type Log interface {
	// Append stores events in the order given, within the caller's transaction.
	// Events without id or time are given them.
	Append(ctx context.Context, events ...Event) error
	// List returns events oldest first. Whoever follows Next sees every event
	// exactly once, those included whose transaction committed late; a page
	// that is not full still has a Next to go on from, and "" only where there
	// never was an event. A scope of one member holds the events of the
	// entities that member may read.
	List(ctx context.Context, s identity.Scope, f Filter, p page.Request) (page.Of[Event], error)
}
