package inbox

import (
	"context"
	"errors"

	"docledger/domain/fault"
	"docledger/domain/inbox"
	"docledger/domain/job"
)

// errAsItIs rolls back where nothing is to be changed.
var errAsItIs = errors.New("the event stays as it is")

// Cancel gives an event up whose job the operator has cancelled, within the
// caller's transaction; Replay carries it out after all. One that is done stays
// so.
func (s *Service) Cancel(ctx context.Context, args job.ProcessEvent) error {
	_, err := s.Inbox.Update(ctx, args.MessageID, func(m *inbox.Message) error {
		if m.State != inbox.Received {
			return errAsItIs
		}
		m.State, m.Failure = inbox.Failed, "cancelled by the operator"
		return nil
	})
	if errors.Is(err, errAsItIs) || fault.CodeOf(err) == fault.CodeNotFound {
		return nil
	}
	return err
}

// Retry carries an event out whose job has ended without it, within the
// caller's transaction.
func (s *Service) Retry(ctx context.Context, args job.ProcessEvent) error {
	m, err := s.Inbox.Get(ctx, args.MessageID)
	if err != nil {
		return err
	}
	if m.State == inbox.Done || m.State == inbox.Ignored {
		return fault.New(fault.Conflict, fault.CodeConflict, "The event is %s; docledger events replay repeats it.", m.State)
	}
	return s.Replay(ctx, m.ID)
}
