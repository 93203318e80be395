package edge

import (
	"docledger/domain/identity"

	"github.com/gin-gonic/gin"
)

// authorize refuses callers whom the operation alone excludes, before anything
// of the request is validated. What depends on a record (tenancy, the role on
// its entity) is the use cases' to decide.
func (e *edge) authorize(c *gin.Context) {
	s := stateOf(c)
	if s.operation == nil || s.actor == nil {
		return
	}
	if err := mayCall(s.operation, *s.actor); err != nil {
		WriteError(c, err)
	}
}

// mayCall is the one place that decides whether a caller may call an operation
// whatever the request is about: by the organization role, and by what kind of
// credential it is.
func mayCall(o *Operation, a identity.Actor) error {
	if a.IsAssistant() {
		if err := assistantMayCall(o); err != nil {
			return err
		}
	}
	if a.Key != nil {
		if err := keyMayCall(o); err != nil {
			return err
		}
	}
	if o.Permission == identity.Admin {
		return a.RequireAdmin()
	}
	return nil
}
