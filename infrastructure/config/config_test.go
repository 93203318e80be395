package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"docledger/infrastructure/config"
)

func from(values map[string]string) config.Environ {
	return func(name string) (string, bool) { v, ok := values[name]; return v, ok }
}

// providers are the provider specifications of the tests.
var providers = []config.ProviderSpec{
	{Code: "ACCOUNTING_A", PublicClient: true}, {Code: "ACCOUNTING_B"}, {Code: "DOCSTORE_A"}, {Code: "DOCSTORE_B"},
}

const canary = "Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5ISE=" // 32 bytes

// second and third are additional keys.
const third = "Y2FuYXJ5LW9mLXRoZS10aGlyZC1rZXktaXMtaGVyZSE="
const second = "Y2FuYXJ5LW9mLXRoZS1zZWNvbmQta2V5LWlzLWhlcmU="

func valid() map[string]string {
	return map[string]string{
		"BILLING": "none", "IDENTITY": "local", "JWT_SIGNING_KEYS": canary + ", " + third,
		"DATABASE_URL": "postgres://user:" + canary + "@db/name",
	}
}

func TestSecretsAreRedacted(t *testing.T) {
	t.Parallel()
	c, err := config.Load(from(valid()))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "config", c, "url", c.DatabaseURL)
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(c), fmt.Sprintf("%+v %#v %v %q", c, c, &c, c.SigningKeys), log.String(), string(asJSON)} {
		if strings.Contains(text, canary) || strings.Contains(text, "canary") {
			t.Errorf("%s contains a secret", text)
		}
	}
	if len(c.SigningKeys) != 2 || c.SigningKeys[0].Reveal() != canary || !strings.Contains(c.DatabaseURL.Reveal(), canary) {
		t.Error("the secrets differ from the configured ones")
	}
}

func TestErrorListsEveryProblemWithoutValues(t *testing.T) {
	t.Parallel()
	_, err := config.Load(from(map[string]string{
		"DOCLEDGER_ENV": canary, "LISTEN": canary, "BASE_URL": canary, "WORKERS": canary, "LOG_LEVEL": canary,
		"DATABASE_URL": canary, "JWT_SIGNING_KEYS": "x" + canary, "TRUSTED_PROXIES": canary, "REQUEST_TIMEOUT": canary,
		"BILLING": canary,
	}))
	var problems config.Error
	if !errors.As(err, &problems) {
		t.Fatalf("Load = %v", err)
	}
	named := map[string]bool{}
	for _, p := range problems {
		named[p.Variable] = true
	}
	for _, want := range []string{
		"DOCLEDGER_ENV", "LISTEN", "BASE_URL", "WORKERS", "LOG_LEVEL", "DATABASE_URL", "JWT_SIGNING_KEYS", "TRUSTED_PROXIES",
		"REQUEST_TIMEOUT", "BILLING", "IDENTITY",
	} {
		if !named[want] || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not named in %v", want, err)
		}
	}
	for _, want := range []string{"BILLING: must be one of stripe, none", "IDENTITY: is required; set it to clerk or local"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not contain %q", err, want)
		}
	}
	if strings.Contains(err.Error(), canary) {
		t.Errorf("%v contains a value", err)
	}
}

func TestRedirectOrigins(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"https://app.example.com": true, "http://localhost:*,http://127.0.0.1:*": true, "https://localhost:*": false,
		"https://*.example.com:*": false, "http://evil.example:*": false, "https://app.example.com/path": false, "*": false,
	} {
		values := valid()
		values["REDIRECT_ORIGINS"] = text
		if _, err := config.Load(from(values)); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := config.Load(from(map[string]string{"BILLING": "none", "IDENTITY": "local", "BASE_URL": "https://d.example/"}))
	if err != nil {
		t.Fatal(err)
	}
	if c.Environment != config.Deployed || c.BaseURL != "https://d.example" || c.MaxUploadBytes != 256<<20 || c.MaxJSONBytes != 1<<20 {
		t.Errorf("defaults are %+v", c)
	}
}

func TestProviders(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"without its secret":              {map[string]string{"DOCSTORE_B_CLIENT_ID": "id", "TOKEN_KEYS": second}, "DOCSTORE_B_CLIENT_SECRET"},
		"another without its secret":      {map[string]string{"DOCSTORE_A_CLIENT_ID": "id", "TOKEN_KEYS": second}, "DOCSTORE_A_CLIENT_SECRET"},
		"a ledger without its secret":     {map[string]string{"ACCOUNTING_B_CLIENT_ID": "id", "TOKEN_KEYS": second}, "ACCOUNTING_B_CLIENT_SECRET"},
		"a shared database, keys of each": {map[string]string{"DOCSTORE_B_CLIENT_ID": "id", "DOCSTORE_B_CLIENT_SECRET": canary}, "TOKEN_KEYS"},
		"complete":                        {map[string]string{"DOCSTORE_B_CLIENT_ID": "id", "DOCSTORE_B_CLIENT_SECRET": canary, "TOKEN_KEYS": second}, ""},
	} {
		values := valid()
		values["WEB_URL"] = "https://app.example.com"
		maps.Copy(values, c.env)
		_, err := config.Load(from(values), providers...)
		var problems config.Error
		if errors.As(err, &problems) != (c.want != "") || c.want != "" && (len(problems) != 1 || problems[0].Variable != c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNotificationsURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, set, want string }{
		{"https://docs.example", "", "https://docs.example"},
		{"http://docs.example", "", ""},
		{"https://127.0.0.1:8080", "", ""},
		{"https://docs.example", "none", ""},
		{"http://127.0.0.1:8080", "https://in.example/", "https://in.example"},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080", "http://127.0.0.1:8080"},
	} {
		values := valid()
		values["ALLOW_INSECURE_HTTP"] = "yes"
		values["BASE_URL"], values["NOTIFICATIONS_URL"] = c.base, c.set
		if got, err := config.Load(from(values)); err != nil || got.NotificationsURL != c.want {
			t.Errorf("BASE_URL %s and %q: %q, %v", c.base, c.set, got.NotificationsURL, err)
		}
	}
	values := valid()
	values["NOTIFICATIONS_URL"] = "no url"
	if _, err := config.Load(from(values)); err == nil {
		t.Error("an invalid URL was accepted")
	}
}

// TestInvalidValuesAreRefusedAtStart checks that an invalid value fails the start,
// not the first request that needs it, and that the error omits the value.
func TestInvalidValuesAreRefusedAtStart(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for _, c := range []struct {
		variable string
		wrong    []string
		right    []string
	}{
		{"DATABASE_URL", []string{
			"postgres://u:" + secret + "@db/n?sslmode=bogus", "postgres://u:" + secret + "@db:x/n", "postgres://u:hunter2%zz@db/n",
			"postgres://db/n?user=u&password=" + secret + "&connect_timeout=soon", "postgres://u:" + secret + "@db/n?sslrootcert=/missing/hunter2",
			"mysql://u:" + secret + "@db/n", secret,
		}, []string{"postgres://u:p@db/n?sslmode=require", "postgresql://u@db1,db2/n", "postgres:///n?host=/run/postgresql"}},
		{"REDIS_URL", []string{
			"redis://:" + secret + "@h/zero", "redis://:hunter2%zz@h/0", "redis://h/0?hunter2=1", "redis://h/0/1", "http://" + secret, secret,
		}, []string{"redis://h", "rediss://:p@h:6380/1", "unix:///run/redis.sock?db=1"}},
		{"BLOB_URL", []string{"https://u:" + secret + "@s3.example.com", "https://s3.example.com/hunter2", "s3://hunter2", secret},
			[]string{"https://s3.example.com", "http://127.0.0.1:7070/"}},
		{"BASE_URL", []string{"https://u:" + secret + "@d.example", "https://d.example?hunter2", "ftp://hunter2"}, []string{"https://d.example/"}},
		{"BLOB_BUCKET", []string{"../hunter2", "hunter2/x", "h", "hunter2..x", "hunter2 x", "-hunter2"}, []string{"documents", "my.bucket-1", "Old_Bucket"}},
		{"MCP_HOSTS", []string{"https://hunter2", "hunter2/x", "a b", "u@hunter2", ":80"}, []string{"tools.internal, tools.internal:8080, [::1]:80"}},
		{"MCP_REDIRECT_URIS", []string{secret, "https://a.example/cb#hunter2", "/hunter2", "https:"},
			[]string{"https://a.example/cb, cursor://anysphere.cursor-mcp/oauth/callback, http://127.0.0.1/"}},
	} {
		for _, value := range append(c.wrong, c.right...) {
			values := valid()
			maps.Copy(values, map[string]string{
				"BLOB_URL": "https://s3.example.com", "BLOB_BUCKET": "documents", "BLOB_ACCESS_KEY": "a", "BLOB_SECRET_KEY": "s", "TOKEN_KEYS": second,
			})
			values[c.variable] = value
			_, err := config.Load(from(values), providers...)
			var problems config.Error
			if want := slices.Contains(c.wrong, value); errors.As(err, &problems) != want || want && (len(problems) != 1 || problems[0].Variable != c.variable) {
				t.Errorf("%s=%s: %v", c.variable, value, err)
			} else if want && strings.Contains(err.Error(), secret) {
				t.Errorf("%v contains the value", err)
			}
		}
	}
}
