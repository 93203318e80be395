package queuetest

import (
	"context"
	"testing"

	"docledger/adapter/queue"
	"docledger/domain/job"

	"github.com/google/uuid"
)

// testAnswers checks that a mail server that does not respond delays no other work.
func testAnswers(t *testing.T, e *Env) {
	ctx, release := context.WithCancel(context.Background())
	delivered := make(chan struct{})
	extract := func(context.Context, job.ExtractDocument) error { return nil }
	e.Start(t, extract, func(c *queue.Config) {
		c.Handlers = Only(extract, queue.Handle(job.Answer, func(context.Context, job.AnswerEmail) error {
			<-ctx.Done()
			return nil
		}), queue.Handle(job.Webhook, func(context.Context, job.DeliverWebhook) error {
			close(delivered)
			return nil
		}))
	})
	t.Cleanup(release) // before the runner stops
	var answers []job.Args
	for range 20 {
		answers = append(answers, job.AnswerEmail{V: job.AnswerVersion, DocumentID: uuid.New()})
	}
	must(t, e.Queue.EnqueueAll(ctx, answers, job.Automatic))
	running := func() int { return e.count(t, "kind = $1 AND state = 'running'", job.Answer.Name) }
	Await(t, "answers to be sent", func() bool { return running() > 0 })
	must(t, e.Queue.Enqueue(ctx, job.DeliverWebhook{V: job.WebhookVersion, WebhookID: uuid.New()}, job.Automatic))
	Await(t, "the delivery", func() bool {
		select {
		case <-delivered:
			return true
		default:
			return false
		}
	})
	if n := running(); n > 2 {
		t.Errorf("%d answers are sent at the same time", n)
	}
}
