// Package apikeys manages the credentials of programs (domain D18).
package apikeys

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/page"
	"docledger/usecase"

	"github.com/google/uuid"
)

const (
	secretBytes = 32
	hintLength  = 4
)

// Service holds the operations on API keys.
type Service struct {
	Keys       identity.APIKeys
	Entities   entity.Reader
	Events     event.Log
	UnitOfWork usecase.UnitOfWork
	Clock      usecase.Clock
	IDs        usecase.IDs
	// Prefix begins the secrets of new keys: that of a sandbox or of an
	// installation.
	Prefix string
	// AdminKeys allows keys of the role ADMIN. Without it, such keys cannot be
	// created, and existing ones are not accepted.
	AdminKeys bool
}

// CreateInput describes a new key.
type CreateInput struct {
	Name      string
	Role      identity.EntityRole // or identity.KeyAdmin
	EntityIDs []uuid.UUID         // nil: every entity
	ExpiresAt time.Time           // zero: after identity.DefaultKeyLife
}

// Create adds a key and returns its secret, which is not stored.
func (s *Service) Create(ctx context.Context, a identity.Actor, in CreateInput) (*identity.APIKey, string, error) {
	if err := a.RequireAdmin(); err != nil {
		return nil, "", err
	}
	now := s.Clock.Now()
	if in.ExpiresAt.IsZero() {
		in.ExpiresAt = now.Add(identity.DefaultKeyLife)
	}
	if err := s.check(ctx, a, &in, now); err != nil {
		return nil, "", err
	}
	raw := make([]byte, secretBytes)
	if _, err := rand.Read(raw); err != nil {
		return nil, "", fmt.Errorf("generate secret: %w", err)
	}
	secret := s.Prefix + base64.RawURLEncoding.EncodeToString(raw)
	k := &identity.APIKey{
		ID: s.IDs.New(), OrganizationID: a.OrganizationID, Name: in.Name, Role: in.Role, EntityIDs: in.EntityIDs,
		Hint: secret[len(secret)-hintLength:], CreatedBy: a.UserID, CreatedAt: now, ExpiresAt: in.ExpiresAt.UTC().Truncate(time.Second),
	}
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		if err := s.Keys.Add(ctx, k, secret); err != nil {
			return fmt.Errorf("add API key: %w", err)
		}
		e := event.By(a, event.APIKeyCreated, uuid.Nil, subject(k))
		e.Data = map[string]string{"role": string(k.Role)}
		return s.Events.Append(ctx, e)
	})
	if err != nil {
		return nil, "", err
	}
	return k, secret, nil
}

func (s *Service) check(ctx context.Context, a identity.Actor, in *CreateInput, now time.Time) error {
	var wrong fault.Fields
	if in.Name = strings.TrimSpace(in.Name); in.Name == "" {
		wrong.Add("name", "must not be empty")
	}
	switch {
	case !in.ExpiresAt.After(now):
		wrong.Add("expires_at", "must be in the future")
	case in.ExpiresAt.After(now.Add(identity.MaxKeyLife)):
		wrong.Add("expires_at", "must be at most 366 days from now")
	}
	if in.Role == identity.KeyAdmin && in.EntityIDs != nil {
		wrong.Add("entity_ids", "must be absent for the role ADMIN")
	}
	if len(wrong) == 0 && in.Role == identity.KeyAdmin && !s.AdminKeys {
		return fault.New(fault.Forbidden, fault.CodeForbidden,
			"API keys of the role ADMIN are switched off. Ask the operator to set ADMIN_API_KEYS=on, or choose another role.")
	}
	for i, id := range in.EntityIDs {
		_, err := s.Entities.Get(ctx, a.Scope(), id)
		if fault.CodeOf(err) == fault.CodeNotFound {
			wrong.Add(fmt.Sprintf("entity_ids[%d]", i), "must be an entity of the organization")
			continue
		}
		if err != nil {
			return fmt.Errorf("find entity: %w", err)
		}
	}
	return wrong.Err()
}

// List returns the keys of the organization, newest first.
func (s *Service) List(ctx context.Context, a identity.Actor, p page.Request) (page.Of[identity.APIKey], error) {
	if err := a.RequireAdmin(); err != nil {
		return page.Of[identity.APIKey]{}, err
	}
	return s.Keys.List(ctx, a.OrganizationID, p)
}

// Revoke ends a key. Repeating it changes nothing.
func (s *Service) Revoke(ctx context.Context, a identity.Actor, id uuid.UUID) (k *identity.APIKey, err error) {
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		var changed bool
		if k, changed, err = s.Keys.Revoke(ctx, a.OrganizationID, id, s.Clock.Now()); err != nil || !changed {
			return err
		}
		return s.Events.Append(ctx, event.By(a, event.APIKeyRevoked, uuid.Nil, subject(k)))
	})
	if err != nil {
		return nil, err
	}
	return k, nil
}

// Authenticate returns the actor of a key's secret. It records the use of a key
// at most once in identity.KeyUseInterval, so that most requests only read.
func (s *Service) Authenticate(ctx context.Context, secret string) (identity.Actor, error) {
	now := s.Clock.Now()
	k, err := s.Keys.BySecret(ctx, secret)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return identity.Actor{}, errUnauthorized()
	}
	if err != nil {
		return identity.Actor{}, fmt.Errorf("find API key: %w", err)
	}
	if !s.accepts(k, now) {
		return identity.Actor{}, errUnauthorized()
	}
	if least := now.Add(-identity.KeyUseInterval); k.LastUsedAt.Before(least) {
		if err := s.Keys.Used(ctx, k.ID, now, least); err != nil {
			return identity.Actor{}, fmt.Errorf("record use of API key: %w", err)
		}
	}
	return k.Actor(), nil
}

func (s *Service) accepts(k *identity.APIKey, now time.Time) bool {
	return k.AcceptedAt(now, s.AdminKeys)
}

// Current returns the actor of a key that acted earlier, or an Unauthenticated
// fault if the key is not accepted any more.
func (s *Service) Current(ctx context.Context, organization, id uuid.UUID) (identity.Actor, error) {
	k, err := s.Keys.ByID(ctx, organization, id)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return identity.Actor{}, errUnauthorized()
	}
	if err != nil {
		return identity.Actor{}, fmt.Errorf("find API key: %w", err)
	}
	if !s.accepts(k, s.Clock.Now()) {
		return identity.Actor{}, errUnauthorized()
	}
	return k.Actor(), nil
}

// NoteExpiring records api_key.expiring for each key that expires within
// identity.KeyExpiryNotice, once.
func (s *Service) NoteExpiring(ctx context.Context, now time.Time) error {
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		keys, err := s.Keys.TakeExpiring(ctx, now, now.Add(identity.KeyExpiryNotice))
		if err != nil {
			return fmt.Errorf("find expiring API keys: %w", err)
		}
		events := make([]event.Event, len(keys))
		for i := range keys {
			events[i] = event.By(identity.System(keys[i].OrganizationID), event.APIKeyExpiring, uuid.Nil, subject(&keys[i]))
			events[i].Data = map[string]string{"expires_at": keys[i].ExpiresAt.UTC().Format(time.RFC3339)}
		}
		return s.Events.Append(ctx, events...)
	})
}

func subject(k *identity.APIKey) event.Subject {
	return event.Subject{Type: event.SubjectAPIKey, ID: k.ID}
}

func errUnauthorized() error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "The API key is not valid, expired or revoked. Create a new key.")
}
