package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"docledger/domain/billing"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// redisTimeout is the maximum wait for Redis, because a cache that is slower than its
// source has no use. The cache detects a server that is down within 300 ms.
const redisTimeout = 250 * time.Millisecond

// guardTTL keeps a guard longer than any fill can take.
const guardTTL = time.Hour

// guardKey is the key of a token that each invalidation replaces. A server may lose
// it at any time, by eviction or a restart. Values that were read under a lost token
// are not stored. The record cannot contain the token, because it has only the five
// fields of the contract.
func guardKey(organization uuid.UUID) string { return "billing:guard:" + organization.String() }

// invalidate replaces the guard and removes the record in one step. It removes the
// record first, because a script that has removed a key may write on a full server.
var invalidate = redis.NewScript(`
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return 1`)

// store writes a record only if no invalidation and no loss happened since the guard
// was read.
var store = redis.NewScript(`
if ARGV[1] == '' or redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`)

// Redis stores plans for all replicas.
type Redis struct {
	client  redis.Scripter
	flights flights
	slow    time.Duration
	// stale contains the organizations with a record that could not be removed. Until
	// it is removed, this process does not use it. Each value is one invalidation.
	stale sync.Map
}

var _ billing.PlanCache = (*Redis)(nil)

// NewRedis returns the cache at a redis://, rediss:// or unix:// URL. It connects on
// first use. Loads work without a server that does not respond.
func NewRedis(url string) (*Redis, func() error, error) { return newRedis(url, redisTimeout) }

func newRedis(url string, timeout time.Duration) (*Redis, func() error, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, nil, errors.New("must be a redis://, rediss:// or unix:// URL")
	}
	quiet()
	// With the default settings the client takes 1.7 s to detect a dead server.
	options.MaxRetries, options.DialerRetries = -1, 1
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = timeout, timeout, timeout, timeout
	options.ContextTimeoutEnabled = true
	client := redis.NewClient(options)
	return &Redis{client: client, slow: timeout}, client.Close, nil
}

// CheckRedis checks that the server at url accepts the commands of the cache and
// responds within its timeout.
func CheckRedis(ctx context.Context, url string) error {
	r, done, err := NewRedis(url)
	if err != nil {
		return err
	}
	_, _, _, err = r.read(ctx, uuid.Nil)
	return errors.Join(err, done())
}

// quiet stops the client from writing to standard error, because the caller receives
// every failure.
var quiet = sync.OnceFunc(func() { redis.SetLogger(silence{}) })

type silence struct{}

// Printf implements the client's logger.
func (silence) Printf(context.Context, string, ...any) {}

// Load implements billing.PlanCache.
func (r *Redis) Load(ctx context.Context, organization uuid.UUID, fill func(context.Context) (billing.Record, error)) (billing.Record, error) {
	generation := r.flights.generation(organization)
	record, hit, guard, err := r.look(ctx, organization)
	if hit {
		return record, nil
	}
	up := err == nil
	return r.flights.do(ctx, flight{organization, generation, guard}, func(ctx context.Context) (billing.Record, error) {
		// The previous fill may have ended after the first lookup.
		if up {
			if record, hit, now, _ := r.look(ctx, organization); hit && now == guard {
				return record, nil
			}
		}
		record, err := fill(ctx)
		if err == nil && up {
			r.keep(ctx, organization, guard, record)
		}
		return record, err
	})
}

// look reads the record after it has removed a stale one.
func (r *Redis) look(ctx context.Context, organization uuid.UUID) (record billing.Record, hit bool, guard string, err error) {
	if err := r.removeStale(ctx, organization); err != nil {
		return record, false, "", err
	}
	return r.read(ctx, organization)
}

// read returns the valid record, if any, and the guard of the same moment.
func (r *Redis) read(ctx context.Context, organization uuid.UUID) (record billing.Record, hit bool, guard string, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.slow)
	defer cancel()
	values, err := readBoth.Run(ctx, r.client, []string{billing.CacheKey(organization), guardKey(organization)},
		uuid.NewString(), guardTTL.Milliseconds()).StringSlice()
	if err != nil || len(values) != 2 {
		return record, false, "", errors.Join(errors.New("the cache did not respond"), err)
	}
	if record, err := decode([]byte(values[0])); err == nil {
		return record, true, values[1], nil
	}
	return record, false, values[1], nil
}

// readBoth reads record and guard in one step, and creates a missing guard. If the
// server refuses the write, the guard stays "". A record with another Redis type is
// ignored.
var readBoth = redis.NewScript(`
local function text(key)
  if redis.call('TYPE', key).ok ~= 'string' then return '' end
  return redis.call('GET', key)
end
local guard = text(KEYS[2])
if guard == '' and not redis.pcall('SET', KEYS[2], ARGV[1], 'PX', ARGV[2]).err then guard = ARGV[1] end
return {text(KEYS[1]), guard}`)

// keep stores a record. If it fails, the only cost is one more read.
func (r *Redis) keep(ctx context.Context, organization uuid.UUID, guard string, record billing.Record) {
	text, err := encode(record)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, r.slow)
	defer cancel()
	_ = store.Run(ctx, r.client, []string{billing.CacheKey(organization), guardKey(organization)},
		guard, text, billing.CacheTTL.Milliseconds()).Err()
}

// Invalidate implements billing.PlanCache.
func (r *Redis) Invalidate(ctx context.Context, organization uuid.UUID) error {
	r.flights.invalidate(organization)
	r.stale.Store(organization, uuid.New())
	return r.removeStale(ctx, organization)
}

// removeStale removes the stale record of the organization, if any.
func (r *Redis) removeStale(ctx context.Context, organization uuid.UUID) error {
	due, ok := r.stale.Load(organization)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.slow)
	defer cancel()
	err := invalidate.Run(ctx, r.client, []string{billing.CacheKey(organization), guardKey(organization)},
		uuid.NewString(), guardTTL.Milliseconds()).Err()
	if err != nil {
		return fmt.Errorf("remove the cached plan: %w", err)
	}
	r.stale.CompareAndDelete(organization, due) // a later invalidation may have failed too
	return nil
}
