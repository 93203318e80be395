// Package inbox stores webhook events of other systems and processes each once, regardless of
// repetitions and order.
package inbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"docledger/domain/inbox"
	"docledger/domain/job"
	"docledger/domain/page"
	"docledger/usecase"

	"github.com/google/uuid"
)

// maxAttempts and giveUpAfter are the minimum number of attempts and the minimum time before a
// message becomes FAILED. An outage of several hours must not lose a charge or a customer.
const (
	maxAttempts = 10
	giveUpAfter = 24 * time.Hour
)

// Handler processes the events of one sender. It must accept repeated calls for one event.
type Handler interface {
	// Before runs before received events are stored and acknowledged. It must be fast and
	// repeatable.
	Before(ctx context.Context, messages []*inbox.Message) error
	// Handle processes the event, or returns inbox.ErrIgnored.
	Handle(ctx context.Context, m *inbox.Message) error
}

// Service is the inbox of all senders.
type Service struct {
	Inbox      inbox.Repository
	Handlers   map[inbox.Sender]Handler
	Queue      job.Queue
	Holds      job.Pause
	UnitOfWork usecase.UnitOfWork
	Clock      usecase.Clock
	IDs        usecase.IDs
	Log        *slog.Logger

	post batchWriter
}

// Event is the content of a verified webhook.
type Event struct {
	ID         string
	Type       string
	OccurredAt time.Time
	Body       []byte
	// Unreadable is why a signed event cannot be interpreted; "" for one that
	// can. Its ID and Type may be missing.
	Unreadable string
}

// maxName is the maximum stored length of an id or type that the sender chose, in bytes.
const maxName = 255

// name returns the form of an id or type that is stored and logged.
func name(text string) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) > maxName {
		text = strings.ToValidUTF8(text[:maxName], "")
	}
	return text
}

// identified gives an event without id one that depends only on its bytes, so that repetitions are
// detected.
func (e Event) identified() Event {
	if e.ID == "" {
		sum := sha256.Sum256(e.Body)
		e.ID = "sha256:" + hex.EncodeToString(sum[:])
	}
	return e
}

// Receive stores an event with its job in one transaction. After it returns, the sender need not
// repeat the event. An event that already exists is unchanged. An event that cannot be interpreted
// is stored as FAILED without a job, because a repetition would not help.
func (s *Service) Receive(ctx context.Context, sender inbox.Sender, e Event) error {
	e = e.identified()
	m := &inbox.Message{
		ID: s.IDs.New(), Sender: sender, EventID: name(e.ID), Type: name(e.Type), Body: e.Body,
		OccurredAt: e.OccurredAt, ReceivedAt: s.Clock.Now(), State: inbox.Received,
	}
	if e.Unreadable != "" {
		m.State, m.Failure = inbox.Failed, "cannot be interpreted: "+e.Unreadable
	}
	return s.keep(ctx, m)
}

// Process processes one event. An error requests another attempt; job.ErrPaused means that no
// attempt was made.
func (s *Service) Process(ctx context.Context, args job.ProcessEvent) error {
	held, err := job.Paused(ctx, s.Holds)
	if err != nil {
		return err
	}
	if held {
		return job.ErrPaused
	}
	m, err := s.Inbox.Get(ctx, args.MessageID)
	if err != nil {
		return err
	}
	if m.State != inbox.Received {
		return nil
	}
	handler, ok := s.Handlers[m.Sender]
	if !ok {
		return fmt.Errorf("event %s waits: its sender %s is not configured", m.ID, m.Sender)
	}
	handled := handler.Handle(ctx, m)
	state := inbox.Done
	if errors.Is(handled, inbox.ErrIgnored) {
		state, handled = inbox.Ignored, nil
	}
	_, err = s.Inbox.Update(context.WithoutCancel(ctx), m.ID, func(now *inbox.Message) error {
		now.Attempts++
		now.Failure = ""
		if handled == nil {
			now.State, now.DoneAt = state, s.Clock.Now()
			return nil
		}
		now.Failure = handled.Error()
		if now.Attempts >= maxAttempts && s.Clock.Now().Sub(now.ReceivedAt) >= giveUpAfter {
			now.State = inbox.Failed
		}
		return nil
	})
	return errors.Join(handled, err)
}

// sweepAge is the age at which the sweep checks whether an unfinished message still has a job.
const sweepAge = 5 * time.Second

const sweepLimit = 200

// Sweep enqueues a job for every unfinished message without one.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	unfinished, err := s.Inbox.Unfinished(ctx, s.Clock.Now().Add(-sweepAge), sweepLimit)
	if err != nil {
		return 0, err
	}
	helped := 0
	for _, m := range unfinished {
		live, err := s.Queue.Live(ctx, jobOf(m.ID))
		if err != nil {
			return helped, err
		}
		if live {
			continue
		}
		if err := s.Queue.Enqueue(ctx, jobOf(m.ID), job.Automatic); err != nil {
			return helped, err
		}
		helped++
	}
	return helped, nil
}

// List returns messages for the operator, newest first.
func (s *Service) List(ctx context.Context, f inbox.Filter, p page.Request) (page.Of[inbox.Message], error) {
	return s.Inbox.ForOperator(ctx, f, p)
}

// Replay processes a message again, regardless of its state.
func (s *Service) Replay(ctx context.Context, id uuid.UUID) error {
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		_, err := s.Inbox.Update(ctx, id, func(m *inbox.Message) error {
			m.State, m.Attempts, m.Failure, m.DoneAt = inbox.Received, 0, "", time.Time{}
			return nil
		})
		if err != nil {
			return err
		}
		return s.Queue.Enqueue(ctx, jobOf(id), job.Automatic)
	})
}
