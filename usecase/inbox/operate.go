package inbox

import (
	"context"
	"errors"

	"docledger/domain/fault"
	"docledger/domain/inbox"
	"docledger/domain/job"
)

// errAsItIs rolls back if there is nothing to change.
var errAsItIs = errors.New("nothing to change")

// Cancel sets a message to FAILED whose job the operator has cancelled, within the caller's
// transaction. Replay processes it again. A processed message is unchanged.
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

// Retry processes a message again whose job ended without a result, within the caller's
// transaction.
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
