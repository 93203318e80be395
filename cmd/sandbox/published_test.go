package main

import (
	"strings"
	"testing"

	"docledger/cmd/service"
)

// TestPublishedSecretsAreRefused configures the product with each secret that
// the sandbox's source contains: when deployed it does not start.
func TestPublishedSecretsAreRefused(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"PAYMENT_SECRET_KEY": paymentSecretKey, "PAYMENT_SIGNING_SECRETS": paymentSigningSecret,
		"IDENTITY_SECRET_KEY": identitySecretKey, "IDENTITY_SIGNING_SECRETS": identitySigningSecret,
		"ACCOUNTING_A_CLIENT_SECRET": providerSecret, "DOCSTORE_B_CLIENT_SECRET": providerSecret,
	} {
		_, err := service.ConfiguredFrom(func(variable string) (string, bool) { return value, variable == name })
		if err == nil || !strings.Contains(err.Error(), name+": ") || !strings.Contains(err.Error(), "public secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
