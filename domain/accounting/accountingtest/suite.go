// Package accountingtest tests the contract of the connectors to accounting software. Every
// connector passes these tests against its simulator.
package accountingtest

import (
	"context"
	"net/url"
	"strconv"
	"testing"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// Connector contains the capabilities of a connector, found by type assertion.
type Connector struct {
	Provider      integration.Descriptor
	Authorizer    integration.Authorizer
	Organizations accounting.OrganizationReader
	Accounts      accounting.AccountReader
	Contacts      accounting.ContactReader
	TaxRates      accounting.TaxRateReader
	Currencies    accounting.CurrencyReader
}

// Of finds the capabilities of a connector. The test fails if one is missing.
func Of(t testing.TB, p integration.Descriptor, connector any) Connector {
	t.Helper()
	c := Connector{Provider: p}
	var ok [6]bool
	c.Authorizer, ok[0] = connector.(integration.Authorizer)
	c.Organizations, ok[1] = connector.(accounting.OrganizationReader)
	c.Accounts, ok[2] = connector.(accounting.AccountReader)
	c.Contacts, ok[3] = connector.(accounting.ContactReader)
	c.TaxRates, ok[4] = connector.(accounting.TaxRateReader)
	c.Currencies, ok[5] = connector.(accounting.CurrencyReader)
	if ok != [6]bool{true, true, true, true, true, true} {
		t.Fatalf("%T lacks capabilities: %v", connector, ok)
	}
	return c
}

// List names a list that a connector reads.
type List string

// The lists.
const (
	ListOrganizations List = "organizations"
	ListAccounts      List = "accounts"
	ListContacts      List = "contacts"
	ListTaxRates      List = "tax rates"
	ListCurrencies    List = "currencies"
)

// Call names a call that can be made to fail: a list, or one of these.
type Call = List

// The calls that are not lists.
const (
	CallToken  Call = "token"
	CallRevoke Call = "revoke"
)

// Failure is the way in which a call fails.
type Failure string

// The failures. Those that end in Lost occur after the operation succeeded.
const (
	Status401    Failure = "status:401"
	Status403    Failure = "status:403"
	Status429    Failure = "status:429"
	Status500    Failure = "status:500"
	Status503    Failure = "status:503"
	Slow         Failure = "delay:30s"
	Dropped      Failure = "drop"
	AnswerLost   Failure = "commit_then_drop"
	NonsenseLost Failure = "garbage"
)

// World is the provider seen from its own side. It starts with two organizations. Their charts
// contain every account type of docs/interface.md. Its clock is fixed at 2026-11-15 12:00 UTC.
// Rate limits are off. A method that fails ends the test.
type World interface {
	Now() time.Time
	Advance(by time.Duration)

	// Tenants are the ids of the two organizations.
	Tenants() []string
	// Consent selects these tenants on the consent page and consents. If a provider connects one
	// tenant at a time, it selects the first. It returns the parameters that the browser brings
	// to the redirect address.
	Consent(authorizationURL string, tenants ...string) url.Values
	// Decline declines on the consent page.
	Decline(authorizationURL string) url.Values
	// Withdraw revokes the consents of all accounts at the provider.
	Withdraw()
	// TakeOff disconnects a tenant at the provider.
	TakeOff(tenant string)

	// Seed adds entries to a list of a tenant, named "Seeded 1" and so on. Every tenth is
	// archived if the list supports that.
	Seed(tenant string, l List, count int)
	// AddAccount adds an account of a type in the spelling of the connector's
	// Account.Type and returns its id.
	AddAccount(tenant, name, accountType string, archived bool) (id string)

	// Break makes the next calls fail.
	Break(c Call, f Failure, times int)
	// Repair ends the failures of Break.
	Repair()
	// Count is the number of requests of a call.
	Count(c Call) int
}

// RedirectURI is registered at every simulated provider.
const RedirectURI = "http://localhost:8080/api/v1/integrations/oauth/callback"

// The verifier and its challenge of RFC 7636, appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// bundle is the state of a test.
type bundle struct {
	Connector
	World
}

// Run runs the contract. open returns a new provider for each test.
func Run(t *testing.T, open func(t testing.TB) (Connector, World)) {
	for name, test := range map[string]func(*testing.T, bundle){
		"authorization url":       testAuthorizationURL,
		"exchange":                testExchange,
		"exchange refused":        testExchangeRefused,
		"exchange without answer": testExchangeLost,
		"refresh":                 testRefresh,
		"refresh after long":      testRefreshAfterLong,
		"refresh without answer":  testRefreshLost,
		"refresh refused":         testRefreshRefused,
		"same account again":      testSameAccount,
		"revoke":                  testRevoke,
		"organizations":           testOrganizations,
		"every type classed":      testEveryType,
		"filters":                 testFilters,
		"archived account":        testArchivedAccount,
		"other lists":             testOtherLists,
		"complete lists":          testComplete,
		"tenants apart":           testTenantsApart,
		"access refused":          testAccessRefused,
		"tenant gone":             testTenantGone,
		"outages":                 testOutages,
		"contexts":                testContexts,
		"hostile tenant":          testHostileTenant,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, w := open(t)
			test(t, bundle{c, w})
		})
	}
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (b bundle) authorizationURL() string {
	return b.Authorizer.AuthorizationURL(integration.AuthorizationRequest{
		State: "state-0123456789-0123456789-0123456789-0123", RedirectURI: RedirectURI, Challenge: challenge,
	})
}

func callback(q url.Values) integration.Callback {
	return integration.Callback{Code: q.Get("code"), RedirectURI: RedirectURI, Verifier: verifier, Query: q}
}

// consent consents for the given tenants; for all if none is given.
func (b bundle) consent(t testing.TB, tenants ...string) integration.Consent {
	t.Helper()
	if len(tenants) == 0 {
		tenants = b.Tenants()
	}
	return must[integration.Consent](t)(b.Authorizer.Exchange(context.Background(), callback(b.Consent(b.authorizationURL(), tenants...))))
}

func access(c integration.Consent, tenant string) integration.Access {
	return integration.Access{Token: c.Tokens.Access, Account: c.Account, Event: c.Event, Tenant: tenant}
}

// enter consents for one tenant and returns an access to it.
func (b bundle) enter(t testing.TB, tenant string) integration.Access {
	t.Helper()
	return access(b.consent(t, tenant), tenant)
}

// reads returns the number of entries of every list.
func (b bundle) reads() map[List]func(ctx context.Context, a integration.Access) (int, error) {
	return map[List]func(context.Context, integration.Access) (int, error){
		ListOrganizations: func(ctx context.Context, a integration.Access) (int, error) {
			list, err := b.Organizations.Organizations(ctx, a)
			return len(list), err
		},
		ListAccounts: func(ctx context.Context, a integration.Access) (int, error) {
			list, err := b.Accounts.Accounts(ctx, a, nil)
			return len(list), err
		},
		ListContacts: func(ctx context.Context, a integration.Access) (int, error) {
			list, err := b.Contacts.Contacts(ctx, a)
			return len(list), err
		},
		ListTaxRates: func(ctx context.Context, a integration.Access) (int, error) {
			list, err := b.TaxRates.TaxRates(ctx, a)
			return len(list), err
		},
		ListCurrencies: func(ctx context.Context, a integration.Access) (int, error) {
			list, err := b.Currencies.Currencies(ctx, a)
			return len(list), err
		},
	}
}

func seeded(n int) string { return "Seeded " + strconv.Itoa(n) }

// holds reports whether a text contains a secret value, which no error may contain.
func holds(text string, secrets ...secret.Text) bool {
	for _, s := range secrets {
		if !s.Empty() && contains(text, s.Reveal()) {
			return true
		}
	}
	return false
}
