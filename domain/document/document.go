// Package document holds the files that come in and what became of them.
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

// Status is where a document stands.
type Status string

// The statuses. UPLOADED → PROCESSING → one of the four others, which are
// terminal until somebody asks for a new extraction.
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

// Terminal says that extraction has come to an end.
func (s Status) Terminal() bool { return s != Uploaded && s != Processing }

// Origin says how a document came in.
type Origin string

// The origins.
const (
	FromUpload  Origin = "UPLOAD"
	FromTrigger Origin = "TRIGGER"
)

// Why a document waits although it could be extracted.
const (
	// HeldPlanLimit: the plan has no room. The document is UPLOADED.
	HeldPlanLimit = "plan_limit_reached"
	// HeldReaderUnavailable: the reader cannot start, through no fault of the
	// document. The document is PROCESSING, and its job tries again.
	HeldReaderUnavailable = "reader_unavailable"
)

// MaxAttempts is how often the extraction of one document is tried before the
// document itself is held to be the reason that it never ends.
const MaxAttempts = 3

// MaxInterruptions is how often the reading of one document may begin without
// anybody recording its end before the document is held to end the process that
// reads it. It is more than MaxAttempts, because an outage of the database
// leaves the same trace.
const MaxInterruptions = 5

// Failure tells why a document gave no invoice.
type Failure struct {
	Code    string // one of extraction's reasons or kinds
	Message string
}

// Attachment is a file embedded in a document.
type Attachment struct {
	Name      string
	MediaType string
	SizeBytes int64
}

// Pages is a range of pages, both from 1 and inclusive.
type Pages struct{ From, To int }

// Document is a file that came in, or one part of such a file.
type Document struct {
	ID             uuid.UUID
	EntityID       uuid.UUID
	OrganizationID uuid.UUID
	Filename       string
	MediaType      string // sniffed from the bytes
	SizeBytes      int64
	SHA256         string // lower-case hex; also the key of its blob
	PageCount      int    // 0 where unknown
	Origin         Origin
	IntegrationID  uuid.UUID
	SourcePath     string
	Status         Status
	Failure        *Failure
	HeldReason     string
	InvoiceID      uuid.UUID
	ParentID       uuid.UUID // of a part of a SPLIT document
	Part           int       // the part's place in its parent, from 1; 0 for whole files
	Pages          *Pages
	Attachments    []Attachment
	Attempts       int  // extractions begun since the last request for one, but for those interrupted
	Interruptions  int  // extractions begun since then whose end nobody recorded: the process died, or the database was away
	Run            int  // extractions begun ever, and restarts: the fencing token of whoever ends one
	Restarts       int  // how often it was started over
	Requested      bool // a person, or the entity's settings, asked for it to be read
	Forced         bool // a person said that it is an invoice, whatever it calls itself
	Version        int
	CreatedBy      uuid.UUID
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// CanBeRead says that a job may take the document up, also one that a process
// was reading when it died.
func (d *Document) CanBeRead() bool { return !d.Status.Terminal() }

// IsQueued says that nobody is reading the document.
func (d *Document) IsQueued() bool { return d.Status == Uploaded && d.HeldReason == "" }

// BeginReading marks the document as being read, so that the try is known
// should reading it bring the process down.
func (d *Document) BeginReading() {
	if d.Status == Processing && d.HeldReason != HeldReaderUnavailable { // and nobody has said how that ended
		d.Attempts--
		d.Interruptions++
	}
	d.Status, d.Failure, d.HeldReason = Processing, nil, ""
	d.Attempts++
	d.Run++
}

// AwaitReader leaves the document in PROCESSING until the reader can start. The
// attempt does not count.
func (d *Document) AwaitReader() {
	d.HeldReason = HeldReaderUnavailable
	d.Attempts--
}

// AttemptsExhausted says that no further reading is to begin.
func (d *Document) AttemptsExhausted() bool {
	return d.Attempts > MaxAttempts || d.Interruptions >= MaxInterruptions
}

// ResetForExtraction has the document read anew, as an invoice whatever it calls itself
// where forced says so. Whoever is reading it can end it no more.
func (d *Document) ResetForExtraction(forced bool) {
	d.Status, d.Failure, d.HeldReason = Uploaded, nil, ""
	d.Attempts, d.Interruptions = 0, 0
	d.Requested, d.Forced = true, d.Forced || forced
	d.Run++
	d.Restarts++
}

// StoredBlob is what is known of bytes that a blob store has.
type StoredBlob struct {
	SHA256    string
	SizeBytes int64
	MediaType string // sniffed
}

// IngestInput is a file that a watched place brings.
type IngestInput struct {
	StoredBlob
	EntityID      uuid.UUID
	IntegrationID uuid.UUID
	Filename      string
	SourcePath    string // where it lies in the watched place
	// Held says that the plan has no room: the document waits (domain D15).
	Held bool
}

// Filter narrows a list; the zero value lists all that the scope holds.
type Filter struct {
	EntityID uuid.UUID
	Statuses []Status
	ParentID uuid.UUID
}

// Reader reads documents within a scope.
type Reader interface {
	// Get returns the document, or a NotFound fault where it is missing or
	// outside the scope.
	Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*Document, error)
	// List returns documents newest first.
	List(ctx context.Context, s identity.Scope, f Filter, p page.Request) (page.Of[Document], error)
}

// Repository stores documents.
type Repository interface {
	Reader
	// Add stores a new document. Where the entity already has a whole document
	// (Part 0) of the same SHA-256 nothing is stored and that one is returned;
	// else the result is nil.
	Add(ctx context.Context, d *Document) (existing *Document, err error)
	// Update loads the document under a row lock, applies change, and stores it
	// with Version raised by one.
	Update(ctx context.Context, s identity.Scope, id uuid.UUID, change func(*Document) error) (*Document, error)
}

// Orphans finds documents for the sweep, in every organization.
type Orphans interface {
	// Unfinished lists documents that are to be read and have no job that waits
	// or runs: in PROCESSING, or in UPLOADED, requested and not held; last
	// changed before the given time, oldest first, at most limit.
	Unfinished(ctx context.Context, before time.Time, limit int) ([]Document, error)
	// HeldIn lists the organizations with documents that wait for room in their
	// plan, those first that have waited longest.
	HeldIn(ctx context.Context) ([]uuid.UUID, error)
	// Held lists an organization's documents that wait for room in its plan,
	// oldest first, at most limit.
	Held(ctx context.Context, organization uuid.UUID, limit int) ([]Document, error)
}

// Blobs stores the bytes of documents by their SHA-256.
type Blobs interface {
	// Put stores what r yields, hashing it on the way, and returns its key and
	// size. Nothing can be read under the key before the last byte is durable.
	// An error of r is returned as it is and nothing is kept.
	Put(ctx context.Context, r io.Reader) (sha256 string, size int64, err error)
	// Open returns the bytes; the caller closes them. A missing blob is a
	// NotFound fault.
	Open(ctx context.Context, sha256 string) (io.ReadSeekCloser, error)
	// Local returns the path of a file with the bytes, good until release is
	// called.
	Local(ctx context.Context, sha256 string) (path string, release func(), err error)
}
