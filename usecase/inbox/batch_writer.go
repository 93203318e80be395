package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"docledger/domain/inbox"
	"docledger/domain/job"

	"github.com/google/uuid"
)

const (
	// postWriters is how many transactions keep events at the same time.
	postWriters = 3
	// postCount and postBytes bound what one transaction keeps.
	postCount = 64
	postBytes = 4 << 20
	// postTimeout bounds one transaction: a sender that hangs up must not take
	// the others' events with it.
	postTimeout = 20 * time.Second
)

// batchWriter lets events that come while transactions are under way share the next
// one: a burst then costs a few commits instead of one for each event. An event
// that comes alone is written at once.
type batchWriter struct {
	mu      sync.Mutex
	waiting []*pendingMessage
	writing int
}

// pendingMessage is an event on its way into the inbox. It gets one of the two.
type pendingMessage struct {
	message *inbox.Message
	turn    chan []*pendingMessage // what its caller is to write, itself first
	done    chan error             // what became of it, where another caller wrote it
}

// errAbandoned answers those whose event another caller was to keep, and who
// did not come to it.
var errAbandoned = errors.New("the event was not kept")

// keep stores an event with the job that carries it out, in one transaction.
func (s *Service) keep(ctx context.Context, m *inbox.Message) error {
	a := &pendingMessage{message: m, turn: make(chan []*pendingMessage, 1), done: make(chan error, 1)}
	s.post.enter(a)
	ended := ctx.Done()
	for {
		select {
		case batch := <-a.turn:
			return s.write(ctx, batch)
		case err := <-a.done:
			return err
		case <-ended:
			if s.post.leave(a) {
				return ctx.Err()
			}
			ended = nil // it is being written, or ours to write
		}
	}
}

func (p *batchWriter) enter(a *pendingMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = append(p.waiting, a)
	p.assign()
}

// leave says whether the arrival was still waiting; it no longer is.
func (p *batchWriter) leave(a *pendingMessage) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiting, a)
	if i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	}
	return i >= 0
}

func (p *batchWriter) wrote() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writing--
	p.assign()
}

// assign gives what waits to one of those who wait, while writers are free.
func (p *batchWriter) assign() {
	for p.writing < postWriters && len(p.waiting) > 0 {
		n, size := 0, 0
		for n < min(len(p.waiting), postCount) && (n == 0 || size+len(p.waiting[n].message.Body) <= postBytes) {
			size += len(p.waiting[n].message.Body)
			n++
		}
		batch := slices.Clone(p.waiting[:n])
		p.waiting = slices.Delete(p.waiting, 0, n)
		p.writing++
		batch[0].turn <- batch
	}
}

// write keeps a batch and returns what became of its first event; the others
// are told.
func (s *Service) write(ctx context.Context, batch []*pendingMessage) error {
	results := make([]error, len(batch))
	for i := range results {
		results[i] = errAbandoned
	}
	defer func() {
		for i, a := range batch[1:] {
			a.done <- results[i+1]
		}
		s.post.wrote()
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postTimeout)
	defer cancel()
	err := s.add(ctx, batch...)
	if err != nil && len(batch) > 1 {
		// One of them may be the reason, which is no reason for the others.
		for i, a := range batch {
			results[i] = s.add(ctx, a)
		}
		return results[0]
	}
	for i := range results {
		results[i] = err
	}
	return err
}

// add stores events with their jobs in one transaction, after what must come
// before their answers; those that are there already change nothing.
func (s *Service) add(ctx context.Context, batch ...*pendingMessage) error {
	messages := make([]*inbox.Message, len(batch))
	of := map[inbox.Sender][]*inbox.Message{}
	for i, a := range batch {
		messages[i] = a.message
		if a.message.State == inbox.Received {
			of[a.message.Sender] = append(of[a.message.Sender], a.message)
		}
	}
	for sender, theirs := range of {
		if err := s.Handlers[sender].Before(ctx, theirs); err != nil {
			return fmt.Errorf("prepare for the events: %w", err)
		}
	}
	var unreadable []*inbox.Message
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		added, err := s.Inbox.Add(ctx, messages)
		if err != nil {
			return fmt.Errorf("keep the events: %w", err)
		}
		var jobs []job.Args
		unreadable = nil
		for _, m := range messages {
			switch {
			case !slices.Contains(added, m.ID):
			case m.State == inbox.Received:
				jobs = append(jobs, jobOf(m.ID))
			default:
				unreadable = append(unreadable, m)
			}
		}
		return s.Queue.EnqueueAll(ctx, jobs, job.Automatic)
	})
	if err != nil {
		return err
	}
	// Only events that were not stored before: a sender may repeat one.
	for _, m := range unreadable {
		s.Log.ErrorContext(ctx, "signed event cannot be interpreted", "sender", m.Sender, "event", m.EventID, "type", m.Type,
			"reason", m.Failure, "message", m.ID)
	}
	return nil
}

func jobOf(id uuid.UUID) job.ProcessEvent {
	return job.ProcessEvent{V: job.EventVersion, MessageID: id}
}
