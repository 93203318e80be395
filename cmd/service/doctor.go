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

// Finding is what a check of the installation found.
type Finding struct {
	Subject string
	OK      string // what is fine, where Err is nil
	Err     error
}

// Detail tells what was found.
func (f Finding) Detail() string {
	if f.Err != nil {
		return f.Err.Error()
	}
	return f.OK
}

const diagnoseTimeout = 30 * time.Second

// Diagnose checks what the service needs, one finding each, whatever the
// others say.
func Diagnose(ctx context.Context, cfg config.Config) []Finding {
	ctx, cancel := context.WithTimeout(ctx, diagnoseTimeout)
	defer cancel()
	var out []Finding
	check := func(subject string, do func() (string, error)) {
		ok, err := do()
		out = append(out, Finding{Subject: subject, OK: ok, Err: err})
	}
	check("database", func() (string, error) { return checkDatabase(ctx, cfg) })
	check("schema", func() (string, error) { return checkSchema(ctx, cfg) })
	check("documents", func() (string, error) { return checkBlobs(ctx, cfg) })
	check("signing keys", func() (string, error) {
		keys, err := signingKeys(cfg.SigningKeys, cfg.DataDir)
		return fmt.Sprintf("%d key(s)", len(keys)), err
	})
	check("tokens of integrations", func() (string, error) { return checkTokens(ctx, cfg) })
	check("identity provider", func() (string, error) { return checkIdentity(ctx, cfg) })
	check("PDF reader", func() (string, error) { return checkPDF(ctx, cfg) })
	return out
}

func checkDatabase(ctx context.Context, cfg config.Config) (string, error) {
	db, err := database.Open(ctx, DatabaseConfig(cfg))
	if err != nil {
		return "", fmt.Errorf("%w; check DATABASE_URL and that the server runs", err)
	}
	return string(db.Dialect), db.Close()
}

func checkSchema(ctx context.Context, cfg config.Config) (string, error) {
	return "up to date", database.CheckSchema(ctx, DatabaseConfig(cfg), migrations.For(dialect(cfg)))
}

// checkTokens decrypts every token and names the keys that are missing.
func checkTokens(ctx context.Context, cfg config.Config) (_ string, err error) {
	keys, err := tokenKeys(cfg)
	if err != nil {
		return "", err
	}
	db, err := database.Open(ctx, DatabaseConfig(cfg))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	st, err := store.New(ctx, db.Gorm, store.Options{Sealer: Sealer(keys)})
	if err != nil {
		return "", err
	}
	n, missing, err := st.Grants().CheckForOperator(ctx)
	if err != nil {
		return "", err
	}
	if len(missing) > 0 {
		var names []string
		for _, id := range slices.Sorted(maps.Keys(missing)) {
			names = append(names, fmt.Sprintf("%s (%d)", id, missing[id]))
		}
		return "", fmt.Errorf("TOKEN_KEYS lacks the keys %s; add them again, or connect those integrations again", strings.Join(names, ", "))
	}
	return fmt.Sprintf("%d consent(s), all readable with key %s", n, keys.CurrentID()), nil
}

// checkBlobs stores a few bytes, always the same ones, and reads them again.
func checkBlobs(ctx context.Context, cfg config.Config) (string, error) {
	where, remedy := "folder", "check DATA_DIR, its permissions and its space"
	if cfg.Blob.URL != "" {
		where, remedy = "object store", "check the variables BLOB_… and that the object store runs; docledger migrate makes the bucket"
	}
	blobs, err := openBlobs(cfg)
	if err != nil {
		return "", fmt.Errorf("%w; %s", err, remedy)
	}
	sum, _, err := blobs.Put(ctx, strings.NewReader("docledger doctor"))
	if err != nil {
		return "", fmt.Errorf("%w; %s", err, remedy)
	}
	r, err := blobs.Open(ctx, sum)
	if err != nil {
		return "", fmt.Errorf("%w; %s", err, remedy)
	}
	_, err = io.Copy(io.Discard, r)
	return where + ", readable and writable", errors.Join(err, r.Close())
}

func checkPDF(ctx context.Context, cfg config.Config) (string, error) {
	pool := worker.New(worker.Config{Size: 1, CacheDir: cfg.CompileCacheDir})
	if err := pool.Prewarm(ctx); err != nil {
		return "", errors.Join(fmt.Errorf("%w; check COMPILE_CACHE_DIR and the memory of the machine", err), pool.Close())
	}
	return "prepared", pool.Close()
}
