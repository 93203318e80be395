package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"docledger/domain/email"
	"docledger/domain/fault"

	"github.com/google/uuid"
)

// answer adds an answer to the message of a new document.
func (b *bench) answer(t *testing.T, change ...func(*email.Answer)) *email.Answer {
	t.Helper()
	s := b.organization(t)
	d := b.document(t, b.entity(t, s))
	a := &email.Answer{
		DocumentID: d.ID, EntityID: d.EntityID, OrganizationID: s.OrganizationID, To: "billing@shop.example", Subject: "Invoice",
		MessageID: "<" + d.ID.String() + "@shop.example>", State: email.AnswerPending, NextAttemptAt: b.at, CreatedAt: b.at, UpdatedAt: b.at,
	}
	for _, c := range change {
		c(a)
	}
	must(t, b.EmailAnswers().Add(b.ctx, a))
	return a
}

// hasAnswer reports whether an answer is stored.
func (b *bench) hasAnswer(t *testing.T, organization, document uuid.UUID) bool {
	t.Helper()
	_, err := b.EmailAnswers().Get(b.ctx, organization, document)
	if err != nil && fault.CodeOf(err) != fault.CodeNotFound {
		t.Fatal(err)
	}
	return err == nil
}

func testAnswersExpire(t *testing.T, b *bench) {
	ended, added := b.at.Add(-7*24*time.Hour), b.at.Add(-72*time.Hour)
	at := func(state email.AnswerState, created, updated time.Time) *email.Answer {
		return b.answer(t, func(a *email.Answer) {
			a.State, a.CreatedAt, a.UpdatedAt = state, created, updated
			if state != email.AnswerPending {
				a.NextAttemptAt = time.Time{}
			}
		})
	}
	old := ended.Add(-time.Second)
	want := map[*email.Answer]bool{
		at(email.AnswerSent, old, old):                            false,
		at(email.AnswerFailed, old, ended):                        true,
		at(email.AnswerPending, added.Add(-time.Second), b.at):    false,
		at(email.AnswerPending, added, added):                     true,
		at(email.AnswerHandedOver, added.Add(-time.Second), b.at): true,
	}
	must(t, b.EmailAnswers().Expire(b.ctx, ended, added))
	for a, kept := range want {
		if b.hasAnswer(t, a.OrganizationID, a.DocumentID) != kept {
			t.Errorf("%s of %v, changed at %v: kept %v", a.State, a.CreatedAt, a.UpdatedAt, !kept)
		}
	}
}

// testAnswersOnce checks that an address gets one answer to a Message-ID, whichever organization has the message.
func testAnswersOnce(t *testing.T, b *bench) {
	named := func(id, to string) func(*email.Answer) {
		return func(a *email.Answer) { a.MessageID, a.To = id, to }
	}
	for _, c := range []struct {
		id, to string
		want   bool
	}{
		{"<1@shop.example>", "a@shop.example", true},
		{"<1@shop.example>", "a@shop.example", false},
		{"<2@shop.example>", "a@shop.example", true},
		{"<1@shop.example>", "b@shop.example", true},
	} {
		if a := b.answer(t, named(c.id, c.to)); b.hasAnswer(t, a.OrganizationID, a.DocumentID) != c.want {
			t.Errorf("%s to %s: added %v", c.id, c.to, !c.want)
		}
	}
}

// testAnswersOutliveDocuments checks that the deletion of a document does not lead to a second answer, and that the
// answers to a domain are counted per entity.
func testAnswersOutliveDocuments(t *testing.T, b *bench) {
	named := func(a *email.Answer) { a.To, a.MessageID = "a@shop.example", "<1@shop.example>" }
	first := b.answer(t, named)
	must(t, b.db.Exec("DELETE FROM documents WHERE id = ?", first.DocumentID).Error)
	if b.hasAnswer(t, first.OrganizationID, first.DocumentID) {
		t.Error("the answer has the address of the sender after its document was deleted")
	}
	count := func(entity uuid.UUID, domain string, since time.Time) int {
		n, err := b.EmailAnswers().CountForDomain(b.ctx, entity, domain, since)
		must(t, err)
		return n
	}
	if n := count(first.EntityID, "SHOP.example", b.at); n != 1 {
		t.Errorf("%d answers to the domain", n)
	}
	if n := count(first.EntityID, "other.example", b.at) + count(uuid.New(), "shop.example", b.at) + count(first.EntityID, "shop.example", b.at.Add(time.Second)); n != 0 {
		t.Errorf("%d answers to another domain, of another entity or before", n)
	}
	if again := b.answer(t, named); b.hasAnswer(t, again.OrganizationID, again.DocumentID) {
		t.Error("the same message was answered again")
	}
	must(t, b.EmailAnswers().Expire(b.ctx, b.at.Add(time.Second), b.at))
	if again := b.answer(t, named); !b.hasAnswer(t, again.OrganizationID, again.DocumentID) {
		t.Error("what was answered is not forgotten")
	}
}

// testAnswersCounted checks that a transaction that counts the answers to an address waits for one that adds one.
func testAnswersCounted(t *testing.T, b *bench) {
	s := b.organization(t)
	d := b.document(t, b.entity(t, s))
	count := func(ctx context.Context) (int, error) {
		return b.EmailAnswers().CountForReceiver(ctx, "a@shop.example", b.at.Add(-time.Hour))
	}
	type result struct {
		n   int
		err error
	}
	second := make(chan result, 1)
	must(t, b.InTx(b.ctx, func(ctx context.Context) error {
		if n, err := count(ctx); err != nil || n != 0 {
			return fmt.Errorf("%d answers before the first: %v", n, err)
		}
		go func() {
			var r result
			r.err = b.InTx(b.ctx, func(ctx context.Context) (err error) { r.n, err = count(ctx); return err })
			second <- r
		}()
		b.awaitLock(t, func() bool { return len(second) > 0 })
		return b.EmailAnswers().Add(ctx, &email.Answer{
			DocumentID: d.ID, EntityID: d.EntityID, OrganizationID: s.OrganizationID, To: "a@shop.example", MessageID: "<1@shop.example>",
			State: email.AnswerPending, NextAttemptAt: b.at, CreatedAt: b.at, UpdatedAt: b.at,
		})
	}))
	if r := <-second; r.err != nil || r.n != 1 {
		t.Errorf("the second transaction counted %d answers: %v", r.n, r.err)
	}
}

// awaitLock waits until another transaction waits for an advisory lock, or has ended. On SQLite, and with one
// connection, the other cannot begin.
func (b *bench) awaitLock(t *testing.T, ended func() bool) {
	t.Helper()
	pool, err := b.db.DB()
	must(t, err)
	if b.db.Name() != "postgres" || pool.Stats().MaxOpenConnections == 1 {
		return
	}
	for waiting := 0; waiting == 0 && !ended(); {
		must(t, pool.QueryRowContext(b.ctx, `SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
			WHERE l.locktype = 'advisory' AND NOT l.granted AND d.datname = current_database()`).Scan(&waiting))
	}
}
