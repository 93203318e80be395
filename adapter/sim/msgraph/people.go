package msgraph

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// What people do in the store, apart from the API. Drives and items that are
// not there are errors. Each change is told to the drive's subscriptions.

func (s *Server) driveOf(id string) (*drive, error) {
	if id == "" {
		id = DefaultDrive
	}
	if d := s.store.drives[id]; d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("there is no drive %q", id)
}

// itemOf finds an item, those in the bin included.
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

// folderOf finds a folder, "" for the top.
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

// AddSites adds sites with a library each, whose names are "Seeded 1" and so
// on.
func (s *Server) AddSites(count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Kit.Clock.Now()
	for n := range count {
		id := siteHost + "," + uuid.NewString() + "," + uuid.NewString()
		s.store.add(&site{id: id, path: fmt.Sprintf("/sites/seeded %d", n+1), name: numbered(n + 1)}, newDriveID(), now)
	}
}

// AddDrives adds libraries to a site, whose names are as those of AddSites.
func (s *Server) AddDrives(siteID string, count int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.store.site(siteID)
	if at == nil {
		return fmt.Errorf("there is no site %q", siteID)
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
		return "", fmt.Errorf("there is no site %q", siteID)
	}
	return s.store.addDrive(at, newDriveID(), name, s.Kit.Clock.Now()).id, nil
}

// Find returns the id of what lies at a path of a drive.
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

// Put adds a file with the folders on its way, or gives the one that is there
// other content. A size beyond the content is filled up with zeros. An empty
// media type is that of the name. It returns the item's id.
func (s *Server) Put(driveID, path string, data []byte, size int64, media string) (string, error) {
	return s.PutInto(driveID, "", path, data, size, media)
}

// PutInto is Put below a folder, "" for the top.
func (s *Server) PutInto(driveID, folder, path string, data []byte, size int64, media string) (string, error) {
	c := newContent(data, size) // takes a while for large ones
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
	s.tell(in.drive)
	return i.id, nil
}

// Change gives a file other content.
func (s *Server) Change(driveID, id string, data []byte) error {
	c := newContent(data, 0)
	return s.change(driveID, id, func(i *item) error {
		if i.folder || i.gone() {
			return errors.New("it is no file that is there")
		}
		i.drive.replace(i, c, s.Kit.Clock.Now())
		return nil
	})
}

// MakeFolder makes a folder, with those on the way, and returns its id.
func (s *Server) MakeFolder(driveID, path string) (string, error) {
	return s.MakeFolderIn(driveID, "", path)
}

// MakeFolderIn is MakeFolder below a folder, "" for the top.
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
	s.tell(in.drive)
	return i.id, nil
}

// change does something with an item and tells its drive's subscriptions.
func (s *Server) change(driveID, id string, do func(*item) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.itemOf(driveID, id)
	if err == nil {
		err = do(i)
	}
	if err == nil {
		s.tell(i.drive)
	}
	return err
}

// Rename gives an item another name. What is in a folder is not told anew.
func (s *Server) Rename(driveID, id, name string) error {
	return s.change(driveID, id, func(i *item) error { return s.moved(i, i.parent, name) })
}

// Move puts an item into another folder of its drive, "" for the top.
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

// MoveOut moves an item into a folder of another drive, where it has new ids;
// here it is gone. It returns the new id.
func (s *Server) MoveOut(driveID, id, toDrive, toFolder string) (made string, err error) {
	err = s.change(driveID, id, func(i *item) error {
		in, err := s.folderOf(toDrive, toFolder)
		if err == nil && i.gone() {
			err = errors.New("it is in the bin")
		}
		if err == nil && in.drive == i.drive {
			err = errors.New("it is there already: move it within the drive")
		}
		if err != nil {
			return err
		}
		twin, err := i.copyTo(in, s.Kit.Clock.Now())
		if err != nil {
			return err
		}
		made = twin.id
		s.tell(in.drive)
		return s.bin(i)
	})
	return made, err
}

// Delete puts an item into the bin. A folder is told alone, unless
// Settings.TellDescendants.
func (s *Server) Delete(driveID, id string) error { return s.change(driveID, id, s.bin) }

func (s *Server) bin(i *item) error {
	if i.gone() {
		return errors.New("it is in the bin already")
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

// Restore takes an item out of the bin again, with all that was in it, which is
// told anew.
func (s *Server) Restore(driveID, id string) error {
	return s.change(driveID, id, func(i *item) error {
		if !i.deleted || i.parent.gone() {
			return errors.New("it is not in the bin, or its folder is")
		}
		if err := i.place(i.parent, i.name); err != nil {
			return err
		}
		i.deleted = false
		i.drive.touchAll(i)
		return nil
	})
}

// Hold says how a file is kept from being read.
type Hold struct {
	Locked    bool `json:"locked"`    // somebody works at it
	Uploading bool `json:"uploading"` // its content is not all there
	Infected  bool `json:"infected"`
}

// Hold keeps a file from being read, or lets it be read again. An upload that
// ends is told as a change.
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

// ExpireCursors loses the delta tokens of a drive.
func (s *Server) ExpireCursors(driveID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.driveOf(driveID)
	if err == nil {
		d.epoch++
	}
	return err
}

// Deny takes the right to read a site and all in it from everybody, or gives it
// back.
func (s *Server) Deny(siteID string, denied bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.store.site(siteID)
	if at == nil {
		return fmt.Errorf("there is no site %q", siteID)
	}
	at.isDenied = denied
	return nil
}
