package store

import (
	"context"
	"fmt"
	"time"

	"docledger/domain/attention"
	"docledger/domain/calendar"
	"docledger/domain/identity"
	"docledger/domain/integration"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// maxRecords limits the records that are listed one by one.
const maxRecords = 200

// Attention implements attention.Source.
type Attention struct{ s *Store }

// Attention returns what needs a person.
func (s *Store) Attention() Attention { return Attention{s} }

var _ attention.Source = Attention{}

// openInvoices is the condition of the partial indexes of migration 1092. Both databases use such an
// index only if a query repeats its condition literally.
const openInvoices = "r.status IN ('EXTRACTED', 'NEEDS_REVIEW')"

// attentionQuery selects the records of a cause, with r for the table's alias. Its index has only these
// records. SQLite, which has no statistics, would read all open invoices or all waiting documents instead.
type attentionQuery struct {
	table, index, where, order string
	values                     []any
}

func (s *Store) attentionQuery(cause attention.Cause, dueBy calendar.Date) attentionQuery {
	invoices := func(index, where string) attentionQuery {
		return attentionQuery{"invoices", index, where, "r.id", nil}
	}
	const byStatus = "invoices_newest_of_entity_by_status"
	contains := func(rule string) string {
		return containsRule(s.db, "r.failed_checks", rule)
	}
	switch cause {
	case attention.CauseSyncFailed:
		return invoices(byStatus, "r.status = 'SYNC_FAILED'")
	case attention.CauseNeedsReview:
		return invoices(byStatus, "r.status = 'NEEDS_REVIEW'")
	case attention.CauseExtracted:
		return invoices(byStatus, "r.status = 'EXTRACTED'")
	case attention.CauseDuplicate:
		return invoices("invoices_open_duplicates", openInvoices+" AND "+contains("not_a_duplicate"))
	case attention.CauseBankAccount:
		// Only an account that is new for a known supplier can be confirmed.
		known := "EXISTS (SELECT 1 FROM json_each(s.body, '$.accounts') AS a WHERE a.value->>'trusted' OR a.value->>'confirmed' IS NOT NULL)"
		if s.postgres {
			known = "EXISTS (SELECT 1 FROM jsonb_array_elements(s.body->'accounts') AS a(value) WHERE a.value->>'trusted' = 'true' OR a.value->'confirmed' IS NOT NULL)"
		}
		return invoices("invoices_open_new_accounts", openInvoices+" AND r.failed_blocking > 0 AND "+contains("bank_account_known")+
			" AND EXISTS (SELECT 1 FROM suppliers AS s WHERE s.id = r.supplier_id AND (s.last_invoice_id IS NOT NULL OR "+known+"))")
	case attention.CauseDue:
		return attentionQuery{"invoices", "invoices_open_by_due_date", openInvoices + " AND r.due_date IS NOT NULL AND r.due_date <= ?", "r.due_date, r.id", []any{day(dueBy)}}
	case attention.CauseDocumentFailed:
		return attentionQuery{"documents", "documents_newest_of_entity_by_status", "r.status = 'FAILED'", "r.id", nil}
	default: // attention.CauseDocumentHeld
		return attentionQuery{"documents", "documents_held", "r.status = 'UPLOADED' AND r.held_reason = 'plan_limit_reached'", "r.id", nil}
	}
}

// Count implements attention.Source. It reads at most MaxCount rows of each entity from an index.
func (r Attention) Count(ctx context.Context, scope identity.Scope, entity uuid.UUID, cause attention.Cause, dueBy calendar.Date) ([]attention.Count, error) {
	query := r.s.attentionQuery(cause, dueBy)
	db := r.s.handle(ctx)
	table := query.table + " AS r"
	if !r.s.postgres {
		table += " INDEXED BY " + query.index
	}
	rows := func() *gorm.DB {
		return r.s.db.Table(table).Where("r.entity_id = e.id AND "+query.where, query.values...)
	}
	count := r.s.db.Table("(?) AS c", rows().Select("1").Limit(attention.MaxCount)).Select("count(*)")
	first := rows().Select("r.id").Order(query.order).Limit(1)
	each := visible(db.Table("entities AS e"), "e", scope).Where("NOT e.archived").Select("e.id AS entity_id, (?) AS number, (?) AS first", count, first)
	if entity != uuid.Nil {
		each = each.Where("e.id = ?", entity)
	}
	var found []struct {
		EntityID uuid.UUID
		Number   int
		First    uuid.UUID
	}
	if err := db.Table("(?) AS x", each).Where("x.first IS NOT NULL").Order("x.entity_id").Find(&found).Error; err != nil {
		return nil, failed("count what needs a person", err)
	}
	ids := make([]uuid.UUID, len(found))
	for i, row := range found {
		ids[i] = row.First
	}
	at, err := r.created(ctx, query.table, ids)
	if err != nil {
		return nil, err
	}
	out := make([]attention.Count, 0, len(found))
	for _, row := range found {
		if _, exists := at[row.First]; !exists {
			continue // it was deleted after it was counted
		}
		c := attention.Count{EntityID: row.EntityID, Cause: cause, Number: row.Number, FirstID: row.First, FirstAt: at[row.First].at}
		if cause == attention.CauseBankAccount {
			c.SupplierID = at[row.First].supplier
		}
		out = append(out, c)
	}
	return out, nil
}

type createdRecord struct {
	at       time.Time
	supplier uuid.UUID
}

// created returns when the records were created, and the suppliers of invoices.
func (r Attention) created(ctx context.Context, table string, ids []uuid.UUID) (map[uuid.UUID]createdRecord, error) {
	out := make(map[uuid.UUID]createdRecord, len(ids))
	columns := "id, created_at"
	if table == "invoices" {
		columns += ", supplier_id"
	}
	for len(ids) > 0 {
		part := ids[:min(batch, len(ids))]
		ids = ids[len(part):]
		var rows []struct {
			ID         uuid.UUID
			CreatedAt  time.Time
			SupplierID *uuid.UUID
		}
		if err := r.s.handle(ctx).Table(table).Select(columns).Where("id IN ?", part).Find(&rows).Error; err != nil {
			return nil, failed("read what needs a person", err)
		}
		for _, row := range rows {
			out[row.ID] = createdRecord{instant(row.CreatedAt), fromOptionalID(row.SupplierID)}
		}
	}
	return out, nil
}

// FailedIntegrations implements attention.Source.
func (r Attention) FailedIntegrations(ctx context.Context, scope identity.Scope, entity uuid.UUID) ([]attention.Record, error) {
	return r.integrations(ctx, scope, entity, integration.Failed)
}

// PendingIntegrations implements attention.Source.
func (r Attention) PendingIntegrations(ctx context.Context, scope identity.Scope, entity uuid.UUID) ([]attention.Record, error) {
	return r.integrations(ctx, scope, entity, integration.Pending)
}

func (r Attention) integrations(ctx context.Context, scope identity.Scope, entity uuid.UUID, status integration.Status) ([]attention.Record, error) {
	var rows []integrationRow
	q := r.ofEntities(ctx, r.s.handle(ctx).Model(&integrationRow{}), scope, entity).Where("integrations.status = ?", status)
	if err := q.Order("integrations.id").Limit(maxRecords).Find(&rows).Error; err != nil {
		return nil, failed("read integrations that need a person", err)
	}
	return mapped(rows, func(row integrationRow) attention.Record {
		return attention.Record{ID: row.ID, EntityID: row.EntityID, Name: string(row.Provider), Reason: row.Reason.Text(), At: instant(row.UpdatedAt)}
	}), nil
}

// ofEntities limits a query of integrations to those of the entity, or of all entities in use.
func (r Attention) ofEntities(ctx context.Context, q *gorm.DB, scope identity.Scope, entity uuid.UUID) *gorm.DB {
	q = r.s.within(q, "integrations", scope)
	if entity != uuid.Nil {
		q = q.Where("integrations.entity_id = ?", entity)
	}
	archived := r.s.handle(ctx).Table("entities AS a").Select("1").Where("a.id = integrations.entity_id AND a.archived")
	return q.Where("NOT EXISTS (?)", archived)
}

// LateWatches implements attention.Source.
func (r Attention) LateWatches(ctx context.Context, scope identity.Scope, entity uuid.UUID, since time.Time) ([]attention.Record, error) {
	var rows []struct {
		ID        uuid.UUID
		EntityID  uuid.UUID
		Provider  string
		UpdatedAt time.Time
		Body      jsonOf[watchJSON]
	}
	q := r.ofEntities(ctx, r.s.handle(ctx).Table("integrations"), scope, entity).
		Joins("JOIN watches AS w ON w.integration_id = integrations.id").
		Where("integrations.status = ?", integration.Active)
	if err := q.Select("integrations.id, integrations.entity_id, integrations.provider, integrations.updated_at, w.body").Order("integrations.id").Find(&rows).Error; err != nil {
		return nil, failed("read watches that need a person", err)
	}
	var late []attention.Record
	for _, row := range rows {
		upToDate := row.Body.V.UpToDateAt
		if upToDate.IsZero() {
			upToDate = row.UpdatedAt
		}
		if row.Body.V.Pause == "" && upToDate.Before(since) && len(late) < maxRecords {
			late = append(late, attention.Record{ID: row.ID, EntityID: row.EntityID, Name: row.Provider, At: instant(upToDate)})
		}
	}
	return late, nil
}

// DisabledWebhooks implements attention.Source.
func (r Attention) DisabledWebhooks(ctx context.Context, organization uuid.UUID) ([]attention.Record, error) {
	return r.ofOrganization(ctx, "webhooks", "disabled_at", "NOT enabled AND disabled_at IS NOT NULL", organization)
}

// ExpiringKeys implements attention.Source.
func (r Attention) ExpiringKeys(ctx context.Context, organization uuid.UUID, from, until time.Time) ([]attention.Record, error) {
	return r.ofOrganization(ctx, "api_keys", "expires_at", "revoked_at IS NULL AND expires_at > ? AND expires_at <= ?", organization, instant(from), instant(until))
}

func (r Attention) ofOrganization(ctx context.Context, table, at, where string, organization uuid.UUID, values ...any) ([]attention.Record, error) {
	var rows []struct {
		ID         uuid.UUID
		Name       string
		DisabledAt time.Time
		ExpiresAt  time.Time
	}
	columns := "id, " + at
	if table == "api_keys" {
		columns += ", name"
	}
	q := r.s.handle(ctx).Table(table).Select(columns).Where("organization_id = ?", organization).Where(where, values...)
	if err := q.Order("id").Limit(maxRecords).Find(&rows).Error; err != nil {
		return nil, failed(fmt.Sprintf("read %s that need a person", table), err)
	}
	out := make([]attention.Record, len(rows))
	for i, row := range rows {
		out[i] = attention.Record{ID: row.ID, Name: row.Name, At: instant(row.DisabledAt)}
		if table == "api_keys" {
			out[i].At = instant(row.ExpiresAt)
		}
	}
	return out, nil
}
