package watching

import (
	"context"
	"errors"
	"slices"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/watch"
)

// poll is one turn at one place.
type poll struct {
	*Service
	due   watch.Due
	w     *watch.Watch
	i     *integration.Integration
	actor identity.Actor
	st    store
	until time.Time

	tree     *watch.Tree     // nil while it is not needed
	stumbles int             // files in a row that the store did not answer for
	missing  map[string]bool // folders that were not there when they were to be listed
}

func (p *poll) late() bool { return !p.Clock.Now().Before(p.until) }

// run reads the feed, lists new folders and takes files in, until all is done
// or the turn is over.
func (p *poll) run(ctx context.Context) (o outcome, err error) {
	if o.pause, err = p.paused(ctx); err != nil || o.pause != "" {
		return o, err
	}
	if err := p.aim(ctx); err != nil {
		return o, err
	}
	if err := p.catchUp(ctx); err != nil {
		return o, err
	}
	o.reached = true
	if len(p.w.Directories) > 0 {
		// At once, so that a folder renamed next is known by its id.
		if err := p.grow(ctx); err != nil {
			return o, err
		}
	}
	if o.more, err = p.list(ctx); err != nil {
		return o, err
	}
	o.more = o.more || !p.w.CaughtUp
	if !o.more && p.w.Enumerating {
		if err := p.enumerated(ctx); err != nil {
			return o, err
		}
	}
	more, err := p.takeIn(ctx)
	if err != nil {
		return o, err
	}
	o.more = o.more || more
	o.waiting, err = p.Nodes.Waiting(ctx, p.i.ID)
	return o, err
}

// paused says why nothing is to be read now: the cursor stays where it is.
func (p *poll) paused(ctx context.Context) (watch.Pause, error) {
	e, err := p.Entities.Get(ctx, p.actor.Scope(), p.i.EntityID)
	if err != nil {
		return "", err
	}
	if e.Archived {
		return watch.PausedArchived, nil
	}
	plan, err := p.Plans.Of(ctx, p.i.OrganizationID)
	if err != nil {
		return "", err
	}
	if !plan.Writable {
		return watch.PausedPlan, nil
	}
	return "", nil
}

// change changes the watch and whatever goes with it in one transaction.
func (p *poll) change(ctx context.Context, with func(ctx context.Context, w *watch.Watch) error) error {
	return p.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		w, err := p.Watches.Update(ctx, p.due, p.w.Run, func(w *watch.Watch) error { return with(ctx, w) })
		if err == nil {
			p.w = w
		}
		return err
	})
}

// with calls the store.
func (p *poll) with(ctx context.Context, call func(context.Context, integration.Access) error) error {
	return p.Accesses.With(ctx, p.i, true, call)
}

// aim follows the set-up: what is known of another place is forgotten.
func (p *poll) aim(ctx context.Context) error {
	m := p.i.Trigger
	place := docstore.Place{Source: m.Source, SubSource: m.SubSource}
	if p.w.Aimed(place, m.Directories) {
		return nil
	}
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		if w.Aim(place, m.Directories) {
			return p.Sets.Forget(ctx, p.i.ID)
		}
		return p.Sets.Reconsider(ctx, p.i.ID, p.Clock.Now())
	})
}

// catchUp reads the feed to its end, or to the end of the turn.
func (p *poll) catchUp(ctx context.Context) error {
	lost := false
	for first := true; first || !p.w.CaughtUp && !p.late(); first = false {
		if p.w.Cursor == "" {
			if err := p.begin(ctx); err != nil {
				return err
			}
		}
		err := p.next(ctx)
		if errors.Is(err, docstore.ErrCursorLost) && !lost {
			lost = true
			err = p.lost(ctx, docstore.Restart(err))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// begin asks for a cursor to begin at.
func (p *poll) begin(ctx context.Context) error {
	var cursor string
	err := p.with(ctx, func(ctx context.Context, a integration.Access) (err error) {
		cursor, err = p.st.Start(ctx, a, p.w.Place)
		return err
	})
	if err != nil {
		return err
	}
	p.tree = nil
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		w.Cursor = cursor
		return p.Sets.Unlist(ctx, p.i.ID)
	})
}

// lost begins a full enumeration. It ingests nothing twice: what is known of
// the items stays.
func (p *poll) lost(ctx context.Context, restart string) error {
	p.Log.InfoContext(ctx, "a store lost track of the changes; all is read anew", "integration", p.i.ID, "provider", p.i.Provider)
	p.tree = nil
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		w.Lose(restart)
		return p.Sets.Unlist(ctx, p.i.ID)
	})
}

// next reads a page of the feed and stores it with the cursor behind it.
func (p *poll) next(ctx context.Context) error {
	var page docstore.Page
	err := p.with(ctx, func(ctx context.Context, a integration.Access) (err error) {
		page, err = p.st.Next(ctx, a, p.w.Place, p.w.Cursor)
		return err
	})
	if err != nil {
		return err
	}
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		w.Cursor, w.CaughtUp = page.Cursor, page.Done
		// A feed beside listings also tells of what lies elsewhere.
		return p.learn(ctx, w, page.Changes, p.st.lister != nil)
	})
}

// learn stores what the store told. near drops what is not known and lies in no
// folder that is known.
func (p *poll) learn(ctx context.Context, w *watch.Watch, changes []docstore.Change, near bool) error {
	if len(changes) == 0 {
		return nil
	}
	changes = lastOfEach(changes)
	ids := make([]string, 0, 2*len(changes))
	for _, c := range changes {
		ids = append(ids, c.ID)
		if near && c.Parent != "" {
			ids = append(ids, c.Parent)
		}
	}
	slices.Sort(ids)
	known, err := p.Nodes.Some(ctx, p.i.ID, slices.Compact(ids))
	if err != nil {
		return err
	}
	var put []watch.Node
	reshaped := false
	for _, c := range changes {
		n, there := known[c.ID]
		if _, inside := known[c.Parent]; !there && (c.Removed || near && !c.Top && !inside) {
			continue
		}
		fresh, moved := n.Learn(c, w.Epoch, p.Clock.Now())
		if fresh {
			w.FilesSeen++
		}
		reshaped = reshaped || moved
		known[c.ID] = n
		put = append(put, n)
		p.plant(n)
	}
	if err := p.Nodes.Put(ctx, p.i.ID, put); err != nil || !reshaped {
		return err
	}
	return p.Sets.Reconsider(ctx, p.i.ID, p.Clock.Now())
}

// lastOfEach keeps the last change of each item, in the order of their first
// mention.
func lastOfEach(changes []docstore.Change) []docstore.Change {
	at := make(map[string]int, len(changes))
	var out []docstore.Change
	for _, c := range changes {
		if n, ok := at[c.ID]; ok {
			out[n] = c
			continue
		}
		at[c.ID] = len(out)
		out = append(out, c)
	}
	return out
}

// plant lets the tree follow what is stored.
func (p *poll) plant(n watch.Node) {
	if p.tree != nil && (n.Folder || n.Top) {
		p.tree.Put(n)
	}
}

// grow loads the tree, and has the directories found in it. A folder that lies
// at a directory's path for the first time is watched from then on.
func (p *poll) grow(ctx context.Context) error {
	if p.tree == nil {
		folders, err := p.Nodes.Folders(ctx, p.i.ID)
		if err != nil {
			return err
		}
		p.tree = watch.NewTree(folders, folds(p.i.Provider))
	}
	directories := cloned(p.w.Directories)
	if !p.tree.Resolve(directories) {
		return nil
	}
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		w.Directories = directories
		return p.Sets.Reconsider(ctx, p.i.ID, p.Clock.Now())
	})
}

func cloned(directories []watch.Directory) []watch.Directory {
	out := slices.Clone(directories)
	for n := range out {
		out[n].Folders = slices.Clone(out[n].Folders)
	}
	return out
}

// list reads the content of folders that are new. It says whether some are
// left.
func (p *poll) list(ctx context.Context) (more bool, err error) {
	if p.st.lister == nil {
		return false, nil
	}
	for {
		if err := p.grow(ctx); err != nil {
			return false, err
		}
		todo := p.tree.Unlisted(p.w.Directories)
		if p.tree.Top() == "" {
			todo = []string{""}
		}
		todo = slices.DeleteFunc(todo, func(folder string) bool { return p.missing[folder] })
		if len(todo) == 0 {
			return false, nil
		}
		for _, folder := range todo {
			if p.late() {
				return true, nil
			}
			if err := p.listOne(ctx, folder); err != nil {
				return false, err
			}
		}
	}
}

// listOne reads the content of one folder. A folder counts as listed once its
// last page is stored; until then it is read from its beginning, which changes
// nothing that is known already.
func (p *poll) listOne(ctx context.Context, folder string) error {
	for cursor := ""; ; {
		var page docstore.Page
		err := p.with(ctx, func(ctx context.Context, a integration.Access) (err error) {
			page, err = p.st.lister.Children(ctx, a, p.w.Place, p.nameOf(folder), cursor)
			return err
		})
		// The feed tells of a folder's end by itself; only the place's own
		// matters here. One that is back before the feed is read again is told as
		// if it had never been away, so that it stays to be listed.
		if fault.CodeOf(err) == fault.CodeNotFound && folder != "" && folder != p.tree.Top() {
			p.miss(folder)
			return nil
		}
		if err != nil {
			return err
		}
		err = p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
			return p.learn(ctx, w, page.Changes, false)
		})
		if err != nil {
			return err
		}
		if cursor = page.Cursor; cursor == "" {
			if folder == "" {
				folder = p.tree.Top()
			}
			return p.listed(ctx, folder)
		}
	}
}

// miss leaves a folder to the next poll.
func (p *poll) miss(folder string) {
	if p.missing == nil {
		p.missing = map[string]bool{}
	}
	p.missing[folder] = true
}

// nameOf is how the store wants the place's own folder to be named.
func (p *poll) nameOf(folder string) string {
	if folder == p.tree.Top() {
		return ""
	}
	return folder
}

func (p *poll) listed(ctx context.Context, folder string) error {
	if folder == "" {
		return fault.New(fault.Upstream, fault.CodeProviderUnavailable, "%s did not name the watched place's own folder.", p.i.Provider)
	}
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		known, err := p.Nodes.Some(ctx, p.i.ID, []string{folder})
		n, ok := known[folder]
		if err != nil || !ok {
			return err
		}
		n.Listed = true
		p.plant(n)
		return p.Nodes.Put(ctx, p.i.ID, []watch.Node{n})
	})
}

// enumerated ends a full enumeration: what it did not tell of is gone.
func (p *poll) enumerated(ctx context.Context) error {
	p.tree = nil
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		w.Enumerating = false
		return p.Sets.RemoveUntold(ctx, p.i.ID, w.Epoch)
	})
}
