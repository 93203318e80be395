package config

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"docledger/domain/secret"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

// reader collects all problems instead of stopping at the first one.
type reader struct {
	env      Environ
	problems Error
	seen     []Variable
	specs    []ProviderSpec

	// toolsAlone reports whether the process serves only tools.
	toolsAlone bool
	// simulated reports whether every third party is simulated on this machine.
	simulated bool
}

func (r *reader) problem(name, format string, args ...any) {
	r.problems = append(r.problems, Problem{name, fmt.Sprintf(format, args...)})
}

func (r *reader) text(name, fallback string) string {
	r.seen = append(r.seen, Variable{Name: name, Default: fallback})
	for _, n := range []string{name, formerNames[name]} {
		if v, ok := r.env(n); ok && n != "" && v != "" {
			return v
		}
	}
	return fallback
}

func (r *reader) oneOf(name, fallback string, allowed ...string) string {
	v := r.text(name, fallback)
	for _, a := range allowed {
		if v == a {
			return v
		}
	}
	r.problem(name, "must be one of %s", strings.Join(allowed, ", "))
	return fallback
}

// required is oneOf without a default, because the operator must choose.
func (r *reader) required(name string, allowed ...string) string {
	if r.text(name, "") == "" {
		r.problem(name, "is required; set it to %s", strings.Join(allowed, " or "))
		return ""
	}
	return r.oneOf(name, "", allowed...)
}

// billing reads BILLING for roles that use plans.
func (r *reader) billing() string {
	if r.toolsAlone {
		return r.oneOf("BILLING", "none", "stripe", "none")
	}
	return r.required("BILLING", "stripe", "none")
}

func (r *reader) number(name string, fallback, least, most int64) int64 {
	v := r.text(name, strconv.FormatInt(fallback, 10))
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < least || n > most {
		r.problem(name, "must be a whole number from %d to %d", least, most)
		return fallback
	}
	return n
}

func (r *reader) duration(name string, fallback time.Duration) time.Duration {
	d, err := time.ParseDuration(r.text(name, fallback.String()))
	if err != nil || d <= 0 {
		r.problem(name, "must be a duration such as 30s")
		return fallback
	}
	return d
}

func (r *reader) level(name string, fallback slog.Level) slog.Level {
	var l slog.Level
	if err := l.UnmarshalText([]byte(r.text(name, strings.ToLower(fallback.String())))); err != nil {
		r.problem(name, "must be debug, info, warn or error")
	}
	return l
}

func (r *reader) url(name, fallback string) string { return r.asURL(name, r.text(name, fallback)) }

func (r *reader) asURL(name, v string) string {
	v = strings.TrimSuffix(v, "/")
	if v == "" {
		return ""
	}
	u, err := url.Parse(v)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		r.problem(name, "must be an http or https URL without query")
	} else if u.User != nil {
		// Addresses are shown and logged. Secrets have separate variables.
		r.problem(name, "must not contain a user or password")
	}
	return v
}

func (r *reader) listen(name, fallback string) string {
	v := r.text(name, fallback)
	host, port, ok := strings.Cut(v, ":")
	if i := strings.LastIndex(v, ":"); i >= 0 {
		host, port, ok = v[:i], v[i+1:], true
	}
	if _, err := strconv.ParseUint(port, 10, 16); !ok || err != nil || strings.ContainsAny(host, "/ ") {
		r.problem(name, "must be host:port")
	}
	return v
}

// listenIf is listen for an optional address.
func (r *reader) listenIf(name string) string {
	if v, ok := r.env(name); ok && v != "" {
		return r.listen(name, "")
	}
	return r.text(name, "")
}

func (r *reader) postgres(name string) string {
	v := r.text(name, "")
	if v == "" {
		return ""
	}
	if u, err := url.Parse(v); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		r.problem(name, "must be a URL that begins with postgres://")
	} else if _, err := pgx.ParseConfig(v); err != nil {
		// The error of the driver contains the URL.
		r.problem(name, "has a part that PostgreSQL does not support, or names a file that cannot be read; use a URL such as postgres://USER:PASSWORD@HOST:5432/NAME?sslmode=verify-full")
	}
	return v
}

func (r *reader) keys(name string) []Secret {
	v := r.text(name, "")
	if v == "" {
		return nil
	}
	var keys []Secret
	for i, part := range strings.Split(v, ",") {
		part = strings.TrimSpace(part)
		if key, err := base64.StdEncoding.DecodeString(part); err != nil || len(key) != 32 {
			r.problem(name, "key %d is not 32 bytes in base64", i+1)
			continue
		}
		keys = append(keys, secret.New(part))
	}
	return keys
}

func (r *reader) networks(name string) []string {
	v := r.text(name, "")
	if v == "" {
		return nil
	}
	var out []string
	for _, part := range strings.Split(v, ",") {
		part = strings.TrimSpace(part)
		_, err1 := netip.ParsePrefix(part)
		_, err2 := netip.ParseAddr(part)
		if err1 != nil && err2 != nil {
			r.problem(name, "must list networks such as 10.0.0.0/8")
			continue
		}
		out = append(out, part)
	}
	return out
}

// textIf reads a value that is required only if needed is true.
func (r *reader) textIf(name string, needed bool) string {
	v := r.text(name, "")
	if v == "" && needed {
		r.problem(name, "is required")
	}
	return v
}

// secret is textIf for a secret value.
func (r *reader) secret(name string, needed bool) Secret { return secret.New(r.textIf(name, needed)) }

// secrets reads one or two secret values.
func (r *reader) secrets(name string, needed bool) []Secret {
	parts := r.list(name)
	if len(parts) == 0 && needed {
		r.problem(name, "is required")
	}
	if len(parts) > 2 {
		r.problem(name, "accepts at most two secrets, separated by a comma")
	}
	var out []Secret
	for _, part := range parts {
		out = append(out, secret.New(part))
	}
	return out
}

func (r *reader) list(name string) []string {
	var out []string
	for _, part := range strings.Split(r.text(name, ""), ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// origins reads a list of origins and adds the origin own.
func (r *reader) origins(name, own string) []string {
	out := r.list(name)
	for i, origin := range out {
		if host, any := strings.CutSuffix(origin, ":*"); any && (host == "http://localhost" || host == "http://127.0.0.1") {
			continue
		}
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" {
			r.problem(name, "entry %d is not an origin such as https://app.example.com", i+1)
			continue
		}
		out[i] = u.Scheme + "://" + u.Host
	}
	if u, err := url.Parse(own); err == nil && u.Host != "" {
		out = append(out, u.Scheme+"://"+u.Host)
	}
	return out
}

// provider reads the variables of one provider.
func (r *reader) provider(spec ProviderSpec) Provider {
	p := Provider{
		ClientID: r.text(spec.Code+"_CLIENT_ID", ""), ClientSecret: secret.New(r.text(spec.Code+"_CLIENT_SECRET", "")),
		Scopes: r.list(spec.Code + "_SCOPES"), URL: r.url(spec.Code+"_URL", ""), Settings: map[string]string{},
	}
	for _, setting := range spec.Settings {
		name := spec.Code + "_" + setting.Name
		if len(setting.Values) == 0 {
			p.Settings[setting.Name] = r.text(name, "")
			continue
		}
		p.Settings[setting.Name] = r.oneOf(name, setting.Values[0], setting.Values...)
	}
	return p
}

// providers checks that each offered provider is configured completely. It reports
// whether any provider is offered.
func (r *reader) providers(c Config) (offered bool) {
	for _, spec := range r.specs {
		p := c.Providers[spec.Code]
		offered = offered || p.ClientID != ""
		if !spec.PublicClient && p.ClientID != "" && p.ClientSecret.Empty() && !r.toolsAlone {
			r.problem(spec.Code+"_CLIENT_SECRET", "is required with %s_CLIENT_ID", spec.Code)
		}
	}
	return offered
}

// sameKeys requires the keys that all processes of one database must share. It also
// requires them if DataDir stores no documents, because DataDir then stores no keys.
func (r *reader) sameKeys(c Config, offered bool) {
	if r.toolsAlone || c.DatabaseURL.Empty() {
		return
	}
	if len(c.TokenKeys) == 0 && (offered || c.Blob.URL != "") {
		r.problem("TOKEN_KEYS", "is required with DATABASE_URL and a provider of integrations or BLOB_URL: every process needs the same keys")
	}
	if len(c.SigningKeys) == 0 && c.Blob.URL != "" {
		r.problem("JWT_SIGNING_KEYS", "is required with DATABASE_URL and BLOB_URL: every process needs the same keys")
	}
}

// notifications reads the address that document stores call. Document stores call
// only https addresses. They cannot reach a loopback address unless they run on the
// same machine.
func (r *reader) notifications(name, base string) string {
	switch v := r.text(name, ""); v {
	case "none":
		return ""
	case "":
		u, err := url.Parse(base)
		if err != nil || u.Scheme != "https" || isLoopback(u.Hostname()) {
			return ""
		}
		return base
	default:
		return r.asURL(name, v)
	}
}

func (r *reader) redis(name string) string {
	v := r.text(name, "")
	if v == "" {
		return ""
	}
	if _, err := redis.ParseURL(v); err != nil {
		r.problem(name, "must be a redis://, rediss:// or unix:// URL, such as redis://:PASSWORD@HOST:6379/0")
	}
	return v
}
