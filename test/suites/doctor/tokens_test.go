package doctor

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docledger/test/lib/harness"
)

// TestEncryptedTokensAreDecrypted verifies that doctor decrypts every grant. It
// reports a missing key, and a corrupt grant does not hide the others.
func TestEncryptedTokensAreDecrypted(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		a, _ := harness.NewLedgerA(t)
		b, _ := harness.NewLedgerB(t)
		o.NoWorkers, o.DataDir = true, t.TempDir()
		o = o.With(a, b)
		s := harness.Start(t, o)
		org := s.NewOrganization("Sealed")
		s.Connect(org, org.Entity, a, a.Tenants[0])
		s.Connect(org, org.Entity, b, b.Tenants[0])
		env := maps.Clone(o.Env)
		maps.Copy(env, map[string]string{
			"BILLING": "none", "IDENTITY": "local", "BASE_URL": s.URL, "DATA_DIR": o.DataDir, "DATABASE_URL": o.DatabaseURL,
			"OCR": "off", "COMPILE_CACHE_DIR": filepath.Join(os.TempDir(), "docledger-test-cache"),
		})
		const subject = "tokens of integrations"
		if f, found := diagnose(t, env, all)[subject]; found {
			t.Fatalf("readable tokens are %+v", f)
		}
		lost := varied(env, map[string]string{"TOKEN_KEYS": key("another of thirty-two random bytes!")})
		missing := diagnose(t, lost, all)[subject]
		if missing.State() != "FAILED" || !strings.Contains(missing.Detail(), "lacks the keys") || !strings.Contains(missing.Detail(), "(2)") {
			t.Errorf("without the key: %+v", missing)
		}
		db := openDatabase(t, o)
		var changed string
		if err := db.SQL.QueryRow("SELECT CAST(id AS text) FROM grants ORDER BY id LIMIT 1").Scan(&changed); err != nil {
			t.Fatal(err)
		}
		if err := db.Gorm.Exec("UPDATE grants SET sealed = (SELECT sealed FROM grants WHERE id <> ?) WHERE id = ?", changed, changed).Error; err != nil {
			t.Fatal(err)
		}
		f := diagnose(t, env, all)[subject]
		if f.State() != "FAILED" || !strings.Contains(f.Detail(), changed) || !strings.Contains(f.Remedy, "connect those") {
			t.Errorf("with tokens of another record: %+v", f)
		}
	})
}
