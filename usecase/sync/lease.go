package sync

import (
	"context"
	"fmt"
	"time"
)

const (
	// leaseTTL is also how long others wait once the holder's process was killed.
	leaseTTL   = 6 * time.Second
	leaseRenew = leaseTTL / 3
)

// withContactLease takes a lease and renews it until release is called, however slow the
// ledger is. The context that it returns ends where the lease is lost. It is
// errElsewhere where another attempt holds it.
func (s *Service) withContactLease(ctx context.Context, name string) (_ context.Context, release func(), err error) {
	lease, held, err := s.Leases.Acquire(ctx, name, s.IDs.New().String(), s.Clock.Now(), leaseTTL)
	if err != nil {
		return nil, nil, fmt.Errorf("take lease: %w", err)
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
			// An error is no loss yet: there is time for another try.
			if ok, err := s.Leases.Renew(ctx, lease, s.Clock.Now(), leaseTTL); err == nil && !ok {
				cancel(errContactLeaseTaken)
				return
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
		_ = s.Leases.Release(context.WithoutCancel(ctx), lease) // it ends by itself
	}, nil
}
