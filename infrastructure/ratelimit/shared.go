package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// redisTimeout is the maximum wait for the shared counters.
const redisTimeout = 250 * time.Millisecond

// prefix is the prefix of docledger's keys in Redis.
const prefix = "docledger:rate:"

// take adds locally admitted requests to the shared counters and admits one more if
// every quota has room. KEYS are the quotas. ARGV is the window in milliseconds, then
// the limit and the locally admitted requests of each quota. It returns whether the
// request is admitted, then the used requests and the remaining milliseconds of each
// quota.
var take = redis.NewScript(`
local admitted, out = 1, {0}
local used = {}
for i, key in ipairs(KEYS) do
  local reported = tonumber(ARGV[2 * i + 1])
  if reported > 0 then
    used[i] = redis.call('INCRBY', key, reported)
  else
    used[i] = tonumber(redis.call('GET', key) or '0')
  end
  if used[i] >= tonumber(ARGV[2 * i]) then admitted = 0 end
end
for i, key in ipairs(KEYS) do
  if admitted == 1 then used[i] = redis.call('INCR', key) end
  local left = redis.call('PTTL', key)
  if left == -1 then
    redis.call('PEXPIRE', key, ARGV[1])
    left = tonumber(ARGV[1])
  end
  out[2 * i] = used[i]
  out[2 * i + 1] = left
end
out[1] = admitted
return out`)

// Connect returns a client for the shared counters at a redis://, rediss:// or
// unix:// URL. It connects on first use and stops waiting for a server after 250 ms.
func Connect(url string) (*redis.Client, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New("must be a redis://, rediss:// or unix:// URL")
	}
	options.MaxRetries, options.DialerRetries = -1, 1
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = redisTimeout, redisTimeout, redisTimeout, redisTimeout
	options.ContextTimeoutEnabled = true
	quiet()
	return redis.NewClient(options), nil
}

// quiet stops the client from writing to standard error.
var quiet = sync.OnceFunc(func() { redis.SetLogger(silence{}) })

type silence struct{}

// Printf implements the client's logger.
func (silence) Printf(context.Context, string, ...any) {}

// checkRemote decides with the shared counters, or locally if they are unavailable.
func (l *Limiter) checkRemote(ctx context.Context, quotas []Quota) Result {
	reported := l.reportCounts(quotas)
	// A cancelled request must not make the counters look unavailable.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), redisTimeout)
	defer cancel()
	admitted, answers, err := l.run(ctx, quotas, reported)
	now := l.o.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.failed(ctx, now, quotas, reported, err)
		return l.count(now, quotas)
	}
	if l.unavailable {
		l.unavailable = false
		l.o.Log.InfoContext(ctx, "shared rate limit counters available again")
	}
	for i, q := range quotas {
		l.applyRemote(q.Key, now, answers[i])
	}
	return l.result(now, quotas, !admitted)
}

// reportCounts returns the pending counts and resets them, because they are about to
// be reported.
func (l *Limiter) reportCounts(quotas []Quota) []int {
	now := l.o.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	reported := make([]int, len(quotas))
	for i, q := range quotas {
		w := l.window(q.Key, now)
		reported[i], w.pending = w.pending, 0
	}
	return reported
}

type answer struct {
	used int
	left time.Duration
}

func (l *Limiter) run(ctx context.Context, quotas []Quota, reported []int) (admitted bool, answers []answer, err error) {
	keys, values := make([]string, len(quotas)), []any{l.o.Window.Milliseconds()}
	for i, q := range quotas {
		keys[i] = prefix + q.Key
		values = append(values, q.Limit, reported[i])
	}
	numbers, err := take.Run(ctx, l.o.Redis, keys, values...).Int64Slice()
	if err != nil {
		return false, nil, fmt.Errorf("count a request: %w", err)
	}
	if len(numbers) != 1+2*len(quotas) {
		return false, nil, errors.New("count a request: unexpected response")
	}
	for i := range quotas {
		answers = append(answers, answer{int(numbers[1+2*i]), time.Duration(numbers[2+2*i]) * time.Millisecond})
	}
	return numbers[0] == 1, answers, nil
}

// applyRemote stores the count of all processes and adds what this process admitted
// since the call.
func (l *Limiter) applyRemote(key string, now time.Time, a answer) {
	w := l.window(key, now)
	w.used, w.asked = a.used+w.pending, now
	// A key that has just ended has no time left. Its next window starts now.
	w.ends = now.Add(max(a.left, time.Millisecond))
}

// failed restores the unreported counts and stops calls to the shared counters for a
// while.
func (l *Limiter) failed(ctx context.Context, now time.Time, quotas []Quota, reported []int, err error) {
	for i, q := range quotas {
		l.window(q.Key, now).pending += reported[i]
	}
	l.down = now.Add(retry)
	if !l.unavailable {
		l.unavailable = true
		l.o.Log.WarnContext(ctx, "shared rate limit counters unavailable, counting in each process", "error", err)
	}
}
