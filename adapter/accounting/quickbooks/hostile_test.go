package quickbooks_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"docledger/adapter/accounting/quickbooks"
	sim "docledger/adapter/sim/quickbooks"
	"docledger/domain/accounting"
	"docledger/domain/accounting/accountingtest"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// fixedResponse starts a server that returns the same response to every request.
func fixedResponse(t testing.TB, status int, media, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestMalformedResponses checks every call against malformed responses: no value is used, and
// the outcome of a bill creation stays unknown.
func TestMalformedResponses(t *testing.T) {
	t.Parallel()
	a := integration.Access{Token: secret.New("canary-token"), Tenant: sim.VATCompany, Account: sim.VATCompany}
	for name, answer := range map[string]struct {
		status      int
		media, body string
	}{
		"a page":              {200, "text/html", "<html>upstream</html>"},
		"XML":                 {200, "application/xml", "<IntuitResponse/>"},
		"nothing":             {200, "application/json", ""},
		"another object":      {200, "application/json", `{"ok":true}`},
		"lists of numbers":    {200, "application/json", `{"QueryResponse":{"Account":[1],"Vendor":[1],"TaxCode":[1],"TaxRate":[1],"Bill":[1]},"Bill":1,"CompanyInfo":1}`},
		"objects without ids": {200, "application/json", `{"QueryResponse":{"Bill":[{}],"Account":1,"Vendor":1,"TaxCode":1},"Bill":{},"CompanyInfo":{},"Preferences":{}}`},
		"a redirect":          {302, "text/html", ""},
		"a gateway":           {403, "text/html", "<html>blocked</html>"},
		"a bad request":       {400, "text/html", "<html>bad request</html>"},
		"its own failure":     {400, "application/json", `{"Fault":{"Error":[{"Message":"m","code":"10000"}],"type":"SystemFault"}}`},
		"a failure within":    {200, "application/json", `{"Fault":{"Error":[{"Message":"m","code":"10000"}],"type":"SystemFault"}}`},
		"a teapot":            {418, "application/json", `{}`},
		"no such place":       {404, "text/plain", "not here"},
		"too much":            {200, "application/json", `{"QueryResponse":{` + strings.Repeat(" ", 1<<20) + `}}`},
		"too much refusal":    {500, "application/json", strings.Repeat(" ", 2<<20)},
	} {
		c := limited(t, fixedResponse(t, answer.status, answer.media, answer.body), time.Minute, 1<<20)
		for call, do := range map[string]func(ctx context.Context) error{
			"organization":  func(ctx context.Context) error { _, err := c.Organization(ctx, a); return err },
			"organizations": func(ctx context.Context) error { _, err := c.Organizations(ctx, a); return err },
			"accounts":      func(ctx context.Context) error { _, err := c.Accounts(ctx, a, nil); return err },
			"contacts":      func(ctx context.Context) error { _, err := c.Contacts(ctx, a); return err },
			"tax rates":     func(ctx context.Context) error { _, err := c.TaxRates(ctx, a); return err },
			"currencies":    func(ctx context.Context) error { _, err := c.Currencies(ctx, a); return err },
			"rules":         func(ctx context.Context) error { _, err := c.Rules(ctx, a); return err },
			"book": func(ctx context.Context) error {
				_, err := c.CreateBill(ctx, a, plainBill(), "key")
				if !accounting.Uncertain(err) {
					t.Errorf("%s: the outcome of the creation is not unknown: %v", name, err)
				}
				return err
			},
			"find": func(ctx context.Context) error {
				_, err := c.Find(ctx, a, accounting.BillQuery{Kind: accounting.PurchaseBill, Contact: bessie, Number: "R-1"})
				return err
			},
			"refresh": func(ctx context.Context) error { _, err := c.Refresh(ctx, secret.New("canary-refresh")); return err },
		} {
			err := do(context.Background())
			f, ok := fault.As(err)
			if !ok || f.Kind != fault.Upstream || call != "refresh" && f.Code != fault.CodeProviderUnavailable {
				t.Errorf("%s of %s: %v", call, name, err)
			}
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("%s of %s: the error shows a token: %v", call, name, err)
			}
		}
	}
}

// TestNumbers checks that a malformed number invalidates the response, and that other numbers keep
// every digit.
func TestNumbers(t *testing.T) {
	t.Parallel()
	a := integration.Access{Token: secret.New("t"), Tenant: sim.VATCompany}
	for number, want := range map[string]string{"1e400": "", "8.875": "8.875", "0.1": "0.1", "17.50": "17.50"} {
		body := `{"QueryResponse":{"TaxRate":[{"Id":"3","RateValue":` + number + `}],"TaxCode":[{"Id":"2","Name":"x","Active":true,"Taxable":true,` +
			`"PurchaseTaxRateList":{"TaxRateDetail":[{"TaxRateRef":{"value":"3"}}]}}]}}`
		list, err := connector(t, fixedResponse(t, 200, "application/json", body), time.Minute).TaxRates(context.Background(), a)
		switch {
		case number == "1e400" && fault.CodeOf(err) != fault.CodeProviderUnavailable:
			t.Errorf("%s: %v, %v", number, list, err)
		case want != "" && (err != nil || len(list) != 1 || list[0].Rate.String() != want):
			t.Errorf("%s: %v, %v", number, list, err)
		}
	}
}

// TestTooLongResponse checks the connector's own limit of a response.
func TestTooLongResponse(t *testing.T) {
	t.Parallel()
	a := integration.Access{Token: secret.New("t"), Tenant: sim.VATCompany, Account: sim.VATCompany}
	body := `{"ok":true` + strings.Repeat(" ", 32<<20) + `}`
	_, err := connector(t, fixedResponse(t, 200, "application/json", body), time.Minute).Organization(context.Background(), a)
	if fault.CodeOf(err) != fault.CodeProviderUnavailable || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("Organization = %v", err)
	}
}

// TestEndlessLists checks that a list ends even if every page is full.
func TestEndlessLists(t *testing.T) {
	t.Parallel()
	pages := 0
	page := `{"QueryResponse":{"CompanyCurrency":[` + strings.Repeat(`{},`, 999) + `{}]},` +
		`"Preferences":{"CurrencyPrefs":{"MultiCurrencyEnabled":true,"HomeCurrency":{"value":"EUR"}}}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		pages++
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, page)
	}))
	t.Cleanup(server.Close)
	a := integration.Access{Token: secret.New("t"), Tenant: sim.VATCompany}
	if _, err := connector(t, server.URL, time.Minute).Currencies(context.Background(), a); fault.CodeOf(err) != fault.CodeProviderUnavailable || pages > 1001 {
		t.Errorf("%d pages, %v", pages, err)
	}
}

// TestForgedCompany checks that a browser cannot replace the company of the consent.
func TestForgedCompany(t *testing.T) {
	t.Parallel()
	c, w := open(t, nil)
	for name, realm := range map[string]string{"another": sim.USCompany, "none": "", "a path": "1/../" + sim.USCompany, "two words": "1 2"} {
		q := w.Consent(c.AuthorizationURL(integration.AuthorizationRequest{State: "s", RedirectURI: accountingtest.RedirectURI}), sim.VATCompany)
		q.Set("realmId", realm)
		_, err := c.Exchange(context.Background(), integration.Callback{Code: q.Get("code"), RedirectURI: accountingtest.RedirectURI, Query: q})
		if f, ok := fault.As(err); !ok || f.Kind != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWrongClient checks that a wrong client secret is reported as the operator's fault, and that
// the secret appears nowhere.
func TestWrongClient(t *testing.T) {
	t.Parallel()
	c, _ := open(t, func(o *quickbooks.Options) { o.ClientSecret = secret.New("canary-wrong-secret") })
	for name, do := range map[string]func() error{
		"refresh": func() error {
			_, err := c.Refresh(context.Background(), secret.New("canary-refresh"))
			return err
		},
		"exchange": func() error {
			_, err := c.Exchange(context.Background(), integration.Callback{Code: "canary-code", RedirectURI: "http://localhost/", Query: map[string][]string{"realmId": {"1"}}})
			return err
		},
		"revoke": func() error {
			return c.Revoke(context.Background(), integration.Tokens{Refresh: secret.New("canary-refresh")})
		},
	} {
		err := do()
		f, ok := fault.As(err)
		if !ok || f.Code != fault.CodeProviderSetup || errors.Is(err, integration.ErrReconnect) || !strings.Contains(f.Message, "operator") {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: the error shows a secret: %v", name, err)
		}
	}
}

// TestCompaniesThatRefuse checks the faults for a company without a subscription and for a user
// without permission.
func TestCompaniesThatRefuse(t *testing.T) {
	t.Parallel()
	a := integration.Access{Token: secret.New("t"), Tenant: sim.VATCompany}
	for code, says := range map[string]string{"6190": "subscription", "120": "administrator"} {
		c := connector(t, fixedResponse(t, 400, "application/json", `{"Fault":{"Error":[{"Message":"m","Detail":"d","code":"`+code+`"}],"type":"ValidationFault"}}`), time.Minute)
		_, err := c.Accounts(context.Background(), a, nil)
		if f, ok := fault.As(err); !ok || f.Kind != fault.Invalid || !strings.Contains(f.Message, says) {
			t.Errorf("%s: %v", code, err)
		}
		_, err = c.CreateBill(context.Background(), a, plainBill(), "key")
		if r, ok := accounting.RefusalOf(err); !ok || r.Code != accounting.CodeRefused {
			t.Errorf("%s: %v", code, err)
		}
	}
}
