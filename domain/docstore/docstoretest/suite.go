// Package docstoretest tests the contract of the connectors to document stores. Every connector
// passes these tests against its simulator.
package docstoretest

import (
	"context"
	"net/url"
	"testing"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/integration"
)

// Connector contains the capabilities of a connector, found by type assertion.
type Connector struct {
	Provider   integration.Provider
	Authorizer integration.Authorizer
	Browser    docstore.Browser
	Changes    docstore.Changes
	Reader     docstore.Reader
	Lister     docstore.Lister // nil if the feed reports everything
}

// Of finds the capabilities of a connector. The test fails if a required one is missing.
func Of(t testing.TB, p integration.Provider, connector any) Connector {
	t.Helper()
	c := Connector{Provider: p}
	var ok [4]bool
	c.Authorizer, ok[0] = connector.(integration.Authorizer)
	c.Browser, ok[1] = connector.(docstore.Browser)
	c.Changes, ok[2] = connector.(docstore.Changes)
	c.Reader, ok[3] = connector.(docstore.Reader)
	c.Lister, _ = connector.(docstore.Lister)
	if ok != [4]bool{true, true, true, true} {
		t.Fatalf("%T lacks capabilities: %v", connector, ok)
	}
	return c
}

// Call names a kind of request that can be counted and made to fail.
type Call string

// The calls.
const (
	CallToken   Call = "token"
	CallSources Call = "sources" // the list of sites, or of folders
	CallFeed    Call = "feed"    // changes
	CallContent Call = "content" // the bytes, at the API's own host
)

// Failure is the way in which a call fails.
type Failure string

// The failures. AnswerLost and NonsenseLost occur after the operation succeeded.
const (
	Status401    Failure = "status:401"
	Status429    Failure = "status:429"
	Status500    Failure = "status:500"
	Status503    Failure = "status:503"
	Slow         Failure = "delay:30s"
	Dropped      Failure = "drop"
	AnswerLost   Failure = "commit_then_drop"
	NonsenseLost Failure = "garbage"
)

// World is the document store seen from its own side. It starts with one empty location, which
// one account may read. Its clock is fixed at 2026-11-15 12:00 UTC. Rate limits are off. A method
// that fails ends the test. Path segments are separated by "/" and start at the location's root
// folder; missing folders are created.
type World interface {
	Now() time.Time
	Advance(by time.Duration)

	// Consent consents on the consent page. It returns the parameters that the browser brings to
	// the redirect address.
	Consent(authorizationURL string) url.Values
	// Decline declines on the consent page.
	Decline(authorizationURL string) url.Values
	// Withdraw revokes all consents in the store.
	Withdraw()

	// Place is the existing location.
	Place() docstore.Location
	// SeedSources adds sources; SeedSubSources adds sub-sources of the location's source. They
	// are named "Seeded 1" and so on. Their ids together contain every character that the store's
	// ids may contain.
	SeedSources(count int)
	SeedSubSources(count int)

	// Add adds a file to the location and returns its id. AddFolder adds a folder.
	Add(path string, content []byte) (id string)
	AddFolder(path string) (id string)
	// Change replaces the content of a file.
	Change(id string, content []byte)
	// Rename renames an item. Move moves it to a folder; "" is the root.
	Rename(id, name string)
	Move(id, folder string)
	// MoveOut moves an item out of the location. MoveIn creates a folder with one file outside
	// the location and moves the folder into the location; it returns the ids of the folder and
	// the file.
	MoveOut(id string)
	MoveIn(name, file string, content []byte) (folder, inside string)
	// Delete moves an item to the bin. Restore restores it.
	Delete(id string)
	Restore(id string)

	// PageSize is the number of entries of a page unless the request asks for fewer.
	PageSize(n int)
	// Repeat makes the feed report items more than once.
	Repeat(on bool)
	// ExpireCursors invalidates every issued cursor, if the store can lose cursors.
	ExpireCursors()
	// Deny withdraws the account's permission to read the location's source. The store must
	// report this differently from a missing source. false restores the permission.
	Deny(on bool)
	// Lock makes a file temporarily unreadable.
	Lock(id string, on bool)

	// Break makes the next calls fail.
	Break(c Call, f Failure, times int)
	// Repair ends the failures of Break.
	Repair()
	// Count is the number of requests of a call.
	Count(c Call) int
	// Leaked reports whether a content host other than the API received an access token.
	Leaked() bool
}

// RedirectURI is registered at every simulated store.
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

// Run runs the contract. open returns a new store for each test.
func Run(t *testing.T, open func(t testing.TB) (Connector, World)) {
	for name, test := range map[string]func(*testing.T, bundle){
		"consent":                testConsent,
		"refresh":                testRefresh,
		"refresh without answer": testRefreshLost,
		"refresh refused":        testRefreshRefused,
		"sources complete":       testSources,
		"sub-sources complete":   testSubSources,
		"one place":              testPlace,
		"hostile ids":            testHostileIDs,
		"denied is not empty":    testDenied,
		"directories":            testDirectories,
		"all there is":           testAll,
		"many pages":             testPages,
		"what changes":           testChanges,
		"moved in and out":       testMoved,
		"pages read again":       testReadAgain,
		"lost cursor":            testLostCursor,
		"content":                testContent,
		"content not to be had":  testNoContent,
		"access refused":         testAccessRefused,
		"outages":                testOutages,
		"contexts":               testContexts,
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

func (b bundle) consent(t testing.TB) integration.Consent {
	t.Helper()
	return must[integration.Consent](t)(b.Authorizer.Exchange(context.Background(), callback(b.Consent(b.authorizationURL()))))
}

func access(c integration.Consent) integration.Access {
	return integration.Access{Token: c.Tokens.Access, Account: c.Account, Event: c.Event}
}

// enter consents and returns an access.
func (b bundle) enter(t testing.TB) integration.Access {
	t.Helper()
	return access(b.consent(t))
}
