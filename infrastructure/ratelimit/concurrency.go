package ratelimit

import "sync"

// ConcurrencyLimiter limits the number of concurrent requests of one key in this
// process. The zero value is ready to use. It is safe for concurrent use.
type ConcurrencyLimiter struct {
	mu      sync.Mutex
	running map[string]int
}

// Enter admits a request unless limit requests of the key already run. leave ends the
// request. A limit of zero admits all requests.
func (g *ConcurrencyLimiter) Enter(key string, limit int) (leave func(), admitted bool) {
	if limit <= 0 {
		return func() {}, true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running[key] >= limit {
		return func() {}, false
	}
	if g.running == nil {
		g.running = map[string]int{}
	}
	g.running[key]++
	return sync.OnceFunc(func() { g.leave(key) }), true
}

func (g *ConcurrencyLimiter) leave(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running[key]--; g.running[key] <= 0 {
		delete(g.running, key)
	}
}
