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
			definitiontest.Addresses(t, transport, c, url.Values{"realmId": {"123"}}, func(ctx context.Context) error {
				_, err := c.Organization(ctx, integration.Access{Token: secret.New("token"), Tenant: "123", Account: "123"})
				return err
			}, "https://appcenter.intuit.com", "https://oauth.platform.intuit.com", "https://developer.api.intuit.com", origin)
		})
	}
}
