// Package budget limits the total resources of concurrent work, such as memory for
// request bodies. It never waits: it refuses work that does not fit.
package budget

import "sync"

// Budget is an amount that is granted in leases.
type Budget struct {
	total int64

	mu   sync.Mutex
	used map[string]int64 // key is that of the share; "" is the total
}

// Share limits the total of all leases with the same key.
type Share struct {
	Key string
	Max int64
}

// New returns a budget of total.
func New(total int64) *Budget { return &Budget{total: total, used: map[string]int64{}} }

// Total returns the size of the budget.
func (b *Budget) Total() int64 { return b.total }

// Used returns the leased part of the budget.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used[""]
}

// Lease returns an empty lease within shares. The caller must release it.
func (b *Budget) Lease(shares ...Share) *Lease {
	return &Lease{budget: b, shares: append([]Share{{Max: b.total}}, shares...)}
}

// Lease is the part of the budget that one piece of work uses.
type Lease struct {
	budget *Budget
	shares []Share
	size   int64
}

// Grow adds n to the lease unless that exceeds the budget or a share. A share never
// refuses its only lease, so that work larger than the share runs alone instead of
// never.
func (l *Lease) Grow(n int64) bool {
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range l.shares {
		if used := b.used[s.Key]; used+n > s.Max && used > l.size {
			return false
		}
	}
	l.size += n
	for _, s := range l.shares {
		b.used[s.Key] += n
	}
	return true
}

// Release returns the whole lease to the budget. It may be called more than once.
func (l *Lease) Release() {
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range l.shares {
		if b.used[s.Key] -= l.size; b.used[s.Key] <= 0 {
			delete(b.used, s.Key)
		}
	}
	l.size = 0
}
