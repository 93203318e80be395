package service

import (
	"context"
	"fmt"
	"time"

	"docledger/adapter/queue"
	"docledger/domain/job"
	"docledger/infrastructure/database"
	"docledger/usecase/integrations"
	"docledger/usecase/jobadmin"
)

// handlers returns the use case of each job kind.
func (s *Service) handlers() []queue.Handler {
	return []queue.Handler{
		queue.Handle(job.Extraction, s.Extraction.Run),
		queue.Handle(job.Scan, s.Extraction.RunScan),
		queue.Handle(job.Event, s.Inbox.Process),
		queue.Handle(job.Sync, s.Sync.Run),
		queue.Handle(job.Poll, s.watching.Poll),
		queue.Handle(job.Webhook, s.Webhooks.Run),
		queue.Handle(job.Answer, s.answers.Run),
	}
}

// jobOwners returns how the operator cancels and retries each job kind that can be cancelled.
func (s *Service) jobOwners() []jobadmin.Owner {
	scan := func(do func(context.Context, job.ExtractDocument) error) func(context.Context, job.ReadScan) error {
		return func(ctx context.Context, args job.ReadScan) error { return do(ctx, job.ExtractDocument(args)) }
	}
	return []jobadmin.Owner{
		jobadmin.Own(job.Extraction, s.Extraction.Cancel, s.Extraction.Retry),
		jobadmin.Own(job.Scan, scan(s.Extraction.Cancel), scan(s.Extraction.Retry)),
		jobadmin.Own(job.Event, s.Inbox.Cancel, s.Inbox.Retry),
		jobadmin.Own(job.Sync, s.Sync.Cancel, s.Sync.Retry),
	}
}

// newRunner builds the worker: the use case of each job kind, and the sweep that finds records
// without a live job.
func (s *Service) newRunner() (*queue.Runner, error) {
	cfg := queue.Config{
		SQL: s.db.SQL, Listener: s.db.Listener,
		Handlers: s.handlers(),
		Sweeps: []queue.Task{
			{Name: "backlogs", Run: func(ctx context.Context) error {
				_, err := s.queue.Rebalance(ctx)
				return err
			}},
			s.sweep("documents without a job", s.Extraction.Sweep),
			s.sweep("documents that the plan permits again", s.Extraction.SweepHeld),
			s.sweep("due syncs", s.Sync.Sweep),
			s.sweep("inbox messages without a job", s.Inbox.Sweep),
			s.sweep("jobs paused after a restore", s.wakeHeld),
			{Name: "former duplicates", Run: func(ctx context.Context) error {
				_, err := s.duplicates.Sweep(ctx)
				return err
			}},
			{Name: "keys of duplicates", Run: func(ctx context.Context) error {
				_, err := s.duplicates.Backfill(ctx)
				return err
			}},
		},
		FastTasks: []queue.Task{{Name: "due watches", Run: func(ctx context.Context) error {
			_, err := s.watching.Enqueue(ctx)
			return err
		}}, s.enqueueWebhooks(), s.enqueueAnswers()},
		Periodic: []queue.Periodic{
			s.hourly("expire_idempotency_keys", s.store.Idempotency().Expire),
			s.hourly("expire_sessions", s.store.Sessions().Expire),
			s.hourly("expire_sign_in_attempts", s.store.Attempts().Expire),
			s.hourly("expire_consent_attempts", s.store.ConsentAttempts().RemoveExpired),
			s.hourly("note_expiring_api_keys", s.APIKeys.NoteExpiring),
			s.hourly("expire_webhook_deliveries", s.Webhooks.Expire),
			s.hourly("expire_email_answers", s.answers.Expire),
			s.hourly("expire_provider_meters", s.expireMeters),
			s.hourly("remove_blobs", s.Deletion.RemoveBlobs),
			s.hourly("delete_expired_documents", s.Deletion.Retain),
		},
		Workers: s.cfg.Workers, Scans: s.cfg.OCR.Processes, Observe: s.metrics.job, Trace: s.metrics.traceJob, Logger: s.log,
	}
	// This is not a sweep, because a provider may respond slowly.
	verify := s.sweep("integrations with an available provider", s.verifyUnlessHeld)
	cfg.Periodic = append(cfg.Periodic, queue.Periodic{Name: "verify_integrations", Every: integrations.VerifyEvery, Run: verify.Run})
	imports := s.sweep("ledgers whose contacts were imported", s.importLedgers)
	cfg.Periodic = append(cfg.Periodic,
		queue.Periodic{Name: "import_ledgers", Every: time.Minute, Run: imports.Run},
		queue.Periodic{Name: "make_suppliers", Every: time.Minute, Run: s.Suppliers.Backfill},
		queue.Periodic{Name: "count_sums", Every: time.Minute, Run: s.store.Invoices().CountSums})
	if s.reconciler != nil {
		cfg.Periodic = append(cfg.Periodic, queue.Periodic{Name: "reconcile_payments", Every: time.Hour, Run: s.Reconcile})
	}
	if s.db.Dialect == database.SQLite {
		cfg.Committed = s.db.Commits.Next
		cfg.Exclusive = func(ctx context.Context) (func() error, error) {
			release, err := database.LockFile(ctx, s.db.Path+".worker")
			if err != nil {
				return nil, fmt.Errorf("another process uses this data folder: %w", err)
			}
			return release, nil
		}
	}
	return queue.NewRunner(cfg)
}

func (s *Service) hourly(name string, expire func(context.Context, time.Time) error) queue.Periodic {
	return queue.Periodic{Name: name, Every: time.Hour, Run: func(ctx context.Context) error { return expire(ctx, s.clock.Now()) }}
}

// sweep is the part of the sweep that re-enqueues one kind of records.
func (s *Service) sweep(what string, run func(context.Context) (int, error)) queue.Task {
	return queue.Task{Name: what, Run: func(ctx context.Context) error {
		helped, err := run(ctx)
		if helped > 0 {
			s.log.InfoContext(ctx, "sweep re-enqueued records", "task", what, "count", helped)
		}
		return err
	}}
}
