package httpapi

import (
	"context"
	"net/http"

	"docledger/adapter/httpapi/edge"
	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/identity"
	"docledger/gen/backend"
	"docledger/usecase/documents"
	usecaseextraction "docledger/usecase/extraction"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// GetDocumentPage implements the operation getDocumentPage.
func (s *Server) GetDocumentPage(ctx context.Context, r backend.GetDocumentPageRequestObject) (backend.GetDocumentPageResponseObject, error) {
	width := documents.DefaultPageWidth
	if r.Params.Width != nil {
		width = *r.Params.Width
	}
	f, err := s.Documents.PageImage(ctx, actor(ctx), r.DocumentId, r.Page, width)
	if err != nil {
		return nil, err
	}
	sent, err := fileOf(ctx, f)
	sent.inline = true
	return pageImage{sent}, err
}

// pageImage is the response of getDocumentPage.
type pageImage struct{ sentFile }

// VisitGetDocumentPageResponse implements the generated response.
func (p pageImage) VisitGetDocumentPageResponse(w http.ResponseWriter) error { return p.send(w) }

// GetDocumentPageWords implements the operation getDocumentPageWords.
func (s *Server) GetDocumentPageWords(ctx context.Context, r backend.GetDocumentPageWordsRequestObject) (backend.GetDocumentPageWordsResponseObject, error) {
	words, err := s.Documents.PageWords(ctx, actor(ctx), r.DocumentId, r.Page)
	if err != nil {
		return nil, err
	}
	body := backend.PageWords{Words: make([]backend.PageWord, len(words))}
	for i, word := range words {
		body.Words[i] = backend.PageWord{Text: word.Text, Box: word.Box[:]}
	}
	return backend.GetDocumentPageWords200JSONResponse{Body: body}, nil
}

// GetDocumentReadable implements the operation getDocumentReadable.
func (s *Server) GetDocumentReadable(ctx context.Context, r backend.GetDocumentReadableRequestObject) (backend.GetDocumentReadableResponseObject, error) {
	pdf := r.Params.Format != nil && *r.Params.Format == backend.Pdf
	if c, ok := ctx.(*gin.Context); ok && r.Params.Format == nil {
		pdf = edge.Preferred(c.Request.Header.Values("Accept"), "text/html", "application/pdf") == "application/pdf"
	}
	f, err := s.Documents.Readable(ctx, actor(ctx), r.DocumentId, pdf)
	if err != nil {
		return nil, err
	}
	sent, err := fileOf(ctx, f)
	sent.inline = true
	return readableFile{sent}, err
}

// readableFile is the response of getDocumentReadable.
type readableFile struct{ sentFile }

// VisitGetDocumentReadableResponse implements the generated response.
func (f readableFile) VisitGetDocumentReadableResponse(w http.ResponseWriter) error {
	w.Header().Add("Vary", "Accept")
	return f.send(w)
}

// GetDocumentAttachment implements the operation getDocumentAttachment.
func (s *Server) GetDocumentAttachment(ctx context.Context, r backend.GetDocumentAttachmentRequestObject) (backend.GetDocumentAttachmentResponseObject, error) {
	f, err := s.Documents.Attachment(ctx, actor(ctx), r.DocumentId, r.Attachment)
	if err != nil {
		return nil, err
	}
	sent, err := fileOf(ctx, f)
	return attachedFile{sent}, err
}

// attachedFile is the response of getDocumentAttachment.
type attachedFile struct{ sentFile }

// VisitGetDocumentAttachmentResponse implements the generated response.
func (f attachedFile) VisitGetDocumentAttachmentResponse(w http.ResponseWriter) error {
	return f.send(w)
}

// SplitDocument implements the operation splitDocument.
func (s *Server) SplitDocument(ctx context.Context, r backend.SplitDocumentRequestObject) (backend.SplitDocumentResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	parts := make([]document.Pages, len(r.Body.Parts))
	for i, p := range r.Body.Parts {
		parts[i] = document.Pages{From: p.From, To: p.To}
	}
	d, err := s.Extraction.Split(ctx, actor(ctx), r.DocumentId, version, parts)
	if err != nil {
		return nil, err
	}
	return backend.SplitDocument200JSONResponse{Body: s.Web.ToAPIDocument(d), Headers: backend.SplitDocument200ResponseHeaders{ETag: edge.ETag(d.Version)}}, nil
}

// MergeDocuments implements the operation mergeDocuments.
func (s *Server) MergeDocuments(ctx context.Context, r backend.MergeDocumentsRequestObject) (backend.MergeDocumentsResponseObject, error) {
	parts := make([]usecaseextraction.MergePart, len(r.Body.Parts))
	for i, p := range r.Body.Parts {
		parts[i].DocumentID = p.DocumentId
		if p.Pages == nil {
			continue
		}
		for _, n := range *p.Pages {
			page := extraction.MergedPage{Number: n.Number}
			if n.Rotate != nil {
				page.Rotate = int(*n.Rotate)
			}
			parts[i].Pages = append(parts[i].Pages, page)
		}
	}
	filename := ""
	if r.Body.Filename != nil {
		filename = *r.Body.Filename
	}
	may := func(d backend.Document) error { return s.mayStill(ctx, identity.Reject, d.EntityId) }
	body, etag, err := withIdempotency(ctx, s, r.Params.IdempotencyKey, r.Body, may, func(uuid.UUID) (backend.Document, int, error) {
		merged, err := s.Extraction.Merge(ctx, actor(ctx), parts, filename)
		if err != nil {
			return backend.Document{}, 0, err
		}
		api := s.Web.ToAPIDocument(merged.Document)
		api.Duplicate = &merged.Duplicate
		return api, merged.Version, nil
	})
	if err != nil {
		return nil, err
	}
	return backend.MergeDocuments200JSONResponse{Body: body, Headers: backend.MergeDocuments200ResponseHeaders{ETag: etag}}, nil
}
