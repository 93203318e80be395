package watching_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
)

const top = "top"

// file is an item of the store with its content.
type file struct {
	docstore.Item
	content []byte
	binned  bool
}

// place is a document store with one location in memory. Its feed lists
// everything from the beginning, or only changes if listing is set.
type place struct {
	mu      sync.Mutex
	now     func() time.Time
	items   map[string]*file
	log     []string // ids in the order of their changes
	lost    int      // cursors before this position of the log are lost
	page    int
	repeat  bool
	serial  int
	limited int // calls that are refused as too many
	denied  bool
	locked  map[string]bool
	short   map[string]bool // their contents end early
	broken  map[string]bool // they are never answered for
	turning bool            // its pages lead to themselves
	reading func()          // called with each page of a listing
	slow    map[string]bool // their contents never come to an end
	absent  map[string]bool // they are reported but not found
	opened  map[string]int
	onOpen  func() // called before a content is read
}

func newPlace(now func() time.Time) *place {
	p := &place{now: now, items: map[string]*file{}, page: 50, locked: map[string]bool{}, short: map[string]bool{}, opened: map[string]int{},
		broken: map[string]bool{}, slow: map[string]bool{}, absent: map[string]bool{}}
	p.items[top] = &file{Item: docstore.Item{ID: top, Folder: true, Top: true, Name: "Documents"}}
	p.log = append(p.log, top)
	return p
}

func (p *place) change(id string, do func(*file)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do(p.items[id])
	p.log = append(p.log, id)
}

func (p *place) add(parent, name string, folder bool, content []byte) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serial++
	id := fmt.Sprintf("item!%d", p.serial)
	f := &file{Item: docstore.Item{ID: id, Parent: parent, Name: name, Folder: folder, ModifiedAt: p.now()}}
	if !folder {
		p.fill(f, content)
	}
	p.items[id] = f
	p.log = append(p.log, id)
	return id
}

func (p *place) fill(f *file, content []byte) {
	p.serial++
	f.content, f.Size, f.Version = content, int64(len(content)), fmt.Sprintf("v%d", p.serial)
}

func (p *place) write(id string, content []byte) {
	p.change(id, func(f *file) { p.fill(f, content) })
}

func (p *place) set(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
}

// guard refuses a call, or returns with the lock held.
func (p *place) guard(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case p.limited > 0:
		p.limited--
		return integration.RateLimited(integration.DocstoreA, time.Second, errors.New("429"))
	case p.denied:
		return docstore.Denied(integration.DocstoreA, errors.New("403"))
	}
	return nil
}

func (p *place) state(id string) docstore.Change {
	f := p.items[id]
	if f.binned {
		return docstore.Change{Item: docstore.Item{ID: id}, Removed: true}
	}
	return docstore.Change{Item: f.Item}
}

func (p *place) Sources(ctx context.Context, _ integration.Access) ([]docstore.Source, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := []docstore.Source{}
	for n := range 1200 {
		list = append(list, docstore.Source{ID: "site," + strconv.Itoa(n), Name: "Site"})
	}
	return list, p.guard(ctx)
}

func (p *place) SubSources(ctx context.Context, _ integration.Access, source string) ([]docstore.SubSource, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.guard(ctx); err != nil {
		return nil, err
	}
	if source != "site,1" {
		return nil, fault.Missing("source")
	}
	return []docstore.SubSource{{ID: "b!1", Name: "Documents"}}, nil
}

func (p *place) SubSource(ctx context.Context, a integration.Access, at docstore.Location) (docstore.SubSource, error) {
	list, err := p.SubSources(ctx, a, at.Source)
	if err != nil || at.SubSource != "b!1" {
		return docstore.SubSource{}, errors.Join(err, fault.Missing("sub-source"))
	}
	return list[0], nil
}

func (p *place) Directories(ctx context.Context, _ integration.Access, _ docstore.Location, path string) ([]docstore.Item, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.guard(ctx); err != nil {
		return nil, err
	}
	found := []docstore.Item{}
	for _, f := range p.items {
		if f.Folder && !f.binned && p.path(f) == path {
			found = append(found, f.Item)
		}
	}
	return found, nil
}

func (p *place) Folders(ctx context.Context, a integration.Access, at docstore.Location, path string) ([]docstore.Item, error) {
	within, err := p.Directories(ctx, a, at, path)
	if err != nil || len(within) == 0 {
		return nil, cmp.Or(err, error(fault.Missing("folder")))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	found := []docstore.Item{}
	for _, f := range p.items {
		if f.Folder && !f.binned && f.Parent == within[0].ID {
			found = append(found, f.Item)
		}
	}
	return found, nil
}

func (p *place) path(f *file) string {
	if f == nil || f.Top {
		return ""
	}
	return strings.TrimPrefix(p.path(p.items[f.Parent])+"/"+f.Name, "/")
}

func (p *place) Open(ctx context.Context, _ integration.Access, _ docstore.Location, it docstore.Item) (docstore.Content, error) {
	if p.onOpen != nil {
		p.onOpen()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.items[it.ID]
	switch {
	case p.guard(ctx) != nil:
		return docstore.Content{}, integration.Unavailable(integration.DocstoreA, 0, errors.New("503"))
	case f == nil || f.binned || p.absent[it.ID]:
		return docstore.Content{}, fault.Missing("file")
	case p.broken[it.ID]:
		return docstore.Content{}, integration.Unavailable(integration.DocstoreA, 0, errors.New("500"))
	case p.slow[it.ID]:
		return docstore.Content{Body: endless{ctx}, Size: f.Size}, nil
	case p.locked[it.ID]:
		return docstore.Content{}, docstore.Locked(integration.DocstoreA, time.Second, errors.New("423"))
	}
	p.opened[it.ID]++
	content := f.content
	if p.short[it.ID] {
		content = content[:len(content)/2]
	}
	return docstore.Content{Body: io.NopCloser(bytes.NewReader(content)), Size: f.Size, Version: f.Version}, nil
}

// endless is a content that never ends.
type endless struct{ ctx context.Context }

func (e endless) Read([]byte) (int, error) {
	<-e.ctx.Done()
	return 0, integration.Unavailable(integration.DocstoreA, 0, e.ctx.Err())
}

func (endless) Close() error { return nil }

// Start begins at the end of the log, or at its beginning for a feed that lists
// everything.
func (p *place) Start(ctx context.Context, _ integration.Access, _ docstore.Location) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("all:0:%d", len(p.log)), p.guard(ctx)
}

func (p *place) Next(ctx context.Context, _ integration.Access, _ docstore.Location, cursor string) (docstore.Page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.guard(ctx); err != nil {
		return docstore.Page{}, err
	}
	kind, at, _ := strings.Cut(cursor, ":")
	if kind == "all" {
		return p.all(at), nil
	}
	from, err := strconv.Atoi(at)
	if err != nil || from < p.lost {
		return docstore.Page{}, docstore.CursorLost(integration.DocstoreA, "", errors.New("410"))
	}
	to := min(from+p.page, len(p.log))
	page := docstore.Page{Cursor: fmt.Sprintf("log:%d", to), Done: to == len(p.log)}
	if p.turning {
		return docstore.Page{Cursor: cursor}, nil
	}
	start := from
	if p.repeat {
		start = max(0, from-p.page/2)
	}
	for _, id := range p.log[start:to] {
		page.Changes = append(page.Changes, p.state(id))
	}
	return page, nil
}

// all lists every item, children before their parents.
func (p *place) all(at string) docstore.Page {
	from, then := 0, 0
	if _, err := fmt.Sscanf(at, "%d:%d", &from, &then); err != nil {
		return docstore.Page{Cursor: "log:0"}
	}
	ids := make([]string, 0, len(p.items))
	for id := range p.items {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	to := min(from+p.page, len(ids))
	page := docstore.Page{Cursor: fmt.Sprintf("all:%d:%d", to, then)}
	for _, id := range ids[from:to] {
		page.Changes = append(page.Changes, p.state(id))
	}
	if to == len(ids) {
		page.Cursor = fmt.Sprintf("log:%d", then)
	}
	return page
}

// listing is a location whose feed reports only changes.
type listing struct{ *place }

func (p listing) Start(ctx context.Context, _ integration.Access, _ docstore.Location) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("log:%d", len(p.log)), p.guard(ctx)
}

func (p listing) Children(ctx context.Context, _ integration.Access, _ docstore.Location, folder, cursor string) (docstore.Page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.guard(ctx); err != nil {
		return docstore.Page{}, err
	}
	var page docstore.Page
	if folder == "" {
		folder = top
		if cursor == "" {
			page.Changes = append(page.Changes, p.state(top))
		}
	}
	switch {
	case p.broken[folder]:
		return docstore.Page{}, integration.Unavailable(integration.DocstoreA, 0, errors.New("500"))
	case p.locked[folder]:
		return docstore.Page{}, docstore.Denied(integration.DocstoreA, errors.New("403"))
	case p.items[folder].binned || p.absent[folder]:
		return docstore.Page{}, fault.Missing("folder")
	}
	var ids []string
	for id, f := range p.items {
		if f.Parent == folder && !f.binned && id > cursor {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids[:min(p.page, len(ids))] {
		page.Changes = append(page.Changes, p.state(id))
		page.Cursor = id
	}
	if len(ids) <= p.page {
		page.Cursor = ""
	}
	if p.turning {
		page.Cursor = "zzz"
	}
	if p.reading != nil {
		p.reading()
	}
	return page, nil
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
