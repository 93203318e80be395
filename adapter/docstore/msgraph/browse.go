package msgraph

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"docledger/adapter/connector"
	"docledger/adapter/docstore/msgraph/client"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// Sources implements docstore.Browser.
func (c *Connector) Sources(ctx context.Context, a integration.Access) ([]docstore.Source, error) {
	sites, err := c.client.Sites(ctx, a)
	if err != nil {
		return nil, translate("site", err)
	}
	list := make([]docstore.Source, 0, len(sites))
	for _, s := range sites {
		name := cmp.Or(s.DisplayName, s.Name, s.WebURL, s.ID)
		list = append(list, docstore.Source{ID: s.ID, Name: name, Path: pathOf(s.WebURL), WebURL: webURL(s.WebURL)})
	}
	return connector.Distinct(list, func(s docstore.Source) string { return s.ID }), nil
}

// SubSources implements docstore.Browser.
func (c *Connector) SubSources(ctx context.Context, a integration.Access, source string) ([]docstore.SubSource, error) {
	if !client.IsSiteID(source) {
		return nil, notFound("site", connector.ErrNoSuchID)
	}
	drives, err := c.client.Drives(ctx, a, source)
	if err != nil {
		return nil, translate("site", err)
	}
	list := make([]docstore.SubSource, 0, len(drives))
	for _, d := range drives {
		list = append(list, sourceOf(&d))
	}
	return connector.Distinct(list, func(s docstore.Source) string { return s.ID }), nil
}

// SubSource implements docstore.Browser. A library does not reliably state its site, so the site's
// list decides.
func (c *Connector) SubSource(ctx context.Context, a integration.Access, p docstore.Location) (docstore.SubSource, error) {
	if !client.IsID(p.SubSource) {
		return docstore.SubSource{}, notFound("document library", connector.ErrNoSuchID)
	}
	list, err := c.SubSources(ctx, a, p.Source)
	if err != nil {
		return docstore.SubSource{}, err
	}
	if !slices.ContainsFunc(list, func(s docstore.SubSource) bool { return s.ID == p.SubSource }) {
		return docstore.SubSource{}, notFound("document library", errors.New("it does not belong to the site"))
	}
	d, err := c.client.Drive(ctx, a, p.SubSource)
	if err != nil {
		return docstore.SubSource{}, translate("document library", err)
	}
	return sourceOf(d), nil
}

// Directories implements docstore.Browser. A path has at most one item; the store compares names
// without case.
func (c *Connector) Directories(ctx context.Context, a integration.Access, p docstore.Location, path string) ([]docstore.Item, error) {
	if !client.IsID(p.SubSource) {
		return nil, notFound("document library", connector.ErrNoSuchID)
	}
	if path == "" {
		top, err := c.client.Root(ctx, a, p.SubSource)
		if err != nil {
			return nil, translate("document library", err)
		}
		return []docstore.Item{item(top, true)}, nil
	}
	if !canBePath(path) {
		return []docstore.Item{}, nil
	}
	found, err := c.client.ItemAt(ctx, a, p.SubSource, path)
	if httpclient.StatusOf(err) == http.StatusNotFound {
		// The path has no item, unless the library itself does not exist.
		if _, err := c.client.Root(ctx, a, p.SubSource); err != nil {
			return nil, translate("document library", err)
		}
		return []docstore.Item{}, nil
	}
	if err != nil {
		return nil, translate("folder", err)
	}
	it := item(found, false)
	if !it.Folder || it.Linked || !strings.EqualFold(it.Name, path[strings.LastIndex(path, "/")+1:]) {
		return []docstore.Item{}, nil
	}
	return []docstore.Item{it}, nil
}

// Folders implements docstore.Browser.
func (c *Connector) Folders(ctx context.Context, a integration.Access, p docstore.Location, path string) ([]docstore.Item, error) {
	within, err := c.Directories(ctx, a, p, path)
	if err != nil {
		return nil, err
	}
	return connector.FoldersInside(Provider, within, func(at docstore.Item) (list []docstore.Item, err error) {
		children, err := c.client.Folders(ctx, a, p.SubSource, at.ID)
		if errors.Is(err, client.ErrManyItems) {
			return nil, fault.New(fault.Invalid, fault.CodeInvalidRequest,
				"The folder has more than %d items, so its folders are not listed. Enter the path of the folder.", client.MaxItems)
		}
		if err != nil {
			return nil, translate("folder", err)
		}
		for n := range children {
			if it := item(&children[n], false); it.Folder && !it.Linked {
				list = append(list, it)
			}
		}
		return list, nil
	})
}

// canBePath reports whether a path can exist: the store's names are never empty or only dots, and
// contain none of the characters that separate or end paths.
func canBePath(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, `":<>*?|\`) {
			return false
		}
	}
	return true
}

func sourceOf(d *client.Drive) docstore.SubSource {
	return docstore.SubSource{ID: d.ID, Name: cmp.Or(d.Name, d.ID), Path: pathOf(d.WebURL), WebURL: webURL(d.WebURL)}
}

// pathOf returns the path of an address on its host: /sites/books.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

// webURL returns an address that is safe to open in a browser, or "".
func webURL(address string) string {
	if !strings.HasPrefix(address, "https://") {
		return ""
	}
	return address
}
