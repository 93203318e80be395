package gdrive

import (
	"context"
	"errors"
	"strings"

	"docledger/adapter/connector"
	"docledger/adapter/docstore/gdrive/client"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
)

const (
	// folders is the part of a query that selects folders outside the trash.
	folders = "mimeType = '" + client.FolderType + "' and trashed = false"
	// manyAlike limits how many folders of one path are followed.
	manyAlike = 1000
)

// Sources implements docstore.Browser.
func (c *Connector) Sources(ctx context.Context, a integration.Access) ([]docstore.Source, error) {
	files, err := c.client.Files(ctx, a, client.Query{Text: folders + " and ('root' in parents or sharedWithMe = true)"})
	if err != nil {
		return nil, translate("folder", err)
	}
	drives, err := c.client.Drives(ctx, a)
	if err != nil {
		return nil, translate("folder", err)
	}
	list := sources(files)
	for _, d := range drives {
		list = append(list, docstore.Source{ID: d.ID, Name: d.Name})
	}
	return connector.Distinct(list, func(s docstore.Source) string { return s.ID }), nil
}

// SubSources implements docstore.Browser. It reads the source first: the provider may return an
// empty list for a folder that the account cannot read.
func (c *Connector) SubSources(ctx context.Context, a integration.Access, source string) ([]docstore.SubSource, error) {
	at, err := c.folder(ctx, a, source)
	if err != nil {
		return nil, err
	}
	files, err := c.client.Files(ctx, a, inside(at, " and "+folders))
	if err != nil {
		return nil, translate("folder", err)
	}
	return connector.Distinct(sources(files), func(s docstore.Source) string { return s.ID }), nil
}

// SubSource implements docstore.Browser.
func (c *Connector) SubSource(ctx context.Context, a integration.Access, p docstore.Location) (docstore.SubSource, error) {
	top, err := c.top(ctx, a, p)
	if err != nil {
		return docstore.SubSource{}, err
	}
	return sourceOf(top), nil
}

// Directories implements docstore.Browser. A folder may contain several folders of one name, and
// names that differ only in case.
func (c *Connector) Directories(ctx context.Context, a integration.Access, p docstore.Location, path string) ([]docstore.Item, error) {
	top, err := c.top(ctx, a, p)
	if err != nil {
		return nil, err
	}
	found := []client.File{*top}
	if path != "" {
		for segment := range strings.SplitSeq(path, "/") {
			if found, err = c.named(ctx, a, found, segment); err != nil {
				return nil, err
			}
		}
	}
	list := make([]docstore.Item, 0, len(found))
	for n := range found {
		list = append(list, item(&found[n], p))
	}
	return list, nil
}

// Folders implements docstore.Browser.
func (c *Connector) Folders(ctx context.Context, a integration.Access, p docstore.Location, path string) ([]docstore.Item, error) {
	within, err := c.Directories(ctx, a, p, path)
	if err != nil {
		return nil, err
	}
	return connector.FoldersInside(Provider, within, func(at docstore.Item) (list []docstore.Item, err error) {
		// The query needs the shared drive of the folder, which an item does not have.
		f, err := c.folder(ctx, a, at.ID)
		if err != nil {
			return nil, err
		}
		files, err := c.client.Files(ctx, a, inside(f, " and "+folders))
		if err != nil {
			return nil, translate("folder", err)
		}
		for n := range files {
			list = append(list, item(&files[n], p))
		}
		return list, nil
	})
}

// named lists the folders of a name directly inside any of the given folders.
func (c *Connector) named(ctx context.Context, a integration.Access, within []client.File, name string) (found []client.File, err error) {
	for n := range within {
		files, err := c.client.Files(ctx, a, inside(&within[n], " and "+folders+" and name = "+client.Quote(name)))
		if err != nil {
			return nil, translate("folder", err)
		}
		for _, f := range files {
			if f.Name == name { // the query ignores case
				found = append(found, f)
			}
		}
		if len(found) > manyAlike {
			return nil, fault.New(fault.Invalid, fault.CodeInvalidRequest,
				"More than %d folders at %s have that path. Rename some of them.", manyAlike, Provider)
		}
	}
	return found, nil
}

// folder returns a folder. It returns NotFound for a file and for a folder in the trash.
func (c *Connector) folder(ctx context.Context, a integration.Access, id string) (*client.File, error) {
	if !client.IsID(id) {
		return nil, notFound("folder", connector.ErrNoSuchID)
	}
	f, err := c.client.File(ctx, a, id)
	if err != nil {
		return nil, translate("folder", err)
	}
	if !f.Folder() || f.Trashed {
		return nil, notFound("folder", errors.New("it is in the trash or not a folder"))
	}
	return f, nil
}

// top returns the folder of the location, which must be directly inside its source.
func (c *Connector) top(ctx context.Context, a integration.Access, p docstore.Location) (*client.File, error) {
	f, err := c.folder(ctx, a, p.SubSource)
	if err != nil {
		return nil, err
	}
	if f.Parent() != p.Source || p.Source == "" {
		return nil, notFound("folder", errors.New("it is not inside its source"))
	}
	return f, nil
}

// inside returns a query for the direct children of a folder that match more.
func inside(f *client.File, more string) client.Query {
	return client.Query{Text: client.Quote(f.ID) + " in parents" + more, Drive: f.DriveID}
}

func sourceOf(f *client.File) docstore.Source {
	return docstore.Source{ID: f.ID, Name: f.Name, WebURL: f.WebViewLink}
}

func sources(files []client.File) []docstore.Source {
	list := make([]docstore.Source, 0, len(files))
	for n := range files {
		list = append(list, sourceOf(&files[n]))
	}
	return list
}
