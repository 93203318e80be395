package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"docledger/adapter/httpapi/convert"
	"docledger/adapter/httpapi/edge"
	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/gen/backend"
	"docledger/usecase/documents"
)

// ListDocuments implements the operation listDocuments.
func (s *Server) ListDocuments(ctx context.Context, r backend.ListDocumentsRequestObject) (backend.ListDocumentsResponseObject, error) {
	f, err := documentFilter(ctx, r.Params)
	if err != nil {
		return nil, err
	}
	if err := s.visible(ctx, f.EntityID); err != nil {
		return nil, err
	}
	found, err := s.Documents.List(ctx, actor(ctx).Scope(), f, documentSort(r.Params.Sort), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	items := make([]backend.Document, len(found.Items))
	for i := range found.Items {
		items[i] = s.Web.ToAPIDocument(&found.Items[i])
	}
	return backend.ListDocuments200JSONResponse{Body: backend.DocumentList{Items: items, NextCursor: convert.Cursor(found.Next)}}, nil
}

// documentFilter converts the filters of a list of documents.
func documentFilter(ctx context.Context, p backend.ListDocumentsParams) (f document.Filter, err error) {
	f = document.Filter{
		EntityID: convert.ID(p.EntityId), Statuses: valuesOf[document.Status](p.Status), Origins: valuesOf[document.Origin](p.Source),
		ExternalIDs: valuesOf[string](p.ExternalId), CreatedFrom: instant(p.CreatedFrom), CreatedTo: instant(p.CreatedTo),
	}
	if p.IntegrationId != nil {
		f.IntegrationIDs = *p.IntegrationId
	}
	if p.Q != nil {
		f.Query = strings.TrimSpace(*p.Q)
	}
	f.CreatedBy, err = userOf(ctx, "created_by", p.CreatedBy)
	return f, err
}

// documentSort converts the order of a list of documents.
func documentSort(sort *backend.DocumentSort) document.Sort {
	if sort == nil {
		return document.Sort{}
	}
	by, descending := strings.CutPrefix(string(*sort), "-")
	return document.Sort{ByUpdate: by == "updated_at", Ascending: !descending}
}

// UpdateDocument implements the operation updateDocument.
func (s *Server) UpdateDocument(ctx context.Context, r backend.UpdateDocumentRequestObject) (backend.UpdateDocumentResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	patch := r.JSONBody
	if patch == nil {
		patch = r.ApplicationMergePatchPlusJSONBody
	}
	var change documents.Patch
	if patch.ExternalId.IsSpecified() {
		id, _ := patch.ExternalId.Get() // null gives ""
		change.ExternalID = &id
	}
	d, err := s.Documents.Change(ctx, actor(ctx), r.DocumentId, version, change)
	if err != nil {
		return nil, err
	}
	return backend.UpdateDocument200JSONResponse{
		Body: s.Web.ToAPIDocument(d), Headers: backend.UpdateDocument200ResponseHeaders{ETag: edge.ETag(d.Version)},
	}, nil
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

// DeleteDocument implements the operation deleteDocument.
func (s *Server) DeleteDocument(ctx context.Context, r backend.DeleteDocumentRequestObject) (backend.DeleteDocumentResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	reason := ""
	if r.Params.Reason != nil {
		reason = *r.Params.Reason
	}
	d, err := s.Deletion.Delete(ctx, actor(ctx), r.DocumentId, version, reason)
	if err != nil {
		return nil, err
	}
	return backend.DeleteDocument200JSONResponse{
		Body: s.Web.ToAPIDocument(d), Headers: backend.DeleteDocument200ResponseHeaders{ETag: edge.ETag(d.Version)},
	}, nil
}

// MoveDocument implements the operation moveDocument.
func (s *Server) MoveDocument(ctx context.Context, r backend.MoveDocumentRequestObject) (backend.MoveDocumentResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	d, err := s.Moves.Move(ctx, actor(ctx), r.DocumentId, version, r.Body.EntityId)
	if err != nil {
		return nil, err
	}
	return backend.MoveDocument200JSONResponse{
		Body: s.Web.ToAPIDocument(d), Headers: backend.MoveDocument200ResponseHeaders{ETag: edge.ETag(d.Version)},
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
	// A small file is in the body itself, a larger one in a temporary file.
	var content io.Reader = bytes.NewReader(r.JSONBody.Content)
	if file := edge.BodyFile(ctx); file != nil {
		content = file
	}
	in = documents.UploadInput{
		EntityID: r.JSONBody.EntityId, Filename: r.JSONBody.Filename,
		Content: &capped{r: content, left: s.MaxUploadBytes, limit: s.MaxUploadBytes},
	}
	if r.JSONBody.ExternalId != nil {
		in.ExternalID = *r.JSONBody.ExternalId
	}
	return in, func() {}, nil
}

// GetDocumentContent implements the operation getDocumentContent.
func (s *Server) GetDocumentContent(ctx context.Context, r backend.GetDocumentContentRequestObject) (backend.GetDocumentContentResponseObject, error) {
	d, content, err := s.Documents.Content(ctx, actor(ctx), r.DocumentId)
	if err != nil {
		return nil, err
	}
	sent, err := fileOf(ctx, &documents.File{SHA256: d.SHA256, MediaType: d.MediaType, Name: d.Filename, Content: content})
	return original{sent}, err
}

// original sends the bytes of a document.
type original struct{ sentFile }

// VisitGetDocumentContentResponse implements the generated response.
func (o original) VisitGetDocumentContentResponse(w http.ResponseWriter) error { return o.send(w) }
