package httpapi

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"strconv"

	"docledger/adapter/httpapi/convert"
	"docledger/adapter/httpapi/edge"
	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/gen/backend"
	"docledger/usecase/documents"
)

// ListDocuments implements the operation listDocuments.
func (s *Server) ListDocuments(ctx context.Context, r backend.ListDocumentsRequestObject) (backend.ListDocumentsResponseObject, error) {
	f := document.Filter{EntityID: convert.ID(r.Params.EntityId)}
	if r.Params.Status != nil {
		for _, status := range *r.Params.Status {
			f.Statuses = append(f.Statuses, document.Status(status))
		}
	}
	if err := s.visible(ctx, f.EntityID); err != nil {
		return nil, err
	}
	found, err := s.Documents.List(ctx, actor(ctx).Scope(), f, pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	items := make([]backend.Document, len(found.Items))
	for i := range found.Items {
		items[i] = s.Web.ToAPIDocument(&found.Items[i])
	}
	return backend.ListDocuments200JSONResponse{Body: backend.DocumentList{Items: items, NextCursor: convert.Cursor(found.Next)}}, nil
}

// GetDocument implements the operation getDocument.
func (s *Server) GetDocument(ctx context.Context, r backend.GetDocumentRequestObject) (backend.GetDocumentResponseObject, error) {
	d, err := s.Documents.Get(ctx, actor(ctx).Scope(), r.DocumentId)
	if err != nil {
		return nil, err
	}
	return backend.GetDocument200JSONResponse{
		Body: s.Web.ToAPIDocument(d), Headers: backend.GetDocument200ResponseHeaders{ETag: edge.ETag(d.Version)},
	}, nil
}

// UploadDocument implements the operation uploadDocument.
func (s *Server) UploadDocument(ctx context.Context, r backend.UploadDocumentRequestObject) (backend.UploadDocumentResponseObject, error) {
	in, done, err := s.uploadInput(ctx, r)
	if err != nil {
		return nil, err
	}
	defer done()
	may := func(d backend.Document) error { return s.mayStill(ctx, identity.Upload, in.EntityID, d.EntityId) }
	body, etag, err := withUploadIdempotency(ctx, s, r.Params.IdempotencyKey, in, may, func(in documents.UploadInput) (backend.Document, int, error) {
		up, err := s.Documents.Upload(ctx, actor(ctx), in)
		if err != nil {
			return backend.Document{}, 0, err
		}
		api := s.Web.ToAPIDocument(up.Document)
		api.Duplicate = &up.Duplicate
		return api, up.Version, nil
	})
	if err != nil {
		return nil, err
	}
	return backend.UploadDocument200JSONResponse{Body: body, Headers: backend.UploadDocument200ResponseHeaders{ETag: etag}}, nil
}

func (s *Server) uploadInput(ctx context.Context, r backend.UploadDocumentRequestObject) (in documents.UploadInput, done func(), err error) {
	if r.MultipartBody != nil {
		return s.readForm(ctx, r.MultipartBody)
	}
	return documents.UploadInput{
		EntityID: r.JSONBody.EntityId, Filename: r.JSONBody.Filename, Content: bytes.NewReader(r.JSONBody.Content),
	}, func() {}, nil
}

// GetDocumentContent implements the operation getDocumentContent.
func (s *Server) GetDocumentContent(ctx context.Context, r backend.GetDocumentContentRequestObject) (backend.GetDocumentContentResponseObject, error) {
	d, content, err := s.Documents.Content(ctx, actor(ctx), r.DocumentId)
	if err != nil {
		return nil, err
	}
	return original{document: d, content: content}, nil
}

// original sends the bytes of a document. They are immutable, so their checksum
// is the entity tag.
type original struct {
	document *document.Document
	content  io.ReadSeekCloser
}

// VisitGetDocumentContentResponse implements the generated response.
func (o original) VisitGetDocumentContentResponse(w http.ResponseWriter) error {
	defer o.content.Close()
	h := w.Header()
	h.Set("Content-Type", o.document.MediaType)
	// A document is an untrusted file. Browsers must not show it as a page of
	// this origin.
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": o.document.Filename}))
	h.Set("ETag", strconv.Quote(o.document.SHA256))
	h.Set("Cache-Control", "private, no-cache")
	size, err := o.content.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = o.content.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	// The response is always complete. Ranges and conditional requests would
	// return statuses that the API does not define.
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	w.WriteHeader(http.StatusOK)
	// If a read or write fails, the response is shorter than its
	// Content-Length, which the client detects.
	_, _ = io.Copy(w, o.content)
	return nil
}

var _ backend.GetDocumentContentResponseObject = original{}
