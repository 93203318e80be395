package msgraph

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The site and the library that exist at the start.
const (
	DefaultSite  = siteHost + ",2c712604-1370-44e7-a1f5-426573fda80a,2d2244c3-251a-49ea-93a8-39e1c3a060fe"
	DefaultDrive = "b!BCZxLHATp0Sh9UJlc_2oCsNEIi0aJepJk6g54cOgYP4"

	// siteHost is the host of the simulated organization. It contains no real name, because ids
	// and addresses are shown to people.
	siteHost = "organization.example"
)

// store is the data of the organization.
type store struct {
	sites         []*site
	drives        map[string]*drive
	subscriptions map[string]*subscription
}

// site has document libraries.
type site struct {
	id       string
	path     string // /sites/books
	name     string
	made     time.Time
	drives   []*drive
	isDenied bool // for everybody
}

// drive is a document library.
type drive struct {
	id    string
	name  string
	site  *site
	made  time.Time
	root  *item
	items map[string]*item // including deleted ones
	seq   int64            // of the latest change
	epoch int              // increases when delta tokens are invalidated
}

func newStore(now time.Time) store {
	s := store{drives: map[string]*drive{}, subscriptions: map[string]*subscription{}}
	s.add(&site{id: DefaultSite, path: "/sites/books", name: "Books"}, DefaultDrive, now)
	return s
}

// add adds a site with a library.
func (s *store) add(at *site, driveID string, now time.Time) {
	at.made = now
	s.sites = append(s.sites, at)
	s.addDrive(at, driveID, "Documents", now)
}

func (s *store) addDrive(at *site, id, name string, now time.Time) *drive {
	d := &drive{id: id, name: name, site: at, made: now, items: map[string]*item{}}
	d.root = &item{id: newItemID(), guid: newGUID(), name: "root", drive: d, folder: true, kids: map[string]*item{}, made: now, modified: now}
	d.items[d.root.id] = d.root
	d.touch(d.root)
	at.drives = append(at.drives, d)
	s.drives[id] = d
	return d
}

func (s *store) site(id string) *site {
	if strings.EqualFold(id, "root") || strings.EqualFold(id, siteHost) {
		return s.sites[0]
	}
	return find(s.sites, func(at *site) bool { return strings.EqualFold(at.id, id) })
}

func newGUID() string { return strings.ToUpper(uuid.NewString()) }

func newItemID() string { return "01" + rand.Text()[:26] + rand.Text()[:6] }

// newDriveID returns an id in the format of the provider, with an exclamation mark, a dash and an
// underscore.
func newDriveID() string {
	raw := make([]byte, 45)
	_, _ = rand.Read(raw) // never fails
	return "b!" + base64.RawURLEncoding.EncodeToString(raw) + "-_A"
}

// item is a file or folder.
type item struct {
	id, guid string
	name     string
	drive    *drive
	parent   *item // nil for the root
	folder   bool
	kids     map[string]*item // of a folder, by lower-case name; without deleted ones
	content  content
	media    string

	version, contentVersion int // of eTag and cTag
	made, modified          time.Time
	seq                     int64 // of its latest change
	deleted                 bool  // it was deleted itself
	locked, uploading       bool
	infected                bool
}

// gone reports whether the item or a folder above it was deleted.
func (i *item) gone() bool {
	for at := i; at != nil; at = at.parent {
		if at.deleted {
			return true
		}
	}
	return false
}

// path is the path below the root, with a leading /.
func (i *item) path() string {
	var names []string
	for at := i; at.parent != nil; at = at.parent {
		names = append(names, at.name)
	}
	slices.Reverse(names)
	return "/" + strings.Join(names, "/")
}

func (i *item) webURL() string {
	return "https://" + siteHost + i.drive.site.path + "/" + url.PathEscape(i.drive.name) + (&url.URL{Path: i.path()}).EscapedPath()
}

// children returns the items of a folder by name.
func (i *item) children() []*item {
	out := make([]*item, 0, len(i.kids))
	for _, kid := range i.kids {
		out = append(out, kid)
	}
	slices.SortFunc(out, func(a, b *item) int { return strings.Compare(a.name, b.name) })
	return out
}

// below follows a path. It returns nil if there is no item.
func (i *item) below(path []string) *item {
	at := i
	for _, name := range path {
		if at = at.kids[strings.ToLower(name)]; at == nil {
			return nil
		}
	}
	return at
}

// touch makes the item the drive's latest change.
func (d *drive) touch(i *item) {
	d.seq++
	i.seq = d.seq
	i.version++
}

// touchAll does the same for the content of a folder too.
func (d *drive) touchAll(i *item) {
	d.touch(i)
	for _, kid := range i.children() {
		d.touchAll(kid)
	}
}

// item finds an item that is not deleted.
func (d *drive) item(id string) *item {
	if strings.EqualFold(id, "root") {
		return d.root
	}
	i := d.items[strings.ToUpper(id)]
	if i == nil || i.gone() {
		return nil
	}
	return i
}

const maxName = 255

// checkName refuses the names that the provider refuses.
func checkName(name string) error {
	switch {
	case name == "" || len(name) > maxName || name == "." || name == "..":
		return fmt.Errorf("the name %.40q is empty, too long, or consists of dots", name)
	case strings.ContainsAny(name, "\"*:<>?/\\|\x00"), name != strings.TrimSpace(name):
		return fmt.Errorf("the name %q contains a forbidden character, or a blank at an end", name)
	}
	return nil
}

// split splits a path into names.
func split(path string) (names []string, err error) {
	if path = strings.Trim(path, "/"); path == "" {
		return nil, nil
	}
	names = strings.Split(path, "/")
	for _, name := range names {
		err = cmp.Or(err, checkName(name))
	}
	return names, err
}

// folders finds the folder at a path below another one, and creates the missing folders.
func (d *drive) folders(at *item, names []string, now time.Time) (*item, error) {
	for _, name := range names {
		next := at.kids[strings.ToLower(name)]
		if next == nil {
			next = d.make(at, name, true, now)
		}
		if !next.folder {
			return nil, fmt.Errorf("%s is a file", next.path())
		}
		at = next
	}
	return at, nil
}

func (d *drive) make(in *item, name string, folder bool, now time.Time) *item {
	i := &item{id: newItemID(), guid: newGUID(), name: name, drive: d, parent: in, folder: folder, made: now, modified: now}
	if folder {
		i.kids = map[string]*item{}
	}
	d.items[i.id] = i
	in.kids[strings.ToLower(name)] = i
	d.touch(i)
	return i
}

// write adds a file below a folder, or replaces the content of an existing one.
func (d *drive) write(below *item, path string, c content, media string, now time.Time) (*item, error) {
	names, err := split(path)
	if err != nil || len(names) == 0 {
		return nil, cmp.Or(err, errors.New("a file has a path"))
	}
	in, err := d.folders(below, names[:len(names)-1], now)
	if err != nil {
		return nil, err
	}
	name := names[len(names)-1]
	i := in.kids[strings.ToLower(name)]
	if i == nil {
		i = d.make(in, name, false, now)
	}
	if i.folder {
		return nil, fmt.Errorf("%s is a folder", i.path())
	}
	d.replace(i, c, now)
	i.media = cmp.Or(media, mediaType(name))
	return i, nil
}

// replace replaces the content of a file.
func (d *drive) replace(i *item, c content, now time.Time) {
	i.content, i.modified = c, now
	i.contentVersion++
	d.touch(i)
}

// place puts an item into a folder under a name. It renames and moves items.
func (i *item) place(in *item, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	for at := in; at != nil; at = at.parent {
		if at == i {
			return errors.New("a folder cannot be moved into itself")
		}
	}
	if other := in.kids[strings.ToLower(name)]; other != nil && other != i {
		return fmt.Errorf("%s is there already", other.path())
	}
	i.leave()
	i.parent, i.name = in, name
	in.kids[strings.ToLower(name)] = i
	return nil
}

// leave removes an item from its folder's list.
func (i *item) leave() {
	if key := strings.ToLower(i.name); i.parent.kids[key] == i {
		delete(i.parent.kids, key)
	}
}

// copyTo copies an item and its content to another drive.
func (i *item) copyTo(in *item, now time.Time) (*item, error) {
	if in.kids[strings.ToLower(i.name)] != nil {
		return nil, fmt.Errorf("%s/%s is there already", in.path(), i.name)
	}
	made := in.drive.make(in, i.name, i.folder, now)
	made.media = i.media
	if !i.folder {
		in.drive.replace(made, i.content, i.modified)
	}
	for _, kid := range i.children() {
		if _, err := kid.copyTo(made, now); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// numbered is the name of the n-th of many items.
func numbered(n int) string { return "Seeded " + strconv.Itoa(n) }
