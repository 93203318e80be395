package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// redisTimeout is how long the shared counters are waited for.
const redisTimeout = 250 * time.Millisecond

// prefix is that of our keys in Redis.
const prefix = "docledger:rate:"

// take tells the shared counters what was admitted without them, and admits one
// more where every quota has room. KEYS are the quotas; ARGV is the window in
// milliseconds, then limit and what was admitted for each. It answers whether
// the request is admitted, then what is used and the milliseconds left for each.
var take = redis.NewScript(`
local admitted, out = 1, {0}
local used = {}
for i, key in ipairs(KEYS) do
  local told = tonumber(ARGV[2 * i + 1])
  if told > 0 then
    used[i] = redis.call('INCRBY', key, told)
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
// unix:// URL. It connects when it is used, and gives a server up within
// 250 ms.
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

// quiet keeps the client from writing to standard error by itself.
var quiet = sync.OnceFunc(func() { redis.SetLogger(silence{}) })

type silence struct{}

// Printf implements the client's logger.
func (silence) Printf(context.Context, string, ...any) {}

// checkRemote decides with the others, and alone where they are out of reach.
func (l *Limiter) checkRemote(ctx context.Context, quotas []Quota) Result {
	told := l.reportCounts(quotas)
	// A caller who goes away must not make the counters seem to be.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), redisTimeout)
	defer cancel()
	admitted, answers, err := l.run(ctx, quotas, told)
	now := l.o.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.failed(ctx, now, quotas, told, err)
		return l.count(now, quotas)
	}
	if l.away {
		l.away = false
		l.o.Log.InfoContext(ctx, "the shared counters of requests answer again")
	}
	for i, q := range quotas {
		l.applyRemote(q.Key, now, answers[i])
	}
	return l.standing(now, quotas, !admitted)
}

// reportCounts takes out what the shared counters are about to be told.
func (l *Limiter) reportCounts(quotas []Quota) []int {
	now := l.o.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	told := make([]int, len(quotas))
	for i, q := range quotas {
		w := l.window(q.Key, now)
		told[i], w.pending = w.pending, 0
	}
	return told
}

type answer struct {
	used int
	left time.Duration
}

func (l *Limiter) run(ctx context.Context, quotas []Quota, told []int) (admitted bool, answers []answer, err error) {
	keys, values := make([]string, len(quotas)), []any{l.o.Window.Milliseconds()}
	for i, q := range quotas {
		keys[i] = prefix + q.Key
		values = append(values, q.Limit, told[i])
	}
	numbers, err := take.Run(ctx, l.o.Redis, keys, values...).Int64Slice()
	if err != nil {
		return false, nil, fmt.Errorf("count a request: %w", err)
	}
	if len(numbers) != 1+2*len(quotas) {
		return false, nil, errors.New("count a request: the answer is not ours")
	}
	for i := range quotas {
		answers = append(answers, answer{int(numbers[1+2*i]), time.Duration(numbers[2+2*i]) * time.Millisecond})
	}
	return numbers[0] == 1, answers, nil
}

// applyRemote takes over what all processes have used, and adds what this one has
// admitted since it asked.
func (l *Limiter) applyRemote(key string, now time.Time, a answer) {
	w := l.window(key, now)
	w.used, w.asked = a.used+w.pending, now
	// A key that has just ended has nothing left; its window begins anew.
	w.ends = now.Add(max(a.left, time.Millisecond))
}

// failed keeps what could not be told and leaves the counters alone for a while.
func (l *Limiter) failed(ctx context.Context, now time.Time, quotas []Quota, told []int, err error) {
	for i, q := range quotas {
		l.window(q.Key, now).pending += told[i]
	}
	l.down = now.Add(retry)
	if !l.away {
		l.away = true
		l.o.Log.WarnContext(ctx, "the shared counters of requests are out of reach; each process counts by itself", "error", err)
	}
}
