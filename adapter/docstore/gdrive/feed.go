package gdrive

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"docledger/adapter/connector"
	"docledger/adapter/docstore/gdrive/client"
	"docledger/domain/docstore"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// cursor is a position in a feed or a listing.
type cursor struct {
	drive string // the shared drive that is followed; "" for the account's own files
	token string // the provider's page token; "" for a listing's beginning
}

// version is the prefix of every cursor, so a later format can be distinguished.
const version = "1"

func (c cursor) String() string { return strings.Join([]string{version, c.drive, c.token}, ":") }

// parse decodes a cursor. It returns ErrCursorLost for a text in another format.
func parse(text string) (cursor, error) {
	parts := strings.SplitN(text, ":", 3)
	if len(parts) != 3 || parts[0] != version || parts[1] != "" && !client.IsID(parts[1]) || parts[2] == "" {
		return cursor{}, lost(errors.New("the cursor does not have this connector's format"))
	}
	return cursor{drive: parts[1], token: parts[2]}, nil
}

// next returns the cursor of the next page.
func (c cursor) next(token string) (string, error) {
	out := cursor{c.drive, token}.String()
	if len(out) > docstore.MaxCursor {
		return "", integration.Unavailable(Provider, 0, errors.New("a page token is too long"))
	}
	return out, nil
}

func lost(cause error) error { return docstore.CursorLost(Provider, "", cause) }

// ofCursor returns the fault for a page that cannot be read. The provider refuses an unknown token
// and a malformed one in the same way.
func ofCursor(what string, err error) error {
	if s := httpclient.StatusOf(err); s == http.StatusBadRequest || s == http.StatusGone {
		return lost(err)
	}
	return translate(what, err)
}

// Start implements docstore.Changes.
func (c *Connector) Start(ctx context.Context, a integration.Access, p docstore.Location) (string, error) {
	top, err := c.top(ctx, a, p)
	if err != nil {
		return "", err
	}
	token, err := c.client.StartToken(ctx, a, top.DriveID)
	if err != nil {
		return "", translate("place", err)
	}
	return cursor{drive: top.DriveID}.next(token)
}

// Next implements docstore.Changes. The feed covers the whole account or shared drive: the parents
// of an item show its location.
func (c *Connector) Next(ctx context.Context, a integration.Access, p docstore.Location, at string) (docstore.Page, error) {
	from, err := parse(at)
	if err != nil {
		return docstore.Page{}, err
	}
	got, err := c.client.Changes(ctx, a, from.drive, from.token)
	if err != nil {
		return docstore.Page{}, ofCursor("place", err)
	}
	page := docstore.Page{Changes: make([]docstore.Change, 0, len(got.Changes)), Done: got.Start != ""}
	for _, change := range got.Changes {
		if change.Kind != "drive" && change.FileID != "" {
			page.Changes = append(page.Changes, changeOf(change, p))
		}
	}
	page.Cursor, err = from.next(got.Next + got.Start) // exactly one is set
	return page, err
}

// Children implements docstore.Lister. It reads the folder before the first page, to distinguish a
// missing folder from an empty one.
func (c *Connector) Children(ctx context.Context, a integration.Access, p docstore.Location, folder, at string) (docstore.Page, error) {
	if folder == "" {
		folder = p.SubSource
	}
	if at == "" {
		return c.firstChildren(ctx, a, p, folder)
	}
	from, err := parse(at)
	if err != nil {
		return docstore.Page{}, err
	}
	if !client.IsID(folder) {
		return docstore.Page{}, notFound("folder", connector.ErrNoSuchID)
	}
	return c.children(ctx, a, p, &client.File{ID: folder, DriveID: from.drive}, from)
}

func (c *Connector) firstChildren(ctx context.Context, a integration.Access, p docstore.Location, folder string) (docstore.Page, error) {
	if folder != p.SubSource {
		f, err := c.folder(ctx, a, folder)
		if err != nil {
			return docstore.Page{}, err
		}
		return c.children(ctx, a, p, f, cursor{drive: f.DriveID})
	}
	top, err := c.top(ctx, a, p)
	if err != nil {
		return docstore.Page{}, err
	}
	page, err := c.children(ctx, a, p, top, cursor{drive: top.DriveID})
	page.Changes = append([]docstore.Change{{Item: item(top, p)}}, page.Changes...)
	return page, err
}

func (c *Connector) children(ctx context.Context, a integration.Access, p docstore.Location, f *client.File, from cursor) (docstore.Page, error) {
	got, err := c.client.FilePage(ctx, a, inside(f, " and trashed = false"), from.token)
	if err != nil {
		return docstore.Page{}, ofCursor("folder", err)
	}
	page := docstore.Page{Changes: make([]docstore.Change, 0, len(got.Files))}
	for n := range got.Files {
		page.Changes = append(page.Changes, docstore.Change{Item: item(&got.Files[n], p)})
	}
	if got.Next != "" {
		page.Cursor, err = from.next(got.Next)
	}
	return page, err
}

func changeOf(c client.Change, p docstore.Location) docstore.Change {
	if c.Removed || c.File == nil || c.File.Trashed || c.File.ID != c.FileID {
		return docstore.Change{Item: docstore.Item{ID: c.FileID}, Removed: true}
	}
	return docstore.Change{Item: item(c.File, p)}
}

// item converts a file.
func item(f *client.File, p docstore.Location) docstore.Item {
	return docstore.Item{
		ID: f.ID, Version: versionOf(f), Hash: hashOf(f), Name: f.Name, Parent: f.Parent(), Size: f.Bytes(), MediaType: f.MimeType,
		WebURL: f.WebViewLink, ModifiedAt: f.ModifiedTime, Folder: f.Folder(), Top: f.ID == p.SubSource,
		Linked: f.Native() && !f.Folder() && !f.Exportable(),
	}
}

// versionOf returns the revision of the bytes, which a rename does not change. The provider's own
// documents and unfinished uploads have no revision; for them it returns the time of the last
// modification.
func versionOf(f *client.File) string {
	switch {
	case f.Folder():
		return ""
	case f.HeadRevision != "":
		return f.HeadRevision
	}
	return "modified:" + f.ModifiedTime.UTC().Format(time.RFC3339Nano)
}

func hashOf(f *client.File) string {
	switch {
	case f.SHA256 != "":
		return "sha256:" + strings.ToLower(f.SHA256)
	case f.MD5 != "":
		return "md5:" + strings.ToLower(f.MD5)
	}
	return ""
}
