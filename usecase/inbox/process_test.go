package inbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	domain "docledger/domain/inbox"
	"docledger/domain/job"
	"docledger/usecase/inbox"

	"github.com/google/uuid"
)

// tray holds one message; its handler fails as long as broken says, and its
// clock is the test's.
type tray struct {
	domain.Repository
	message domain.Message
	broken  bool
	now     time.Time
}

func (t *tray) Now() time.Time { return t.now }

func (t *tray) Get(context.Context, uuid.UUID) (*domain.Message, error) {
	m := t.message
	return &m, nil
}

func (t *tray) Update(_ context.Context, _ uuid.UUID, change func(*domain.Message) error) (*domain.Message, error) {
	return &t.message, change(&t.message)
}

func (t *tray) Before(context.Context, []*domain.Message) error { return nil }

func (t *tray) Handle(context.Context, *domain.Message) error {
	if t.broken {
		return errors.New("the third party is away")
	}
	return nil
}

// TestAnOutageOfHoursLosesNoEvent fails an event far more often than ten times:
// it waits for the third party, and is given up after a day.
func TestAnOutageOfHoursLosesNoEvent(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 10, 8, 0, 0, 0, time.UTC)
	box := &tray{
		message: domain.Message{ID: uuid.New(), Sender: domain.Payments, State: domain.Received, ReceivedAt: began},
		broken:  true, now: began,
	}
	s := &inbox.Service{Inbox: box, Handlers: map[domain.Sender]inbox.Handler{domain.Payments: box}, Clock: box}
	process := func() error {
		return s.Process(t.Context(), job.ProcessEvent{V: job.EventVersion, MessageID: box.message.ID})
	}
	for box.now.Before(began.Add(23 * time.Hour)) {
		if err := process(); err == nil || box.message.State != domain.Received || box.message.Failure == "" {
			t.Fatalf("after %d tries: %v, %+v", box.message.Attempts, err, box.message)
		}
		box.now = box.now.Add(time.Hour)
	}
	recovered := *box
	box.now = began.Add(25 * time.Hour)
	if err := process(); err == nil || box.message.State != domain.Failed {
		t.Errorf("after a day: %v, %+v", err, box.message)
	}
	*box = recovered
	box.broken = false
	if err := process(); err != nil || box.message.State != domain.Done {
		t.Errorf("once it answers again: %v, %+v", err, box.message)
	}
}
