package clerk_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"docledger/adapter/identity/clerk"
	"docledger/domain/identity"
)

func publishable(prefix, decoded string) string {
	return prefix + base64.StdEncoding.EncodeToString([]byte(decoded))
}

func TestParsePublishableKey(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]clerk.PublishableKey{
		"pk_live_Y2xlcmsuZXhhbXBsZS5jb20k": {Live: true, FrontendAPI: "clerk.example.com", AccountPortal: "accounts.example.com"},
		"pk_test_aGFwcHktaGlwcG8tMS5jbGVyay5hY2NvdW50cy5kZXYk": {
			FrontendAPI: "happy-hippo-1.clerk.accounts.dev", AccountPortal: "happy-hippo-1.accounts.dev",
		},
		publishable("pk_test_", "one.clerk.accountsstage.dev$"):        {FrontendAPI: "one.clerk.accountsstage.dev", AccountPortal: "one.accountsstage.dev"},
		publishable("pk_test_", "127.0.0.1:4010$"):                     {FrontendAPI: "127.0.0.1:4010", AccountPortal: "127.0.0.1:4010"},
		publishable("pk_live_", "Clerk.Example.COM$"):                  {Live: true, FrontendAPI: "clerk.example.com", AccountPortal: "accounts.example.com"},
		publishable("pk_live_", "auth.example.com$"):                   {Live: true, FrontendAPI: "auth.example.com", AccountPortal: "auth.example.com"},
		publishable("pk_live_", "clerk.clerk.example.com$"):            {Live: true, FrontendAPI: "clerk.clerk.example.com", AccountPortal: "accounts.clerk.example.com"},
		strings.TrimRight(publishable("pk_live_", "clerk.a.io$"), "="): {Live: true, FrontendAPI: "clerk.a.io", AccountPortal: "accounts.a.io"},
		publishable("pk_live_", "clerk.a.io$"):                         {Live: true, FrontendAPI: "clerk.a.io", AccountPortal: "accounts.a.io"},
	} {
		got, err := clerk.ParsePublishableKey(key)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v", key, got, err)
		}
	}
}

func TestParsePublishableKeyRefuses(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{
		"empty":             "",
		"a secret key":      "sk_test_Y2xlcmsuZXhhbXBsZS5jb20k",
		"another prefix":    "pk_prod_Y2xlcmsuZXhhbXBsZS5jb20k",
		"only the prefix":   "pk_test_",
		"no base64":         "pk_test_clerk.example.com",
		"no dollar":         publishable("pk_test_", "clerk.example.com"),
		"two dollars":       publishable("pk_test_", "clerk.example.com$$"),
		"dollar within":     publishable("pk_test_", "clerk$.example.com$"),
		"no dot":            publishable("pk_test_", "localhost:4010$"),
		"userinfo":          publishable("pk_test_", "clerk.example.com@evil.example$"),
		"path":              publishable("pk_test_", "clerk.example.com/oauth$"),
		"query":             publishable("pk_test_", "clerk.example.com?$"),
		"scheme":            publishable("pk_test_", "https://clerk.example.com$"),
		"space":             publishable("pk_test_", "clerk.example.com $"),
		"line feed":         publishable("pk_test_", "clerk.example.com\n$"),
		"backslash":         publishable("pk_test_", `clerk.example.com\$`),
		"dot at the end":    publishable("pk_test_", "clerk.example.com.$"),
		"dot at the start":  publishable("pk_test_", ".clerk.example.com$"),
		"two dots":          publishable("pk_test_", "clerk..example.com$"),
		"empty port":        publishable("pk_test_", "clerk.example.com:$"),
		"port too large":    publishable("pk_test_", "clerk.example.com:65536$"),
		"port of letters":   publishable("pk_test_", "clerk.example.com:https$"),
		"letters not ASCII": publishable("pk_test_", "clérk.example.com$"),
		"line feed in it":   "pk_live_Y2xlcmsu\nZXhhbXBsZS5jb20k",
		"long":              publishable("pk_test_", strings.Repeat("a.", 400)+"com$"),
	} {
		got, err := clerk.ParsePublishableKey(key)
		if err == nil || got != (clerk.PublishableKey{}) {
			t.Errorf("%s: got %+v", name, got)
		} else if len(key) > 8 && strings.Contains(err.Error(), key[8:]) {
			t.Errorf("%s: the error repeats the key", name)
		}
	}
}

func TestPublishableKeyOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host     string
		loopback bool
		want     string
	}{
		{"clerk.example.com", false, "https://clerk.example.com"},
		{"clerk.example.com", true, "https://clerk.example.com"},
		{"127.0.0.1:4010", true, "http://127.0.0.1:4010"},
		{"127.0.0.1:4010", false, "https://127.0.0.1:4010"},
	} {
		if got := (clerk.PublishableKey{FrontendAPI: c.host}).Origin(c.loopback); got != c.want {
			t.Errorf("%s, %v: %s", c.host, c.loopback, got)
		}
	}
}

func TestNewRefusesAddressesWithoutTLS(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address  string
		loopback bool
		want     bool
	}{
		{"", false, true},
		{"https://api.example.com", false, true},
		{"https://api.example.com/", false, true},
		{"http://127.0.0.1:4010", true, true},
		{"http://localhost:4010", true, true},
		{"http://127.0.0.1:4010", false, false},
		{"http://api.example.com", true, false},
		{"http://10.0.0.1", true, false},
		{"ftp://api.example.com", true, false},
		{"https://user:pass@api.example.com", true, false},
		{"https://api.example.com?key=a", true, false},
		{"api.example.com", true, false},
	} {
		_, err := clerk.New(clerk.Options{
			PublishableKey: "pk_live_Y2xlcmsuZXhhbXBsZS5jb20k", SecretKey: secretKey, APIURL: c.address, LoopbackHTTP: c.loopback,
		})
		if (err == nil) != c.want {
			t.Errorf("%q, loopback %v: %v", c.address, c.loopback, err)
		}
		secretless(t, err)
	}
}

func FuzzParsePublishableKey(f *testing.F) {
	f.Add("pk_live_Y2xlcmsuZXhhbXBsZS5jb20k")
	f.Add("pk_test_aGFwcHktaGlwcG8tMS5jbGVyay5hY2NvdW50cy5kZXYk")
	f.Add(publishable("pk_test_", "127.0.0.1:4010$"))
	f.Add(publishable("pk_test_", "clerk.example.com@evil.example$"))
	f.Add("pk_test_-_")
	f.Fuzz(func(t *testing.T, key string) {
		got, err := clerk.ParsePublishableKey(key)
		if err != nil {
			return
		}
		for _, host := range []string{got.FrontendAPI, got.AccountPortal} {
			if !strings.Contains(host, ".") || strings.ContainsAny(host, "@/\\?#% \t\r\n$") {
				t.Fatalf("%q gave the host %q", key, host)
			}
			address := "https://" + host + "/oauth/authorize"
			if _, ok := identity.AllowedRedirect(address, got.SignInHosts(), false); !ok {
				t.Fatalf("%q gave the host %q, to which the browser must not be redirected", key, host)
			}
		}
	})
}
