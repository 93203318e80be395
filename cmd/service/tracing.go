package service

import (
	"context"
	"strconv"
	"time"

	"docledger/infrastructure/config"
	"docledger/infrastructure/telemetry"
)

// traceFlush is the maximum time for sending spans at the end.
const traceFlush = 5 * time.Second

// openTracing opens the exporter of traces if a collector is configured.
func openTracing(cfg config.Config, version string) (t *telemetry.Tracing, flush func() error, err error) {
	if cfg.TraceEndpoint == "" {
		return nil, func() error { return nil }, nil
	}
	t, err = telemetry.NewTracing(context.Background(), "docledger", version, cfg.TraceEndpoint)
	return t, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), traceFlush)
		defer cancel()
		return t.Close(ctx)
	}, err
}

// traceJob starts the span of a job.
func (m *metrics) traceJob(ctx context.Context, carried, kind string, id int64, attempt int) (context.Context, func(error)) {
	ctx, end := m.tracing.Resume(ctx, carried, "job "+kind, "job.id", strconv.FormatInt(id, 10), "job.attempt", strconv.Itoa(attempt))
	return ctx, func(err error) { end(err) }
}
