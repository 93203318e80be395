package service

import (
	"context"
	"fmt"
	"time"

	"docledger/adapter/httpapi/edge"
	"docledger/infrastructure/ratelimit"
)

// rates builds what counts requests: in Redis where it is configured, else in
// this process.
func (s *Service) rates() (edge.Rates, error) {
	options := ratelimit.Options{Window: time.Minute, Now: s.clock.Now, Log: s.log}
	if url := s.cfg.RedisURL.Reveal(); url != "" {
		client, err := ratelimit.Connect(url)
		if err != nil {
			return edge.Rates{}, fmt.Errorf("REDIS_URL %w", err)
		}
		s.closers = append(s.closers, client.Close)
		options.Redis = client
	}
	limiter, gate, r := ratelimit.New(options), &ratelimit.Gate{}, s.cfg.Rates
	return edge.Rates{
		PerCredential: r.PerCredential, PerOrganization: r.PerOrganization, PerAddress: r.PerAddress, AtOnce: r.AtOnce,
		Take: func(ctx context.Context, quotas ...edge.Quota) edge.Standing {
			asked := make([]ratelimit.Quota, len(quotas))
			for i, q := range quotas {
				asked[i] = ratelimit.Quota(q)
			}
			return edge.Standing(limiter.Take(ctx, asked...))
		},
		Enter: gate.Enter,
	}, nil
}
