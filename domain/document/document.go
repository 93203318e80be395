// Package document contains received documents and the state of their extraction.
package document

import (
	"context"
	"io"
	"time"

	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
)

//go:generate go tool mockgen -typed -destination ../../gen/mock/documentmock/document.go -package documentmock . Blobs

// Status is the processing state of a document.
type Status string

// The statuses. UPLOADED → PROCESSING → one of the four others, which are terminal until another
// extraction is requested.
const (
	Uploaded     Status = "UPLOADED"
	Processing   Status = "PROCESSING"
	Extracted    Status = "EXTRACTED"
	Failed       Status = "FAILED"
	NotAnInvoice Status = "NOT_AN_INVOICE"
	Split        Status = "SPLIT"
)

// Statuses lists every status.
func Statuses() []Status {
	return []Status{Uploaded, Processing, Extracted, Failed, NotAnInvoice, Split}
}

// Terminal reports whether the extraction has ended.
func (s Status) Terminal() bool { return s != Uploaded && s != Processing }

// Origin is the way by which a document was received.
type Origin string

// The origins.
const (
	FromUpload  Origin = "UPLOAD"
	FromTrigger Origin = "TRIGGER"
	FromEmail   Origin = "EMAIL"  // sent to the address of the entity
	FromFolder  Origin = "FOLDER" // dropped into the folder of the entity
)

// The reasons for which a document waits for extraction.
const (
	// HeldPlanLimit means that the plan's limit is reached. The document is UPLOADED.
	HeldPlanLimit = "plan_limit_reached"
	// HeldReaderUnavailable means that the extraction process cannot start, for a reason unrelated
	// to the document. The document is PROCESSING, and its job retries.
	HeldReaderUnavailable = "reader_unavailable"
)

// MaxAttempts is the number of extraction attempts after which the document is considered the cause
// of the failures.
const MaxAttempts = 3

// MaxInterruptions is the number of extraction attempts without a recorded end after which the
// document is considered the cause of the crashes. It exceeds MaxAttempts, because a database
// outage has the same effect.
const MaxInterruptions = 5

// Failure describes why no invoice was extracted from a document.
type Failure struct {
	Code    string // one of the reasons or kinds of package extraction
	Message string
}

// Attachment is a file embedded in a document.
type Attachment struct {
	Name      string
	MediaType string
	SizeBytes int64
}

// Signature is an electronic signature of a file, as the file states it. It is not verified.
type Signature struct {
	Signer   string    // the name in the signer's certificate; "" if it is not known
	SignedAt time.Time // zero if it is not stated
}

// Email describes the e-mail that brought a document. The values are as the sender
// states them, and as SPF, DKIM and DMARC judged them when it was received.
type Email struct {
	From, Subject    string
	SPF, DKIM, DMARC string
	// Accepted reports that the sender was an accepted one of the entity and was authenticated.
	// Otherwise a person must approve the invoice (domain D33).
	Accepted bool
}

// Pages is a range of pages, both from 1 and inclusive.
type Pages struct{ From, To int }

// Document is a received file, one part of a split file, or a file in a container.
type Document struct {
	ID             uuid.UUID
	EntityID       uuid.UUID
	OrganizationID uuid.UUID
	Filename       string
	MediaType      string // detected from the bytes
	SizeBytes      int64
	SHA256         string // lower-case hex; also the key of the blob
	PageCount      int    // 0 if unknown
	Origin         Origin
	IntegrationID  uuid.UUID
	SourcePath     string
	Status         Status
	Failure        *Failure
	HeldReason     string
	ExternalID     string // the id in another program; "" if it has none
	InvoiceID      uuid.UUID
	// RelatedInvoiceID is the invoice of the same entity that a reminder names; Nil if there is none.
	RelatedInvoiceID uuid.UUID
	ParentID         uuid.UUID // of a part of a SPLIT document, or of a file in a container
	Part             int       // the position in the parent, from 1; 0 for whole files, also for those in a container
	// Known are documents that the entity had before a container brought the same bytes
	// again.
	Known []uuid.UUID
	// MergedFrom are the documents with the pages of which a person made this one.
	MergedFrom    []uuid.UUID
	Email         *Email // nil if no e-mail brought it
	Pages         *Pages
	Attachments   []Attachment
	Signatures    []Signature // those of a signed envelope
	Attempts      int         // attempts since the last request, without interrupted ones
	Interruptions int         // attempts since the last request without a recorded end: the process died or the database was unavailable
	Run           int         // number of all attempts and restarts; the fencing token of an attempt
	Restarts      int         // how often extraction was restarted
	Requested     bool        // a person or the entity's settings requested extraction
	Forced        bool        // a person declared it an invoice, regardless of its title
	Version       int
	CreatedBy     uuid.UUID
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// CanBeRead reports whether a job may extract the document. This includes a document whose previous
// process died.
func (d *Document) CanBeRead() bool { return !d.Status.Terminal() }

// IsQueued reports whether no attempt is running.
func (d *Document) IsQueued() bool { return d.Status == Uploaded && d.HeldReason == "" }

// BeginReading starts an attempt. It is stored before the extraction starts, so that a crash of the
// process is counted.
func (d *Document) BeginReading() {
	if d.Status == Processing && d.HeldReason != HeldReaderUnavailable { // the previous attempt has no recorded end
		d.Attempts--
		d.Interruptions++
	}
	d.Status, d.Failure, d.RelatedInvoiceID, d.HeldReason = Processing, nil, uuid.Nil, ""
	d.Attempts++
	d.Run++
}

// AwaitReader keeps the document in PROCESSING until the extraction process can start. The attempt
// does not count.
func (d *Document) AwaitReader() {
	d.HeldReason = HeldReaderUnavailable
	d.Attempts--
}

// AttemptsExhausted reports whether no further attempt may start.
func (d *Document) AttemptsExhausted() bool {
	return d.Attempts > MaxAttempts || d.Interruptions >= MaxInterruptions
}

// ResetForExtraction requests an extraction from scratch. If forced is true, the document is
// treated as an invoice regardless of its title. An attempt that is still running can no longer
// store its result.
func (d *Document) ResetForExtraction(forced bool) {
	d.Status, d.Failure, d.RelatedInvoiceID, d.HeldReason = Uploaded, nil, uuid.Nil, ""
	d.Attempts, d.Interruptions = 0, 0
	d.Requested, d.Forced = true, d.Forced || forced
	d.Run++
	d.Restarts++
}

// StoredBlob describes bytes in the blob store.
type StoredBlob struct {
	SHA256    string
	SizeBytes int64
	MediaType string // detected
}

// IngestInput is a file that arrives without an upload: from a watched location or
// an e-mail.
type IngestInput struct {
	StoredBlob
	EntityID      uuid.UUID
	IntegrationID uuid.UUID
	Filename      string
	SourcePath    string // the path within the watched location
	Origin        Origin // "" means FromTrigger
	Email         *Email // nil if no e-mail brought it
	// Held reports that the plan's limit is reached, so the document waits (domain D15).
	Held bool
}

// Filter restricts a list; the zero value matches everything in the scope.
type Filter struct {
	EntityID uuid.UUID
	Statuses []Status
	ParentID uuid.UUID
	// ExternalIDs are ids of other programs.
	ExternalIDs []string
	// Query is a part of the file name in any case and with any accents; "" for all.
	Query          string
	Origins        []Origin
	IntegrationIDs []uuid.UUID
	CreatedBy      uuid.UUID
	CreatedFrom    time.Time // inclusive
	CreatedTo      time.Time // exclusive
}

// Sort is an order of a list. The zero value is by creation, newest first.
type Sort struct {
	ByUpdate  bool
	Ascending bool
}

// Reader reads documents within a scope.
type Reader interface {
	// Get returns the document. It returns a NotFound fault if the document is missing or outside
	// the scope.
	Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*Document, error)
	// List returns documents in the order of sort. A cursor of another filter or order is an Invalid
	// fault.
	List(ctx context.Context, s identity.Scope, f Filter, sort Sort, p page.Request) (page.Of[Document], error)
}

// Repository stores documents.
type Repository interface {
	Reader
	// Add stores a new document and returns nil. If the entity already has a whole document (Part
	// 0) with the same SHA-256, Add stores nothing and returns that document.
	Add(ctx context.Context, d *Document) (existing *Document, err error)
	// Update loads the document under a row lock, applies change, increments Version and stores the
	// document. It can call change again with a newer state of the document.
	Update(ctx context.Context, s identity.Scope, id uuid.UUID, change func(*Document) error) (*Document, error)
	// UpdateSeen is Update for a document that the caller has just read. It reads the document again
	// only if that has changed since then, or change returns an error. It leaves seen as it is.
	UpdateSeen(ctx context.Context, s identity.Scope, seen *Document, change func(*Document) error) (*Document, error)
}

// Orphans lists documents for the sweep, across all organizations.
type Orphans interface {
	// Unfinished lists at most limit documents that await extraction and have no queued or running
	// job, oldest first. They are in PROCESSING, or in UPLOADED, requested and not held. Their last
	// change is before the given time.
	Unfinished(ctx context.Context, before time.Time, limit int) ([]Document, error)
	// HeldIn lists the organizations with documents held for the plan's limit, longest waiting
	// first.
	HeldIn(ctx context.Context) ([]uuid.UUID, error)
	// Held lists at most limit documents of an organization that are held for the plan's limit,
	// oldest first.
	Held(ctx context.Context, organization uuid.UUID, limit int) ([]Document, error)
}

// Blobs stores the bytes of documents under their SHA-256.
type Blobs interface {
	// Put stores the bytes of r and returns their key and size. No reader sees the key before the
	// last byte is durable. If r fails, Put returns its error unchanged and stores nothing.
	Put(ctx context.Context, r io.Reader) (sha256 string, size int64, err error)
	// Open returns the bytes; the caller closes them. It returns a NotFound fault for a missing
	// blob.
	Open(ctx context.Context, sha256 string) (io.ReadSeekCloser, error)
	// Local returns the path of a file with the bytes. The path is valid until release is called.
	Local(ctx context.Context, sha256 string) (path string, release func(), err error)
	// Remove removes a blob. Readers that have opened it can read on or get an error. A missing blob
	// is no error.
	Remove(ctx context.Context, sha256 string) error
}
