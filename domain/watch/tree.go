package watch

import (
	"slices"
	"strings"
	"time"
)

// maxDepth is the maximum depth of folders. It stops the traversal if a document store reports a
// cycle.
const maxDepth = 512

// Tree is the folder tree of a location.
type Tree struct {
	nodes map[string]*Node
	top   string
	roots map[string]bool
	whole bool // the whole location is watched
	fold  bool // names are compared case-insensitively
}

// NewTree builds the tree of the existing folders. fold makes name comparison case-insensitive.
func NewTree(folders []Node, fold bool) *Tree {
	t := &Tree{nodes: make(map[string]*Node, len(folders)), fold: fold}
	for i := range folders {
		t.Put(folders[i])
	}
	return t
}

// Put adds a folder or updates it.
func (t *Tree) Put(n Node) {
	if n.Removed {
		delete(t.nodes, n.ID)
		return
	}
	if n.Top {
		t.top = n.ID
	}
	t.nodes[n.ID] = &n
}

// Top returns the root folder of the location; "" if it is not known.
func (t *Tree) Top() string { return t.top }

// Knows reports whether a folder exists.
func (t *Tree) Knows(id string) bool { return t.nodes[id] != nil }

// Path returns the path of a folder within the location; ok is false if the folder is outside.
func (t *Tree) Path(id string) (path string, ok bool) {
	var names []string
	for range maxDepth {
		if id == t.top && id != "" {
			slices.Reverse(names)
			return strings.Join(names, "/"), true
		}
		n := t.nodes[id]
		if n == nil {
			return "", false
		}
		names, id = append(names, n.Name), n.Parent
	}
	return "", false
}

// Resolve finds the folders that are currently at the directories' paths and adds them to the
// watched folders. It reports whether there is a new one.
func (t *Tree) Resolve(directories []Directory) (changed bool) {
	t.whole, t.roots = len(directories) == 0, map[string]bool{}
	at := map[string][]string{}
	for id := range t.nodes {
		if path, ok := t.Path(id); ok && len(directories) > 0 {
			at[t.key(path)] = append(at[t.key(path)], id)
		}
	}
	for i := range directories {
		d := &directories[i]
		found := at[t.key(d.Path)]
		slices.Sort(found)
		for _, id := range found {
			if !slices.Contains(d.Folders, id) {
				d.Folders, changed = append(d.Folders, id), true
			}
		}
		for _, id := range d.Folders {
			t.roots[id] = true
		}
	}
	return changed
}

func (t *Tree) key(path string) string {
	if t.fold {
		return strings.ToLower(path)
	}
	return path
}

// Watched reports whether the content of a folder is watched. It requires a prior call of Resolve.
func (t *Tree) Watched(folder string) bool {
	under, id := false, folder
	for range maxDepth {
		under = under || t.whole || t.roots[id]
		if id == t.top && id != "" {
			return under
		}
		n := t.nodes[id]
		if n == nil || n.Linked {
			return false
		}
		id = n.Parent
	}
	return false
}

// Unlisted returns the folders whose content must be listed, in no particular order. These are
// watched folders and folders on the way to a directory or to a folder watched for one. Folders
// that could not be listed wait until their NextAt. later counts those of them that may still have
// content; it excludes folders that are forbidden or were missing.
func (t *Tree) Unlisted(directories []Directory, now time.Time) (ids []string, later int) {
	above := t.above()
	for id, n := range t.nodes {
		if n.Listed || n.Linked {
			continue
		}
		path, ok := t.Path(id)
		switch {
		case !ok, !above[id] && !t.Watched(id) && !t.leads(path, directories):
		case !n.NextAt.After(now):
			ids = append(ids, id)
		case n.Reason == Unanswered:
			later++
		}
	}
	slices.Sort(ids)
	return ids, later
}

// above returns the ancestors of the folders that are watched for a directory.
func (t *Tree) above() map[string]bool {
	found := map[string]bool{}
	for id := range t.roots {
		for range maxDepth {
			n := t.nodes[id]
			if n == nil || found[n.Parent] {
				break
			}
			id = n.Parent
			found[id] = true
		}
	}
	return found
}

// leads reports whether a path is an ancestor of a directory.
func (t *Tree) leads(path string, directories []Directory) bool {
	if path == "" {
		return true
	}
	for _, d := range directories {
		if strings.HasPrefix(t.key(d.Path)+"/", t.key(path)+"/") {
			return true
		}
	}
	return false
}
