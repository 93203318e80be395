// Package doctor tests the doctor command on healthy and faulty installations.
package doctor

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	simclerk "docledger/adapter/sim/clerk"
	simstripe "docledger/adapter/sim/stripe"
	"docledger/cmd/service"
	"docledger/infrastructure/config"
	"docledger/test/lib/harness"
	"docledger/test/lib/objectstore"
	"docledger/test/lib/postgres"
	"docledger/test/lib/redis"
)

// nowhere is an address without a listener.
const nowhere = "127.0.0.1:1"

var all = service.DiagnoseOptions{Roles: []string{service.RoleAPI, service.RoleWorker, service.RoleTools}}

func key(text string) string {
	return base64.StdEncoding.EncodeToString([]byte(text)[:32])
}

// installation returns the environment of an installation with all dependencies, with
// simulated third parties.
func installation(t *testing.T) map[string]string {
	t.Helper()
	processor := simstripe.New(simstripe.Options{Account: simstripe.ReadyAccount(), SecretKeys: []string{"sk_live_doctor"}})
	payments := httptest.NewServer(processor)
	t.Cleanup(func() {
		payments.Close()
		processor.Close()
	})
	bucket := objectstore.New(t)
	o := harness.Options{Env: map[string]string{
		"DOCLEDGER_ENV": "deployed", "BASE_URL": "http://127.0.0.1:1", "DATA_DIR": t.TempDir(), "DATABASE_URL": postgres.New(t),
		"REDIS_URL": redis.URL(t), "JWT_SIGNING_KEYS": key("first of thirty-two random bytes!"), "TOKEN_KEYS": key("other of thirty-two random bytes!"),
		"BLOB_URL": bucket.URL, "BLOB_BUCKET": "documents", "BLOB_ADDRESSING": "path",
		"BLOB_ACCESS_KEY": objectstore.AccessKey, "BLOB_SECRET_KEY": objectstore.SecretKey,
		"BILLING": "stripe", "PAYMENT_SECRET_KEY": "sk_live_doctor", "PAYMENT_SIGNING_SECRETS": "whsec_doctor_0123456789", "PAYMENT_URL": payments.URL,
		"OCR": "off", "COMPILE_CACHE_DIR": filepath.Join(os.TempDir(), "docledger-test-cache"),
	}}
	a, _ := harness.NewLedgerA(t)
	b, _ := harness.NewLedgerB(t)
	folders, _ := harness.NewStoreB(t)
	sites, _ := harness.NewStoreA(t)
	env := o.WithProvider(harness.NewProvider(t, simclerk.Options{})).With(a, b).WithStore(folders).WithStore(sites).Env
	cfg := load(t, env)
	if err := service.Migrate(context.Background(), cfg); err != nil {
		t.Fatal(err)
	}
	return env
}

func load(t *testing.T, env map[string]string) config.Config {
	t.Helper()
	cfg, err := service.ConfiguredFrom(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// diagnose returns the findings that are not ok, by subject.
func diagnose(t *testing.T, env map[string]string, x service.DiagnoseOptions) map[string]service.Finding {
	t.Helper()
	problems := map[string]service.Finding{}
	for _, f := range service.Diagnose(context.Background(), load(t, env), x) {
		if f.State() != "ok" {
			problems[f.Subject] = f
		}
		text := f.Detail() + f.Remedy
		for name, value := range env {
			if strings.Contains(name, "SECRET") && strings.Contains(text, value) {
				t.Errorf("%s: the value of %s appears in %s", f.Subject, name, text)
			}
		}
		if f.Detail() == "" || strings.Contains(f.Detail(), "\n") || f.State() != "ok" && f.Remedy == "" {
			t.Errorf("%s is %s with the wrong number of texts: %q, %q", f.Subject, f.State(), f.Detail(), f.Remedy)
		}
	}
	return problems
}

// TestEachProblemIsReported breaks one dependency at a time and expects its finding.
func TestEachProblemIsReported(t *testing.T) {
	t.Parallel()
	env := installation(t)
	if problems := diagnose(t, env, all); len(problems) != 1 || problems["plans for sale"].State() != "WARNING" {
		t.Fatalf("a healthy installation has %v", problems)
	}
	late := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(-10*time.Minute).UTC().Format(http.TimeFormat))
	}))
	t.Cleanup(late.Close)
	for name, c := range map[string]struct {
		vary map[string]string
		want map[string]string // subject → state
	}{
		"database unavailable": {
			map[string]string{"DATABASE_URL": "postgres://x@" + nowhere + "/x"},
			map[string]string{"database": "FAILED", "schema": "FAILED", "work": "FAILED", "tokens of integrations": "FAILED"},
		},
		"never migrated": {
			map[string]string{"DATABASE_URL": postgres.NewEmpty(t)},
			map[string]string{"schema": "FAILED", "work": "FAILED", "tokens of integrations": "FAILED"},
		},
		"object store unavailable": {map[string]string{"BLOB_URL": "http://" + nowhere}, map[string]string{"documents": "FAILED"}},
		"object store slow":        {map[string]string{"BLOB_URL": late.URL}, map[string]string{"documents": "FAILED", "clock": "FAILED"}},
		"wrong object store key":   {map[string]string{"BLOB_SECRET_KEY": "another"}, map[string]string{"documents": "FAILED"}},
		"no bucket":                {map[string]string{"BLOB_BUCKET": "none-such"}, map[string]string{"documents": "FAILED"}},
		"Redis unavailable":        {map[string]string{"REDIS_URL": "redis://" + nowhere}, map[string]string{"Redis": "FAILED"}},
		"no Redis":                 {map[string]string{"REDIS_URL": ""}, map[string]string{"Redis": "WARNING"}},
		"wrong payment key":        {map[string]string{"PAYMENT_SECRET_KEY": "sk_live_other"}, map[string]string{"payment processor": "FAILED"}},
		"test mode":                {map[string]string{"PAYMENT_SECRET_KEY": "sk_test_x"}, map[string]string{"payment processor": "FAILED", "secrets": "WARNING"}},
		"http, permitted":          {map[string]string{"BASE_URL": "http://docs.example.com", "ALLOW_INSECURE_HTTP": "yes"}, map[string]string{"secrets": "WARNING"}},
		"payments unavailable":     {map[string]string{"PAYMENT_URL": "http://" + nowhere}, map[string]string{"payment processor": "FAILED"}},
		"identity unavailable":     {map[string]string{"IDENTITY_URL": "http://" + nowhere}, map[string]string{"identity provider": "FAILED"}},
		"wrong identity key":       {map[string]string{"IDENTITY_SECRET_KEY": "sk_live_other"}, map[string]string{"identity provider": "FAILED"}},
		"one key for two uses":     {map[string]string{"DOCLEDGER_ENV": "local", "TOKEN_KEYS": env["JWT_SIGNING_KEYS"]}, map[string]string{"secrets": "FAILED"}},
		"no random key":            {map[string]string{"DOCLEDGER_ENV": "local", "TOKEN_KEYS": base64.StdEncoding.EncodeToString(make([]byte, 32))}, map[string]string{"secrets": "FAILED"}},
		"ledger A, secret":         {map[string]string{"ACCOUNTING_A_CLIENT_SECRET": "another"}, map[string]string{"ACCOUNTING_A": "FAILED"}},
		"ledger B, secret":         {map[string]string{"ACCOUNTING_B_CLIENT_SECRET": "another"}, map[string]string{"ACCOUNTING_B": "FAILED"}},
		"store A, secret":          {map[string]string{"DOCSTORE_A_CLIENT_SECRET": "another"}, map[string]string{"DOCSTORE_A": "FAILED"}},
		"store B, id":              {map[string]string{"DOCSTORE_B_CLIENT_ID": "another"}, map[string]string{"DOCSTORE_B": "FAILED"}},
		"ledger A unavailable":     {map[string]string{"ACCOUNTING_A_URL": "http://" + nowhere}, map[string]string{"ACCOUNTING_A": "FAILED"}},
		"unusable cache":           {map[string]string{"COMPILE_CACHE_DIR": "/proc/none"}, map[string]string{"PDF reader": "FAILED"}},
		"no engine for scans":      {map[string]string{"OCR": "on", "OCR_DIR": "/proc/none"}, map[string]string{"reading of scans": "WARNING"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problems := diagnose(t, varied(env, c.vary), all)
			if name != "test mode" && name != "wrong payment key" && name != "payments unavailable" {
				delete(problems, "plans for sale")
			}
			got := map[string]string{}
			for subject, f := range problems {
				got[subject] = f.State()
			}
			if !maps.Equal(got, c.want) {
				t.Errorf("found %v, want %v", problems, c.want)
			}
			if f := problems["secrets"]; name == "http, permitted" && (!strings.Contains(f.Warning, "BASE_URL is http") || !strings.Contains(f.Remedy, "ALLOW_INSECURE_HTTP")) {
				t.Errorf("the warning is %+v", f)
			}
		})
	}
}

func varied(env, vary map[string]string) map[string]string {
	out := maps.Clone(env)
	maps.Copy(out, vary)
	return out
}

// TestToolsAlone verifies that a tool server checks only the API that it calls.
func TestToolsAlone(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{NoWorkers: true})
	env := map[string]string{"BILLING": "none", "IDENTITY": "local", "BACKEND_URL": s.URL}
	x := service.DiagnoseOptions{Roles: []string{service.RoleTools}}
	if problems := diagnose(t, env, x); len(problems) != 0 {
		t.Errorf("found %v", problems)
	}
	env["BACKEND_URL"] = "http://" + nowhere
	if problems := diagnose(t, env, x); !slices.Equal(slices.Collect(maps.Keys(problems)), []string{"API"}) {
		t.Errorf("found %v", problems)
	}
}

// TestStoredKeysArePrivate verifies that only the owner may read the key files.
func TestStoredKeysArePrivate(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{NoWorkers: true})
	env := map[string]string{"BILLING": "none", "IDENTITY": "local", "DATA_DIR": s.DataDir, "OCR": "off", "COMPILE_CACHE_DIR": filepath.Join(os.TempDir(), "docledger-test-cache")}
	if problems := diagnose(t, env, all); len(problems) != 0 {
		t.Errorf("found %v", problems)
	}
	if err := os.Chmod(filepath.Join(s.DataDir, "keys", "jwt"), 0o644); err != nil {
		t.Fatal(err)
	}
	if problems := diagnose(t, env, all); problems["secrets"].Err == nil {
		t.Errorf("found %v", problems)
	}
}

// TestPaymentSetup verifies that the doctor finds what the payment processor would refuse later.
func TestPaymentSetup(t *testing.T) {
	t.Parallel()
	env := installation(t)
	for account, want := range map[simstripe.Account][]string{
		{}:                       {"business name", "customer portal"},
		{PortalSaved: true}:      {"business name"},
		{BusinessName: "Shop"}:   {"customer portal"},
		simstripe.ReadyAccount(): nil,
	} {
		body, err := json.Marshal(account)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.Post(env["PAYMENT_URL"]+"/_sim/settings", "application/json", bytes.NewReader(body))
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(err, answer)
		}
		answer.Body.Close()
		var found []string
		for subject, f := range diagnose(t, env, all) {
			if f.Err != nil {
				found = append(found, subject)
			}
		}
		slices.Sort(found)
		if !slices.Equal(found, want) {
			t.Errorf("%+v: found %v, want %v", account, found, want)
		}
	}
}
