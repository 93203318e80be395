package config

import "strings"

// Variable describes one environment variable, for documentation.
type Variable struct {
	Name    string
	Default string
	Group   string // heading under which documentation lists it
	Meaning string
}

// formerNames maps a variable to the name that it had in the previous release.
// The former name is accepted for one release.
var formerNames = map[string]string{
	"EXTRACT_WAIT_TIMEOUT": "EXTRACT_PATIENCE",
	"SYNC_WAIT_TIMEOUT":    "SYNC_PATIENCE",
}

// group is one heading of the documentation with its variables and their
// meanings, in order.
type group struct {
	title    string
	meanings [][2]string
}

// groups lists every variable except those of the providers of integrations,
// which ProviderSpec describes.
var groups = []group{
	{"Basics", [][2]string{
		{"DOCLEDGER_ENV", "`local` or `deployed`; see the table of environments"},
		{"BASE_URL", "public address of the service, and issuer of its tokens"},
		{"ALLOW_INSECURE_HTTP", "`yes` permits an http BASE_URL that is not loopback when deployed; only for a network that no one else can read"},
		{"LISTEN", "host and port of the API"},
		{"WEB_URL", "address of a separate web application, for links to its pages; empty: BASE_URL, since docledger serves its own"},
		{"LOG_LEVEL", "`debug`, `info`, `warn` or `error`"},
		{"LOG_FORMAT", "`json` or `text`"},
		{"DATA_DIR", "folder of the embedded database, the documents and the generated keys; with DATABASE_URL and BLOB_URL only of temporary files"},
		{"JWT_SIGNING_KEYS", "base64 seeds of 32 bytes, separated by commas; the first one signs, all verify; required with DATABASE_URL and BLOB_URL; empty: one is generated in DATA_DIR"},
		{"TOKEN_KEYS", "base64 keys of 32 bytes that encrypt the tokens of integrations, separated by commas; the first one encrypts, all decrypt; required with DATABASE_URL and either BLOB_URL or a provider of integrations; empty: one is generated in DATA_DIR"},
	}},
	{"Database, cache and documents", [][2]string{
		{"DATABASE_URL", "PostgreSQL as `postgres://…`; empty: the embedded database"},
		{"DATABASE_MAX_CONNECTIONS", "largest number of connections to PostgreSQL"},
		{"REDIS_URL", "shared cache and request counters as `redis://…`; empty: each process has its own"},
		{"BLOB_URL", "origin of an S3-compatible object store for the documents; empty: a folder in DATA_DIR"},
		{"BLOB_BUCKET", "name of the bucket, required with BLOB_URL; `docledger migrate` creates it if it is missing"},
		{"BLOB_REGION", "region of the bucket"},
		{"BLOB_PREFIX", "prefix of the names of all documents in the bucket"},
		{"BLOB_ADDRESSING", "`path` puts the bucket into the path of addresses; `auto` does so for object stores that are known to need it"},
		{"BLOB_GRACE", "time between the deletion of a document and the removal of its bytes, at least 1h; longer than the oldest backup of the database that may be restored"},
		{"RETENTION_YEARS", "years after their receipt at which documents are deleted with their invoices, except those under legal hold; 0: nothing is deleted by age"},
		{"BLOB_ACCESS_KEY", "access key that can read, write, list and delete, required with BLOB_URL"},
		{"BLOB_SECRET_KEY", "secret of the access key, required with BLOB_URL"},
	}},
	{"Identity", [][2]string{
		{"IDENTITY", "required: `clerk`, or `local` (accounts of this installation)"},
		{"IDENTITY_PUBLISHABLE_KEY", "publishable key of the identity provider, required with one; its hosts and the issuer of its tokens derive from it"},
		{"IDENTITY_SECRET_KEY", "secret key of the identity provider, required with one"},
		{"IDENTITY_SIGNING_SECRETS", "signing secret of the identity provider's webhooks, required with one; two, separated by a comma, during a rotation"},
		{"IDENTITY_URL", "another address of the identity provider's API, for tests"},
		{"IDENTITY_AUTHORIZED_PARTIES", "origins whose sessions are accepted, separated by commas; empty: every origin of the provider's instance"},
		{"OAUTH_CLIENT_ID", "the one OAuth client with accepted tokens, required with an identity provider when deployed; empty: no token is accepted, and `docledger` with IDENTITY=local"},
		{"SIGN_IN_TRIES_PER_ACCOUNT", "failed sign-ins to one account from one network after which the next attempt is refused for a time that doubles"},
		{"SIGN_IN_TRIES_PER_ADDRESS", "failed sign-ins from one network within 15 minutes"},
		{"ADMIN_API_KEYS", "`on` allows API keys of the role ADMIN, which can create entities and connect links"},
		{"PASSWORD_MEMORY_KIB", "memory of one password hash (argon2id)"},
	}},
	{"Billing", [][2]string{
		{"BILLING", "required: `stripe`, or `none` (every organization is active and unlimited)"},
		{"PAYMENT_SECRET_KEY", "secret key of the payment processor, required with one"},
		{"PAYMENT_SIGNING_SECRETS", "signing secret of the payment processor's webhooks, required with one; two, separated by a comma, during a rotation"},
		{"PAYMENT_URL", "another address of the payment processor, for tests"},
		{"PAYMENT_PRODUCTS", "ids of the products whose prices are for sale, separated by commas"},
	}},
	{"Integrations", [][2]string{
		{"REDIRECT_ORIGINS", "origins to which consent and payment pages can redirect, separated by commas, in addition to WEB_URL; `http://localhost:*` allows every port of this machine"},
		{"NOTIFICATIONS_URL", "address at which document stores send change notifications; empty: BASE_URL if it is https and not loopback; `none`: polling only"},
		{"WEBHOOK_LOOPBACK", "`on` permits outgoing webhooks to this machine, also by http; only with DOCLEDGER_ENV=local"},
		{"POLL_INTERVAL", "time between two polls of a watch, varied by up to a tenth"},
	}},
	{"E-mail", [][2]string{
		{"EMAIL_DOMAIN", "domain of the addresses at which entities receive documents, required with EMAIL_LISTEN or EMAIL_WEBHOOK_SECRET; empty: no e-mail is received"},
		{"EMAIL_LISTEN", "host and port at which e-mail is received by SMTP; empty: none"},
		{"EMAIL_TLS_CERT", "file of the certificate chain for STARTTLS, in PEM; it is read again when it changes; empty: no encryption"},
		{"EMAIL_TLS_KEY", "file of the private key of EMAIL_TLS_CERT, in PEM"},
		{"EMAIL_MAX_BYTES", "largest e-mail"},
		{"EMAIL_WEBHOOK_SECRET", "secret of at least 16 characters with which a provider of inbound e-mail calls `/webhook/email`; empty: 404"},
		{"EMAIL_IMAP", "mailbox that workers read by IMAP over TLS: `imaps://USER:PASSWORD@HOST/MAILBOX`, or `imap://` for STARTTLS; user and password percent-encoded; empty: none"},
		{"EMAIL_IMAP_ENTITY", "id of the entity that receives the messages of EMAIL_IMAP that name no entity and no address in EMAIL_DOMAIN; empty: they stay in the mailbox"},
		{"EMAIL_IMAP_INTERVAL", "time between two reads of EMAIL_IMAP"},
		{"EMAIL_SMTP_HOST", "server by which workers answer senders, if an entity has switched it on; empty: no e-mail is sent"},
		{"EMAIL_SMTP_PORT", "port of EMAIL_SMTP_HOST; 0: 587 with `starttls`, 465 with `tls`, 25 with `off`"},
		{"EMAIL_SMTP_TLS", "`starttls`, `tls` (from the first byte), or `off`, only for a network that no one else can read"},
		{"EMAIL_SMTP_USER", "user at EMAIL_SMTP_HOST; empty: no sign-in"},
		{"EMAIL_SMTP_PASSWORD", "password of EMAIL_SMTP_USER"},
		{"EMAIL_SMTP_FROM", "address of the answers, required with EMAIL_SMTP_HOST; it receives the notices of failed deliveries"},
	}},
	{"Folder of scanners", [][2]string{
		{"INTAKE_FOLDER", "absolute path of a folder with a folder for each entity, named by its id; workers receive the files in them; empty: none"},
		{"INTAKE_KEEP", "`on` moves received files into the folder `done` next to them; otherwise they are removed"},
		{"INTAKE_SETTLE", "time for which a file must not change before it is received"},
	}},
	{"Tools for assistants", [][2]string{
		{"BACKEND_URL", "origin of the API that tools call; empty: the API in this process"},
		{"MCP_AUTHORIZATION_SERVER", "`facade` advertises this server as the authorization server; `direct` advertises the identity provider, for one that states its own issuer in authorization responses; `auto` reads from the provider's metadata which of both fits"},
		{"MCP_REDIRECT_URIS", "redirect addresses that OAuth clients can register, separated by commas; loopback ones with any port; empty: see the table of environments; with IDENTITY=local loopback addresses need no entry"},
		{"MCP_ORIGINS", "origins whose pages can call tools, separated by commas; `*` for all; BASE_URL and loopback are always allowed"},
		{"MCP_HOSTS", "further host names of the tool server, separated by commas"},
	}},
	{"Requests", [][2]string{
		{"REQUEST_TIMEOUT", "longest time for a request, except for uploads and for writing an export"},
		{"EXTRACT_WAIT_TIMEOUT", "how long `POST /api/invoices/extract` waits before it returns 503"},
		{"SYNC_WAIT_TIMEOUT", "how long `POST /api/invoices/{invoice_id}/sync` waits before it returns the current state"},
		{"MAX_UPLOAD_BYTES", "largest document"},
		{"MAX_JSON_BYTES", "largest JSON body"},
		{"MAX_JSON_UPLOAD_BYTES", "largest JSON body, and largest message of an assistant, with a file in base64; a larger file needs an upload link or multipart"},
		{"REQUEST_BODY_MEMORY_BYTES", "memory for the bodies of running requests in each process; a request above it gets 503"},
		{"REQUESTS_PER_CREDENTIAL", "requests a minute with one credential; 0: unlimited"},
		{"REQUESTS_PER_ORGANIZATION", "requests a minute by one organization; 0: unlimited"},
		{"REQUESTS_PER_ADDRESS", "requests a minute from one address without a valid credential; 0: unlimited"},
		{"REQUESTS_AT_ONCE", "concurrent requests with one credential in each process; 0: unlimited"},
		{"CORS_ALLOWED_ORIGINS", "origins whose pages can call the API from a browser, separated by commas; empty: the origin of WEB_URL"},
		{"TRUSTED_PROXIES", "networks whose X-Forwarded-For is trusted, separated by commas"},
	}},
	{"Work", [][2]string{
		{"WORKERS", "concurrent background jobs"},
		{"EXTRACTOR_PROCESSES", "child processes that read documents"},
		{"EXTRACT_DEADLINE", "longest time for the extraction of one document"},
		{"COMPILE_CACHE_DIR", "folder of the compiled PDF engine; it can be shared and filled in advance"},
		{"OCR", "`on` reads scans and photos if the engine is installed (`docledger ocr install`); `off` refuses them"},
		{"OCR_PROCESSES", "scanned pages that are read concurrently, each in a child process of about 500 MB"},
		{"OCR_DIR", "folder of the library and models of text recognition; empty: `ocr` next to the program"},
		{"SHUTDOWN_DELAY", "how long a stopping process still accepts requests while `/readyz` returns 503"},
		{"SHUTDOWN_TIMEOUT", "how long running work can continue after a signal to stop"},
	}},
	{"Observation", [][2]string{
		{"METRICS_LISTEN", "host and port of `/metrics` for Prometheus; empty: none"},
		{"HEALTH_LISTEN", "host and port of `/healthz` and `/readyz` of a process with the role worker alone; empty: none"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "collector of traces by OTLP over HTTP, such as `http://127.0.0.1:4318`; the other variables of OpenTelemetry apply too; empty: no traces"},
	}},
}

// Variables describes every variable that Load reads, grouped for people. A
// variable without a group has an empty Group and an empty Meaning, which a test
// of the documentation refuses.
func Variables(providers ...ProviderSpec) []Variable {
	r := &reader{env: func(string) (string, bool) { return "", false }, specs: providers}
	r.load()
	read := map[string]Variable{}
	for _, v := range r.seen {
		read[v.Name] = v
	}
	out := make([]Variable, 0, len(read))
	add := func(title, name, meaning string) {
		if v, ok := read[name]; ok {
			v.Group, v.Meaning = title, meaning
			out = append(out, v)
			delete(read, name)
		}
	}
	for _, g := range groups {
		for _, m := range g.meanings {
			add(g.title, m[0], m[1])
		}
		if g.title != "Integrations" {
			continue
		}
		for i, spec := range providers {
			for _, m := range spec.meanings(providers[0].Code, i == 0) {
				add("Integrations", m[0], m[1])
			}
		}
	}
	for _, v := range r.seen {
		add("", v.Name, "")
	}
	return out
}

// meanings describes the variables of a provider, in order. A variable with the
// same meaning for every provider is described for the first provider only.
func (p ProviderSpec) meanings(first string, isFirst bool) [][2]string {
	same := func(meaning string) string {
		if !isFirst {
			return "see " + first
		}
		return meaning
	}
	secret := "secret of the application, required with its id"
	if p.PublicClient {
		secret = "secret of the application; empty for an application that uses PKCE instead"
	}
	out := [][2]string{
		{p.Code + "_CLIENT_ID", same("id of the application at the provider; empty: the provider is not offered")},
		{p.Code + "_CLIENT_SECRET", secret},
		{p.Code + "_SCOPES", same("OAuth scopes of a consent, separated by commas; empty: those that docledger needs")},
		{p.Code + "_URL", same("another address of the provider, for tests")},
	}
	for _, setting := range p.Settings {
		out = append(out, [2]string{strings.Join([]string{p.Code, setting.Name}, "_"), setting.Meaning})
	}
	return out
}
