// Package folders receives the files of the folder of an entity (domain D33).
package folders

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Documents stores the files.
type Documents interface {
	StoreBlob(ctx context.Context, r io.Reader) (document.StoredBlob, error)
	Ingest(ctx context.Context, a identity.Actor, in document.IngestInput) (d *document.Document, fresh bool, err error)
}

// Service receives files.
type Service struct {
	Documents  Documents
	Owners     entity.Owners
	Plans      billing.Plans
	Usage      billing.Usage
	UnitOfWork usecase.UnitOfWork
	Clock      usecase.Clock
}

// Receive stores a file for an entity. After it returned nil, the file is stored with its job. The
// bytes of a file that the entity already has give no second document. While the plan has no room,
// the document waits (domain D15). It is a NotFound fault if there is no such entity, and a Conflict
// fault if the entity is archived.
func (s *Service) Receive(ctx context.Context, id uuid.UUID, name string, content io.Reader) error {
	e, err := s.Owners.GetForOperator(ctx, id)
	if err != nil {
		return err
	}
	if err := e.RequireOpen(); err != nil {
		return err
	}
	held, err := billing.IsFull(ctx, s.Plans, s.Usage, e.OrganizationID, s.Clock.Now())
	if err != nil {
		return err
	}
	buffered := bufio.NewReader(content)
	if _, err := buffered.Peek(1); errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, fault.CodeUnreadableDocument, "The file is empty.")
	}
	kept, err := s.Documents.StoreBlob(ctx, buffered)
	if err != nil {
		return err
	}
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		_, _, err := s.Documents.Ingest(ctx, identity.System(e.OrganizationID), document.IngestInput{
			StoredBlob: kept, EntityID: e.ID, Filename: name, Held: held, Origin: document.FromFolder,
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("ingest file: %w", err)
	}
	return nil
}
