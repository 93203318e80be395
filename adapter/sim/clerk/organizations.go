package clerk

import (
	"net/http"
	"strings"

	"docledger/adapter/sim/kit/oidc"
)

func (s *Server) listOrganizations(r *http.Request) (any, *failure) {
	query, user := strings.ToLower(r.URL.Query().Get("query")), r.URL.Query().Get("user_id")
	list := []any{}
	for _, o := range s.store.organizations {
		fits := query == "" || o.ID == query || strings.Contains(strings.ToLower(o.Name+" "+o.Slug), query)
		if fits && (user == "" || s.store.membership(strings.TrimPrefix(user, "+"), o.ID) != nil) {
			list = append(list, s.renderOrganization(o))
		}
	}
	return paged(r, list), nil
}

// withOrganization calls an operation with the organization in the path.
func (s *Server) withOrganization(r *http.Request, do func(*Organization) (any, *failure)) (any, *failure) {
	o := s.store.organization(r.PathValue("id"))
	if o == nil {
		return nil, notFound("organization")
	}
	return do(o)
}

func (s *Server) getOrganization(r *http.Request) (any, *failure) {
	return s.withOrganization(r, func(o *Organization) (any, *failure) { return s.renderOrganization(o), nil })
}

// organizationInput is the body that creates or changes an organization.
type organizationInput struct {
	Name            *string        `json:"name"`
	Slug            *string        `json:"slug"`
	CreatedBy       string         `json:"created_by"`
	PublicMetadata  map[string]any `json:"public_metadata"`
	PrivateMetadata map[string]any `json:"private_metadata"`
}

func (s *Server) createOrganization(r *http.Request) (any, *failure) {
	var in organizationInput
	if f := readJSON(r, &in); f != nil {
		return nil, f
	}
	if in.Name == nil || *in.Name == "" {
		return nil, invalid("name must be given.")
	}
	now := s.Kit.Clock.Now()
	wanted := Organization{Name: *in.Name, PublicMetadata: in.PublicMetadata, PrivateMetadata: in.PrivateMetadata}
	if in.Slug != nil {
		wanted.Slug = *in.Slug
	}
	if in.CreatedBy != "" && s.store.user(in.CreatedBy) == nil {
		return nil, notFound("user")
	}
	o := s.store.addOrganization(wanted, now)
	if in.CreatedBy != "" {
		s.store.addMembership(Membership{UserID: in.CreatedBy, OrganizationID: o.ID, Role: "org:admin"}, now)
	}
	s.emit("organization.created", s.renderOrganization(o))
	return s.renderOrganization(o), nil
}

func (s *Server) updateOrganization(r *http.Request) (any, *failure) {
	return s.withOrganization(r, func(o *Organization) (any, *failure) {
		var in organizationInput
		if f := readJSON(r, &in); f != nil {
			return nil, f
		}
		if (in.PublicMetadata != nil || in.PrivateMetadata != nil) && r.Header.Get("Clerk-API-Version") >= noPlainMetadata {
			return nil, invalid("Metadata is changed at the metadata endpoint.")
		}
		if in.Name != nil {
			o.Name = *in.Name
		}
		if in.Slug != nil {
			o.Slug = *in.Slug
		}
		return s.setMetadata(o, merge(o.PublicMetadata, in.PublicMetadata), merge(o.PrivateMetadata, in.PrivateMetadata))
	})
}

func (s *Server) mergeMetadata(r *http.Request) (any, *failure) {
	return s.changeMetadata(r, merge)
}

func (s *Server) replaceMetadata(r *http.Request) (any, *failure) {
	return s.changeMetadata(r, func(old, given map[string]any) map[string]any {
		if given == nil {
			return old
		}
		return given
	})
}

func (s *Server) changeMetadata(r *http.Request, change func(old, given map[string]any) map[string]any) (any, *failure) {
	return s.withOrganization(r, func(o *Organization) (any, *failure) {
		if wait := s.admit("metadata "+o.ID, s.limits.MetadataWrites); wait > 0 {
			return nil, tooMany(wait)
		}
		var in organizationInput
		if f := readJSON(r, &in); f != nil {
			return nil, f
		}
		return s.setMetadata(o, change(o.PublicMetadata, in.PublicMetadata), change(o.PrivateMetadata, in.PrivateMetadata))
	})
}

// setMetadata completes every change of an organization. It notifies the endpoints even if
// nothing changed.
func (s *Server) setMetadata(o *Organization, public, private map[string]any) (any, *failure) {
	if len(oidc.JSON(public))+len(oidc.JSON(private)) > s.limits.MetadataBytes {
		return nil, failed(http.StatusUnprocessableEntity, "metadata_too_large", "The metadata exceeds the allowed size.")
	}
	o.PublicMetadata, o.PrivateMetadata = public, private
	o.UpdatedAt = s.Kit.Clock.Now()
	s.emit("organization.updated", s.renderOrganization(o))
	return s.renderOrganization(o), nil
}

func (s *Server) deleteOrganization(r *http.Request) (any, *failure) {
	return s.withOrganization(r, func(o *Organization) (any, *failure) {
		s.store.removeOrganization(o.ID)
		gone := map[string]any{"object": "organization", "id": o.ID, "slug": o.Slug, "deleted": true}
		s.emit("organization.deleted", gone)
		return gone, nil
	})
}

func (s *Server) listMembers(r *http.Request) (any, *failure) {
	return s.withOrganization(r, func(o *Organization) (any, *failure) {
		return paged(r, s.renderMemberships(func(m *Membership) bool { return m.OrganizationID == o.ID })), nil
	})
}

func (s *Server) renderMemberships(fits func(*Membership) bool) []any {
	list := []any{}
	for _, m := range s.store.membershipsOf(fits) {
		list = append(list, s.renderMembership(m))
	}
	return list
}

type membershipInput struct {
	UserID string `json:"user_id"`
	Role   string `json:"role"`
}

func (s *Server) createMembership(r *http.Request) (any, *failure) {
	return s.withOrganization(r, func(o *Organization) (any, *failure) {
		var in membershipInput
		if f := readJSON(r, &in); f != nil {
			return nil, f
		}
		if s.store.user(in.UserID) == nil {
			return nil, notFound("user")
		}
		if s.store.membership(in.UserID, o.ID) != nil {
			return nil, invalid("The user is a member already.")
		}
		m := s.store.addMembership(Membership{UserID: in.UserID, OrganizationID: o.ID, Role: in.Role}, s.Kit.Clock.Now())
		s.emit("organizationMembership.created", s.renderMembership(m))
		return s.renderMembership(m), nil
	})
}

func (s *Server) updateMembership(r *http.Request) (any, *failure) {
	m := s.store.membership(r.PathValue("user"), r.PathValue("id"))
	if m == nil {
		return nil, notFound("organization membership")
	}
	var in membershipInput
	if f := readJSON(r, &in); f != nil {
		return nil, f
	}
	if in.Role != "" {
		m.Role = in.Role
	}
	s.emit("organizationMembership.updated", s.renderMembership(m))
	return s.renderMembership(m), nil
}

func (s *Server) deleteMembership(r *http.Request) (any, *failure) {
	m := s.store.membership(r.PathValue("user"), r.PathValue("id"))
	if m == nil {
		return nil, notFound("organization membership")
	}
	gone := s.renderMembership(m)
	s.store.removeMembership(m)
	s.emit("organizationMembership.deleted", gone)
	return gone, nil
}

// RestoreMetadata restores the public metadata of an organization from an earlier run. It sends
// no event.
func (s *Server) RestoreMetadata(organization string, public map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.store.organization(organization); o != nil {
		o.PublicMetadata = public
	}
}
