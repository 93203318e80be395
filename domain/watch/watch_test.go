package watch_test

import (
	"slices"
	"testing"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/watch"
)

func folder(id, parent, name string) watch.Node {
	return watch.Node{Item: docstore.Item{ID: id, Parent: parent, Name: name, Folder: true, Top: parent == ""}}
}

func TestTree(t *testing.T) {
	t.Parallel()
	tree := watch.NewTree([]watch.Node{
		folder("t", "", "Documents"), folder("a", "t", "In"), folder("b", "a", "Bills"), folder("c", "b", "2026"),
		folder("x", "t", "Else"), folder("o", "unknown", "Bills"), folder("r1", "r2", "r"), folder("r2", "r1", "r"),
	}, true)
	directories := []watch.Directory{{Path: "in/bills", Folders: []string{"x"}}}
	if !tree.Resolve(directories) || !slices.Equal(directories[0].Folders, []string{"x", "b"}) || tree.Resolve(directories) {
		t.Errorf("directories %+v", directories)
	}
	for id, want := range map[string]bool{"t": false, "a": false, "b": true, "c": true, "x": true, "o": false, "r1": false, "": false, "unknown": false} {
		if tree.Watched(id) != want {
			t.Errorf("%q is watched: %t", id, !want)
		}
	}
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	if got, later := tree.Unlisted(directories, now); !slices.Equal(got, []string{"a", "b", "c", "t", "x"}) || later != 0 {
		t.Errorf("to be listed: %v, later %d", got, later)
	}
	// What is watched may lie anywhere by now, and what could not be listed
	// waits.
	deep := watch.NewTree([]watch.Node{folder("t", "", "Documents"), folder("o", "t", "Old"), folder("p", "o", "Past"), folder("x", "p", "Bills")}, true)
	moved := []watch.Directory{{Path: "in/bills", Folders: []string{"x"}}}
	deep.Resolve(moved)
	silent, denied := folder("p", "o", "Past"), folder("x", "p", "Bills")
	if got, _ := deep.Unlisted(moved, now); !slices.Equal(got, []string{"o", "p", "t", "x"}) {
		t.Errorf("on the way to what was moved: %v", got)
	}
	silent.Defer(watch.Unanswered, now)
	denied.Defer(watch.Denied, now)
	deep.Put(silent)
	deep.Put(denied)
	if got, later := deep.Unlisted(moved, now); !slices.Equal(got, []string{"o", "t"}) || later != 1 {
		t.Errorf("put off: %v, later %d", got, later)
	}
	gone := folder("o", "t", "Old")
	gone.Defer(watch.Gone, now)
	deep.Put(gone)
	if got, later := deep.Unlisted(moved, now); !slices.Equal(got, []string{"t"}) || later != 1 {
		t.Errorf("not there: %v, later %d", got, later)
	}
	if got, _ := deep.Unlisted(moved, now.Add(time.Hour)); !slices.Equal(got, []string{"o", "p", "t", "x"}) {
		t.Errorf("an hour later: %v", got)
	}
	if path, ok := tree.Path("c"); !ok || path != "In/Bills/2026" {
		t.Errorf("path %q", path)
	}
	tree.Resolve(nil)
	if !tree.Watched("a") || tree.Watched("o") || tree.Watched("r1") {
		t.Error("without directories all of the place is watched, and nothing else")
	}
}

func TestLearn(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	told := func(version string) docstore.Change {
		return docstore.Change{Item: docstore.Item{ID: "f", Parent: "t", Name: "f", Version: version, Size: 1}}
	}
	var n watch.Node
	if fresh, _ := n.Apply(told("1"), 1, now); !fresh || n.State != watch.Wanted {
		t.Errorf("new: %+v", n)
	}
	n.Retry(watch.Locked, time.Minute, now)
	if fresh, _ := n.Apply(told("1"), 1, now); fresh || n.Attempts != 1 || !n.NextAt.Equal(now.Add(time.Minute)) {
		t.Errorf("reported again while it waits: %+v", n)
	}
	n.MarkIngested("1")
	if fresh, _ := n.Apply(docstore.Change{Item: docstore.Item{ID: "f"}, Removed: true}, 1, now); fresh || !n.Removed {
		t.Errorf("removed: %+v", n)
	}
	if fresh, _ := n.Apply(told("1"), 1, now); fresh || n.Removed || n.State != watch.TakenIn {
		t.Errorf("restored: %+v", n)
	}
	if fresh, _ := n.Apply(told("2"), 1, now); !fresh || n.State != watch.Wanted || n.Attempts != 0 {
		t.Errorf("changed: %+v", n)
	}
	n.Skip(watch.Empty, time.Time{})
	if fresh, _ := n.Apply(told("2"), 1, now); fresh || n.State != watch.Skipped {
		t.Errorf("given up: %+v", n)
	}
	for range 20 {
		n.Retry(watch.Denied, 0, now)
	}
	if n.NextAt.Sub(now) > time.Hour {
		t.Errorf("put off for %s", n.NextAt.Sub(now))
	}
	top := folder("t", "", "Documents")
	if _, reshaped := top.Apply(docstore.Change{Item: docstore.Item{ID: "t", Parent: "drive", Name: "Documents", Folder: true}}, 2, now); !top.Top || !reshaped {
		t.Errorf("the place's own folder as a feed reports it: %+v", top)
	}
}
