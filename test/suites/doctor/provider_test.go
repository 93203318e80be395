package doctor

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"docledger/cmd/service"
	"docledger/domain/integration"
)

// TestProviderCalls checks the first calls to each provider, and that a wrong secret and a provider that
// is not configured are reported with what to do.
func TestProviderCalls(t *testing.T) {
	t.Parallel()
	env := installation(t)
	ask := func(vary map[string]string, code integration.Provider) map[string]service.Finding {
		t.Helper()
		s, err := service.Open(context.Background(), load(t, varied(env, vary)), slog.New(slog.DiscardHandler), service.Overrides{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		found := map[string]service.Finding{}
		for _, f := range s.DiagnoseProvider(context.Background(), code) {
			found[f.Subject] = f
			if strings.Contains(f.Detail()+f.Remedy, env[string(code)+"_CLIENT_SECRET"]) {
				t.Errorf("%s: %s shows the secret", code, f.Subject)
			}
		}
		return found
	}
	for _, code := range service.Catalog(service.Registrations()).Codes() {
		found := ask(nil, code)
		for subject, want := range map[string]string{"configuration": "ok", "consent address": "ok", "token endpoint": "ok", "first read": "WARNING"} {
			if f := found[subject]; f.State() != want || f.Detail() == "" {
				t.Errorf("%s: %s is %s: %s", code, subject, f.State(), f.Detail())
			}
		}
		found = ask(map[string]string{string(code) + "_CLIENT_SECRET": "another"}, code)
		if f := found["token endpoint"]; f.State() != "FAILED" || !strings.Contains(f.Detail(), "invalid_client") || f.Remedy == "" {
			t.Errorf("%s: with a wrong secret: %s: %s", code, f.State(), f.Detail())
		}
	}
	if f := ask(map[string]string{"DOCSTORE_B_CLIENT_ID": ""}, "DOCSTORE_B")["configuration"]; f.State() != "FAILED" {
		t.Errorf("not configured: %s", f.State())
	}
	for _, party := range []string{service.PartyPayments, service.PartyIdentity} {
		for _, f := range service.DiagnoseParty(context.Background(), load(t, env), party) {
			if f.Err != nil {
				t.Errorf("%s: %s: %v", party, f.Subject, f.Err)
			}
		}
	}
}
