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

// patience is how long Redis is waited for: a cache that takes longer than the
// source is none. A server that is down is noticed within 300 ms.
const patience = 250 * time.Millisecond

// guardTTL keeps a guard longer than any fill may take.
const guardTTL = time.Hour

// guardKey holds a token that each invalidation replaces by a new one. A server
// may forget it at any time, by eviction or a restart: what was read under a
// token that is gone is not kept. The record itself must hold the contract's
// five fields and no other.
func guardKey(organization uuid.UUID) string { return "billing:guard:" + organization.String() }

// invalidate replaces the guard and removes the record, as one step. The record
// goes first: a script that has removed something may write on a full server.
var invalidate = redis.NewScript(`
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return 1`)

// store keeps a record only if nothing was invalidated, and nothing forgotten,
// since the guard was read.
var store = redis.NewScript(`
if ARGV[1] == '' or redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`)

// Redis keeps plans for every replica.
type Redis struct {
	client  redis.Scripter
	flights flights
	slow    time.Duration
	// stale are the organizations whose record could not be removed: until it
	// is, this process takes nothing from it. Each value is one invalidation.
	stale sync.Map
}

var _ billing.PlanCache = (*Redis)(nil)

// NewRedis returns the cache at a redis://, rediss:// or unix:// URL. It connects when it is used,
// and a server that does not answer at once is done without.
func NewRedis(url string) (*Redis, func() error, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, nil, errors.New("must be a redis://, rediss:// or unix:// URL")
	}
	quiet()
	// The defaults take 1.7 s to notice a dead server.
	options.MaxRetries, options.DialerRetries = -1, 1
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = patience, patience, patience, patience
	options.ContextTimeoutEnabled = true
	client := redis.NewClient(options)
	return &Redis{client: client, slow: patience}, client.Close, nil
}

// CheckRedis asks the server at url whether it takes what the cache sends it, and
// answers as soon as the cache wants it.
func CheckRedis(ctx context.Context, url string) error {
	r, done, err := NewRedis(url)
	if err != nil {
		return err
	}
	_, _, _, err = r.read(ctx, uuid.Nil)
	return errors.Join(err, done())
}

// quiet keeps the client from writing to standard error by itself: whoever
// calls is told of every failure.
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
		// The call before this one may have ended between our look and our turn.
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

// look is read, once what is stale is gone.
func (r *Redis) look(ctx context.Context, organization uuid.UUID) (record billing.Record, hit bool, guard string, err error) {
	if err := r.removeStale(ctx, organization); err != nil {
		return record, false, "", err
	}
	return r.read(ctx, organization)
}

// read returns the record, where there is one of ours, and the guard as they
// stand together.
func (r *Redis) read(ctx context.Context, organization uuid.UUID) (record billing.Record, hit bool, guard string, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.slow)
	defer cancel()
	values, err := readBoth.Run(ctx, r.client, []string{billing.CacheKey(organization), guardKey(organization)},
		uuid.NewString(), guardTTL.Milliseconds()).StringSlice()
	if err != nil || len(values) != 2 {
		return record, false, "", errors.Join(errors.New("the cache did not answer"), err)
	}
	if record, err := decode([]byte(values[0])); err == nil {
		return record, true, values[1], nil
	}
	return record, false, values[1], nil
}

// readBoth reads record and guard as one step, and gives a guard where there is
// none; where the server takes none it stays "". A record under another type of
// value is none of ours.
var readBoth = redis.NewScript(`
local function text(key)
  if redis.call('TYPE', key).ok ~= 'string' then return '' end
  return redis.call('GET', key)
end
local guard = text(KEYS[2])
if guard == '' and not redis.pcall('SET', KEYS[2], ARGV[1], 'PX', ARGV[2]).err then guard = ARGV[1] end
return {text(KEYS[1]), guard}`)

// keep stores a record; a cache that fails here costs one more read.
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

// removeStale removes the organization's record where that is due.
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
	r.stale.CompareAndDelete(organization, due) // another one may have come, which failed
	return nil
}
