package service_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"docledger/adapter/connector"
	"docledger/cmd/service"
	"docledger/domain/integration"
	"docledger/domain/secret"
	"docledger/infrastructure/config"
	"docledger/infrastructure/httpclient"
)

// third is a provider that no other package knows.
const third integration.Provider = "ACCOUNTING_C"

func thirdDescriptor() integration.Descriptor {
	return integration.Descriptor{
		Code: third, Scopes: []string{"bills"}, Settings: []integration.Setting{{Name: "REGION", Meaning: "the region of the accounts"}},
		Limits: integration.Limits{Windows: []integration.Window{{Length: time.Minute, Max: 10}}},
	}
}

type thirdConnector struct{ *connector.Consents }

func newThird(o connector.Options) (*thirdConnector, error) {
	l, err := connector.Open(thirdDescriptor(), o, httpclient.Options{RequestIDs: []string{"X-Third-Request"}})
	if err != nil {
		return nil, err
	}
	at := l.At("https://third.example")
	return &thirdConnector{&connector.Consents{
		Link: l, OAuth: l.OAuth(at+"/authorize/"+l.Settings["REGION"], at+"/token"), Ended: []string{"invalid_grant"},
		Identify: func(integration.Callback, httpclient.Token) (integration.Consent, error) {
			return integration.Consent{Account: "account"}, nil
		},
	}}, nil
}

// TestThirdProvider adds a provider only by its registration. Configuration, service and consents
// must know it.
func TestThirdProvider(t *testing.T) {
	t.Parallel()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"a","refresh_token":"r","expires_in":60}`)
	}))
	t.Cleanup(provider.Close)
	registered := append(service.Registrations(), connector.Register(thirdDescriptor(), newThird))
	specs := service.ProviderSpecs(registered)
	values := map[string]string{
		"DOCLEDGER_ENV": "local", "BILLING": "none", "IDENTITY": "local", "DATA_DIR": t.TempDir(), "ACCOUNTING_C_CLIENT_ID": "id",
		"ACCOUNTING_C_URL": provider.URL, "ACCOUNTING_C_REGION": "north",
	}
	load := func() (config.Config, error) {
		return config.Load(func(name string) (string, bool) { v, ok := values[name]; return v, ok }, specs...)
	}
	if _, err := load(); err == nil || !strings.Contains(err.Error(), "ACCOUNTING_C_CLIENT_SECRET") {
		t.Errorf("without its secret: %v", err)
	}
	values["ACCOUNTING_C_CLIENT_SECRET"] = "secret"
	cfg, err := load()
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]string{}
	for _, v := range config.Variables(specs...) {
		described[v.Name] = v.Meaning
	}
	if described["ACCOUNTING_C_REGION"] != "the region of the accounts" || described["ACCOUNTING_C_CLIENT_ID"] == "" {
		t.Errorf("the variables are described as %q", described["ACCOUNTING_C_REGION"])
	}
	s, err := service.Open(context.Background(), cfg, slog.New(slog.DiscardHandler), service.Overrides{
		Registrations: []connector.Registration{connector.Register(thirdDescriptor(), newThird)},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	codes := s.Integrations.Providers.Codes()
	if codes[len(codes)-1] != third || third.Type() != integration.Accounting || !s.Integrations.Available(third) {
		t.Errorf("the service offers %v", codes)
	}
	c := s.Integrations.Connectors[third]
	if to := c.AuthorizationURL(integration.AuthorizationRequest{State: "s"}); !strings.HasPrefix(to, provider.URL+"/authorize/north?") {
		t.Errorf("the consent page is at %s", to)
	}
	tokens, err := c.Refresh(context.Background(), secret.New("old"))
	if err != nil || tokens.Access.Reveal() != "a" || tokens.Refresh.Reveal() != "r" {
		t.Errorf("refreshed %+v, %v", tokens, err)
	}
}
