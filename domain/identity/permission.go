package identity

import "docledger/domain/fault"

// EntityRole is what a person may do with the documents of one entity.
type EntityRole string

// The entity roles, weakest first. NoRole sees nothing.
const (
	NoRole   EntityRole = ""
	Viewer   EntityRole = "VIEWER"
	Editor   EntityRole = "EDITOR"
	Approver EntityRole = "APPROVER"
)

// Valid says whether r is one of the roles that can be given.
func (r EntityRole) Valid() bool { return r == Viewer || r == Editor || r == Approver }

// AtLeast says whether r includes what least may do.
func (r EntityRole) AtLeast(least EntityRole) bool { return entityRank[r] >= entityRank[least] }

var entityRank = map[EntityRole]int{NoRole: 0, Viewer: 1, Editor: 2, Approver: 3}

// Permission names a row of the table of rights (domain D5). Each operation
// of the specs names one in `x-permission`.
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
	ConfirmBankAccount Permission = "confirm_bank_account"
	Admin              Permission = "admin"
)

// rights is the table: for each permission the weakest entity role that holds
// it and what it allows, in words that complete "does not allow you to".
// Admin belongs to the organization's role, the two open ones to no role.
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
	Sync:               {Approver, "book invoices of this entity"},
	DismissDuplicate:   {Approver, "dismiss duplicates in this entity"},
	ConfirmBankAccount: {Approver, "confirm bank accounts in this entity"},
	Admin:              {NoRole, "manage the organization"},
}

// Permissions lists every permission, so that specs can be compared with it.
func Permissions() []Permission {
	return []Permission{
		Public, Authenticated, Read, Upload, Extract, Correct, Note, Move, Reject, Approve, Reopen, Sync,
		DismissDuplicate, ConfirmBankAccount, Admin,
	}
}

// LeastRole returns the weakest entity role that holds p; ok is false for
// permissions that no entity role gives.
func LeastRole(p Permission) (r EntityRole, ok bool) {
	right := rights[p]
	return right.least, right.least != NoRole
}

// RequireAdmin refuses everybody but administrators of the organization.
func (a Actor) RequireAdmin() error {
	if !a.IsAdmin() {
		return fault.Denied(rights[Admin].verb)
	}
	return nil
}

// Require refuses an actor whose role on an entity does not hold p. An entity
// the actor has no role on at all is not theirs to know of: it is missing.
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
