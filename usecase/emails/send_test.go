package emails

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"docledger/domain/document"
	"docledger/domain/email"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/job"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// moving is a clock that a test sets.
type moving struct{ at time.Time }

// Now implements usecase.Clock.
func (m *moving) Now() time.Time { return m.at }

// kept is email.Answers with one answer.
type kept struct {
	email.Answers
	a *email.Answer
}

// Get implements email.Answers.
func (k *kept) Get(context.Context, uuid.UUID, uuid.UUID) (*email.Answer, error) {
	if k.a == nil {
		return nil, fault.Missing("answer")
	}
	a := *k.a
	return &a, nil
}

// Update implements email.Answers.
func (k *kept) Update(ctx context.Context, o, d uuid.UUID, do func(*email.Answer) error) (*email.Answer, error) {
	a, err := k.Get(ctx, o, d)
	if err != nil {
		return nil, err
	}
	if err := do(a); err != nil {
		return nil, err
	}
	k.a = a
	return k.Get(ctx, o, d)
}

// files is document.Reader with the documents of a message.
type files struct {
	document.Reader
	all []document.Document
}

// Get implements document.Reader.
func (f *files) Get(_ context.Context, _ identity.Scope, id uuid.UUID) (*document.Document, error) {
	for i := range f.all {
		if f.all[i].ID == id {
			return &f.all[i], nil
		}
	}
	return nil, fault.Missing("document")
}

// List implements document.Reader.
func (f *files) List(_ context.Context, _ identity.Scope, filter document.Filter, _ document.Sort, _ page.Request) (out page.Of[document.Document], err error) {
	for _, d := range f.all {
		if d.ParentID == filter.ParentID {
			out.Items = append(out.Items, d)
		}
	}
	return out, nil
}

// rules is email.Intakes with one intake.
type rules struct {
	email.Intakes
	i *email.Intake
}

// Get implements email.Intakes.
func (r rules) Get(context.Context, identity.Scope, uuid.UUID) (*email.Intake, error) {
	return r.i, nil
}

// mailer is email.Mailer. do replaces what the server does.
type mailer struct {
	sent []email.Outgoing
	do   func(handOver func() error) error
}

// Send implements email.Mailer.
func (m *mailer) Send(_ context.Context, e email.Outgoing, handOver func() error) error {
	if m.do != nil {
		return m.do(handOver)
	}
	if err := handOver(); err != nil {
		return err
	}
	m.sent = append(m.sent, e)
	return nil
}

// answeringOf is an Answering for one message with an invoice and a file that is no invoice.
type answeringOf struct {
	*Answering
	clock  *moving
	answer *kept
	mailer *mailer
	files  *files
	rules  *email.Intake
	args   job.AnswerEmail
}

func newAnsweringOf() *answeringOf {
	id := uuid.New()
	clock := &moving{time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	a := &answeringOf{
		clock: clock, mailer: &mailer{}, rules: &email.Intake{AnswerSenders: true}, args: job.AnswerEmail{V: 1, DocumentID: id},
		answer: &kept{a: &email.Answer{
			DocumentID: id, To: "billing@shop.example", Subject: "Your invoice", MessageID: "<a@shop.example>", State: email.AnswerPending,
			NextAttemptAt: clock.at, CreatedAt: clock.at,
		}},
		files: &files{all: []document.Document{
			{ID: id, Status: document.Split, Known: []uuid.UUID{uuid.New()}},
			{ID: uuid.New(), ParentID: id, Filename: "invoice.pdf", Status: document.Extracted},
			{ID: uuid.New(), ParentID: id, Filename: "offer.pdf", Status: document.NotAnInvoice, Failure: &document.Failure{Code: "quote"}},
			{ID: uuid.New(), ParentID: id, Filename: "secret.pdf", Status: document.Failed, Failure: &document.Failure{Code: "encrypted", Message: "for the users"}},
		}},
	}
	a.Answering = &Answering{
		Answers: a.answer, Intakes: rules{i: a.rules}, Documents: a.files, Mailer: a.mailer, Clock: clock, Log: slog.New(slog.DiscardHandler),
	}
	return a
}

func (a *answeringOf) run(t *testing.T) {
	t.Helper()
	if err := a.Run(t.Context(), a.args); err != nil {
		t.Fatal(err)
	}
}

func (a *answeringOf) want(t *testing.T, state email.AnswerState, sent int) {
	t.Helper()
	if a.answer.a.State != state || len(a.mailer.sent) != sent {
		t.Fatalf("the answer is %s, %d sent: %s", a.answer.a.State, len(a.mailer.sent), a.answer.a.Failure)
	}
}

// TestAnswerIsSentOnce verifies the text of an answer, and that further jobs send no second one.
func TestAnswerIsSentOnce(t *testing.T) {
	t.Parallel()
	a := newAnsweringOf()
	for range 3 {
		a.run(t)
	}
	a.want(t, email.AnswerSent, 1)
	e := a.mailer.sent[0]
	if e.To != "billing@shop.example" || e.Subject != "Re: Your invoice" || e.InReplyTo != "<a@shop.example>" || e.ID == a.args.DocumentID.String() {
		t.Errorf("the answer: %+v", e)
	}
	want := `This is an automatic answer. Your message of 20 November 2026, 12:00 UTC (Your invoice) was received.

These files were taken:
- invoice.pdf

These files were refused:
- offer.pdf: it is not an invoice
- secret.pdf: it is protected by a password

1 file was received before and is not taken twice.

Please send refused invoices again as PDF files or electronic invoices.
`
	if e.Text != want {
		t.Errorf("the text:\n%s", e.Text)
	}
}

// TestAnswerWaitsForDocuments verifies that an answer is sent when the documents are extracted, or after a limited time.
func TestAnswerWaitsForDocuments(t *testing.T) {
	t.Parallel()
	a := newAnsweringOf()
	a.files.all[1].Status = document.Processing
	a.run(t)
	a.want(t, email.AnswerPending, 0)
	if !a.answer.a.NextAttemptAt.After(a.clock.at) || a.answer.a.Attempts != 0 {
		t.Errorf("the answer: %+v", a.answer.a)
	}
	a.run(t) // it is not due
	a.want(t, email.AnswerPending, 0)
	a.clock.at = a.clock.at.Add(email.AnswerWait)
	a.run(t)
	a.want(t, email.AnswerSent, 1)
	if !strings.Contains(a.mailer.sent[0].Text, "not read yet:\n- invoice.pdf\n") {
		t.Errorf("the text:\n%s", a.mailer.sent[0].Text)
	}
}

// TestAnswerIsTriedAgain verifies that attempts are limited, and that an answer that the server may have is not repeated.
func TestAnswerIsTriedAgain(t *testing.T) {
	t.Parallel()
	a := newAnsweringOf()
	attempts := 0
	a.mailer.do = func(func() error) error {
		attempts++
		return &email.SendError{Outcome: email.NotSent, Reason: "refused"}
	}
	for a.answer.a.State == email.AnswerPending && attempts < 100 {
		a.run(t)
		a.clock.at = a.clock.at.Add(13 * time.Hour)
		a.answer.a.CreatedAt = a.clock.at // the message is never too old in this test
	}
	a.want(t, email.AnswerFailed, 0)
	if attempts != 8 {
		t.Errorf("%d attempts", attempts)
	}
	for name, c := range map[string]struct {
		outcome email.SendOutcome
		state   email.AnswerState
	}{
		"refused": {email.Refused, email.AnswerFailed}, "unconfirmed": {email.Unconfirmed, email.AnswerFailed}, "later": {email.NotSent, email.AnswerPending},
	} {
		a := newAnsweringOf()
		a.mailer.do = func(handOver func() error) error {
			return errors.Join(handOver(), &email.SendError{Outcome: c.outcome, Reason: "550"})
		}
		a.run(t)
		if a.answer.a.State != c.state {
			t.Errorf("%s: %+v", name, a.answer.a)
		}
	}
}

// TestAnswerAfterTheEndOfAProcess verifies that an answer is sent again only if the server cannot have it.
func TestAnswerAfterTheEndOfAProcess(t *testing.T) {
	t.Parallel()
	killed := errors.New("the process ended")
	before := newAnsweringOf()
	before.mailer.do = func(func() error) error { return killed }
	if err := before.Run(t.Context(), before.args); !errors.Is(err, killed) {
		t.Fatal(err)
	}
	before.mailer.do = nil
	before.run(t)
	before.want(t, email.AnswerSent, 1)

	after := newAnsweringOf()
	after.mailer.do = func(handOver func() error) error {
		return errors.Join(handOver(), killed)
	}
	if err := after.Run(t.Context(), after.args); !errors.Is(err, killed) {
		t.Fatal(err)
	}
	after.mailer.do = nil
	after.run(t)
	after.want(t, email.AnswerHandedOver, 0)

	// A second process that has the answer meanwhile is not disturbed.
	twice := newAnsweringOf()
	twice.mailer.do = func(handOver func() error) error {
		twice.mailer.do = nil
		twice.run(t)
		return handOver()
	}
	twice.run(t)
	twice.want(t, email.AnswerSent, 1)
}

// TestAnswerIsDropped verifies that nothing is sent for an entity that switched answers off, or for old messages.
func TestAnswerIsDropped(t *testing.T) {
	t.Parallel()
	off := newAnsweringOf()
	off.rules.AnswerSenders = false
	off.run(t)
	off.want(t, email.AnswerFailed, 0)
	old := newAnsweringOf()
	old.clock.at = old.clock.at.Add(email.AnswerLifetime + time.Hour)
	old.run(t)
	old.want(t, email.AnswerFailed, 0)
	gone := newAnsweringOf()
	gone.answer.a = nil
	gone.run(t)
}
