package watching_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"testing"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"

	"github.com/google/uuid"
)

// lifetime is the lifetime of a subscription.
const lifetime = 48 * time.Hour

// promise is a subscription of the store.
type promise struct {
	address string
	proof   string
	expires time.Time
}

// calling is a location whose store supports subscriptions. It replaces
// subscriptions instead of extending them if replaces is set.
type calling struct {
	*place
	t         *testing.T
	replaces  bool
	refusal   error
	promises  map[string]*promise
	made      int
	meanwhile func(address string) // what happens before the response
}

func (c *calling) Subscribe(
	_ context.Context, _ integration.Access, _ docstore.Location, cursor, address string, proof secret.Text,
) (docstore.Subscription, error) {
	if c.refusal != nil {
		return docstore.Subscription{}, c.refusal
	}
	if cursor == "" || len(proof.Reveal()) < 20 || len(proof.Reveal()) > 128 {
		c.t.Errorf("asked with cursor %q and a secret of %d characters", cursor, len(proof.Reveal()))
	}
	if c.meanwhile != nil {
		c.meanwhile(address)
	}
	c.made++
	id := fmt.Sprintf("promise %d", c.made)
	c.promises[id] = &promise{address, proof.Reveal(), c.now().Add(lifetime)}
	return docstore.Subscription{ID: id, Resource: "resource of " + id, ExpiresAt: c.promises[id].expires}, nil
}

func (c *calling) Renew(
	ctx context.Context, a integration.Access, p docstore.Location, s docstore.Subscription, cursor, address string, proof secret.Text,
) (docstore.Subscription, error) {
	there := c.promises[s.ID]
	switch {
	case c.replaces:
		return c.Subscribe(ctx, a, p, cursor, address, proof)
	case there == nil:
		return docstore.Subscription{}, fault.Missing("promise")
	}
	there.expires = c.now().Add(lifetime)
	s.ExpiresAt = there.expires
	return s, nil
}

func (c *calling) Unsubscribe(_ context.Context, _ integration.Access, s docstore.Subscription) error {
	if s.Resource != "resource of "+s.ID {
		c.t.Errorf("ended %s with %q", s.ID, s.Resource)
	}
	delete(c.promises, s.ID)
	return nil
}

// Read returns the secrets and the echo of the query.
func (c *calling) Read(call docstore.Call) (docstore.Notification, error) {
	n := docstore.Notification{Changed: len(call.Query["quiet"]) == 0}
	for _, proof := range call.Query["proof"] {
		n.Proofs = append(n.Proofs, secret.New(proof))
	}
	if echo := call.Query["echo"]; len(echo) > 0 {
		n.Echo = echo[0]
	}
	return n, nil
}

// callers runs a test on both databases, with a store that extends its
// subscriptions and one that replaces them.
func callers(t *testing.T, test func(t *testing.T, w *world, c *calling)) {
	t.Helper()
	onEach(t, func(t *testing.T, w *world) {
		c := &calling{place: w.place, t: t, replaces: t.Name()[len(t.Name())-1] == 'g', promises: map[string]*promise{}}
		w.CallURL = "https://docs.example"
		w.Connectors = func(integration.Provider) any { return c }
		test(t, w, c)
	})
}

// only returns the single subscription with the id in its address.
func (c *calling) only() (*promise, uuid.UUID) {
	c.t.Helper()
	if len(c.promises) != 1 {
		c.t.Fatalf("%d promises", len(c.promises))
	}
	for _, p := range c.promises {
		id, err := uuid.Parse(path.Base(p.address))
		if err != nil || p.address != "https://docs.example/webhook/storage/"+id.String() {
			c.t.Fatalf("the address is %s", p.address)
		}
		return p, id
	}
	return nil, uuid.Nil
}

// call sends a notification with a secret.
func (w *world) call(id uuid.UUID, proofs ...string) fault.Code {
	w.t.Helper()
	_, err := w.Notified(w.ctx, id, docstore.Call{Query: map[string][]string{"proof": proofs}, Header: http.Header{}})
	return fault.CodeOf(err)
}

func (w *world) due() bool {
	w.t.Helper()
	return !w.watch().NextPollAt.After(w.clock.Now())
}

func TestNotifications(t *testing.T) {
	t.Parallel()
	callers(t, func(t *testing.T, w *world, c *calling) {
		c.meanwhile = func(address string) {
			id := uuid.MustParse(path.Base(address))
			echo, err := w.Notified(w.ctx, id, docstore.Call{Query: map[string][]string{"echo": {"a text"}}})
			if err != nil || echo != "a text" {
				t.Errorf("before the response the address says %q, %v", echo, err)
			}
		}
		w.settle()
		p, id := c.only()
		if w.due() {
			t.Fatal("the next poll is due already")
		}
		for name, proofs := range map[string][]string{"none": nil, "wrong": {"guess"}, "one of two wrong": {p.proof, "guess"}, "empty": {""}} {
			if code := w.call(id, proofs...); code != fault.CodeInvalidSignature || w.due() {
				t.Errorf("%s: %q, due: %t", name, code, w.due())
			}
		}
		if code := w.call(uuid.New(), p.proof); code != fault.CodeNotFound || w.due() {
			t.Errorf("of an unknown subscription: %q", code)
		}
		_, err := w.Notified(w.ctx, id, docstore.Call{Query: map[string][]string{"proof": {p.proof}, "quiet": {""}}})
		if w.must(err); w.due() {
			t.Error("nothing has changed, but the poll is due")
		}
		run := w.watch().Run
		for range 3 { // repeated, or replayed
			if code := w.call(id, p.proof); code != "" || !w.due() {
				t.Errorf("proven: %q, due: %t", code, w.due())
			}
		}
		w.place.add(top, "a.xml", false, xml(1))
		w.poll()
		w.want("notified", xml(1))
		if w.due() || w.watch().Run != run+1 {
			t.Errorf("after one poll it is due: %t, %d polls", w.due(), w.watch().Run-run)
		}
		// The next regular poll compensates a dropped notification.
		w.place.add(top, "b.xml", false, xml(2))
		w.clock.Advance(time.Minute)
		if !w.due() {
			t.Error("a minute later the poll is not due")
		}
		w.poll()
		w.want("never notified", xml(1), xml(2))
	})
}

// TestNotifiedDuringPoll sends a notification during a poll that may not have
// read the change. The change must be read soon.
func TestNotifiedDuringPoll(t *testing.T) {
	t.Parallel()
	callers(t, func(t *testing.T, w *world, c *calling) {
		w.settle()
		p, id := c.only()
		w.clock.Advance(time.Minute)
		w.place.add(top, "a.xml", false, xml(1))
		c.onOpen = func() {
			if code := w.call(id, p.proof); code != "" {
				t.Errorf("refused: %q", code)
			}
		}
		got := w.poll()
		if pause := got.NextPollAt.Sub(w.clock.Now()); pause > 5*time.Second {
			t.Errorf("the next poll is in %s", pause)
		}
		c.onOpen = nil
		if got = w.poll(); got.NextPollAt.Sub(w.clock.Now()) < 30*time.Second {
			t.Errorf("and once more at %s", got.NextPollAt)
		}
	})
}

// TestPromisesAreKeptUp verifies that subscriptions are renewed at half their
// lifetime and created again if the store lost them.
func TestPromisesAreKeptUp(t *testing.T) {
	t.Parallel()
	callers(t, func(t *testing.T, w *world, c *calling) {
		w.settle()
		first, id := c.only()
		w.clock.Advance(lifetime/2 - time.Hour)
		w.poll()
		if now, _ := c.only(); now != first || !now.expires.Equal(first.expires) {
			t.Error("renewed before half its life")
		}
		w.clock.Advance(2 * time.Hour)
		w.poll()
		second, next := c.only()
		if left := second.expires.Sub(w.clock.Now()); left != lifetime || c.replaces == (id == next) {
			t.Errorf("%s are left, of the same address: %t", left, id == next)
		}
		want := fault.CodeNotFound
		if !c.replaces {
			want = ""
		}
		if code := w.call(id, first.proof); code != want {
			t.Errorf("the former address answers %q, want %q", code, want)
		}
		clear(c.promises)
		w.clock.Advance(lifetime)
		w.poll()
		if third, at := c.only(); third == second || w.call(at, third.proof) != "" {
			t.Error("not asked again")
		}
		if list, err := w.Subscriptions.Of(w.ctx, w.i.ID); err != nil || len(list) != 1 {
			t.Errorf("%d are kept, %v", len(list), err)
		}
	})
}

// TestStoreDoesNotPromise verifies that polling continues without
// subscriptions, that docledger requests them again later, and that it ends
// useless ones.
func TestStoreDoesNotPromise(t *testing.T) {
	t.Parallel()
	callers(t, func(t *testing.T, w *world, c *calling) {
		for _, test := range []struct {
			refusal error
			again   time.Duration
		}{
			{integration.Unavailable(integration.DocstoreA, time.Second, errors.New("400")), 10 * time.Minute},
			{docstore.Denied(integration.DocstoreA, errors.New("403")), 24 * time.Hour},
		} {
			c.refusal = test.refusal
			got := w.poll()
			if got.Failures != 0 || !got.UpToDateAt.Equal(w.clock.Now()) || got.SubscribeAt.Sub(w.clock.Now()) != test.again {
				t.Errorf("refused: %d failures, up to date at %v, again in %s", got.Failures, got.UpToDateAt, got.SubscribeAt.Sub(w.clock.Now()))
			}
			if list, err := w.Subscriptions.Of(w.ctx, w.i.ID); err != nil || len(list) != 0 {
				t.Errorf("%d are kept, %v", len(list), err)
			}
			w.clock.Advance(test.again)
		}
		c.refusal = nil
		w.poll()
		c.only()
	})
}

// TestPromisesEnd verifies that subscriptions end with the location and with
// the integration, even if a process was killed.
func TestPromisesEnd(t *testing.T) {
	t.Parallel()
	callers(t, func(t *testing.T, w *world, c *calling) {
		w.tx.left = 0
		for died := 0; died < 100; died++ {
			_ = w.Poll(w.ctx, w.args())
			if !w.tx.dead {
				break
			}
			w.tx.dead, w.tx.left, w.tx.after = false, died%12, !w.tx.after
		}
		w.tx.left = -1
		w.clock.Advance(lifetime)
		w.poll()
		list, err := w.Subscriptions.Of(w.ctx, w.i.ID)
		if w.must(err); len(list) != 1 || c.promises[list[0].Remote.ID] == nil {
			t.Fatalf("after the deaths %+v are kept of %d", list, len(c.promises))
		}
		former := c.promises[list[0].Remote.ID]
		_, err = w.st.Integrations().Update(w.ctx, w.scope(), w.i.ID, 0, func(i *integration.Integration) error {
			i.Trigger.SubSource = "b!2"
			return nil
		})
		w.must(err)
		w.poll()
		list, err = w.Subscriptions.Of(w.ctx, w.i.ID)
		if w.must(err); len(list) != 1 || c.promises[list[0].Remote.ID] == former || list[0].Place.SubSource != "b!2" {
			t.Errorf("of another place %+v", list)
		}
		if code := w.call(uuid.MustParse(path.Base(former.address)), former.proof); code != fault.CodeNotFound {
			t.Errorf("the former place's address answers %q", code)
		}
		released, err := w.Release(w.ctx, w.i)
		if w.must(err); len(released) != 1 || released[0] != list[0].Remote {
			t.Errorf("to be ended are %+v", released)
		}
		if code := w.call(list[0].ID, c.promises[released[0].ID].proof); code != fault.CodeNotFound {
			t.Errorf("a released address answers %q", code)
		}
	})
}

// TestDisconnectedMeanwhile verifies that a subscription ends that was created
// after the integration was disconnected.
func TestDisconnectedMeanwhile(t *testing.T) {
	t.Parallel()
	callers(t, func(t *testing.T, w *world, c *calling) {
		c.meanwhile = func(string) {
			if released, err := w.Release(w.ctx, w.i); err != nil || len(released) != 0 {
				t.Errorf("released %v, %v", released, err)
			}
		}
		w.poll()
		list, err := w.Subscriptions.Of(w.ctx, w.i.ID)
		if w.must(err); len(list) != 0 || len(c.promises) != 0 {
			t.Errorf("%d are kept of %d promises", len(list), len(c.promises))
		}
	})
}

// TestNoPublicAddress verifies that no subscription is requested without a
// public address.
func TestNoPublicAddress(t *testing.T) {
	t.Parallel()
	callers(t, func(t *testing.T, w *world, c *calling) {
		w.CallURL = ""
		w.place.add(top, "a.xml", false, xml(1))
		w.settle()
		if w.want("by polling alone", xml(1)); c.made > 0 {
			t.Error("the store was asked to call")
		}
	})
}
