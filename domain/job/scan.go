package job

import (
	"time"

	"github.com/google/uuid"
)

// ScanVersion is the version of ReadScan that this release writes.
const ScanVersion = 1

// Scan is the kind of ReadScan. It has a separate queue and is therefore not Shared.
var Scan = define(Kind{
	Name: "read_scan", Version: ScanVersion, Queue: ScanQueue, Attempts: 10, Timeout: 10 * time.Minute,
	Noun: "Extraction of document", Cancelled: extractionCancelled,
}, func(a ReadScan) string { return a.DocumentID.String() })

// ReadScan extracts one document that needs OCR and creates its invoice. It has a separate queue,
// because OCR takes seconds per page: documents with text do not wait for scans.
type ReadScan struct {
	V              int
	OrganizationID uuid.UUID
	DocumentID     uuid.UUID
	Restart        int // as that of ExtractDocument
}

// Kind implements Args.
func (ReadScan) Kind() string { return "read_scan" }

// Organization implements OfOrganization.
func (a ReadScan) Organization() uuid.UUID { return a.OrganizationID }
