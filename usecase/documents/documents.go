// Package documents takes files in and gives them out again.
package documents

import (
	"context"
	"io"
	"time"

	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/extraction"
	"docledger/domain/identity"
	"docledger/domain/job"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Sniffer detects the media type of a file by its first bytes.
type Sniffer interface {
	// MediaType returns the media type of a file from its first bytes, at most
	// SniffLength of them.
	MediaType(prefix []byte) string
}

// Entities reads entities.
type Entities interface {
	entity.Reader
	entity.Intakes
}

// SniffLength is how many of a file's first bytes a Sniffer sees.
const SniffLength = 4096

// Service holds the operations on documents; reading their records needs no
// rule beyond the scope, so Get and List are the repository's own.
type Service struct {
	document.Reader
	Documents  document.Repository
	Entities   Entities
	Settings   entity.SettingsRepository
	Blobs      document.Blobs
	Renditions document.Renditions
	Removals   document.Removals
	Sniffer    Sniffer
	Viewer     extraction.PageViewer
	Merger     extraction.Merger
	Events     event.Log
	Queue      job.Queue
	Plans      billing.Plans
	Usage      billing.Usage
	UnitOfWork usecase.UnitOfWork
	Clock      usecase.Clock
	IDs        usecase.IDs
	// BlobGrace is the time between a document's deletion and the removal of its bytes.
	BlobGrace time.Duration

	turns usecase.Turns[uuid.UUID]
}

// Content opens what the readers of a document may have of its original (see Original); the caller
// closes it. If it cannot be opened, Content returns the document with the error.
func (s *Service) Content(ctx context.Context, a identity.Actor, id uuid.UUID) (*document.Document, io.ReadSeekCloser, error) {
	d, err := s.Documents.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, nil, err
	}
	return s.Original(ctx, d)
}
