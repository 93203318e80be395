package msgraph

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// The following methods change the store as people do, without the API. A missing drive or item
// is an error. Each change notifies the drive's subscriptions.

func (s *Server) driveOf(id string) (*drive, error) {
	if id == "" {
		id = DefaultDrive
	}
	if d := s.store.drives[id]; d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("drive %q does not exist", id)
}

// itemOf finds an item, including deleted ones.
func (s *Server) itemOf(driveID, id string) (*item, error) {
	d, err := s.driveOf(driveID)
	if err != nil {
		return nil, err
	}
	if i := d.items[strings.ToUpper(id)]; i != nil && i != d.root {
		return i, nil
	}
	return nil, fmt.Errorf("the drive has no item %q", id)
}

// folderOf finds a folder; "" is the root.
func (s *Server) folderOf(driveID, id string) (*item, error) {
	if id == "" {
		d, err := s.driveOf(driveID)
		if err != nil {
			return nil, err
		}
		return d.root, nil
	}
	i, err := s.itemOf(driveID, id)
	if err == nil && (!i.folder || i.gone()) {
		err = fmt.Errorf("%q is no folder that is there", id)
	}
	return i, err
}

// AddSites adds sites with one library each. Their names are "Seeded 1" and so on.
func (s *Server) AddSites(count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Kit.Clock.Now()
	for n := range count {
		id := siteHost + "," + uuid.NewString() + "," + uuid.NewString()
		s.store.add(&site{id: id, path: fmt.Sprintf("/sites/seeded %d", n+1), name: numbered(n + 1)}, newDriveID(), now)
	}
}

// AddDrives adds libraries to a site. They are named like the sites of AddSites.
func (s *Server) AddDrives(siteID string, count int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.store.site(siteID)
	if at == nil {
		return fmt.Errorf("site %q does not exist", siteID)
	}
	for n := range count {
		s.store.addDrive(at, newDriveID(), numbered(n+1), s.Kit.Clock.Now())
	}
	return nil
}

// AddDrive adds a library to a site and returns its id.
func (s *Server) AddDrive(siteID, name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.store.site(siteID)
	if at == nil {
		return "", fmt.Errorf("site %q does not exist", siteID)
	}
	return s.store.addDrive(at, newDriveID(), name, s.Kit.Clock.Now()).id, nil
}

// Find returns the id of the item at a path of a drive.
func (s *Server) Find(driveID, path string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.driveOf(driveID)
	if err != nil {
		return "", err
	}
	names, err := split(path)
	if err != nil {
		return "", err
	}
	if i := d.root.below(names); i != nil {
		return i.id, nil
	}
	return "", fmt.Errorf("nothing lies at %q", path)
}

// Put adds a file and the missing folders of its path, or replaces the content of an existing
// file. A size beyond the content is filled up with zeros. An empty media type is derived from
// the name. Put returns the item's id.
func (s *Server) Put(driveID, path string, data []byte, size int64, media string) (string, error) {
	return s.PutInto(driveID, "", path, data, size, media)
}

// PutInto is Put below a folder; "" is the root.
func (s *Server) PutInto(driveID, folder, path string, data []byte, size int64, media string) (string, error) {
	c := newContent(data, size) // slow for large contents
	s.mu.Lock()
	defer s.mu.Unlock()
	in, err := s.folderOf(driveID, folder)
	if err != nil {
		return "", err
	}
	i, err := in.drive.write(in, path, c, media, s.Kit.Clock.Now())
	if err != nil {
		return "", err
	}
	s.notify(in.drive)
	return i.id, nil
}

// Change replaces the content of a file.
func (s *Server) Change(driveID, id string, data []byte) error {
	c := newContent(data, 0)
	return s.change(driveID, id, func(i *item) error {
		if i.folder || i.gone() {
			return errors.New("the file does not exist")
		}
		i.drive.replace(i, c, s.Kit.Clock.Now())
		return nil
	})
}

// MakeFolder creates a folder and the missing folders of its path, and returns its id.
func (s *Server) MakeFolder(driveID, path string) (string, error) {
	return s.MakeFolderIn(driveID, "", path)
}

// MakeFolderIn is MakeFolder below a folder; "" is the root.
func (s *Server) MakeFolderIn(driveID, folder, path string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, err := s.folderOf(driveID, folder)
	if err != nil {
		return "", err
	}
	names, err := split(path)
	if err != nil {
		return "", err
	}
	i, err := in.drive.folders(in, names, s.Kit.Clock.Now())
	if err != nil {
		return "", err
	}
	s.notify(in.drive)
	return i.id, nil
}

// change applies a change to an item and notifies its drive's subscriptions.
func (s *Server) change(driveID, id string, do func(*item) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.itemOf(driveID, id)
	if err == nil {
		err = do(i)
	}
	if err == nil {
		s.notify(i.drive)
	}
	return err
}

// Rename renames an item. The delta does not repeat the content of a renamed folder.
func (s *Server) Rename(driveID, id, name string) error {
	return s.change(driveID, id, func(i *item) error { return s.moved(i, i.parent, name) })
}

// Move moves an item to another folder of its drive; "" is the root.
func (s *Server) Move(driveID, id, folder string) error {
	return s.change(driveID, id, func(i *item) error {
		in, err := s.folderOf(driveID, folder)
		if err != nil {
			return err
		}
		return s.moved(i, in, i.name)
	})
}

func (s *Server) moved(i, in *item, name string) error {
	if i.gone() {
		return errors.New("it is in the bin")
	}
	if err := i.place(in, name); err != nil {
		return err
	}
	i.drive.touch(i)
	return nil
}

// MoveOut moves an item into a folder of another drive, where it gets new ids. This drive reports
// a deletion. MoveOut returns the new id.
func (s *Server) MoveOut(driveID, id, toDrive, toFolder string) (made string, err error) {
	err = s.change(driveID, id, func(i *item) error {
		in, err := s.folderOf(toDrive, toFolder)
		if err == nil && i.gone() {
			err = errors.New("it is in the bin")
		}
		if err == nil && in.drive == i.drive {
			err = errors.New("the target is in the same drive; use Move")
		}
		if err != nil {
			return err
		}
		twin, err := i.copyTo(in, s.Kit.Clock.Now())
		if err != nil {
			return err
		}
		made = twin.id
		s.notify(in.drive)
		return s.bin(i)
	})
	return made, err
}

// Delete moves an item to the recycle bin. The delta reports only the folder, not its content,
// unless Settings.TellDescendants is set.
func (s *Server) Delete(driveID, id string) error { return s.change(driveID, id, s.bin) }

func (s *Server) bin(i *item) error {
	if i.gone() {
		return errors.New("the item is already in the bin")
	}
	if s.settings.TellDescendants {
		i.drive.touchAll(i)
	} else {
		i.drive.touch(i)
	}
	i.deleted = true
	i.leave()
	return nil
}

// Restore restores a deleted item with its content. The delta repeats all restored items.
func (s *Server) Restore(driveID, id string) error {
	return s.change(driveID, id, func(i *item) error {
		if !i.deleted || i.parent.gone() {
			return errors.New("the item is not in the bin, or its folder is in the bin")
		}
		if err := i.place(i.parent, i.name); err != nil {
			return err
		}
		i.deleted = false
		i.drive.touchAll(i)
		return nil
	})
}

// Hold is the reason why a file cannot be read.
type Hold struct {
	Locked    bool `json:"locked"`    // somebody edits it
	Uploading bool `json:"uploading"` // its upload is not complete
	Infected  bool `json:"infected"`
}

// Hold makes a file unreadable or readable. The end of an upload is reported as a change.
func (s *Server) Hold(driveID, id string, h Hold) error {
	return s.change(driveID, id, func(i *item) error {
		if i.folder {
			return errors.New("it is a folder")
		}
		if i.uploading != h.Uploading || i.infected != h.Infected {
			i.drive.touch(i)
		}
		i.locked, i.uploading, i.infected = h.Locked, h.Uploading, h.Infected
		return nil
	})
}

// ExpireCursors invalidates the delta tokens of a drive.
func (s *Server) ExpireCursors(driveID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.driveOf(driveID)
	if err == nil {
		d.epoch++
	}
	return err
}

// Deny withdraws the read permission for a site from everybody, or restores it.
func (s *Server) Deny(siteID string, denied bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.store.site(siteID)
	if at == nil {
		return fmt.Errorf("site %q does not exist", siteID)
	}
	at.isDenied = denied
	return nil
}
