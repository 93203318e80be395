// Package budget bounds what concurrent work may hold at a time, such as memory
// for request bodies. It never waits: work that does not fit is refused.
package budget

import "sync"

// Budget is an amount that leases are taken from.
type Budget struct {
	total int64

	mu   sync.Mutex
	used map[string]int64 // by the key of the share; "" is all
}

// Share bounds how much of a budget leases with the same key may hold together.
type Share struct {
	Key string
	Max int64
}

// New returns a budget of total.
func New(total int64) *Budget { return &Budget{total: total, used: map[string]int64{}} }

// Total returns the size of the budget.
func (b *Budget) Total() int64 { return b.total }

// Used returns how much of the budget is leased.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used[""]
}

// Lease returns an empty lease within shares. It must be released.
func (b *Budget) Lease(shares ...Share) *Lease {
	return &Lease{budget: b, shares: append([]Share{{Max: b.total}}, shares...)}
}

// Lease is what one piece of work holds.
type Lease struct {
	budget *Budget
	shares []Share
	size   int64
}

// Grow adds n to the lease unless that exceeds the budget or a share. A lease
// that is the only one of a share is never refused by that share, so that work
// larger than the share is done alone rather than never.
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

// Release gives everything back. It may be called more than once.
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
