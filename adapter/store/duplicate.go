package store

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"docledger/domain/duplicate"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Duplicates implements duplicate.Repository. Its queries cover one organization, across entities.
type Duplicates struct{ s *Store }

// duplicateKeysRow is what the search for duplicates compares of one invoice.
type duplicateKeysRow struct {
	InvoiceID      uuid.UUID `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	EntityID       uuid.UUID
	Bytes          string
	Type           invoice.Type
	Number         string
	NumberKey      string
	IssueDate      *day
	Gross          *number
	GrossFixed     *int64
	Currency       string
	TaxID          string
	TaxKey         string
	Country        string
	IBAN           string `gorm:"column:iban"`
	Name           string
	NameKey        string
	Structured     bool
	Inexact        bool
}

// TableName implements gorm's tabler.
func (duplicateKeysRow) TableName() string { return "invoice_duplicate_keys" }

type duplicateRow struct {
	InvoiceID      uuid.UUID `gorm:"primaryKey"`
	OtherID        uuid.UUID `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	Rule           invoice.DuplicateRule
	FoundAt        time.Time
	DismissedBy    *uuid.UUID
	DismissedAt    *time.Time
	Reason         string
}

// TableName implements gorm's tabler.
func (duplicateRow) TableName() string { return "invoice_duplicates" }

func toDuplicateKeysRow(organization uuid.UUID, r duplicate.Record) duplicateKeysRow {
	k := r.Keys()
	return duplicateKeysRow{
		InvoiceID: r.InvoiceID, OrganizationID: organization, EntityID: r.EntityID, Bytes: r.Bytes,
		Type: r.Type, Number: clean(r.Number), NumberKey: shortKey(k.Number), IssueDate: optionalDay(r.IssueDate),
		Gross: (*number)(r.Gross), GrossFixed: fixed(r.Gross), Currency: clean(r.Currency),
		TaxID: clean(r.TaxID), TaxKey: shortKey(k.TaxID), Country: clean(r.Country), IBAN: shortKey(k.IBAN),
		Name: clean(r.Name), NameKey: shortKey(k.Name), Structured: r.Structured, Inexact: r.Inexact,
	}
}

// shortKey bounds what an index holds. Longer texts are compared after the lookup.
func shortKey(s string) string {
	const longest = 200
	return clean(s[:min(len(s), longest)])
}

func (r duplicateKeysRow) fromRow() duplicate.Record {
	return duplicate.Record{
		InvoiceID: r.InvoiceID, EntityID: r.EntityID, Bytes: r.Bytes, Type: r.Type, Number: r.Number,
		IssueDate: fromOptionalDay(r.IssueDate), Gross: (*money.Decimal)(r.Gross), Currency: r.Currency,
		TaxID: r.TaxID, Country: r.Country, IBAN: r.IBAN, Name: r.Name, Structured: r.Structured, Inexact: r.Inexact,
	}
}

// index stores the keys of an invoice. Its bytes are known or already stored.
func (r Duplicates) index(ctx context.Context, inv *invoice.Invoice, bytes string) error {
	row := toDuplicateKeysRow(inv.OrganizationID, duplicate.Of(inv, bytes))
	columns := []string{
		"entity_id", "type", "number", "number_key", "issue_date", "gross", "gross_fixed", "currency",
		"tax_id", "tax_key", "country", "iban", "name", "name_key", "structured", "inexact",
	}
	if bytes != "" {
		columns = append(columns, "bytes")
	}
	return failed("store what duplicates are found by", r.s.handle(ctx).Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "invoice_id"}}, DoUpdates: clause.AssignmentColumns(columns),
	}).Create(&row).Error)
}

// Lock implements duplicate.Repository. SQLite has one writer, which the transaction already is.
func (r Duplicates) Lock(ctx context.Context, organization uuid.UUID) error {
	if !r.s.postgres {
		return nil
	}
	name := "docledger duplicates " + organization.String()
	_, err := r.s.execute(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", []any{name})
	return failed("wait for the search for duplicates", err)
}

// InTurn implements duplicate.Repository and usecase.OrganizationLock. A transaction that has begun
// takes no turn, because it has a connection, and normally the lock.
func (r Duplicates) InTurn(ctx context.Context, organization uuid.UUID, fn func(ctx context.Context) error) error {
	if !r.s.inTx(ctx) {
		done, err := r.s.turns.Take(ctx, organization)
		if err != nil {
			return err
		}
		defer done()
	}
	return r.s.InTx(ctx, func(ctx context.Context) error {
		if err := r.Lock(ctx, organization); err != nil {
			return err
		}
		return fn(ctx)
	})
}

// Bytes implements duplicate.Repository.
func (r Duplicates) Bytes(ctx context.Context, organization, invoiceID uuid.UUID) (string, error) {
	var document struct {
		Sha256 string
		Part   int
	}
	err := r.s.handle(ctx).Table("documents AS d").Select("d.sha256, d.part").Joins("JOIN invoices AS i ON i.document_id = d.id").
		Where("i.id = ? AND i.organization_id = ?", invoiceID, organization).Take(&document).Error
	return duplicate.BytesKey(document.Sha256, document.Part), found("document", err)
}

// maxCandidates bounds the records that one lookup returns.
const maxCandidates = 200

// keysColumns are the columns of duplicateKeysRow. They are named, because the plan of a statement with all
// columns ends when a later release adds one.
const keysColumns = "k.invoice_id, k.organization_id, k.entity_id, k.bytes, k.type, k.number, k.number_key, k.issue_date, k.gross, k.gross_fixed, " +
	"k.currency, k.tax_id, k.tax_key, k.country, k.iban, k.name, k.name_key, k.structured, k.inexact"

// candidateRow is a record with the index of the search that found it.
type candidateRow struct {
	Keys   duplicateKeysRow `gorm:"embedded"`
	Search int
}

// candidateSearch is a search for records by an index.
type candidateSearch struct {
	condition string
	values    []any
}

// Candidates implements duplicate.Repository.
func (r Duplicates) Candidates(ctx context.Context, organization uuid.UUID, record duplicate.Record) ([]duplicate.Record, error) {
	k := toDuplicateKeysRow(organization, record)
	var searches []candidateSearch
	if k.Bytes != "" {
		searches = append(searches, candidateSearch{"k.bytes = ?", []any{k.Bytes}})
	}
	supplier, values := supplierCondition(k)
	if k.NumberKey != "" {
		searches = append(searches, candidateSearch{"k.number_key = ? AND (" + supplier + ")", append([]any{k.NumberKey}, values...)})
	}
	const sameTotal = "k.issue_date = ? AND k.gross_fixed = ?"
	byTotal := k.GrossFixed != nil && k.IssueDate != nil
	if byTotal {
		searches = append(searches, candidateSearch{sameTotal, []any{k.IssueDate, k.GrossFixed}})
	}
	found, err := r.search(ctx, organization, record.InvoiceID, searches)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if byTotal {
		// Those of any supplier include one of which every value was misread. Those of the supplier come
		// first.
		last := len(found) - 1
		all := found[last]
		own := slices.DeleteFunc(slices.Clone(all), func(row duplicateKeysRow) bool { return !row.sameSupplier(k) })
		if len(all) == maxCandidates {
			of, err := r.search(ctx, organization, record.InvoiceID, []candidateSearch{
				{sameTotal + " AND (" + supplier + ")", append([]any{k.IssueDate, k.GrossFixed}, values...)},
			})
			if err != nil {
				return nil, err
			}
			own = of[0]
		}
		found = slices.Insert(found, last, own)
	}
	var out []duplicate.Record
	for _, row := range slices.Concat(found...) {
		if !slices.ContainsFunc(out, func(c duplicate.Record) bool { return c.InvoiceID == row.InvoiceID }) {
			out = append(out, row.fromRow())
		}
	}
	return out, nil
}

// search returns the newest records that each search finds, except REJECTED invoices and the given one, with one
// statement for all searches.
func (r Duplicates) search(ctx context.Context, organization, except uuid.UUID, searches []candidateSearch) ([][]duplicateKeysRow, error) {
	if len(searches) == 0 {
		return nil, nil
	}
	var texts []string
	var values []any
	for i, s := range searches {
		texts = append(texts, "SELECT * FROM (SELECT "+keysColumns+", "+strconv.Itoa(i)+` AS search FROM invoice_duplicate_keys AS k JOIN invoices AS i ON i.id = k.invoice_id
			WHERE k.organization_id = ? AND k.invoice_id <> ? AND i.status <> ? AND `+s.condition+" ORDER BY k.invoice_id DESC LIMIT ?) AS found")
		values = append(append(append(values, organization, except, invoice.Rejected), s.values...), maxCandidates)
	}
	rows, err := readAll[candidateRow](ctx, r.s, strings.Join(texts, " UNION ALL "), values...)
	if err != nil {
		return nil, failed("look for duplicates", err)
	}
	slices.SortStableFunc(rows, func(a, b candidateRow) int { return bytes.Compare(b.Keys.InvoiceID[:], a.Keys.InvoiceID[:]) })
	found := make([][]duplicateKeysRow, len(searches))
	for _, row := range rows {
		found[row.Search] = append(found[row.Search], row.Keys)
	}
	return found, nil
}

// WithNumbers implements duplicate.Numbers.
func (r Duplicates) WithNumbers(ctx context.Context, organization, entity uuid.UUID, numbers []string) ([]uuid.UUID, error) {
	var keys []string
	for _, n := range numbers {
		if key := shortKey(duplicate.Record{Number: n}.Keys().Number); key != "" {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	// Other numbers have the same key as well, so the rows are read until two invoices are found.
	var found []uuid.UUID
	last := uuid.Nil
	for {
		var rows []duplicateKeysRow
		err := r.s.handle(ctx).Table("invoice_duplicate_keys AS k").Select("k.*").Joins("JOIN invoices AS i ON i.id = k.invoice_id").
			Where("k.organization_id = ? AND k.number_key IN ? AND k.entity_id = ? AND i.status <> ?", organization, keys, entity, invoice.Rejected).
			Where("k.invoice_id > ?", last).Order("k.invoice_id").Limit(maxCandidates).Find(&rows).Error
		if err != nil {
			return nil, failed("look for invoices by their numbers", err)
		}
		for _, row := range rows {
			if row.fromRow().HasNumber(numbers) {
				found = append(found, row.InvoiceID)
			}
			last = row.InvoiceID
		}
		if len(rows) < maxCandidates || len(found) > 1 {
			return found, nil
		}
	}
}

// sameSupplier reports whether one key of the supplier is equal, as supplierCondition does.
func (r duplicateKeysRow) sameSupplier(k duplicateKeysRow) bool {
	return k.TaxKey != "" && r.TaxKey == k.TaxKey || k.IBAN != "" && r.IBAN == k.IBAN || k.NameKey != "" && r.NameKey == k.NameKey
}

// supplierCondition matches rows of which one key of the supplier is equal.
func supplierCondition(k duplicateKeysRow) (condition string, values []any) {
	conditions := []string{"1 = 0"}
	for _, key := range []struct{ column, value string }{{"k.tax_key", k.TaxKey}, {"k.iban", k.IBAN}, {"k.name_key", k.NameKey}} {
		if key.value != "" {
			conditions, values = append(conditions, key.column+" = ?"), append(values, key.value)
		}
	}
	return strings.Join(conditions, " OR "), values
}

// pairOf returns two ids in the order in which their pair is stored.
func pairOf(a, b uuid.UUID) (uuid.UUID, uuid.UUID) {
	if bytes.Compare(a[:], b[:]) > 0 {
		return b, a
	}
	return a, b
}

// inPair is whether an invoice is in a pair.
const inPair = "EXISTS (SELECT 1 FROM invoice_duplicates AS p WHERE p.invoice_id = invoices.id) OR " +
	"EXISTS (SELECT 1 FROM invoice_duplicates AS p WHERE p.other_id = invoices.id)"

func (r Duplicates) pairs(ctx context.Context, organization, id uuid.UUID) *gorm.DB {
	return r.s.handle(ctx).Model(&duplicateRow{}).
		Where("organization_id = ? AND (invoice_duplicates.invoice_id = ? OR invoice_duplicates.other_id = ?)", organization, id, id)
}

// Dismissed implements duplicate.Repository.
func (r Duplicates) Dismissed(ctx context.Context, organization, id uuid.UUID) ([]uuid.UUID, error) {
	return r.others(r.pairs(ctx, organization, id).Where("dismissed_at IS NOT NULL"), id)
}

// Partners implements duplicate.Repository.
func (r Duplicates) Partners(ctx context.Context, organization, id uuid.UUID) ([]uuid.UUID, error) {
	return r.others(r.pairs(ctx, organization, id).Where("dismissed_at IS NULL"), id)
}

func (r Duplicates) others(q *gorm.DB, id uuid.UUID) ([]uuid.UUID, error) {
	var rows []duplicateRow
	err := q.Order("invoice_duplicates.invoice_id, invoice_duplicates.other_id").Find(&rows).Error
	return mapped(rows, func(p duplicateRow) uuid.UUID { return p.otherThan(id) }), failed("read the duplicates of an invoice", err)
}

func (r duplicateRow) otherThan(id uuid.UUID) uuid.UUID {
	if r.InvoiceID == id {
		return r.OtherID
	}
	return r.InvoiceID
}

// Add implements duplicate.Repository. A stored pair gets the rule of the match.
func (r Duplicates) Add(ctx context.Context, organization, id uuid.UUID, matches []duplicate.Match, at time.Time) error {
	if len(matches) == 0 {
		return nil
	}
	rows := mapped(matches, func(m duplicate.Match) duplicateRow {
		row := duplicateRow{OrganizationID: organization, Rule: m.Rule, FoundAt: instant(at)}
		row.InvoiceID, row.OtherID = pairOf(id, m.InvoiceID)
		return row
	})
	return failed("store the duplicates of an invoice", r.s.handle(ctx).Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "invoice_id"}, {Name: "other_id"}}, DoUpdates: clause.AssignmentColumns([]string{"rule"}),
	}).CreateInBatches(&rows, batch).Error)
}

// Keep implements duplicate.Repository.
func (r Duplicates) Keep(
	ctx context.Context, organization, id uuid.UUID, matches []duplicate.Match, at time.Time,
) (fresh []duplicate.Match, ended []uuid.UUID, err error) {
	var rows []duplicateRow
	if err := r.pairs(ctx, organization, id).Find(&rows).Error; err != nil {
		return nil, nil, failed("read the duplicates of an invoice", err)
	}
	var changed []duplicate.Match
	for _, m := range matches {
		i := slices.IndexFunc(rows, func(p duplicateRow) bool { return p.otherThan(id) == m.InvoiceID })
		if i >= 0 && rows[i].Rule == m.Rule {
			continue
		}
		changed = append(changed, m)
		if i < 0 {
			fresh = append(fresh, m)
		}
	}
	if err := r.Add(ctx, organization, id, changed, at); err != nil {
		return nil, nil, err
	}
	for _, row := range rows {
		other := row.otherThan(id)
		if row.DismissedAt != nil || slices.ContainsFunc(matches, func(m duplicate.Match) bool { return m.InvoiceID == other }) {
			continue
		}
		// A REJECTED invoice keeps its pairs, which are why it was rejected.
		done := r.s.handle(ctx).Where("EXISTS (SELECT 1 FROM invoices AS i WHERE i.id = ? AND i.status <> ?)", other, invoice.Rejected).
			Delete(&duplicateRow{}, "invoice_id = ? AND other_id = ?", row.InvoiceID, row.OtherID)
		if done.Error != nil {
			return nil, nil, failed("remove a duplicate", done.Error)
		}
		if done.RowsAffected > 0 {
			ended = append(ended, other)
		}
	}
	return fresh, ended, nil
}

// Dismiss implements duplicate.Repository.
func (r Duplicates) Dismiss(ctx context.Context, organization, id, other uuid.UUID, d invoice.Dismissal) error {
	a, b := pairOf(id, other)
	var row duplicateRow
	err := r.s.handle(ctx).Clauses(lock).Take(&row, "invoice_id = ? AND other_id = ? AND organization_id = ?", a, b, organization).Error
	if err != nil {
		return found("duplicate", err)
	}
	if row.DismissedAt != nil {
		return invoice.ErrUnchanged
	}
	at := instant(d.At)
	row.DismissedAt, row.DismissedBy, row.Reason = &at, &d.By, clean(d.Reason)
	return failed("dismiss a duplicate", save(r.s.handle(ctx), &row, "organization_id", "found_at", "rule"))
}

// skipLocked makes a query lock the rows that no other transaction has locked, and return only them.
var skipLocked = clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}

// Backfill implements duplicate.Repository. It locks each invoice before it stores the keys, as a
// change of the invoice does, and leaves an invoice that is being changed to that change.
func (r Duplicates) Backfill(ctx context.Context, limit int) (int, error) {
	n := 0
	err := r.s.inOne(ctx, func(ctx context.Context) error {
		var rows []invoiceRow
		err := r.s.handle(ctx).Clauses(skipLocked).
			Where("NOT EXISTS (SELECT 1 FROM invoice_duplicate_keys AS k WHERE k.invoice_id = invoices.id)").Limit(limit).Find(&rows).Error
		if err != nil {
			return failed("read invoices without keys", err)
		}
		n = len(rows)
		for _, row := range rows {
			inv := row.fromRow(nil)
			bytes, err := r.Bytes(ctx, inv.OrganizationID, inv.ID)
			if err != nil {
				return err
			}
			if err := r.index(ctx, inv, bytes); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// attach gives an invoice the duplicates that a scope may know. Of an invoice outside the scope it
// may know the rule only. REJECTED invoices are no duplicates.
func (r Duplicates) attach(ctx context.Context, s identity.Scope, inv *invoice.Invoice) error {
	out, err := r.of(ctx, s, inv.OrganizationID, inv.ID)
	inv.Duplicates = out
	return err
}

func (r Duplicates) of(ctx context.Context, s identity.Scope, organization, id uuid.UUID) ([]invoice.Duplicate, error) {
	var rows []duplicateRow
	if err := r.pairs(ctx, organization, id).Order("invoice_duplicates.invoice_id, invoice_duplicates.other_id").Find(&rows).Error; err != nil {
		return nil, failed("read the duplicates of an invoice", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	others := mapped(rows, func(p duplicateRow) uuid.UUID { return p.otherThan(id) })
	var present, visible []uuid.UUID
	err := r.s.handle(ctx).Table("invoices").Where("id IN ? AND status <> ?", others, invoice.Rejected).Pluck("id", &present).Error
	if err != nil {
		return nil, failed("read the duplicates of an invoice", err)
	}
	err = r.s.within(r.s.handle(ctx).Table("invoices"), "invoices", s).Where("invoices.id IN ?", present).Pluck("invoices.id", &visible).Error
	if err != nil {
		return nil, failed("read the duplicates of an invoice", err)
	}
	var out []invoice.Duplicate
	for i, row := range rows {
		if !slices.Contains(present, others[i]) {
			continue
		}
		d := invoice.Duplicate{Rule: row.Rule}
		if slices.Contains(visible, others[i]) {
			d.InvoiceID = others[i]
			if row.DismissedAt != nil {
				d.Dismissal = &invoice.Dismissal{At: instant(*row.DismissedAt), Reason: row.Reason}
				if row.DismissedBy != nil {
					d.Dismissal.By = *row.DismissedBy
				}
			}
		}
		out = append(out, d)
	}
	return out, nil
}

// stampOf is a text that changes with the duplicates.
func stampOf(duplicates []invoice.Duplicate) string {
	var b strings.Builder
	for _, d := range duplicates {
		b.WriteString(d.InvoiceID.String() + " " + string(d.Rule))
		if d.Dismissal != nil {
			b.WriteString(" dismissed " + d.Dismissal.At.String())
		}
		b.WriteByte('\n')
	}
	return b.String()
}
