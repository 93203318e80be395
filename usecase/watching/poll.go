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

	tree     *watch.Tree // nil while it is not needed
	stumbles int         // files in a row that the store did not answer for
}

func (p *poll) late() bool { return !p.Clock.Now().Before(p.until) }

// run reads the feed, lists new folders and takes files in, until all is done
// or the turn is over.
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
		// At once, so that a folder renamed next is known by its id.
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
	if more, err = p.ingest(ctx); err != nil {
		return o, err
	}
	o.more = o.more || more
	waiting, err := p.Nodes.Waiting(ctx, p.i.ID)
	o.waiting = waiting + later
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

// reconfigure follows the set-up: what is known of another place is forgotten.
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

// lost begins a full enumeration. It ingests nothing twice: what is known of
// the items stays.
func (p *poll) lost(ctx context.Context, restart string) error {
	p.Log.InfoContext(ctx, "a store lost track of the changes; all is read anew", "integration", p.i.ID, "provider", p.i.Provider)
	p.tree = nil
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		w.ResetCursor(restart)
		return p.Sets.ResetListing(ctx, p.i.ID)
	})
}

// Why a feed or a listing can't go on.
var (
	errOtherAccount = errors.New("it is another account's")
	errStill        = errors.New("a page leads to itself")
)

// next reads a page of the feed and stores it with the cursor behind it. That
// of another account would leave changes out.
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
		// A feed beside listings also tells of what lies elsewhere.
		return p.applyChanges(ctx, w, page.Changes, p.st.lister != nil)
	})
}

// applyChanges stores what the store told. near drops what is not known and lies in no
// folder that is known.
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
			w.Listing = watch.Listing{} // what was listed may have gone and come back
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

// addNode lets the tree follow what is stored.
func (p *poll) addNode(n watch.Node) {
	if p.tree != nil && (n.Folder || n.Top) {
		p.tree.Put(n)
	}
}

// loadTree loads the tree, and has the directories found in it. A folder that lies
// at a directory's path for the first time is watched from then on.
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

// list reads the content of folders that are new. more says that some are left,
// later counts those that could not be listed for now, which keep no others
// waiting.
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
			todo[0], todo[n] = todo[n], todo[0] // what was begun comes first
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

// listOne reads the content of one folder. How far that has got is stored with
// each page, so that a large one may take several turns; more says that this
// one is over. A folder counts as listed once its last page is stored.
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

// notListed puts a folder off that can't be listed. That of the place itself
// ends the poll.
func (p *poll) notListed(ctx context.Context, folder string, why error) error {
	if folder == "" || folder == p.tree.Top() {
		return p.forgetListing(ctx, why)
	}
	reason := watch.Denied
	switch {
	case fault.CodeOf(why) == fault.CodeNotFound:
		// The feed tells of its end by itself. One that is back before the feed is
		// read again is told as if it had never been away.
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

// forgetListing has a folder listed from its beginning where the store no
// longer knows how far that had got. It returns why.
func (p *poll) forgetListing(ctx context.Context, why error) error {
	if !errors.Is(why, docstore.ErrCursorLost) {
		return why
	}
	return errors.Join(why, p.change(ctx, func(_ context.Context, w *watch.Watch) error {
		w.Listing = watch.Listing{}
		return nil
	}))
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
	p.stumbles = 0
	return p.ofFolder(ctx, folder, func(n *watch.Node) { n.Listed, n.Reason = true, "" })
}

// ofFolder changes what is known of a folder, whose listing is over.
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

// enumerated ends a full enumeration: what it did not tell of is gone.
func (p *poll) enumerated(ctx context.Context) error {
	p.tree = nil
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		w.Enumerating = false
		return p.Sets.DeleteMissing(ctx, p.i.ID, w.Epoch)
	})
}
