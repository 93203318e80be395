package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"

	"docledger/infrastructure/httpclient"
)

// Attachment is a file of a document.
type Attachment struct {
	ID       string `json:"Id"`
	FileName string
	Size     int64
}

// Attachments lists the files of a document.
func (c *Client) Attachments(ctx context.Context, a Access, k *Kind, id string) ([]Attachment, error) {
	return query[Attachment](ctx, c, a, "Attachable", listPage,
		Equal("AttachableRef.EntityRef.Type", k.Entity), Equal("AttachableRef.EntityRef.value", id))
}

// NewAttachment is a file to attach to a document.
type NewAttachment struct {
	Name      string
	MediaType string
	Size      int64
	Content   io.Reader // exactly Size bytes
}

type reference struct {
	EntityRef     entityRef `json:"EntityRef"`
	IncludeOnSend bool      `json:"IncludeOnSend"`
}

type entityRef struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// Attach adds a file. The provider reports a refusal in a response of status 200.
func (c *Client) Attach(ctx context.Context, a Access, k *Kind, id string, f NewAttachment) (Attachment, error) {
	const doing = "attach"
	request := c.request(doing, http.MethodPost, a, "upload")
	head, tail, contentType, err := wrapped(k, id, f)
	if err != nil {
		return Attachment{}, err
	}
	request.SetHeader("Content-Type", contentType)
	request.Body = io.MultiReader(bytes.NewReader(head), f.Content, bytes.NewReader(tail))
	request.Size = int64(len(head)) + f.Size + int64(len(tail))
	var out struct {
		AttachableResponse []struct {
			Attachable *Attachment
		}
	}
	if err := c.do(ctx, request, &out); err != nil {
		return Attachment{}, err
	}
	if len(out.AttachableResponse) != 1 || out.AttachableResponse[0].Attachable == nil || out.AttachableResponse[0].Attachable.FileName == "" {
		return Attachment{}, httpclient.Broken(doing, "the response has no attachment")
	}
	return *out.AttachableResponse[0].Attachable, nil
}

// wrapped returns the bytes of the multipart body before and after a file's content.
func wrapped(k *Kind, id string, f NewAttachment) (head, tail []byte, contentType string, err error) {
	metadata, err := json.Marshal(struct {
		AttachableRef []reference `json:"AttachableRef"`
		FileName      string      `json:"FileName"`
		ContentType   string      `json:"ContentType"`
	}{[]reference{{EntityRef: entityRef{k.Entity, id}}}, f.Name, f.MediaType})
	if err != nil {
		return nil, nil, "", err
	}
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	part, err := form.CreatePart(partHeader("file_metadata_0", "metadata.json", "application/json"))
	if err == nil {
		_, err = part.Write(metadata)
	}
	if err == nil {
		_, err = form.CreatePart(partHeader("file_content_0", f.Name, f.MediaType))
	}
	if err != nil {
		return nil, nil, "", err
	}
	head = bytes.Clone(out.Bytes())
	if err := form.Close(); err != nil {
		return nil, nil, "", err
	}
	return head, bytes.Clone(out.Bytes()[len(head):]), form.FormDataContentType(), nil
}

func partHeader(field, filename, mediaType string) textproto.MIMEHeader {
	safe := strings.NewReplacer(`\`, `_`, `"`, `_`, "\r", "_", "\n", "_").Replace(filename)
	return textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name="%s"; filename="%s"`, field, safe)},
		"Content-Type":        {mediaType},
	}
}
