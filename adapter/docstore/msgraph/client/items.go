package client

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// itemPage is the largest page of a folder. MaxItems limits how many items of a folder are read.
const (
	itemPage = 999
	MaxItems = 30_000
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

// ErrManyItems is the error of a folder with too many items to look for folders among them.
var ErrManyItems = errors.New("the folder has too many items")

// Folders lists the folders directly inside a folder. The provider cannot leave out the files, so
// that it reads all items: at most MaxItems.
func (c *Client) Folders(ctx context.Context, a integration.Access, drive, folder string) (list []Item, err error) {
	link := path("drives", drive, "items", folder, "children") + "?$top=" + strconv.Itoa(itemPage) + "&$select=id,name,folder,package,remoteItem,parentReference,webUrl,lastModifiedDateTime"
	read := 0
	for range maxPages {
		p, err := page[Item](ctx, c, "list folder", a, link)
		if err != nil {
			return nil, err
		}
		for n := range p.Value {
			if p.Value[n].Folder != nil {
				list = append(list, p.Value[n])
			}
		}
		if p.Next == "" {
			return list, nil
		}
		if read += len(p.Value); read >= MaxItems {
			break
		}
		link = p.Next
	}
	return nil, ErrManyItems
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
