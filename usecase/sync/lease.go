package sync

import (
	"context"
	"fmt"
	"time"
)

const (
	// leaseTTL is also how long others wait after the holder's process was killed.
	leaseTTL   = 6 * time.Second
	leaseRenew = leaseTTL / 3
)

// withContactLease acquires a lease and renews it until release is called, regardless of the
// ledger's response time. The returned context ends if the lease is lost. It returns
// errContactLeaseTaken if another attempt has the lease.
func (s *Service) withContactLease(ctx context.Context, name string) (_ context.Context, release func(), err error) {
	lease, held, err := s.Leases.Acquire(ctx, name, s.IDs.New().String(), s.Clock.Now(), leaseTTL)
	if err != nil {
		return nil, nil, fmt.Errorf("acquire lease: %w", err)
	}
	if !held {
		return nil, nil, errContactLeaseTaken
	}
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(leaseRenew)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			// An error does not lose the lease yet; there is time for another renewal.
			if ok, err := s.Leases.Renew(ctx, lease, s.Clock.Now(), leaseTTL); err == nil && !ok {
				cancel(errContactLeaseTaken)
				return
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
		_ = s.Leases.Release(context.WithoutCancel(ctx), lease) // the lease expires automatically
	}, nil
}
