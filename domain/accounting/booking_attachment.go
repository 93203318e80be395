package accounting

import (
	"context"
	"io"

	"docledger/domain/integration"
)

// Attachment is a file that hangs on a bill.
type Attachment struct {
	Filename  string
	SizeBytes int64
}

// AttachmentLimits are what a ledger takes.
type AttachmentLimits struct {
	MaxBytes   int64
	MaxFiles   int      // on one bill; 0 for any number
	MediaTypes []string // those that it takes; lower case, without parameters
}

// File is what is to be attached.
type File struct {
	// Filename is the original's. Characters that the ledger refuses in names
	// are the connector's to replace, always in the same way.
	Filename  string
	MediaType string
	SizeBytes int64
	Content   io.Reader // exactly SizeBytes
}

// Attacher hangs files on bills.
type Attacher interface {
	// AttachmentLimits tells what is taken, without a call.
	AttachmentLimits() AttachmentLimits
	// Attachments lists what hangs on a bill.
	Attachments(ctx context.Context, a integration.Access, kind BillKind, id string) ([]Attachment, error)
	// Attach hangs a file on a bill. What the ledger does not take is a Refusal
	// with attachment_refused; after any error that leaves it uncertain,
	// Attachments tells whether the file is there, under Attachment.Filename as
	// Attach returns it for the same file.
	Attach(ctx context.Context, a integration.Access, kind BillKind, id string, f File) (Attachment, error)
	// AttachmentName is the name under which a file would hang there.
	AttachmentName(filename string) string
}
