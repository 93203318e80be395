package quickbooks_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"docledger/adapter/accounting/quickbooks"
	sim "docledger/adapter/sim/quickbooks"
	"docledger/domain/accounting/accountingtest"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// vendor sends requests for the vendor's hosts to a simulator.
type vendor struct{ sim http.Handler }

func (v vendor) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	r = r.Clone(r.Context())
	r.Host = r.URL.Host
	if r.Body == nil {
		r.Body = http.NoBody
	}
	v.sim.ServeHTTP(w, r)
	return w.Result(), nil
}

// TestEnvironments checks that keys work in their own environment only, and that the refusal of the
// other one names the variable.
func TestEnvironments(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		environment string
		development bool
		works       bool
		web         string
	}{
		{"", false, true, "https://qbo.intuit.com/"},
		{quickbooks.Production, false, true, "https://qbo.intuit.com/"},
		{quickbooks.Sandbox, true, true, "https://sandbox.qbo.intuit.com/"},
		{quickbooks.Sandbox, false, false, ""},
		{quickbooks.Production, true, false, ""},
	} {
		server := sim.New(sim.Options{
			Origin: "https://oauth.platform.intuit.com", Start: start, Settings: sim.Settings{AutoApprove: true, AutoCompany: sim.VATCompany},
			Clients: []sim.Client{{ID: "id", Secret: "secret", RedirectURIs: []string{accountingtest.RedirectURI}, Development: test.development}},
		})
		c, err := quickbooks.New(quickbooks.Options{
			ClientID: "id", ClientSecret: secret.New("secret"), Transport: vendor{server}, Now: server.Kit.Clock.Now,
			Settings: map[string]string{quickbooks.SettingEnvironment: test.environment},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		back, err := server.Consent(c.AuthorizationURL(integration.AuthorizationRequest{State: "s", RedirectURI: accountingtest.RedirectURI}), sim.VATCompany)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(back)
		if err != nil {
			t.Fatal(err)
		}
		consent, err := c.Exchange(ctx, integration.Callback{Code: u.Query().Get("code"), RedirectURI: accountingtest.RedirectURI, Query: u.Query()})
		if err != nil {
			t.Fatal(err)
		}
		a := integration.Access{Token: consent.Tokens.Access, Account: consent.Account, Tenant: sim.VATCompany}
		b := plainBill()
		made, err := c.CreateBill(ctx, a, b, "key")
		switch {
		case test.works && (err != nil || !strings.HasPrefix(made.URL, test.web)):
			t.Errorf("%+v: %q, %v", test, made.URL, err)
		case !test.works && (!errors.Is(err, integration.ErrTenantGone) || !strings.Contains(err.Error(), "ACCOUNTING_B_ENVIRONMENT")):
			t.Errorf("%+v: %v", test, err)
		}
	}
	if _, err := quickbooks.New(quickbooks.Options{
		ClientID: "id", ClientSecret: secret.New("s"), Settings: map[string]string{quickbooks.SettingEnvironment: "test"},
	}); err == nil {
		t.Error("an unknown environment is accepted")
	}
}
