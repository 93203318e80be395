package filling

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docledger/domain/invoice"
	"docledger/infrastructure/database"
)

// multiplier copies the rows of the model. The table `made` has a row for each new
// invoice, with the values that several tables need. SQL computes all values, the same
// on both databases.
type multiplier struct {
	ctx      context.Context
	db       *database.DB
	postgres bool
	options  Options
	model    *invoice.Invoice
}

func (m *multiplier) run(f Filled) error {
	if err := m.make(f); err != nil {
		return err
	}
	indexes, err := m.dropIndexes()
	if err != nil {
		return err
	}
	amount := func(column string) string { return m.money("m." + column) }
	approved := "CASE WHEN m.age < 0.005 THEN CASE m.draw % 3 WHEN 0 THEN 'NEEDS_REVIEW' ELSE 'EXTRACTED' END" +
		" WHEN m.draw % 50 = 0 THEN 'REJECTED' WHEN m.draw % 1000 = 1 THEN 'SYNC_FAILED' WHEN m.draw % 4 = 1 THEN 'APPROVED' ELSE 'SYNCED' END"
	seller := "'supplier ' || m.supplier || ' trading'"
	for _, t := range []struct {
		table, key string
		with       map[string]string
	}{
		{"documents", fmt.Sprintf("s.id = '%s'", m.model.DocumentID), map[string]string{
			"id": "m.id", "entity_id": "m.entity_id", "sha256": "'bytes ' || m.n", "filename": "'invoice ' || m.n || '.xml'", "search_file": "'invoice ' || m.n || '.xml'",
			"invoice_id": "m.id", "created_at": "m.created_at", "updated_at": "m.created_at",
			"origin": "CASE m.draw % 40 WHEN 0 THEN 'EMAIL' ELSE 'UPLOAD' END",
		}},
		{"invoices", fmt.Sprintf("s.id = '%s'", m.model.ID), map[string]string{
			"id": "m.id", "document_id": "m.id", "entity_id": "m.entity_id", "status": approved, "created_at": "m.created_at", "updated_at": "m.created_at",
			"type":     "CASE WHEN m.draw % 400 = 7 THEN 'CORRECTION' WHEN m.draw % 20 = 7 THEN 'CREDIT_NOTE' ELSE 'INVOICE' END",
			"currency": "CASE WHEN m.draw % 100 < 90 THEN 'EUR' WHEN m.draw % 100 < 97 THEN 'USD' WHEN m.draw % 1000 <> 999 THEN 'GBP' ELSE 'CHF' END",
			"number":   "'R-' || m.n", "search": "'r-' || m.n || '" + "\n" + "' || " + seller + " || '" + "\n" + "'", "search_file": "'invoice ' || m.n || '.xml'",
			"seller_name": "'Supplier ' || m.supplier || ' Trading'", "seller_tax_id": "'DE' || (100000000 + m.supplier)", "supplier_id": m.id("0", "m.supplier + 1"),
			"issue_date": "CASE m.draw % 100 WHEN 3 THEN NULL ELSE m.issue_date END", "due_date": "CASE m.draw % 10 WHEN 4 THEN NULL ELSE m.due_date END",
			"net_fixed": "m.net", "tax_fixed": "m.net * 19 / 10000 * 100", "gross_fixed": "m.net + m.net * 19 / 10000 * 100", "due_fixed": "m.net + m.net * 19 / 10000 * 100",
			"net_total": amount("net"), "tax_total": m.money("(m.net * 19 / 10000 * 100)"), "gross_total": m.money("(m.net + m.net * 19 / 10000 * 100)"), "amount_due": m.money("(m.net + m.net * 19 / 10000 * 100)"),
			"failed_checks":   "CASE WHEN m.draw % 1000 = 5 THEN ',not_a_duplicate,' WHEN m.draw % 1000 = 6 THEN ',bank_account_known,' WHEN m.draw % 30 = 2 THEN ',tax_sum,' ELSE '' END",
			"failed_blocking": "CASE WHEN m.draw % 1000 IN (5, 6) THEN 1 ELSE 0 END", "failed_warning": "CASE WHEN m.draw % 30 = 2 THEN 1 ELSE 0 END",
			"external_id": "CASE m.draw % 10 WHEN 0 THEN 'external-' || m.n ELSE '' END",
			"assigned_to": fmt.Sprintf("CASE m.draw %% 100 WHEN 9 THEN %s END", m.uuid("'"+f.Assignee.String()+"'")),
		}},
		{"invoice_lines", fmt.Sprintf("s.invoice_id = '%s'", m.model.ID), map[string]string{
			"id": m.id("m.ms", "m.n * 4 + s.ordinal"), "invoice_id": "m.id", "net_fixed": "m.net * (80 - 20 * s.ordinal) / 10000 * 100",
			"net_amount": m.money("(m.net * (80 - 20 * s.ordinal) / 10000 * 100)"), "account_id": "'' || (4900 + m.supplier % 40)",
		}},
		{"invoice_taxes", fmt.Sprintf("s.invoice_id = '%s'", m.model.ID), map[string]string{
			"invoice_id": "m.id", "base_fixed": "m.net", "amount_fixed": "m.net * 19 / 10000 * 100", "rate": "CASE m.draw % 5 WHEN 0 THEN '7' ELSE '19' END",
		}},
		{"invoice_duplicate_keys", fmt.Sprintf("s.invoice_id = '%s'", m.model.ID), map[string]string{
			"invoice_id": "m.id", "entity_id": "m.entity_id", "bytes": "'bytes ' || m.n", "number": "'R-' || m.n", "number_key": "'R' || m.n",
			"issue_date": "m.issue_date", "gross_fixed": "m.net + m.net * 19 / 10000 * 100", "gross": m.money("(m.net + m.net * 19 / 10000 * 100)"),
			"tax_id": "'DE' || (100000000 + m.supplier)", "tax_key": "'DE' || (100000000 + m.supplier)",
		}},
	} {
		if err := m.multiply(t.table, t.key, t.with); err != nil {
			return err
		}
	}
	done := fmt.Sprintf(`INSERT INTO invoice_syncs (invoice_id, organization_id, entity_id, integration_id, state, remote_id, body, updated_at)
		SELECT i.id, i.organization_id, i.entity_id, %s, CASE i.status WHEN 'SYNCED' THEN 'DONE' ELSE 'FAILED' END, 'bill ' || i.number, '{}', i.updated_at
		FROM invoices AS i WHERE i.organization_id = %s AND i.status IN ('SYNCED', 'SYNC_FAILED')`, m.uuid("'"+Supplier(0).String()+"'"), m.uuid("'"+f.Organization.String()+"'"))
	statements := slices.Concat([]string{done, "DROP TABLE made"}, indexes)
	if m.postgres {
		statements = append(statements, "VACUUM (ANALYZE)")
	}
	for _, sql := range statements {
		if err := m.db.Gorm.WithContext(m.ctx).Exec(sql).Error; err != nil {
			return fmt.Errorf("fill the database: %w", err)
		}
	}
	return nil
}

// make creates the table `made`. draw is a pseudorandom number, and age is 0 for the newest
// invoice and 1 for the oldest.
func (m *multiplier) make(f Filled) error {
	o := m.options
	var entities strings.Builder
	for i, e := range f.Entities {
		fmt.Fprintf(&entities, " WHEN %d THEN '%s'", i, e)
	}
	draw := func(multiplier int) string {
		return fmt.Sprintf("((n + %d) * %d %% 2147483647)", o.Seed%1_000_000_007, multiplier)
	}
	until, span := o.Until.UnixMilli(), (Years * 365 * 24 * time.Hour).Milliseconds()
	ms := fmt.Sprintf("(%d - (%d - n) * %d / %d)", until, o.Invoices, span, o.Invoices)
	series := fmt.Sprintf("WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %d)", o.Invoices)
	from := "numbers"
	if m.postgres {
		series, from = "", fmt.Sprintf("generate_series(1::bigint, %d) AS numbers(n)", o.Invoices)
	}
	entity := fmt.Sprintf("CASE WHEN %s %% 4 = 0 THEN 0 ELSE %s %% %d END", draw(48271), draw(69621), len(f.Entities))
	supplier := fmt.Sprintf("CASE WHEN %s %% 2 = 0 THEN %s %% 50 ELSE %s %% %d END", draw(16807), draw(39373), draw(39373), Suppliers)
	rows := fmt.Sprintf("SELECT n, %s AS ms, %s AS draw, %s AS entity, %s AS supplier, 100 * (%s %% 2000000 + 100) AS net, %s %% 20 AS issued, 14 + %s %% 30 AS due FROM %s",
		ms, draw(1583458089), entity, supplier, draw(784588716), draw(950706376), draw(742938285), from)
	sql := fmt.Sprintf(`CREATE TABLE made AS %s SELECT n, ms, draw, supplier, net, %s AS id, %s AS entity_id, %s AS created_at, %s AS issue_date, %s AS due_date,
		(%d - n) * 1.0 / %d AS age FROM (%s) AS r`, series, m.id("ms", "n"), m.uuid("CASE entity"+entities.String()+" END"), m.at("ms"),
		m.day("ms", "-issued"), m.day("ms", "due"), o.Invoices, o.Invoices, rows)
	for _, statement := range []string{sql, "CREATE UNIQUE INDEX made_n ON made (n)"} {
		if err := m.db.Gorm.WithContext(m.ctx).Exec(statement).Error; err != nil {
			return fmt.Errorf("compute the invoices: %w", err)
		}
	}
	return nil
}

// multiply inserts a copy of the model's rows for each row of `made`.
func (m *multiplier) multiply(table, key string, with map[string]string) error {
	types, err := m.db.Gorm.WithContext(m.ctx).Migrator().ColumnTypes(table)
	if err != nil {
		return fmt.Errorf("read the columns of %s: %w", table, err)
	}
	var columns, values []string
	for _, c := range types {
		value, changed := with[c.Name()]
		if !changed {
			value = "s." + c.Name()
		}
		columns, values = append(columns, c.Name()), append(values, value)
	}
	sql := fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM made AS m JOIN %s AS s ON %s WHERE m.n > ? AND m.n <= ? ORDER BY m.n",
		table, strings.Join(columns, ", "), strings.Join(values, ", "), table, key)
	for after := 0; after < m.options.Invoices; after += part {
		if err := m.db.Gorm.WithContext(m.ctx).Exec(sql, after, after+part).Error; err != nil {
			return fmt.Errorf("fill %s: %w", table, err)
		}
	}
	return nil
}

// dropIndexes drops the indexes of the tables that are filled, and returns the statements
// that create them again, which is faster than keeping them up to date.
func (m *multiplier) dropIndexes() ([]string, error) {
	query := "SELECT name, sql AS definition FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ?"
	if m.postgres {
		query = `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
			WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conname = indexname) AND tablename IN ?`
	}
	var found []struct{ Name, Definition string }
	if err := m.db.Gorm.WithContext(m.ctx).Raw(query, []string{"documents", "invoices", "invoice_lines", "invoice_duplicate_keys", "invoice_syncs"}).Scan(&found).Error; err != nil {
		return nil, fmt.Errorf("list the indexes: %w", err)
	}
	var definitions []string
	for _, index := range found {
		if err := m.db.Gorm.WithContext(m.ctx).Exec("DROP INDEX " + index.Name).Error; err != nil {
			return nil, fmt.Errorf("drop an index: %w", err)
		}
		definitions = append(definitions, index.Definition)
	}
	return definitions, nil
}

// id is the id of the UUIDv7 form with a time in milliseconds and a number.
func (m *multiplier) id(ms, n string) string {
	if m.postgres {
		hex := func(value string) string { return "lpad(to_hex((" + value + ")::bigint), 12, '0')" }
		return "(" + hex(ms) + " || '70008000' || " + hex(n) + ")::uuid"
	}
	return fmt.Sprintf("(printf('%%08x-%%04x-7000-8000-%%012x', (%s) / 65536, (%s) %% 65536, %s))", ms, ms, n)
}

func (m *multiplier) uuid(text string) string {
	if m.postgres {
		return "(" + text + ")::uuid"
	}
	return text
}

func (m *multiplier) at(ms string) string {
	if m.postgres {
		return "to_timestamp(" + ms + " / 1000.0)"
	}
	// The driver writes a time without zeros at the end of a fraction, and times are compared as texts.
	return "rtrim(rtrim(strftime('%Y-%m-%d %H:%M:%f', " + ms + " / 1000.0, 'unixepoch'), '0'), '.') || '+00:00'"
}

func (m *multiplier) day(ms, days string) string {
	if m.postgres {
		return "((to_timestamp(" + ms + " / 1000.0) AT TIME ZONE 'UTC')::date + (" + days + ")::int)"
	}
	return "date(" + ms + " / 1000, 'unixepoch', (" + days + ") || ' days')"
}

// money is a positive amount in ten-thousandths as text.
func (m *multiplier) money(fixed string) string {
	digits := "substr('0' || (" + fixed + " / 100 % 100), -2)"
	if m.postgres {
		digits = "lpad((" + fixed + " / 100 % 100)::text, 2, '0')"
	}
	return "((" + fixed + " / 10000) || '.' || " + digits + ")"
}
