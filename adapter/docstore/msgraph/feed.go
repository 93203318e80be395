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

// version begins every cursor, so that another form can be told apart. A link
// of the provider's follows, to the letter.
const version = "1:"

// cursorOf is where a link leads.
func cursorOf(link string) (string, error) {
	if len(version)+len(link) > docstore.MaxCursor {
		return "", integration.Unavailable(Provider, 0, errors.New("a link is too long"))
	}
	return version + link, nil
}

// linkOf reads a cursor; one that is none of ours is lost.
func linkOf(cursor string) (string, error) {
	link, found := strings.CutPrefix(cursor, version)
	if !found || !client.IsLink(link) {
		return "", docstore.CursorLost(Provider, "", errors.New("it is no cursor of this connector"))
	}
	return link, nil
}

// Start implements docstore.Changes. It makes no call: the feed begins with all
// that there is.
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
	page.Cursor, err = cursorOf(got.Next + got.Delta) // of which one is there
	return page, err
}

// ofFeed says why a page is not to be had. A position that makes no sense to
// the provider is lost; the beginning of the feed is none.
func (c *Connector) ofFeed(err error, beginning bool) error {
	f := httpclient.FailureOf(err)
	if f == nil || beginning || !client.IsLost(f) && f.Status != http.StatusBadRequest {
		return translate("document library", err)
	}
	restart := ""
	if link := c.client.Restart(f); link != "" {
		// One that is too long is none; the feed then begins by itself.
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

// item is a file or folder in the words of the port.
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

// versionOf is the tag of the content, which renames keep. Feeds of business
// libraries may leave it out. There the digest stands for it, with what changes
// whenever the content does: alone it may be the same for two contents that are
// nearly so, since it is made to find errors and not forgeries.
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
