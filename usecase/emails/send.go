package emails

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"docledger/domain/document"
	"docledger/domain/email"
	"docledger/domain/fault"
	"docledger/domain/job"
	"docledger/usecase"

	"github.com/google/uuid"
)

const (
	// dueLimit is the maximum number of answers that get a job at a time.
	dueLimit = 200
	// keepAnswers is how long answers are kept after their end.
	keepAnswers = 7 * 24 * time.Hour
)

// Answering sends the answers to received messages (domain D33). Each is sent at most once.
type Answering struct {
	Answers   email.Answers
	Intakes   email.Intakes
	Documents document.Reader
	Mailer    email.Mailer // nil if the installation sends no e-mail
	Queue     job.Queue
	Holds     job.Pause
	Clock     usecase.Clock
	Log       *slog.Logger
}

// Enqueue enqueues a job for every answer that is due. One whose job is queued or running gets no second job.
func (s *Answering) Enqueue(ctx context.Context) (int, error) {
	if s.Mailer == nil {
		return 0, nil
	}
	if held, err := job.Paused(ctx, s.Holds); err != nil || held {
		return 0, err
	}
	due, err := s.Answers.Due(ctx, s.Clock.Now(), dueLimit)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	jobs := make([]job.Args, len(due))
	for n, a := range due {
		jobs[n] = job.AnswerEmail{V: job.AnswerVersion, OrganizationID: a.OrganizationID, DocumentID: a.DocumentID}
	}
	return len(due), s.Queue.EnqueueAll(ctx, jobs, job.Automatic)
}

// Expire removes answers that ended long ago, and those that were not sent within their lifetime: an installation that
// no longer sends e-mail has them.
func (s *Answering) Expire(ctx context.Context, now time.Time) error {
	return s.Answers.Expire(ctx, now.Add(-keepAnswers), now.Add(-email.AnswerLifetime))
}

// errEnded reports that an answer is not due any more, or that another process makes the attempt.
var errEnded = errors.New("the answer has ended")

// Run makes one attempt to send an answer. The answer waits for the documents of its message. The result of the
// attempt is stored, so that it is no error of the job.
func (s *Answering) Run(ctx context.Context, args job.AnswerEmail) error {
	held, err := job.Paused(ctx, s.Holds)
	if err != nil {
		return err
	}
	if held {
		return job.ErrPaused
	}
	if s.Mailer == nil {
		return nil
	}
	err = s.run(ctx, args)
	if errors.Is(err, errEnded) || fault.CodeOf(err) == fault.CodeNotFound { // deleted meanwhile
		return nil
	}
	return err
}

func (s *Answering) run(ctx context.Context, args job.AnswerEmail) error {
	a, err := s.Answers.Get(ctx, args.OrganizationID, args.DocumentID)
	if err != nil {
		return err
	}
	text, why, err := s.prepare(ctx, a)
	if err != nil {
		return err
	}
	started, err := s.change(ctx, a, func(a *email.Answer, now time.Time) error {
		switch {
		case a.State != email.AnswerPending || a.NextAttemptAt.After(now):
			return errEnded
		case why != "":
			a.Fail(why, now)
		case text == "":
			a.Wait(now)
		case a.Exhausted(): // the process ended during the last attempt
			a.Fail("no attempt is left", now)
		default:
			a.Start(now)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if started.State != email.AnswerPending {
		s.Log.InfoContext(ctx, "answer to an e-mail not sent", "document_id", started.DocumentID, "reason", started.Failure)
		return nil
	}
	if text == "" {
		return nil
	}
	sent := s.Mailer.Send(ctx, outgoing(started, text, s.Clock.Now()), func() error {
		_, err := s.change(ctx, started, func(a *email.Answer, now time.Time) error {
			if a.State != email.AnswerPending || a.Attempts != started.Attempts {
				return errEnded
			}
			a.HandOver(now)
			return nil
		})
		return err
	})
	return s.record(context.WithoutCancel(ctx), started, sent)
}

// prepare returns the text of an answer; "" if it has to wait for documents. why is the reason for which it is not sent.
func (s *Answering) prepare(ctx context.Context, a *email.Answer) (text, why string, err error) {
	if s.Clock.Now().Sub(a.CreatedAt) > email.AnswerLifetime {
		return "", "the message is too old", nil
	}
	rules, err := s.Intakes.Get(ctx, systemScope(a), a.EntityID)
	if err != nil {
		return "", "", err
	}
	if rules == nil || !rules.AnswerSenders {
		return "", "the entity does not answer senders any more", nil
	}
	o, err := s.outcomeOf(ctx, a)
	if err != nil {
		return "", "", err
	}
	if o.waiting() && s.Clock.Now().Sub(a.CreatedAt) < email.AnswerWait {
		return "", "", nil
	}
	return o.text(a.Subject, a.CreatedAt), "", nil
}

// record stores the result of an attempt. An answer that the server may have is not sent again.
func (s *Answering) record(ctx context.Context, started *email.Answer, sent error) error {
	var failure *email.SendError
	if sent != nil && !errors.As(sent, &failure) {
		return sent // the answer could not be handed over; it is due again
	}
	ended, err := s.change(ctx, started, func(a *email.Answer, now time.Time) error {
		switch {
		case a.Attempts != started.Attempts:
			return errEnded
		case failure == nil:
			a.Confirm(now)
		case failure.Outcome == email.NotSent:
			a.Retry(failure.Reason, now)
		case failure.Outcome == email.Unconfirmed:
			a.Fail("not confirmed, and not sent again: "+failure.Reason, now)
		default:
			a.Fail(failure.Reason, now)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store the result of an answer: %w", err)
	}
	log := s.Log.With("document_id", ended.DocumentID, "attempt", ended.Attempts)
	switch ended.State {
	case email.AnswerSent:
		log.InfoContext(ctx, "answer to an e-mail sent")
	case email.AnswerPending:
		log.WarnContext(ctx, "answer to an e-mail not sent, it is tried again", "at", ended.NextAttemptAt, "reason", ended.Failure)
	default:
		log.ErrorContext(ctx, "answer to an e-mail not sent", "reason", ended.Failure)
	}
	return nil
}

func (s *Answering) change(ctx context.Context, a *email.Answer, do func(*email.Answer, time.Time) error) (*email.Answer, error) {
	return s.Answers.Update(ctx, a.OrganizationID, a.DocumentID, func(a *email.Answer) error { return do(a, s.Clock.Now()) })
}

// outgoing returns the e-mail of an answer. Its Message-ID is the same in every attempt.
func outgoing(a *email.Answer, text string, now time.Time) email.Outgoing {
	id := uuid.NewSHA1(a.DocumentID, []byte("answer"))
	return email.Outgoing{ID: id.String(), To: a.To, Subject: replyTo(a.Subject), InReplyTo: a.MessageID, Text: text, Date: now}
}
