package identity

import "docledger/domain/fault"

// AssistantActions is the setting of an entity that defines what an assistant may do
// for a user (domain D10). The values are ordered: each one includes the previous
// ones.
type AssistantActions string

// The values of the setting. AssistantNever is not a setting value: it marks
// operations that no setting allows.
const (
	AssistantRead    AssistantActions = "READ"
	AssistantPrepare AssistantActions = "PREPARE"
	AssistantAll     AssistantActions = "ALL"
	AssistantNever   AssistantActions = "NEVER"
)

var assistantRank = map[AssistantActions]int{AssistantRead: 1, AssistantPrepare: 2, AssistantAll: 3}

// Includes reports whether the setting allows an operation that needs the given
// value. An unknown setting allows nothing.
func (s AssistantActions) Includes(needed AssistantActions) bool {
	rank, known := assistantRank[needed]
	return known && assistantRank[s] >= rank
}

// assistantNeeds defines, for each permission, the setting that an assistant needs. A
// permission without a row is denied, so that each new permission needs an explicit
// decision.
var assistantNeeds = map[Permission]AssistantActions{
	Upload:           AssistantPrepare,
	Extract:          AssistantPrepare,
	Correct:          AssistantPrepare,
	Note:             AssistantPrepare,
	Move:             AssistantPrepare,
	Reject:           AssistantAll,
	Approve:          AssistantAll,
	Reopen:           AssistantAll,
	Sync:             AssistantAll,
	DismissDuplicate: AssistantAll,
	ChangeSupplier:   AssistantAll,
}

// AssistantNeeds returns the setting that an operation needs if an assistant calls
// it. readsOnly means that the operation changes nothing; then only the permissions
// of the user decide.
func AssistantNeeds(p Permission, readsOnly bool) AssistantActions {
	if readsOnly || p == Read {
		return AssistantRead
	}
	if needed, ok := assistantNeeds[p]; ok {
		return needed
	}
	return AssistantNever
}

// IsAssistant reports whether the caller is an assistant: an OAuth client
// that acts for the user.
func (a Actor) IsAssistant() bool { return a.Type == ActorAssistant }

// ErrAssistantNever returns the fault for an assistant that calls an operation for
// people only.
func ErrAssistantNever() error {
	return fault.New(fault.Forbidden, fault.CodeForbidden,
		"An assistant cannot do this. Ask the user to do it on the page in details.confirm_url.")
}

// ErrAssistantActions returns the fault for an operation that the entity's setting
// does not allow.
func ErrAssistantActions(setting, needed AssistantActions) error {
	return fault.New(fault.Forbidden, fault.CodeForbidden,
		"The entity's setting assistant_actions is %s, and this needs %s. Ask the user to do it on the page in details.confirm_url.", setting, needed).
		With("assistant_actions", string(setting))
}
