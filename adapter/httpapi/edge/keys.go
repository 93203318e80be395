package edge

import (
	"slices"

	"docledger/domain/fault"
	"docledger/domain/identity"
)

// keyOperations are the operations without an entity permission that an API key
// may call (domain D18). Those of the permission admin also need a key of the
// role ADMIN. Every other operation without an entity permission is refused to
// API keys: sign-in, billing, API keys, webhooks, consent and setup.
var keyOperations = []string{"getMe", "createEntity", "createConnectLink"}

// keyMayCall refuses an API key the operations that need another credential.
func keyMayCall(o *Operation) error {
	if _, ofEntity := identity.LeastRole(o.Permission); ofEntity || slices.Contains(keyOperations, o.ID) {
		return nil
	}
	return fault.New(fault.Forbidden, fault.CodeForbidden, "An API key cannot call this operation. Sign in and use the token of the session.")
}
