package client

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// Change is a change of a file or of a shared drive.
type Change struct {
	Kind    string `json:"changeType"` // file or drive
	FileID  string `json:"fileId"`
	Removed bool   `json:"removed"`
	File    *File  `json:"file"` // nil if the file was removed
}

// ChangePage is one page of the feed. Exactly one of its tokens is set.
type ChangePage struct {
	Changes []Change `json:"changes"`
	Next    string   `json:"nextPageToken"`
	Start   string   `json:"newStartPageToken"` // on the last page
}

// feed adds the parameters for the feed of one shared drive, or of the account's own files.
func feed(q url.Values, drive string) url.Values {
	if drive != "" {
		q.Set("driveId", drive)
	}
	return everywhere(q)
}

// StartToken returns the current position of the feed.
func (c *Client) StartToken(ctx context.Context, a integration.Access, drive string) (string, error) {
	const doing = "read start of changes"
	var got struct {
		Token string `json:"startPageToken"`
	}
	if err := c.get(ctx, doing, a, &got, feed(url.Values{}, drive), "changes", "startPageToken"); err != nil {
		return "", err
	}
	if got.Token == "" {
		return "", httpclient.Broken(doing, "the response has no token")
	}
	return got.Token, nil
}

// Changes returns a page of the feed.
func (c *Client) Changes(ctx context.Context, a integration.Access, drive, token string) (ChangePage, error) {
	const doing = "read changes"
	q := feed(url.Values{
		"pageToken": {token}, "pageSize": {strconv.Itoa(filePage)}, "includeRemoved": {"true"}, "includeItemsFromAllDrives": {"true"},
		"fields": {"nextPageToken,newStartPageToken,changes(changeType,fileId,removed,file(" + fileFields + "))"},
	}, drive)
	var p ChangePage
	if err := c.get(ctx, doing, a, &p, q, "changes"); err != nil {
		return ChangePage{}, err
	}
	if (p.Next == "") == (p.Start == "") {
		return ChangePage{}, httpclient.Broken(doing, "the response has no token of the next page")
	}
	return p, nil
}

// Channel is an address that receives change notifications.
type Channel struct {
	ID         string
	ResourceID string
	ExpiresAt  time.Time
}

type wireChannel struct {
	ID         string `json:"id"`
	ResourceID string `json:"resourceId,omitempty"`
	Type       string `json:"type,omitempty"`
	Address    string `json:"address,omitempty"`
	Token      string `json:"token,omitempty"`
	Expiration string `json:"expiration,omitempty"` // milliseconds
}

// Watch makes the provider call an address with a secret when something changes.
func (c *Client) Watch(ctx context.Context, a integration.Access, drive, token, id, address, proof string, until time.Time) (Channel, error) {
	const doing = "watch changes"
	q := feed(url.Values{"pageToken": {token}, "includeItemsFromAllDrives": {"true"}}, drive)
	var got wireChannel
	err := c.post(ctx, doing, a, wireChannel{
		ID: id, Type: "web_hook", Address: address, Token: proof, Expiration: strconv.FormatInt(until.UnixMilli(), 10),
	}, &got, q, "changes", "watch")
	if err != nil {
		return Channel{}, err
	}
	milliseconds, err := strconv.ParseInt(got.Expiration, 10, 64)
	if err != nil || got.ID != id || got.ResourceID == "" {
		return Channel{}, httpclient.Broken(doing, "the response describes a different channel")
	}
	return Channel{got.ID, got.ResourceID, time.UnixMilli(milliseconds).UTC()}, nil
}

// Stop ends a channel.
func (c *Client) Stop(ctx context.Context, a integration.Access, id, resource string) error {
	return c.post(ctx, "stop channel", a, wireChannel{ID: id, ResourceID: resource}, nil, nil, "channels", "stop")
}
