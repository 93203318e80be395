// Package attention lists what needs a person (domain D28).
package attention

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"docledger/domain/attention"
	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/page"
	"docledger/usecase"

	"github.com/google/uuid"
)

// MaxItems limits the length of the list. The most severe items are kept.
const MaxItems = 500

// Alert is an alert about the plan. URL is the page of the payment processor that resolves it, or "".
type Alert struct {
	Code    attention.Code
	Blocks  bool // work stops until a person acts
	Message string
	URL     string
}

// Service lists what needs a person.
type Service struct {
	Entities entity.Reader
	Source   attention.Source
	// Alerts returns the alerts about the caller's plan. A failure leaves them out: the list is
	// also needed while the payment processor is unavailable.
	Alerts func(context.Context, identity.Actor) ([]Alert, error)
	Clock  usecase.Clock
	Log    *slog.Logger
}

// List returns what the caller can do something about, BLOCKING items first. entity limits the list
// to one entity, unless it is zero.
func (s *Service) List(ctx context.Context, a identity.Actor, entity uuid.UUID) ([]attention.Item, error) {
	names, roles, err := s.entities(ctx, a, entity)
	if err != nil {
		return nil, err
	}
	l := &list{names: names}
	for _, cause := range attention.Causes() {
		if err := s.count(ctx, a, entity, cause, roles, l); err != nil {
			return nil, err
		}
	}
	if a.IsAdmin() {
		if err := s.admin(ctx, a, entity, l); err != nil {
			return nil, err
		}
	}
	codes := attention.Codes()
	slices.SortStableFunc(l.items, func(x, y attention.Item) int {
		if x.Severity != y.Severity {
			if x.Severity == invoice.Blocking {
				return -1
			}
			return 1
		}
		if order := slices.Index(codes, x.Code) - slices.Index(codes, y.Code); order != 0 {
			return order
		}
		return x.OldestAt.Compare(y.OldestAt)
	})
	return l.items[:min(len(l.items), MaxItems)], nil
}

// entities returns the names of the entities that the caller may see, and the caller's roles.
func (s *Service) entities(ctx context.Context, a identity.Actor, one uuid.UUID) (map[uuid.UUID]string, map[uuid.UUID]identity.EntityRole, error) {
	names, roles := map[uuid.UUID]string{}, map[uuid.UUID]identity.EntityRole{}
	if one != uuid.Nil {
		e, err := s.Entities.Get(ctx, a.Scope(), one)
		if err != nil {
			return nil, nil, err
		}
		names[e.ID], roles[e.ID] = e.Name, e.RoleOf(a)
		return names, roles, nil
	}
	next := page.Request{Limit: page.MaxLimit}
	for {
		found, err := s.Entities.List(ctx, a.Scope(), entity.Filter{}, next)
		if err != nil {
			return nil, nil, fmt.Errorf("list entities: %w", err)
		}
		for _, e := range found.Items {
			names[e.ID], roles[e.ID] = e.Name, e.RoleOf(a)
		}
		if found.Next == "" {
			return names, roles, nil
		}
		next.After = found.Next
	}
}

// kind describes the items of a cause.
type kind struct {
	code       attention.Code
	severity   invoice.Severity
	permission identity.Permission
	action     attention.Action
	one, many  string // the message for one record and for several; %s is the number and the entity
}

var kinds = map[attention.Cause]kind{
	attention.CauseSyncFailed: {
		attention.SyncFailed, invoice.Blocking, identity.Sync, attention.RetrySync,
		"An invoice of %s was not created in the ledger.", "%s invoices of %s were not created in the ledger.",
	},
	attention.CauseDocumentFailed: {
		attention.DocumentFailed, invoice.Blocking, identity.Extract, attention.OpenDocument,
		"A document of %s could not be extracted.", "%s documents of %s could not be extracted.",
	},
	attention.CauseDocumentHeld: {
		attention.DocumentsHeld, invoice.Blocking, identity.Admin, attention.ChangePlan,
		"A document of %s waits, because the plan limit is reached.", "%s documents of %s wait, because the plan limit is reached.",
	},
	attention.CauseNeedsReview: {
		attention.ReviewWaiting, invoice.Warning, identity.Correct, attention.Review,
		"An invoice of %s needs review.", "%s invoices of %s need review.",
	},
	attention.CauseExtracted: {
		attention.ReviewWaiting, invoice.Warning, identity.Approve, attention.Approve,
		"An invoice of %s waits for approval.", "%s invoices of %s wait for approval.",
	},
	attention.CauseDuplicate: {
		attention.DuplicateSuspected, invoice.Warning, identity.Reject, attention.CompareDuplicates,
		"An invoice of %s may be a duplicate.", "%s invoices of %s may be duplicates.",
	},
	attention.CauseBankAccount: {
		attention.BankAccountNew, invoice.Blocking, identity.ConfirmBankAccount, attention.ConfirmAccount,
		"An invoice of %s states a bank account that is new for its supplier.", "%s invoices of %s state a bank account that is new for their supplier.",
	},
	attention.CauseDue: {
		attention.DueSoon, invoice.Warning, identity.Approve, attention.Approve,
		"An invoice of %s is due within 7 days or overdue, and is not approved.", "%s invoices of %s are due within 7 days or overdue, and are not approved.",
	},
}

func (s *Service) count(ctx context.Context, a identity.Actor, one uuid.UUID, cause attention.Cause, roles map[uuid.UUID]identity.EntityRole, l *list) error {
	k := kinds[cause]
	may := func(id uuid.UUID) bool { return a.Require(k.permission, roles[id]) == nil }
	if !slices.ContainsFunc(ids(roles), may) {
		return nil
	}
	due := calendar.Of(s.Clock.Now().UTC()).AddDays(attention.DueDays)
	counts, err := s.Source.Count(ctx, a.Scope(), one, cause, due)
	if err != nil {
		return err
	}
	for _, c := range counts {
		if may(c.EntityID) {
			l.add(k, c, due)
		}
	}
	return nil
}

func ids(roles map[uuid.UUID]identity.EntityRole) []uuid.UUID {
	out := make([]uuid.UUID, 0, len(roles))
	for id := range roles {
		out = append(out, id)
	}
	return out
}

type list struct {
	names map[uuid.UUID]string
	items []attention.Item
}

func (l *list) add(k kind, c attention.Count, due calendar.Date) {
	name := l.names[c.EntityID]
	item := attention.Item{
		Code: k.code, Severity: k.severity, EntityID: c.EntityID, Count: c.Number, OldestAt: c.FirstAt, Action: k.action,
		Path: pageOf(c, due), Message: fmt.Sprintf(k.one, name),
	}
	switch {
	case c.Number >= attention.MaxCount:
		item.Message = fmt.Sprintf(k.many, fmt.Sprintf("At least %d", c.Number), name)
	case c.Number > 1:
		item.Message = fmt.Sprintf(k.many, fmt.Sprint(c.Number), name)
	}
	if c.Number == 1 && c.Cause != attention.CauseDocumentHeld {
		item.Subject = &attention.Subject{Type: string(subjectOf(c.Cause)), ID: c.FirstID}
	}
	l.items = append(l.items, item)
}

func subjectOf(cause attention.Cause) event.SubjectType {
	if cause == attention.CauseDocumentFailed || cause == attention.CauseDocumentHeld {
		return event.SubjectDocument
	}
	return event.SubjectInvoice
}

// pageOf returns the page of the only record, or the list that contains all of them.
func pageOf(c attention.Count, due calendar.Date) string {
	of := url.Values{"entity": {c.EntityID.String()}}
	switch c.Cause {
	case attention.CauseDocumentHeld:
		return "/billing"
	case attention.CauseBankAccount:
		if c.Number == 1 {
			return "/suppliers/" + c.SupplierID.String()
		}
		of.Set("tab", "all")
	case attention.CauseDuplicate:
		of.Set("tab", "all")
	case attention.CauseDocumentFailed:
		if c.Number == 1 {
			return "/documents/" + c.FirstID.String()
		}
		of.Set("status", string(document.Failed))
		return "/documents?" + of.Encode()
	case attention.CauseSyncFailed:
		of.Set("tab", "failed")
	case attention.CauseExtracted:
		of.Set("tab", "ready")
	case attention.CauseDue:
		of.Set("tab", "all")
		of.Set("due_to", due.String())
	}
	if c.Number == 1 {
		return "/invoices/" + c.FirstID.String()
	}
	return "/inbox?" + of.Encode()
}

// admin adds what only an administrator can do something about.
func (s *Service) admin(ctx context.Context, a identity.Actor, one uuid.UUID, l *list) error {
	now := s.Clock.Now()
	add := func(code attention.Code, severity invoice.Severity, action attention.Action, subject event.SubjectType, records []attention.Record, path, message func(attention.Record) string) {
		for _, r := range records {
			l.items = append(l.items, attention.Item{
				Code: code, Severity: severity, EntityID: r.EntityID, Count: 1, OldestAt: r.At, Action: action, Path: path(r), Message: message(r),
				Subject: &attention.Subject{Type: string(subject), ID: r.ID},
			})
		}
	}
	of := func(r attention.Record) string { return r.Name + " of " + l.names[r.EntityID] }
	integrationPage := func(r attention.Record) string { return "/integrations/" + r.ID.String() }
	broken, err := s.Source.FailedIntegrations(ctx, a.Scope(), one)
	if err != nil {
		return err
	}
	add(attention.IntegrationError, invoice.Blocking, attention.Reconnect, event.SubjectIntegration, broken, integrationPage,
		func(r attention.Record) string { return "The connection " + of(r) + " does not work. " + r.Reason })
	pending, err := s.Source.PendingIntegrations(ctx, a.Scope(), one)
	if err != nil {
		return err
	}
	add(attention.IntegrationPending, invoice.Warning, attention.FinishSetup, event.SubjectIntegration, pending, integrationPage,
		func(r attention.Record) string { return "The connection " + of(r) + " is not complete. " + r.Reason })
	late, err := s.Source.LateWatches(ctx, a.Scope(), one, now.Add(-attention.LateAfter))
	if err != nil {
		return err
	}
	add(attention.WatcherLate, invoice.Warning, attention.CheckWatch, event.SubjectIntegration, late, integrationPage,
		func(r attention.Record) string {
			return "Files of the connection " + of(r) + " have waited for more than an hour."
		})
	if one != uuid.Nil {
		return nil // the others belong to the organization
	}
	disabled, err := s.Source.DisabledWebhooks(ctx, a.OrganizationID)
	if err != nil {
		return err
	}
	add(attention.WebhookDisabled, invoice.Blocking, attention.EnableWebhook, event.SubjectWebhook, disabled,
		func(r attention.Record) string { return "/webhooks/" + r.ID.String() },
		func(attention.Record) string {
			return "A webhook was disabled, because its deliveries failed. Enable it when its receiver works."
		})
	keys, err := s.Source.ExpiringKeys(ctx, a.OrganizationID, now, now.Add(identity.KeyExpiryNotice))
	if err != nil {
		return err
	}
	add(attention.APIKeyExpiring, invoice.Warning, attention.ReplaceKey, event.SubjectAPIKey, keys,
		func(attention.Record) string { return "/api-keys" },
		func(r attention.Record) string {
			return fmt.Sprintf("The API key %s expires on %s. Create another one in time.", r.Name, r.At.UTC().Format(time.DateOnly))
		})
	for i := range l.items {
		if l.items[i].Code == attention.APIKeyExpiring {
			l.items[i].OldestAt = l.items[i].OldestAt.Add(-identity.KeyExpiryNotice)
		}
	}
	s.alerts(ctx, a, l)
	return nil
}

func (s *Service) alerts(ctx context.Context, a identity.Actor, l *list) {
	if s.Alerts == nil {
		return
	}
	alerts, err := s.Alerts(ctx, a)
	if err != nil {
		s.Log.WarnContext(ctx, "attention without the alerts of the plan", "organization", a.OrganizationID, "error", err)
		return
	}
	for _, alert := range alerts {
		item := attention.Item{Code: alert.Code, Severity: invoice.Warning, Count: 1, Message: alert.Message, Action: attention.ChangePlan, Path: "/billing", URL: alert.URL}
		if alert.Blocks {
			item.Severity = invoice.Blocking
		}
		if alert.URL != "" {
			item.Action = attention.Pay
		}
		l.items = append(l.items, item)
	}
}
