package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/infrastructure/database"
	"docledger/migrations"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// setupTimeout limits the creation of the template and of one database.
const setupTimeout = 2 * time.Minute

// New returns the URL of a new database with the current schema, which is
// dropped after the test. The test fails on a machine without PostgreSQL.
func New(t testing.TB) string {
	t.Helper()
	return create(t, func(s *server) string { return s.template })
}

// NewEmpty is New without any schema.
func NewEmpty(t testing.TB) string {
	t.Helper()
	return create(t, func(*server) string { return "template0" })
}

// NewDurable returns the URL of a database with the current schema. Its private server stores commits
// durably, as in production, for measurements, and ends with the test.
func NewDurable(t testing.TB) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	bin, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	instance, err := StartDurable(ctx, bin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := instance.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := database.Migrate(ctx, database.Config{URL: instance.URL}, migrations.Postgres()); err != nil {
		t.Fatal(err)
	}
	return instance.URL
}

// server is the server that the tests of one process share.
type server struct {
	url      string
	template string
	strategy string // of CREATE DATABASE, if the server has several
}

// copiesFiles is the first version that copies a database through its log unless the statement
// has a strategy. That takes three times the processor time of a copy of the files.
const copiesFiles = 150000

var shared = sync.OnceValues(func() (*server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	s := &server{url: os.Getenv(EnvURL)}
	if s.url == "" {
		bin, err := Find()
		if err != nil {
			return nil, err
		}
		instance, err := Start(ctx, bin)
		if err != nil {
			return nil, err
		}
		s.url = instance.URL
	}
	return s, s.prepare(ctx)
})

func create(t testing.TB, template func(*server) string) string {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatalf("PostgreSQL for tests: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	name := "docledger_test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if err := s.exec(ctx, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s%s", name, template(s), s.strategy)); err != nil {
		t.Fatalf("create a test database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
		defer cancel()
		if err := s.exec(ctx, fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name)); err != nil {
			t.Errorf("drop a test database: %v", err)
		}
	})
	return s.named(name)
}

// prepare creates the template of the current migrations, once on a server that
// several test binaries share.
func (s *server) prepare(ctx context.Context) (err error) {
	sum, err := fingerprint(migrations.Postgres().Migrations)
	if err != nil {
		return err
	}
	s.template = "docledger_template_" + sum
	conn, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return fmt.Errorf("connect to the test server: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext('docledger test template'))"); err != nil {
		return fmt.Errorf("lock the template: %w", err)
	}
	var version int
	if err := conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version); err != nil {
		return fmt.Errorf("read the version of the server: %w", err)
	}
	if version >= copiesFiles {
		s.strategy = " STRATEGY FILE_COPY"
	}
	var there bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", s.template).Scan(&there); err != nil {
		return fmt.Errorf("look for the template: %w", err)
	}
	if there {
		return nil
	}
	// The template gets its name last, so that no partial template has the
	// name.
	draft := s.template + "_draft"
	for _, sql := range []string{"DROP DATABASE IF EXISTS " + draft + " WITH (FORCE)", "CREATE DATABASE " + draft + " TEMPLATE template0"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("create the template: %w", err)
		}
	}
	if err := database.Migrate(ctx, database.Config{URL: s.named(draft)}, migrations.Postgres()); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, fmt.Sprintf("ALTER DATABASE %s RENAME TO %s", draft, s.template)); err != nil {
		return fmt.Errorf("name the template: %w", err)
	}
	return nil
}

func (s *server) exec(ctx context.Context, sql string) (err error) {
	conn, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return fmt.Errorf("connect to the test server: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	_, err = conn.Exec(ctx, sql)
	return err
}

// named returns the URL of another database on the server.
func (s *server) named(name string) string {
	u, err := url.Parse(s.url)
	if err != nil {
		return s.url // unreachable, because pgx has parsed the URL
	}
	u.Path = "/" + name
	return u.String()
}

func fingerprint(fsys fs.FS) (string, error) {
	names, err := fs.Glob(fsys, "*.sql")
	if err != nil {
		return "", fmt.Errorf("list the migrations: %w", err)
	}
	sum := sha256.New()
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return "", fmt.Errorf("read the migrations: %w", err)
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}
