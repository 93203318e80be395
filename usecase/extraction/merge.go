package extraction

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/extraction"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/job"

	"github.com/google/uuid"
)

const (
	// MaxMergedBytes is the maximum size of the originals of a merge.
	MaxMergedBytes = 64 << 20
	// maxMergedName is the maximum length of the name of a merged document.
	maxMergedName = 255
	// mergeRetry is when a caller may try again while files cannot be merged.
	mergeRetry = 5 * time.Second
	// mergeTimeout limits how long a request waits for the merged file.
	mergeTimeout = 40 * time.Second
	// mergedReason is the reason of rejection of an invoice the document of which was merged.
	mergedReason = "The document was merged into another one."
)

// MergePart are pages of a document; no pages mean all of them.
type MergePart struct {
	DocumentID uuid.UUID
	Pages      []extraction.MergedPage
}

// Merged is the result of a merge. Duplicate reports that the entity had the same bytes before.
type Merged struct {
	*document.Document
	Duplicate bool
}

// Merge makes a document of pages of PDFs and images of one entity (domain D11). The originals stay,
// but their open invoices are rejected. None may be approved or synced.
func (s *Service) Merge(ctx context.Context, a identity.Actor, parts []MergePart, filename string) (*Merged, error) {
	originals, e, err := s.originalsOf(ctx, a, parts)
	if err != nil {
		return nil, err
	}
	if err := e.Require(ctx, a, identity.Reject, s.Settings); err != nil {
		return nil, err
	}
	if err := e.RequireOpen(); err != nil {
		return nil, err
	}
	if err := mergeable(parts, originals); err != nil {
		return nil, err
	}
	if err := s.separable(ctx, originals); err != nil {
		return nil, err
	}
	if err := s.requireOpenInvoices(ctx, a, originals); err != nil {
		return nil, err
	}
	if err := s.mayExtract(ctx, &document.Document{OrganizationID: a.OrganizationID}); err != nil {
		return nil, err
	}
	data, pages, err := s.mergedFile(ctx, a, parts, originals)
	if err != nil {
		return nil, err
	}
	sha256, size, err := s.Blobs.Put(ctx, bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("store the merged file: %w", err)
	}
	if err := document.KeepBlob(ctx, s.Blobs, s.Removals, sha256, s.Clock.Now().Add(s.BlobGrace)); err != nil {
		return nil, err
	}
	merged, err := s.storeMerged(ctx, a, &document.Document{
		EntityID: e.ID, OrganizationID: a.OrganizationID, Filename: mergedName(filename, originals[0].Filename),
		MediaType: "application/pdf", SizeBytes: size, SHA256: sha256, PageCount: pages, Origin: document.FromUpload,
		MergedFrom: idsOf(originals), Email: leastTrusted(originals), CreatedBy: a.UserID,
	}, originals)
	if err != nil {
		// No document refers to the file, unless another one has the same bytes; the removal finds that.
		late := context.WithoutCancel(ctx)
		if unscheduled := s.Removals.Schedule(late, a.OrganizationID, []string{sha256}, s.Clock.Now().Add(s.BlobGrace)); unscheduled != nil {
			s.Log.ErrorContext(late, "the file of a refused merge stays stored", "sha256", sha256, "error", unscheduled)
		}
		return nil, err
	}
	return merged, nil
}

// storeMerged stores a document of a merged file.
func (s *Service) storeMerged(ctx context.Context, a identity.Actor, d *document.Document, originals []*document.Document) (*Merged, error) {
	settings, err := s.Settings.Get(ctx, a.Scope(), d.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	now := s.Clock.Now()
	d.ID, d.Status, d.Requested, d.Version, d.CreatedAt, d.UpdatedAt = s.IDs.New(), document.Uploaded, settings.AutoExtract, 1, now, now
	var existing *document.Document
	err = s.Duplicates.InTurn(ctx, a.OrganizationID, func(ctx context.Context) (err error) {
		existing, err = s.addMerged(ctx, a, d, originals)
		return err
	})
	if err != nil {
		return nil, err
	}
	if existing != nil {
		return &Merged{Document: existing, Duplicate: true}, nil
	}
	return &Merged{Document: d}, nil
}

// requireOpenInvoices returns a fault if an invoice of a document is approved or synced.
func (s *Service) requireOpenInvoices(ctx context.Context, a identity.Actor, documents []*document.Document) error {
	for _, d := range documents {
		if d.InvoiceID == uuid.Nil {
			continue
		}
		inv, err := s.Invoices.Get(ctx, a.Scope(), d.InvoiceID)
		if err != nil {
			return fmt.Errorf("read invoice: %w", err)
		}
		if err := supersedable(inv); err != nil {
			return err
		}
	}
	return nil
}

// originalsOf returns the documents of the parts and their entity.
func (s *Service) originalsOf(ctx context.Context, a identity.Actor, parts []MergePart) (originals []*document.Document, e *entity.Entity, err error) {
	if len(parts) == 0 {
		return nil, nil, fault.InvalidField("parts", "must have at least one item")
	}
	known := map[uuid.UUID]*document.Document{}
	var wrong fault.Fields
	for i, p := range parts {
		d := known[p.DocumentID]
		if d == nil {
			if d, err = s.Documents.Get(ctx, a.Scope(), p.DocumentID); err != nil {
				return nil, nil, err
			}
			known[p.DocumentID] = d
		}
		if originals = append(originals, d); d.EntityID != originals[0].EntityID {
			wrong.Add(fmt.Sprintf("parts[%d].document_id", i), "must be of the same entity as the first document")
		}
	}
	if err := wrong.Err(); err != nil {
		return nil, nil, err
	}
	if e, err = s.Entities.Get(ctx, a.Scope(), originals[0].EntityID); err != nil {
		return nil, nil, fmt.Errorf("read entity: %w", err)
	}
	return originals, e, nil
}

// mergeable verifies that the documents are PDFs or images, with the pages, and are not being
// extracted.
func mergeable(parts []MergePart, originals []*document.Document) error {
	var wrong fault.Fields
	total, pages := int64(0), 0
	for i, d := range originals {
		field := fmt.Sprintf("parts[%d]", i)
		switch {
		case d.MediaType != "application/pdf" && !strings.HasPrefix(d.MediaType, "image/"):
			wrong.Add(field+".document_id", "must be a PDF or an image")
		case d.Status == document.Split:
			wrong.Add(field+".document_id", "was split; merge its parts")
		case !d.Status.Terminal() && d.Requested:
			return errMergedEarly(d)
		}
		for n, p := range parts[i].Pages {
			if d.PageCount > 0 && p.Number > d.PageCount {
				wrong.Add(fmt.Sprintf("%s.pages[%d].number", field, n), "must not be after the last page, %d", d.PageCount)
			}
		}
		total += d.SizeBytes
		if pages += len(parts[i].Pages); parts[i].Pages == nil {
			pages += max(1, d.PageCount)
		}
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	switch {
	case pages > extraction.MaxMergedPages:
		return fault.InvalidField("parts", "must have at most %d pages", extraction.MaxMergedPages)
	case total > MaxMergedBytes:
		return fault.InvalidField("parts", "must be files of at most %d MiB together", MaxMergedBytes>>20)
	}
	return nil
}

// separable verifies that the pages of each document can be separated from those of other entities.
func (s *Service) separable(ctx context.Context, originals []*document.Document) error {
	for _, d := range originals {
		elsewhere, err := document.Elsewhere(ctx, s.Documents, d)
		if err != nil {
			return err
		}
		if elsewhere && d.Pages == nil {
			return document.ErrOfOthers(d)
		}
	}
	return nil
}

// mergedFile returns the PDF of the pages, and their number.
func (s *Service) mergedFile(ctx context.Context, a identity.Actor, parts []MergePart, originals []*document.Document) (data []byte, pages int, err error) {
	waiting, cancel := context.WithTimeout(ctx, mergeTimeout)
	defer cancel()
	// One organization merges one file at a time, so that its documents delay no other.
	done, err := s.Merging.Take(waiting, a.OrganizationID)
	if err != nil {
		return nil, 0, mergeFault(ctx, err)
	}
	defer done()
	files := make([]extraction.MergedFile, len(parts))
	local := map[string]string{}
	for i, d := range originals {
		if local[d.SHA256] == "" {
			path, release, err := s.Blobs.Local(waiting, d.SHA256)
			if fault.CodeOf(err) == fault.CodeNotFound {
				return nil, 0, mergeFault(ctx, extraction.Fail(extraction.ContentMissing, "%s: The stored original is missing. Upload the document again and inform the operator.", d.Filename))
			}
			if err != nil {
				return nil, 0, fmt.Errorf("fetch blob: %w", err)
			}
			defer release() //nolint:gocritic // at most 100 documents
			local[d.SHA256] = path
		}
		files[i] = extraction.MergedFile{Path: local[d.SHA256], Name: d.Filename, Pages: pagesOf(d, parts[i].Pages)}
	}
	data, pages, err = s.Merger.Merge(waiting, files)
	if err != nil {
		return nil, 0, mergeFault(ctx, err)
	}
	return data, pages, nil
}

// pagesOf returns pages of a document as those of its file; nil means all.
func pagesOf(d *document.Document, wanted []extraction.MergedPage) []extraction.MergedPage {
	if d.Pages == nil {
		return wanted
	}
	if wanted == nil {
		for n := range d.Pages.To - d.Pages.From + 1 {
			wanted = append(wanted, extraction.MergedPage{Number: n + 1})
		}
	}
	out := slices.Clone(wanted)
	for i := range out {
		out[i].Number += d.Pages.From - 1
	}
	return out
}

// mergeFault converts the error of a merger. ctx is that of the request.
func mergeFault(ctx context.Context, err error) error {
	var failure *extraction.Failure
	switch {
	case errors.As(err, &failure):
		return fault.New(fault.Invalid, fault.CodeUnreadableDocument, "The documents cannot be merged. %s", failure.Message).
			With("failure", map[string]any{"code": failure.Code(), "message": failure.Message}).
			With("reason", failure.Code())
	case errors.Is(err, extraction.ErrUnavailable), errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		f := fault.New(fault.Unavailable, fault.CodeUnavailable, "Documents cannot be merged at the moment. Try again later.").WithCause(err)
		f.RetryAfter = mergeRetry
		return f
	}
	return err
}

// addMerged stores a merged document with its job, and rejects the invoices of its originals. If the
// entity has a document with the same bytes, addMerged returns that and rejects nothing. originals are
// the documents as they were merged.
func (s *Service) addMerged(ctx context.Context, a identity.Actor, d *document.Document, originals []*document.Document) (existing *document.Document, err error) {
	e, err := s.Entities.GetShared(ctx, a.Scope(), d.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read entity: %w", err)
	}
	if err := e.Require(ctx, a, identity.Reject, s.Settings); err != nil {
		return nil, err
	}
	if err := e.RequireOpen(); err != nil {
		return nil, err
	}
	invoices, err := s.stillMergeable(ctx, a, originals)
	if err != nil {
		return nil, err
	}
	if existing, err = s.Documents.Add(ctx, d); err != nil {
		return nil, err
	}
	if existing != nil {
		return s.receivedAgain(ctx, a, nil, existing)
	}
	for _, id := range invoices {
		if err := s.supersede(ctx, a, id, mergedReason); err != nil {
			return nil, err
		}
	}
	ev := event.By(a, event.DocumentReceived, d.EntityID, subjectOf(d))
	ev.Data = map[string]string{"sha256": d.SHA256, "source": string(d.Origin), "merged": fmt.Sprint(len(d.MergedFrom))}
	if err := s.Events.Append(ctx, ev); err != nil {
		return nil, fmt.Errorf("append event: %w", err)
	}
	if !d.Requested {
		return nil, nil
	}
	return nil, s.enqueue(ctx, d, job.Interactive)
}

// stillMergeable verifies that documents did not change while their pages were merged. It returns their
// invoices.
func (s *Service) stillMergeable(ctx context.Context, a identity.Actor, originals []*document.Document) (invoices []uuid.UUID, err error) {
	for _, d := range originals {
		now, err := s.Documents.Get(ctx, a.Scope(), d.ID)
		switch {
		case err != nil:
			return nil, err
		case now.EntityID != d.EntityID, now.Status == document.Split:
			return nil, fault.StaleVersion(now.Version)
		case !now.Status.Terminal() && now.Requested:
			return nil, errMergedEarly(now)
		}
		if now.InvoiceID != uuid.Nil && !slices.Contains(invoices, now.InvoiceID) {
			invoices = append(invoices, now.InvoiceID)
		}
	}
	return invoices, nil
}

// errMergedEarly returns the fault for the merge of a document that is being extracted.
func errMergedEarly(d *document.Document) error {
	return fault.New(fault.Conflict, fault.CodeConflict, "A document is being extracted. Merge it when it has ended.").
		With("status", string(d.Status)).With("document_id", d.ID.String())
}

// leastTrusted returns the e-mail that brought one of the documents, first that of a sender who is not
// accepted: pages of such a sender do not become those of an upload.
func leastTrusted(originals []*document.Document) (found *document.Email) {
	for _, d := range originals {
		if d.Email != nil && (found == nil || found.Accepted && !d.Email.Accepted) {
			found = d.Email
		}
	}
	return found
}

// idsOf returns the ids of documents, each once.
func idsOf(documents []*document.Document) (ids []uuid.UUID) {
	for _, d := range documents {
		if !slices.Contains(ids, d.ID) {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// mergedName returns the name of a merged document.
func mergedName(stated, first string) string {
	if name := document.CleanFilename(stated); stated != "" {
		return name
	}
	base := strings.TrimSuffix(first, path.Ext(first))
	return document.CleanFilename(base[:min(len(base), maxMergedName-len(".pdf"))] + ".pdf")
}
