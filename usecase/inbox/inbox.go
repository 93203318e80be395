// Package inbox takes in what other systems tell us by webhook and carries it
// out, once, however often and in whatever order it is told.
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

// An event is tried at least maxAttempts times and at least for as long as
// giveUpAfter before an operator must look: an outage of a third party that
// lasts for hours must leave no charge and no customer undone.
const (
	maxAttempts = 10
	giveUpAfter = 24 * time.Hour
)

// Handler carries out the effect of one sender's events. It may be called
// again for the same event.
type Handler interface {
	// Before runs when events have arrived, before they are kept and answered;
	// it must be quick and may be repeated.
	Before(ctx context.Context, messages []*inbox.Message) error
	// Handle carries out the effect, or returns inbox.ErrIgnored.
	Handle(ctx context.Context, m *inbox.Message) error
}

// Service is the inbox of every sender.
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

// Event is what a verified webhook says.
type Event struct {
	ID         string
	Type       string
	OccurredAt time.Time
	Body       []byte
	// Unreadable is why a signed event cannot be interpreted; "" for one that
	// can. Its ID and Type may be missing.
	Unreadable string
}

// maxName bounds what is stored of an id or a type that the sender chose.
const maxName = 255

// name returns the text that is stored and logged for an id or a type.
func name(text string) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) > maxName {
		text = strings.ToValidUTF8(text[:maxName], "")
	}
	return text
}

// identified gives an event that names no id one that depends on its bytes
// alone, so that each repetition of it is recognized.
func (e Event) identified() Event {
	if e.ID == "" {
		sum := sha256.Sum256(e.Body)
		e.ID = "sha256:" + hex.EncodeToString(sum[:])
	}
	return e
}

// Receive keeps an event with the job that carries it out, in one transaction.
// Once it has returned, the sender may forget the event. One that is here
// already changes nothing. An event that cannot be interpreted is stored as
// FAILED without a job, for the operator: a repetition would not improve it.
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

// Process carries out one event; an error says that it is to be tried again,
// job.ErrHeld that it was not tried.
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

// sweepAge is how old an unfinished event must be before the sweep looks
// whether its job is still there.
const sweepAge = 5 * time.Second

const sweepLimit = 200

// Sweep gives a job to every event that is not finished and has none.
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

// List shows the operator what came in, newest first.
func (s *Service) List(ctx context.Context, f inbox.Filter, p page.Request) (page.Of[inbox.Message], error) {
	return s.Inbox.ForOperator(ctx, f, p)
}

// Replay has an event carried out again, whatever became of it.
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
