// Package load compares the throughput of the service with minimal programs.
// Both run in turns within one run, so that the machine affects both. Its
// benchmarks are part of `make bench`.
package load

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"

	"github.com/gin-gonic/gin"
	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// connections is the maximum number of database connections of each side.
const connections = "16"

// seed is the seed of the token signing key, used only in these tests.
const seed = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// callers is the number of concurrent callers of each side.
const callers = 8

// start starts a service with a database of which the commits are durable.
func start(b *testing.B) (s *harness.Server, database string) {
	b.Helper()
	database = postgres.NewDurable(b)
	return harness.Start(b, harness.Options{DatabaseURL: database, Env: map[string]string{
		"DATABASE_MAX_CONNECTIONS": connections, "JWT_SIGNING_KEYS": seed,
	}}), database
}

// perSecond runs work n times by the callers and returns the rate per second.
func perSecond(b *testing.B, n int, work func(ctx context.Context, i int64) error) float64 {
	b.Helper()
	var next atomic.Int64
	failed := make(chan error, callers)
	began := time.Now()
	for range callers {
		go func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				if err := work(b.Context(), i); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range callers {
		if err := <-failed; err != nil {
			b.Fatal(err)
		}
	}
	return float64(n) / time.Since(began).Seconds()
}

// bare serves the stored bytes of a path to callers with a valid token, and
// does nothing else.
func bare(b *testing.B, database, path string, body []byte, key ed25519.PublicKey) *httptest.Server {
	b.Helper()
	pool, err := pgxpool.New(b.Context(), database+"&pool_max_conns="+connections)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	if _, err := pool.Exec(b.Context(), "CREATE TABLE bare (path text PRIMARY KEY, body bytea NOT NULL)"); err != nil {
		b.Fatal(err)
	}
	if _, err := pool.Exec(b.Context(), "INSERT INTO bare VALUES ($1, $2)", path, body); err != nil {
		b.Fatal(err)
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.NoRoute(func(c *gin.Context) {
		bearer := c.GetHeader("Authorization")[len("Bearer "):]
		if _, err := jwt.Parse(bearer, func(*jwt.Token) (any, error) { return key, nil }); err != nil {
			c.Status(http.StatusUnauthorized)
			return
		}
		var found []byte
		if err := pool.QueryRow(c, "SELECT body FROM bare WHERE path = $1", c.Request.URL.Path).Scan(&found); err != nil {
			c.Status(http.StatusNotFound)
			return
		}
		c.Data(http.StatusOK, "application/json", found)
	})
	server := httptest.NewServer(engine)
	b.Cleanup(server.Close)
	return server
}

// caller sends requests and reads the complete responses, so that connections
// are reused.
type caller struct {
	client *http.Client
	token  string
}

func newCaller(token string) caller {
	return caller{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}, token: token}
}

func (c caller) send(req *http.Request) error {
	req.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := c.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returns %s", req.URL.Path, resp.Status)
	}
	return nil
}
