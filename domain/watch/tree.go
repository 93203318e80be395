package watch

import (
	"slices"
	"strings"
	"time"
)

// maxDepth bounds how deep folders may lie; a store that tells of a circle is
// not followed for ever.
const maxDepth = 512

// Tree is the folders of a place.
type Tree struct {
	nodes map[string]*Node
	top   string
	roots map[string]bool
	whole bool // all of the place is watched
	fold  bool // names are compared without case
}

// NewTree builds the tree of the folders that are there. fold says that the
// store compares names without case.
func NewTree(folders []Node, fold bool) *Tree {
	t := &Tree{nodes: make(map[string]*Node, len(folders)), fold: fold}
	for i := range folders {
		t.Put(folders[i])
	}
	return t
}

// Put adds a folder, or what became of it.
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

// Top returns the place's own folder; "" while it is not known.
func (t *Tree) Top() string { return t.top }

// Knows says whether a folder is there.
func (t *Tree) Knows(id string) bool { return t.nodes[id] != nil }

// Path is where a folder lies in the place; ok is false outside of it.
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

// Resolve finds the folders that lie at the directories' paths now and adds
// them to those that are watched. It says whether there is a new one.
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

// Watched says whether what lies in a folder is watched, after Resolve.
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

// Unlisted returns the folders whose content is still to be listed, in no
// order: those that are watched, and those on the way to a directory or to a
// folder that is watched for one. Those that could not be listed wait for their
// time; later counts the ones of which it is not known whether they have content:
// neither those that may not be read nor those that were not there.
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

// above returns the folders that those watched for a directory lie in.
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

// leads says whether a path is on the way to a directory.
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
