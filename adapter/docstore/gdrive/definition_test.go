package gdrive_test

import (
	"context"
	"testing"

	"docledger/adapter/docstore/gdrive"
	"docledger/adapter/sim/definition/definitiontest"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// TestDefinition verifies that the vendor's definition has every field that the
// connector reads or writes, and every parameter that it sends.
func TestDefinition(t *testing.T) {
	t.Parallel()
	definitiontest.Reads(t, "gdrive", definitiontest.Sources{
		Folders: []string{".", "client"},
		Own:     []string{"Channel", "Query"},
	})
}

// TestAddresses verifies that each call goes to an address of the vendor's
// definition.
func TestAddresses(t *testing.T) {
	t.Parallel()
	transport := definitiontest.NewOffline(t, "gdrive")
	c, err := gdrive.New(gdrive.Options{ClientID: "id", ClientSecret: secret.New("secret"), Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	const docledger = "https://books.example/callback"
	page := c.AuthorizationURL(integration.AuthorizationRequest{State: "state", RedirectURI: docledger, Challenge: "challenge"})
	definitiontest.Addresses(t, transport, page, []string{"https://accounts.google.com", "https://oauth2.googleapis.com", "https://www.googleapis.com"}, func(ctx context.Context) error {
		_, err := c.Exchange(ctx, integration.Callback{Code: "code", RedirectURI: docledger, Verifier: "verifier"})
		return err
	}, func(ctx context.Context) error {
		_, err := c.Refresh(ctx, secret.New("refresh"))
		return err
	}, func(ctx context.Context) error {
		return c.Revoke(ctx, integration.Tokens{Refresh: secret.New("refresh")})
	}, func(ctx context.Context) error {
		_, err := c.Sources(ctx, integration.Access{Token: secret.New("token")})
		return err
	})
}
