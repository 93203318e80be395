package client

import (
	"context"
	"errors"
	"io"
	"net/http"
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
	err := c.do(ctx, c.api("list attachments", http.MethodGet, a, k.plural, id, attachments), &out)
	return out.Attachments, err
}

// Attach adds a file, or replaces the one of the name.
func (c *Client) Attach(ctx context.Context, a Access, k *Kind, id, name, mediaType string, size int64, content io.Reader) (Attachment, error) {
	const doing = "attach"
	request := c.api(doing, http.MethodPut, a, k.plural, id, attachments, name)
	request.header.Set("Content-Type", mediaType)
	request.body, request.size = content, size
	var out struct{ Attachments []Attachment }
	if err := c.do(ctx, request, &out); err != nil {
		return Attachment{}, err
	}
	if len(out.Attachments) != 1 || out.Attachments[0].Filename == "" {
		return Attachment{}, &Failure{Doing: doing, cause: errors.New("the answer has no attachment")}
	}
	return out.Attachments[0], nil
}
