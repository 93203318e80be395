package config_test

import (
	"encoding/base64"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"docledger/infrastructure/config"
)

// TestUnsafeConfigurationIsRefused loads configurations that are complete but unsafe.
// A deployed service must refuse them and name the variable without its value. A
// local service must accept all of them.
func TestUnsafeConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	key := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	zero, one := key(string(make([]byte, 32))), key("a key of thirty-two random bytes")
	spec := config.ProviderSpec{Code: "ACCOUNTING_A", PublicClient: true}
	for name, test := range map[string]struct {
		vary  map[string]string
		named string // "" if the configuration is safe
	}{
		"all is safe":                    {nil, ""},
		"an all-zero signing key":        {map[string]string{"JWT_SIGNING_KEYS": zero}, "JWT_SIGNING_KEYS"},
		"an all-zero token key":          {map[string]string{"TOKEN_KEYS": one + "," + zero}, "TOKEN_KEYS"},
		"one byte repeated":              {map[string]string{"TOKEN_KEYS": key(strings.Repeat("x", 32))}, "TOKEN_KEYS"},
		"a key twice":                    {map[string]string{"TOKEN_KEYS": one + "," + one}, "TOKEN_KEYS"},
		"a key for two uses":             {map[string]string{"JWT_SIGNING_KEYS": one, "TOKEN_KEYS": one}, "TOKEN_KEYS"},
		"a short payment secret":         {map[string]string{"PAYMENT_SIGNING_SECRETS": "whsec_0123456789abcde"}, "PAYMENT_SIGNING_SECRETS"},
		"a short identity secret":        {map[string]string{"IDENTITY_SIGNING_SECRETS": "whsec_b_0123456789abcd,short"}, "IDENTITY_SIGNING_SECRETS"},
		"the sandbox's payment secret":   {map[string]string{"PAYMENT_SIGNING_SECRETS": "whsec_sandbox"}, "PAYMENT_SIGNING_SECRETS"},
		"the sandbox's identity secret":  {map[string]string{"IDENTITY_SIGNING_SECRETS": "whsec_c2FuZGJveC1zYW5kYm94LXNhbmRib3g="}, "IDENTITY_SIGNING_SECRETS"},
		"the sandbox's key":              {map[string]string{"IDENTITY_SECRET_KEY": "sk_test_sandbox"}, "IDENTITY_SECRET_KEY"},
		"the sandbox's provider secret":  {map[string]string{"ACCOUNTING_A_CLIENT_SECRET": "sandbox-secret"}, "ACCOUNTING_A_CLIENT_SECRET"},
		"every proxy trusted":            {map[string]string{"TRUSTED_PROXIES": "10.0.0.0/8,0.0.0.0/0"}, "TRUSTED_PROXIES"},
		"every proxy trusted, IPv6":      {map[string]string{"TRUSTED_PROXIES": "::/0"}, "TRUSTED_PROXIES"},
		"every proxy trusted, in halves": {map[string]string{"TRUSTED_PROXIES": "0.0.0.0/1,128.0.0.0/1"}, "TRUSTED_PROXIES"},
		"every proxy trusted, mapped":    {map[string]string{"TRUSTED_PROXIES": "::ffff:0.0.0.0/96"}, "TRUSTED_PROXIES"},
		"mapped and more":                {map[string]string{"TRUSTED_PROXIES": "::ffff:0:0/90"}, "TRUSTED_PROXIES"},
		"mapped private proxies":         {map[string]string{"TRUSTED_PROXIES": "::ffff:10.0.0.0/104"}, ""},
		"private proxies":                {map[string]string{"TRUSTED_PROXIES": "10.0.0.0/8,fc00::/7,192.0.2.1"}, ""},
		"plain http":                     {map[string]string{"BASE_URL": "http://docs.example.com"}, "BASE_URL"},
		"plain http, permitted":          {map[string]string{"BASE_URL": "http://docs.example.com", "ALLOW_INSECURE_HTTP": "yes"}, ""},
		"plain http on this machine":     {map[string]string{"BASE_URL": "http://localhost:8080"}, ""},
		"a path":                         {map[string]string{"BASE_URL": "https://example.com/docledger"}, "BASE_URL"},
		"the own web application":        {map[string]string{"ACCOUNTING_A_CLIENT_ID": "x"}, ""},
		"a separate web application":     {map[string]string{"ACCOUNTING_A_CLIENT_ID": "x", "WEB_URL": "https://app.example.com"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := provided(test.vary)
			_, err := config.Load(from(values), spec)
			var problems config.Error
			errors.As(err, &problems)
			var named []string
			for _, p := range problems {
				named = append(named, p.Variable)
			}
			if want := strings.Fields(test.named); !slices.Equal(named, want) {
				t.Errorf("named %v, want %v", named, want)
			}
			if v := test.vary[test.named]; v != "" && err != nil && strings.Contains(err.Error(), v) {
				t.Errorf("a value shows in %v", err)
			}
			local := maps.Clone(values)
			local["DOCLEDGER_ENV"] = "local"
			if _, err := config.Load(from(local), spec); err != nil {
				t.Errorf("refused locally: %v", err)
			}
		})
	}
}

// TestPlainHTTPIsRefusedWithoutThirdParties checks that the rule for BASE_URL also
// applies without third parties.
func TestPlainHTTPIsRefusedWithoutThirdParties(t *testing.T) {
	t.Parallel()
	_, err := config.Load(from(map[string]string{"BILLING": "none", "IDENTITY": "local", "BASE_URL": "http://docs.example.com"}))
	if err == nil || !strings.Contains(err.Error(), "BASE_URL") {
		t.Errorf("Load = %v", err)
	}
}
