package clerk

// The following functions render the objects of the backend API. The caller holds the lock.

func (s *Server) renderOrganization(o *Organization) map[string]any {
	members := len(s.store.membershipsOf(func(m *Membership) bool { return m.OrganizationID == o.ID }))
	return map[string]any{
		"object": "organization", "id": o.ID, "name": o.Name, "slug": o.Slug,
		"image_url": s.options.Origin + "/logo", "has_image": false, "members_count": members,
		"max_allowed_memberships": 0, "admin_delete_enabled": true,
		"public_metadata": o.PublicMetadata, "private_metadata": o.PrivateMetadata,
		"created_at": o.CreatedAt.UnixMilli(), "updated_at": o.UpdatedAt.UnixMilli(),
	}
}

func (s *Server) renderUser(u *User) map[string]any {
	status := "verified"
	if u.Unconfirmed {
		status = "unverified"
	}
	addressID := "idn_" + u.ID
	return map[string]any{
		"object": "user", "id": u.ID, "username": nil, "first_name": orNull(u.FirstName), "last_name": orNull(u.LastName),
		"image_url": s.options.Origin + "/avatar", "has_image": false,
		"primary_email_address_id": addressID, "primary_phone_number_id": nil, "primary_web3_wallet_id": nil,
		"password_enabled": u.Password != "", "two_factor_enabled": u.SecondFactor, "totp_enabled": u.SecondFactor,
		"backup_code_enabled": false, "banned": u.Banned, "locked": false, "external_id": nil,
		"email_addresses": []any{map[string]any{
			"object": "email_address", "id": addressID, "email_address": u.Email, "reserved": false,
			"verification": map[string]any{"object": "verification_ticket", "status": status, "strategy": "email_code", "attempts": 1, "expire_at": nil},
			"linked_to":    []any{},
		}},
		"phone_numbers": []any{}, "web3_wallets": []any{}, "external_accounts": []any{}, "enterprise_accounts": []any{},
		"public_metadata": map[string]any{}, "private_metadata": map[string]any{}, "unsafe_metadata": map[string]any{},
		"create_organization_enabled": true, "delete_self_enabled": true, "last_sign_in_at": nil, "last_active_at": nil,
		"created_at": u.CreatedAt.UnixMilli(), "updated_at": u.CreatedAt.UnixMilli(),
	}
}

func (s *Server) renderMembership(m *Membership) map[string]any {
	out := map[string]any{
		"object": "organization_membership", "id": m.ID, "role": m.Role, "permissions": []any{},
		"public_metadata": map[string]any{}, "private_metadata": map[string]any{},
		"created_at": m.CreatedAt.UnixMilli(), "updated_at": m.CreatedAt.UnixMilli(),
	}
	if o := s.store.organization(m.OrganizationID); o != nil {
		out["organization"] = s.renderOrganization(o)
	}
	if u := s.store.user(m.UserID); u != nil {
		out["public_user_data"] = map[string]any{
			"user_id": u.ID, "identifier": u.Email, "first_name": orNull(u.FirstName), "last_name": orNull(u.LastName),
			"image_url": s.options.Origin + "/avatar", "has_image": false,
		}
	}
	return out
}

func (s *Server) renderSession(of *session) map[string]any {
	now := s.stamp().UnixMilli()
	return map[string]any{
		"object": "session", "id": of.id, "client_id": "client_simulated", "user_id": of.user, "status": "active",
		"last_active_organization_id": orNull(of.organization), "last_active_at": now, "created_at": now, "updated_at": now,
		"expire_at": now + 7*24*3600*1000, "abandon_at": now + 30*24*3600*1000,
	}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
