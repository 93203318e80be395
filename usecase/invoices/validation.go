package invoices

import (
	"context"
	"errors"
	"fmt"

	"docledger/domain/einvoice"
	"docledger/domain/extraction"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// Validation evaluates the official rules on the original of an invoice. It
// changes nothing: neither the invoice nor its checks.
func (s *Service) Validation(ctx context.Context, a identity.Actor, id uuid.UUID) (*einvoice.Verdict, error) {
	inv, err := s.Invoices.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	if inv.Extraction.Method != invoice.Structured {
		return einvoice.Unjudged("The invoice was read from printed pages, not from an electronic invoice."), nil
	}
	d, err := s.Documents.Get(ctx, a.Scope(), inv.DocumentID)
	if err != nil {
		return nil, err
	}
	// One organization validates one document at a time, so that large documents
	// of one delay no other.
	done, err := s.validations.Take(ctx, a.OrganizationID)
	if err != nil {
		return nil, err
	}
	defer done()
	path, release, err := s.Blobs.Local(ctx, d.SHA256)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return einvoice.Unjudged("The stored original is missing."), nil
	}
	if err != nil {
		return nil, fmt.Errorf("fetch blob: %w", err)
	}
	defer release()
	result, err := s.Originals.Read(ctx, extraction.Source{Name: d.Filename, Path: path, Size: d.SizeBytes, Forced: d.Forced})
	var failure *extraction.Failure
	switch {
	case errors.As(err, &failure):
		return einvoice.Unjudged(failure.Message), nil
	case errors.Is(err, extraction.ErrUnavailable):
		return nil, fault.New(fault.Unavailable, fault.CodeUnavailable, "The reader of documents is unavailable. Try again later.").WithCause(err)
	case err != nil:
		return nil, fmt.Errorf("validate document: %w", err)
	}
	return result.Validation(), nil
}
