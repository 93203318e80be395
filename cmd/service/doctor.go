package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"docledger/adapter/extract/worker"
	"docledger/adapter/store"
	"docledger/infrastructure/config"
	"docledger/infrastructure/database"
	"docledger/migrations"
)

// Finding is the result of a check of the installation.
type Finding struct {
	Subject string
	OK      string // the result if Err is nil
	Warning string // a problem that does not stop the service
	Err     error
	Remedy  string // the remedy for Err or Warning
}

// State is ok, WARNING or FAILED.
func (f Finding) State() string {
	switch {
	case f.Err != nil:
		return "FAILED"
	case f.Warning != "":
		return "WARNING"
	}
	return "ok"
}

// Detail returns the result.
func (f Finding) Detail() string {
	switch {
	case f.Err != nil:
		// The table has one line for each check. Joined errors have a line each; an
		// indented line continues the one before.
		var out strings.Builder
		for line := range strings.Lines(f.Err.Error()) {
			words := strings.Join(strings.Fields(line), " ")
			switch {
			case words == "":
				continue
			case out.Len() == 0:
			case line[0] == '\t' || line[0] == ' ':
				out.WriteString(" ")
			default:
				out.WriteString("; ")
			}
			out.WriteString(words)
		}
		return out.String()
	case f.Warning != "":
		return f.Warning
	}
	return f.OK
}

const (
	diagnoseTimeout = time.Minute
	deepTimeout     = 24 * time.Hour
)

// DiagnoseOptions configures Diagnose.
type DiagnoseOptions struct {
	Roles []string // the roles of the processes of the installation
	Deep  bool     // reads every document and every invoice, which is slow
}

// Diagnose checks the dependencies of the service. Each check yields one finding, independently
// of the others.
func Diagnose(ctx context.Context, cfg config.Config, x DiagnoseOptions) []Finding {
	limit := diagnoseTimeout
	if x.Deep {
		limit = deepTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if !slices.Contains(x.Roles, RoleAPI) && !slices.Contains(x.Roles, RoleWorker) {
		return []Finding{checkBackend(ctx, cfg)}
	}
	out := []Finding{
		checkDatabase(ctx, cfg), checkSchema(ctx, cfg), checkHold(ctx, cfg), checkClock(ctx, cfg), checkBlobs(ctx, cfg),
		checkSigningKeys(cfg), checkTokens(ctx, cfg), checkSecrets(cfg), checkRedis(ctx, cfg), checkIdentity(ctx, cfg),
	}
	out = append(out, checkPayments(ctx, cfg)...)
	out = append(out, checkProviders(ctx, cfg)...)
	out = append(out, checkPDF(ctx, cfg), checkScans(ctx, cfg), checkIntake(ctx, cfg), checkMailbox(ctx, cfg), checkOutgoing(ctx, cfg))
	if x.Deep {
		out = append(out, checkDocuments(ctx, cfg), checkWeeks(ctx, cfg), checkSources(ctx, cfg))
	}
	return out
}

func checkDatabase(ctx context.Context, cfg config.Config) Finding {
	f := Finding{Subject: "database", Remedy: "check DATABASE_URL and that the server runs"}
	if cfg.DatabaseURL.Reveal() == "" {
		f.Remedy = "check DATA_DIR, its permissions and its space"
	}
	if f.Err = RequireDatabase(cfg); f.Err != nil {
		return f
	}
	db, err := database.Open(ctx, DatabaseConfig(cfg))
	if err != nil {
		f.Err = err
		return f
	}
	f.OK, f.Err = string(db.Dialect), db.Close()
	return f
}

func checkSchema(ctx context.Context, cfg config.Config) Finding {
	f := Finding{Subject: "schema", OK: "up to date", Remedy: "run docledger migrate of the release that is to run"}
	if f.Err = errNoDatabase; RequireDatabase(cfg) == nil {
		f.Err = database.CheckSchema(ctx, DatabaseConfig(cfg), migrations.For(dialect(cfg)))
	}
	switch {
	case errors.Is(f.Err, database.ErrSchemaNewer):
		f.Remedy = "install a newer release"
	case !errors.Is(f.Err, database.ErrSchemaOlder):
		f.Remedy = databaseFirst
	}
	return f
}

// databaseFirst is the remedy for checks that need the database.
const databaseFirst = "repair the database and its schema first, then run the command again"

// errNoDatabase reports that the database could not be opened.
var errNoDatabase = errors.New("the database can't be opened")

func checkSigningKeys(cfg config.Config) Finding {
	keys, err := signingKeys(cfg.SigningKeys, cfg.DataDir)
	return Finding{
		Subject: "signing keys", OK: fmt.Sprintf("%d key(s)", len(keys)), Err: err,
		Remedy: "set JWT_SIGNING_KEYS, or let DATA_DIR/keys be written",
	}
}

// withStore opens the store for one check.
func withStore(ctx context.Context, cfg config.Config, do func(*store.Store) error) (err error) {
	keys, err := tokenKeys(cfg)
	if err != nil {
		return err
	}
	if RequireDatabase(cfg) != nil {
		return errNoDatabase // checkDatabase reports the cause
	}
	db, err := database.Open(ctx, DatabaseConfig(cfg))
	if err != nil {
		return fmt.Errorf("%w: %w", errNoDatabase, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	st, err := store.New(ctx, db.Gorm, store.Options{Sealer: Sealer(keys)})
	if err != nil {
		return err
	}
	return do(st)
}

// checkTokens decrypts every token and reports the missing keys.
func checkTokens(ctx context.Context, cfg config.Config) Finding {
	f := Finding{Subject: "tokens of integrations", Remedy: "add the keys to TOKEN_KEYS again, or connect those integrations again and replace those webhooks"}
	f.Err = withStore(ctx, cfg, func(st *store.Store) error {
		n, missing, err := st.Grants().CheckForOperator(ctx)
		if err != nil && n == 0 { // the check could not run
			f.Remedy = databaseFirst
			return err
		}
		webhooks, lost, unreadable := st.Webhooks().CheckForOperator(ctx)
		err = errors.Join(err, unreadable)
		for id, count := range lost {
			missing[id] += count
		}
		if len(missing) > 0 {
			var names []string
			for _, id := range slices.Sorted(maps.Keys(missing)) {
				names = append(names, fmt.Sprintf("%s (%d)", id, missing[id]))
			}
			err = errors.Join(fmt.Errorf("TOKEN_KEYS lacks the keys %s", strings.Join(names, ", ")), err)
		}
		f.OK = fmt.Sprintf("%d consent(s) and secrets of %d webhook(s), all readable", n, webhooks)
		return err
	})
	if errors.Is(f.Err, errNoDatabase) {
		f.Remedy = databaseFirst
	}
	return f
}

// checkBlobs stores a few fixed bytes and reads them back.
func checkBlobs(ctx context.Context, cfg config.Config) Finding {
	f := Finding{
		Subject: "documents", OK: "folder, readable and writable",
		Remedy: "check DATA_DIR, its permissions and its space",
	}
	if cfg.Blob.URL != "" {
		f.OK = "object store, readable and writable"
		f.Remedy = "check the variables BLOB_… and that the object store runs; docledger migrate makes the bucket"
	}
	f.Err = func() error {
		blobs, err := openBlobs(cfg)
		if err != nil {
			return err
		}
		sum, _, err := blobs.Put(ctx, strings.NewReader("docledger doctor"))
		if err != nil {
			return err
		}
		r, err := blobs.Open(ctx, sum)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, r)
		return errors.Join(err, r.Close())
	}()
	return f
}

func checkPDF(ctx context.Context, cfg config.Config) Finding {
	pool := worker.New(worker.Config{Size: 1, CacheDir: cfg.CompileCacheDir})
	err := pool.Prewarm(ctx)
	return Finding{
		Subject: "PDF reader", OK: "prepared", Err: errors.Join(err, pool.Close()),
		Remedy: "check COMPILE_CACHE_DIR, which this user alone may write to, and the memory of the machine",
	}
}

// checkDocuments reads the file of every document and compares it with its hash (domain D23).
func checkDocuments(ctx context.Context, cfg config.Config) Finding {
	f := Finding{
		Subject: "every document",
		Remedy:  "restore the named files from the backup of documents; until then their originals can't be shown or read again",
	}
	f.Err = withStore(ctx, cfg, func(st *store.Store) error {
		blobs, err := openBlobs(cfg)
		if err != nil {
			return err
		}
		files, damaged, err := examine(ctx, st.Documents(), blobs)
		if err != nil {
			return err
		}
		if len(damaged) > 0 {
			return fmt.Errorf("%d of %d files are missing or damaged: %s", len(damaged), files, some(damaged))
		}
		f.OK = fmt.Sprintf("%d file(s), all as they were stored", files)
		return nil
	})
	if errors.Is(f.Err, errNoDatabase) {
		f.Remedy = databaseFirst
	}
	return f
}

// checkWeeks compares invoice_weeks, which lists of a range of dates read, with every invoice.
func checkWeeks(ctx context.Context, cfg config.Config) Finding {
	return checkRows(ctx, cfg, "invoice_weeks", (*store.Store).MissingWeeks, Finding{
		Subject: "weeks of invoices",
		Remedy:  "run the last statement above Down of 001216_invoice_weeks.sql again, as the runbook says; until then lists of a range of dates can lack invoices",
	})
}

// checkSources compares invoice_sources, which lists and sums with a source read, with every invoice.
func checkSources(ctx context.Context, cfg config.Config) Finding {
	return checkRows(ctx, cfg, "invoice_sources", (*store.Store).MissingSources, Finding{
		Subject: "sources of invoices",
		Remedy:  "run the statements for wrong sums in the runbook; until then lists and sums with a source can lack invoices",
	})
}

// checkRows completes the finding of a table that triggers fill. count returns the number of its missing or wrong rows and
// that of all rows that the stored invoices need.
func checkRows(ctx context.Context, cfg config.Config, table string, count func(*store.Store, context.Context) (missing, needed int, err error), f Finding) Finding {
	f.Err = withStore(ctx, cfg, func(st *store.Store) error {
		missing, needed, err := count(st, ctx)
		if err != nil {
			return err
		}
		if missing > 0 {
			return fmt.Errorf("%d of %d rows of %s are missing or wrong", missing, needed, table)
		}
		f.OK = fmt.Sprintf("%d row(s), none is missing or wrong", needed)
		return nil
	})
	if errors.Is(f.Err, errNoDatabase) {
		f.Remedy = databaseFirst
	}
	return f
}
