// Package transfer reads the rows of a whole installation as lines of text that are the same for
// both databases, and writes them into an empty one (domain D23). It does not change ids, times
// and encrypted tokens.
package transfer

import "strings"

// kind is the kind of a column; each database has a type for each kind.
type kind string

const (
	kindUUID  kind = "uuid"
	kindText  kind = "text"
	kindInt   kind = "int"
	kindReal  kind = "real"
	kindBool  kind = "bool"
	kindTime  kind = "time"  // with microseconds
	kindDate  kind = "date"  // without a time zone
	kindJSON  kind = "json"  // text on SQLite
	kindBytes kind = "bytes" // encrypted tokens, bodies of responses and events
)

type column struct {
	name string
	kind kind
}

type table struct {
	name    string
	key     []string // the order of the rows
	first   string   // a condition; rows that match it come first
	columns []column
}

// excludedTables are the tables that belong to a database and not to the installation: leases,
// which name running processes; jobs, which the sweep creates again from their records;
// renditions and the keys of duplicates, which are derived again; the index of searches of SQLite,
// the sums, sources and weeks of invoices, which triggers keep; links, which end within days and can be made again; and the bookkeeping of the schema.
var excludedTables = []string{"leases", "event_clock", "renditions", "invoice_duplicate_keys", "invoice_search*", "invoices_uncounted", "invoice_sum*", "invoice_sync_differences", "invoice_sources", "invoice_weeks", "links", "goose_db_version", "river_*", "sqlite_*"}

// tables lists the transferred tables, each after those that it refers to. If it lacks a table or
// column of the schema, Check and a test fail.
var tables = []table{
	of("organizations", "id", `id:uuid identity_id:text name:text payment_customer_id:text created_at:time updated_at:time
		trial_expiry_date:date trial_max_entities:int trial_max_invoices_per_month:int inactive_since:time`),
	of("users", "id", `id:uuid email:text name:text password_hash:text disabled:bool password_changed_at:time created_at:time
		updated_at:time identity_id:text`),
	of("memberships", "user_id organization_id", `user_id:uuid organization_id:uuid role:text created_at:time last_used_at:time checked_at:time`),
	of("sessions", "id", `id:uuid user_id:uuid organization_id:uuid created_at:time expires_at:time
		generation:int superseded:text refreshed_at:time client_id:text`),
	of("api_keys", "id", `id:uuid organization_id:uuid name:text role:text entity_ids:json secret_hash:text hint:text created_by:uuid
		created_at:time expires_at:time last_used_at:time revoked_at:time expiry_noted:bool`),
	of("sign_in_attempts", "key_hash", `key_hash:text attempts:int ends_at:time blocked_until:time`),
	of("entities", "id", `id:uuid organization_id:uuid name:text legal_name:text tax_ids:json aliases:json country:text base_currency:text
		access:text default_role:text archived:bool version:int created_at:time updated_at:time
		legal_hold:bool`),
	of("entity_members", "entity_id user_id", `entity_id:uuid user_id:uuid role:text`),
	of("email_intakes", "entity_id", `entity_id:uuid organization_id:uuid token:text senders:json only_senders:bool updated_at:time answer_senders:bool`),
	of("settings", "entity_id", `entity_id:uuid organization_id:uuid default_currency:text date_order:text timezone:text auto_extract:bool
		auto_sync:bool approval_required:bool review_threshold:real accounting_integration_id:uuid default_account_id:text
		default_tax_rate_id:text tax_mappings:json duplicate_policy:text four_eyes:bool assistant_actions:text route_by_buyer:bool
		bill_status:text version:int updated_at:time auto_approve_ignore:json einvoice_rules:text einvoice_rules_by_profile:json`),
	// Files in a container refer to it, and parts of a file refer to the file.
	of("documents", "id", `id:uuid entity_id:uuid organization_id:uuid filename:text media_type:text size_bytes:int sha256:text
		page_count:int origin:text integration_id:uuid source_path:text status:text failure:json held_reason:text invoice_id:uuid
		parent_id:uuid part:int pages:json attachments:json attempts:int run:int restarts:int requested:bool forced:bool version:int
		created_by:uuid created_at:time updated_at:time interruptions:int external_id:text signatures:json
		known:json email:json merged_from:json search_file:text related_invoice_id:uuid`).begin("CASE WHEN parent_id IS NULL THEN 0 WHEN part = 0 THEN 1 ELSE 2 END"),
	of("email_answers", "document_id", `document_id:uuid entity_id:uuid organization_id:uuid recipient:text subject:text message_id:text
		state:text attempts:int next_attempt_at:time failure:text created_at:time updated_at:time`),
	of("email_answer_marks", "answer_hash", `answer_hash:text organization_id:uuid recipient_hash:text domain_hash:text created_at:time`),
	of("invoices", "id", `id:uuid document_id:uuid entity_id:uuid organization_id:uuid status:text type:text number:text issue_date:date
		due_date:date currency:text seller_name:text seller_tax_id:text buyer_name:text buyer_tax_id:text net_total:text tax_total:text
		gross_total:text amount_due:text failed_blocking:int failed_warning:int lines_total:int net_fixed:int gross_fixed:int due_fixed:int
		search:text search_file:text body:json version:int created_at:time updated_at:time failed_checks:text tax_fixed:int
		supplier_id:uuid external_id:text assigned_to:uuid`),
	of("invoice_lines", "id", `id:uuid invoice_id:uuid ordinal:int position:int description:text quantity:text unit:text unit_price:text
		price_base:text net_amount:text tax_rate:text tax_category:text account_id:text account_source:text tax_rate_id:text
		tax_source:text evidence:json net_fixed:int`),
	of("invoice_taxes", "invoice_id ordinal", `invoice_id:uuid ordinal:int category:text rate:text base_fixed:int amount_fixed:int`),
	of("suppliers", "id", `id:uuid organization_id:uuid entity_id:uuid merged_into:uuid name:text search:text contact_id:text
		last_invoice_id:uuid body:json version:int created_at:time updated_at:time`),
	of("supplier_keys", "entity_id key_hash supplier_id", `entity_id:uuid key_hash:text supplier_id:uuid organization_id:uuid`),
	of("invoice_duplicates", "invoice_id other_id", `invoice_id:uuid other_id:uuid organization_id:uuid rule:text found_at:time
		dismissed_by:uuid dismissed_at:time reason:text`),
	of("duplicate_rechecks", "invoice_id", `invoice_id:uuid organization_id:uuid assistant:bool created_at:time`),
	of("events", "seq", `seq:int position:int id:uuid type:text organization_id:uuid entity_id:uuid subject_type:text subject_id:uuid
		subject_version:int actor_type:text actor_id:uuid client_id:text request_id:text created_at:time changes:json data:json`),
	of("webhooks", "id", `id:uuid organization_id:uuid url:text types:json entity_ids:json enabled:bool failing_since:time resume_at:time
		disabled_at:time sealed:bytes old_secret_until:time created_by:uuid created_at:time updated_at:time position:int seq:int`),
	of("webhook_deliveries", "id", `id:uuid webhook_id:uuid organization_id:uuid event_id:uuid event:json state:text attempts:int tries:int
		next_attempt_at:time last_attempt_at:time status:int failure:text created_at:time updated_at:time`),
	of("usage_counters", "organization_id counter period", `organization_id:uuid counter:text period:text used:int`),
	of("usage_shares", "organization_id counter period entity_id", `organization_id:uuid counter:text period:text entity_id:uuid used:int`),
	of("idempotency_keys", "organization_id credential operation key", `organization_id:uuid credential:text operation:text key:text
		fingerprint:text owner:uuid reserved:uuid body:bytes etag:text started_at:time leased_until:time finished_at:time`),
	of("inbox", "id", `id:uuid sender:text event_id:text type:text body:bytes occurred_at:time received_at:time state:text attempts:int
		failure:text done_at:time`),
	of("known_plans", "organization_id", `organization_id:uuid name:text status:text writable:bool cycle_end:time max_entities:int
		max_invoices_per_month:int payment_url:text read_at:time`),
	of("charges", "subscription_id month", `subscription_id:text month:text organization_id:uuid customer_id:text price_id:text quantity:int event_id:text
		event_at:time state:text invoice_id:text outcome:text reason:text created_at:time updated_at:time`),
	of("bookmarks", "name", `name:text at:time`),
	of("plan_events", "organization_id sender", `organization_id:uuid sender:text event_id:text type:text occurred_at:time`),
	of("grants", "id", `id:uuid organization_id:uuid provider:text account:text event:text sealed:bytes access_expires_at:time scopes:json
		generation:int ended:bool created_at:time updated_at:time`),
	of("integrations", "id", `id:uuid entity_id:uuid organization_id:uuid provider:text status:text reason:text grant_id:uuid metadata:json
		tenant:text created_by:uuid last_activity_at:time version:int created_at:time updated_at:time`),
	of("consent_attempts", "state_hash", `state_hash:text organization_id:uuid integration_id:uuid user_id:uuid sealed:bytes
		redirect_url:text expires_at:time browser_hash:text confirmation_hash:text actor_type:text link_id:uuid`),
	of("provider_meters", "name", `name:text body:json updated_at:time`),
	of("invoice_syncs", "invoice_id", `invoice_id:uuid organization_id:uuid entity_id:uuid integration_id:uuid state:text
		next_attempt_at:time remote_id:text body:json updated_at:time`),
	of("supplier_codings", "entity_id integration_id supplier_hash", `entity_id:uuid integration_id:uuid supplier_hash:text
		organization_id:uuid contact_id:text account_id:text tax_rates:json updated_at:time`),
	of("watches", "integration_id", `integration_id:uuid organization_id:uuid run:int next_poll_at:time cursor:text body:json woken:bool`),
	of("watch_nodes", "integration_id item_id", `integration_id:uuid item_id:text parent_id:text name:text version:text hash:text
		size_bytes:int media_type:text web_url:text modified_at:time folder:bool top:bool linked:bool removed:bool epoch:int listed:bool
		state:text reason:text done_version:text attempts:int next_at:time skipped_at:time`),
	of("watch_versions", "integration_id item_id version", `integration_id:uuid item_id:text version:text document_id:uuid created_at:time`),
	of("watch_subscriptions", "id", `id:uuid integration_id:uuid organization_id:uuid proof:bytes source:text sub_source:text
		remote_id:text resource:text expires_at:time created_at:time`),
	of("erasures", "organization_id", `organization_id:uuid actor:text counts:json started_at:time finished_at:time`),
	of("blob_removals", "sha256", `sha256:text organization_id:uuid state:text due_at:time`),
}

func of(name, key, columns string) table {
	t := table{name: name, key: strings.Fields(key)}
	for _, c := range strings.Fields(columns) {
		name, k, _ := strings.Cut(c, ":")
		t.columns = append(t.columns, column{name, kind(k)})
	}
	return t
}

// begin orders the rows by an expression before their keys.
func (t table) begin(expression string) table {
	t.first = expression
	return t
}

func (t table) kindOf(name string) kind {
	for _, c := range t.columns {
		if c.name == name {
			return c.kind
		}
	}
	return ""
}

func find(name string) (table, bool) {
	for _, t := range tables {
		if t.name == name {
			return t, true
		}
	}
	return table{}, false
}

// Tables returns the names of the transferred tables, each after those that it refers to.
func Tables() []string {
	out := make([]string, len(tables))
	for i, t := range tables {
		out[i] = t.name
	}
	return out
}

// isLeft reports whether a table is excluded.
func isLeft(name string) bool {
	for _, l := range excludedTables {
		if prefix, wild := strings.CutSuffix(l, "*"); name == l || wild && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
