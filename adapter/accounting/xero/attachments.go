package xero

import (
	"context"
	"net/http"

	"docledger/adapter/accounting/xero/client"
	"docledger/adapter/connector"
	"docledger/domain/accounting"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

const (
	maxAttachment = 10_000_000 // bytes; the provider's documentation states both 10 and 25 MB
	maxFiles      = 10
	longestFile   = 100 // characters of a file name
)

// attachable returns the media types that the provider accepts and in which invoices arrive. The
// provider refuses XML.
func attachable() []string {
	return []string{
		"application/pdf", "image/png", "image/jpeg", "image/gif", "image/tiff", "image/bmp",
		"text/plain", "text/csv", "application/rtf", "message/rfc822", "application/zip",
		"application/msword", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.ms-excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.spreadsheet",
	}
}

// AttachmentLimits implements accounting.Attacher.
func (*Connector) AttachmentLimits() accounting.AttachmentLimits {
	return accounting.AttachmentLimits{MaxBytes: maxAttachment, MaxFiles: maxFiles, MediaTypes: attachable()}
}

// AttachmentName implements accounting.Attacher. It replaces characters that the provider refuses
// by underscores. A long name keeps its extension.
func (*Connector) AttachmentName(filename string) string {
	return connector.AttachmentName(filename, longestFile)
}

// Attachments implements accounting.Attacher.
func (c *Connector) Attachments(ctx context.Context, a integration.Access, kind accounting.BillKind, id string) ([]accounting.Attachment, error) {
	at, err := tenant(a)
	if err != nil {
		return nil, err
	}
	if !client.IsID(id) {
		return nil, notFound("bill", connector.ErrNoSuchID)
	}
	list, err := c.client.Attachments(ctx, at, kindOf(kind), id)
	if err != nil {
		return nil, missing("bill", err)
	}
	out := make([]accounting.Attachment, 0, len(list))
	for _, x := range list {
		out = append(out, accounting.Attachment{Filename: x.Filename, SizeBytes: x.Size})
	}
	return out, nil
}

// Attach implements accounting.Attacher. It replaces a file of the same name, so a retry creates no
// second file.
func (c *Connector) Attach(ctx context.Context, a integration.Access, kind accounting.BillKind, id string, f accounting.File) (accounting.Attachment, error) {
	at, err := tenant(a)
	if err != nil {
		return accounting.Attachment{}, err
	}
	if !client.IsID(id) {
		return accounting.Attachment{}, notFound("bill", connector.ErrNoSuchID)
	}
	if err := connector.CheckAttachment(f, maxAttachment, attachable()); err != nil {
		return accounting.Attachment{}, err
	}
	made, err := c.client.Attach(ctx, at, kindOf(kind), id, c.AttachmentName(f.Filename), f.MediaType, f.SizeBytes, f.Content)
	if err != nil {
		return accounting.Attachment{}, notAttached(err)
	}
	return accounting.Attachment{Filename: made.Filename, SizeBytes: made.Size}, nil
}

// notAttached returns a refusal if the ledger rejected the file itself, and the translated error
// otherwise.
func notAttached(err error) error {
	f := httpclient.FailureOf(err)
	if f == nil || f.NotSent {
		return translate(err)
	}
	switch f.Status {
	case http.StatusNotFound:
		return notFound("bill", f)
	case http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return accounting.Refuse(accounting.CodeAttachmentRefused, "").WithCause(f)
	}
	return refused(err, func(string) accounting.Code { return accounting.CodeAttachmentRefused })
}
