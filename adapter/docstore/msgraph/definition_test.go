package msgraph_test

import (
	"context"
	"testing"

	"docledger/adapter/docstore/msgraph"
	"docledger/adapter/sim/definition/definitiontest"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// TestDefinition verifies that the vendor's definition has every field that the
// connector reads or writes, and every parameter that it sends.
func TestDefinition(t *testing.T) {
	t.Parallel()
	definitiontest.Reads(t, "msgraph", definitiontest.Sources{
		Folders: []string{".", "client"},
		Own:     []string{"Subscription"},
	})
}

// TestAddresses verifies that each call goes to an address of the vendor's
// definition.
func TestAddresses(t *testing.T) {
	t.Parallel()
	transport := definitiontest.NewOffline(t, "msgraph")
	c, err := msgraph.New(msgraph.Options{ClientID: "id", ClientSecret: secret.New("secret"), Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	const docledger = "https://books.example/callback"
	page := c.AuthorizationURL(integration.AuthorizationRequest{State: "state", RedirectURI: docledger, Challenge: "challenge"})
	definitiontest.Addresses(t, transport, page, []string{"https://login.microsoftonline.com", "https://graph.microsoft.com"}, func(ctx context.Context) error {
		_, err := c.Exchange(ctx, integration.Callback{Code: "code", RedirectURI: docledger, Verifier: "verifier"})
		return err
	}, func(ctx context.Context) error {
		_, err := c.Refresh(ctx, secret.New("refresh"))
		return err
	}, func(ctx context.Context) error {
		_, err := c.Sources(ctx, integration.Access{Token: secret.New("token")})
		return err
	})
}
