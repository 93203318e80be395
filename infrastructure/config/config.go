// Package config reads docledger's configuration from environment variables into one
// struct and validates it as a whole.
package config

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"docledger/domain/secret"
)

// Secret is a value that prints and logs as ***.
type Secret = secret.Text

// Config is the complete configuration.
type Config struct {
	Environment   Environment
	InsecureHTTP  bool   // BASE_URL may be http outside this machine when deployed
	BaseURL       string // public address of the service; also the issuer of its tokens
	Listen        string // host:port of the API
	HealthAt      string // host:port where a process without the API reports its health; "" for none
	MetricsListen string // host:port of the metrics; "" for none
	TraceEndpoint string // of a trace collector; "" for none
	WebURL        string // the web application; by default that of this service
	LogLevel      slog.Level
	LogFormat     string // "json" or "text"

	DataDir     string // SQLite, blobs and generated keys
	DatabaseURL Secret // PostgreSQL; "" for SQLite in DataDir
	DatabaseMax int    // maximum number of connections
	Blob        Blob

	SigningKeys []Secret // Ed25519 seeds in base64; the first one signs; empty: generated in DataDir
	Identity    Identity

	Billing              string // "stripe" or "none"
	PaymentSecretKey     Secret
	PaymentSigningSecret []Secret // one, or two during a rotation
	PaymentURL           string   // "" for the address of the payment processor
	PaymentProducts      []string // products that are for sale
	RedirectOrigins      []string // origins that a redirect may lead to
	RedisURL             Secret   // "" for an in-process cache

	TokenKeys []Secret            // keys that encrypt provider secrets; the first one encrypts; empty: generated in DataDir
	Providers map[string]Provider // by provider code
	// NotificationsURL is the address that document stores call; "" if they cannot
	// call docledger.
	NotificationsURL string
	Tools            Tools

	Email  Email
	Intake Intake

	Rates              Rates
	CORSOrigins        []string // origins of pages that may call the API
	MaxUploadBytes     int64
	MaxJSONBytes       int64
	MaxJSONUploadBytes int64
	BodyMemory         int64 // maximum bytes of all request bodies in progress
	SignInPerAccount   int
	AdminKeys          bool // API keys of the role ADMIN are accepted
	WebhookLoopback    bool // webhooks may lead to this machine
	SignInPerAddress   int
	RequestTimeout     time.Duration

	Workers            int // maximum number of concurrent jobs
	ExtractorProcs     int // child processes that read PDFs
	ExtractDeadline    time.Duration
	ExtractWaitTimeout time.Duration
	SyncWaitTimeout    time.Duration
	PollInterval       time.Duration
	BlobGrace          time.Duration // between the deletion of a document and the removal of its bytes
	RetentionYears     int           // the age at which documents are deleted; 0 keeps them
	CompileCacheDir    string
	OCR                OCR
	TrustedProxies     []string      // proxies with a trusted X-Forwarded-For header
	ShutdownDelay      time.Duration // time between reporting shutdown and refusing new requests
	ShutdownTimeout    time.Duration
	PasswordMemoryKiB  int
}

// Provider configures the connection to one provider.
type Provider struct {
	ClientID     string // "" if the provider is not offered
	ClientSecret Secret
	Scopes       []string // nil for the scopes that the connector needs
	URL          string   // "" for the address of the provider
	Settings     map[string]string
}

// ProviderSpec states which variables a provider has.
type ProviderSpec struct {
	Code         string // prefix of its variables
	PublicClient bool   // a client without a secret is allowed
	Settings     []ProviderSetting
}

// ProviderSetting is one additional variable of a provider.
type ProviderSetting struct {
	Name, Meaning string
	Values        []string // the allowed ones, the default first; nil for any text
}

// Problem is one variable that is missing or wrong. It never contains a value.
type Problem struct{ Variable, Reason string }

// Error lists all problems.
type Error []Problem

// Error implements error.
func (e Error) Error() string {
	var b strings.Builder
	b.WriteString("the configuration is incomplete or unsafe:")
	for _, p := range e {
		fmt.Fprintf(&b, "\n  %s: %s", p.Variable, p.Reason)
	}
	return b.String()
}

// Environ looks up variables. Outside tests it is os.LookupEnv.
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
		Environment:        Environment(r.oneOf("DOCLEDGER_ENV", string(Deployed), string(Local), string(Deployed))),
		BaseURL:            r.url("BASE_URL", "http://127.0.0.1:8080"),
		InsecureHTTP:       r.oneOf("ALLOW_INSECURE_HTTP", "no", "no", "yes") == "yes",
		Listen:             r.listen("LISTEN", defaultListen),
		MetricsListen:      r.listenIf("METRICS_LISTEN"),
		TraceEndpoint:      r.url("OTEL_EXPORTER_OTLP_ENDPOINT", ""),
		LogLevel:           r.level("LOG_LEVEL", slog.LevelInfo),
		LogFormat:          r.oneOf("LOG_FORMAT", "json", "json", "text"),
		DataDir:            r.text("DATA_DIR", "docledger-data"),
		DatabaseURL:        secret.New(r.postgres("DATABASE_URL")),
		DatabaseMax:        int(r.number("DATABASE_MAX_CONNECTIONS", 16, 2, 1000)),
		SigningKeys:        r.keys("JWT_SIGNING_KEYS"),
		Billing:            r.billing(),
		MaxUploadBytes:     r.number("MAX_UPLOAD_BYTES", 256<<20, 1, 16<<30),
		MaxJSONBytes:       r.number("MAX_JSON_BYTES", 1<<20, 1024, 256<<20),
		MaxJSONUploadBytes: r.number("MAX_JSON_UPLOAD_BYTES", 32<<20, 1024, 1<<30),
		BodyMemory:         r.number("REQUEST_BODY_MEMORY_BYTES", 128<<20, 8<<20, 64<<30),
		AdminKeys:          r.oneOf("ADMIN_API_KEYS", "off", "off", "on") == "on",
		WebhookLoopback:    r.oneOf("WEBHOOK_LOOPBACK", "off", "off", "on") == "on",
		SignInPerAccount:   int(r.number("SIGN_IN_TRIES_PER_ACCOUNT", 5, 1, 1_000_000)),
		SignInPerAddress:   int(r.number("SIGN_IN_TRIES_PER_ADDRESS", 50, 1, 1_000_000)),
		RequestTimeout:     r.duration("REQUEST_TIMEOUT", 60*time.Second),
		Workers:            int(r.number("WORKERS", 8, 1, 1000)),
		ExtractorProcs:     int(r.number("EXTRACTOR_PROCESSES", 2, 1, 64)),
		ExtractDeadline:    r.duration("EXTRACT_DEADLINE", 9*time.Second),
		ExtractWaitTimeout: r.duration("EXTRACT_WAIT_TIMEOUT", 30*time.Second),
		SyncWaitTimeout:    r.duration("SYNC_WAIT_TIMEOUT", 30*time.Second),
		PollInterval:       r.duration("POLL_INTERVAL", time.Minute),
		BlobGrace:          r.duration("BLOB_GRACE", 7*24*time.Hour),
		RetentionYears:     int(r.number("RETENTION_YEARS", 0, 0, 100)),
		CompileCacheDir:    r.text("COMPILE_CACHE_DIR", defaultCacheDir()),
		OCR:                r.ocr(),
		TrustedProxies:     r.networks("TRUSTED_PROXIES"),
		ShutdownDelay:      r.duration("SHUTDOWN_DELAY", 2*time.Second),
		ShutdownTimeout:    r.duration("SHUTDOWN_TIMEOUT", 20*time.Second),
		PasswordMemoryKiB:  int(r.number("PASSWORD_MEMORY_KIB", 19*1024, 8*1024, 256*1024)),
	}
	if c.BlobGrace < time.Hour {
		r.problem("BLOB_GRACE", "must be at least 1h")
	}
	c.WebURL = cmp.Or(r.url("WEB_URL", ""), c.BaseURL)
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
	c.Email = r.email()
	c.Intake = r.intake()
	c.Blob = r.blob()
	offered := r.providers(c)
	r.sameKeys(c, offered)
	r.safe(c)
	c.NotificationsURL = r.notifications("NOTIFICATIONS_URL", c.BaseURL)
	return c
}

func defaultCacheDir() string {
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "docledger")
	}
	return filepath.Join(os.TempDir(), "docledger-cache")
}
