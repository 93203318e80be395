package config_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"docledger/infrastructure/config"
)

// named loads the configuration for the roles and returns the sorted variables that
// the error names.
func named(t *testing.T, values map[string]string, roles ...string) []string {
	t.Helper()
	_, err := config.LoadFor(from(values), roles)
	var problems config.Error
	if err != nil && !errors.As(err, &problems) {
		t.Fatal(err)
	}
	var out []string
	for _, p := range problems {
		out = append(out, p.Variable)
		if !strings.Contains(err.Error(), "\n  "+p.Variable+": ") {
			t.Errorf("%s has no separate line in %v", p.Variable, err)
		}
	}
	slices.Sort(out)
	return out
}

// production is the environment of a complete production stack.
func production(vary map[string]string) map[string]string {
	values := provided(map[string]string{
		"DATABASE_URL": "postgres://user:password@db/name", "REDIS_URL": "redis://redis:6379/0",
		"BLOB_URL": "https://s3.example.com", "BLOB_BUCKET": "documents", "BLOB_ACCESS_KEY": "access", "BLOB_SECRET_KEY": "secret",
		"JWT_SIGNING_KEYS": canary, "TOKEN_KEYS": second, "BACKEND_URL": "http://api:8080",
	})
	maps.Copy(values, vary)
	return values
}

// five lists the variables of interface 5.12.
var five = []string{"BASE_URL", "IDENTITY_SECRET_KEY", "IDENTITY_SIGNING_SECRETS", "PAYMENT_SECRET_KEY", "PAYMENT_SIGNING_SECRETS"}

// TestRequiredVariablesOfEachRole removes one variable at a time from a production
// environment. The error must name exactly the missing variables that the role needs.
func TestRequiredVariablesOfEachRole(t *testing.T) {
	t.Parallel()
	stateful := append([]string{
		"BLOB_ACCESS_KEY", "BLOB_BUCKET", "BLOB_SECRET_KEY", "JWT_SIGNING_KEYS", "TOKEN_KEYS",
		"BILLING", "IDENTITY", "IDENTITY_PUBLISHABLE_KEY", "OAUTH_CLIENT_ID",
	}, five...)
	for role, needs := range map[string][]string{
		config.RoleAPI: stateful, config.RoleWorker: stateful,
		config.RoleTools: {"BACKEND_URL", "BASE_URL", "IDENTITY", "IDENTITY_PUBLISHABLE_KEY", "OAUTH_CLIENT_ID"},
	} {
		if got := named(t, production(nil), role); got != nil {
			t.Errorf("%s: a complete environment lacks %v", role, got)
		}
		all := map[string]string{}
		for name := range production(nil) {
			got := named(t, production(map[string]string{name: ""}), role)
			if want := slices.Contains(needs, name); want != slices.Equal(got, []string{name}) || !want && got != nil {
				t.Errorf("%s without %s: named %v", role, name, got)
			}
			if name != "BILLING" && name != "IDENTITY" && name != "DATABASE_URL" && name != "BLOB_URL" {
				all[name] = ""
			}
		}
		want := slices.DeleteFunc(slices.Sorted(slices.Values(needs)), func(n string) bool { return n == "BILLING" || n == "IDENTITY" })
		if got := named(t, production(all), role); !slices.Equal(got, want) {
			t.Errorf("%s without anything: named %v, want %v", role, got, want)
		}
	}
}

// TestFiveVariablesAreNamedTogether checks that one error names all five variables
// without their values.
func TestFiveVariablesAreNamedTogether(t *testing.T) {
	t.Parallel()
	vary := map[string]string{"OAUTH_CLIENT_ID": canary}
	for _, name := range five {
		vary[name] = ""
	}
	values := production(vary)
	got := named(t, values, config.RoleAPI, config.RoleWorker)
	if !slices.Equal(got, five) {
		t.Errorf("named %v", got)
	}
	_, err := config.LoadFor(from(values), []string{config.RoleAPI})
	for name, value := range values {
		// Messages may contain short values and names of choices as words.
		if len(value) > 8 && strings.Contains(err.Error(), value) {
			t.Errorf("the value of %s appears in %v", name, err)
		}
	}
}

func TestBlobStore(t *testing.T) {
	t.Parallel()
	for value, variable := range map[string]string{
		"BLOB_URL=ftp://x": "BLOB_URL", "BLOB_URL=https://x/bucket": "BLOB_URL", "BLOB_PREFIX=/x": "BLOB_PREFIX",
		"BLOB_PREFIX=x/../y": "BLOB_PREFIX", "BLOB_ADDRESSING=host": "BLOB_ADDRESSING", "BLOB_PREFIX=x/y": "", "BLOB_ADDRESSING=path": "",
		"HEALTH_LISTEN=nowhere": "HEALTH_LISTEN", "HEALTH_LISTEN=:8081": "",
	} {
		name, text, _ := strings.Cut(value, "=")
		var want []string
		if variable != "" {
			want = []string{variable}
		}
		if got := named(t, production(map[string]string{name: text}), config.RoleAPI); !slices.Equal(got, want) {
			t.Errorf("%s: named %v", value, got)
		}
	}
	// DATA_DIR stores the keys if it also stores documents or the database.
	for _, vary := range []map[string]string{{"BLOB_URL": ""}, {"DATABASE_URL": ""}} {
		maps.Copy(vary, map[string]string{"JWT_SIGNING_KEYS": "", "TOKEN_KEYS": ""})
		if got := named(t, production(vary), config.RoleAPI); got != nil {
			t.Errorf("%v: named %v", vary, got)
		}
	}
}

func TestHealthAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  map[string]string
		want []string
	}{
		{nil, []string{"127.0.0.1:8080"}},
		{map[string]string{"LISTEN": ":80", "HEALTH_LISTEN": ":80"}, []string{":80"}},
		{map[string]string{"LISTEN": ":80", "HEALTH_LISTEN": ":81"}, []string{":80", ":81"}},
	} {
		if got := config.Listening(from(c.env)); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v", c.env, got)
		}
	}
}
