// Package watching follows the places of document stores that trigger
// integrations watch, and brings every new version of a file in exactly once.
//
// What the store told and where its feed goes on is stored in one transaction,
// and so is a document with its job and the note that its version is taken in.
// A process that ends anywhere between is taken up by the next poll.
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

// Intake makes documents of what a watched place brings.
type Intake interface {
	// StoreBlob streams bytes into the blob store. An error of r is in the chain of
	// its own.
	StoreBlob(ctx context.Context, r io.Reader) (document.StoredBlob, error)
	// Ingest records the document with the job that reads it, within the
	// caller's transaction; fresh is false where the entity has the same bytes.
	Ingest(ctx context.Context, a identity.Actor, in document.IngestInput) (d *document.Document, fresh bool, err error)
}

// Health tells an integration's users that its place can't be reached, and that
// it can again.
type Health interface {
	MarkAccessLost(ctx context.Context, i *integration.Integration) error
	MarkAccessRestored(ctx context.Context, i *integration.Integration) error
}

// Service follows places.
type Service struct {
	Watches  watch.Repository
	Nodes    watch.Nodes
	Sets     watch.NodeSets
	Versions watch.Versions
	// Subscriptions are where stores call, at CallURL and NotificationPath; ""
	// is for an installation that stores can't reach.
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
	// Interval is the pause between two polls of one place. Spread returns a
	// factor near 1 that parts the polls of many places.
	Interval time.Duration
	Spread   func() float64
	// MaxBytes bounds a file, FileTimeout how long it may take.
	MaxBytes    int64
	FileTimeout time.Duration
}

// store is what a connector can do.
type store struct {
	docstore.Changes
	docstore.Reader
	lister docstore.Lister // nil where the feed tells all
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

// DefaultFileTimeout is how long a file may take where nothing else is said:
// with a poll's turn it stays below the time that a job has.
const DefaultFileTimeout = 8 * time.Minute

const (
	// dueLimit bounds how many polls are enqueued at a time.
	dueLimit = 200
	// turn is how long one poll works before another place has its turn.
	turn = 10 * time.Second
	// Those that lost access, and those without an active plan, are looked at
	// less often.
	slower = 5
	// maxPause bounds how long a place that fails is left alone.
	maxPause = 15 * time.Minute
	// soon is the pause before the next poll where something changed during
	// this one. Many notifications at once make no more of them.
	soon = time.Second
)

// Enqueue gives a job to every watch whose time has come. It returns how many
// there were; one that waits or runs is not enqueued again.
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

// Poll reads what has changed in one place and takes new files in. What the
// store is to blame for is told in the watch and tried again when it is due;
// an error is our own, or
// job.ErrHeld.
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

// outcome is how a poll ended.
type outcome struct {
	err     error
	pause   watch.Pause
	more    bool // work is left that only waits for its turn
	waiting int  // files that wait for their time
	reached bool // the store answered
}

// settle writes down how a poll ended and when the next one is due.
func (s *Service) settle(ctx context.Context, d watch.Due, w *watch.Watch, i *integration.Integration, o outcome) error {
	if err := s.tellHealth(ctx, i, o); err != nil {
		return err
	}
	// The end of the job's own context must not keep this from being told.
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

// pause is how long a place is left alone.
func (s *Service) pause(w *watch.Watch, o outcome) time.Duration {
	every := time.Duration(float64(s.Interval) * s.Spread())
	switch {
	case o.pause != "", errors.Is(o.err, docstore.ErrDenied), fault.CodeOf(o.err) == fault.CodeNotFound:
		return every * slower
	case errors.Is(o.err, integration.ErrRateLimited):
		// The store says when to come back, and is right.
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

// foreign says that the store, or its connection, is to blame.
func foreign(err error) bool {
	f, ok := fault.As(err)
	return ok && (f.Kind == fault.Upstream || f.Kind == fault.NotFound || f.Kind == fault.Unavailable || f.Kind == fault.Conflict)
}

// tellHealth marks an integration whose place can't be read, and heals one
// whose place can be read again.
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

// Report tells how far a watch has got; nil where there is none yet.
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
	if r.Waiting, err = s.Nodes.Waiting(ctx, i.ID); err != nil || len(w.Directories) == 0 {
		return r, err
	}
	folders, err := s.Nodes.Folders(ctx, i.ID)
	if err != nil {
		return nil, err
	}
	tree := watch.NewTree(folders, s.Providers.Find(i.Provider).CaseInsensitive)
	for _, d := range w.Directories {
		told := watch.DirectoryReport{Path: d.Path}
		for _, id := range d.Folders {
			path, there := tree.Path(id)
			told.Folders = append(told.Folders, watch.FolderReport{ID: id, Path: path, There: there})
		}
		r.Directories = append(r.Directories, told)
	}
	return r, nil
}

// Wake has an integration's place polled at once.
func (s *Service) Wake(ctx context.Context, i *integration.Integration) error {
	return s.Watches.Wake(ctx, i, s.Clock.Now())
}
