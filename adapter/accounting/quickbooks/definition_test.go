package quickbooks_test

import (
	"context"
	"net/url"
	"testing"

	"docledger/adapter/accounting/quickbooks"
	"docledger/adapter/sim/definition/definitiontest"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// TestDefinition verifies that the vendor's definition has every field that the
// connector reads or writes, and every parameter that it sends.
func TestDefinition(t *testing.T) {
	t.Parallel()
	definitiontest.Reads(t, "quickbooks", definitiontest.Sources{
		Folders: []string{".", "client"},
		Own:     []string{"NewAttachment", "Access"},
	})
}

// TestAddresses verifies that each call goes to an address of the vendor's
// definition.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for environment, origin := range map[string]string{
		quickbooks.Production: "https://quickbooks.api.intuit.com", quickbooks.Sandbox: "https://sandbox-quickbooks.api.intuit.com",
	} {
		t.Run(environment, func(t *testing.T) {
			t.Parallel()
			transport := definitiontest.NewOffline(t, "quickbooks")
			c, err := quickbooks.New(quickbooks.Options{
				ClientID: "id", ClientSecret: secret.New("secret"), Transport: transport, Settings: map[string]string{quickbooks.SettingEnvironment: environment},
			})
			if err != nil {
				t.Fatal(err)
			}
			const docledger = "https://books.example/callback"
			page := c.AuthorizationURL(integration.AuthorizationRequest{State: "state", RedirectURI: docledger, Challenge: "challenge"})
			definitiontest.Addresses(t, transport, page, []string{"https://appcenter.intuit.com", "https://oauth.platform.intuit.com", "https://developer.api.intuit.com", origin}, func(ctx context.Context) error {
				_, err := c.Exchange(ctx, integration.Callback{Code: "code", RedirectURI: docledger, Verifier: "verifier", Query: url.Values{"realmId": {"123"}}})
				return err
			}, func(ctx context.Context) error {
				_, err := c.Refresh(ctx, secret.New("refresh"))
				return err
			}, func(ctx context.Context) error {
				return c.Revoke(ctx, integration.Tokens{Refresh: secret.New("refresh")})
			}, func(ctx context.Context) error {
				_, err := c.Organization(ctx, integration.Access{Token: secret.New("token"), Tenant: "123", Account: "123"})
				return err
			})
		})
	}
}
