// Package watching tracks the locations that trigger integrations watch, and ingests every new
// version of a file exactly once.
//
// Reported changes and the next cursor are stored in one transaction. A document, its job and the
// ingested version are stored in one transaction as well. If a process dies at any point, the next
// poll continues its work.
package watching

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"docledger/domain/billing"
	"docledger/domain/docstore"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/job"
	"docledger/domain/watch"
	"docledger/usecase"
)

// Intake creates documents from watched files.
type Intake interface {
	// StoreBlob streams bytes into the blob store. An error of r is in the chain of the returned
	// error.
	StoreBlob(ctx context.Context, r io.Reader) (document.StoredBlob, error)
	// Ingest creates the document and its extraction job, within the caller's transaction. fresh is
	// false if the entity already has the same bytes.
	Ingest(ctx context.Context, a identity.Actor, in document.IngestInput) (d *document.Document, fresh bool, err error)
}

// Health reports to an integration's users that its location is unreachable, and that it is
// reachable again.
type Health interface {
	MarkAccessLost(ctx context.Context, i *integration.Integration) error
	MarkAccessRestored(ctx context.Context, i *integration.Integration) error
}

// Service polls watches.
type Service struct {
	Watches  watch.Repository
	Nodes    watch.Nodes
	Sets     watch.NodeSets
	Versions watch.Versions
	// Subscriptions stores subscriptions for change notifications. Their URL is CallURL plus
	// NotificationPath; CallURL is "" if document stores cannot reach the installation.
	Subscriptions watch.Subscriptions
	CallURL       string
	Integrations  integration.Reader
	Entities      entity.Reader
	Accesses      integration.Accesses
	Connectors    func(integration.Provider) any
	Providers     integration.Catalog
	Health        Health
	Intake        Intake
	Plans         billing.Plans
	Usage         billing.Usage
	Queue         job.Queue
	Holds         job.Pause
	UnitOfWork    usecase.UnitOfWork
	Clock         usecase.Clock
	Log           *slog.Logger
	// Interval is the delay between two polls of one location. Spread returns a factor near 1 that
	// distributes the polls of many locations.
	Interval time.Duration
	Spread   func() float64
	// MaxBytes limits the size of a file, FileTimeout the time of its download.
	MaxBytes    int64
	FileTimeout time.Duration
}

// store contains the capabilities of a connector.
type store struct {
	docstore.Changes
	docstore.Reader
	lister docstore.Lister // nil if the feed reports everything
}

func (s *Service) connect(p integration.Provider) (store, error) {
	c := s.Connectors(p)
	changes, ok := c.(docstore.Changes)
	reader, reads := c.(docstore.Reader)
	if !ok || !reads {
		return store{}, fault.New(fault.Upstream, fault.CodeProviderUnavailable, "%s is not configured in this installation.", p)
	}
	lister, _ := c.(docstore.Lister)
	return store{Changes: changes, Reader: reader, lister: lister}, nil
}

// DefaultFileTimeout is the default limit for one download. Together with the time of a poll it is
// below the job's timeout.
const DefaultFileTimeout = 8 * time.Minute

const (
	// dueLimit is the maximum number of polls that are enqueued at a time.
	dueLimit = 200
	// turn is how long one poll works before it yields to other watches.
	turn = 10 * time.Second
	// Watches that lost access or have no active plan are polled less often, by this factor.
	slower = 5
	// maxPause is the maximum delay after failures.
	maxPause = 15 * time.Minute
	// soon is the delay before the next poll if something changed during this one. It also combines
	// many notifications into one poll.
	soon = time.Second
)

// Enqueue enqueues a job for every due watch and returns their number. A watch whose job is queued
// or running gets no second job.
func (s *Service) Enqueue(ctx context.Context) (int, error) {
	if held, err := job.Paused(ctx, s.Holds); err != nil || held {
		return 0, err
	}
	due, err := s.Watches.DueForPolling(ctx, s.Clock.Now(), dueLimit)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	jobs := make([]job.Args, len(due))
	for n, d := range due {
		jobs[n] = job.PollStore{V: job.PollVersion, OrganizationID: d.OrganizationID, IntegrationID: d.IntegrationID}
	}
	return len(due), s.Queue.EnqueueAll(ctx, jobs, job.Watched)
}

// Poll reads the changes of one location and ingests new files. Failures of the document store are
// stored in the watch and retried; a returned error is docledger's own, or job.ErrPaused.
func (s *Service) Poll(ctx context.Context, args job.PollStore) error {
	held, err := job.Paused(ctx, s.Holds)
	if err != nil {
		return err
	}
	if held {
		return job.ErrPaused
	}
	d := watch.Due{OrganizationID: args.OrganizationID, IntegrationID: args.IntegrationID}
	w, err := s.Watches.Claim(ctx, d)
	if err != nil || w == nil {
		return err
	}
	actor := identity.System(d.OrganizationID)
	i, err := s.Integrations.Get(ctx, actor.Scope(), d.IntegrationID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if i.Trigger == nil || i.Status != integration.Active && i.Reason != integration.AccessLost {
		return nil
	}
	st, err := s.connect(i.Provider)
	if err != nil {
		return s.settle(ctx, d, w, i, outcome{err: err})
	}
	p := &poll{Service: s, due: d, w: w, i: i, actor: actor, st: st, until: s.Clock.Now().Add(turn)}
	o, err := p.run(ctx)
	if err == nil && o.reached {
		err = p.subscribe(ctx)
	}
	if errors.Is(err, watch.ErrSuperseded) {
		return nil
	}
	if err != nil && ctx.Err() != nil {
		return err
	}
	o.err = err
	return s.settle(ctx, d, p.w, i, o)
}

// outcome is the result of a poll.
type outcome struct {
	err     error
	pause   watch.Pause
	more    bool // work is left for the next poll
	waiting int  // files that wait for their next attempt
	reached bool // the document store responded
}

// settle stores the result of a poll and schedules the next one.
func (s *Service) settle(ctx context.Context, d watch.Due, w *watch.Watch, i *integration.Integration, o outcome) error {
	if err := s.tellHealth(ctx, i, o); err != nil {
		return err
	}
	// The result must be stored even if the job's context has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), turn)
	defer cancel()
	now := s.Clock.Now()
	_, err := s.Watches.Update(ctx, d, w.Run, func(w *watch.Watch) error {
		w.Pause = o.pause
		if o.reached {
			w.LastPollAt = now
		}
		if o.err == nil {
			w.Failures = 0
		} else {
			w.Failures++
		}
		if o.err == nil && !o.more && o.waiting == 0 && o.pause == "" && w.CaughtUp && !w.Enumerating {
			w.UpToDateAt = now
		}
		pause := s.pause(w, o)
		if w.Woken && o.err == nil {
			pause = min(pause, soon)
		}
		w.NextPollAt = now.Add(pause)
		return nil
	})
	if errors.Is(err, watch.ErrSuperseded) {
		return nil
	}
	if err == nil && o.err != nil && !foreign(o.err) {
		return o.err
	}
	return err
}

// pause returns the delay before the next poll.
func (s *Service) pause(w *watch.Watch, o outcome) time.Duration {
	every := time.Duration(float64(s.Interval) * s.Spread())
	switch {
	case o.pause != "", errors.Is(o.err, docstore.ErrDenied), fault.CodeOf(o.err) == fault.CodeNotFound:
		return every * slower
	case errors.Is(o.err, integration.ErrRateLimited):
		// The document store's own delay takes precedence.
		if f, ok := fault.As(o.err); ok {
			return max(every, f.RetryAfter)
		}
		return every
	case o.err != nil:
		wait := min(every<<min(w.Failures-1, 6), max(maxPause, every))
		if f, ok := fault.As(o.err); ok {
			wait = max(wait, f.RetryAfter)
		}
		return wait
	case o.more:
		return 0
	}
	return every
}

// foreign reports whether the cause of an error is the document store or its connection.
func foreign(err error) bool {
	f, ok := fault.As(err)
	return ok && (f.Kind == fault.Upstream || f.Kind == fault.NotFound || f.Kind == fault.Unavailable || f.Kind == fault.Conflict)
}

// tellHealth marks an integration whose location cannot be read, and reactivates one whose location
// can be read again.
func (s *Service) tellHealth(ctx context.Context, i *integration.Integration, o outcome) error {
	lost := errors.Is(o.err, docstore.ErrDenied) || fault.CodeOf(o.err) == fault.CodeNotFound
	switch {
	case lost && i.Status == integration.Active:
		return s.Health.MarkAccessLost(ctx, i)
	case o.err == nil && o.reached && i.Status == integration.Failed:
		return s.Health.MarkAccessRestored(ctx, i)
	}
	return nil
}

// Report returns the state of a watch; nil if there is none yet.
func (s *Service) Report(ctx context.Context, a identity.Actor, i *integration.Integration) (*watch.Report, error) {
	w, err := s.Watches.Get(ctx, a.Scope(), i.ID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &watch.Report{Watch: *w}
	held, err := job.Paused(ctx, s.Holds)
	if err != nil {
		return nil, err
	}
	if held {
		r.Pause = watch.PausedHeld
	}
	if r.Skipped, err = s.Nodes.CountSkipped(ctx, i.ID); err != nil {
		return nil, err
	}
	if r.Waiting, err = s.Nodes.Waiting(ctx, i.ID); err != nil || len(w.Directories) == 0 {
		return r, err
	}
	folders, err := s.Nodes.Folders(ctx, i.ID)
	if err != nil {
		return nil, err
	}
	tree := watch.NewTree(folders, s.Providers.Find(i.Provider).CaseInsensitive)
	for _, d := range w.Directories {
		report := watch.DirectoryReport{Path: d.Path}
		for _, id := range d.Folders {
			path, there := tree.Path(id)
			report.Folders = append(report.Folders, watch.FolderReport{ID: id, Path: path, There: there})
		}
		r.Directories = append(r.Directories, report)
	}
	return r, nil
}

// Wake requests an immediate poll of an integration's location.
func (s *Service) Wake(ctx context.Context, i *integration.Integration) error {
	return s.Watches.Wake(ctx, i, s.Clock.Now())
}
