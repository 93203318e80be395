package job

import (
	"time"

	"github.com/google/uuid"
)

// AnswerVersion is the version of AnswerEmail that this release writes.
const AnswerVersion = 1

// Answer is the kind of AnswerEmail. It has a separate queue, because a mail server can take most of a minute to
// respond: no other work waits for it. Its jobs are not cancelled, because an answer that is due gets another job.
var Answer = define(Kind{
	Name: "answer_email", Version: AnswerVersion, Queue: AnswerQueue, Attempts: 10, Timeout: 2 * time.Minute, Paused: true,
	Noun:           "Answer to the e-mail of document",
	NotCancellable: "Answers are sent while the entity answers senders. To stop them, switch it off. Document: %s.",
}, func(a AnswerEmail) string { return a.DocumentID.String() })

// AnswerEmail sends the answer to the e-mail of a document.
type AnswerEmail struct {
	V              int
	OrganizationID uuid.UUID
	DocumentID     uuid.UUID
}

// Kind implements Args.
func (AnswerEmail) Kind() string { return "answer_email" }

// Organization implements OfOrganization.
func (a AnswerEmail) Organization() uuid.UUID { return a.OrganizationID }
