package msgraph

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"docledger/adapter/connector"
	"docledger/adapter/docstore/msgraph/client"
	"docledger/domain/docstore"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// version is the prefix of every cursor, so a later format can be distinguished. The provider's
// link follows unchanged.
const version = "1:"

// cursorOf returns the cursor for a link.
func cursorOf(link string) (string, error) {
	if len(version)+len(link) > docstore.MaxCursor {
		return "", integration.Unavailable(Provider, 0, errors.New("a link is too long"))
	}
	return version + link, nil
}

// linkOf decodes a cursor. It returns ErrCursorLost for a text in another format.
func linkOf(cursor string) (string, error) {
	link, found := strings.CutPrefix(cursor, version)
	if !found || !client.IsLink(link) {
		return "", docstore.CursorLost(Provider, "", errors.New("the cursor does not have this connector's format"))
	}
	return link, nil
}

// Start implements docstore.Changes. It makes no call: the feed begins with every existing item.
func (c *Connector) Start(ctx context.Context, _ integration.Access, p docstore.Location) (string, error) {
	if !client.IsID(p.SubSource) {
		return "", notFound("document library", connector.ErrNoSuchID)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return cursorOf(client.DeltaLink(p.SubSource))
}

// Next implements docstore.Changes.
func (c *Connector) Next(ctx context.Context, a integration.Access, p docstore.Location, cursor string) (docstore.Page, error) {
	link, err := linkOf(cursor)
	if err != nil {
		return docstore.Page{}, err
	}
	got, err := c.client.Delta(ctx, a, link)
	if err != nil {
		return docstore.Page{}, c.ofFeed(err, link == client.DeltaLink(p.SubSource))
	}
	page := docstore.Page{Changes: make([]docstore.Change, 0, len(got.Value)), Done: got.Delta != ""}
	for n := range got.Value {
		if got.Value[n].ID != "" {
			page.Changes = append(page.Changes, changeOf(&got.Value[n]))
		}
	}
	page.Cursor, err = cursorOf(got.Next + got.Delta) // exactly one is set
	return page, err
}

// ofFeed returns the fault for a page that cannot be read. A position that the provider refuses as
// malformed is lost, unless it is the beginning of the feed.
func (c *Connector) ofFeed(err error, beginning bool) error {
	f := httpclient.FailureOf(err)
	if f == nil || beginning || !client.IsLost(f) && f.Status != http.StatusBadRequest {
		return translate("document library", err)
	}
	restart := ""
	if link := c.client.Restart(f); link != "" {
		// A link that is too long is ignored; the feed then restarts from the beginning.
		restart, _ = cursorOf(link)
	}
	return docstore.CursorLost(Provider, restart, f)
}

func changeOf(i *client.Item) docstore.Change {
	if i.Deleted != nil {
		return docstore.Change{Item: docstore.Item{ID: i.ID}, Removed: true}
	}
	return docstore.Change{Item: item(i, i.Root != nil)}
}

// item converts a file or folder.
func item(i *client.Item, top bool) docstore.Item {
	it := docstore.Item{
		ID: i.ID, Name: i.Name, Parent: i.Parent.ID, Size: -1, WebURL: webURL(i.WebURL), ModifiedAt: i.ModifiedAt, Top: top,
		Folder: top || i.Folder != nil && i.Package == nil && i.Remote == nil,
	}
	if it.Folder {
		return it
	}
	it.Linked = i.File == nil || i.Package != nil || i.Remote != nil
	it.Version, it.Hash = versionOf(i), hashOf(i)
	if i.Size != nil && *i.Size >= 0 {
		it.Size = *i.Size
	}
	if i.File != nil {
		it.MediaType = i.File.MediaType
	}
	return it
}

// versionOf returns the content tag, which a rename does not change. Feeds of business libraries
// may omit it. Then it returns the digest together with the fields that change with the content:
// the digest alone detects errors, not forgeries, and may be equal for two similar contents.
func versionOf(i *client.Item) string {
	hash := hashOf(i)
	switch {
	case i.CTag != "":
		return i.CTag
	case hash != "" && i.Size != nil:
		return hash + ":" + strconv.FormatInt(*i.Size, 10) + ":" + i.ModifiedAt.UTC().Format(time.RFC3339Nano)
	}
	return i.ETag
}

func hashOf(i *client.Item) string {
	switch {
	case i.File == nil:
	case i.File.Hashes.SHA256 != "":
		return "sha256:" + strings.ToLower(i.File.Hashes.SHA256)
	case i.File.Hashes.QuickXor != "":
		return "quickxor:" + i.File.Hashes.QuickXor
	case i.File.Hashes.SHA1 != "":
		return "sha1:" + strings.ToLower(i.File.Hashes.SHA1)
	}
	return ""
}
