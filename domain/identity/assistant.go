package identity

import "docledger/domain/fault"

// AssistantActions is what an entity lets an assistant do for a user (domain
// D10). The values are ordered: each includes the ones before it.
type AssistantActions string

// The values of the setting. AssistantNever is not one of them: it marks what
// no setting lets an assistant do.
const (
	AssistantRead    AssistantActions = "READ"
	AssistantPrepare AssistantActions = "PREPARE"
	AssistantAll     AssistantActions = "ALL"
	AssistantNever   AssistantActions = "NEVER"
)

var assistantRank = map[AssistantActions]int{AssistantRead: 1, AssistantPrepare: 2, AssistantAll: 3}

// Includes reports whether the setting lets an assistant do what needs the
// given value. An unknown setting includes nothing.
func (s AssistantActions) Includes(needed AssistantActions) bool {
	rank, known := assistantRank[needed]
	return known && assistantRank[s] >= rank
}

// assistantNeeds is the table of what an assistant may change, by permission.
// A permission without a row is never an assistant's: whoever adds one decides
// about assistants too.
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
}

// AssistantNeeds returns the setting that an operation needs when an assistant
// calls it. readsOnly says that the operation changes nothing; then the rights
// of the user alone decide.
func AssistantNeeds(p Permission, readsOnly bool) AssistantActions {
	if readsOnly || p == Read {
		return AssistantRead
	}
	if needed, ok := assistantNeeds[p]; ok {
		return needed
	}
	return AssistantNever
}

// IsAssistant reports whether the caller is an assistant: an OAuth client of
// the identity provider that acts for the user.
func (a Actor) IsAssistant() bool { return a.Type == ActorAssistant }

// ErrAssistantNever refuses an assistant what only a person may do.
func ErrAssistantNever() error {
	return fault.New(fault.Forbidden, fault.CodeForbidden,
		"An assistant can't do this. Ask the user to do it on the page in details.confirm_url.")
}

// ErrAssistantActions refuses an assistant what the entity's setting does not
// include.
func ErrAssistantActions(setting, needed AssistantActions) error {
	return fault.New(fault.Forbidden, fault.CodeForbidden,
		"The entity's setting assistant_actions is %s, and this needs %s. Ask the user to do it on the page in details.confirm_url.", setting, needed).
		With("assistant_actions", string(setting))
}
