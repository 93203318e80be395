// Package docstoretest is the contract of the connectors to document stores as
// tests, which every connector passes against its simulator.
package docstoretest

import (
	"context"
	"net/url"
	"testing"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/integration"
)

// Connector is what a connector can do, found by assertion.
type Connector struct {
	Provider   integration.Provider
	Authorizer integration.Authorizer
	Browser    docstore.Browser
	Changes    docstore.Changes
	Reader     docstore.Reader
	Lister     docstore.Lister // nil where the feed tells all
}

// Of finds the capabilities of a connector; one that lacks any but the optional
// ones fails the test.
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

// Failure says how a call fails.
type Failure string

// The failures. AnswerLost and NonsenseLost have done the work.
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

// World is the store seen from its own side. It begins with one empty place,
// which one account may read. Its clock starts on 2026-11-15 12:00 UTC and
// stands still. Limits of calls are off. Each method fails the test rather than
// return an error. Paths are parted by "/" and begin in the place's top folder;
// folders on the way are made.
type World interface {
	Now() time.Time
	Advance(by time.Duration)

	// Consent does on the consent page what a person does who agrees. It
	// returns what the browser brings to the redirect address.
	Consent(authorizationURL string) url.Values
	// Decline is Consent by a person who says no.
	Decline(authorizationURL string) url.Values
	// Withdraw ends all consents from the store's side.
	Withdraw()

	// Place is the place that there is.
	Place() docstore.Location
	// SeedSources adds sources, SeedSubSources sub-sources of the place's
	// source, whose names are "Seeded 1" and so on. Some have ids with every
	// character that the store's ids may have.
	SeedSources(count int)
	SeedSubSources(count int)

	// Add adds a file to the place and returns its id; AddFolder a folder.
	Add(path string, content []byte) (id string)
	AddFolder(path string) (id string)
	// Change gives a file other content.
	Change(id string, content []byte)
	// Rename and Move rename an item, and move it into a folder, "" for the
	// top.
	Rename(id, name string)
	Move(id, folder string)
	// MoveOut moves an item out of the place, MoveIn makes a folder with one
	// file in it outside the place and moves the folder into the place; the
	// ids are the folder's and the file's.
	MoveOut(id string)
	MoveIn(name, file string, content []byte) (folder, inside string)
	// Delete puts an item into the bin, Restore takes it out again.
	Delete(id string)
	Restore(id string)

	// PageSize is how many entries a page has, where the request does not ask
	// for fewer.
	PageSize(n int)
	// Repeat has pages of the feed tell items more than once.
	Repeat(on bool)
	// ExpireCursors loses every cursor that was given out, where the store
	// knows cursors that are lost.
	ExpireCursors()
	// Deny takes the right to read the place's source and all in it from the
	// account, in the way that the store tells apart from a thing that is not
	// there; false gives it back.
	Deny(on bool)
	// Lock keeps a file from being read for now.
	Lock(id string, on bool)

	// Break has the next calls fail.
	Break(c Call, f Failure, times int)
	Mend()
	// Count is how many requests a call has made.
	Count(c Call) int
	// Leaked says whether an access token reached a host that serves contents
	// apart from the API.
	Leaked() bool
}

// RedirectURI is registered at every simulated store.
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

// Run runs the contract; open gives each test a fresh store.
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
