package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/watch"

	"github.com/google/uuid"
)

// watched creates an integration with its watch.
func (b *bench) watched(t *testing.T, s identity.Scope) *integration.Integration {
	t.Helper()
	i := &integration.Integration{
		ID: newID(), EntityID: b.entity(t, s).ID, OrganizationID: s.OrganizationID, Provider: integration.DocstoreA, Status: integration.Active,
		Trigger: &integration.TriggerMetadata{Source: "site", SubSource: "library"},
	}
	must(t, b.Integrations().Add(b.ctx, i))
	must(t, b.Watches().Wake(b.ctx, i, b.at))
	return i
}

func testWatches(t *testing.T, b *bench) {
	s := b.organization(t)
	i := b.watched(t, s)
	due := watch.Due{OrganizationID: s.OrganizationID, IntegrationID: i.ID}
	first, err := b.Watches().Claim(b.ctx, due)
	must(t, err)
	second, err := b.Watches().Claim(b.ctx, due)
	must(t, err)
	if second.Run != first.Run+1 {
		t.Errorf("runs %d and %d", first.Run, second.Run)
	}
	change := func(w *watch.Watch) error {
		w.Retarget(docstore.Location{Source: "s,1", SubSource: "b!2"}, []string{"In", "Out"})
		w.Directories[0].Folders = []string{"x", "y"}
		w.Cursor, w.NextPollAt, w.LastPollAt, w.FilesSeen, w.Pause = "cursor", b.at.Add(time.Hour), b.at, 7, watch.PausedPlan
		return nil
	}
	if _, err := b.Watches().Update(b.ctx, due, first.Run, change); !errors.Is(err, watch.ErrSuperseded) {
		t.Errorf("a late poller: %v", err)
	}
	stored, err := b.Watches().Update(b.ctx, due, second.Run, change)
	must(t, err)
	read, err := b.Watches().Get(b.ctx, s, i.ID)
	must(t, err)
	same(t, "the watch", read, stored)
	if _, err := b.Watches().Get(b.ctx, b.organization(t), i.ID); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("of another organization: %v", err)
	}
	// Wake makes the poll earlier, never later, and has effect until the claim.
	if read.Woken {
		t.Error("a claimed watch is woken")
	}
	must(t, b.Watches().Wake(b.ctx, i, b.at.Add(2*time.Hour)))
	for after, want := range map[time.Duration]int{30 * time.Minute: 0, time.Hour: 1} {
		list, err := b.Watches().DueForPolling(b.ctx, b.at.Add(after), 10)
		if must(t, err); len(list) != want {
			t.Errorf("after %s: %v is due", after, list)
		}
	}
	must(t, b.Watches().Wake(b.ctx, i, b.at))
	stored, err = b.Watches().Update(b.ctx, due, second.Run, func(w *watch.Watch) error {
		if !w.Woken {
			t.Error("the watch is not woken")
		}
		return nil
	})
	if must(t, err); !stored.NextPollAt.Equal(b.at) {
		t.Errorf("woken, the poll is due at %v", stored.NextPollAt)
	}
	if w, err := b.Watches().Claim(b.ctx, due); err != nil || w.Woken {
		t.Errorf("claimed, but woken: %v", err)
	}
	_, err = b.Integrations().Update(b.ctx, s, i.ID, 0, func(i *integration.Integration) error { i.Fail(integration.ReconnectNeeded); return nil })
	must(t, err)
	if list, err := b.Watches().DueForPolling(b.ctx, b.at, 10); err != nil || len(list) != 0 {
		t.Errorf("without a consent %v is due, %v", list, err)
	}
	if w, err := b.Watches().Claim(b.ctx, watch.Due{OrganizationID: s.OrganizationID, IntegrationID: newID()}); w != nil || err != nil {
		t.Errorf("no watch is %v, %v", w, err)
	}
}

func testWatchNodes(t *testing.T, b *bench) {
	s := b.organization(t)
	i, other := b.watched(t, s), b.watched(t, s)
	nodes := []watch.Node{
		{Item: docstore.Item{ID: "top", Folder: true, Top: true}, Epoch: 1, Listed: true},
		{Item: docstore.Item{ID: "gone", Folder: true, Parent: "top"}, Removed: true, Epoch: 1},
		{Item: docstore.Item{ID: "out\x00", Parent: "top", Version: "v"}, State: watch.Outside, Epoch: 1},
	}
	var ids []string
	for n := range 1200 {
		id := fmt.Sprintf("f!%04d", n)
		ids = append(ids, id)
		nodes = append(nodes, watch.Node{
			Item:  docstore.Item{ID: id, Parent: "top", Name: "Ä\xff", Version: "v1", Size: 1 << 40, ModifiedAt: b.at},
			State: watch.Wanted, Epoch: 2, NextAt: b.at.Add(time.Duration(n) * time.Second),
		})
	}
	must(t, b.WatchNodes().Put(b.ctx, i.ID, nodes))
	must(t, b.WatchNodes().Put(b.ctx, i.ID, nodes)) // again, as a replacement
	known, err := b.WatchNodes().Some(b.ctx, i.ID, append(ids, "unknown"))
	if must(t, err); len(known) != 1200 || known["f!0007"].Size != 1<<40 || !known["f!0007"].ModifiedAt.Equal(b.at) {
		t.Errorf("%d known, one is %+v", len(known), known["f!0007"])
	}
	folders, err := b.WatchNodes().Folders(b.ctx, i.ID)
	if must(t, err); len(folders) != 1 || !folders[0].Top {
		t.Errorf("folders %+v", folders)
	}
	wanted, err := b.WatchNodes().Wanted(b.ctx, i.ID, b.at.Add(2*time.Second), 10)
	if must(t, err); len(wanted) != 3 || wanted[0].ID != "f!0000" {
		t.Errorf("wanted %+v", wanted)
	}
	must(t, b.WatchNodes().RequeueExcluded(b.ctx, i.ID, b.at))
	if n, err := b.WatchNodes().Waiting(b.ctx, i.ID); err != nil || n != 1201 {
		t.Errorf("%d wait, %v", n, err)
	}
	must(t, b.WatchNodes().DeleteMissing(b.ctx, i.ID, 2))
	must(t, b.WatchNodes().ResetListing(b.ctx, i.ID))
	if n, err := b.WatchNodes().Waiting(b.ctx, i.ID); err != nil || n != 1200 {
		t.Errorf("%d wait after what is gone, %v", n, err)
	}
	if n, err := b.WatchNodes().Waiting(b.ctx, other.ID); err != nil || n != 0 {
		t.Errorf("another place has %d, %v", n, err)
	}
	must(t, b.WatchNodes().Forget(b.ctx, i.ID))
	if known, err := b.WatchNodes().Some(b.ctx, i.ID, ids); err != nil || len(known) != 0 {
		t.Errorf("%d known after all was forgotten, %v", len(known), err)
	}
	v := watch.Version{IntegrationID: i.ID, Item: "f!0001", Version: "v1"}
	if id, err := b.WatchVersions().DocumentOf(b.ctx, v); err != nil || id != uuid.Nil {
		t.Errorf("a new version is %s, %v", id, err)
	}
	d := newID()
	must(t, b.WatchVersions().Add(b.ctx, v, d, b.at))
	if id, err := b.WatchVersions().DocumentOf(b.ctx, v); err != nil || id != d {
		t.Errorf("the version is %s, %v", id, err)
	}
	if err := b.WatchVersions().Add(b.ctx, v, newID(), b.at); err == nil {
		t.Error("one version became two documents")
	}
}

func testWatchSubscriptions(t *testing.T, b *bench) {
	s := b.organization(t)
	i, other := b.watched(t, s), b.watched(t, s)
	add := func(i *integration.Integration, at time.Time) watch.Subscription {
		n := watch.Subscription{
			ID: newID(), IntegrationID: i.ID, OrganizationID: i.OrganizationID, Proof: watch.ProofOf("secret"),
			Place: docstore.Location{Source: "s,1\xff", SubSource: "b!2"}, CreatedAt: at,
		}
		must(t, b.WatchSubscriptions().Add(b.ctx, &n))
		n.Place.Source = "s,1\ufffd"
		return n
	}
	first, second, theirs := add(i, b.at), add(i, b.at.Add(time.Minute)), add(other, b.at)
	second.Remote = docstore.Subscription{ID: "remote", Resource: "resource", ExpiresAt: b.at.Add(time.Hour)}
	if there, err := b.WatchSubscriptions().Answered(b.ctx, second.ID, second.Remote); err != nil || !there {
		t.Fatalf("answered: %t, %v", there, err)
	}
	found, err := b.WatchSubscriptions().Find(b.ctx, second.ID)
	must(t, err)
	same(t, "the subscription", found, &second)
	if !found.Proves("secret") || found.Proves("Secret") || found.Proves("") {
		t.Error("the proof does not hold")
	}
	list, err := b.WatchSubscriptions().Of(b.ctx, i.ID)
	if must(t, err); len(list) != 2 || list[0].ID != second.ID || list[1].ID != first.ID {
		t.Errorf("subscriptions %+v", list)
	}
	must(t, b.WatchSubscriptions().Remove(b.ctx, first.ID))
	must(t, b.WatchSubscriptions().Remove(b.ctx, first.ID)) // almost expired
	if there, err := b.WatchSubscriptions().Answered(b.ctx, first.ID, second.Remote); err != nil || there {
		t.Errorf("what was removed is answered: %t, %v", there, err)
	}
	taken, err := b.WatchSubscriptions().Take(b.ctx, i.ID)
	if must(t, err); len(taken) != 1 || taken[0].Remote.ID != "remote" {
		t.Errorf("taken %+v", taken)
	}
	for id, want := range map[uuid.UUID]fault.Code{second.ID: fault.CodeNotFound, newID(): fault.CodeNotFound, theirs.ID: ""} {
		if _, err := b.WatchSubscriptions().Find(b.ctx, id); fault.CodeOf(err) != want {
			t.Errorf("find after all were taken: %v, want %q", err, want)
		}
	}
}
