package month

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/cmd/service"
	"docledger/infrastructure/database"

	"github.com/google/uuid"
)

// violation is damage that an invariant must find.
type violation struct {
	name   string
	check  func([]object)
	wants  string        // part of a report
	damage func() func() // returns what restores the data
}

// plant damages the data of the month in one way after the other. The check of the invariant must report
// each, and nothing after the data are restored.
func (m *month) plant(t *testing.T) {
	m.start(t)
	db, err := database.Open(t.Context(), service.DatabaseConfig(m.s.Config()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, v := range m.violations(&damages{t, db}) {
		restore := v.damage()
		reports := m.reports(v.check)
		restore()
		if !slices.ContainsFunc(reports, func(r string) bool { return strings.Contains(r, v.wants) }) {
			t.Errorf("%s: the check reports %q, want %q", v.name, reports, v.wants)
		}
		if left := m.reports(v.check); len(left) > 0 {
			t.Errorf("%s: the check still reports %q", v.name, left)
		}
	}
}

// reports returns what a check reports.
func (m *month) reports(check func([]object)) (reports []string) {
	m.report = func(format string, values ...any) { reports = append(reports, fmt.Sprintf(format, values...)) }
	defer func() { m.report = m.t.Errorf }()
	check(m.all("/api/invoices", url.Values{}))
	return reports
}

// damages changes rows of a database.
type damages struct {
	t  *testing.T
	db *database.DB
}

func (d *damages) exec(sql string, values ...any) {
	d.t.Helper()
	done := d.db.Gorm.Exec(sql, values...)
	if done.Error != nil || done.RowsAffected == 0 {
		d.t.Fatalf("%s changes %d rows: %v", sql, done.RowsAffected, done.Error)
	}
}

// set returns damage that sets a column of the first row with a condition.
func (d *damages) set(table, column string, value any, condition string, values ...any) func() func() {
	return func() func() {
		d.t.Helper()
		var row struct {
			ID  string
			Old *string
		}
		err := d.db.Gorm.Table(table).Select("CAST(id AS text) AS id, CAST("+column+" AS text) AS old").Where(condition, values...).Order("id").Limit(1).Take(&row).Error
		if err != nil {
			d.t.Fatalf("find a row of %s: %v", table, err)
		}
		d.exec("UPDATE "+table+" SET "+column+" = ? WHERE id = ?", value, row.ID)
		return func() { d.exec("UPDATE "+table+" SET "+column+" = ? WHERE id = ?", row.Old, row.ID) }
	}
}

// add returns damage that adds a number to a column.
func (d *damages) add(table, column string, n int, condition string, values ...any) func() func() {
	return func() func() {
		d.t.Helper()
		change := func(n int) {
			d.exec(fmt.Sprintf("UPDATE %s SET %s = %s + (%d) WHERE %s", table, column, column, n, condition), values...)
		}
		change(n)
		return func() { change(-n) }
	}
}

// bills returns damage to the bills of the first ledger.
func (m *month) bills(change func([]bill) []bill) func() func() {
	return func() func() {
		b := m.books[0]
		before := b.bills
		b.bills = func() []bill { return change(before()) }
		return func() { b.bills = before }
	}
}

func (m *month) violations(d *damages) []violation {
	sums := func([]object) { m.sumsAgree() }
	var approved action
	for _, a := range m.done {
		if a.event == "invoice.approved" {
			approved = a
		}
	}
	event := "type = 'invoice.approved' AND subject_id = ?"
	all := []violation{
		{"a document without its reason", m.oneInvoiceOrReason, "has 0 invoices", d.set("documents", "failure", nil, "status = 'FAILED'")},
		{"an invoice of a document that is none", m.oneInvoiceOrReason, "has 1 invoices", d.set("documents", "status", "NOT_AN_INVOICE", "status = 'EXTRACTED'")},
		{"a lost document", m.oneInvoiceOrReason, `ended as ""`, d.set("documents", "filename", "lost.xml", "status = 'EXTRACTED' AND parent_id IS NULL")},
		{"an invoice that is not approved", m.oneBillEach, "with the bills", d.set("invoices", "status", "APPROVED", "status = 'SYNCED'")},
		{"a lost bill", m.oneBillEach, "with the bills []", m.bills(func(b []bill) []bill { return b[1:] })},
		{"a bill that is there twice", m.oneBillEach, "with the bills", m.bills(func(b []bill) []bill { return append(b, b[0]) })},
		{"a bill with another amount", m.oneBillEach, "with the bills", m.bills(func(b []bill) []bill {
			b[0].cents++
			return b
		})},
		{"a bill without an invoice", m.oneBillEach, "without an approved invoice", m.bills(func(b []bill) []bill { return append(b, bill{"unknown", 1}) })},
		{"another total of the export", sums, "the export", d.set("invoices", "gross_total", "0.01", "status = 'SYNCED'")},
		{"another amount of the sums", sums, "the sums", d.set("invoices", "gross_fixed", 100, "status = 'SYNCED'")},
		{"other sums than those of the invoices", sums, "the sums", func() func() {
			m.countSums(d)
			return d.add("invoice_sums", "gross", 10_000, "part = 'invoice' AND status = 'SYNCED'")()
		}},
		{"another amount in the ledger", sums, "cents", m.bills(func(b []bill) []bill { return b[1:] })},
		{"more usage than invoices", m.usageIsCount, "the usage is", d.add("usage_shares", "used", 1, "entity_id = ?", m.companies[1].id)},
		{"more usage of an entity", m.usageIsCount, "the usage of", d.add("usage_shares", "used", 1, "entity_id = ?", m.companies[0].id)},
		{"a change without its event", m.everyChangeHasAnEvent, "no event", d.set("events", "subject_id", uuid.NewString(), event, approved.subject)},
		{"an event of another actor", m.everyChangeHasAnEvent, "no event of", d.set("events", "actor_id", m.org.Admin.ID, event, approved.subject)},
		{"a version without an event", m.everyChangeHasAnEvent, "of its versions", d.add("events", "subject_version", 1_000_000, "subject_id = ?", approved.subject)},
	}
	if month := "2006-01"; time.Now().UTC().Format(month) == m.began.UTC().Format(month) { // otherwise the counter has a part of them
		all = append(all, violation{"another counter than invoices", m.usageIsCount, "the counter is", d.add("usage_counters", "used", 1, "organization_id = ? AND counter = 'invoices'", m.org.ID)})
	}
	return all
}

// countSums counts every invoice.
func (m *month) countSums(d *damages) {
	d.t.Helper()
	s, err := store.New(d.t.Context(), d.db.Gorm, store.Options{})
	if err == nil {
		err = s.Invoices().CountSums(d.t.Context())
	}
	if err != nil {
		d.t.Fatal(err)
	}
}
