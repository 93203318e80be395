package gdrive

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Types of files without bytes.
const (
	FolderType   = folderType
	ShortcutType = shortcutType
	DocumentType = ownType + "document"
)

// File describes a file to add.
type File struct {
	Name     string
	MimeType string // "" for application/octet-stream
	Parent   string // "" for the first user's top folder
	Content  []byte // of a document of the provider's own type: its PDF
	Target   string // of a shortcut
	// Partial marks a file that is still being uploaded. It has no bytes until Finish.
	Partial bool
	// SharedWithMe marks a file that another person shares with the user. It is in none of the
	// user's folders.
	SharedWithMe bool
}

// change applies a change to a file, as people do, and returns it. The id "" means no file.
func (s *Server) change(id string, do func(f *file, now time.Time) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.store.files[id]
	if id != "" && f == nil {
		return fmt.Errorf("file %q does not exist", id)
	}
	return do(f, s.Kit.Clock.Now())
}

// happen records and announces a change of a file. The caller holds the lock.
func (s *Server) happen(f *file, state string, now time.Time) {
	s.store.note(f, now)
	s.announce(state)
}

// Root is the id of the first user's top folder.
func (s *Server) Root() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.roots[s.identity.users[0].ID]
}

// Add adds a file and returns its id.
func (s *Server) Add(in File) (id string, err error) {
	err = s.change("", func(_ *file, now time.Time) error {
		id, err = s.add(in, now)
		return err
	})
	return id, err
}

func (s *Server) add(in File, now time.Time) (string, error) {
	if in.Parent == "" {
		in.Parent = s.store.roots[s.identity.users[0].ID]
	}
	if in.MimeType == "" {
		in.MimeType = "application/octet-stream"
	}
	parent := s.store.files[in.Parent]
	switch {
	case parent == nil || parent.mime != folderType:
		return "", fmt.Errorf("folder %q does not exist", in.Parent)
	case in.Name == "":
		return "", errors.New("a file needs a name")
	case (in.MimeType == shortcutType) != (in.Target != ""):
		return "", errors.New("a shortcut requires a target; other files must not have one")
	}
	f := &file{
		name: in.Name, mime: in.MimeType, parent: in.Parent, owner: parent.owner, drive: parent.drive, target: in.Target,
		partial: in.Partial, sharedWithMe: in.SharedWithMe,
	}
	f.fill(in.Content)
	s.store.put(f, now)
	s.happen(f, "add", now)
	return f.id, nil
}

// AddFolder adds a folder to a folder and returns its id.
func (s *Server) AddFolder(parent, name string) (id string, err error) {
	return s.Add(File{Name: name, MimeType: folderType, Parent: parent})
}

// AddDrive adds a shared drive with the given members, or for everybody. It returns the drive's
// id, which is also that of its top folder.
func (s *Server) AddDrive(name string, members ...string) (id string, err error) {
	err = s.change("", func(_ *file, now time.Time) error {
		if name == "" {
			return errors.New("a drive needs a name")
		}
		d := &drive{id: "0A" + newID()[:17], name: name, members: members, created: now}
		s.store.drives = append(s.store.drives, d)
		s.store.put(&file{id: d.id, name: "Drive", mime: folderType, drive: d.id}, now)
		id = d.id
		return nil
	})
	return id, err
}

// SeedFolders adds folders named "Seeded 1" and so on to a folder.
func (s *Server) SeedFolders(parent string, count int) error {
	return s.change("", func(_ *file, now time.Time) error {
		for n := range count {
			if _, err := s.add(File{Name: "Seeded " + strconv.Itoa(n+1), MimeType: folderType, Parent: parent}, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// Change replaces the content of a file. It also completes an upload.
func (s *Server) Change(id string, content []byte) error {
	return s.change(id, func(f *file, now time.Time) error {
		if f == nil || f.mime == folderType || f.mime == shortcutType {
			return fmt.Errorf("%q has no content", id)
		}
		f.fill(content)
		f.partial, f.changed = false, now
		s.happen(f, "update", now)
		return nil
	})
}

// Finish completes the upload of a file that was added as Partial.
func (s *Server) Finish(id string) error {
	return s.change(id, func(f *file, now time.Time) error {
		if f == nil || !f.partial {
			return fmt.Errorf("%q is not being uploaded", id)
		}
		f.partial, f.changed = false, now
		s.happen(f, "update", now)
		return nil
	})
}

// Rename renames a file or folder. The content does not change.
func (s *Server) Rename(id, name string) error {
	return s.change(id, func(f *file, now time.Time) error {
		if f == nil || name == "" {
			return errors.New("file and name are required")
		}
		f.name = name
		s.happen(f, "update", now)
		return nil
	})
}

// Move moves a file or folder to another folder of the same owner or drive.
func (s *Server) Move(id, parent string) error {
	return s.change(id, func(f *file, now time.Time) error {
		to := s.store.files[parent]
		if f == nil || f.parent == "" || to == nil || to.mime != folderType || to.drive != f.drive || to.owner != f.owner {
			return fmt.Errorf("%q cannot be moved to %q", id, parent)
		}
		for above := to; above != nil; above = s.store.files[above.parent] {
			if above == f {
				return fmt.Errorf("%q is within %q", parent, id)
			}
		}
		f.parent = parent
		s.happen(f, "update", now)
		return nil
	})
}

// Trash moves a file or folder to the bin.
func (s *Server) Trash(id string) error { return s.bin(id, true) }

// Restore restores a file or folder from the bin.
func (s *Server) Restore(id string) error { return s.bin(id, false) }

func (s *Server) bin(id string, in bool) error {
	return s.change(id, func(f *file, now time.Time) error {
		if f == nil || f.parent == "" {
			return fmt.Errorf("%q cannot be put into the bin", id)
		}
		f.trashed = in
		state := "untrash"
		if in {
			state = "trash"
		}
		s.happen(f, state, now)
		return nil
	})
}

// Delete deletes a file, or a folder with its content, permanently.
func (s *Server) Delete(id string) error {
	return s.change(id, func(f *file, now time.Time) error {
		if f == nil || f.parent == "" {
			return fmt.Errorf("%q cannot be deleted", id)
		}
		s.erase(f, now)
		return nil
	})
}

func (s *Server) erase(f *file, now time.Time) {
	for _, one := range s.store.files {
		if one.parent == f.id {
			s.erase(one, now)
		}
	}
	delete(s.store.files, f.id)
	s.happen(f, "remove", now)
}

// Deny refuses requests for a file or folder and its content with status 403 or 404; 0 removes
// the refusal. The feed reports a removed or restored file.
func (s *Server) Deny(id string, status int) error {
	return s.change(id, func(f *file, now time.Time) error {
		if f == nil || status != 0 && status != 403 && status != 404 {
			return errors.New("file and a status of 0, 403 or 404 are required")
		}
		f.denied = status
		s.happen(f, "update", now)
		return nil
	})
}

// Lock refuses downloads of a file, or permits them again.
func (s *Server) Lock(id string, on bool) error {
	return s.change(id, func(f *file, _ time.Time) error {
		if f == nil {
			return errors.New("it needs a file")
		}
		f.locked = on
		return nil
	})
}

// InvalidateTokens invalidates all issued page tokens.
func (s *Server) InvalidateTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store.listing++
	s.store.last += 1000
	s.store.oldest = s.store.last + 1
}

// Refuse refuses the next calls with 403 and one of the temporary reasons.
func (s *Server) Refuse(reason string, times int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(limitReasons(), reason) || times < 1 || times > 1000 {
		return fmt.Errorf("the reason must be one of %v, times between 1 and 1000", limitReasons())
	}
	for range times {
		s.refusals = append(s.refusals, reason)
	}
	return nil
}

// Find returns the id of the first file with a name in a folder; "" if there is none.
func (s *Server) Find(parent, name string) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var first *file
	for _, f := range s.store.files {
		if f.parent == parent && f.name == name && (first == nil || f.order < first.order) {
			first = f
		}
	}
	if first == nil {
		return ""
	}
	return first.id
}
