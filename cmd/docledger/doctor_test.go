package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestDoctorReportsRemedies checks the output as a table and as a list, and the exit
// status 1.
func TestDoctorReportsRemedies(t *testing.T) {
	for name, value := range map[string]string{
		"DOCLEDGER_ENV": "local", "DATA_DIR": t.TempDir(), "IDENTITY": "local", "BILLING": "none",
		"DATABASE_URL": "postgres://x@127.0.0.1:1/x", "REDIS_URL": "", "WORKERS": "",
	} {
		t.Setenv(name, value)
	}
	out, err := run(t, "doctor")
	if err == nil {
		t.Error("a faulty installation has no problem")
	}
	for _, want := range []string{
		`(?m)^CHECK +STATE +DETAIL$`, `(?m)^database +FAILED +\S`, `(?m)^documents +ok +folder`, `(?m)^Redis +WARNING +not used`,
		`(?m)^What to do:$`, `(?m)^  database: check DATABASE_URL`, `(?m)^  Redis: set REDIS_URL`,
		`(?m)^  schema: repair the database`, `(?m)^  tokens of integrations: repair the database`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("it lacks %s:\n%s", want, out)
		}
	}
	t.Setenv("WORKERS", "a-value-of-mine")
	t.Setenv("BILLING", "")
	out, err = run(t, "doctor")
	for _, want := range []string{`(?m)^WORKERS +FAILED +must be a whole number`, `(?m)^BILLING +FAILED +is required`} {
		if err == nil || !regexp.MustCompile(want).MatchString(out) || strings.Contains(out, "a-value-of-mine") {
			t.Errorf("without a complete configuration it prints (%v):\n%s", err, out)
		}
	}
}
