package service

import (
	"context"
	"io"

	"docledger/domain/identity"
	"docledger/infrastructure/clock"
	"docledger/usecase/documents"
	"docledger/usecase/links"

	"github.com/google/uuid"
)

// newLinks builds the links that replace a credential.
func (s *Service) newLinks(uploads *documents.Service) *links.Service {
	st := s.store
	return &links.Service{
		Links: st.Links(), Uploads: linkedUploads{uploads}, Memberships: st.Memberships(), Users: st.Users(), Keys: st.APIKeys(),
		AdminKeys: s.cfg.AdminKeys, Clock: s.clock, IDs: clock.UUIDv7{},
	}
}

// linkedUploads implements links.Uploads.
type linkedUploads struct{ *documents.Service }

// Upload implements links.Uploads.
func (u linkedUploads) Upload(ctx context.Context, a identity.Actor, entity uuid.UUID, filename string, content io.Reader) (links.Uploaded, error) {
	up, err := u.Service.Upload(ctx, a, documents.UploadInput{EntityID: entity, Filename: filename, Content: content})
	if err != nil {
		return links.Uploaded{}, err
	}
	return links.Uploaded{Document: up.Document, Duplicate: up.Duplicate}, nil
}
