// Package service builds the whole service from a configuration. The product,
// the sandbox and the tests of the whole boot the same one.
package service

import (
	"context"
	"docledger/adapter/connector"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"docledger/adapter/extract"
	"docledger/adapter/extract/sniff"
	"docledger/adapter/httpapi"
	"docledger/adapter/httpapi/convert"
	"docledger/adapter/httpapi/edge"
	"docledger/adapter/identity/clerk"
	"docledger/adapter/identity/local"
	"docledger/adapter/queue"
	"docledger/adapter/store"
	"docledger/adapter/toolserver"
	"docledger/adapter/webhook"
	domainbilling "docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/extraction"
	domaininbox "docledger/domain/inbox"
	"docledger/domain/integration"
	"docledger/infrastructure/clock"
	"docledger/infrastructure/config"
	"docledger/infrastructure/database"
	"docledger/infrastructure/httpserver"
	"docledger/infrastructure/ratelimit"
	"docledger/infrastructure/telemetry"
	"docledger/migrations"
	"docledger/usecase"
	"docledger/usecase/billing"
	"docledger/usecase/documents"
	"docledger/usecase/entities"
	usecaseextraction "docledger/usecase/extraction"
	"docledger/usecase/identities"
	"docledger/usecase/inbox"
	"docledger/usecase/integrations"
	"docledger/usecase/invoices"
	"docledger/usecase/jobadmin"
	"docledger/usecase/organizations"
	"docledger/usecase/restore"
	"docledger/usecase/session"
	"docledger/usecase/settings"
	"docledger/usecase/watching"
)

// The roles of a process.
const (
	RoleAPI    = config.RoleAPI
	RoleWorker = config.RoleWorker
	RoleTools  = config.RoleTools
)

// Overrides replace parts of the service; the zero value replaces nothing.
type Overrides struct {
	Clock  usecase.Clock
	Reader extraction.Reader
	// Version is that of the binary.
	Version string
	// Tracing takes spans in place of a configured collector.
	Tracing *telemetry.Tracing
	// Connectors stand in for providers of integrations.
	Connectors integrations.Connectors
	// Registrations are further providers of integrations.
	Registrations []connector.Registration
	// TestKeys gives new API keys the prefix of a sandbox.
	TestKeys bool
	// Providers says how providers of integrations are called.
	Providers Providers
}

// Providers are the numbers of what calls providers of integrations; zero ones
// are each provider's own.
type Providers struct {
	Timeout time.Duration       // of one request
	Limits  *integration.Limits // of one tenant
}

// Service is the whole service, not yet running.
type Service struct {
	httpapi.UseCases
	Organizations *organizations.Service
	Inbox         *inbox.Service
	Explainer     *billing.Explainer
	Restore       *restore.Service
	Work          *jobadmin.Service

	scraped
	ending     atomic.Bool // a signal to stop came
	watching   *watching.Service
	cfg        config.Config
	log        *slog.Logger
	db         *database.DB
	store      *store.Store
	queue      *queue.Queue
	blobs      document.Blobs
	clock      usecase.Clock
	registered []connector.Registration // providers of integrations
	pipeline   *extract.Pipeline        // nil where the reader was replaced
	pages      *extract.Viewer
	warming    sync.WaitGroup
	limiter    *ratelimit.Limiter
	bodyMemory bodyMemory
	keyPrefix  string // of new API keys
	closers    []func() error

	// The identity provider's parts; nil without one.
	provider   *clerk.Client
	identities *identities.Service
	tools      *toolserver.Server

	// The payment processor's parts; nil without one.
	verifyPayments func(header map[string][]string, body []byte, now time.Time) (inbox.Event, error)
	reconciler     *billing.Reconciler
	customers      *billing.Customers
	handler        http.Handler
}

// DatabaseConfig says which database the configuration means.
func DatabaseConfig(cfg config.Config) database.Config {
	if url := cfg.DatabaseURL.Reveal(); url != "" {
		return database.Config{URL: url, MaxConns: cfg.DatabaseMax}
	}
	return database.Config{URL: "sqlite:" + filepath.Join(cfg.DataDir, "docledger.db")}
}

// Migrate brings the database to this release's schema, and makes the bucket of
// documents where there is none.
func Migrate(ctx context.Context, cfg config.Config) error {
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return fmt.Errorf("DATA_DIR: make the folder: %w", err)
	}
	dbc := DatabaseConfig(cfg)
	if err := database.Migrate(ctx, dbc, migrations.For(dialect(cfg))); err != nil {
		return fmt.Errorf("%s: %w", databaseVariable(cfg), err)
	}
	return prepareBlobs(ctx, cfg)
}

// databaseVariable is the one that says where the database is.
func databaseVariable(cfg config.Config) string {
	if cfg.DatabaseURL.Reveal() != "" {
		return "DATABASE_URL"
	}
	return "DATA_DIR"
}

func dialect(cfg config.Config) string {
	if cfg.DatabaseURL.Reveal() != "" {
		return string(database.Postgres)
	}
	return string(database.SQLite)
}

// Open builds the service. An embedded database is migrated; PostgreSQL must
// have been.
func Open(ctx context.Context, cfg config.Config, log *slog.Logger, o Overrides) (*Service, error) {
	s := &Service{cfg: cfg, log: log, clock: o.Clock, registered: registered(o.Registrations), bodyMemory: newBodyMemory(cfg), keyPrefix: keyPrefixOf(o.TestKeys)}
	if s.clock == nil {
		s.clock = clock.System{}
	}
	if err := s.open(ctx, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Service) open(ctx context.Context, o Overrides) (err error) {
	s.metrics = newMetrics(telemetry.NewMetrics("docledger", o.Version, s.log))
	if s.metrics.tracing = o.Tracing; o.Tracing == nil {
		tracing, flush, err := openTracing(s.cfg, o.Version)
		if err != nil {
			return err
		}
		s.metrics.tracing = tracing
		s.closers = append(s.closers, flush)
	}
	if err := s.openStore(ctx); err != nil {
		return err
	}
	seeds, err := signingKeys(s.cfg.SigningKeys, s.cfg.DataDir)
	if err != nil {
		return err
	}
	tokens, err := local.NewTokens(s.cfg.BaseURL, seeds...)
	if err != nil {
		return fmt.Errorf("JWT_SIGNING_KEYS: %w", err)
	}
	cost := local.DefaultCost
	cost.MemoryKiB = uint32(s.cfg.PasswordMemoryKiB)
	passwords, err := local.NewPasswords(cost)
	if err != nil {
		return err
	}
	reader := o.Reader
	if reader == nil {
		s.pipeline = extract.New(extract.Options{
			Children: s.cfg.ExtractorProcs, Deadline: s.cfg.ExtractDeadline, CacheDir: s.cfg.CompileCacheDir, ComparePages: true,
			OCR: ScansOf(s.cfg.OCR),
		})
		reader = s.pipeline
		s.tellOfScans()
	}
	reader = measured{reader, s.metrics}
	// Handlers join as their senders are configured.
	s.Inbox = &inbox.Service{
		Inbox: s.store.Inbox(), Handlers: map[domaininbox.Sender]inbox.Handler{}, Queue: s.queue, Holds: s.store.Holds(), UnitOfWork: s.store,
		Clock: s.clock, IDs: clock.UUIDv7{}, Log: s.log,
	}
	if err := s.openIdentity(); err != nil {
		return err
	}
	plans, err := s.openBilling()
	if err != nil {
		return err
	}
	if err := s.openIntegrations(o); err != nil {
		return err
	}
	s.takeIdentityEvents()
	s.wire(plans, tokens, passwords, reader)
	return s.buildHandler()
}

func (s *Service) openStore(ctx context.Context) (err error) {
	if err := os.MkdirAll(s.cfg.DataDir, 0o700); err != nil {
		return fmt.Errorf("DATA_DIR: make the folder: %w", err)
	}
	dbc := DatabaseConfig(s.cfg)
	if dialect(s.cfg) == string(database.SQLite) {
		err = database.Migrate(ctx, dbc, migrations.SQLite())
	} else {
		err = database.CheckSchema(ctx, dbc, migrations.Postgres())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", databaseVariable(s.cfg), err)
	}
	if s.db, err = database.Open(ctx, dbc); err != nil {
		return fmt.Errorf("%s: %w", databaseVariable(s.cfg), err)
	}
	s.metrics.Pool(s.db.SQL, "docledger")
	keys, err := tokenKeys(s.cfg)
	if err != nil {
		return err
	}
	if s.store, err = store.New(ctx, s.db.Gorm, store.Options{Now: s.clock.Now, Sealer: Sealer(keys), LiveJobs: queue.Conditions{}}); err != nil {
		return err
	}
	if s.queue, err = queue.New(s.store, s.db.SQL, telemetry.Carried); err != nil {
		return err
	}
	s.blobs, err = openBlobs(s.cfg)
	return err
}

// wire builds the use-cases over their ports.
func (s *Service) wire(plans domainbilling.Plans, tokens *local.Tokens, passwords *local.Passwords, reader extraction.Reader) {
	st, ids := s.store, clock.UUIDv7{}
	s.Organizations = &organizations.Service{
		Organizations: st.Organizations(), Users: st.Users(), Memberships: st.Memberships(), Sessions: st.Sessions(),
		Events: st.Events(), Passwords: passwords, UnitOfWork: st, Clock: s.clock, IDs: ids,
	}
	signIn := &session.Service{
		Users: st.Users(), Memberships: st.Memberships(), Sessions: st.Sessions(), Attempts: st.Attempts(),
		Organizations: st.Organizations(), Tokens: tokens, Passwords: passwords, UnitOfWork: st, Clock: s.clock, IDs: ids, Events: st.Events(),
		Limits: session.Limits{PerAccount: s.cfg.SignInPerAccount, PerAddress: s.cfg.SignInPerAddress}, Log: s.log,
	}
	if s.identities != nil {
		signIn.Provider, signIn.FailureFloor = s.identities, time.Second
	}
	bookings, apiKeys := s.newSync(), s.newAPIKeys()
	signIn.Keys = apiKeys
	s.UseCases = httpapi.UseCases{
		Billing: s.Billing, Shop: s.Shop, Integrations: s.Integrations, Sync: bookings,
		Session: signIn, APIKeys: apiKeys, Webhooks: s.newWebhooks(),
		Entities: &entities.Service{
			Reader: st.Entities(), Entities: st.Entities(), Settings: st.Settings(), Memberships: st.Memberships(),
			Events: st.Events(), Plans: plans, Usage: st.Usage(), UnitOfWork: st, Clock: s.clock, IDs: ids,
		},
		Documents: &documents.Service{
			Reader: st.Documents(), Documents: st.Documents(), Entities: st.Entities(), Settings: st.Settings(),
			Blobs: s.blobs, Renditions: st.Renditions(), Sniffer: sniffer{}, Viewer: s.viewer(), Events: st.Events(), Queue: s.queue, Plans: plans, Usage: st.Usage(),
			UnitOfWork: st, Clock: s.clock, IDs: ids,
		},
		Extraction: &usecaseextraction.Service{
			Documents: st.Documents(), Orphans: st.Documents(), Invoices: st.Invoices(), Entities: st.Entities(),
			Settings: st.Settings(), Blobs: s.blobs, Renditions: st.Renditions(), Reader: reader, Events: st.Events(), Queue: s.queue,
			Plans: plans, Usage: st.Usage(), UnitOfWork: st, Clock: s.clock, IDs: ids,
			Bookings: bookings, Codings: st.Codings(), Log: s.log, WaitTimeout: s.cfg.ExtractWaitTimeout,
		},
		Invoices: &invoices.Service{
			Reader: st.Invoices(), Invoices: st.Invoices(), Entities: st.Entities(),
			Settings: st.Settings(), Events: st.Events(), UnitOfWork: st, Clock: s.clock, IDs: ids, Bookings: bookings,
			Ledgers: s.Integrations, Documents: st.Documents(), Blobs: s.blobs, Originals: s.originals(reader),
		},
		Settings: &settings.Service{
			Settings: st.Settings(), Ledgers: s.Integrations, Events: st.Events(), UnitOfWork: st, Clock: s.clock,
		},
		Events: st.Events(), Sums: st.Invoices(),
	}
	s.watching = s.newWatching(plans)
	s.Integrations.Watches = s.watching
	s.Restore = s.newRestore()
	s.Work = &jobadmin.Service{Jobs: s.queue, Owners: s.jobOwners(), UnitOfWork: st}
}

func (s *Service) buildHandler() (err error) {
	server := &httpapi.Server{
		UseCases: s.UseCases, Idempotency: s.store.Idempotency(), Clock: s.clock, Web: convert.Web(s.cfg.WebURL), PagesURL: s.cfg.WebURL,
		Log: s.log, MaxUploadBytes: s.cfg.MaxUploadBytes, TempDir: s.cfg.DataDir,
		Consents: httpapi.Consents{
			Path: callbackPath, Secure: strings.HasPrefix(s.cfg.BaseURL, "https://"), Loopback: s.cfg.Environment.Rules().LoopbackConsent,
		},
	}
	if server.Responses, err = httpapi.NewResponseCache(); err != nil {
		return err
	}
	limiter, closeLimiter, err := newLimiter(s.cfg, s.clock, s.log)
	if err != nil {
		return err
	}
	s.limiter, s.closers = limiter, append(s.closers, closeLimiter)
	signInPage, app, err := s.webPages()
	if err != nil {
		return err
	}
	s.handler, err = httpapi.NewHandler(server, edge.Options{
		Authenticator: s.Session, Logger: s.log, AllowedOrigins: s.cfg.CORSOrigins, TrustedProxies: s.cfg.TrustedProxies,
		PagesURL: s.cfg.WebURL,
		Observe:  s.metrics.request, Rates: apiRates(s.cfg, limiter), Memory: s.bodyMemory.api,
		Secure: strings.HasPrefix(s.cfg.BaseURL, "https://"),
		Limits: edge.Limits{JSONBytes: s.cfg.MaxJSONBytes, UploadBytes: s.cfg.MaxUploadBytes, Timeout: s.cfg.RequestTimeout},
	}, s.Ready, s.webhooks().Register, signInPage.Register, app.Register)
	return err
}

// webhooks takes the events of the senders that are configured.
func (s *Service) webhooks() *webhook.Receiver {
	senders := map[domaininbox.Sender]webhook.Verify{}
	if s.verifyPayments != nil {
		senders[domaininbox.Payments] = s.verifyPayments
	}
	if s.provider != nil {
		senders[domaininbox.Identity] = s.verifyIdentity
	}
	return &webhook.Receiver{Inbox: s.Inbox, Senders: senders, Storage: s.watching, WriteError: edge.WriteError, ReadBody: edge.ReadBody, Clock: s.clock, Log: s.log}
}

// Handler answers everything that the service serves over HTTP.
func (s *Service) Handler() http.Handler { return s.handler }

// errEnding says that the process takes no new work.
var errEnding = errors.New("the process is ending")

// degradedReader is what Ready calls the reader of documents.
const degradedReader = "reader"

// Ready returns an error unless the database answers and the process is to go on.
// A process whose reader could not start is degraded: documents wait, and
// everything else works.
func (s *Service) Ready(ctx context.Context) (degraded []string, err error) {
	if s.ending.Load() {
		return nil, errEnding
	}
	if s.pipeline != nil && s.pipeline.Fault() != nil {
		degraded = append(degraded, degradedReader)
	}
	return degraded, s.db.SQL.PingContext(ctx)
}

// Run serves HTTP on l, unless it is nil, and works jobs where work says so,
// until ctx ends; then what is running may finish.
func (s *Service) Run(ctx context.Context, l net.Listener, work bool) (err error) {
	watched, unwatch := context.WithCancel(context.WithoutCancel(ctx))
	var scrapes sync.WaitGroup
	scrapes.Go(func() { s.serveMetrics(watched, s.log) })
	defer scrapes.Wait()
	defer unwatch()
	if work {
		// Before anything is answered: readiness means that work is done too.
		working, end := context.WithCancel(ctx)
		defer end()
		runner, failed := s.startWork(working)
		if failed != nil {
			if l != nil {
				failed = errors.Join(failed, l.Close())
			}
			return failed
		}
		defer func() { err = errors.Join(err, s.stopWork(ctx, runner)) }()
	}
	if l == nil {
		<-ctx.Done()
		return nil
	}
	keys, stop := context.WithCancel(ctx)
	wait := s.keepKeys(keys)
	defer wait()
	defer stop()
	serving, close := s.untilDrained(ctx)
	defer close()
	return httpserver.Serve(serving, l, s.metrics.tracing.Handler(s.handler), s.cfg.ShutdownTimeout, s.log)
}

// untilDrained ends some time after ctx, in which readiness is denied and
// requests are still taken: whoever sends them learns to send them elsewhere.
func (s *Service) untilDrained(ctx context.Context) (context.Context, context.CancelFunc) {
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		s.ending.Store(true)
		s.log.InfoContext(ctx, "ending: not ready any more", "delay", s.cfg.ShutdownDelay.String())
		_ = clock.Pause(serving, s.cfg.ShutdownDelay) // what ends it early ends the wait
		end()
	})
	return serving, func() { stop(); end() }
}

func (s *Service) startWork(ctx context.Context) (*queue.Runner, error) {
	runner, err := s.newRunner()
	if err != nil {
		return nil, err
	}
	// Beside the work: only documents with pages to read wait for it.
	s.warming.Go(func() { s.keepReader(ctx) })
	return runner, runner.Start(ctx)
}

// readerCheckInterval is how often a reader that could not start is tried again.
const readerCheckInterval = 10 * time.Second

// keepReader prepares the reader, and tries it again while it is unavailable, so
// that readiness tells of the recovery without a document.
func (s *Service) keepReader(ctx context.Context) {
	var known error
	for {
		err := s.Prewarm(ctx)
		if ctx.Err() != nil || s.pipeline == nil {
			return
		}
		switch {
		case err != nil && known == nil:
			s.log.ErrorContext(ctx, "reader unavailable; docledger doctor names the cause", "error", err)
		case err == nil && known != nil:
			s.log.InfoContext(ctx, "reader available again")
		}
		known = err
		if clock.Pause(ctx, readerCheckInterval) != nil {
			return
		}
	}
}

// Prewarm compiles what reads the pages of PDFs: some seconds the first time on
// a machine, a moment later on.
func (s *Service) Prewarm(ctx context.Context) error {
	if s.pipeline == nil {
		return nil
	}
	return s.pipeline.Prewarm(ctx)
}

func (s *Service) stopWork(ctx context.Context, runner *queue.Runner) error {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.ShutdownTimeout)
	defer cancel()
	return runner.Stop(ending)
}

// Close releases what Open took.
func (s *Service) Close() error {
	var errs []error
	s.warming.Wait()
	if s.pipeline != nil {
		errs = append(errs, s.pipeline.Close())
	}
	errs = append(errs, s.close())
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	return errors.Join(errs...)
}

// sniffer tells media types for uploads.
type sniffer struct{}

// MediaType implements documents.Sniffer.
func (sniffer) MediaType(prefix []byte) string { return sniff.Detect(prefix).MediaType }
