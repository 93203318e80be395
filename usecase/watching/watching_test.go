package watching_test

import (
	"fmt"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/docstore"
	"docledger/domain/document"
	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/job"
	"docledger/domain/page"
	"docledger/domain/watch"
)

func xml(n int) []byte { return fmt.Appendf(nil, "<invoice>%d</invoice>", n) }

func TestFilesBecomeDocuments(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		dir := w.place.add(top, "2026", true, nil)
		id := w.place.add(dir, "a.xml", false, xml(1))
		w.settle()
		d := w.want("at first", xml(1))[digest(xml(1))]
		if d.Origin != document.FromTrigger || d.IntegrationID != w.i.ID || d.SourcePath != "2026/a.xml" || d.Filename != "a.xml" || !d.Requested {
			t.Errorf("document %+v", d)
		}
		live, err := w.Queue.Live(w.ctx, job.ExtractDocument{V: job.ExtractVersion, OrganizationID: d.OrganizationID, DocumentID: d.ID})
		if w.must(err); !live {
			t.Error("the document has no job")
		}
		events, err := w.st.Events().List(w.ctx, w.scope(), event.Filter{}, page.Request{})
		if w.must(err); len(events.Items) != 1 || events.Items[0].Type != event.DocumentReceived || events.Items[0].Data["source"] != "TRIGGER" {
			t.Errorf("events %+v", events.Items)
		}
		// Changes of name, place or recycle bin ingest nothing; changed
		// contents do.
		w.place.change(id, func(f *file) { f.Name = "b.xml" })
		w.settle()
		w.place.change(id, func(f *file) { f.Parent = top })
		w.settle()
		w.place.change(id, func(f *file) { f.binned = true })
		w.settle()
		w.place.change(id, func(f *file) { f.binned = false })
		w.settle()
		w.want("renamed, moved, deleted, restored", xml(1))
		w.place.write(id, xml(2))
		w.settle()
		w.place.add(top, "copy.xml", false, xml(2))
		w.settle()
		w.want("changed, and copied", xml(1), xml(2))
		if got := w.watch(); got.FilesSeen != 3 || got.FilesTakenIn != 3 {
			t.Errorf("%d seen, %d ingested; want 3", got.FilesSeen, got.FilesTakenIn)
		}
		if w.place.opened[id] != 2 {
			t.Errorf("the file was read %d times, want once a version", w.place.opened[id])
		}
	})
}

// TestFolderBackBeforeReported verifies that a folder is listed when it is back, if
// it was missing when it should have been listed and the feed does not report
// it.
func TestFolderBackBeforeReported(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.settle()
		inside := w.place.add("moved", "a.xml", false, xml(1)) // reported before its folder is known
		w.place.set(func() {
			w.place.items["moved"] = &file{Item: docstore.Item{ID: "moved", Parent: top, Name: "moved", Folder: true}}
			w.place.absent["moved"], w.place.absent[inside] = true, true
		})
		w.place.change("moved", func(*file) {})
		w.poll()
		w.place.set(func() { clear(w.place.absent) })
		w.place.change("moved", func(*file) {})
		for range 2 {
			w.clock.Advance(time.Minute)
			w.settle()
		}
		w.want("back again", xml(1))
	})
}

func TestDirectories(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		in := w.place.add(top, "In", true, nil)
		old := w.place.add(in, "Bills", true, nil)
		other := w.place.add(top, "Other", true, nil)
		far := w.place.add(other, "far", true, nil)
		moving := w.place.add(far, "moving.xml", false, xml(1))
		w.place.add(old, "one.xml", false, xml(2))
		w.settle()
		w.want("watched alone", xml(2))
		// The folder stays watched under another name. A new folder at its path
		// is watched too.
		w.place.change(old, func(f *file) { f.Name = "Archive" })
		w.settle()
		second := w.place.add(in, "Bills", true, nil)
		w.place.add(second, "two.xml", false, xml(3))
		w.place.add(old, "three.xml", false, xml(4))
		w.settle()
		w.want("both folders", xml(2), xml(3), xml(4))
		report, err := w.Report(w.ctx, identity.System(w.i.OrganizationID), w.i)
		w.must(err)
		if len(report.Directories) != 1 || len(report.Directories[0].Folders) != 2 {
			t.Fatalf("directories %+v", report.Directories)
		}
		for n, want := range []string{"In/Archive", "In/Bills"} {
			if f := report.Directories[0].Folders[n]; f.Path != want || !f.There {
				t.Errorf("folder %+v, want %s", f, want)
			}
		}
		// A folder that is moved in ingests its content.
		w.place.change(far, func(f *file) { f.Parent = second })
		w.settle()
		w.want("moved in", xml(1), xml(2), xml(3), xml(4))
		w.place.change(moving, func(f *file) { f.Parent = other })
		w.place.write(moving, xml(5))
		w.settle()
		w.want("moved out", xml(1), xml(2), xml(3), xml(4))
	}, "In/Bills")
}

// TestDirectoriesThatAppear expects that a directory is watched as soon as it
// exists.
func TestDirectoriesThatAppear(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.place.add(top, "outside.xml", false, xml(1))
		w.settle()
		w.want("before it exists")
		later := w.place.add(top, "Later", true, nil)
		w.place.add(later, "inside.xml", false, xml(2))
		w.settle()
		w.want("once it exists", xml(2))
	}, "Later")
}

func TestFilesThatCannotBeHad(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		locked := w.place.add(top, "locked.xml", false, xml(1))
		short := w.place.add(top, "short.xml", false, xml(2))
		empty := w.place.add(top, "empty.xml", false, nil)
		large := w.place.add(top, "large.xml", false, make([]byte, 1<<20+1))
		w.place.set(func() { w.place.locked[locked], w.place.short[short] = true, true })
		w.poll()
		w.want("none can be had")
		nodes, err := w.Nodes.Some(w.ctx, w.i.ID, []string{locked, short, empty, large})
		w.must(err)
		for id, want := range map[string]watch.Reason{locked: watch.Locked, short: watch.Unfinished, empty: watch.Empty, large: watch.TooLarge} {
			if nodes[id].Reason != want {
				t.Errorf("%s: %s %s, want %s", nodes[id].Name, nodes[id].State, nodes[id].Reason, want)
			}
		}
		if got := w.watch(); !got.UpToDateAt.IsZero() || got.NextPollAt.Sub(w.clock.Now()) > time.Minute {
			t.Errorf("up to date at %v, next poll at %v", got.UpToDateAt, got.NextPollAt)
		}
		w.place.set(func() { w.place.locked[locked], w.place.short[short] = false, false })
		w.place.write(empty, xml(3))
		w.clock.Advance(time.Hour)
		w.settle()
		w.want("whole", xml(1), xml(2), xml(3))
	})
}

// TestFilesInTheWay verifies that files that always fail do not delay other
// files.
func TestFilesInTheWay(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.FileTimeout = 2 * time.Second // the good file must not exceed it on a busy machine
		broken := w.place.add(top, "broken.xml", false, xml(1))
		slow := w.place.add(top, "slow.xml", false, xml(2))
		absent := w.place.add(top, "absent.xml", false, xml(3))
		w.place.add(top, "good.xml", false, xml(4))
		w.place.set(func() { w.place.broken[broken], w.place.slow[slow], w.place.absent[absent] = true, true, true })
		if got := w.poll(); got.Failures != 0 {
			t.Errorf("%d failures", got.Failures)
		}
		w.want("besides those", xml(4))
		nodes, err := w.Nodes.Some(w.ctx, w.i.ID, []string{broken, slow, absent})
		w.must(err)
		for id, want := range map[string]watch.Reason{broken: watch.Unanswered, slow: watch.Unanswered, absent: watch.Gone} {
			if n := nodes[id]; n.State != watch.Wanted || n.Reason != want || !n.NextAt.After(w.clock.Now()) {
				t.Errorf("%s: %s %s at %v", n.Name, n.State, n.Reason, n.NextAt)
			}
		}
		w.place.set(func() { clear(w.place.broken); clear(w.place.slow); clear(w.place.absent) })
		w.clock.Advance(time.Minute)
		w.settle()
		w.want("given at last", xml(1), xml(2), xml(3), xml(4))
	})
}

// TestStoreDown verifies that a poll ends early if the store fails for every
// file.
func TestStoreDown(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		for n := range 8 {
			id := w.place.add(top, fmt.Sprintf("%d.xml", n), false, xml(n))
			w.place.set(func() { w.place.broken[id] = true })
		}
		if got := w.poll(); got.Failures != 1 {
			t.Errorf("%d failures, want 1", got.Failures)
		}
		tried := 0
		nodes, err := w.Nodes.Wanted(w.ctx, w.i.ID, w.clock.Now().Add(time.Hour), 10)
		w.must(err)
		for _, n := range nodes {
			tried += n.Attempts
		}
		if len(nodes) != 8 || tried != 3 {
			t.Errorf("%d files wait after %d tries, want 8 after 3", len(nodes), tried)
		}
	})
}

// TestFoldersInTheWay verifies that folders that cannot be listed delay nothing
// else and are listed later.
func TestFoldersInTheWay(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.place.add(top, "good.xml", false, xml(1))
		broken, denied := w.place.add(top, "broken", true, nil), w.place.add(top, "denied", true, nil)
		w.place.add(broken, "b.xml", false, xml(2))
		w.place.add(denied, "d.xml", false, xml(3))
		w.place.set(func() { w.place.broken[broken], w.place.locked[denied] = true, true })
		got := w.poll()
		if _, ok := w.documents()[digest(xml(1))]; !ok || got.Failures != 0 {
			t.Errorf("besides those: %d failures", got.Failures)
		}
		i, err := w.Integrations.Get(w.ctx, w.scope(), w.i.ID)
		if w.must(err); i.Status != integration.Active {
			t.Errorf("the integration is %s", i.Status)
		}
		w.place.set(func() { clear(w.place.broken); clear(w.place.locked) })
		w.clock.Advance(time.Hour)
		w.settle()
		w.want("at last", xml(1), xml(2), xml(3))
	})
}

// TestLargeFolder lists a folder in several polls.
func TestLargeFolder(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		var want [][]byte
		for n := range 30 {
			want = append(want, xml(n))
			w.place.add(top, fmt.Sprintf("%d.xml", n), false, xml(n))
		}
		w.place.set(func() {
			w.place.page = 7
			w.place.reading = func() { w.clock.Advance(time.Minute) } // longer than a turn
		})
		for range 12 {
			w.poll()
		}
		w.place.set(func() { w.place.reading = nil })
		w.poll()
		w.want("in turns", want...)
	})
}

// TestPagesThatTurn verifies that a poll ends if the pages of a store form a
// cycle.
func TestPagesThatTurn(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.settle()
		w.place.add(top, "a.xml", false, xml(1))
		w.place.set(func() { w.place.turning = true })
		if got := w.poll(); got.Failures != 1 || got.NextPollAt.Sub(w.clock.Now()) < time.Minute {
			t.Errorf("%d failures, next poll at %v", got.Failures, got.NextPollAt)
		}
		w.place.set(func() { w.place.turning = false })
		w.settle()
		w.want("once it resumes", xml(1))
	})
}

// TestAnotherAccount verifies that the feed restarts after the consent of
// another account, because the old cursor does not cover what the new account
// can see.
func TestAnotherAccount(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		id := w.place.add(top, "a.xml", false, xml(1))
		w.settle()
		w.place.add(top, "b.xml", false, xml(2))
		w.place.set(func() { w.place.log = w.place.log[:len(w.place.log)-1] }) // its feed never reported it
		w.account = "another"
		w.settle()
		w.want("by another account", xml(1), xml(2))
		if got := w.watch(); got.Epoch != 2 || got.Account != "another" || w.place.opened[id] != 1 {
			t.Errorf("epoch %d of %s, read %d times", got.Epoch, got.Account, w.place.opened[id])
		}
	})
}

// TestMovedDirectory verifies that a watched folder stays watched after a full
// scan, wherever it was moved.
func TestMovedDirectory(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		in := w.place.add(top, "In", true, nil)
		old := w.place.add(top, "Old", true, nil)
		w.settle()
		w.place.change(in, func(f *file) { f.Parent = old })
		w.settle()
		w.place.set(func() { w.place.lost = len(w.place.log) + 1; w.place.log = append(w.place.log, top, top) })
		w.settle()
		w.place.add(in, "a.xml", false, xml(1))
		w.settle()
		w.want("in the folder that was moved", xml(1))
	}, "In")
}

// TestGone verifies that docledger gives up a reported file that does not
// exist.
func TestGone(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		id := w.place.add(top, "a.xml", false, xml(1))
		w.place.set(func() { w.place.absent[id] = true })
		w.settle()
		nodes, err := w.Nodes.Some(w.ctx, w.i.ID, []string{id})
		if w.must(err); nodes[id].State != watch.Skipped || nodes[id].Reason != watch.Gone {
			t.Errorf("%s %s", nodes[id].State, nodes[id].Reason)
		}
	})
}

func TestPlans(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.place.add(top, "a.xml", false, xml(1))
		w.plans.Plan = billing.Plan{Status: "canceled"}
		if got := w.poll(); got.Pause != watch.PausedPlan || !got.LastPollAt.IsZero() {
			t.Errorf("without a plan: paused %q, polled at %v", got.Pause, got.LastPollAt)
		}
		w.want("without a plan")
		none := 0
		w.plans.Plan = billing.Plan{Status: "active", Writable: true, MaxInvoicesPerMonth: &none}
		w.settle()
		d := w.want("at the limit", xml(1))[digest(xml(1))]
		if d.HeldReason != document.HeldPlanLimit || d.Status != document.Uploaded {
			t.Errorf("held for %q in %s", d.HeldReason, d.Status)
		}
	})
}

func TestAccessLost(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.settle()
		status := func() integration.Status {
			i, err := w.Integrations.Get(w.ctx, w.scope(), w.i.ID)
			w.must(err)
			return i.Status
		}
		w.place.set(func() { w.place.denied = true })
		w.place.add(top, "a.xml", false, xml(1))
		if w.poll(); status() != integration.Failed {
			t.Errorf("denied: %s", status())
		}
		w.clock.Advance(time.Hour)
		due, err := w.Watches.DueForPolling(w.ctx, w.clock.Now(), 10)
		if w.must(err); len(due) != 1 || due[0].IntegrationID != w.i.ID {
			t.Errorf("due %v", due)
		}
		w.place.set(func() { w.place.denied = false })
		w.settle()
		if w.want("given back", xml(1)); status() != integration.Active {
			t.Errorf("released: %s", status())
		}
	})
}

func TestLostCursor(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		keep, drop := w.place.add(top, "keep.xml", false, xml(1)), w.place.add(top, "drop.xml", false, xml(2))
		w.settle()
		w.place.change(drop, func(f *file) { f.binned = true })
		w.place.write(keep, xml(3))
		w.place.add(top, "new.xml", false, xml(4))
		w.place.set(func() { w.place.lost = len(w.place.log) + 1; w.place.log = append(w.place.log, top, top) })
		w.settle()
		w.want("after a full scan", xml(1), xml(2), xml(3), xml(4))
		nodes, err := w.Nodes.Some(w.ctx, w.i.ID, []string{keep, drop})
		if w.must(err); !nodes[drop].Removed || nodes[keep].Removed {
			t.Errorf("nodes %+v", nodes)
		}
		if w.place.opened[drop] != 1 || w.watch().Epoch != 2 {
			t.Errorf("read %d times, epoch %d", w.place.opened[drop], w.watch().Epoch)
		}
	})
}

// TestFolderGoneWithTheCursor verifies that a full scan ends although a former
// folder was deleted without a report.
func TestFolderGoneWithTheCursor(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		folder := w.place.add(top, "Old", true, nil)
		inside := w.place.add(folder, "a.xml", false, xml(1))
		w.settle()
		w.place.set(func() {
			w.place.absent[folder], w.place.absent[inside] = true, true
			w.place.items[folder].binned, w.place.items[inside].binned = true, true
			w.place.lost = len(w.place.log) + 1
			w.place.log = append(w.place.log, top, top)
		})
		w.place.add(top, "b.xml", false, xml(2))
		w.settle()
		w.want("after it", xml(1), xml(2))
		if now := w.watch(); now.Enumerating || !now.CaughtUp {
			t.Errorf("the enumeration never ends: %+v", now)
		}
		nodes, err := w.Nodes.Some(w.ctx, w.i.ID, []string{folder, inside})
		if w.must(err); !nodes[folder].Removed || !nodes[inside].Removed {
			t.Errorf("nodes %+v", nodes)
		}
	})
}

// TestSuperseded verifies that a superseded poll stores nothing.
func TestSuperseded(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.place.add(top, "a.xml", false, xml(1))
		due := watch.Due{OrganizationID: w.i.OrganizationID, IntegrationID: w.i.ID}
		late, err := w.Watches.Claim(w.ctx, due)
		w.must(err)
		w.settle()
		_, err = w.Watches.Update(w.ctx, due, late.Run, func(w *watch.Watch) error { w.Cursor = "stale"; return nil })
		if err != watch.ErrSuperseded {
			t.Errorf("a late poller: %v", err)
		}
		if w.watch().Cursor == "stale" {
			t.Error("a late poller stored its cursor")
		}
		w.want("once", xml(1))
	})
}
