package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/page"
	"docledger/domain/supplier"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type supplierRow struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	EntityID       uuid.UUID
	MergedInto     *uuid.UUID
	Name           string
	Search         string
	ContactID      string
	LastInvoiceID  *uuid.UUID
	Body           jsonOf[supplierBody]
	Version        int
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt      time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (supplierRow) TableName() string { return "suppliers" }

type supplierKeyRow struct {
	EntityID       uuid.UUID `gorm:"primaryKey"`
	KeyHash        string    `gorm:"primaryKey"`
	SupplierID     uuid.UUID `gorm:"primaryKey"`
	OrganizationID uuid.UUID
}

// TableName implements gorm's tabler.
func (supplierKeyRow) TableName() string { return "supplier_keys" }

// supplierBody is the JSON column of a supplier. Its names never change.
type supplierBody struct {
	Aliases     []string          `json:"aliases,omitempty"`
	TaxIDs      []string          `json:"tax_ids,omitempty"`
	Accounts    []bankAccountJSON `json:"accounts,omitempty"`
	ContactName string            `json:"contact_name,omitempty"`
	Account     defaultJSON       `json:"account,omitzero"`
	TaxRate     defaultJSON       `json:"tax_rate,omitzero"`
	LedgerSince time.Time         `json:"ledger_since,omitzero"`
}

type bankAccountJSON struct {
	IBAN        string                 `json:"iban"`
	Source      supplier.AccountSource `json:"source"`
	FirstSeenAt time.Time              `json:"first_seen_at"`
	LastSeenAt  time.Time              `json:"last_seen_at"`
	Trusted     bool                   `json:"trusted,omitempty"`
	Confirmed   *confirmationJSON      `json:"confirmed,omitempty"`
}

type confirmationJSON struct {
	By     uuid.UUID       `json:"by"`
	At     time.Time       `json:"at"`
	Method supplier.Method `json:"method"`
}

type defaultJSON struct {
	ID      string                `json:"id,omitempty"`
	Source  supplier.CodingSource `json:"source,omitempty"`
	Percent string                `json:"percent,omitempty"`
}

func (r supplierRow) fromRow() supplier.Supplier {
	b := r.Body.V
	return supplier.Supplier{
		ID: r.ID, OrganizationID: r.OrganizationID, EntityID: r.EntityID, Name: r.Name, Aliases: b.Aliases, TaxIDs: b.TaxIDs,
		Accounts: mapped(b.Accounts, func(a bankAccountJSON) supplier.BankAccount {
			return supplier.BankAccount{
				IBAN: a.IBAN, Source: a.Source, FirstSeenAt: instant(a.FirstSeenAt), LastSeenAt: instant(a.LastSeenAt), Trusted: a.Trusted,
				Confirmed: (*supplier.Confirmation)(a.Confirmed),
			}
		}),
		ContactID: r.ContactID, ContactName: b.ContactName, Account: supplier.Default(b.Account), TaxRate: supplier.Default(b.TaxRate),
		LedgerSince:   b.LedgerSince,
		LastInvoiceID: fromOptionalID(r.LastInvoiceID), Version: r.Version, CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
}

func toSupplierRow(s *supplier.Supplier) supplierRow {
	search := mapped(slices.Concat(s.Names(), s.TaxIDs), folded)
	for _, a := range s.Accounts {
		search = append(search, folded(a.IBAN))
	}
	return supplierRow{
		ID: s.ID, OrganizationID: s.OrganizationID, EntityID: s.EntityID, Name: clean(s.Name), Search: strings.Join(search, "\n"),
		ContactID: clean(s.ContactID), LastInvoiceID: optionalID(s.LastInvoiceID), Version: s.Version, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
		Body: jsonOf[supplierBody]{supplierBody{
			Aliases: mapped(s.Aliases, clean), TaxIDs: mapped(s.TaxIDs, clean), ContactName: clean(s.ContactName),
			Account: defaultJSON(s.Account), TaxRate: defaultJSON(s.TaxRate), LedgerSince: s.LedgerSince,
			Accounts: mapped(s.Accounts, func(a supplier.BankAccount) bankAccountJSON {
				return bankAccountJSON{
					IBAN: clean(a.IBAN), Source: a.Source, FirstSeenAt: instant(a.FirstSeenAt), LastSeenAt: instant(a.LastSeenAt), Trusted: a.Trusted,
					Confirmed: (*confirmationJSON)(a.Confirmed),
				}
			}),
		}},
	}
}

// Suppliers implements supplier.Repository and supplier.Invoices.
type Suppliers struct{ s *Store }

// Suppliers returns the suppliers.
func (s *Store) Suppliers() Suppliers { return Suppliers{s} }

// Get implements supplier.Repository.
func (r Suppliers) Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*supplier.Supplier, error) {
	row, err := r.get(r.s.handle(ctx), s, id)
	if err != nil {
		return nil, err
	}
	one := []supplier.Supplier{row.fromRow()}
	return &one[0], r.count(ctx, one)
}

// get follows a merge once: merging updates the rows that lead to the merged supplier.
func (r Suppliers) get(q *gorm.DB, s identity.Scope, id uuid.UUID) (supplierRow, error) {
	for range 2 {
		var row supplierRow
		if err := r.s.within(q.Session(&gorm.Session{}), "suppliers", s).Take(&row, "suppliers.id = ?", id).Error; err != nil {
			return row, found("supplier", err)
		}
		if row.MergedInto == nil {
			return row, nil
		}
		id = *row.MergedInto
	}
	return supplierRow{}, found("supplier", gorm.ErrRecordNotFound)
}

// count sets the number of invoices of each supplier.
func (r Suppliers) count(ctx context.Context, list []supplier.Supplier) error {
	if len(list) == 0 {
		return nil
	}
	var rows []struct {
		SupplierID uuid.UUID
		N          int
	}
	err := r.s.handle(ctx).Table("invoices").Select("supplier_id, count(*) AS n").
		Where("supplier_id IN ? AND status <> ?", mapped(list, func(s supplier.Supplier) uuid.UUID { return s.ID }), invoice.Rejected).
		Group("supplier_id").Find(&rows).Error
	for _, row := range rows {
		for i := range list {
			if list[i].ID == row.SupplierID {
				list[i].InvoicesCount = row.N
			}
		}
	}
	return failed("count the invoices of suppliers", err)
}

// List implements supplier.Repository. The ids of suppliers grow with time.
func (r Suppliers) List(ctx context.Context, s identity.Scope, f supplier.Filter, p page.Request) (page.Of[supplier.Supplier], error) {
	b := bind("suppliers", s.OrganizationID).with("entity", f.EntityID).with("query", f.Query).done()
	after, err := b.idKey(p.After)
	if err != nil {
		return page.Of[supplier.Supplier]{}, err
	}
	var list page.Of[supplier.Supplier]
	err = r.s.inSnapshot(ctx, func(ctx context.Context) error {
		var rows []supplierRow
		err := r.s.list(r.s.handle(ctx).Model(&supplierRow{}), listing{
			table: "suppliers", key: "id", order: "%s.id DESC", scope: s, entity: f.EntityID, limit: p.Size() + 1,
			narrow: func(q *gorm.DB, t string) *gorm.DB {
				q = q.Where(t + ".merged_into IS NULL")
				if after != uuid.Nil {
					q = q.Where(t+".id < ?", after)
				}
				if f.Query != "" {
					q = q.Where(t+`.search LIKE ? ESCAPE '\'`, likePattern(folded(f.Query)))
				}
				return q
			},
		}).Find(&rows).Error
		if err != nil {
			return failed("list suppliers", err)
		}
		list = pageOf(rows, p.Size(), supplierRow.fromRow, func(r supplierRow) string { return b.cursor(r.ID[:]) })
		return r.count(ctx, list.Items)
	})
	return list, err
}

// maxSupplierCandidates is the maximum number of suppliers that Candidates returns for each kind of key.
const maxSupplierCandidates = 50

// Candidates implements supplier.Repository.
func (r Suppliers) Candidates(ctx context.Context, organization, entity uuid.UUID, k supplier.Keys) ([]supplier.Supplier, error) {
	if k.Empty() {
		return nil, nil
	}
	var kinds []string
	var values []any
	for _, kind := range []supplier.Keys{{TaxIDs: k.TaxIDs}, {IBANs: k.IBANs}, {Names: k.Names}} {
		hashes := mapped(kind.Texts(), hashOf)
		values = append(values, entity, organization)
		among := "= ANY(?::text[])" // the text is the same for each number of keys, so that the plan is kept
		if r.s.postgres {
			values = append(values, hashes)
		} else {
			among = "IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(hashes)), ", ") + ")"
			for _, hash := range hashes {
				values = append(values, hash)
			}
		}
		values = append(values, maxSupplierCandidates)
		kinds = append(kinds, `SELECT * FROM (SELECT DISTINCT supplier_id FROM supplier_keys
			WHERE entity_id = ? AND organization_id = ? AND key_hash `+among+` ORDER BY supplier_id LIMIT ?) AS found`)
	}
	all, err := r.s.ids(ctx, r.s.numbered(strings.Join(kinds, " UNION ")), values)
	if err != nil || len(all) == 0 {
		return nil, failed("find suppliers", err)
	}
	var rows []supplierRow
	if err := r.s.handle(ctx).Where("id IN ? AND merged_into IS NULL", all).Order("id").Find(&rows).Error; err != nil {
		return nil, failed("find suppliers", err)
	}
	return mapped(rows, supplierRow.fromRow), nil
}

// Add implements supplier.Repository.
func (r Suppliers) Add(ctx context.Context, s *supplier.Supplier) error {
	r.s.stamp(&s.CreatedAt)
	r.s.stamp(&s.UpdatedAt)
	s.Version = max(s.Version, 1)
	return r.s.inOne(ctx, func(ctx context.Context) error {
		row := toSupplierRow(s)
		if err := r.s.handle(ctx).Create(&row).Error; err != nil {
			return failed("add the supplier", err)
		}
		return r.addKeys(ctx, s)
	})
}

func (r Suppliers) addKeys(ctx context.Context, s *supplier.Supplier) error {
	rows := mapped(s.Keys().Texts(), func(key string) supplierKeyRow {
		return supplierKeyRow{EntityID: s.EntityID, KeyHash: hashOf(key), SupplierID: s.ID, OrganizationID: s.OrganizationID}
	})
	if len(rows) == 0 {
		return nil
	}
	return failed("store the supplier's keys", r.s.handle(ctx).CreateInBatches(&rows, batch).Error)
}

// Lock implements supplier.Repository. The lock does not conflict with those of foreign keys.
func (r Suppliers) Lock(ctx context.Context, organization, entity uuid.UUID) error {
	var ids []uuid.UUID
	err := r.s.handle(ctx).Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Model(&entityRow{}).
		Where("id = ? AND organization_id = ?", entity, organization).Pluck("id", &ids).Error
	return failed("lock the suppliers", err)
}

// Update implements supplier.Repository.
func (r Suppliers) Update(ctx context.Context, s identity.Scope, id uuid.UUID, ifVersion int, change func(*supplier.Supplier) error) (*supplier.Supplier, error) {
	var out []supplier.Supplier
	err := r.s.inOne(ctx, func(ctx context.Context) error {
		row, err := r.get(r.s.handle(ctx).Clauses(lock), s, id)
		if err != nil {
			return err
		}
		if err := current(ifVersion, row.Version); err != nil {
			return err
		}
		now := row.fromRow()
		before := now.Keys().Texts()
		err = change(&now)
		if errors.Is(err, invoice.ErrUnchanged) {
			out = []supplier.Supplier{row.fromRow()}
			return r.count(ctx, out)
		}
		if err != nil {
			return err
		}
		now.ID, now.OrganizationID, now.EntityID, now.CreatedAt, now.Version = row.ID, row.OrganizationID, row.EntityID, instant(row.CreatedAt), row.Version+1
		r.s.touch(&now.UpdatedAt, instant(row.UpdatedAt))
		changed := toSupplierRow(&now)
		if err := save(r.s.handle(ctx), &changed, "organization_id", "entity_id", "merged_into", "created_at"); err != nil {
			return failed("change the supplier", err)
		}
		if !slices.Equal(before, now.Keys().Texts()) {
			if err := r.s.handle(ctx).Delete(&supplierKeyRow{}, "supplier_id = ?", now.ID).Error; err != nil {
				return failed("change the supplier's keys", err)
			}
			if err := r.addKeys(ctx, &now); err != nil {
				return err
			}
		}
		out = []supplier.Supplier{now}
		return r.count(ctx, out)
	})
	if err != nil {
		return nil, err
	}
	return &out[0], nil
}

// Replace implements supplier.Repository.
func (r Suppliers) Replace(ctx context.Context, merged *supplier.Supplier, into uuid.UUID) error {
	return r.s.inOne(ctx, func(ctx context.Context) error {
		err := r.s.handle(ctx).Table("suppliers").Where("organization_id = ? AND (id = ? OR merged_into = ?)", merged.OrganizationID, merged.ID, merged.ID).
			Updates(map[string]any{"merged_into": into, "contact_id": ""}).Error
		if err != nil {
			return failed("merge the supplier", err)
		}
		if err := r.s.handle(ctx).Delete(&supplierKeyRow{}, "supplier_id = ?", merged.ID).Error; err != nil {
			return failed("remove the merged supplier's keys", err)
		}
		return failed("move the merged supplier's invoices", r.s.handle(ctx).Table("invoices").
			Where("organization_id = ? AND supplier_id = ?", merged.OrganizationID, merged.ID).Update("supplier_id", into).Error)
	})
}

// Assign implements supplier.Repository. The zero supplier is stored as such, which means that the
// invoice identifies none.
func (r Suppliers) Assign(ctx context.Context, organization, of, id uuid.UUID) error {
	return failed("assign the supplier", r.s.handle(ctx).Table("invoices").
		Where("id = ? AND organization_id = ?", of, organization).Update("supplier_id", id).Error)
}

// OpenOf implements supplier.Invoices.
func (r Suppliers) OpenOf(ctx context.Context, organization, id uuid.UUID, limit int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.s.handle(ctx).Table("invoices").Where("organization_id = ? AND supplier_id = ? AND status IN ?",
		organization, id, []invoice.Status{invoice.Extracted, invoice.NeedsReview}).Order("id").Limit(limit).Pluck("id", &ids).Error
	return ids, failed("find open invoices of the supplier", err)
}

// LastCoding implements supplier.Invoices.
func (r Suppliers) LastCoding(ctx context.Context, of *supplier.Supplier, except uuid.UUID, limit int) ([]invoice.Line, error) {
	approved := func() *gorm.DB {
		q := r.s.handle(ctx).Table("invoices").Where("organization_id = ? AND supplier_id = ? AND id <> ? AND status IN ?",
			of.OrganizationID, of.ID, except, []invoice.Status{invoice.Approved, invoice.Synced, invoice.SyncFailed})
		if !of.LedgerSince.IsZero() {
			q = q.Where("created_at >= ?", instant(of.LedgerSince))
		}
		return q
	}
	var ids []uuid.UUID
	if err := approved().Where("id = ?", of.LastInvoiceID).Pluck("id", &ids).Error; err != nil {
		return nil, failed("find the supplier's last invoice", err)
	}
	if len(ids) == 0 {
		if err := approved().Order("id DESC").Limit(1).Pluck("id", &ids).Error; err != nil {
			return nil, failed("find the supplier's last invoice", err)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.s.Invoices().lines(ctx, ids[0], 0, limit)
	return mapped(rows, lineRow.fromRow), err
}

// Confirmed implements supplier.Invoices. An approval without a person is one of SYSTEM.
func (r Suppliers) Confirmed(ctx context.Context, of *supplier.Supplier, except uuid.UUID, limit int) ([]invoice.Invoice, error) {
	var rows []invoiceRow
	err := r.s.handle(ctx).Where("organization_id = ? AND entity_id = ? AND supplier_id = ? AND id <> ? AND status IN ?",
		of.OrganizationID, of.EntityID, of.ID, except, []invoice.Status{invoice.Approved, invoice.Synced, invoice.SyncFailed}).
		Order("id DESC").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, failed("find approved invoices of the supplier", err)
	}
	out := make([]invoice.Invoice, 0, len(rows))
	for i := range rows {
		if inv := rows[i].fromRow(nil); inv.Approval != nil && inv.Approval.By != uuid.Nil {
			out = append(out, *inv)
		}
	}
	return out, nil
}

// ByContact implements supplier.Contacts.
func (r Suppliers) ByContact(ctx context.Context, organization, entity uuid.UUID) (map[string]uuid.UUID, error) {
	var rows []struct {
		ID        uuid.UUID
		ContactID string
	}
	err := r.s.handle(ctx).Table("suppliers").Select("id, contact_id").
		Where("entity_id = ? AND organization_id = ? AND contact_id <> '' AND merged_into IS NULL", entity, organization).Order("id").Find(&rows).Error
	out := make(map[string]uuid.UUID, len(rows))
	for _, row := range rows {
		out[row.ContactID] = row.ID
	}
	return out, failed("find suppliers by contact", err)
}

// UnassignedForBackfill implements supplier.Invoices.
func (r Suppliers) UnassignedForBackfill(ctx context.Context, limit int) ([]supplier.Unassigned, error) {
	var rows []struct{ ID, OrganizationID uuid.UUID }
	err := r.s.handle(ctx).Table("invoices").Select("id, organization_id").
		Where("supplier_id IS NULL AND status IN ('APPROVED', 'SYNCED', 'SYNC_FAILED')").Order("id").Limit(limit).Find(&rows).Error
	out := make([]supplier.Unassigned, len(rows))
	for i, row := range rows {
		out[i] = supplier.Unassigned{OrganizationID: row.OrganizationID, InvoiceID: row.ID}
	}
	return out, failed("look for invoices without supplier", err)
}
