package identity_test

import (
	"strings"
	"testing"

	"docledger/domain/identity"

	"github.com/nlnwa/whatwg-url/url"
)

var hosts = identity.SignInHosts{FrontendAPI: "clerk.example.com", AccountPortal: "accounts.example.com"}

// loopbackHosts are the hosts of a simulator.
var loopbackHosts = identity.SignInHosts{FrontendAPI: "127.0.0.1:4010", AccountPortal: "127.0.0.1:4010"}

type redirect struct {
	name  string
	raw   string
	hosts identity.SignInHosts
	local bool
	want  string // "" if it is refused
}

func allowedCases() []redirect {
	const long = "https://clerk.example.com/oauth/authorize?state="
	return []redirect{
		{"authorize", "https://clerk.example.com/oauth/authorize?client_id=a&state=b", hosts, false, "same"},
		{"portal's consent", "https://accounts.example.com/oauth-consent?client_id=a", hosts, false, "same"},
		{"portal's consent without query", "https://accounts.example.com/oauth-consent", hosts, false, "same"},
		{"below consent", "https://accounts.example.com/oauth-consent/organization", hosts, false, "same"},
		{"consent on the frontend host", "https://clerk.example.com/oauth-consent", hosts, false, "same"},
		{"oauth on the portal", "https://accounts.example.com/oauth/authorize", hosts, false, "same"},
		{"nothing below oauth", "https://clerk.example.com/oauth/", hosts, false, "same"},
		{"deep path", "https://clerk.example.com/oauth/a/b/c", hosts, false, "same"},
		{"upper case in host and scheme", "HTTPS://Clerk.Example.COM/oauth/Authorize", hosts, false, "https://clerk.example.com/oauth/Authorize"},
		{"default port spelled out", "https://clerk.example.com:443/oauth/authorize", hosts, false, "same"},
		{"URL in the query", "https://clerk.example.com/oauth/authorize?redirect_uri=https://evil.example/cb", hosts, false, "same"},
		{"escaped URL in the query", "https://clerk.example.com/oauth/authorize?redirect_uri=https%3A%2F%2Fevil.example%2Fcb", hosts, false, "same"},
		{"slashes and at in the query", "https://clerk.example.com/oauth/authorize?x=//evil.example@y/../z", hosts, false, "same"},
		{"apostrophe in the query", "https://clerk.example.com/oauth/authorize?state=it's", hosts, false, "same"},
		{"fragment is dropped", "https://clerk.example.com/oauth/authorize?a=b#frag", hosts, false, "https://clerk.example.com/oauth/authorize?a=b"},
		{"repeated parameter", "https://clerk.example.com/oauth/authorize?state=a&state=b", hosts, false, "same"},
		{"escaped letter in the path", "https://clerk.example.com/oauth/%61uthorize", hosts, false, "same"},
		{"longest", long + strings.Repeat("a", 8<<10-len(long)), hosts, false, "same"},
		{"dots that are no segment", "https://clerk.example.com/oauth/a..b/.c", hosts, false, "same"},
		{"http to a loopback address in local", "http://127.0.0.1:4010/oauth/authorize?a=b", loopbackHosts, true, "same"},
		{"http to loopback consent in local", "http://127.0.0.1:4010/oauth-consent?a=b", loopbackHosts, true, "same"},
		{"https to a loopback address", "https://127.0.0.1:4010/oauth/authorize", loopbackHosts, false, "same"},
		{"http to localhost in local", "http://localhost:4010/oauth/a", identity.SignInHosts{FrontendAPI: "localhost:4010"}, true, "same"},
		{"http to IPv6 loopback in local", "http://[::1]:4010/oauth/a", identity.SignInHosts{FrontendAPI: "[::1]:4010"}, true, "same"},
	}
}

func refusedCases() []redirect {
	refused := map[string]string{
		"empty": "",
		"blank": " ",
		// schemes
		"http in deployed":       "http://clerk.example.com/oauth/authorize",
		"javascript":             "javascript:alert(1)//clerk.example.com/oauth/",
		"data":                   "data:text/html,https://clerk.example.com/oauth/",
		"ftp":                    "ftp://clerk.example.com/oauth/a",
		"other scheme, own host": "myapp://clerk.example.com/oauth/a",
		"scheme of a view":       "view-source:https://clerk.example.com/oauth/a",
		"blob":                   "blob:https://clerk.example.com/oauth/a",
		"no scheme":              "clerk.example.com/oauth/a",
		"relative to the scheme": "//clerk.example.com/oauth/a",
		"relative path":          "/oauth/authorize",
		"three slashes":          "https:///clerk.example.com/oauth/a",
		"one slash":              "https:/clerk.example.com/oauth/a",
		"no slash":               "https:clerk.example.com/oauth/a",
		"one slash to evil":      "https:/evil.example/oauth/a",
		"space before scheme":    " https://clerk.example.com/oauth/a",
		"space in scheme":        "https ://clerk.example.com/oauth/a",
		"control before scheme":  "\x01https://clerk.example.com/oauth/a",
		"tab in scheme":          "ht\ttps://clerk.example.com/oauth/a",
		"escaped scheme":         "%68ttps://clerk.example.com/oauth/a",
		// authority
		"evil host":                 "https://evil.example/oauth/authorize",
		"subdomain":                 "https://a.clerk.example.com/oauth/a",
		"parent":                    "https://example.com/oauth/a",
		"sibling":                   "https://www.example.com/oauth/a",
		"host as prefix":            "https://clerk.example.com.evil.example/oauth/a",
		"host as suffix":            "https://evilclerk.example.com/oauth/a",
		"host without a label":      "https://clerk.example.co/oauth/a",
		"host in the path":          "https://evil.example/clerk.example.com/oauth/a",
		"userinfo":                  "https://user@clerk.example.com/oauth/a",
		"userinfo with password":    "https://user:pass@clerk.example.com/oauth/a",
		"empty userinfo":            "https://@clerk.example.com/oauth/a",
		"host as userinfo":          "https://clerk.example.com@evil.example/oauth/a",
		"host and port as userinfo": "https://clerk.example.com:443@evil.example/oauth/a",
		"escaped at":                "https://clerk.example.com%40evil.example/oauth/a",
		"two ats":                   "https://clerk.example.com@clerk.example.com@evil.example/oauth/a",
		"other port":                "https://clerk.example.com:8443/oauth/a",
		"port 80 with https":        "https://clerk.example.com:80/oauth/a",
		"empty port":                "https://clerk.example.com:/oauth/a",
		"port with zeros":           "https://clerk.example.com:0443/oauth/a",
		"port too large":            "https://clerk.example.com:65979/oauth/a",
		"port twice":                "https://clerk.example.com:443:443/oauth/a",
		"port of letters":           "https://clerk.example.com:https/oauth/a",
		"trailing dot":              "https://clerk.example.com./oauth/a",
		"leading dot":               "https://.clerk.example.com/oauth/a",
		"two dots":                  "https://clerk..example.com/oauth/a",
		"backslash before evil":     `https://clerk.example.com\@evil.example/oauth/a`,
		"backslashes for slashes":   `https:\\clerk.example.com\oauth\a`,
		"slash and backslash":       `https:/\evil.example/oauth/a`,
		"backslash in host":         `https://evil.example\.clerk.example.com/oauth/a`,
		"backslash after host":      `https://evil.example\clerk.example.com/oauth/a`,
		"question mark before path": "https://evil.example?clerk.example.com/oauth/a",
		"question mark after host":  "https://clerk.example.com?/oauth/a",
		"hash before path":          "https://clerk.example.com#/oauth/a",
		"hash and at":               "https://evil.example#@clerk.example.com/oauth/a",
		"escaped dot in host":       "https://clerk%2eexample.com/oauth/a",
		"escaped slash in host":     "https://evil.example%2fclerk.example.com/oauth/a",
		"escaped letter in host":    "https://%63lerk.example.com/oauth/a",
		"Cyrillic letter":           "https://сlerk.example.com/oauth/a",
		"full-width letter":         "https://ｃlerk.example.com/oauth/a",
		"ideographic full stop":     "https://clerk。example.com/oauth/a",
		"soft hyphen":               "https://cl\u00aderk.example.com/oauth/a",
		"zero-width joiner":         "https://clerk\u200d.example.com/oauth/a",
		"punycode":                  "https://xn--lerk-4nf.example.com/oauth/a",
		"slash-like letter":         "https://evil.example⁄clerk.example.com/oauth/a",
		"tab in host":               "https://clerk.exa\tmple.com/oauth/a",
		"line feed in host":         "https://clerk.example\n.com/oauth/a",
		"carriage return":           "https://clerk.example.com\r/oauth/a",
		"null in host":              "https://clerk.example.com\x00.evil.example/oauth/a",
		"space in host":             "https://clerk.example.com .evil.example/oauth/a",
		"IPv6 with zone":            "https://[fe80::1%25eth0]/oauth/a",
		"decimal address":           "https://2130706433/oauth/a",
		"no host":                   "https:///oauth/a",
		"only scheme":               "https://",
		// path
		"no path":                      "https://clerk.example.com",
		"root":                         "https://clerk.example.com/",
		"other path":                   "https://clerk.example.com/v1/client",
		"oauth without slash":          "https://clerk.example.com/oauth",
		"oauth as prefix":              "https://clerk.example.com/oauthx",
		"consent as prefix":            "https://clerk.example.com/oauth-consentx",
		"consent as prefix with dot":   "https://clerk.example.com/oauth-consent.html",
		"upper case path":              "https://clerk.example.com/OAuth/authorize",
		"oauth further down":           "https://clerk.example.com/v1/oauth/authorize",
		"dot segments":                 "https://clerk.example.com/oauth/../v1/client",
		"dot segments at the end":      "https://clerk.example.com/oauth/..",
		"single dot":                   "https://clerk.example.com/oauth/./authorize",
		"dots before oauth":            "https://clerk.example.com/x/../oauth/a",
		"escaped dot segments":         "https://clerk.example.com/oauth/%2e%2e/v1",
		"half escaped dot segments":    "https://clerk.example.com/oauth/.%2E/v1",
		"twice escaped dot segments":   "https://clerk.example.com/oauth/%252e%252e/v1",
		"escaped slash":                "https://clerk.example.com/oauth/..%2fv1",
		"escaped slash for oauth's":    "https://clerk.example.com/oauth%2fauthorize",
		"escaped backslash":            "https://clerk.example.com/oauth/..%5cv1",
		"backslash in path":            `https://clerk.example.com/oauth/..\v1`,
		"escaped letter of oauth":      "https://clerk.example.com/%6fauth/authorize",
		"two slashes before oauth":     "https://clerk.example.com//oauth/authorize",
		"two slashes after oauth":      "https://clerk.example.com/oauth//evil.example",
		"escape without digits":        "https://clerk.example.com/oauth/%zz",
		"escape cut short":             "https://clerk.example.com/oauth/%2",
		"escaped null":                 "https://clerk.example.com/oauth/%00",
		"escaped line feed":            "https://clerk.example.com/oauth/%0d%0aSet-Cookie:a",
		"escaped question mark":        "https://clerk.example.com/oauth/%3f",
		"tab between dots":             "https://clerk.example.com/oauth/.\t./v1",
		"line feed in path":            "https://clerk.example.com/oauth/a\nb",
		"consent with dot segment":     "https://clerk.example.com/oauth-consent/../v1",
		"path parameter with dots":     "https://clerk.example.com/oauth/..;/v1/%2e%2e",
		"quote in query":               `https://clerk.example.com/oauth/a?b="c`,
		"angle bracket in query":       "https://clerk.example.com/oauth/a?b=<script>",
		"letter outside ASCII in path": "https://clerk.example.com/oauth/é",
		"ten kilobytes":                "https://clerk.example.com/oauth/a?b=" + strings.Repeat("c", 10<<10),
	}
	var cases []redirect
	for name, raw := range refused {
		cases = append(cases, redirect{name, raw, hosts, false, ""}, redirect{name + ", local", raw, hosts, true, ""})
	}
	return append(cases,
		redirect{"http to loopback in deployed", "http://127.0.0.1:4010/oauth/a", loopbackHosts, false, ""},
		redirect{"http to another loopback port", "http://127.0.0.1:4011/oauth/a", loopbackHosts, true, ""},
		redirect{"http to a loopback name for its address", "http://localhost:4010/oauth/a", loopbackHosts, true, ""},
		redirect{"http to a loopback address in short", "http://127.1:4010/oauth/a", loopbackHosts, true, ""},
		redirect{"http to a loopback address in decimal", "http://2130706433:4010/oauth/a", loopbackHosts, true, ""},
		redirect{"http to a loopback address in octal", "http://0177.0.0.1:4010/oauth/a", loopbackHosts, true, ""},
		redirect{"http to a loopback address in IPv6", "http://[::ffff:127.0.0.1]:4010/oauth/a", loopbackHosts, true, ""},
		redirect{"http to a host that only begins like loopback", "http://127.0.0.1.evil.example:4010/oauth/a",
			identity.SignInHosts{FrontendAPI: "127.0.0.1.evil.example:4010"}, true, ""},
		redirect{"http to a host that only begins like localhost", "http://localhost.evil.example/oauth/a",
			identity.SignInHosts{FrontendAPI: "localhost.evil.example"}, true, ""},
		redirect{"no hosts", "https:///oauth/a", identity.SignInHosts{}, true, ""},
		redirect{"no hosts and a port", "https://:443/oauth/a", identity.SignInHosts{}, true, ""},
	)
}

func TestAllowedRedirect(t *testing.T) {
	t.Parallel()
	for _, c := range append(allowedCases(), refusedCases()...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := c.want
			if want == "same" {
				want = c.raw
			}
			got, ok := identity.AllowedRedirect(c.raw, c.hosts, c.local)
			if ok != (want != "") || got != want {
				t.Fatalf("AllowedRedirect(%q) = %q, %v; want %q", c.raw, got, ok, want)
			}
			judge(t, c.raw, got, ok, c.hosts, c.local)
		})
	}
}

// judge parses both addresses like a browser (WHATWG URL) and fails if an allowed
// address leads to any page outside the provider.
func judge(t *testing.T, raw, got string, ok bool, hosts identity.SignInHosts, local bool) {
	t.Helper()
	if !ok {
		if got != "" {
			t.Fatalf("a refused address was returned: %q", got)
		}
		return
	}
	for _, address := range []string{raw, got} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatalf("%q was allowed, but no browser can parse it: %v", address, err)
		}
		isProvider := u.Host() == withoutDefaultPort(u.Protocol(), hosts.FrontendAPI) || u.Host() == withoutDefaultPort(u.Protocol(), hosts.AccountPortal)
		if u.Host() == "" || !isProvider || u.Username() != "" || u.Password() != "" {
			t.Fatalf("%q was allowed, but a browser opens the host %q", address, u.Host())
		}
		switch {
		case u.Protocol() == "https:":
		case u.Protocol() == "http:" && local && (u.Hostname() == "127.0.0.1" || u.Hostname() == "localhost" || u.Hostname() == "[::1]"):
		default:
			t.Fatalf("%q was allowed, but a browser uses %q", address, u.Protocol())
		}
		path := u.Pathname()
		if !strings.HasPrefix(path, "/oauth/") && path != "/oauth-consent" && !strings.HasPrefix(path, "/oauth-consent/") {
			t.Fatalf("%q was allowed, but a browser requests %q", address, path)
		}
	}
	if again, stable := identity.AllowedRedirect(got, hosts, local); !stable || again != got {
		t.Fatalf("the allowed %q becomes %q when it is validated again", got, again)
	}
}

func withoutDefaultPort(protocol, host string) string {
	if protocol == "http:" {
		return strings.TrimSuffix(host, ":80")
	}
	return strings.TrimSuffix(host, ":443")
}

func TestRedirectHost(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://evil.example/a?b=secret":           "evil.example",
		"https://u:p@evil.example:81/x":             "evil.example:81",
		`https:\\evil.example\a`:                    "evil.example",
		"//evil.example":                            "evil.example",
		"evil.example/oauth":                        "evil.example",
		"evil.example:443/oauth":                    "evil.example:443",
		"https:/evil.example":                       "evil.example",
		"https://ev\r\nil.example":                  "evil.example",
		"https://exämple.com/a":                     "exämple.com",
		"https://[::1]:80/":                         "[::1]:80",
		"/oauth/authorize":                          "",
		"https%3A%2F%2Fevil%2Fx%3Fcode%3Dsecret":    "https",
		"https://u%40x:p@evil.example%2Fsecret":     "evil.example",
		"":                                          "",
		"https://" + strings.Repeat("a", 400) + "/": strings.Repeat("a", 255),
	} {
		if got := identity.RedirectHost(raw); got != want {
			t.Errorf("RedirectHost(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestIsLoopbackHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.0.0.1:80": true, "127.9.9.9": true, "localhost": true, "LOCALHOST:1": true, "[::1]": true, "[::1]:9": true,
		"": false, "128.0.0.1": false, "localhost.example": false, "127.0.0.1.example": false, "example.com": false, "10.0.0.1": false,
		"0.0.0.0": false, "[::]": false,
	} {
		if got := identity.IsLoopbackHost(host); got != want {
			t.Errorf("IsLoopbackHost(%q) = %v", host, got)
		}
	}
}

func FuzzAllowedRedirect(f *testing.F) {
	for _, c := range append(allowedCases(), refusedCases()...) {
		if len(c.raw) < 1<<10 {
			f.Add(c.raw, c.local)
		}
	}
	f.Fuzz(func(t *testing.T, raw string, local bool) {
		for _, h := range []identity.SignInHosts{hosts, loopbackHosts} {
			got, ok := identity.AllowedRedirect(raw, h, local)
			judge(t, raw, got, ok, h, local)
		}
		identity.RedirectHost(raw)
	})
}
