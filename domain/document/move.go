package document

import (
	"context"
	"fmt"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// Moves reads what a move of documents to another entity affects (domain D12).
type Moves interface {
	// Whole returns a document first, then all its parts, under a lock. The parts can be in other
	// entities. It returns a NotFound fault if the document is missing or outside the scope.
	Whole(ctx context.Context, s identity.Scope, id uuid.UUID) ([]Document, error)
	// WithBytes returns a whole document (Part 0) of the entity with the SHA-256; Nil if there is none.
	WithBytes(ctx context.Context, organization, entity uuid.UUID, sha256 string) (uuid.UUID, error)
	// Invoices lists the invoices of documents.
	Invoices(ctx context.Context, organization uuid.UUID, documents []uuid.UUID) ([]uuid.UUID, error)
	// Forget removes the invoice from the suppliers that have it as their last one, and from the
	// reminders that name it.
	Forget(ctx context.Context, organization, invoice uuid.UUID) error
}

// Together returns the documents of the list that move with the first one: its parts in the same
// entity, and their parts. A part that was moved before stays where it is, with its own parts.
func Together(whole []Document) []Document {
	if len(whole) == 0 {
		return nil
	}
	moving := map[uuid.UUID]bool{whole[0].ID: true}
	out := whole[:1:1]
	for _, d := range whole[1:] { // a part follows its parent
		if moving[d.ParentID] && d.EntityID == whole[0].EntityID {
			moving[d.ID] = true
			out = append(out, d)
		}
	}
	return out
}

// Elsewhere reports whether d is a part of a file that is in another entity, or that is gone. The
// readers of d may then have only its part of the file (domain D12).
func Elsewhere(ctx context.Context, documents Reader, d *Document) (bool, error) {
	if d.Part == 0 {
		return false, nil
	}
	// Readers of d need not see the entity of the file.
	file, err := documents.Get(ctx, identity.System(d.OrganizationID).Scope(), d.ParentID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("find the file of a part: %w", err)
	}
	return file.EntityID != d.EntityID, nil
}

// ErrOfOthers returns the fault for the file of a part that is Elsewhere, if the part cannot be
// separated from the other documents in the file.
func ErrOfOthers(d *Document) error {
	return fault.New(fault.Invalid, fault.CodeUnreadableDocument,
		"The file is in another entity and contains other documents, and this one cannot be separated from them. Move the document back, or read the file there.").
		With("document_id", d.ID.String()).With("reason", "part_of_other_entity")
}

// MoveTo assigns the document to another entity. A running extraction can no longer store its
// result, because it applied the settings of the former entity; the document is extracted again.
// autoExtract starts the extraction of a document that awaits a request.
func (d *Document) MoveTo(entity uuid.UUID, autoExtract bool) {
	d.EntityID, d.RelatedInvoiceID = entity, uuid.Nil
	switch {
	case d.Status == Processing:
		d.Status, d.HeldReason, d.Requested = Uploaded, "", true
		d.Attempts = max(d.Attempts-1, 0) // the attempt did not fail
		d.Run++
	case d.Status == Uploaded && autoExtract:
		d.Requested = true
	}
}

// ErrSameBytes returns the fault for a move to an entity that already has the bytes.
func ErrSameBytes(existing uuid.UUID) error {
	return fault.New(fault.Conflict, fault.CodeConflict,
		"The entity already has a document with the same bytes. Delete one of the two documents, or reject its invoice.").
		With("document_id", existing.String()).With("reason", "same_bytes")
}
