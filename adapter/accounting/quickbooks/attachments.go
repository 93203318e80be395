package quickbooks

import (
	"context"

	"docledger/adapter/accounting/quickbooks/client"
	"docledger/adapter/connector"
	"docledger/domain/accounting"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

const (
	maxAttachment = 20_000_000 // bytes; the limit of the provider's own upload page
	longestFile   = 100        // characters of a file name
)

// attachable returns the media types that the provider accepts and in which invoices arrive. The
// provider refuses plain text.
func attachable() []string {
	return []string{
		"application/pdf", "image/png", "image/jpeg", "image/gif", "image/tiff", "application/xml", "text/xml", "text/csv",
		"application/msword", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.ms-excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	}
}

// AttachmentLimits implements accounting.Attacher.
func (*Connector) AttachmentLimits() accounting.AttachmentLimits {
	return accounting.AttachmentLimits{MaxBytes: maxAttachment, MediaTypes: attachable()}
}

// AttachmentName implements accounting.Attacher. It replaces characters that the provider refuses
// by underscores. A long name keeps its extension.
func (*Connector) AttachmentName(filename string) string {
	return connector.AttachmentName(filename, longestFile)
}

// Attachments implements accounting.Attacher.
func (c *Connector) Attachments(ctx context.Context, a integration.Access, kind accounting.BillKind, id string) ([]accounting.Attachment, error) {
	at, err := company(a)
	if err != nil {
		return nil, err
	}
	if !client.IsID(id) {
		return nil, notFound("bill", connector.ErrNoSuchID)
	}
	list, err := c.client.Attachments(ctx, at, kindOf(kind), id)
	if err != nil {
		return nil, translate(err)
	}
	out := make([]accounting.Attachment, 0, len(list))
	for _, x := range list {
		out = append(out, accounting.Attachment{Filename: x.FileName, SizeBytes: x.Size})
	}
	return out, nil
}

// Attach implements accounting.Attacher.
func (c *Connector) Attach(ctx context.Context, a integration.Access, kind accounting.BillKind, id string, f accounting.File) (accounting.Attachment, error) {
	at, err := company(a)
	if err != nil {
		return accounting.Attachment{}, err
	}
	if !client.IsID(id) {
		return accounting.Attachment{}, notFound("bill", connector.ErrNoSuchID)
	}
	if err := connector.CheckAttachment(f, maxAttachment, attachable()); err != nil {
		return accounting.Attachment{}, err
	}
	made, err := c.client.Attach(ctx, at, kindOf(kind), id, client.NewAttachment{
		Name: c.AttachmentName(f.Filename), MediaType: f.MediaType, Size: f.SizeBytes, Content: f.Content,
	})
	if err != nil {
		return accounting.Attachment{}, notAttached(err)
	}
	return accounting.Attachment{Filename: made.FileName, SizeBytes: made.Size}, nil
}

// notAttached returns a refusal if the ledger rejected the file itself, and the translated error
// otherwise.
func notAttached(err error) error {
	f := httpclient.FailureOf(err)
	if !client.IsRefusal(f) {
		return translate(err)
	}
	if isMissing(f.Code()) {
		return notFound("bill", f)
	}
	return accounting.Refuse(accounting.CodeAttachmentRefused, "%s", f.Words()).WithCause(f)
}
