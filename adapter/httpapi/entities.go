package httpapi

import (
	"context"

	"docledger/adapter/httpapi/convert"
	"docledger/adapter/httpapi/edge"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/gen/backend"
	"docledger/usecase/entities"

	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
)

// ListEntities implements the operation listEntities.
func (s *Server) ListEntities(ctx context.Context, r backend.ListEntitiesRequestObject) (backend.ListEntitiesResponseObject, error) {
	found, err := s.Entities.List(ctx, actor(ctx).Scope(), entity.Filter{Archived: r.Params.Archived}, pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	items := make([]backend.Entity, len(found.Items))
	for i := range found.Items {
		items[i] = convert.ToAPIEntity(&found.Items[i])
	}
	return backend.ListEntities200JSONResponse{Body: backend.EntityList{Items: items, NextCursor: convert.Cursor(found.Next)}}, nil
}

// GetEntity implements the operation getEntity.
func (s *Server) GetEntity(ctx context.Context, r backend.GetEntityRequestObject) (backend.GetEntityResponseObject, error) {
	e, err := s.Entities.Get(ctx, actor(ctx).Scope(), r.EntityId)
	if err != nil {
		return nil, err
	}
	return backend.GetEntity200JSONResponse{
		Body: convert.ToAPIEntity(e), Headers: backend.GetEntity200ResponseHeaders{ETag: edge.ETag(e.Version)},
	}, nil
}

// CreateEntity implements the operation createEntity.
func (s *Server) CreateEntity(ctx context.Context, r backend.CreateEntityRequestObject) (backend.CreateEntityResponseObject, error) {
	may := func(backend.Entity) error { return actor(ctx).RequireAdmin() }
	body, etag, err := withIdempotency(ctx, s, r.Params.IdempotencyKey, r.Body, may, func(id uuid.UUID) (backend.Entity, int, error) {
		in := fromAPIEntityCreate(r.Body)
		in.ID = id
		e, err := s.Entities.Create(ctx, actor(ctx), in)
		if err != nil {
			return backend.Entity{}, 0, err
		}
		return convert.ToAPIEntity(e), e.Version, nil
	})
	if err != nil {
		return nil, err
	}
	return backend.CreateEntity200JSONResponse{Body: body, Headers: backend.CreateEntity200ResponseHeaders{ETag: etag}}, nil
}

// UpdateEntity implements the operation updateEntity.
func (s *Server) UpdateEntity(ctx context.Context, r backend.UpdateEntityRequestObject) (backend.UpdateEntityResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	if version, err = s.entityVersion(ctx, r, version); err != nil {
		return nil, err
	}
	e, err := s.Entities.Update(ctx, actor(ctx), r.EntityId, version, func(v *entities.Values) { applyEntity(v, r.Body) })
	if err != nil {
		return nil, err
	}
	return backend.UpdateEntity200JSONResponse{
		Body: convert.ToAPIEntity(e), Headers: backend.UpdateEntity200ResponseHeaders{ETag: edge.ETag(e.Version)},
	}, nil
}

// entityVersion checks the read-only keys of a body. It returns the version that
// the change is valid for; 0 for every version.
func (s *Server) entityVersion(ctx context.Context, r backend.UpdateEntityRequestObject, version int) (int, error) {
	if repeated, err := repeats(r.Body, entityKeys); err != nil || !repeated {
		return version, err
	}
	e, err := s.Entities.Get(ctx, actor(ctx).Scope(), r.EntityId)
	if err != nil {
		return 0, err
	}
	fixed, err := checkRepeated(r.Body, convert.ToAPIEntity(e), e.Version, "", entityKeys)
	if fixed && version == 0 {
		version = e.Version
	}
	return version, err
}

func fromAPIEntityCreate(b *backend.EntityCreate) entities.CreateInput {
	in := entities.CreateInput{Values: entities.Values{Name: b.Name}}
	set(&in.LegalName, b.LegalName)
	set(&in.Country, b.Country)
	set(&in.BaseCurrency, b.BaseCurrency)
	set(&in.SettingsFrom, b.SettingsFrom)
	if b.TaxIds != nil {
		in.TaxIDs = *b.TaxIds
	}
	if b.Aliases != nil {
		in.Aliases = *b.Aliases
	}
	if b.Access != nil {
		in.Access = entity.Access(*b.Access)
	}
	if b.DefaultRole != nil {
		in.DefaultRole = identity.EntityRole(*b.DefaultRole)
	}
	if b.Members != nil {
		in.Members = fromAPIEntityMembers(*b.Members)
	}
	return in
}

// applyEntity sets the keys of the body; null resets a key (decisions 1).
func applyEntity(v *entities.Values, b *backend.EntityUpdate) {
	if b.Name != nil {
		v.Name = *b.Name
	}
	set(&v.LegalName, b.LegalName)
	set(&v.TaxIDs, b.TaxIds)
	set(&v.Aliases, b.Aliases)
	set(&v.Country, b.Country)
	set(&v.BaseCurrency, b.BaseCurrency)
	set(&v.Archived, b.Archived)
	set(&v.LegalHold, b.LegalHold)
	setAs(&v.Access, b.Access, "")
	setAs(&v.DefaultRole, b.DefaultRole, "")
	if b.Members.IsSpecified() {
		members, _ := b.Members.Get()
		v.Members = fromAPIEntityMembers(members)
	}
}

func fromAPIEntityMembers(members []backend.EntityMemberInput) []entity.Member {
	out := make([]entity.Member, len(members))
	for i, m := range members {
		out[i] = entity.Member{UserID: m.UserId, Role: identity.EntityRole(m.Role)}
	}
	return out
}

// set sets *to if the body has a value; null sets the zero value.
func set[T any](to *T, n nullable.Nullable[T]) {
	if n.IsSpecified() {
		*to, _ = n.Get()
	}
}

// setAs is set for enums of the API; null sets preset.
func setAs[D, A ~string](to *D, n nullable.Nullable[A], preset D) {
	if !n.IsSpecified() {
		return
	}
	*to = preset
	if v, err := n.Get(); err == nil {
		*to = D(v)
	}
}
