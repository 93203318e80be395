package client

import (
	"context"
	"io"
	"net/http"

	"docledger/infrastructure/httpclient"
)

// Attachment is a file of a document.
type Attachment struct {
	Filename string `json:"FileName"`
	Size     int64  `json:"ContentLength"`
}

const attachments = "Attachments"

// Attachments lists the files of a document.
func (c *Client) Attachments(ctx context.Context, a Access, k *Kind, id string) ([]Attachment, error) {
	var out struct{ Attachments []Attachment }
	err := c.do(ctx, c.accounting("list attachments", http.MethodGet, a, k.plural, id, attachments), &out)
	return out.Attachments, err
}

// Attach adds a file, or replaces the file of the same name.
func (c *Client) Attach(ctx context.Context, a Access, k *Kind, id, name, mediaType string, size int64, content io.Reader) (Attachment, error) {
	const doing = "attach"
	request := c.accounting(doing, http.MethodPut, a, k.plural, id, attachments, name)
	request.SetHeader("Content-Type", mediaType)
	request.Body, request.Size = content, size
	var out struct{ Attachments []Attachment }
	if err := c.do(ctx, request, &out); err != nil {
		return Attachment{}, err
	}
	if len(out.Attachments) != 1 || out.Attachments[0].Filename == "" {
		return Attachment{}, httpclient.Broken(doing, "the response has no attachment")
	}
	return out.Attachments[0], nil
}
