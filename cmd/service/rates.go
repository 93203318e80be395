package service

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"docledger/adapter/httpapi/edge"
	"docledger/adapter/toolserver"
	"docledger/infrastructure/config"
	"docledger/infrastructure/ratelimit"
	"docledger/usecase"
)

// newLimiter builds the rate limiter: in Redis if it is configured, otherwise in this process.
func newLimiter(cfg config.Config, now usecase.Clock, log *slog.Logger) (l *ratelimit.Limiter, closer func() error, err error) {
	options, closer := ratelimit.Options{Window: time.Minute, Now: now.Now, Log: log}, func() error { return nil }
	if url := cfg.RedisURL.Reveal(); url != "" {
		client, err := ratelimit.Connect(url)
		if err != nil {
			return nil, nil, fmt.Errorf("REDIS_URL %w", err)
		}
		options.Redis, closer = client, client.Close
	}
	return ratelimit.New(options), closer, nil
}

// apiRates are the rate limits of the API.
func apiRates(cfg config.Config, limiter *ratelimit.Limiter) edge.Rates {
	gate, r := &ratelimit.ConcurrencyLimiter{}, cfg.Rates
	return edge.Rates{
		PerCredential: r.PerCredential, PerOrganization: r.PerOrganization, PerAddress: r.PerAddress, AtOnce: r.AtOnce,
		Take: func(ctx context.Context, quotas ...edge.Quota) edge.Result {
			asked := make([]ratelimit.Quota, len(quotas))
			for i, q := range quotas {
				asked[i] = ratelimit.Quota(q)
			}
			return edge.Result(limiter.Take(ctx, asked...))
		},
		Enter: gate.Enter,
	}
}

// toolRates are the rate limits of the tool server. An address has one count for both.
func toolRates(cfg config.Config, limiter *ratelimit.Limiter) toolserver.Rates {
	by := func(key func(string) string, limit int) func(context.Context, string) toolserver.Result {
		return func(ctx context.Context, who string) toolserver.Result {
			return toolserver.Result(limiter.Take(ctx, ratelimit.Quota{Key: key(who), Limit: limit}))
		}
	}
	return toolserver.Rates{
		Address: by(edge.AddressKey, cfg.Rates.PerAddress),
		Caller:  by(func(subject string) string { return "tools:" + subject }, cfg.Rates.PerCredential),
	}
}
