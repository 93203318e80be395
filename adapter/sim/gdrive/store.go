package gdrive

import (
	"crypto/md5" //nolint:gosec // the digest that the provider shows for each file
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	folderType   = "application/vnd.google-apps.folder"
	shortcutType = "application/vnd.google-apps.shortcut"
	ownType      = "application/vnd.google-apps."
	timeLayout   = "2006-01-02T15:04:05.000Z"
)

// file is a file, a folder, or the top folder of a user or shared drive.
type file struct {
	id, name, mime   string
	parent           string // "" for a top folder
	owner            string // user's id; "" in a shared drive
	drive            string // shared drive's id; "" in a user's files
	target           string // of a shortcut
	content          []byte // of a document of the provider's own type: its PDF
	md5, sha256      string
	created, changed time.Time
	version          int64 // increases with every change
	revision         string
	order            int64
	sharedWithMe     bool
	trashed          bool // itself; the content of a trashed folder is trashed too
	partial          bool // still being uploaded
	locked           bool // cannot be downloaded
	denied           int  // the status that refuses it and its content; 0 for none
}

func (f *file) native() bool { return strings.HasPrefix(f.mime, ownType) }

// fill sets the content of a file, which creates a revision.
func (f *file) fill(content []byte) {
	f.content = content
	if f.native() {
		return
	}
	m, s := md5.Sum(content), sha256.Sum256(content) //nolint:gosec // as above
	f.md5, f.sha256, f.revision = hex.EncodeToString(m[:]), hex.EncodeToString(s[:]), "0B"+newID()
}

// drive is a shared drive. Its top folder has the same id.
type drive struct {
	id, name string
	members  []string // user ids; nil for everybody
	created  time.Time
}

// event is one entry of the change feed.
type event struct {
	number int64
	file   string
	drive  string
	owner  string
	at     time.Time
}

// store contains the files.
type store struct {
	files   map[string]*file
	drives  []*drive
	roots   map[string]string // top folders by user
	events  []event
	last    int64 // number of the latest event
	oldest  int64 // page tokens of earlier changes are invalid
	listing int   // the generation of page tokens of lists
	made    int64
}

func newStore(users []*User, now time.Time) store {
	s := store{files: map[string]*file{}, roots: map[string]string{}, last: 100, oldest: 100}
	for _, u := range users {
		root := s.put(&file{name: "My Drive", mime: folderType, owner: u.ID}, now)
		s.roots[u.ID] = root.id
	}
	return s
}

// newID returns an id in the provider's format: letters, digits, - and _.
func newID() string {
	var raw [24]byte
	_, _ = rand.Read(raw[:]) // never fails
	return "1" + base64.RawURLEncoding.EncodeToString(raw[:])
}

// put adds a file to its parent.
func (s *store) put(f *file, now time.Time) *file {
	if f.id == "" {
		f.id = newID()
	}
	s.made++
	f.order, f.created, f.changed, f.version = s.made, now, now, 1
	s.files[f.id] = f
	return f
}

// note records a change of a file.
func (s *store) note(f *file, now time.Time) {
	s.last++
	f.version++
	s.events = append(s.events, event{number: s.last, file: f.id, drive: f.drive, owner: f.owner, at: now})
}

// root is the top folder of a user's files.
func (s *store) root(user string) *file { return s.files[s.roots[user]] }

// binned reports whether a file or a folder above it is in the bin.
func (s *store) binned(f *file) bool {
	for ; f != nil; f = s.files[f.parent] {
		if f.trashed {
			return true
		}
	}
	return false
}

// refusal is the status that refuses a file to a user; 0 for none.
func (s *store) refusal(f *file, user string) int {
	if f.drive != "" {
		if d := s.driveOf(f.drive, user); d == nil {
			return 404
		}
	} else if f.owner != user {
		return 404
	}
	for ; f != nil; f = s.files[f.parent] {
		if f.denied != 0 {
			return f.denied
		}
	}
	return 0
}

// driveOf returns a shared drive if the user is a member; nil otherwise.
func (s *store) driveOf(id, user string) *drive {
	return find(s.drives, func(d *drive) bool { return d.id == id && d.has(user) })
}

func (d *drive) has(user string) bool {
	if d.members == nil {
		return true
	}
	return slices.Contains(d.members, user)
}

// shown returns a file with all fields of the API.
func (s *store) shown(f *file) object {
	binned := s.binned(f)
	out := object{
		"kind": "drive#file", "id": f.id, "name": f.name, "mimeType": f.mime, "trashed": binned, "explicitlyTrashed": f.trashed,
		"version": strconv.FormatInt(f.version, 10), "createdTime": f.created.Format(timeLayout), "modifiedTime": f.changed.Format(timeLayout),
		"webViewLink": "https://drive.google.com/file/d/" + f.id + "/view", "ownedByMe": f.owner != "" && !f.sharedWithMe,
		"capabilities": object{"canDownload": !f.locked && f.mime != folderType, "canListChildren": f.mime == folderType},
		"spaces":       []any{"drive"},
	}
	if f.parent != "" && !f.sharedWithMe {
		out["parents"] = []any{f.parent}
	}
	if f.sharedWithMe {
		out["sharedWithMeTime"] = f.created.Format(timeLayout)
	}
	if f.drive != "" {
		out["driveId"] = f.drive
	}
	if f.target != "" {
		out["shortcutDetails"] = object{"targetId": f.target, "targetMimeType": s.mimeOf(f.target)}
	}
	if !f.native() {
		s.showContent(f, out)
	}
	return out
}

// showContent adds the fields that only files with bytes have. A file that is still being
// uploaded has no bytes.
func (s *store) showContent(f *file, out object) {
	out["originalFilename"] = f.name
	if f.partial {
		out["size"] = "0"
		return
	}
	out["size"] = strconv.Itoa(len(f.content))
	out["md5Checksum"], out["sha256Checksum"], out["headRevisionId"] = f.md5, f.sha256, f.revision
	if _, extension, found := strings.Cut(f.name, "."); found {
		out["fileExtension"] = extension
	}
}

func (s *store) mimeOf(id string) string {
	if f := s.files[id]; f != nil {
		return f.mime
	}
	return ""
}
