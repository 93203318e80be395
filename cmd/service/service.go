// Package service builds the whole service from a configuration. The product, the sandbox and the
// end-to-end tests use it.
package service

import (
	"context"
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

	"docledger/adapter/connector"

	"docledger/adapter/authserver"
	"docledger/adapter/extract"
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
	"docledger/domain/identity"
	domaininbox "docledger/domain/inbox"
	"docledger/infrastructure/clock"
	"docledger/infrastructure/config"
	"docledger/infrastructure/database"
	"docledger/infrastructure/httpserver"
	"docledger/infrastructure/ratelimit"
	"docledger/infrastructure/telemetry"
	"docledger/migrations"
	"docledger/openapi"
	"docledger/usecase"
	"docledger/usecase/billing"
	"docledger/usecase/documents"
	"docledger/usecase/entities"
	"docledger/usecase/erasure"
	usecaseextraction "docledger/usecase/extraction"
	"docledger/usecase/folders"
	"docledger/usecase/identities"
	"docledger/usecase/inbox"
	"docledger/usecase/invoices"
	"docledger/usecase/jobadmin"
	"docledger/usecase/organizations"
	"docledger/usecase/restore"
	"docledger/usecase/session"
	"docledger/usecase/settings"
	"docledger/usecase/watching"

	"github.com/google/uuid"
)

// The roles of a process.
const (
	RoleAPI    = config.RoleAPI
	RoleWorker = config.RoleWorker
	RoleTools  = config.RoleTools
)

// Service is the whole service before it runs.
type Service struct {
	Erasure *erasure.Service // only the command line erases
	httpapi.UseCases
	Organizations *organizations.Service
	Inbox         *inbox.Service
	Explainer     *billing.Explainer
	Restore       *restore.Service
	Work          *jobadmin.Service

	scraped
	mailDoor
	ending     atomic.Bool // a stop signal was received
	watching   *watching.Service
	folders    *folders.Service
	duplicates *duplicateDetection
	cfg        config.Config
	log        *slog.Logger
	db         *database.DB
	store      *store.Store
	queue      *queue.Queue
	blobs      document.Blobs
	clock      usecase.Clock
	registered []connector.Registration // providers of integrations
	pipeline   *extract.Pipeline        // nil if the reader was replaced
	pages      *extract.Viewer
	warming    sync.WaitGroup
	limiter    *ratelimit.Limiter
	bodyMemory bodyMemory
	keyPrefix  string // of new API keys
	closers    []func() error

	// The parts for the identity provider; nil without one.
	provider   *clerk.Client
	identities *identities.Service
	tools      *toolserver.Server
	toolTokens toolTokens
	authServer *authserver.Server // without routes if an identity provider is used

	// The parts for the payment processor; nil without one.
	verifyPayments func(header map[string][]string, body []byte, now time.Time) (inbox.Event, error)
	reconciler     *billing.Reconciler
	customers      *billing.Customers
	planCache      domainbilling.PlanCache // nil without a payment processor
	handler        http.Handler
}

// DatabaseConfig returns the database settings of the configuration.
func DatabaseConfig(cfg config.Config) database.Config {
	if url := cfg.DatabaseURL.Reveal(); url != "" {
		return database.Config{URL: url, MaxConns: cfg.DatabaseMax}
	}
	return database.Config{URL: "sqlite:" + filepath.Join(cfg.DataDir, "docledger.db")}
}

// RequireDatabase fails if the embedded database does not exist. Opening it creates an empty one, and
// the copy or the list of an empty database hides that DATA_DIR is another one than that of serve.
func RequireDatabase(cfg config.Config) error {
	if dialect(cfg) != string(database.SQLite) {
		return nil
	}
	path := filepath.Join(cfg.DataDir, "docledger.db")
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("DATA_DIR: there is no database at %s; set DATA_DIR as for docledger serve, which creates the database", path)
	}
	return nil
}

// Migrate migrates the database to this release's schema and creates a missing bucket of
// documents.
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

// databaseVariable is the variable with the address of the database.
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

// Open builds the service. It migrates an embedded database. PostgreSQL must be migrated already.
func Open(ctx context.Context, cfg config.Config, log *slog.Logger, o Overrides) (*Service, error) {
	s := &Service{cfg: cfg, log: log, clock: o.Clock, registered: registered(o.Registrations), bodyMemory: newBodyMemory(cfg), keyPrefix: keyPrefixOf(o.TestKeys), mailDoor: newMailDoor(o)}
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
	// Parsing the specification takes as long as opening the store. An error is
	// returned to whoever needs the specification.
	go func() { _, _ = openapi.Shared() }()
	if err := s.openStore(ctx, o.SettleTimeout); err != nil {
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
	passwords, err := local.NewPasswords(passwordCost(s.cfg, o))
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
	}
	reader = measured{reader, s.metrics}
	// Handlers are added for the configured senders.
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
	plans = billing.ActiveOnly{Plans: plans, Organizations: s.store.Organizations()}
	s.wire(plans, tokens, passwords, reader)
	if o.SyncAtOnce {
		s.Sync.UndoWindow = 0
	}
	if s.identities == nil { // an identity provider has its own first user
		s.Session.Setup = &session.Setup{Code: identity.SetupCode(seeds[0]), Founder: s.Organizations}
	}
	if s.authServer, err = s.newAuthServer(tokens); err != nil {
		return err
	}
	if s.toolTokens = sessionTokens(s.cfg, s.Session); s.provider != nil {
		s.toolTokens = providerTokens(s.provider.Tokens, s.provider.Issuer, s.clock)
	}
	return s.buildHandler()
}

func (s *Service) openStore(ctx context.Context, settle time.Duration) (err error) {
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
	dbc.Observed = queue.NotificationTable
	if s.db, err = database.Open(ctx, dbc); err != nil {
		return fmt.Errorf("%s: %w", databaseVariable(s.cfg), err)
	}
	s.metrics.Pool(s.db.SQL, "docledger")
	keys, err := tokenKeys(s.cfg)
	if err != nil {
		return err
	}
	if s.store, err = store.New(ctx, s.db.Gorm, store.Options{Now: s.clock.Now, Sealer: Sealer(keys), LiveJobs: queue.Conditions{}, SettleTimeout: settle}); err != nil {
		return err
	}
	if s.queue, err = queue.New(s.store, s.db.SQL, telemetry.Carried); err != nil {
		return err
	}
	s.blobs, err = openBlobs(s.cfg)
	return err
}

// wire builds the use cases over their ports.
func (s *Service) wire(plans domainbilling.Plans, tokens *local.Tokens, passwords *local.Passwords, reader extraction.Reader) {
	st, ids := s.store, clock.UUIDv7{}
	s.Organizations = s.newOrganizations(passwords)
	signIn := &session.Service{
		Users: st.Users(), Memberships: st.Memberships(), Sessions: st.Sessions(), Attempts: st.Attempts(),
		Organizations: st.Organizations(), Tokens: tokens, Passwords: passwords, UnitOfWork: st, Clock: s.clock, IDs: ids, Events: st.Events(),
		AssistantClient: s.cfg.Identity.OAuthClientID, Limits: session.Limits{PerAccount: s.cfg.SignInPerAccount, PerAddress: s.cfg.SignInPerAddress}, Log: s.log,
	}
	if s.identities != nil {
		signIn.Provider, signIn.FailureFloor = s.identities, time.Second
	}
	apiKeys, suppliers := s.newAPIKeys(), s.newSuppliers()
	bookings := s.newSync(suppliers)
	signIn.Keys, s.duplicates = apiKeys, s.newDuplicates(bookings, suppliers)
	uploads := &documents.Service{
		Reader: st.Documents(), Documents: st.Documents(), Entities: st.Entities(), Settings: st.Settings(),
		Blobs: s.blobs, Renditions: st.Renditions(), Sniffer: sniffer{}, Viewer: s.viewer(), Merger: s.viewer(), Events: st.Events(), Queue: s.queue, Plans: plans, Usage: st.Usage(),
		UnitOfWork: st, Clock: s.clock, IDs: ids,
	}
	bookings.Originals = uploads
	s.UseCases = httpapi.UseCases{
		Billing: s.Billing, Shop: s.Shop, Integrations: s.Integrations, Sync: bookings, Session: signIn, APIKeys: apiKeys, Webhooks: s.newWebhooks(), Suppliers: suppliers,
		Entities: &entities.Service{
			Reader: st.Entities(), Entities: st.Entities(), Settings: st.Settings(), Memberships: st.Memberships(),
			Events: st.Events(), Plans: plans, Usage: st.Usage(), UnitOfWork: st, Clock: s.clock, IDs: ids,
		},
		Documents: uploads, Links: s.newLinks(uploads),
		Extraction: &usecaseextraction.Service{
			Documents: st.Documents(), Orphans: st.Documents(), Invoices: st.Invoices(), Duplicates: s.duplicates, Numbers: st.Duplicates(), Entities: st.Entities(), Moves: st.Moves(), Senders: st.EmailIntakes(),
			Settings: st.Settings(), Blobs: s.blobs, Renditions: st.Renditions(), Reader: reader, Merger: s.viewer(), Events: st.Events(), Queue: s.queue,
			Plans: plans, Usage: st.Usage(), UnitOfWork: st, Clock: s.clock, IDs: ids,
			Bookings: bookings, Suppliers: suppliers, Log: s.log, WaitTimeout: s.cfg.ExtractWaitTimeout, Merging: &usecase.Turns[uuid.UUID]{},
		},
		Invoices: &invoices.Service{
			Reader: st.Invoices(), Invoices: st.Invoices(), Duplicates: s.duplicates, Entities: st.Entities(), Buyers: st.Entities(), Memberships: st.Memberships(),
			Settings: st.Settings(), Events: st.Events(), UnitOfWork: st, Clock: s.clock, IDs: ids, Bookings: bookings,
			Ledgers: s.Integrations, Suppliers: suppliers, Documents: st.Documents(), Blobs: s.blobs, Originals: s.originals(reader),
		},
		Settings: &settings.Service{
			Settings: st.Settings(), Ledgers: s.Integrations, Events: st.Events(), UnitOfWork: st, Clock: s.clock,
		},
		Events: st.Events(), Sums: st.Invoices(), Exports: st.Invoices(), Attention: s.newAttention(), Reports: s.Organizations,
	}
	s.Deletion, s.Moves = s.newDeletion(), s.newMoves(bookings, suppliers)
	s.Erasure = s.newErasure()
	suppliers.Reviews, s.Integrations.Suppliers = s.Invoices, suppliers
	s.watching, s.Emails, s.folders = s.newWatching(plans), s.newEmails(plans), s.newFolders(plans)
	s.Integrations.Watches, s.answers = s.watching, s.newAnswering()
	s.Restore = s.newRestore()
	s.Work = &jobadmin.Service{Jobs: s.queue, Owners: s.jobOwners(), UnitOfWork: st}
}

func (s *Service) buildHandler() (err error) {
	server := &httpapi.Server{
		UseCases: s.UseCases, Idempotency: s.store.Idempotency(), Clock: s.clock, Web: convert.Web(s.cfg.WebURL), BaseURL: s.cfg.BaseURL, PagesURL: s.cfg.WebURL,
		Log: s.log, MaxUploadBytes: s.cfg.MaxUploadBytes, TempDir: s.cfg.DataDir, LoopbackSetup: s.cfg.LoopbackSetup(),
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
		PagesURL: s.cfg.WebURL, Transfers: httpapi.LinkTransfers, TempDir: s.cfg.DataDir,
		Observe: s.metrics.request, Rates: apiRates(s.cfg, limiter), Memory: s.bodyMemory.api,
		Secure: strings.HasPrefix(s.cfg.BaseURL, "https://"),
		Limits: edge.Limits{JSONBytes: s.cfg.MaxJSONBytes, FileJSONBytes: s.cfg.MaxJSONUploadBytes, UploadBytes: s.cfg.MaxUploadBytes, Timeout: s.cfg.RequestTimeout},
	}, s.Ready, s.webhooks().Register, signInPage.Register, app.Register, s.authServer.Register)
	return err
}

// webhooks handles the events of the configured senders.
func (s *Service) webhooks() *webhook.Receiver {
	senders := map[domaininbox.Sender]webhook.Verify{}
	if s.verifyPayments != nil {
		senders[domaininbox.Payments] = s.verifyPayments
	}
	if s.provider != nil {
		senders[domaininbox.Identity] = s.verifyIdentity
	}
	return &webhook.Receiver{Inbox: s.Inbox, Senders: senders, Storage: s.watching, Email: s.emailInbound(), WriteError: edge.WriteError, ReadBody: edge.ReadBody, Clock: s.clock, Log: s.log}
}

// Handler serves all HTTP requests of the service.
func (s *Service) Handler() http.Handler { return s.handler }

// errEnding reports that the process accepts no new work.
var errEnding = errors.New("the process is ending")

// degradedReader is the name of the document reader in the result of Ready.
const degradedReader = "reader"

// Ready returns an error if the database does not respond or the process is ending. A process
// with a reader that could not start is degraded: documents wait, and everything else works.
func (s *Service) Ready(ctx context.Context) (degraded []string, err error) {
	if s.ending.Load() {
		return nil, errEnding
	}
	if s.pipeline != nil && s.pipeline.Fault() != nil {
		degraded = append(degraded, degradedReader)
	}
	return degraded, s.db.SQL.PingContext(ctx)
}

// Run serves HTTP on l, unless it is nil, and works jobs if work is set, until ctx ends. Then it
// waits for the running requests and jobs.
func (s *Service) Run(ctx context.Context, l net.Listener, work bool) (err error) {
	watched, unwatch := context.WithCancel(context.WithoutCancel(ctx))
	var scrapes sync.WaitGroup
	scrapes.Go(func() { s.serveMetrics(watched, s.log) })
	defer scrapes.Wait()
	defer unwatch()
	if work {
		s.tellOfScans()
		// The worker starts first, because readiness includes it.
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
		defer s.receiveFiles(working)()
	}
	if l == nil {
		<-ctx.Done()
		return nil
	}
	keys, stop := context.WithCancel(ctx)
	wait := s.keepKeys(keys)
	defer s.serveEmail(ctx)()
	defer wait()
	defer stop()
	serving, close := s.untilDrained(ctx)
	defer close()
	return httpserver.Serve(serving, l, s.metrics.tracing.Handler(s.handler), s.cfg.ShutdownTimeout, s.log)
}

// untilDrained ends some time after ctx. In the meantime readiness fails and requests are still
// accepted, so that load balancers stop sending them.
func (s *Service) untilDrained(ctx context.Context) (context.Context, context.CancelFunc) {
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		s.ending.Store(true)
		s.log.InfoContext(ctx, "ending: not ready any more", "delay", s.cfg.ShutdownDelay.String())
		_ = clock.Pause(serving, s.cfg.ShutdownDelay) // an earlier end also ends the wait
		end()
	})
	return serving, func() { stop(); end() }
}

func (s *Service) startWork(ctx context.Context) (*queue.Runner, error) {
	runner, err := s.newRunner()
	if err != nil {
		return nil, err
	}
	// The reader starts in the background, because only documents with pages need it.
	s.warming.Go(func() { s.keepReader(ctx) })
	return runner, runner.Start(ctx)
}

func (s *Service) stopWork(ctx context.Context, runner *queue.Runner) error {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.ShutdownTimeout)
	defer cancel()
	return runner.Stop(ending)
}

// Close releases the resources of Open.
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
