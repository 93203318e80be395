// Package links makes and uses links that replace a credential for one purpose and a short time
// (domain D19).
package links

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"time"

	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/link"
	"docledger/usecase"

	"github.com/google/uuid"
)

const tokenBytes = 32

// Uploaded is the document of a file that a link received.
type Uploaded struct {
	Document  *document.Document
	Duplicate bool
}

// Uploads receives the files of links.
type Uploads interface {
	// MayUpload refuses an upload to the entity before any byte is read.
	MayUpload(ctx context.Context, a identity.Actor, entity uuid.UUID) error
	// Upload stores a file.
	Upload(ctx context.Context, a identity.Actor, entity uuid.UUID, filename string, content io.Reader) (Uploaded, error)
}

// Service makes and uses links.
type Service struct {
	Links       link.Links
	Uploads     Uploads
	Memberships identity.Memberships
	Users       identity.Users
	Keys        identity.APIKeys
	// AdminKeys accepts API keys of the role ADMIN.
	AdminKeys bool
	Clock     usecase.Clock
	IDs       usecase.IDs
}

// UploadInput describes an upload link. Zero values mean the defaults.
type UploadInput struct {
	EntityID uuid.UUID
	Lifetime time.Duration
	MaxFiles int
}

// CreateUpload makes a link with which files can be uploaded to an entity for the caller. It returns
// the token, which is not stored.
func (s *Service) CreateUpload(ctx context.Context, a identity.Actor, in UploadInput) (*link.Link, string, error) {
	if err := s.Uploads.MayUpload(ctx, a, in.EntityID); err != nil {
		return nil, "", err
	}
	if in.Lifetime <= 0 {
		in.Lifetime = link.DefaultLifetime
	}
	return s.create(ctx, a, &link.Link{
		EntityID: in.EntityID, Purpose: link.Upload, MaxUses: max(1, min(in.MaxFiles, link.MaxFiles)),
		ExpiresAt: s.Clock.Now().Add(min(in.Lifetime, link.MaxLifetime)),
	})
}

// CreateExport makes a link with which an export can be read for the caller.
func (s *Service) CreateExport(ctx context.Context, a identity.Actor, parameters string) (*link.Link, string, error) {
	return s.create(ctx, a, &link.Link{
		Purpose: link.Export, MaxUses: link.MaxReads, Parameters: parameters, ExpiresAt: s.Clock.Now().Add(link.DefaultLifetime),
	})
}

// CreateConnect makes a link with which a person without an account consents for an entity. The
// caller must have verified the right to connect the entity.
func (s *Service) CreateConnect(ctx context.Context, a identity.Actor, entity uuid.UUID, lifetime time.Duration, parameters string) (*link.Link, string, error) {
	if err := a.RequireAdmin(); err != nil {
		return nil, "", err
	}
	if lifetime <= 0 {
		lifetime = link.ConnectLifetime
	}
	return s.create(ctx, a, &link.Link{
		EntityID: entity, Purpose: link.Connect, MaxUses: 1, Parameters: parameters,
		ExpiresAt: s.Clock.Now().Add(min(lifetime, link.MaxConnectLifetime)),
	})
}

func (s *Service) create(ctx context.Context, a identity.Actor, l *link.Link) (*link.Link, string, error) {
	raw := make([]byte, tokenBytes)
	if _, err := rand.Read(raw); err != nil {
		return nil, "", fmt.Errorf("generate token: %w", err)
	}
	token := base64.RawURLEncoding.EncodeToString(raw)
	l.ID, l.OrganizationID, l.ActorType, l.UserID, l.ClientID, l.CreatedAt = s.IDs.New(), a.OrganizationID, a.Type, a.UserID, a.ClientID, s.Clock.Now()
	if err := s.Links.Add(ctx, l, token); err != nil {
		return nil, "", err
	}
	return l, token, nil
}

// Open returns the link of a token and the actor that it acts for, with the rights that the actor
// has now. A link that is unknown, expired or used up, and one of an actor without access, are the
// same NotFound fault.
func (s *Service) Open(ctx context.Context, p link.Purpose, token string) (*link.Link, identity.Actor, error) {
	l, err := s.Links.ByToken(ctx, p, token)
	if err != nil {
		return nil, identity.Actor{}, gone(err)
	}
	if !l.Usable(s.Clock.Now()) {
		return nil, identity.Actor{}, errGone()
	}
	a, err := s.actor(ctx, l)
	switch {
	case err != nil:
	case l.Purpose == link.Upload:
		err = s.Uploads.MayUpload(ctx, a, l.EntityID)
	case l.Purpose == link.Connect:
		err = a.RequireAdmin()
	}
	if err != nil {
		return nil, identity.Actor{}, gone(err)
	}
	return l, a, nil
}

// actor looks the rights of the link's actor up again.
func (s *Service) actor(ctx context.Context, l *link.Link) (identity.Actor, error) {
	if l.ActorType == identity.ActorAPIKey {
		k, err := s.Keys.ByID(ctx, l.OrganizationID, l.UserID)
		if err != nil {
			return identity.Actor{}, err
		}
		if !k.AcceptedAt(s.Clock.Now(), s.AdminKeys) {
			return identity.Actor{}, errGone()
		}
		return k.Actor(), nil
	}
	u, err := s.Users.ByID(ctx, l.UserID)
	if err != nil {
		return identity.Actor{}, err
	}
	// Who changes a password ends what others could begin with the former one, as sessions.
	if u.Disabled || u.PasswordChangedAt.After(l.CreatedAt) {
		return identity.Actor{}, errGone()
	}
	m, err := s.Memberships.Find(ctx, l.UserID, l.OrganizationID)
	if err != nil {
		return identity.Actor{}, err
	}
	return identity.Actor{
		Type: l.ActorType, UserID: l.UserID, OrganizationID: l.OrganizationID, Role: m.Role, ClientID: l.ClientID, ExpiresAt: l.ExpiresAt,
	}, nil
}

// Use counts one use of a link.
func (s *Service) Use(ctx context.Context, l *link.Link) error {
	ok, err := s.Links.Reserve(ctx, l.ID, s.Clock.Now())
	if err != nil {
		return err
	}
	if !ok {
		return errGone()
	}
	return nil
}

// Upload stores a file for the actor of a link. A failed upload does not count.
func (s *Service) Upload(ctx context.Context, l *link.Link, a identity.Actor, filename string, content io.Reader) (Uploaded, error) {
	if err := s.Use(ctx, l); err != nil {
		return Uploaded{}, err
	}
	up, err := s.Uploads.Upload(ctx, a, l.EntityID, filename, content)
	if err != nil {
		return Uploaded{}, s.GiveBack(ctx, l, err)
	}
	return up, nil
}

// GiveBack takes a use of a link back that led to an error, and returns the error. The request may
// have ended; its use does not count nevertheless.
func (s *Service) GiveBack(ctx context.Context, l *link.Link, err error) error {
	if back := s.Links.Release(context.WithoutCancel(ctx), l.ID); back != nil {
		return fmt.Errorf("%w; %w", err, back)
	}
	return err
}

// gone hides why a link does not work, except faults that a person can resolve or that a later
// request does not have.
func gone(err error) error {
	switch fault.CodeOf(err) {
	case fault.CodeNotFound, fault.CodeForbidden:
		return errGone()
	}
	return err
}

func errGone() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "This link does not exist, is expired or is used up. Request another one.")
}
