package email

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// AnswerState is the state of an answer.
type AnswerState string

// The states.
const (
	// AnswerPending means that the answer waits for its documents or for an attempt.
	AnswerPending AnswerState = "PENDING"
	// AnswerHandedOver means that the server has the whole answer and did not confirm it yet. Such an answer is not
	// sent again, because the server may have accepted it.
	AnswerHandedOver AnswerState = "HANDED_OVER"
	AnswerSent       AnswerState = "SENT"
	AnswerFailed     AnswerState = "FAILED" // it is not sent
)

const (
	// AnswersPerHour is the maximum number of answers to one address within an hour.
	AnswersPerHour = 10
	// AnswersPerDomain is the maximum number of answers of an entity to the addresses of one domain within a day.
	AnswersPerDomain = 100
	// AnswerWait is the maximum time for which an answer waits for documents that are not extracted yet.
	AnswerWait = time.Hour
	// AnswerLifetime is the age of a message at which it is not answered any more.
	AnswerLifetime = 72 * time.Hour
)

// answerDelays are the times between the attempts.
var answerDelays = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

// Answer is the one answer to a received message. It is identified by the document of the message.
type Answer struct {
	DocumentID     uuid.UUID
	EntityID       uuid.UUID // the entity that received the message
	OrganizationID uuid.UUID
	To             string // the authenticated address of the sender
	Subject        string // of the message
	MessageID      string // of the message, with its brackets
	State          AnswerState
	Attempts       int
	NextAttemptAt  time.Time // zero unless the state is AnswerPending
	Failure        string    // why the last attempt failed; it has no address
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Wait makes the answer due again, because documents of the message are not extracted yet. The time grows with the
// age of the answer.
func (a *Answer) Wait(now time.Time) {
	a.NextAttemptAt = now.Add(min(max(now.Sub(a.CreatedAt)/4, time.Second), time.Minute))
	a.UpdatedAt = now
}

// Start counts an attempt before it is made. The answer stays due, so that it is sent after the end of a process.
func (a *Answer) Start(now time.Time) { a.Attempts, a.UpdatedAt = a.Attempts+1, now }

// Exhausted reports whether no attempt is left.
func (a *Answer) Exhausted() bool { return a.Attempts > len(answerDelays) }

// HandOver records that the server gets the end of the answer next.
func (a *Answer) HandOver(now time.Time) {
	a.State, a.NextAttemptAt, a.UpdatedAt = AnswerHandedOver, time.Time{}, now
}

// Confirm records that the server accepted the answer.
func (a *Answer) Confirm(now time.Time) {
	a.State, a.NextAttemptAt, a.Failure, a.UpdatedAt = AnswerSent, time.Time{}, "", now
}

// Fail ends the attempts.
func (a *Answer) Fail(reason string, now time.Time) {
	a.State, a.NextAttemptAt, a.Failure, a.UpdatedAt = AnswerFailed, time.Time{}, reason, now
}

// Retry records an attempt after which the server does not have the answer. It is made again, unless no attempt is left.
func (a *Answer) Retry(reason string, now time.Time) {
	if a.Exhausted() {
		a.Fail(reason, now)
		return
	}
	a.State, a.Failure, a.UpdatedAt = AnswerPending, reason, now
	a.NextAttemptAt = now.Add(answerDelays[a.Attempts-1])
}

// Outgoing is an e-mail that the service sends.
type Outgoing struct {
	ID        string // the unique part of its Message-ID
	To        string
	Subject   string
	InReplyTo string // "" for none
	Text      string
	Date      time.Time
}

// SendOutcome states what is known about an e-mail that was not confirmed.
type SendOutcome int

// The outcomes.
const (
	NotSent     SendOutcome = iota // the server does not have it, and a later attempt can succeed
	Refused                        // the server never accepts it
	Unconfirmed                    // the server may have it
)

// SendError is the error of a Mailer. Its text has no address.
type SendError struct {
	Outcome SendOutcome
	Reason  string
}

// Error implements error.
func (e *SendError) Error() string { return e.Reason }

// Mailer gives e-mails to the server of the operator.
type Mailer interface {
	// Send sends an e-mail. It calls handOver when the server has everything but the end of the e-mail. If handOver
	// fails, the e-mail is not sent and Send returns its error. Other errors are SendErrors.
	Send(ctx context.Context, m Outgoing, handOver func() error) error
}

// Answers stores answers.
type Answers interface {
	// Add stores an answer. It does nothing if its document has one, or if an answer to the same address names the same
	// Message-ID, in any organization, also if that answer was removed with its document in the meantime.
	Add(ctx context.Context, a *Answer) error
	// CountForReceiver counts the answers to an address since a time, in every organization. Other transactions that
	// count those to the same address wait for the end of this one.
	CountForReceiver(ctx context.Context, to string, since time.Time) (int, error)
	// CountForDomain counts the answers of an entity to the addresses of a domain since a time, like CountForReceiver.
	CountForDomain(ctx context.Context, entity uuid.UUID, domain string, since time.Time) (int, error)
	// Due returns pending answers that are due, of every organization, oldest first.
	Due(ctx context.Context, now time.Time, limit int) ([]Answer, error)
	// Get returns an answer of an organization, or a NotFound fault.
	Get(ctx context.Context, organization, document uuid.UUID) (*Answer, error)
	// Update changes an answer under a row lock, or returns a NotFound fault.
	Update(ctx context.Context, organization, document uuid.UUID, do func(*Answer) error) (*Answer, error)
	// Expire removes answers that are not pending and did not change since the time ended, and pending answers that were
	// added before the time added. What was answered before the time ended is forgotten.
	Expire(ctx context.Context, ended, added time.Time) error
}
