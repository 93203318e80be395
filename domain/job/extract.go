package job

import (
	"time"

	"github.com/google/uuid"
)

// ExtractVersion is the version of ExtractDocument that this release writes.
const ExtractVersion = 1

// Extraction is the kind of ExtractDocument.
var Extraction = define(Kind{
	Name: "extract_document", Version: ExtractVersion, Queue: DefaultQueue, Attempts: 10, Timeout: 2 * time.Minute, Shared: true,
	Noun: "Extraction of document", Cancelled: extractionCancelled,
}, func(a ExtractDocument) string { return a.DocumentID.String() })

const extractionCancelled = "Document %s is kept. It is FAILED unless it already has an invoice. To extract it, use force or retry this job."

// ExtractDocument extracts one document and creates its invoice.
type ExtractDocument struct {
	V              int
	OrganizationID uuid.UUID
	DocumentID     uuid.UUID
	// Restart distinguishes a restarted document's job from the previous one, which the queue still
	// contains for a moment.
	Restart int
}

// Kind implements Args.
func (ExtractDocument) Kind() string { return "extract_document" }

// Organization implements OfOrganization.
func (a ExtractDocument) Organization() uuid.UUID { return a.OrganizationID }
