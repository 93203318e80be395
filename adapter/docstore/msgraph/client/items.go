package client

import (
	"context"
	"strings"
	"time"

	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// rootAlias stands for the id of a drive's top folder.
const rootAlias = "root"

// Item is a file or folder. A facet that is there says what it is.
type Item struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Size       *int64    `json:"size"` // bytes
	ETag       string    `json:"eTag"` // of all of it
	CTag       string    `json:"cTag"` // of its content; not told by every feed
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
	Package *struct{} `json:"package"`    // shown as one thing, such as a notebook
	Remote  *struct{} `json:"remoteItem"` // a shortcut into another drive
}

// Root reads a drive's top folder.
func (c *Client) Root(ctx context.Context, a integration.Access, drive string) (*Item, error) {
	return c.item(ctx, a, path("drives", drive, rootAlias))
}

// ItemAt reads what lies at a path below a drive's top folder. Its names are
// compared without case. None of them may be empty or of dots.
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
		return nil, httpclient.Broken(doing, "the answer is no item")
	}
	return &i, nil
}

// DeltaLink is where the feed of a drive begins: it tells first all that there
// is.
func DeltaLink(drive string) string { return path("drives", drive, rootAlias, "delta") }

// Delta reads a page of a drive's feed. It leads either to the next page or, at
// the end, to what will change from then on.
func (c *Client) Delta(ctx context.Context, a integration.Access, link string) (Page[Item], error) {
	const doing = "read changes"
	p, err := page[Item](ctx, c, doing, a, link)
	if err == nil && (p.Next == "") == (p.Delta == "") {
		return Page[Item]{}, httpclient.Broken(doing, "the answer says not where to go on")
	}
	return p, err
}
