package httpapi

import (
	"context"
	"net/http"

	"docledger/gen/backend"
	"docledger/usecase/documents"
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
