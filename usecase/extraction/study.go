package extraction

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"time"

	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// What the suppliers teach is optional, so reading it again is limited: one more reading of a
// document takes seconds, and a file can have many invoices.
const (
	// studyTime is the time for all readings of study.
	studyTime = 15 * time.Second
	// maxExamples is the maximum number of documents that are read again for one file.
	maxExamples = 6
)

// study reads what the suppliers of the drafts teach, before the transaction: the printed texts of
// the document, and of the documents of approved invoices with corrected values. It returns the
// drafts with their texts. A document that cannot be read, or not in time, teaches nothing. The end
// of ctx is an error.
func (s *Service) study(ctx context.Context, o *outcome, drafts []extraction.Draft, places []place) ([]extraction.Draft, error) {
	if o.result.Method != invoice.Text {
		return drafts, nil
	}
	own := false
	var examples []invoice.Invoice
	for i := range drafts {
		inv := &invoice.Invoice{
			EntityID: places[i].entity.ID, OrganizationID: o.document.OrganizationID, Status: invoice.Extracted,
			Content: drafts[i].Content, Fields: maps.Clone(drafts[i].Fields), Extraction: invoice.Extraction{Method: o.result.Method},
		}
		if len(drafts) == 1 {
			inv.ID = o.document.InvoiceID
		}
		wanted, found, err := s.Suppliers.Study(ctx, inv)
		if err != nil {
			return nil, fmt.Errorf("study the supplier's invoices: %w", err)
		}
		own, examples = own || wanted, append(examples, found...)
	}
	if !own {
		return drafts, nil
	}
	limited, cancel := context.WithTimeout(ctx, s.studyTime(ctx))
	defer cancel()
	again := s.readAgain(limited, o.document)
	if len(again) == len(drafts) {
		drafts = again
		s.readExamples(limited, o, examples)
	}
	return drafts, ctx.Err()
}

// studyTime returns the time for the readings of study. It is at most half of the time until the
// deadline of ctx, so that the result can still be stored.
func (s *Service) studyTime(ctx context.Context) time.Duration {
	limit := cmp.Or(s.StudyTime, studyTime)
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)/2)
	}
	return limit
}

// readExamples reads the printed texts of the documents of approved invoices until ctx ends.
func (s *Service) readExamples(ctx context.Context, o *outcome, examples []invoice.Invoice) {
	o.examples = map[uuid.UUID][]extraction.Reading{}
	for i := range examples {
		inv := &examples[i]
		if _, known := o.examples[inv.ID]; known || inv.DocumentID == uuid.Nil {
			continue
		}
		if len(o.examples) == maxExamples || ctx.Err() != nil {
			return
		}
		o.examples[inv.ID] = nil
		d, err := s.Documents.Get(ctx, identity.System(inv.OrganizationID).Scope(), inv.DocumentID)
		if err != nil {
			s.Log.WarnContext(ctx, "document of an approved invoice not found, it teaches nothing", "document", inv.DocumentID, "error", err)
			continue
		}
		if drafts := s.readAgain(ctx, d); len(drafts) == 1 {
			o.examples[inv.ID] = drafts[0].Readings
		}
	}
}

// readAgain returns the drafts of a document with its printed texts, or nil if it cannot be read.
func (s *Service) readAgain(ctx context.Context, d *document.Document) []extraction.Draft {
	result, err := s.extract(ctx, d, extraction.Source{Readings: true})
	if err != nil {
		s.Log.InfoContext(ctx, "document not read again, it teaches nothing", "document", d.ID, "error", err)
		return nil
	}
	drafts, err := draftsOf(d, result)
	if err != nil {
		return nil
	}
	return drafts
}
