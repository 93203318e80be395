package service

import (
	"context"
	"time"

	"docledger/adapter/extract/sniff"
	"docledger/infrastructure/clock"
)

// readerCheckInterval is the interval at which the start of a failed reader is retried.
const readerCheckInterval = 10 * time.Second

// keepReader prepares the reader, and retries while it is unavailable, so that readiness reports
// the recovery without a document.
func (s *Service) keepReader(ctx context.Context) {
	var known error
	for {
		err := s.Prewarm(ctx)
		if ctx.Err() != nil || s.pipeline == nil {
			return
		}
		switch {
		case err != nil && known == nil:
			s.log.ErrorContext(ctx, "reader unavailable; docledger doctor names the cause", "error", err)
		case err == nil && known != nil:
			s.log.InfoContext(ctx, "reader available again")
		}
		known = err
		if clock.Pause(ctx, readerCheckInterval) != nil {
			return
		}
	}
}

// Prewarm compiles the PDF reader. This takes some seconds the first time on a machine, and is
// fast afterwards.
func (s *Service) Prewarm(ctx context.Context) error {
	if s.pipeline == nil {
		return nil
	}
	return s.pipeline.Prewarm(ctx)
}

// sniffer detects the media types of uploads.
type sniffer struct{}

// MediaType implements documents.Sniffer.
func (sniffer) MediaType(prefix []byte) string { return sniff.Detect(prefix).MediaType }
