package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"docledger/domain/document"
	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/organization"

	"github.com/google/uuid"
)

// maxReasons limits the reasons of failures in a report, and maxReportedCalls
// the accounts of providers.
const (
	maxReasons       = 100
	maxReportedCalls = 500
)

// elapsed is the SQL expression for the seconds between two times.
func (s *Store) elapsed(from, to string) string {
	if s.postgres {
		return "EXTRACT(EPOCH FROM " + to + " - " + from + ")::float8"
	}
	return "(julianday(" + to + ") - julianday(" + from + ")) * 86400"
}

// Report implements organization.Reports.
func (r Organizations) Report(ctx context.Context, id uuid.UUID, from time.Time) (*organization.Report, error) {
	report := &organization.Report{From: instant(from), To: instant(r.s.now())}
	for _, read := range []func(context.Context, uuid.UUID, *organization.Report) error{
		r.reportDocuments, r.reportSyncs, r.reportFailures, r.reportCalls,
	} {
		if err := read(ctx, id, report); err != nil {
			return nil, err
		}
	}
	return report, nil
}

func (r Organizations) reportDocuments(ctx context.Context, id uuid.UUID, report *organization.Report) error {
	var row struct{ Documents, Invoices, Decided, Touchless int }
	settled := []invoice.Status{invoice.Approved, invoice.Synced, invoice.SyncFailed}
	err := r.s.handle(ctx).Raw(`SELECT count(*) AS documents, count(i.id) AS invoices,
		COALESCE(sum(CASE WHEN i.status IN ? OR i.status = ? THEN 1 ELSE 0 END), 0) AS decided,
		COALESCE(sum(CASE WHEN i.status IN ? AND NOT EXISTS (SELECT 1 FROM events AS e WHERE e.subject_id = i.id AND e.organization_id = d.organization_id
			AND e.actor_type <> ? AND e.type NOT IN ?) THEN 1 ELSE 0 END), 0) AS touchless
		FROM documents AS d LEFT JOIN invoices AS i ON i.document_id = d.id
		WHERE d.organization_id = ? AND d.created_at >= ? AND d.status <> ?`,
		settled, invoice.Rejected, settled, identity.ActorSystem, []event.Type{event.InvoiceExtracted, event.InvoiceNeedsReview},
		id, report.From, document.Split).Scan(&row).Error
	report.Documents, report.Invoices, report.Decided, report.Touchless = row.Documents, row.Invoices, row.Decided, row.Touchless
	return failed("count the documents", err)
}

// reportSyncs measures the time from the arrival of a document to the first
// event that its invoice was synced. The inner query finds that event per document: in a
// join SQLite, which has no statistics, would begin with all events of the organization.
func (r Organizations) reportSyncs(ctx context.Context, id uuid.UUID, report *organization.Report) error {
	durations := `SELECT ` + r.s.elapsed("d.created_at", `(SELECT min(e.created_at) FROM events AS e
			WHERE e.subject_id = i.id AND e.organization_id = d.organization_id AND e.type = ?)`) + ` AS seconds
		FROM documents AS d JOIN invoices AS i ON i.document_id = d.id WHERE d.organization_id = ? AND d.created_at >= ?`
	var rows []struct {
		Total, Place int
		Seconds      float64
	}
	err := r.s.handle(ctx).Raw(`SELECT total, place, seconds FROM (
			SELECT seconds, row_number() OVER (ORDER BY seconds) AS place, count(*) OVER () AS total FROM (`+durations+`) AS t WHERE seconds IS NOT NULL
		) AS o WHERE place IN ((total + 1) / 2, (total * 9 + 9) / 10, total)`, event.InvoiceSynced, id, report.From).Scan(&rows).Error
	if err != nil {
		return failed("measure the syncs", err)
	}
	for _, row := range rows {
		took := time.Duration(max(row.Seconds, 0) * float64(time.Second)).Round(time.Millisecond)
		syncs := &report.ArrivalToSync
		syncs.Count = row.Total
		if row.Place == (row.Total+1)/2 {
			syncs.Median = took
		}
		if row.Place == (row.Total*9+9)/10 {
			syncs.Ninety = took
		}
		if row.Place == row.Total {
			syncs.Longest = took
		}
	}
	return nil
}

func (r Organizations) reportFailures(ctx context.Context, id uuid.UUID, report *organization.Report) error {
	for _, q := range []struct {
		stage  organization.Stage
		sql    string
		status any
	}{
		{organization.StageExtraction, `SELECT COALESCE(d.failure->>'code', '') AS reason, count(*) AS count FROM documents AS d
			WHERE d.organization_id = ? AND d.created_at >= ? AND d.status = ? GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?`, document.Failed},
		{organization.StageSync, `SELECT COALESCE(s.body->'error'->>'code', '') AS reason, count(*) AS count FROM invoice_syncs AS s
			JOIN invoices AS i ON i.id = s.invoice_id JOIN documents AS d ON d.id = i.document_id
			WHERE s.organization_id = ? AND d.created_at >= ? AND s.state = ? GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?`, invoice.SyncEnded},
	} {
		var rows []struct {
			Reason string
			Count  int
		}
		if err := r.s.handle(ctx).Raw(q.sql, id, report.From, q.status, maxReasons).Scan(&rows).Error; err != nil {
			return failed("count the failures", err)
		}
		for _, row := range rows {
			report.Failures = append(report.Failures, organization.FailureCount{Stage: q.stage, Reason: row.Reason, Count: row.Count})
		}
	}
	return nil
}

// reportCalls reads the rate trackers of the accounts that the organization has
// connected. A rate tracker belongs to a tenant of the provider, to an account, or
// to the part of an account before a colon, the account's organization.
func (r Organizations) reportCalls(ctx context.Context, id uuid.UUID, report *organization.Report) error {
	var meters []meterRow
	err := r.s.handle(ctx).Raw(`SELECT m.* FROM provider_meters AS m WHERE EXISTS (SELECT 1 FROM integrations AS i
			WHERE i.organization_id = ? AND i.status <> ? AND i.provider || '|' || i.tenant = m.name)
		OR EXISTS (SELECT 1 FROM grants AS g WHERE g.organization_id = ? AND NOT g.ended AND (g.provider || '|' || g.account = m.name
			OR substr(g.provider || '|' || g.account, 1, length(m.name) + 1) = m.name || ':'))
		ORDER BY m.name LIMIT ?`, id, integration.Disconnected, id, maxReportedCalls).Scan(&meters).Error
	if err != nil {
		return failed("read the meters", err)
	}
	for _, row := range meters {
		var m integration.RateTracker
		if err := json.Unmarshal([]byte(row.Body), &m); err != nil {
			return fmt.Errorf("read the meter %s: %w", row.Name, err)
		}
		if len(m.Windows) == 0 {
			continue
		}
		longest := slices.MaxFunc(m.Windows, func(a, b integration.WindowUsage) int { return cmp.Compare(a.Length, b.Length) })
		provider, account, _ := strings.Cut(row.Name, "|")
		report.Calls = append(report.Calls, organization.ProviderCalls{
			Provider: integration.Provider(provider), Account: account, Window: longest.Length, Used: longest.UsedAt(report.To),
		})
	}
	return nil
}
