// Package event defines the event log (domain D3).
package event

import (
	"context"
	"slices"
	"time"

	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// Type is the type of an event, in the form `subject.verb`.
type Type string

// The types. Later releases may add more.
const (
	DocumentReceived     Type = "document.received"
	DocumentExtracted    Type = "document.extracted"
	DocumentFailed       Type = "document.failed"
	DocumentNotAnInvoice Type = "document.not_an_invoice"
	DocumentSplit        Type = "document.split"
	DocumentHeld         Type = "document.held"
	DocumentDeleted      Type = "document.deleted"
	// DocumentMoved: it has another entity. Both entities have the event.
	DocumentMoved   Type = "document.moved"
	DocumentChanged Type = "document.changed" // its external id, or a request of its extraction

	InvoiceExtracted          Type = "invoice.extracted"
	InvoiceNeedsReview        Type = "invoice.needs_review"
	InvoiceCorrected          Type = "invoice.corrected"
	InvoiceApproved           Type = "invoice.approved"
	InvoiceApprovalWithdrawn  Type = "invoice.approval_withdrawn"
	InvoiceRejected           Type = "invoice.rejected"
	InvoiceReopened           Type = "invoice.reopened"
	InvoiceAssigned           Type = "invoice.assigned"
	InvoiceNoteAdded          Type = "invoice.note_added"
	InvoiceDuplicateFound     Type = "invoice.duplicate_found"
	InvoiceDuplicateDismissed Type = "invoice.duplicate_dismissed"
	InvoiceRechecked          Type = "invoice.rechecked" // a check was evaluated again, because another invoice changed
	InvoiceSyncQueued         Type = "invoice.sync_queued"
	InvoiceSynced             Type = "invoice.synced"
	InvoiceSyncFailed         Type = "invoice.sync_failed"

	EntityCreated   Type = "entity.created"
	EntityChanged   Type = "entity.changed"
	SettingsChanged Type = "settings.changed"
	MemberAdded     Type = "member.added"
	MemberChanged   Type = "member.changed"
	MemberRemoved   Type = "member.removed"
	// MemberSessionEnded: a superseded token was refreshed, so its session ended.
	MemberSessionEnded Type = "member.session_ended"

	// OrganizationDeactivated: the identity provider deleted the organization.
	OrganizationDeactivated Type = "organization.deactivated"
	// OrganizationReactivated: the identity provider has the organization again.
	OrganizationReactivated Type = "organization.reactivated"

	SupplierCreated        Type = "supplier.created"
	SupplierChanged        Type = "supplier.changed"
	SupplierBankAccountNew Type = "supplier.bank_account_new"
	SupplierMerged         Type = "supplier.merged"

	IntegrationSetUp        Type = "integration.set_up"
	IntegrationActivated    Type = "integration.activated"
	IntegrationError        Type = "integration.error"
	IntegrationHealed       Type = "integration.healed"
	IntegrationDisconnected Type = "integration.disconnected"
	// IntegrationLinkCreated: a link was made with which another person can consent.
	IntegrationLinkCreated Type = "integration.link_created"

	APIKeyCreated  Type = "api_key.created"
	APIKeyRevoked  Type = "api_key.revoked"
	APIKeyExpiring Type = "api_key.expiring"

	WebhookCreated       Type = "webhook.created"
	WebhookChanged       Type = "webhook.changed"
	WebhookSecretRotated Type = "webhook.secret_rotated"
	WebhookDisabled      Type = "webhook.disabled" // by failures
	WebhookDeleted       Type = "webhook.deleted"
	// WebhookTest is the type of a sample. It is delivered and is not in the log.
	WebhookTest Type = "webhook.test"

	// BillingPlanChanged: docledger read another plan, or that the plan permits adding again or no
	// longer.
	BillingPlanChanged           Type = "billing.plan_changed"
	BillingLimitReached          Type = "billing.limit_reached"
	BillingChargePaid            Type = "billing.charge_paid"
	BillingChargeFailed          Type = "billing.charge_failed"
	BillingDoubleChargeSuspected Type = "billing.double_charge_suspected"
)

// SubjectType is the type of an event's subject.
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
	SubjectAPIKey       SubjectType = "api_key"
	SubjectWebhook      SubjectType = "webhook"
	SubjectSupplier     SubjectType = "supplier"
)

// Subject is what an event is about.
type Subject struct {
	Type    SubjectType
	ID      uuid.UUID
	Version int // after the change; 0 if the subject has no version
	// ExternalID is the id of a document or invoice in another program, for webhooks. The log
	// does not store it.
	ExternalID string
}

// Change is one changed value. From and To have the form that the API uses; "" means
// no value.
type Change struct{ Field, From, To string }

// Event is one event. It is written in the transaction of the change and is
// immutable. It refers to people only by id. Changes and Data contain values of the
// subject in the form that the API uses.
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

// By returns an event of an actor about a subject of an entity.
func By(a identity.Actor, t Type, entity uuid.UUID, s Subject) Event {
	return Event{
		Type: t, OrganizationID: a.OrganizationID, EntityID: entity, Subject: s,
		ActorType: a.Type, ActorID: a.UserID, ClientID: a.ClientID, RequestID: a.RequestID,
	}
}

// Moved returns the events of a document that was moved: one for readers of the former entity, then
// one for readers of the new one.
func Moved(a identity.Actor, from, to uuid.UUID, s Subject) []Event {
	events := []Event{By(a, DocumentMoved, from, s), By(a, DocumentMoved, to, s)}
	for i := range events {
		events[i].Changes = []Change{{Field: "entity_id", From: from.String(), To: to.String()}}
	}
	return events
}

// The fields of DocumentChanged that concern the extraction.
const (
	ForcedField    = "forced"    // the document is treated as an invoice regardless of its title
	RequestedField = "requested" // an assistant requested an extraction that was not requested before
)

// Requested returns the event of a document the extraction of which was requested, or none if nothing
// changed that is recorded. SYSTEM does not approve what an assistant selected, so its request is
// recorded, and that of others only if they forced it. forced and requested state whether the document
// was forced and its extraction requested before.
func Requested(a identity.Actor, entity uuid.UUID, s Subject, forced, forces, requested bool) []Event {
	e := By(a, DocumentChanged, entity, s)
	switch {
	case forces && !forced:
		e.Changes = []Change{{Field: ForcedField, From: "false", To: "true"}}
	case a.IsAssistant() && !requested:
		e.Changes = []Change{{Field: RequestedField, From: "false", To: "true"}}
	default:
		return nil
	}
	return []Event{e}
}

// Selects reports whether an event of a document is one by which its actor decides what SYSTEM
// approves. A change of its external id is not.
func (e Event) Selects() bool {
	return e.Type == DocumentReceived || e.Type == DocumentMoved || e.changes(ForcedField) || e.changes(RequestedField)
}

// Forces reports whether the event is that of a forced extraction.
func (e Event) Forces() bool { return e.changes(ForcedField) }

func (e Event) changes(field string) bool {
	return e.Type == DocumentChanged && slices.ContainsFunc(e.Changes, func(c Change) bool { return c.Field == field })
}

// Departed reports whether the event is the one for readers of the entity that a document left.
func (e Event) Departed() bool {
	return e.Type == DocumentMoved && len(e.Changes) > 0 && e.Changes[0].From == e.EntityID.String()
}

// Filter selects events. The zero value selects everything in the scope.
type Filter struct {
	Types       []Type
	EntityID    uuid.UUID
	SubjectIDs  []uuid.UUID
	ActorID     uuid.UUID
	ActorType   identity.ActorType // "": any
	CreatedFrom time.Time          // inclusive; zero: open
	CreatedTo   time.Time          // exclusive; zero: open
	// NewestFirst reverses the order. Such a list ends: its last page has no
	// Next. An event that is committed late can be missing in it.
	NewestFirst bool
}

// Log appends and reads events.
type Log interface {
	// Append stores events in the given order, within the caller's transaction. It
	// sets a missing id or time.
	Append(ctx context.Context, events ...Event) error
	// List returns events oldest first. A reader that follows Next sees every event
	// exactly once, including events of late commits. A page that is not full also
	// has a Next, and Next is "" only if there is no event at all. The scope of one
	// member contains the events of the entities that the member may read.
	List(ctx context.Context, s identity.Scope, f Filter, p page.Request) (page.Of[Event], error)
	// Find returns the event with the id, or a NotFound fault. It checks no rights
	// within the organization.
	Find(ctx context.Context, organization, id uuid.UUID) (*Event, error)
}
