package accounting

import (
	"context"
	"io"

	"docledger/domain/integration"
)

// Attachment is a file that is attached to a bill.
type Attachment struct {
	Filename  string
	SizeBytes int64
}

// AttachmentLimits are a ledger's limits for attachments.
type AttachmentLimits struct {
	MaxBytes   int64
	MaxFiles   int      // per bill; 0 means unlimited
	MediaTypes []string // accepted types, in lower case and without parameters
}

// File is a file to attach.
type File struct {
	// Filename is the original's. The connector replaces characters that the ledger does not
	// accept, always in the same way.
	Filename  string
	MediaType string
	SizeBytes int64
	Content   io.Reader // exactly SizeBytes
}

// Attacher attaches files to bills.
type Attacher interface {
	// AttachmentLimits returns the limits without an external call.
	AttachmentLimits() AttachmentLimits
	// Attachments lists the attachments of a bill.
	Attachments(ctx context.Context, a integration.Access, kind BillKind, id string) ([]Attachment, error)
	// Attach attaches a file to a bill. A file that the ledger does not accept is a Refusal with
	// attachment_refused. After an uncertain error, Attachments shows whether the file exists,
	// under the same Attachment.Filename that Attach returns.
	Attach(ctx context.Context, a integration.Access, kind BillKind, id string, f File) (Attachment, error)
	// AttachmentName returns the name under which a file would be attached.
	AttachmentName(filename string) string
}
