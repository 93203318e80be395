// Package config reads docledger's configuration: one struct, from environment
// variables alone, validated as a whole.
package config

import (
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"docledger/domain/secret"
)

// Secret is a value that shows as *** wherever it is printed or logged.
type Secret = secret.Text

// Config is everything that can be set.
type Config struct {
	Environment   Environment
	InsecureHTTP  bool   // BASE_URL may be http outside this machine, although deployed
	BaseURL       string // how the outside reaches the service; also the issuer of our tokens
	Listen        string // host:port of the API
	HealthAt      string // host:port where a worker alone says how it is; "" for nowhere
	MetricsListen string // host:port of the metrics; "" for none
	TraceEndpoint string // of a collector of traces; "" for none
	WebURL        string // the web application; "" for none
	LogLevel      slog.Level
	LogFormat     string // "json" or "text"

	DataDir     string // SQLite, blobs and generated keys
	DatabaseURL Secret // PostgreSQL; "" for SQLite in DataDir
	DatabaseMax int    // connections
	Blob        Blob

	SigningKeys []Secret // Ed25519 seeds in base64, the first one signs; empty: kept in DataDir
	Identity    Identity

	Billing              string // "stripe" or "none"
	PaymentSecretKey     Secret
	PaymentSigningSecret []Secret // one, or two while they are rotated
	PaymentURL           string   // "" for the processor's own
	PaymentProducts      []string // whose prices are for sale
	RedirectOrigins      []string // to which pages of others may lead back
	RedisURL             Secret   // "" for a cache in the process

	TokenKeys []Secret            // seal what providers gave us, the first one seals; empty: kept in DataDir
	Providers map[string]Provider // of integrations, by code
	// NotificationsURL is where document stores call; "" where none can.
	NotificationsURL string
	Tools            Tools

	Rates            Rates
	CORSOrigins      []string // whose pages may call the API
	MaxUploadBytes   int64
	MaxJSONBytes     int64
	BodyMemory       int64 // bytes that the bodies of running requests may take
	SignInPerAccount int
	SignInPerAddress int
	RequestTimeout   time.Duration

	Workers           int // jobs at once
	ExtractorProcs    int // child processes that read PDFs
	ExtractDeadline   time.Duration
	ExtractPatience   time.Duration
	SyncPatience      time.Duration
	PollInterval      time.Duration
	CompileCacheDir   string
	OCR               OCR
	TrustedProxies    []string      // whose X-Forwarded-For is believed
	ShutdownDelay     time.Duration // between saying that it ends and taking no more requests
	ShutdownTimeout   time.Duration
	PasswordMemoryKiB int
}

// Provider is how one provider of integrations is reached.
type Provider struct {
	ClientID     string // "" where the provider is not offered
	ClientSecret Secret
	Scopes       []string // nil for those that the connector needs
	URL          string   // "" for the provider's own
	Settings     map[string]string
}

// ProviderSpec states which variables a provider of integrations has.
type ProviderSpec struct {
	Code         string // the beginning of its variables
	PublicClient bool   // a client without a secret is allowed
	Settings     []ProviderSetting
}

// ProviderSetting is one further variable of a provider.
type ProviderSetting struct{ Name, Meaning string }

// Variable describes one environment variable, for documentation.
type Variable struct {
	Name    string
	Default string
	Meaning string
}

// Problem is one variable that is missing or wrong. It never holds a value.
type Problem struct{ Variable, Reason string }

// Error lists every problem at once.
type Error []Problem

// Error implements error.
func (e Error) Error() string {
	var b strings.Builder
	b.WriteString("the configuration is not complete or not safe:")
	for _, p := range e {
		fmt.Fprintf(&b, "\n  %s: %s", p.Variable, p.Reason)
	}
	return b.String()
}

// Environ looks variables up; os.LookupEnv outside tests.
type Environ func(name string) (string, bool)

// FromEnvironment reads the process's environment.
func FromEnvironment(providers ...ProviderSpec) (Config, error) {
	return Load(os.LookupEnv, providers...)
}

// FromEnvironmentFor reads the process's environment for certain roles.
func FromEnvironmentFor(roles []string, providers ...ProviderSpec) (Config, error) {
	return LoadFor(os.LookupEnv, roles, providers...)
}

// Load reads and validates the configuration. The error is an Error.
func Load(env Environ, providers ...ProviderSpec) (Config, error) {
	r := &reader{env: env, specs: providers}
	c := r.load()
	if len(r.problems) > 0 {
		return Config{}, r.problems
	}
	return c, nil
}

func (r *reader) load() Config {
	c := Config{
		Environment:       Environment(r.oneOf("DOCLEDGER_ENV", string(Deployed), string(Local), string(Deployed))),
		BaseURL:           r.url("BASE_URL", "http://127.0.0.1:8080"),
		InsecureHTTP:      r.oneOf("ALLOW_INSECURE_HTTP", "no", "no", "yes") == "yes",
		Listen:            r.listen("LISTEN", defaultListen),
		MetricsListen:     r.listenIf("METRICS_LISTEN"),
		TraceEndpoint:     r.url("OTEL_EXPORTER_OTLP_ENDPOINT", ""),
		WebURL:            r.url("WEB_URL", ""),
		LogLevel:          r.level("LOG_LEVEL", slog.LevelInfo),
		LogFormat:         r.oneOf("LOG_FORMAT", "json", "json", "text"),
		DataDir:           r.text("DATA_DIR", "docledger-data"),
		DatabaseURL:       secret.New(r.postgres("DATABASE_URL")),
		DatabaseMax:       int(r.number("DATABASE_MAX_CONNECTIONS", 16, 2, 1000)),
		SigningKeys:       r.keys("JWT_SIGNING_KEYS"),
		Billing:           r.billing(),
		MaxUploadBytes:    r.number("MAX_UPLOAD_BYTES", 256<<20, 1, 16<<30),
		MaxJSONBytes:      r.number("MAX_JSON_BYTES", 1<<20, 1024, 256<<20),
		BodyMemory:        r.number("REQUEST_BODY_MEMORY_BYTES", 128<<20, 8<<20, 64<<30),
		SignInPerAccount:  int(r.number("SIGN_IN_TRIES_PER_ACCOUNT", 10, 1, 1_000_000)),
		SignInPerAddress:  int(r.number("SIGN_IN_TRIES_PER_ADDRESS", 50, 1, 1_000_000)),
		RequestTimeout:    r.duration("REQUEST_TIMEOUT", 60*time.Second),
		Workers:           int(r.number("WORKERS", 8, 1, 1000)),
		ExtractorProcs:    int(r.number("EXTRACTOR_PROCESSES", 2, 1, 64)),
		ExtractDeadline:   r.duration("EXTRACT_DEADLINE", 9*time.Second),
		ExtractPatience:   r.duration("EXTRACT_PATIENCE", 30*time.Second),
		SyncPatience:      r.duration("SYNC_PATIENCE", 30*time.Second),
		PollInterval:      r.duration("POLL_INTERVAL", time.Minute),
		CompileCacheDir:   r.text("COMPILE_CACHE_DIR", defaultCacheDir()),
		OCR:               r.ocr(),
		TrustedProxies:    r.networks("TRUSTED_PROXIES"),
		ShutdownDelay:     r.duration("SHUTDOWN_DELAY", 2*time.Second),
		ShutdownTimeout:   r.duration("SHUTDOWN_TIMEOUT", 20*time.Second),
		PasswordMemoryKiB: int(r.number("PASSWORD_MEMORY_KIB", 19*1024, 8*1024, 256*1024)),
	}
	c.Identity = r.identity(c.Environment.Rules())
	r.issuer(c)
	needed := c.Billing == "stripe" && !r.toolsAlone
	c.PaymentSecretKey = r.secret("PAYMENT_SECRET_KEY", needed)
	c.PaymentSigningSecret = r.secrets("PAYMENT_SIGNING_SECRETS", needed)
	c.PaymentURL = r.url("PAYMENT_URL", "")
	c.PaymentProducts = r.list("PAYMENT_PRODUCTS")
	c.RedirectOrigins = r.origins("REDIRECT_ORIGINS", c.WebURL)
	c.RedisURL = secret.New(r.redis("REDIS_URL"))
	c.CORSOrigins = r.corsOrigins(c.WebURL)
	c.Rates = r.rates()
	c.Tools = r.tools()
	c.TokenKeys = r.keys("TOKEN_KEYS")
	c.Providers = map[string]Provider{}
	for _, spec := range r.specs {
		c.Providers[spec.Code] = r.provider(spec)
	}
	c.HealthAt = r.listenIf("HEALTH_LISTEN")
	c.Blob = r.blob()
	offered := r.providers(c)
	r.sameKeys(c, offered)
	r.safe(c, offered)
	c.NotificationsURL = r.notifications("NOTIFICATIONS_URL", c.BaseURL)
	return c
}

// Variables describes every variable that Load reads, in its order.
func Variables(providers ...ProviderSpec) []Variable {
	meanings := map[string]string{
		"DOCLEDGER_ENV":               "`local` or `deployed`; see the table of environments",
		"BASE_URL":                    "how the outside reaches the service; the issuer of its tokens",
		"ALLOW_INSECURE_HTTP":         "`yes` permits an http BASE_URL outside this machine when deployed; only for a network that nobody else can read",
		"LISTEN":                      "host and port to listen on",
		"OTEL_EXPORTER_OTLP_ENDPOINT": "collector that takes traces over OTLP and HTTP, such as `http://127.0.0.1:4318`; OpenTelemetry's other variables hold too; empty: none are made",
		"METRICS_LISTEN":              "host and port where Prometheus reads `/metrics`; empty: nowhere",
		"HEALTH_LISTEN":               "host and port where a process that is a worker alone answers `/healthz` and `/readyz`; empty: nowhere",
		"BLOB_URL":                    "origin of an object store that speaks S3, for the documents; empty: a folder in DATA_DIR",
		"BLOB_BUCKET":                 "required with BLOB_URL: the bucket; `docledger migrate` makes it where there is none",
		"BLOB_REGION":                 "region of the bucket",
		"BLOB_PREFIX":                 "what the names of all documents in the bucket begin with",
		"BLOB_ADDRESSING":             "`path` puts the bucket into the path of addresses, `auto` where the object store is known to take it there only",
		"BLOB_ACCESS_KEY":             "required with BLOB_URL: the access key, which may read, write and list",
		"BLOB_SECRET_KEY":             "required with BLOB_URL: its secret",
		"WEB_URL":                     "the web application, for links to pages; empty for none",
		"LOG_LEVEL":                   "`debug`, `info`, `warn` or `error`",
		"LOG_FORMAT":                  "`json` or `text`",
		"DATA_DIR":                    "folder of the embedded database, the documents and generated keys; with DATABASE_URL and BLOB_URL only for files on their way",
		"DATABASE_URL":                "PostgreSQL as `postgres://…`; empty for the embedded database",
		"DATABASE_MAX_CONNECTIONS":    "connections to PostgreSQL",
		"JWT_SIGNING_KEYS":            "base64 seeds of 32 bytes, separated by commas; the first one signs, all verify; required with DATABASE_URL and BLOB_URL; empty: one is made in DATA_DIR",
		"BILLING":                     "required: `stripe`, or `none` (every organization is active and unlimited)",
		"PAYMENT_SECRET_KEY":          "required with a payment processor: its secret key",
		"PAYMENT_SIGNING_SECRETS":     "required with a payment processor: the signing secret of its webhooks; two, separated by a comma, while they are rotated",
		"PAYMENT_URL":                 "another address of the payment processor, for tests",
		"PAYMENT_PRODUCTS":            "ids of the products whose prices are for sale, separated by commas",
		"REDIRECT_ORIGINS":            "origins to which pages of others may lead back, separated by commas; WEB_URL is one; `http://localhost:*` is every port of this machine",
		"TOKEN_KEYS":                  "base64 keys of 32 bytes that seal the tokens of integrations, separated by commas; the first one seals, all open; required with DATABASE_URL and either BLOB_URL or a provider of integrations; empty: one is made in DATA_DIR",
		"NOTIFICATIONS_URL":           "where document stores call when something changes; empty: BASE_URL, where that is https and not this machine; `none`: they don't, and polling alone finds what changed",
		"REDIS_URL":                   "shared cache and request counters as `redis://…`; empty for those of each process",
		"CORS_ALLOWED_ORIGINS":        "origins whose pages may call the API from a browser, separated by commas; empty: that of WEB_URL",
		"REQUESTS_PER_CREDENTIAL":     "requests a minute with one credential; 0: any number",
		"REQUESTS_PER_ORGANIZATION":   "requests a minute by one organization; 0: any number",
		"REQUESTS_PER_ADDRESS":        "requests a minute from one address without a good credential; 0: any number",
		"REQUESTS_AT_ONCE":            "requests with one credential that run at a time in each process; 0: any number",
		"IDENTITY":                    "required: `clerk`, or `local` (accounts of the installation itself)",
		"MAX_UPLOAD_BYTES":            "largest document",
		"MAX_JSON_BYTES":              "largest JSON body; JSON uploads are bounded by it too",
		"REQUEST_BODY_MEMORY_BYTES":   "memory that the bodies of running requests may take in one process; a request beyond it gets 503",
		"SIGN_IN_TRIES_PER_ACCOUNT":   "attempts to sign in to one account within 15 minutes",
		"SIGN_IN_TRIES_PER_ADDRESS":   "attempts to sign in from one address within 15 minutes",
		"REQUEST_TIMEOUT":             "longest time for a request, uploads apart",
		"WORKERS":                     "background jobs at once",
		"EXTRACTOR_PROCESSES":         "child processes that read PDFs",
		"EXTRACT_DEADLINE":            "longest time for reading one document",
		"EXTRACT_PATIENCE":            "how long `POST /api/invoices/extract` waits before it answers 503",
		"POLL_INTERVAL":               "pause between two looks at a watched place of a document store, a tenth more or less",
		"SYNC_PATIENCE":               "how long `POST /api/invoices/{invoice_id}/sync` waits before it answers with the state so far",
		"COMPILE_CACHE_DIR":           "folder for compiled PDF code; it may be shared and filled in advance",
		"OCR":                         "`on` reads scans and photos where the engine is installed (`docledger ocr install`); `off` refuses them",
		"OCR_PROCESSES":               "scanned pages that are read at once, each in a child process of some 500 MB",
		"OCR_DIR":                     "folder of the library and models of text recognition; empty: `ocr` beside the program",
		"TRUSTED_PROXIES":             "networks whose X-Forwarded-For is believed, separated by commas",
		"SHUTDOWN_DELAY":              "how long after a signal to stop requests are still taken, while `/readyz` says 503, so that others send them elsewhere",
		"SHUTDOWN_TIMEOUT":            "how long running work may go on after a signal to stop",
		"PASSWORD_MEMORY_KIB":         "memory of one password hash (argon2id)",
		"IDENTITY_PUBLISHABLE_KEY":    "required with an identity provider: its publishable key, from which its hosts and the issuer of its tokens derive",
		"IDENTITY_SECRET_KEY":         "required with an identity provider: its secret key",
		"IDENTITY_SIGNING_SECRETS":    "required with an identity provider: the signing secret of its webhooks; two, separated by a comma, while they are rotated",
		"IDENTITY_URL":                "another address of the identity provider's API, for tests",
		"IDENTITY_AUTHORIZED_PARTIES": "origins whose sessions are accepted, separated by commas; empty: those of every origin of the provider's instance",
		"BACKEND_URL":                 "origin of the API that tools call; empty: the one in this process",
		"MCP_AUTHORIZATION_SERVER":    "`facade` advertises this server as the authorization server; `direct` the identity provider, for one that states its own issuer in authorization answers",
		"MCP_REDIRECT_URIS":           "redirect URIs that OAuth clients may register, separated by commas; of this machine with any port; empty: see the table of environments",
		"MCP_ORIGINS":                 "origins whose pages may call tools, separated by commas; `*` for all; our own and those of this machine always may",
		"MCP_HOSTS":                   "names that tools are called by besides that of BASE_URL, separated by commas",
		"OAUTH_CLIENT_ID":             "the one OAuth client whose tokens are accepted; required with an identity provider when deployed; empty: none is",
	}
	for i, spec := range providers {
		maps.Copy(meanings, spec.meanings(providers[0].Code, i == 0))
	}
	r := &reader{env: func(string) (string, bool) { return "", false }, specs: providers}
	r.load()
	out := make([]Variable, 0, len(r.seen))
	for _, v := range r.seen {
		v.Meaning = meanings[v.Name]
		out = append(out, v)
	}
	return out
}

// meanings describes the variables of a provider. Those that mean the same for
// every provider are described for the first one.
func (p ProviderSpec) meanings(first string, isFirst bool) map[string]string {
	same := func(meaning string) string {
		if !isFirst {
			return "as for " + first
		}
		return meaning
	}
	out := map[string]string{
		p.Code + "_CLIENT_ID":     same("the application's id at the provider; empty: the provider is not offered"),
		p.Code + "_CLIENT_SECRET": "the application's secret; required with its id",
		p.Code + "_SCOPES":        same("what consents ask for, separated by commas; empty: what is needed"),
		p.Code + "_URL":           same("another address of the provider, for tests"),
	}
	if p.PublicClient {
		out[p.Code+"_CLIENT_SECRET"] = "the application's secret; empty for an application that has PKCE in its place"
	}
	for _, setting := range p.Settings {
		out[p.Code+"_"+setting.Name] = setting.Meaning
	}
	return out
}

func defaultCacheDir() string {
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "docledger")
	}
	return filepath.Join(os.TempDir(), "docledger-cache")
}
