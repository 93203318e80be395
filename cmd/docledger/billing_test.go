package main

import (
	"bytes"
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	sim "docledger/adapter/sim/stripe"
)

// run runs a command like a shell and returns its output.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	c := root()
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(&out)
	err := c.ExecuteContext(context.Background())
	return out.String(), err
}

func TestBillingExplain(t *testing.T) {
	processor := sim.New(sim.Options{Account: sim.ReadyAccount(), SecretKeys: []string{"sk_test_cli"}})
	server := httptest.NewServer(processor)
	defer processor.Close()
	defer server.Close()
	for name, value := range map[string]string{
		"DOCLEDGER_ENV": "local", "BASE_URL": "http://127.0.0.1:1", "DATA_DIR": t.TempDir(), "IDENTITY": "local",
		"BILLING": "stripe", "PAYMENT_SECRET_KEY": "sk_test_cli", "PAYMENT_SIGNING_SECRETS": "whsec_cli_0123456789", "PAYMENT_URL": server.URL,
	} {
		t.Setenv(name, value)
	}
	created, err := run(t, "organization", "create", "Explained")
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(created)
	out, err := run(t, "billing", "explain", id)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(out) {
		fields := strings.Join(strings.Fields(line), " ")
		what, rest, _ := strings.Cut(fields, " ")
		rows[what] = rest
	}
	for what, want := range map[string]string{
		"WHAT": "VALUE SOURCE DETAIL EVENT", "status": "trialing trial metadata terms of a new organization -",
		"plan": "trial trial metadata terms of a new organization -", "entities,": "most 10 trial metadata terms of a new organization -",
		"invoices": "0 counter", "organization": "Explained " + id,
	} {
		if !strings.HasPrefix(rows[what], want) {
			t.Errorf("%s: %q, want %q\n%s", what, rows[what], want, out)
		}
	}
	for _, arg := range []string{"unknown", "01936b1e-0000-7000-8000-000000000001"} {
		if out, err := run(t, "billing", "explain", arg); err == nil {
			t.Errorf("the explanation of %s: %s", arg, out)
		}
	}
}
