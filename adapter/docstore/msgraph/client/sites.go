package client

import (
	"context"

	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// Site is a site of the organization.
type Site struct {
	ID          string `json:"id"`
	Name        string `json:"name"` // the last part of its address
	DisplayName string `json:"displayName"`
	WebURL      string `json:"webUrl"`
}

// Drive is a document library.
type Drive struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	WebURL string `json:"webUrl"`
}

// Page is one page of a list or feed.
type Page[T any] struct {
	Value []T    `json:"value"`
	Next  string `json:"@odata.nextLink"`  // a link; "" at the end
	Delta string `json:"@odata.deltaLink"` // a link; of the last page of a feed
}

// Sites lists the sites that the account can read.
func (c *Client) Sites(ctx context.Context, a integration.Access) ([]Site, error) {
	return all[Site](ctx, c, "list sites", a, "sites?search=*")
}

// Drives lists the document libraries of a site.
func (c *Client) Drives(ctx context.Context, a integration.Access, site string) ([]Drive, error) {
	return all[Drive](ctx, c, "list drives", a, path("sites", site, "drives")+"?$select=id,name,webUrl")
}

// Drive returns one document library.
func (c *Client) Drive(ctx context.Context, a integration.Access, id string) (*Drive, error) {
	const doing = "read drive"
	var d Drive
	if err := c.get(ctx, doing, a, path("drives", id)+"?$select=id,name,webUrl", &d); err != nil {
		return nil, err
	}
	if d.ID != id {
		return nil, httpclient.Broken(doing, "the response describes a different drive")
	}
	return &d, nil
}

// page returns a page of a list or feed.
func page[T any](ctx context.Context, c *Client, doing string, a integration.Access, link string) (p Page[T], err error) {
	if err := c.get(ctx, doing, a, link, &p); err != nil {
		return Page[T]{}, err
	}
	if p.Value == nil {
		return Page[T]{}, httpclient.Broken(doing, "the response has no list")
	}
	next, err := c.readLink(p.Next)
	if err == nil {
		p.Next = next
		p.Delta, err = c.readLink(p.Delta)
	}
	if err != nil {
		return Page[T]{}, httpclient.Caused(doing, err)
	}
	return p, nil
}

// all returns the elements of all pages, of at most maxPages.
func all[T any](ctx context.Context, c *Client, doing string, a integration.Access, link string) (list []T, err error) {
	for range maxPages {
		p, err := page[T](ctx, c, doing, a, link)
		if err != nil {
			return nil, err
		}
		if list = append(list, p.Value...); p.Next == "" {
			return list, nil
		}
		if p.Next == link {
			break
		}
		link = p.Next
	}
	return nil, httpclient.Broken(doing, "the list does not end")
}
