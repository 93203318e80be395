package watching

import (
	"context"
	"errors"
	"slices"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/watch"
)

// poll is one poll of a watch.
type poll struct {
	*Service
	due   watch.Due
	w     *watch.Watch
	i     *integration.Integration
	actor identity.Actor
	st    store
	until time.Time

	tree     *watch.Tree // nil until it is needed
	stumbles int         // consecutive files without a valid response
}

func (p *poll) late() bool { return !p.Clock.Now().Before(p.until) }

// run reads the feed, lists new folders and ingests files, until everything is done or its time is
// over.
func (p *poll) run(ctx context.Context) (o outcome, err error) {
	if o.pause, err = p.paused(ctx); err != nil || o.pause != "" {
		return o, err
	}
	if err := p.reconfigure(ctx); err != nil {
		return o, err
	}
	if err := p.catchUp(ctx); err != nil {
		return o, err
	}
	o.reached = true
	if len(p.w.Directories) > 0 {
		// The tree is loaded first, so that a folder that is renamed next is known by its id.
		if err := p.loadTree(ctx); err != nil {
			return o, err
		}
	}
	more, later, err := p.list(ctx)
	if err != nil {
		return o, err
	}
	o.more = more || !p.w.CaughtUp
	if !o.more && later == 0 && p.w.Enumerating {
		if err := p.enumerated(ctx); err != nil {
			return o, err
		}
	}
	more, err = p.ingest(ctx)
	if errors.Is(err, entity.ErrArchived) { // during this poll
		o.pause = watch.PausedArchived
		return o, nil
	}
	if err != nil {
		return o, err
	}
	o.more = o.more || more
	waiting, err := p.Nodes.Waiting(ctx, p.i.ID)
	o.waiting = waiting + later
	return o, err
}

// paused returns the reason for which nothing may be read now. The cursor is kept.
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

// change changes the watch and related records in one transaction.
func (p *poll) change(ctx context.Context, with func(ctx context.Context, w *watch.Watch) error) error {
	return p.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		w, err := p.Watches.Update(ctx, p.due, p.w.Run, func(w *watch.Watch) error { return with(ctx, w) })
		if err == nil {
			p.w = w
		}
		return err
	})
}

// with calls the document store.
func (p *poll) with(ctx context.Context, call func(context.Context, integration.Access) error) error {
	return p.Accesses.With(ctx, p.i, true, call)
}

// reconfigure applies the current setup. If the location changed, the known nodes are deleted.
func (p *poll) reconfigure(ctx context.Context) error {
	m := p.i.Trigger
	place := docstore.Location{Source: m.Source, SubSource: m.SubSource}
	if p.w.Targets(place, m.Directories) {
		return nil
	}
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		if w.Retarget(place, m.Directories) {
			return p.Sets.Forget(ctx, p.i.ID)
		}
		return p.Sets.RequeueExcluded(ctx, p.i.ID, p.Clock.Now())
	})
}

// catchUp reads the feed to its end, or until the time is over.
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

// begin requests an initial cursor.
func (p *poll) begin(ctx context.Context) error {
	var cursor, account string
	err := p.with(ctx, func(ctx context.Context, a integration.Access) (err error) {
		account = a.Account
		cursor, err = p.st.Start(ctx, a, p.w.Place)
		return err
	})
	if err != nil {
		return err
	}
	p.tree = nil
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		w.Cursor, w.Account = cursor, account
		return p.Sets.ResetListing(ctx, p.i.ID)
	})
}

// lost starts a full scan. It ingests nothing twice, because the known nodes are kept.
func (p *poll) lost(ctx context.Context, restart string) error {
	p.Log.InfoContext(ctx, "change cursor lost, starting full scan", "integration", p.i.ID, "provider", p.i.Provider)
	p.tree = nil
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		w.ResetCursor(restart)
		return p.Sets.ResetListing(ctx, p.i.ID)
	})
}

// The errors that end a feed or a listing.
var (
	errOtherAccount = errors.New("the cursor belongs to another account")
	errStill        = errors.New("a page refers to itself")
)

// next reads a page of the feed and stores it with the next cursor. A cursor of another account is
// refused, because it would omit changes.
func (p *poll) next(ctx context.Context) error {
	var page docstore.Page
	err := p.with(ctx, func(ctx context.Context, a integration.Access) (err error) {
		if a.Account != p.w.Account {
			return docstore.CursorLost(p.i.Provider, "", errOtherAccount)
		}
		page, err = p.st.Next(ctx, a, p.w.Place, p.w.Cursor)
		return err
	})
	if err != nil {
		return err
	}
	if !page.Done && page.Cursor == p.w.Cursor {
		return integration.Unavailable(p.i.Provider, 0, errStill)
	}
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		w.Cursor, w.CaughtUp = page.Cursor, page.Done
		// If folders are listed, the feed also reports items outside the location.
		return p.applyChanges(ctx, w, page.Changes, p.st.lister != nil)
	})
}

// applyChanges stores reported changes. near drops unknown items in unknown folders.
func (p *poll) applyChanges(ctx context.Context, w *watch.Watch, changes []docstore.Change, near bool) error {
	if len(changes) == 0 {
		return nil
	}
	changes = slices.DeleteFunc(lastOfEach(changes), func(c docstore.Change) bool { return !watch.CanBeKept(c) })
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
		fresh, moved := n.Apply(c, w.Epoch, p.Clock.Now())
		if fresh {
			w.FilesSeen++
		}
		if moved && c.ID == w.Listing.Folder {
			w.Listing = watch.Listing{} // listed items may have disappeared and returned
		}
		reshaped = reshaped || moved
		known[c.ID] = n
		put = append(put, n)
		p.addNode(n)
	}
	if err := p.Nodes.Put(ctx, p.i.ID, put); err != nil || !reshaped {
		return err
	}
	return p.Sets.RequeueExcluded(ctx, p.i.ID, p.Clock.Now())
}

// lastOfEach returns the last change of each item, in order of first occurrence.
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

// addNode updates the tree with a stored node.
func (p *poll) addNode(n watch.Node) {
	if p.tree != nil && (n.Folder || n.Top) {
		p.tree.Put(n)
	}
}

// loadTree loads the tree and resolves the directories in it. A folder that is found at a
// directory's path is watched from then on.
func (p *poll) loadTree(ctx context.Context) error {
	if p.tree == nil {
		folders, err := p.Nodes.Folders(ctx, p.i.ID)
		if err != nil {
			return err
		}
		p.tree = watch.NewTree(folders, p.Providers.Find(p.i.Provider).CaseInsensitive)
	}
	directories := cloned(p.w.Directories)
	if !p.tree.Resolve(directories) {
		return nil
	}
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		w.Directories = directories
		return p.Sets.RequeueExcluded(ctx, p.i.ID, p.Clock.Now())
	})
}

func cloned(directories []watch.Directory) []watch.Directory {
	out := slices.Clone(directories)
	for n := range out {
		out[n].Folders = slices.Clone(out[n].Folders)
	}
	return out
}

// list reads the content of new folders. more reports whether some are left. later counts folders
// that could not be listed; they do not block others.
func (p *poll) list(ctx context.Context) (more bool, later int, err error) {
	if p.st.lister == nil {
		return false, 0, nil
	}
	for {
		if err := p.loadTree(ctx); err != nil {
			return false, 0, err
		}
		todo, later := p.tree.Unlisted(p.w.Directories, p.Clock.Now())
		if p.tree.Top() == "" {
			todo = []string{""}
		}
		if n := slices.Index(todo, p.w.Listing.Folder); n > 0 {
			todo[0], todo[n] = todo[n], todo[0] // a listing in progress continues first
		}
		if len(todo) == 0 {
			return false, later, nil
		}
		for _, folder := range todo {
			if p.late() {
				return true, later, nil
			}
			if more, err := p.listOne(ctx, folder); more || err != nil {
				return more, later, err
			}
		}
	}
}

// listOne reads the content of one folder. Progress is stored with each page, so that a large
// folder may take several polls. more reports that this poll's time is over. A folder counts as
// listed after its last page is stored.
func (p *poll) listOne(ctx context.Context, folder string) (more bool, err error) {
	cursor := ""
	if folder != "" && p.w.Listing.Folder == folder {
		cursor = p.w.Listing.Cursor
	}
	for {
		var page docstore.Page
		err := p.with(ctx, func(ctx context.Context, a integration.Access) (err error) {
			page, err = p.st.lister.Children(ctx, a, p.w.Place, p.nameOf(folder), cursor)
			return err
		})
		if err == nil && page.Cursor != "" && page.Cursor == cursor {
			err = integration.Unavailable(p.i.Provider, 0, errStill)
		}
		if err != nil {
			return false, p.notListed(ctx, folder, err)
		}
		err = p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
			if err := p.applyChanges(ctx, w, page.Changes, false); err != nil {
				return err
			}
			if folder == "" {
				folder = p.tree.Top()
			}
			w.Listing = watch.Listing{Folder: folder, Cursor: page.Cursor}
			return nil
		})
		if err != nil {
			return false, err
		}
		if cursor = page.Cursor; cursor == "" {
			return false, p.listed(ctx, folder)
		}
		if p.late() {
			return true, nil
		}
	}
}

// notListed defers a folder that cannot be listed. A failure of the root folder ends the poll.
func (p *poll) notListed(ctx context.Context, folder string, why error) error {
	if folder == "" || folder == p.tree.Top() {
		return p.forgetListing(ctx, why)
	}
	reason := watch.Denied
	switch {
	case fault.CodeOf(why) == fault.CodeNotFound:
		// The feed reports the removal of the folder. If the folder returns before the next read,
		// the feed reports it as if it had never been removed.
		reason = watch.Gone
	case errors.Is(why, docstore.ErrDenied):
	case errors.Is(why, docstore.ErrCursorLost), ctx.Err() != nil, !unanswered(why):
		return p.forgetListing(ctx, why)
	default:
		if p.stumbles++; p.stumbles >= maxStumbles {
			return why
		}
		reason = watch.Unanswered
	}
	return p.ofFolder(ctx, folder, func(n *watch.Node) { n.Defer(reason, p.Clock.Now()) })
}

// forgetListing restarts the listing of a folder if the document store no longer knows its cursor.
// It returns why.
func (p *poll) forgetListing(ctx context.Context, why error) error {
	if !errors.Is(why, docstore.ErrCursorLost) {
		return why
	}
	return errors.Join(why, p.change(ctx, func(_ context.Context, w *watch.Watch) error {
		w.Listing = watch.Listing{}
		return nil
	}))
}

// nameOf returns the id by which the document store identifies the root folder of the location.
func (p *poll) nameOf(folder string) string {
	if folder == p.tree.Top() {
		return ""
	}
	return folder
}

func (p *poll) listed(ctx context.Context, folder string) error {
	if folder == "" {
		return fault.New(fault.Upstream, fault.CodeProviderUnavailable, "%s did not identify the root folder of the watched location.", p.i.Provider)
	}
	p.stumbles = 0
	return p.ofFolder(ctx, folder, func(n *watch.Node) { n.Listed, n.Reason = true, "" })
}

// ofFolder updates the node of a folder and ends its listing.
func (p *poll) ofFolder(ctx context.Context, folder string, change func(*watch.Node)) error {
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		w.Listing = watch.Listing{}
		known, err := p.Nodes.Some(ctx, p.i.ID, []string{folder})
		n, ok := known[folder]
		if err != nil || !ok {
			return err
		}
		change(&n)
		p.addNode(n)
		return p.Nodes.Put(ctx, p.i.ID, []watch.Node{n})
	})
}

// enumerated ends a full scan and deletes the nodes that it did not report.
func (p *poll) enumerated(ctx context.Context) error {
	p.tree = nil
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		w.Enumerating = false
		return p.Sets.DeleteMissing(ctx, p.i.ID, w.Epoch)
	})
}
