package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"docledger/domain/organization"

	"github.com/google/uuid"
)

func TestOrganizationReport(t *testing.T) {
	for name, value := range map[string]string{
		"DOCLEDGER_ENV": "local", "BASE_URL": "http://127.0.0.1:1", "DATA_DIR": t.TempDir(), "IDENTITY": "local", "BILLING": "none",
	} {
		t.Setenv(name, value)
	}
	created, err := run(t, "organization", "create", "Reported")
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(created)
	out, err := run(t, "organization", "report", id)
	if err != nil || !strings.Contains(out, "Reported") || !strings.Contains(out, "no invoice is decided") || !strings.Contains(out, "no bill") {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = run(t, "organization", "report", id, "--json", "--days", "7")
	var line map[string]any
	if jsonErr := json.Unmarshal([]byte(out), &line); err != nil || jsonErr != nil || line["organization_id"] != id || line["touchless_percent"] != nil {
		t.Errorf("%v, %v\n%s", err, jsonErr, out)
	}
	for _, args := range [][]string{{"unknown"}, {"01936b1e-0000-7000-8000-000000000001"}, {id, "--days", "0"}, {id, "--days", "367"}} {
		if out, err := run(t, append([]string{"organization", "report"}, args...)...); err == nil {
			t.Errorf("%v: %s", args, out)
		}
	}
}

func TestReportShowsEveryFigure(t *testing.T) {
	t.Parallel()
	o := &organization.Organization{ID: uuid.New(), Name: "O"}
	r := &organization.Report{
		Documents: 12, Invoices: 10, Decided: 8, Touchless: 6,
		ArrivalToSync: organization.Durations{Count: 5, Median: 90 * time.Second, Ninety: time.Hour, Longest: 2 * time.Hour},
		Failures:      []organization.FailureCount{{Stage: organization.StageSync, Reason: "account_missing", Count: 2}},
		Calls:         []organization.ProviderCalls{{Provider: "ACCOUNTING_A", Account: "tenant", Window: 24 * time.Hour, Used: 71}},
	}
	var text, line bytes.Buffer
	if err := writeReport(&text, o, r); err != nil {
		t.Fatal(err)
	}
	if err := writeReportJSON(&line, o, r); err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(text.String()), " ")
	for _, want := range []string{"documents 12 10 invoices", "touchless 6 75.0 % of 8 decided", "arrival to sync 5 median 1m30s, 90 % within 1h0m0s, longest 2h0m0s", "failed sync 2 account_missing", "calls ACCOUNTING_A 71 in 24h0m0s, account tenant"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	for _, want := range []string{`"touchless_percent":75`, `"arrival_to_sync_p90_seconds":3600`, `"reason":"account_missing"`, `"window_seconds":86400,"used":71`} {
		if !strings.Contains(line.String(), want) {
			t.Errorf("no %s in %s", want, line.String())
		}
	}
}
