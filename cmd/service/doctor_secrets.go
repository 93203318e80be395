package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"docledger/domain/document"
	"docledger/infrastructure/config"
	"docledger/infrastructure/database"
)

// leeway is the maximum clock difference, the one that tokens permit. Webhooks permit five
// minutes, object stores fifteen.
const leeway = time.Minute

// checkClock compares the clock of this machine with those of its dependencies.
func checkClock(ctx context.Context, cfg config.Config) Finding {
	f := Finding{Subject: "clock", Remedy: "set the clocks by NTP: tokens, webhooks and requests to object stores are refused by their time"}
	var compared []string
	for name, read := range map[string]func() (time.Time, error){
		"the database":     func() (time.Time, error) { return databaseTime(ctx, cfg) },
		"the object store": func() (time.Time, error) { return serverTime(ctx, cfg.Blob.URL) },
	} {
		before := time.Now()
		there, err := read()
		if err != nil || there.IsZero() {
			continue // other checks report whether they respond
		}
		compared = append(compared, name)
		// The returned time is from between request and response, rounded to seconds.
		if early, late := before.Sub(there)-time.Second, time.Until(there); early > leeway || late > leeway {
			f.Err = errors.Join(f.Err, fmt.Errorf("this machine's and that of %s are %s apart", name, max(early, late).Round(time.Second)))
		}
	}
	f.OK = "nothing to compare it with"
	if len(compared) > 0 {
		slices.Sort(compared)
		f.OK = "as that of " + strings.Join(compared, " and ")
	}
	return f
}

// databaseTime is zero for an embedded database, which uses this machine's clock.
func databaseTime(ctx context.Context, cfg config.Config) (now time.Time, err error) {
	if cfg.DatabaseURL.Reveal() == "" {
		return now, nil
	}
	db, err := database.Open(ctx, DatabaseConfig(cfg))
	if err != nil {
		return now, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return now, db.SQL.QueryRowContext(ctx, "SELECT clock_timestamp()").Scan(&now)
}

// serverTime is the time in any response of a server.
func serverTime(ctx context.Context, url string) (time.Time, error) {
	if url == "" {
		return time.Time{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, partyTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return time.Time{}, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return time.Time{}, err
	}
	defer response.Body.Close()
	return http.ParseTime(response.Header.Get("Date"))
}

// fewBytes is the minimum number of different bytes in a generated key of 32 bytes. A random key
// has fewer with a probability below 10^-20.
const fewBytes = 16

// checkSecrets looks for settings that are complete but dangerous. It names variables, never a
// value.
func checkSecrets(cfg config.Config) Finding {
	f := Finding{Subject: "secrets", OK: "each of its own"}
	of := map[string]string{} // secret → variable
	use := func(variable string, secrets ...config.Secret) {
		for _, s := range secrets {
			value := s.Reveal()
			if other, used := of[value]; used && value != "" {
				f.Err = errors.Join(f.Err, fmt.Errorf("%s and %s have the same value", other, variable))
			}
			of[value] = variable
		}
	}
	use("JWT_SIGNING_KEYS", cfg.SigningKeys...)
	use("TOKEN_KEYS", cfg.TokenKeys...)
	use("BLOB_SECRET_KEY", cfg.Blob.SecretKey)
	use("PAYMENT_SIGNING_SECRETS", cfg.PaymentSigningSecret...)
	use("IDENTITY_SIGNING_SECRETS", cfg.Identity.SigningSecrets...)
	f.Err = errors.Join(f.Err, weak("JWT_SIGNING_KEYS", cfg.SigningKeys), weak("TOKEN_KEYS", cfg.TokenKeys), exposed(cfg.DataDir))
	f.Remedy = "give each secret a value of its own; openssl rand -base64 32 makes one. Change one that others may have seen"
	if u, err := url.Parse(cfg.BaseURL); f.Err == nil && err == nil && cfg.InsecureHTTP && u.Scheme == "http" {
		f.Warning = "BASE_URL is http: whoever reads the network reads tokens and documents"
		f.Remedy = "put a proxy with TLS in front, set BASE_URL to https and ALLOW_INSECURE_HTTP to no"
	}
	if f.Err == nil && cfg.Environment == config.Deployed && strings.Contains(cfg.PaymentSecretKey.Reveal(), "_test_") {
		warning, remedy := "PAYMENT_SECRET_KEY is a key of the processor's test mode: payments are not real",
			"set the live key, and the signing secret of its webhook, before customers come"
		if f.Warning != "" {
			warning, remedy = f.Warning+"; "+warning, f.Remedy+"; "+remedy
		}
		f.Warning, f.Remedy = warning, remedy
	}
	return f
}

// weak finds keys that were not generated randomly.
func weak(variable string, keys []config.Secret) error {
	for i, key := range keys {
		seed, err := decodeKey(key)
		if err != nil {
			return fmt.Errorf("%s: key %d: %w", variable, i+1, err)
		}
		different := map[byte]bool{}
		for _, b := range seed {
			different[b] = true
		}
		if len(different) < fewBytes {
			return fmt.Errorf("%s: key %d is not random", variable, i+1)
		}
	}
	return nil
}

// exposed finds key files that others than their owner may read.
func exposed(dataDir string) error {
	for _, name := range []string{"jwt", "tokens"} {
		path := filepath.Join(dataDir, "keys", name)
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			return fmt.Errorf("%s may be read by others; chmod 600 it", path)
		}
	}
	return nil
}

// stored contains all documents, for examine.
type stored interface {
	EachForOperator(ctx context.Context, visit func(document.Document) error) error
}

// examine reads every blob that a document names, once. It returns their number and those with
// other content than was stored.
func examine(ctx context.Context, documents stored, blobs document.Blobs) (files int, damaged []string, err error) {
	seen := map[[sha256.Size]byte]bool{}
	err = documents.EachForOperator(ctx, func(d document.Document) error {
		var sum [sha256.Size]byte
		if n, err := hex.Decode(sum[:], []byte(d.SHA256)); err != nil || n != len(sum) {
			return fmt.Errorf("document %s names no file", d.ID)
		}
		if seen[sum] {
			return nil
		}
		seen[sum] = true
		if err := readWhole(ctx, blobs, d.SHA256); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			damaged = append(damaged, d.ID.String())
		}
		return nil
	})
	return len(seen), damaged, err
}

func readWhole(ctx context.Context, blobs document.Blobs, key string) (err error) {
	r, err := blobs.Open(ctx, key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	hash := sha256.New()
	if _, err := io.Copy(hash, r); err != nil {
		return err
	}
	if hex.EncodeToString(hash.Sum(nil)) != key {
		return errors.New("other bytes than were stored")
	}
	return nil
}

// some lists the first of many names.
func some(names []string) string {
	const shown = 20
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}
