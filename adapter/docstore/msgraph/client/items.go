package client

import (
	"context"
	"strings"
	"time"

	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// rootAlias replaces the id of a drive's top folder.
const rootAlias = "root"

// Item is a file or folder. The facets that are present show its kind.
type Item struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Size       *int64    `json:"size"` // bytes
	ETag       string    `json:"eTag"` // of the whole item
	CTag       string    `json:"cTag"` // of the content; some feeds omit it
	WebURL     string    `json:"webUrl"`
	ModifiedAt time.Time `json:"lastModifiedDateTime"`
	Parent     struct {
		ID string `json:"id"`
	} `json:"parentReference"`
	File *struct {
		MediaType string `json:"mimeType"`
		Hashes    struct {
			QuickXor string `json:"quickXorHash"` // base64
			SHA1     string `json:"sha1Hash"`     // hexadecimal
			SHA256   string `json:"sha256Hash"`   // hexadecimal
		} `json:"hashes"`
	} `json:"file"`
	Folder  *struct{} `json:"folder"`
	Root    *struct{} `json:"root"`
	Deleted *struct{} `json:"deleted"`
	Package *struct{} `json:"package"`    // an item shown as one object, such as a notebook
	Remote  *struct{} `json:"remoteItem"` // a shortcut into another drive
}

// Root returns a drive's top folder.
func (c *Client) Root(ctx context.Context, a integration.Access, drive string) (*Item, error) {
	return c.item(ctx, a, path("drives", drive, rootAlias))
}

// ItemAt returns the item at a path below a drive's top folder. The provider compares names without
// case. No name may be empty or only dots.
func (c *Client) ItemAt(ctx context.Context, a integration.Access, drive, at string) (*Item, error) {
	return c.item(ctx, a, path("drives", drive)+"/"+rootAlias+":/"+path(strings.Split(at, "/")...))
}

func (c *Client) item(ctx context.Context, a integration.Access, below string) (*Item, error) {
	const doing = "read item"
	var i Item
	if err := c.get(ctx, doing, a, below, &i); err != nil {
		return nil, err
	}
	if i.ID == "" {
		return nil, httpclient.Broken(doing, "the response is not an item")
	}
	return &i, nil
}

// Children lists the items directly inside a folder.
func (c *Client) Children(ctx context.Context, a integration.Access, drive, folder string) ([]Item, error) {
	return all[Item](ctx, c, "list folder", a, path("drives", drive, "items", folder, "children"))
}

// DeltaLink returns the start of a drive's feed, which first reports every existing item.
func DeltaLink(drive string) string { return path("drives", drive, rootAlias, "delta") }

// Delta returns a page of a drive's feed. It refers to the next page or, on the last page, to the
// position for later changes.
func (c *Client) Delta(ctx context.Context, a integration.Access, link string) (Page[Item], error) {
	const doing = "read changes"
	p, err := page[Item](ctx, c, doing, a, link)
	if err == nil && (p.Next == "") == (p.Delta == "") {
		return Page[Item]{}, httpclient.Broken(doing, "the response has no link to the next page")
	}
	return p, err
}
