package gdrive

import (
	"context"
	"errors"
	"slices"
	"strings"

	"docledger/adapter/connector"
	"docledger/adapter/docstore/gdrive/client"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
)

const (
	// folders is the part of a query that folders fit which are not in the bin.
	folders = "mimeType = '" + client.FolderType + "' and trashed = false"
	// manyAlike bounds how many folders of one path are followed.
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
	return distinct(list), nil
}

// SubSources implements docstore.Browser. The source is read before what is in
// it: of one that may not be read, the provider might tell an empty list.
func (c *Connector) SubSources(ctx context.Context, a integration.Access, source string) ([]docstore.SubSource, error) {
	at, err := c.folder(ctx, a, source)
	if err != nil {
		return nil, err
	}
	files, err := c.client.Files(ctx, a, inside(at, " and "+folders))
	if err != nil {
		return nil, translate("folder", err)
	}
	return distinct(sources(files)), nil
}

// SubSource implements docstore.Browser.
func (c *Connector) SubSource(ctx context.Context, a integration.Access, p docstore.Location) (docstore.SubSource, error) {
	top, err := c.top(ctx, a, p)
	if err != nil {
		return docstore.SubSource{}, err
	}
	return sourceOf(top), nil
}

// Directories implements docstore.Browser. Names may repeat in a folder, and
// differ by case alone.
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

// named reads the folders of a name that lie in any of those given.
func (c *Connector) named(ctx context.Context, a integration.Access, within []client.File, name string) (found []client.File, err error) {
	for n := range within {
		files, err := c.client.Files(ctx, a, inside(&within[n], " and "+folders+" and name = "+client.Quote(name)))
		if err != nil {
			return nil, translate("folder", err)
		}
		for _, f := range files {
			if f.Name == name { // the query knows no case
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

// folder reads a folder that is there.
func (c *Connector) folder(ctx context.Context, a integration.Access, id string) (*client.File, error) {
	if !client.IsID(id) {
		return nil, notFound("folder", connector.ErrNoSuchID)
	}
	f, err := c.client.File(ctx, a, id)
	if err != nil {
		return nil, translate("folder", err)
	}
	if !f.Folder() || f.Trashed {
		return nil, notFound("folder", errors.New("it is in the bin, or no folder"))
	}
	return f, nil
}

// top reads the place's own folder, which must lie directly in its source.
func (c *Connector) top(ctx context.Context, a integration.Access, p docstore.Location) (*client.File, error) {
	f, err := c.folder(ctx, a, p.SubSource)
	if err != nil {
		return nil, err
	}
	if f.Parent() != p.Source || p.Source == "" {
		return nil, notFound("folder", errors.New("it does not lie in its source"))
	}
	return f, nil
}

// inside is a query for what lies directly in a folder, and fits more.
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

// distinct leaves repeats out, which pages have where things move meanwhile.
func distinct(list []docstore.Source) []docstore.Source {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(s docstore.Source) bool {
		again := seen[s.ID] || s.ID == ""
		seen[s.ID] = true
		return again
	})
}
