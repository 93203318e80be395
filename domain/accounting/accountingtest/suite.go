// Package accountingtest is the contract of the connectors to accounting
// software as tests, which every connector passes against its simulator.
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

// Connector is what a connector can do, found by assertion.
type Connector struct {
	Provider      integration.Descriptor
	Authorizer    integration.Authorizer
	Organizations accounting.OrganizationReader
	Accounts      accounting.AccountReader
	Contacts      accounting.ContactReader
	TaxRates      accounting.TaxRateReader
	Currencies    accounting.CurrencyReader
}

// Of finds the capabilities of a connector; one that lacks any fails the test.
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

// The calls besides the lists.
const (
	CallToken  Call = "token"
	CallRevoke Call = "revoke"
)

// Failure says how a call fails.
type Failure string

// The failures. Those that end in Lost have done the work.
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

// World is the provider seen from its own side. It begins with two
// organizations, whose charts hold every type of the contract's table. Its
// clock starts on 2026-11-15 12:00 UTC and stands still. Limits of calls are
// off. Each method fails the test rather than return an error.
type World interface {
	Now() time.Time
	Advance(by time.Duration)

	// Tenants are the ids of the two organizations.
	Tenants() []string
	// Consent does on the consent page what a person does who chooses these
	// tenants and agrees; where a provider connects one at a time, the first.
	// It returns what the browser brings to the redirect address.
	Consent(authorizationURL string, tenants ...string) url.Values
	// Decline is Consent by a person who says no.
	Decline(authorizationURL string) url.Values
	// Withdraw ends the consent of all accounts from the provider's side.
	Withdraw()
	// TakeOff disconnects a tenant from the provider's side.
	TakeOff(tenant string)

	// Seed adds entries to a list of a tenant, named "Seeded 1" and so on;
	// every tenth is archived where the list knows that.
	Seed(tenant string, l List, count int)
	// AddAccount adds an account of a type in the spelling of the connector's
	// Account.Type and returns its id.
	AddAccount(tenant, name, accountType string, archived bool) (id string)

	// Break has the next calls fail.
	Break(c Call, f Failure, times int)
	Mend()
	// Count is how many requests a call has made.
	Count(c Call) int
}

// RedirectURI is registered at every simulated provider.
const RedirectURI = "http://localhost:8080/api/v1/integrations/oauth/callback"

// The verifier of RFC 7636, appendix B, and its challenge.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// bundle is what a test works with.
type bundle struct {
	Connector
	World
}

// Run runs the contract; open gives each test a fresh provider.
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

// consent consents to tenants, all of them when none is named.
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

// enter consents to one tenant and returns an access to it.
func (b bundle) enter(t testing.TB, tenant string) integration.Access {
	t.Helper()
	return access(b.consent(t, tenant), tenant)
}

// reads are all the lists, each as the number of its entries.
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

// holds says whether any of the texts is the secret's value, which no error may
// show.
func holds(text string, secrets ...secret.Text) bool {
	for _, s := range secrets {
		if !s.Empty() && contains(text, s.Reveal()) {
			return true
		}
	}
	return false
}
