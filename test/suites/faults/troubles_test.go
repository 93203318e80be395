package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"time"

	"docledger/test/lib/redis"
)

// trouble is a temporary disturbance of an installation.
type trouble struct {
	name string
	do   func(*rand.Rand)
}

func (c *cluster) troubles() []trouble {
	pause := func(draw *rand.Rand) { <-time.After(time.Duration(100+draw.IntN(900)) * time.Millisecond) }
	cut := func(name string) func(*rand.Rand) {
		return func(draw *rand.Rand) {
			c.toxic.cut(name)
			pause(draw)
			c.toxic.connect(name)
		}
	}
	return []trouble{
		{"a replica was killed", c.killOne},
		{"PostgreSQL crashed and restarted", func(*rand.Rand) { c.must(c.postgres.Restart(c.t.Context())) }},
		{"connections to PostgreSQL were cut", cut("postgres")},
		{"Redis crashed and restarted empty", func(draw *rand.Rand) {
			c.must(c.cache.stop())
			pause(draw)
			c.cache.start(c.t)
		}},
		{"connections to Redis were cut", cut("redis")},
		{"PostgreSQL responded late", func(draw *rand.Rand) {
			c.toxic.slow("postgres", 100*time.Millisecond)
			pause(draw)
			c.toxic.hurry("postgres")
		}},
	}
}

// killOne ends a replica like kill -9 and starts another one.
func (c *cluster) killOne(draw *rand.Rand) {
	c.mu.Lock()
	n := draw.IntN(len(c.alive))
	victim := c.alive[n]
	c.mu.Unlock()
	victim.kill()
	fresh := c.start()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alive[n] = fresh
}

// cache is a Redis that restarts at the same address.
type cache struct {
	port int
	in   *redis.Instance
}

func (c *cache) url() string {
	return fmt.Sprintf("redis://%s", net.JoinHostPort("127.0.0.1", fmt.Sprint(c.port)))
}

func (c *cache) start(t *testing.T) {
	t.Helper()
	if c.port == 0 {
		c.port = freePort(t)
		t.Cleanup(func() {
			if err := c.stop(); err != nil {
				t.Error(err)
			}
		})
	}
	bin, err := redis.Provide(context.Background(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if c.in, err = redis.StartAt(context.Background(), bin, c.port); err != nil {
		t.Fatal(err)
	}
}

func (c *cache) stop() error { return c.in.Stop() }
