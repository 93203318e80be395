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
	// postWriters is the number of concurrent transactions that store messages.
	postWriters = 3
	// postCount and postBytes limit what one transaction stores.
	postCount = 64
	postBytes = 4 << 20
	// postTimeout limits one transaction. It does not depend on a sender's connection, because the
	// transaction stores messages of other senders too.
	postTimeout = 20 * time.Second
)

// batchWriter combines messages that arrive during running transactions into the next one, so that
// a burst costs a few commits. A single message is written immediately.
type batchWriter struct {
	mu      sync.Mutex
	waiting []*pendingMessage
	writing int
}

// pendingMessage is a message that is not stored yet. It receives exactly one of turn and done.
type pendingMessage struct {
	message *inbox.Message
	turn    chan []*pendingMessage // the batch that its caller must write, itself first
	done    chan error             // the result, if another caller wrote it
}

// errAbandoned is returned if the caller that should have stored the message did not do it.
var errAbandoned = errors.New("the event was not stored")

// keep stores a message with its job, in one transaction.
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
			ended = nil // being written by another caller, or assigned to this one
		}
	}
}

func (p *batchWriter) enter(a *pendingMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = append(p.waiting, a)
	p.assign()
}

// leave removes the message from the queue and reports whether it was still queued.
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

// assign gives the queued messages to one of their callers while writers are free.
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

// write stores a batch and returns the result of its first message. It sends the results of the
// others to their callers.
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
		// One message may have caused the failure, so each is stored separately.
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

// add stores messages with their jobs in one transaction, after Handler.Before. Messages that
// already exist are unchanged.
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
			return fmt.Errorf("prepare events: %w", err)
		}
	}
	var unreadable []*inbox.Message
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		added, err := s.Inbox.Add(ctx, messages)
		if err != nil {
			return fmt.Errorf("store events: %w", err)
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
