package identity

import "docledger/domain/fault"

// EntityRole is a user's role for the documents of one entity.
type EntityRole string

// The entity roles, lowest first. NoRole allows nothing.
const (
	NoRole   EntityRole = ""
	Viewer   EntityRole = "VIEWER"
	Editor   EntityRole = "EDITOR"
	Approver EntityRole = "APPROVER"
)

// Valid reports whether r is a role that can be assigned.
func (r EntityRole) Valid() bool { return r == Viewer || r == Editor || r == Approver }

// AtLeast reports whether r includes the rights of least.
func (r EntityRole) AtLeast(least EntityRole) bool { return entityRank[r] >= entityRank[least] }

var entityRank = map[EntityRole]int{NoRole: 0, Viewer: 1, Editor: 2, Approver: 3}

// Permission is a row of the table of rights (domain D5). Each operation of the specs
// has one in `x-permission`.
type Permission string

// The permissions.
const (
	// Public needs no credential.
	Public Permission = "public"
	// Authenticated needs a valid credential and nothing more.
	Authenticated Permission = "authenticated"

	Read               Permission = "read"
	Upload             Permission = "upload"
	Extract            Permission = "extract"
	Correct            Permission = "correct"
	Note               Permission = "note"
	Move               Permission = "move"
	Reject             Permission = "reject"
	Approve            Permission = "approve"
	Reopen             Permission = "reopen"
	Sync               Permission = "sync"
	DismissDuplicate   Permission = "dismiss_duplicate"
	ChangeSupplier     Permission = "change_supplier"
	ConfirmBankAccount Permission = "confirm_bank_account"
	Admin              Permission = "admin"
)

// rights is the table of rights: for each permission the lowest entity role with it,
// and text that completes "does not allow you to". Admin belongs to the organization
// role. The two open permissions need no role.
var rights = map[Permission]struct {
	least EntityRole
	verb  string
}{
	Read:               {Viewer, "read this"},
	Upload:             {Editor, "upload documents to this entity"},
	Extract:            {Editor, "extract documents of this entity"},
	Correct:            {Editor, "correct invoices of this entity"},
	Note:               {Editor, "change notes on invoices of this entity"},
	Move:               {Editor, "move documents of this entity"},
	Reject:             {Editor, "reject invoices of this entity"},
	Approve:            {Approver, "approve invoices of this entity"},
	Reopen:             {Approver, "reopen invoices of this entity"},
	Sync:               {Approver, "sync invoices of this entity"},
	DismissDuplicate:   {Approver, "dismiss duplicates in this entity"},
	ChangeSupplier:     {Approver, "change suppliers of this entity"},
	ConfirmBankAccount: {Approver, "confirm bank accounts in this entity"},
	Admin:              {NoRole, "manage the organization"},
}

// Permissions lists every permission, for comparison with the specs.
func Permissions() []Permission {
	return []Permission{
		Public, Authenticated, Read, Upload, Extract, Correct, Note, Move, Reject, Approve, Reopen, Sync,
		DismissDuplicate, ChangeSupplier, ConfirmBankAccount, Admin,
	}
}

// LeastRole returns the lowest entity role with p; ok is false for permissions that
// no entity role has.
func LeastRole(p Permission) (r EntityRole, ok bool) {
	right := rights[p]
	return right.least, right.least != NoRole
}

// RequireAdmin refuses all actors except administrators of the organization.
func (a Actor) RequireAdmin() error {
	if !a.IsAdmin() {
		return fault.Denied(rights[Admin].verb)
	}
	return nil
}

// Require refuses an actor if its role on an entity does not have p. Without any role
// on the entity, the fault is NotFound, because the actor may not know that the
// entity exists.
func (a Actor) Require(p Permission, on EntityRole) error {
	if a.IsAdmin() {
		return nil
	}
	if on == NoRole {
		return fault.Missing("entity")
	}
	need, ok := LeastRole(p)
	if !ok || !on.AtLeast(need) {
		return fault.Denied(rights[p].verb)
	}
	return nil
}
