package store

import (
	"context"
	"slices"
	"strings"

	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

const (
	// fewRows is the number of invoices of a part up to which a list reads them at once.
	fewRows = 2500
	// mostRows is the number of invoices of a part up to which a list reads the part with the fewest, if the
	// first invoices of the order do not fill the page.
	mostRows = 50_000
)

// filterPart is a part of a filter of which an index has the invoices.
type filterPart struct {
	name  string
	index string   // the index of the organization that has its invoices; "" if it is that of an entity or has no other values
	ids   *gorm.DB // the ids of its invoices, each once, and maybe of other entities
	rows  *gorm.DB // at least as many rows, in the index alone
	// has is the condition that the part has the invoice p.id, if an index finds it; otherwise nil.
	has *gorm.DB
}

// parts returns the parts of the filter with an index. SQLite has no statistics, so each names its index.
func (l *invoiceList) parts() (found []filterPart) {
	from := func(table, index string) *gorm.DB {
		if !l.s.postgres {
			table += " INDEXED BY " + index
		}
		return l.s.db.Table(table)
	}
	f := l.filter
	add := func(name, index, ofEntity string, has bool, part invoice.Filter) {
		if !has {
			return
		}
		// The conditions are those of the index alone. The list compares the others.
		plain, ofAll, q := index, index, (*gorm.DB)(nil)
		if l.entity != uuid.Nil && ofEntity != "" {
			index, ofAll = ofEntity, ""
			q = from("invoices AS i", index).Where("i.entity_id = ?", l.entity)
		} else {
			q = from("invoices AS i", index).Where("i.organization_id = ?", l.scope.OrganizationID)
		}
		if l.entity != uuid.Nil && (name == "type" || name == "currency" || name == "failed_checks") {
			q = q.Where("i.entity_id = ?", l.entity)
		}
		q = l.s.narrowInvoices(q, "i", part)
		if name == "failed_checks" {
			q = l.withChecks(q, "i")
		}
		found = append(found, filterPart{name: name, index: ofAll, ids: q.Session(&gorm.Session{}).Select("i.id"), rows: q.Session(&gorm.Session{}).Select("1 AS one")})
		switch name {
		case "failed_checks":
			plain, part = "invoices_with_failed_checks", invoice.Filter{}
		case "type":
			plain = "invoices_newest_by_type" // it has the ids before the entities
		case "status", "currency", "supplier_id", "assigned_to", "duplicate":
		default:
			return
		}
		one := from("invoices AS s", plain).Select("1").Where("s.organization_id = ? AND s.id = p.id", l.scope.OrganizationID)
		if name == "failed_checks" {
			one = one.Where("s.failed_checks <> ''") // which checks is not in this index
		}
		found[len(found)-1].has = l.s.narrowInvoices(one, "s", part)
	}
	add("external_id", "invoices_with_external_id", "", len(f.ExternalIDs) > 0, invoice.Filter{ExternalIDs: f.ExternalIDs})
	add("duplicate", "invoices_with_duplicate", "invoices_of_entity_with_duplicate", f.HasDuplicate != nil && *f.HasDuplicate, invoice.Filter{HasDuplicate: f.HasDuplicate})
	add("assigned_to", "invoices_assigned", "", f.AssignedTo != uuid.Nil, invoice.Filter{AssignedTo: f.AssignedTo})
	add("supplier_id", "invoices_of_supplier", "", len(f.SupplierIDs) > 0, invoice.Filter{SupplierIDs: f.SupplierIDs})
	add("failed_checks", "invoices_by_failed_checks", "", len(f.FailedChecks) > 0, invoice.Filter{FailedChecks: f.FailedChecks})
	types := "invoices_newest_by_type"
	if onlyOtherTypes(f) {
		types = "invoices_of_other_types"
	}
	add("type", types, "", len(f.Types) > 0, invoice.Filter{Types: f.Types})
	add("currency", "invoices_newest_by_currency", "", len(f.Currencies) > 0, invoice.Filter{Currencies: f.Currencies})
	add("status", "invoices_newest_by_status", "invoices_newest_of_entity_by_status", len(f.Statuses) > 0, invoice.Filter{Statuses: f.Statuses})
	add("issue_date", "invoices_by_issue_date", "invoices_of_entity_by_issue_date", !f.IssueDateFrom.IsZero() || !f.IssueDateTo.IsZero(),
		invoice.Filter{IssueDateFrom: f.IssueDateFrom, IssueDateTo: f.IssueDateTo})
	add("due_date", "invoices_by_due_date", "invoices_of_entity_by_due_date", !f.DueDateFrom.IsZero() || !f.DueDateTo.IsZero(),
		invoice.Filter{DueDateFrom: f.DueDateFrom, DueDateTo: f.DueDateTo})
	add("created_at", "invoices_by_creation", "invoices_of_entity_by_creation", !f.CreatedFrom.IsZero() || !f.CreatedTo.IsZero(),
		invoice.Filter{CreatedFrom: f.CreatedFrom, CreatedTo: f.CreatedTo})
	add("updated_at", "invoices_by_update", "invoices_of_entity_by_update", !f.UpdatedSince.IsZero(), invoice.Filter{UpdatedSince: f.UpdatedSince})
	add("gross", "invoices_by_gross", "invoices_of_entity_by_gross", f.GrossMin != nil || f.GrossMax != nil, invoice.Filter{GrossMin: f.GrossMin, GrossMax: f.GrossMax})
	if len(f.SyncStates) > 0 {
		q := from("invoice_syncs AS b", "invoice_syncs_by_state").Where("b.organization_id = ? AND b.state IN ?", l.scope.OrganizationID, f.SyncStates)
		found = append(found, filterPart{
			name: "sync_state", ids: q.Session(&gorm.Session{}).Select("b.invoice_id AS id"), rows: q.Session(&gorm.Session{}).Select("1 AS one"),
			has: q.Session(&gorm.Session{}).Select("1").Where("b.invoice_id = p.id"),
		})
	}
	if statesExclude(f) {
		q := l.s.db.Table("invoice_sync_differences AS b").Where("b.organization_id = ?", l.scope.OrganizationID)
		found = append(found, filterPart{
			name: "sync_difference", ids: q.Session(&gorm.Session{}).Select("b.invoice_id AS id"), rows: q.Session(&gorm.Session{}).Select("1 AS one"),
		})
	}
	if len(f.Sources) > 0 {
		q := from("invoice_sources AS o", "invoice_sources_by_source").Where("o.organization_id = ? AND o.source IN ?", l.scope.OrganizationID, f.Sources)
		found = append(found, filterPart{
			name: "source", index: "invoice_sources_by_source", ids: q.Session(&gorm.Session{}).Select("o.invoice_id AS id"), rows: q.Session(&gorm.Session{}).Select("1 AS one"),
			has: q.Session(&gorm.Session{}).Select("1").Where("o.invoice_id = p.id"),
		})
	}
	if f.CreatedBy != uuid.Nil {
		q := from("documents AS d", "documents_by_uploader").Where("d.organization_id = ? AND d.created_by = ?", l.scope.OrganizationID, f.CreatedBy)
		found = append(found, filterPart{
			name: "created_by", rows: q.Session(&gorm.Session{}).Select("1 AS one"),
			ids: q.Session(&gorm.Session{}).Joins("CROSS JOIN invoices AS i").Where("i.document_id = d.id").Select("i.id"),
		})
	}
	if c, ok := l.s.searchedIDs(l.scope.OrganizationID, f.Query); ok && (l.isFar || !l.s.postgres) {
		// PostgreSQL finds all invoices of a search before the first of them, so it does only if they are not near.
		found = append(found, filterPart{
			name: "q", ids: l.s.db.Table("(?) AS q", l.s.db.Raw(c.sql, c.values...)).Select("DISTINCT q.invoice_id AS id"),
			rows: l.s.db.Table("(?) AS q", l.s.db.Raw(c.sql, c.values...)).Select("1 AS one"),
		})
	}
	return found
}

// fewest returns the part with the fewest invoices and their number; nil if each has more than most.
func (l *invoiceList) fewest(db *gorm.DB, most int) (least *filterPart, n int, err error) {
	return l.fewestOf(db, l.parts(), most)
}

func (l *invoiceList) fewestOf(db *gorm.DB, parts []filterPart, most int) (least *filterPart, n int, err error) {
	n = most + 1
	for _, p := range parts {
		var rows int64
		if err := db.Table("(?) AS p", p.rows.Limit(n)).Count(&rows).Error; err != nil {
			return nil, 0, err
		}
		if int(rows) < n {
			least, n = &p, int(rows)
		}
		if n == 0 {
			break
		}
	}
	return least, n, nil
}

// of selects the ids of the page among the invoices of a part of the filter. The indexes of other parts
// exclude invoices before these are read.
func (l *invoiceList) of(p *filterPart) *gorm.DB {
	invoices := l.s.invoicesByID("p.id")
	if l.s.postgres {
		invoices = "CROSS JOIN LATERAL (SELECT * FROM invoices AS i WHERE i.id = p.id OFFSET 0) AS invoices"
	}
	ids := l.s.db.Table("(?) AS p", p.ids.Limit(mostRows)).Select("p.id")
	for _, other := range l.parts() {
		if other.name != p.name && other.has != nil {
			ids = ids.Where("EXISTS (?)", other.has)
		}
	}
	q := l.s.db.Table("(?) AS p", ids.Limit(mostRows)).Joins(invoices).Where("invoices.organization_id = ?", l.scope.OrganizationID)
	if l.entity != uuid.Nil {
		q = q.Where("invoices.entity_id = ?", l.entity)
	}
	return l.pageOf(q)
}

const (
	// sampleRows is the number of newest and of oldest invoices that tell whether a search is common, and commonShare the
	// share of them that a common search has: one of so many.
	sampleRows, commonShare = 500, 10
)

// rarelySearched is searchedIDs with the number of its rows, if the search is not common and the index has at most so many
// rows of it. An invoice from the index takes about ten times as long as the comparison of one with the search.
func (s *Store) rarelySearched(ctx context.Context, organization uuid.UUID, query string, most int) (c condition, rows int, ok bool, err error) {
	return s.rarelyFound(ctx, organization, query, most, true)
}

// rarelyFound is rarelySearched of all texts, or of those without the name of the seller.
func (s *Store) rarelyFound(ctx context.Context, organization uuid.UUID, query string, most int, sellers bool) (c condition, rows int, ok bool, err error) {
	if c, ok = s.searchedTexts(organization, query, sellers); !ok {
		return c, 0, false, nil
	}
	common, err := s.commonlyFound(ctx, organization, query, sellers)
	if err != nil || common {
		return c, 0, false, err
	}
	var n int64
	ids := s.db.Table("(?) AS q", s.db.Raw(c.sql, c.values...)).Select("1 AS one").Limit(most + 1)
	err = s.handle(ctx).Table("(?) AS p", ids).Count(&n).Error
	return c, int(n), err == nil && n <= int64(most), failed("count the invoices of a search", err)
}

// commonlyFound reports whether many invoices match a search, by any text or by one other than the name of the seller. To
// find the invoices of a common search takes longer than to compare all. Numbers can make a search common among the newest
// or the oldest invoices alone.
func (s *Store) commonlyFound(ctx context.Context, organization uuid.UUID, query string, sellers bool) (bool, error) {
	text := folded(query)
	for _, order := range []string{"invoices.id DESC", "invoices.id"} {
		sample := s.db.Table("invoices").Where("invoices.organization_id = ?", organization).Order(order).Limit(sampleRows)
		found := searchInvoices(s.handle(ctx).Table("(?) AS invoices", sample.Select("invoices.*")), "invoices", query)
		var rows []struct{ Search, SearchFile string }
		if err := found.Select("invoices.search, invoices.search_file").Find(&rows).Error; err != nil {
			return false, failed("look for a search among a part of the invoices", err)
		}
		n := 0
		for _, row := range rows {
			values := strings.Split(row.Search, "\n")
			if sellers || slices.ContainsFunc(append(slices.Delete(values, min(1, len(values)), min(2, len(values))), row.SearchFile), func(value string) bool { return strings.Contains(value, text) }) {
				n++
			}
		}
		if n < sampleRows/commonShare {
			return false, nil
		}
	}
	return true, nil
}
