package main

import (
	"context"
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/cmd/service"
	"docledger/domain/integration"
	"docledger/domain/secret"
	"docledger/infrastructure/crypto"
	"docledger/infrastructure/database"

	"github.com/google/uuid"
)

// TestKeysRotate changes the key with the steps of the runbook.
func TestKeysRotate(t *testing.T) {
	dir := t.TempDir()
	first, second := strings.Repeat("1", crypto.KeySize), strings.Repeat("2", crypto.KeySize)
	as := func(keys ...string) {
		for i, k := range keys {
			keys[i] = base64.StdEncoding.EncodeToString([]byte(k))
		}
		t.Setenv("TOKEN_KEYS", strings.Join(keys, ","))
	}
	for name, value := range map[string]string{
		"DOCLEDGER_ENV": "local", "BASE_URL": "http://127.0.0.1:1", "DATA_DIR": dir, "IDENTITY": "local", "BILLING": "none",
		"COMPILE_CACHE_DIR": filepath.Join(dir, "cache"),
	} {
		t.Setenv(name, value)
	}
	as(first)
	created, err := run(t, "organization", "create", "Rotated")
	if err != nil {
		t.Fatal(err)
	}
	addGrant(t, filepath.Join(dir, "docledger.db"), first, uuid.MustParse(strings.TrimSpace(created)))
	tokens := func() string {
		out, _ := run(t, "doctor")
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, "tokens of integrations") {
				return strings.TrimSpace(strings.TrimPrefix(line, "tokens of integrations"))
			}
		}
		t.Fatalf("doctor does not report tokens:\n%s", out)
		return ""
	}
	if got := tokens(); !strings.HasPrefix(got, "ok") || !strings.Contains(got, "1 consent(s)") {
		t.Errorf("before: %s", got)
	}
	as(second)
	if got := tokens(); !strings.HasPrefix(got, "FAILED") || !strings.Contains(got, "TOKEN_KEYS lacks") {
		t.Errorf("without the first key: %s", got)
	}
	if _, err := run(t, "keys", "rotate"); err == nil {
		t.Error("rotated without the first key")
	}
	as(second, first)
	for _, want := range []string{"1 value(s)", "0 value(s)"} {
		if out, err := run(t, "keys", "rotate"); err != nil || !strings.HasPrefix(out, want) {
			t.Errorf("rotate prints %q, %v; want %s", out, err, want)
		}
	}
	as(second)
	if got := tokens(); !strings.HasPrefix(got, "ok") {
		t.Errorf("after the rotation: %s", got)
	}
}

func addGrant(t *testing.T, path, key string, organization uuid.UUID) {
	t.Helper()
	ctx := context.Background()
	db, err := database.Open(ctx, database.Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	keys, err := crypto.NewKeyset([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.New(ctx, db.Gorm, store.Options{Sealer: service.Sealer(keys)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = st.Grants().Put(ctx, organization, integration.AccountingA, integration.Consent{
		Account: "account", Tokens: integration.Tokens{Access: secret.New("a"), Refresh: secret.New("r"), AccessExpiresAt: time.Now()},
	})
	if err != nil {
		t.Fatal(err)
	}
}
