package extraction

import (
	"bytes"
	"context"

	"docledger/domain/document"
	"docledger/domain/extraction"
)

// storeWords stores the words that OCR recognized on a page, so that people can select them
// (domain D29). A failure is logged only, because the extraction does not depend on it.
func (s *Service) storeWords(ctx context.Context, d *document.Document, page int, words []extraction.PageWord) {
	data, err := extraction.EncodeWords(words)
	if err == nil {
		var r document.Rendition
		r.Source, r.Name, r.CreatedAt = d.SHA256, extraction.WordsName(page), s.Clock.Now()
		if r.SHA256, r.SizeBytes, err = s.Blobs.Put(ctx, bytes.NewReader(data)); err == nil {
			err = document.KeepBlob(ctx, s.Blobs, s.Removals, r.SHA256, s.Clock.Now().Add(s.BlobGrace))
		}
		if err == nil {
			var stored bool
			if stored, err = s.Renditions.Put(ctx, r); err == nil && !stored { // the document was deleted in the meantime
				err = s.Removals.Schedule(ctx, d.OrganizationID, []string{r.SHA256}, s.Clock.Now().Add(s.BlobGrace))
			}
		}
	}
	if err != nil {
		s.Log.WarnContext(ctx, "recognized words not stored", "document", d.ID, "page", page, "error", err)
	}
}
