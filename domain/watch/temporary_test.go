package watch

import (
	"testing"
	"time"

	"docledger/domain/docstore"
)

func TestIsTemporary(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"~$Invoice.docx": true, ".~lock.Invoice.ods#": true, "a.pdf.TMP": true, "a.pdf.part": true, "a.crdownload": true, "._a.pdf": true,
		"Thumbs.db": true, "a.pdf": false, "tmp.pdf": false, "~a.pdf": false, "part": false, "a.partner": false, "": false,
	} {
		if got := IsTemporary(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}

// TestRenamedTemporaryFile checks that a file that gets its final name is ingested, although its version
// is the same.
func TestRenamedTemporaryFile(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	var n Node
	item := docstore.Item{ID: "1", Version: "1", Name: "a.pdf.part", Parent: "top", Size: 5}
	n.Apply(docstore.Change{Item: item}, 1, now)
	n.Skip(Temporary, now)
	n.Apply(docstore.Change{Item: item}, 1, now)
	if n.State != Skipped || !n.SkippedAt.Equal(now) {
		t.Errorf("reported again: %+v", n)
	}
	item.Name = "a.pdf"
	n.Apply(docstore.Change{Item: item}, 1, now)
	if n.State != Wanted || n.Reason != "" || !n.SkippedAt.IsZero() {
		t.Errorf("renamed: %+v", n)
	}
}

// TestLinkedItems checks that a shortcut is looked at once, to be listed as skipped.
func TestLinkedItems(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for _, folder := range []bool{false, true} {
		var n Node
		item := docstore.Item{ID: "1", Name: "link", Parent: "top", Linked: true, Folder: folder}
		if fresh, _ := n.Apply(docstore.Change{Item: item}, 1, now); fresh || n.State != Wanted {
			t.Errorf("folder %t: %+v", folder, n)
		}
		n.Skip(Linked, now)
		if n.Apply(docstore.Change{Item: item}, 2, now.Add(time.Hour)); n.State != Skipped || !n.SkippedAt.Equal(now) {
			t.Errorf("folder %t reported again: %+v", folder, n)
		}
	}
}
