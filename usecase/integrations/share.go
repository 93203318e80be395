package integrations

import (
	"context"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"

	"github.com/google/uuid"
)

// Share is an entity that uses the consent of an existing integration. OrganizationID and PaysTax set
// the integration up; without OrganizationID the entity is only connected.
type Share struct {
	EntityID       uuid.UUID
	OrganizationID *string
	PaysTax        *bool
}

// Shared is the result for one entity; Integration is nil after an error.
type Shared struct {
	EntityID    uuid.UUID
	Integration *integration.Integration
	Err         error
}

// ShareConsent connects entities with the consent of an integration, without another consent, and sets
// them up. Entities are independent: an error of one does not affect the others. err is an error of the
// whole request.
func (s *Service) ShareConsent(ctx context.Context, a identity.Actor, id uuid.UUID, shares []Share) (results []Shared, err error) {
	source, err := s.Integrations.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	if source.Status == integration.Disconnected {
		return nil, source.RequireConnectable()
	}
	if err := source.RequireConsent(); err != nil {
		return nil, err
	}
	seen := map[uuid.UUID]bool{}
	for _, share := range shares {
		if seen[share.EntityID] {
			return nil, fault.InvalidField("items", "must name each entity once")
		}
		seen[share.EntityID] = true
	}
	for _, share := range shares {
		i, err := s.shareWith(ctx, a, source, share)
		if _, isFault := fault.As(err); err != nil && !isFault {
			return nil, err
		}
		results = append(results, Shared{EntityID: share.EntityID, Integration: i, Err: err})
	}
	return results, nil
}

// shareWith connects one entity and sets it up.
func (s *Service) shareWith(ctx context.Context, a identity.Actor, source *integration.Integration, share Share) (*integration.Integration, error) {
	e, err := s.Entities.Get(ctx, a.Scope(), share.EntityID)
	if err != nil {
		return nil, err
	}
	if err := e.RequireOpen(); err != nil {
		return nil, err
	}
	i, err := s.attach(ctx, a, source, share.EntityID)
	if err != nil || share.OrganizationID == nil {
		return i, err
	}
	return s.SetUp(ctx, a, i.ID, share.EntityID, 0, Setup{
		Status: string(integration.Pending), Provider: string(i.Provider), OrganizationID: share.OrganizationID, PaysTax: share.PaysTax,
	})
}

// attach gives an entity an integration with the grant of another one. It reuses an integration that
// is not set up. One that works through another consent is not changed.
func (s *Service) attach(ctx context.Context, a identity.Actor, source *integration.Integration, entity uuid.UUID) (*integration.Integration, error) {
	if entity == source.EntityID {
		return source, nil
	}
	var attached *integration.Integration
	var left uuid.UUID
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		// The grant is locked before its integrations, as everywhere.
		if _, err := s.lockGrant(ctx, source.OrganizationID, source.GrantID); err != nil {
			return err
		}
		i, err := s.findReusable(ctx, a, AuthorizeInput{EntityID: entity, Provider: source.Provider})
		if err != nil {
			return err
		}
		if i == nil {
			i = integration.New(s.IDs.New(), a.OrganizationID, entity, source.Provider)
			i.CreatedBy, i.CreatedAt = a.UserID, s.Clock.Now()
			i.UpdatedAt = i.CreatedAt
			if err := s.Integrations.Add(ctx, i); err != nil {
				return err
			}
		}
		if i.GrantID == source.GrantID {
			attached = i
			return nil
		}
		if i.IsSetUp() {
			return fault.New(fault.Conflict, fault.CodeConflict,
				"The entity already works through integration %s with another consent. Disconnect that integration first.", i.ID).
				With("integration_id", i.ID.String())
		}
		left = i.GrantID
		attached, err = s.change(ctx, a, i.ID, 0, "", func(now *integration.Integration) error {
			now.Consented(source.GrantID, nil)
			return nil
		})
		return err
	})
	if err != nil || left == uuid.Nil {
		return attached, err
	}
	return attached, s.dropUnused(ctx, source.OrganizationID, left)
}
