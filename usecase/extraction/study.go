package extraction

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// study reads what the suppliers of the drafts teach, before the transaction: the printed texts of
// the document, and of the documents of approved invoices with corrected values. It returns the
// drafts with their texts. Documents that cannot be read teach nothing.
func (s *Service) study(ctx context.Context, o *outcome, drafts []extraction.Draft, places []place) ([]extraction.Draft, error) {
	if o.result.Method != invoice.Text {
		return drafts, nil
	}
	own := false
	for i := range drafts {
		inv := &invoice.Invoice{
			EntityID: places[i].entity.ID, OrganizationID: o.document.OrganizationID, Status: invoice.Extracted,
			Content: drafts[i].Content, Fields: maps.Clone(drafts[i].Fields), Extraction: invoice.Extraction{Method: o.result.Method},
		}
		if len(drafts) == 1 {
			inv.ID = o.document.InvoiceID
		}
		wanted, examples, err := s.Suppliers.Study(ctx, inv)
		if err != nil {
			return nil, fmt.Errorf("study the supplier's invoices: %w", err)
		}
		own = own || wanted
		if err := s.readExamples(ctx, o, examples); err != nil {
			return nil, err
		}
	}
	if !own {
		return drafts, nil
	}
	result, err := s.readAgain(ctx, o.document)
	if err != nil || result == nil {
		return drafts, err
	}
	if again, err := draftsOf(o.document, result); err == nil && len(again) == len(drafts) {
		return again, nil
	}
	return drafts, nil
}

func (s *Service) readExamples(ctx context.Context, o *outcome, examples []invoice.Invoice) error {
	for i := range examples {
		inv := &examples[i]
		if _, known := o.examples[inv.ID]; known || inv.DocumentID == uuid.Nil {
			continue
		}
		d, err := s.Documents.Get(ctx, identity.System(inv.OrganizationID).Scope(), inv.DocumentID)
		if fault.CodeOf(err) == fault.CodeNotFound {
			continue
		}
		if err != nil {
			return fmt.Errorf("find the document of an approved invoice: %w", err)
		}
		result, err := s.readAgain(ctx, d)
		if err != nil {
			return err
		}
		if o.examples == nil {
			o.examples = map[uuid.UUID][]extraction.Reading{}
		}
		o.examples[inv.ID] = nil
		if result == nil {
			continue
		}
		if drafts, err := draftsOf(d, result); err == nil && len(drafts) == 1 {
			o.examples[inv.ID] = drafts[0].Readings
		}
	}
	return nil
}

// readAgain returns the result of a document with its printed texts, or nil if it cannot be read.
func (s *Service) readAgain(ctx context.Context, d *document.Document) (*extraction.Result, error) {
	result, err := s.extract(ctx, d, extraction.Source{Readings: true})
	var failure *extraction.Failure
	switch {
	case errors.As(err, &failure), errors.Is(err, extraction.ErrNeedsOCR):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return result, nil
}
