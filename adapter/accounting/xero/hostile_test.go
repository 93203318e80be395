package xero_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sim "docledger/adapter/sim/xero"
	"docledger/domain/accounting"
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
	a := integration.Access{Token: secret.New("canary-token"), Tenant: sim.TaxedOrganization}
	const id = "a3f4c6b2-6b0d-4a1f-8d65-0d0a5f0f1099"
	for name, answer := range map[string]struct {
		status      int
		media, body string
	}{
		"a page":              {200, "text/html", "<html>upstream</html>"},
		"XML":                 {200, "text/xml", "<Response><Status>OK</Status></Response>"},
		"nothing":             {200, "application/json", ""},
		"another object":      {200, "application/json", `{"ok":true}`},
		"a list of numbers":   {200, "application/json", `{"Accounts":[1],"Contacts":[1],"TaxRates":[1],"Currencies":[1],"Invoices":[1],"Organisations":[1],"Attachments":[1]}`},
		"objects without ids": {200, "application/json", `{"Invoices":[{}],"Organisations":[{}],"Attachments":[{}],"Contacts":1,"Accounts":1,"TaxRates":1,"Currencies":1}`},
		"a malformed date":    {200, "application/json", `{"Invoices":[{"InvoiceID":"` + id + `","UpdatedDateUTC":"yesterday"}],"Organisations":[{"OrganisationID":"x","PeriodLockDate":"/Date(x)/"}]}`},
		"a malformed rate":    {200, "application/json", `{"TaxRates":[{"TaxType":"A","EffectiveRate":1e400}]}`},
		"a redirect":          {302, "text/html", ""},
		"a gateway":           {403, "text/html", "<html>blocked</html>"},
		"a bad request":       {400, "text/html", "<html>bad request</html>"},
		"a teapot":            {418, "application/json", `{}`},
		"no such place":       {404, "text/plain", "not here"},
		"too much":            {200, "application/json", `{"Accounts":[` + strings.Repeat(" ", 1<<20) + `]}`},
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
			"book": func(ctx context.Context) error {
				_, err := c.CreateBill(ctx, a, plainBill(), "key")
				if !accounting.Uncertain(err) {
					t.Errorf("%s: the outcome of the creation is not unknown: %v", name, err)
				}
				return err
			},
			"find": func(ctx context.Context) error {
				_, err := c.Find(ctx, a, accounting.BillQuery{Kind: accounting.PurchaseBill, Contact: muster, Number: "R-1"})
				return err
			},
			"refresh": func(ctx context.Context) error { _, err := c.Refresh(ctx, secret.New("canary-refresh")); return err },
		} {
			err := do(context.Background())
			f, ok := fault.As(err)
			if !ok || f.Kind != fault.Upstream || f.Code != fault.CodeProviderUnavailable {
				t.Errorf("%s of %s: %v", call, name, err)
			}
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("%s of %s: the error shows a token: %v", call, name, err)
			}
		}
	}
}

// TestTooLongResponse checks the connector's own limit of a response.
func TestTooLongResponse(t *testing.T) {
	t.Parallel()
	a := integration.Access{Token: secret.New("t"), Tenant: sim.TaxedOrganization, Account: sim.TaxedOrganization}
	body := `{"ok":true` + strings.Repeat(" ", 32<<20) + `}`
	_, err := connector(t, fixedResponse(t, 200, "application/json", body), time.Minute).Organization(context.Background(), a)
	if fault.CodeOf(err) != fault.CodeProviderUnavailable || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("Organization = %v", err)
	}
}

// TestEndlessLists checks that a list ends even if the provider always announces another page.
func TestEndlessLists(t *testing.T) {
	t.Parallel()
	page := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page++
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"pagination":{"page":1,"pageCount":1000000},"Contacts":[{"ContactID":"%d"},{"ContactID":"same"}]}`, page)
	}))
	t.Cleanup(server.Close)
	a := integration.Access{Token: secret.New("t"), Tenant: sim.TaxedOrganization}
	if _, err := connector(t, server.URL, time.Minute).Contacts(context.Background(), a); fault.CodeOf(err) != fault.CodeProviderUnavailable || page > 1000 {
		t.Errorf("%d pages, %v", page, err)
	}
}

// TestListsWithoutCount lists pages of a provider that does not state the page count.
func TestListsWithoutCount(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rows := map[string]int{"1": 1000, "2": 1000, "3": 3}[r.URL.Query().Get("page")]
		var list []string
		for n := range rows {
			list = append(list, fmt.Sprintf(`{"ContactID":"%s-%d","Name":"x"}`, r.URL.Query().Get("page"), n))
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = fmt.Fprintf(w, `{"Contacts":[%s]}`, strings.Join(list, ","))
	}))
	t.Cleanup(server.Close)
	a := integration.Access{Token: secret.New("t"), Tenant: sim.TaxedOrganization}
	if list, err := connector(t, server.URL, time.Minute).Contacts(context.Background(), a); err != nil || len(list) != 2003 {
		t.Errorf("%d contacts, %v", len(list), err)
	}
}

// TestForeignReferences checks that ids of other applications and free text are not treated as
// docledger's references.
func TestForeignReferences(t *testing.T) {
	t.Parallel()
	const id = "a3f4c6b2-6b0d-4a1f-8d65-0d0a5f0f1099"
	a := integration.Access{Token: secret.New("t"), Tenant: sim.TaxedOrganization}
	for name, tc := range map[string]struct{ link, line, want string }{
		"ours":                     {"https://docledger.example/i/1#docledger-" + ours, "Paper", ours},
		"ours, in a line":          {"", " docledger " + ours + " ", ours},
		"another application's":    {"https://other.example/bills/" + ours, "Bill " + ours, ""},
		"a marker without an id":   {"https://docledger.example/i/1#docledger-1", "docledger 1", ""},
		"a marker and more text":   {"https://docledger.example/i/1#docledger-" + ours + "1", "docledger " + ours + " and more", ""},
		"a mention in a sentence":  {"", "see docledger " + ours, ""},
		"a link without, and ours": {"https://other.example/", "docledger " + ours, ours},
	} {
		body := fmt.Sprintf(`{"Invoices":[{"InvoiceID":%q,"Status":"DRAFT","Total":1.00,"Url":%q,"LineItems":[{"Description":%q}]}]}`, id, tc.link, tc.line)
		read, err := connector(t, fixedResponse(t, 200, "application/json", body), time.Minute).Read(context.Background(), a, accounting.PurchaseBill, id)
		if err != nil || read.Reference != tc.want {
			t.Errorf("%s: %q, %v; want %q", name, read.Reference, err, tc.want)
		}
	}
}

// TestLockDates checks that the later of the two lock dates applies.
func TestLockDates(t *testing.T) {
	t.Parallel()
	const march, april = "/Date(1772323200000+0000)/", "/Date(1775001600000+0000)/"
	a := integration.Access{Token: secret.New("t"), Tenant: sim.TaxedOrganization}
	for name, tc := range map[string]struct{ period, year, want string }{
		"none":            {"", "", "0000-00-00"},
		"the period's":    {april, march, "2026-04-01"},
		"the year's":      {march, april, "2026-04-01"},
		"only the year's": {"", march, "2026-03-01"},
	} {
		body := fmt.Sprintf(`{"Organisations":[{"OrganisationID":"x","BaseCurrency":"EUR","PeriodLockDate":%q,"EndOfYearLockDate":%q}],"Currencies":[]}`, tc.period, tc.year)
		rules, err := connector(t, fixedResponse(t, 200, "application/json", body), time.Minute).Rules(context.Background(), a)
		if err != nil || rules.ClosedUntil.IsZero() != (name == "none") || name != "none" && rules.ClosedUntil.String() != tc.want {
			t.Errorf("%s: %s, %v; want %s", name, rules.ClosedUntil, err, tc.want)
		}
	}
}
