package config_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"

	"docledger/infrastructure/config"
)

func TestEnvironmentRules(t *testing.T) {
	t.Parallel()
	for environment, want := range map[config.Environment]config.Rules{
		config.Local: {
			ConfidentialClient: true, TokenAuthMethod: "client_secret_post", Scopes: []string{"user:org:read"},
			PlainHTTPIssuer: true, LoopbackRedirects: true, LoopbackSignIn: true, LoopbackConsent: true, LoopbackSetup: true,
		},
		config.Deployed: {TokenAuthMethod: "none", Scopes: []string{"profile", "email", "user:org:read"}, ClientRequired: true},
	} {
		if got := environment.Rules(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s sets %+v", environment, got)
		}
	}
}

// provided is a configuration with both a payment processor and an identity provider.
func provided(vary map[string]string) map[string]string {
	values := map[string]string{
		"DOCLEDGER_ENV": "deployed", "BASE_URL": "https://docs.example.com",
		"BILLING": "stripe", "PAYMENT_SECRET_KEY": "sk", "PAYMENT_SIGNING_SECRETS": "whsec_a_0123456789abcd,whsec_b_0123456789abcd",
		"IDENTITY": "clerk", "IDENTITY_PUBLISHABLE_KEY": "pk", "IDENTITY_SECRET_KEY": "sk", "IDENTITY_SIGNING_SECRETS": "whsec_a_0123456789abcd",
		"OAUTH_CLIENT_ID": "client",
	}
	maps.Copy(values, vary)
	return values
}

// TestRequiredVariables checks that the error names each missing or wrong variable,
// including the five values of interface 5.12.
func TestRequiredVariables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		vary map[string]string
		want []string
	}{
		"all":                       {nil, nil},
		"secret of payments":        {map[string]string{"PAYMENT_SECRET_KEY": ""}, []string{"PAYMENT_SECRET_KEY"}},
		"signing secret":            {map[string]string{"PAYMENT_SIGNING_SECRETS": ""}, []string{"PAYMENT_SIGNING_SECRETS"}},
		"secret of identity":        {map[string]string{"IDENTITY_SECRET_KEY": ""}, []string{"IDENTITY_SECRET_KEY"}},
		"signing secret (identity)": {map[string]string{"IDENTITY_SIGNING_SECRETS": ""}, []string{"IDENTITY_SIGNING_SECRETS"}},
		"publishable key":           {map[string]string{"IDENTITY_PUBLISHABLE_KEY": ""}, []string{"IDENTITY_PUBLISHABLE_KEY"}},
		"external host":             {map[string]string{"BASE_URL": ""}, []string{"BASE_URL"}},
		"plain http":                {map[string]string{"BASE_URL": "http://docs.example.com"}, []string{"BASE_URL"}},
		"plain http when local":     {map[string]string{"BASE_URL": "http://docs.example.com", "DOCLEDGER_ENV": "local"}, nil},
		"plain http to itself":      {map[string]string{"BASE_URL": "http://127.0.0.1:8080"}, nil},
		"client when deployed":      {map[string]string{"OAUTH_CLIENT_ID": ""}, []string{"OAUTH_CLIENT_ID"}},
		"client when local":         {map[string]string{"OAUTH_CLIENT_ID": "", "DOCLEDGER_ENV": "local"}, nil},
		"three secrets":             {map[string]string{"IDENTITY_SIGNING_SECRETS": "whsec_a_0123456789abcd,whsec_b_0123456789abcd,whsec_c_0123456789abcd"}, []string{"IDENTITY_SIGNING_SECRETS"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Load(from(provided(c.vary)))
			var problems config.Error
			errors.As(err, &problems)
			var named []string
			for _, p := range problems {
				named = append(named, p.Variable)
			}
			if !slices.Equal(named, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("named %v, want %v", named, c.want)
			}
		})
	}
}
