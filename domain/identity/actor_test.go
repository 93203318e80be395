package identity_test

import (
	"testing"

	"docledger/domain/identity"

	"github.com/google/uuid"
)

func TestScopeOfActors(t *testing.T) {
	t.Parallel()
	key := func(role identity.Role, entities []uuid.UUID) identity.Actor {
		return identity.Actor{Type: identity.ActorAPIKey, UserID: uuid.New(), Role: role, Key: &identity.KeyRights{EntityIDs: entities}}
	}
	for name, test := range map[string]struct {
		actor              identity.Actor
		whole, everyEntity bool
	}{
		"system":                {identity.System(uuid.New()), true, true},
		"admin":                 {identity.Actor{UserID: uuid.New(), Role: identity.RoleAdmin}, true, true},
		"member":                {identity.Actor{UserID: uuid.New(), Role: identity.RoleMember}, false, false},
		"key of administration": {key(identity.RoleAdmin, nil), true, true},
		"key of every entity":   {key(identity.RoleMember, nil), false, true},
		"key of an entity":      {key(identity.RoleMember, []uuid.UUID{uuid.New()}), false, false},
		"key of no entity":      {key(identity.RoleMember, []uuid.UUID{}), false, false},
	} {
		scope := test.actor.Scope()
		if scope.Whole() != test.whole || scope.EveryEntity() != test.everyEntity {
			t.Errorf("%s: whole organization %v, every entity %v", name, scope.Whole(), scope.EveryEntity())
		}
	}
}
