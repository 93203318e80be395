package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Owned is a table with rows of organizations (domain D21).
type Owned struct {
	Table string
	Key   []string
	// Condition selects the rows of one organization; ? is its id.
	Condition string
}

const direct = "organization_id = ?"

// owners are the conditions of the tables without the column organization_id.
var owners = map[string]string{
	"organizations":  "id = ?",
	"entity_members": "entity_id IN (SELECT id FROM entities WHERE organization_id = ?)",
	"invoice_lines":  "invoice_id IN (SELECT id FROM invoices WHERE organization_id = ?)",
	"invoice_taxes":  "invoice_id IN (SELECT id FROM invoices WHERE organization_id = ?)",
	"watch_nodes":    "integration_id IN (SELECT integration_id FROM watches WHERE organization_id = ?)",
	"watch_versions": "integration_id IN (SELECT integration_id FROM watches WHERE organization_id = ?)",
}

// unowned are the tables that keep their rows when an organization is erased: those of the
// installation, accounts (which can belong to several organizations), the proof of the erasure, and the
// removals of blobs, which end when the blobs are removed.
var unowned = []string{"users", "sign_in_attempts", "inbox", "bookmarks", "provider_meters", "erasures", "blob_removals"}

// derived are tables that are not transferred and have rows of organizations.
var derived = []Owned{
	{"links", []string{"id"}, direct},
	{"invoice_duplicate_keys", []string{"invoice_id"}, direct},
	{"invoices_uncounted", []string{"organization_id", "invoice_id"}, direct},
	{"invoice_sum_changes", []string{"id"}, direct},
	{"invoice_sync_differences", []string{"organization_id", "invoice_id"}, direct},
	{"invoice_sources", []string{"organization_id", "invoice_id"}, direct},
	{"invoice_sums", []string{"organization_id", "part", "entity_id", "currency", "status", "type", "month", "key_a", "key_b"}, direct},
	{"invoice_weeks", []string{"organization_id", "pair", "week_a", "week_b"}, direct},
	{"invoice_sum_totals", []string{"organization_id", "part", "entity_id", "currency", "status", "type", "month", "key_a", "key_b"}, direct},
}

func (t table) owned() (Owned, bool) {
	o := Owned{Table: t.name, Key: t.key, Condition: owners[t.name]}
	if slices.Contains(unowned, t.name) {
		return o, false
	}
	if o.Condition == "" && t.kindOf("organization_id") != "" {
		o.Condition = direct
	}
	return o, o.Condition != ""
}

// OwnedTables returns the tables with rows of organizations, each before those that it refers to, so
// that they can be deleted in this order. The organizations themselves are last.
func OwnedTables() []Owned {
	out := slices.Clone(derived)
	for _, t := range slices.Backward(tables) {
		if o, ok := t.owned(); ok {
			out = append(out, o)
		}
	}
	return out
}

// internal are tables that an export of an organization omits: credentials, and bookkeeping that says
// nothing about its documents.
var internal = []string{
	"sessions", "idempotency_keys", "consent_attempts", "watch_subscriptions", "duplicate_rechecks", "supplier_keys", "plan_events", "email_answer_marks",
}

// exported reports whether an export of an organization contains a column. Secrets, and what
// identifies a secret, are never exported.
func (c column) exported() bool {
	return c.kind != kindBytes && c.name != "token" && c.name != "superseded" && !strings.HasSuffix(c.name, "_hash")
}

// ExportTables returns the tables of an export of one organization. It contains the accounts of members.
func ExportTables() []string {
	var out []string
	for _, t := range tables {
		if _, ok := t.owned(); (ok || t.name == "users") && !slices.Contains(internal, t.name) {
			out = append(out, t.name)
		}
	}
	return out
}

// EachOf calls fn with each row of an organization in a table of ExportTables, as a JSON object on one
// line. The line is valid until fn returns.
func (r Rows) EachOf(ctx context.Context, name, organization string, fn func(line []byte) error) error {
	t, ok := find(name)
	if !ok {
		return fmt.Errorf("no table %q is exported", name)
	}
	o, _ := t.owned()
	if name == "users" {
		o.Condition = "id IN (SELECT user_id FROM memberships WHERE organization_id = ?)"
	}
	t.columns = slices.DeleteFunc(slices.Clone(t.columns), func(c column) bool { return !c.exported() })
	query, order, _ := strings.Cut(r.query(t), " ORDER BY ")
	condition := o.Condition
	if r.postgres {
		condition = strings.ReplaceAll(condition, "?", "$1::uuid")
	}
	rows, err := r.tx.QueryContext(ctx, query+" WHERE "+condition+" ORDER BY "+order, organization)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return t.each(rows, t.object, fn)
}

// object writes a row as a JSON object.
func (t table) object(line []byte, values []any) ([]byte, error) {
	line = append(line, '{')
	for i, c := range t.columns {
		if i > 0 {
			line = append(line, ',')
		}
		name, err := json.Marshal(c.name)
		if err != nil {
			return nil, err
		}
		line = append(append(line, name...), ':')
		value, err := appendValue(nil, c.kind, values[i])
		if err != nil {
			return nil, fmt.Errorf("column %s of %s: %w", c.name, t.name, err)
		}
		if c.kind == kindJSON && values[i] != nil { // the brackets serve a load
			value = value[1 : len(value)-1]
		}
		line = append(line, value...)
	}
	return append(line, '}'), nil
}

// FilesOf calls fn with the SHA-256 of each file that documents of an organization name, each once.
func (r Rows) FilesOf(ctx context.Context, organization string, fn func(sha256 string) error) (err error) {
	condition := "?"
	if r.postgres {
		condition = "$1::uuid"
	}
	rows, err := r.tx.QueryContext(ctx, "SELECT DISTINCT sha256 FROM documents WHERE organization_id = "+condition+" ORDER BY sha256", organization)
	if err != nil {
		return fmt.Errorf("list the files: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var sum string
		if err := rows.Scan(&sum); err != nil {
			return fmt.Errorf("list the files: %w", err)
		}
		if err := fn(sum); err != nil {
			return err
		}
	}
	return rows.Err()
}
