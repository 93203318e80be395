package entity_test

import (
	"testing"

	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// TestRights walks the table of domain D5: who holds which permission on an
// entity.
func TestRights(t *testing.T) {
	t.Parallel()
	org := uuid.New()
	viewer, editor, approver, stranger := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	e := &entity.Entity{OrganizationID: org, Access: entity.AccessRestricted, Members: []entity.Member{
		{UserID: viewer, Role: identity.Viewer}, {UserID: editor, Role: identity.Editor}, {UserID: approver, Role: identity.Approver},
	}}
	member := func(id uuid.UUID) identity.Actor {
		return identity.Actor{Type: identity.ActorUser, UserID: id, OrganizationID: org, Role: identity.RoleMember}
	}
	admin := identity.Actor{Type: identity.ActorUser, UserID: uuid.New(), OrganizationID: org, Role: identity.RoleAdmin}
	foreign := identity.Actor{Type: identity.ActorUser, UserID: approver, OrganizationID: uuid.New(), Role: identity.RoleMember}
	least := map[identity.Permission]int{
		identity.Read: 1, identity.Upload: 2, identity.Extract: 2, identity.Correct: 2, identity.Note: 2, identity.Move: 2, identity.Reject: 2,
		identity.Approve: 3, identity.Reopen: 3, identity.Sync: 3, identity.DismissDuplicate: 3, identity.ChangeSupplier: 3, identity.ConfirmBankAccount: 3, identity.Admin: 4,
	}
	for p, need := range least {
		for rank, a := range []identity.Actor{1: member(viewer), 2: member(editor), 3: member(approver)} {
			if rank == 0 {
				continue
			}
			err := a.Require(p, e.RoleOf(a))
			if want := rank >= need; (err == nil) != want || err != nil && fault.CodeOf(err) != fault.CodeForbidden {
				t.Errorf("%s with rank %d: %v", p, rank, err)
			}
		}
		if err := admin.Require(p, e.RoleOf(admin)); err != nil {
			t.Errorf("%s as admin: %v", p, err)
		}
		for name, a := range map[string]identity.Actor{"stranger": member(stranger), "foreign": foreign} {
			if err := a.Require(p, e.RoleOf(a)); fault.CodeOf(err) != fault.CodeNotFound {
				t.Errorf("%s as %s: %v, want not_found", p, name, err)
			}
		}
	}
	if len(least) != len(identity.Permissions())-2 {
		t.Error("a permission is missing from this table")
	}
}

func TestDefaultRoleReachesEveryMember(t *testing.T) {
	t.Parallel()
	org, listed := uuid.New(), uuid.New()
	e := &entity.Entity{OrganizationID: org, Access: entity.AccessOrganization, DefaultRole: identity.Editor,
		Members: []entity.Member{{UserID: listed, Role: identity.Viewer}}}
	anyone := identity.Actor{UserID: uuid.New(), OrganizationID: org, Role: identity.RoleMember}
	if got := e.RoleOf(anyone); got != identity.Editor {
		t.Errorf("a member has the role %q", got)
	}
	anyone.UserID = listed
	if got := e.RoleOf(anyone); got != identity.Viewer {
		t.Errorf("a listed member has the role %q, not the listed one", got)
	}
}
