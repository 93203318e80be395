package emails

import (
	"context"
	"slices"
	"strings"

	"docledger/domain/email"
	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// Mailbox receives the messages of a mailbox that the operator reads (domain D33).
type Mailbox struct {
	*Service
	Owners entity.Owners
	// Entity receives the messages that name no entity; the zero UUID: none.
	Entity uuid.UUID
}

// RecipientsOf returns the intakes of addresses to which a message was sent: those of entities, also as
// the tag of another address (invoices+TOKEN@example.com). An archived entity receives nothing. A message that
// names only archived entities has to wait, which is a Conflict fault. One that names an address in Domain
// or a token that no entity has is refused with a NotFound fault: it can belong to another organization than
// Entity. All others are for Entity, and wait while it is archived or missing.
func (m *Mailbox) RecipientsOf(ctx context.Context, addresses []string) ([]*email.Intake, error) {
	var found []*email.Intake
	var waits error
	unknown := false
	for _, address := range addresses {
		tokens, names := m.tokensOf(address)
		i, owner, err := m.first(ctx, tokens)
		if err != nil {
			return nil, err
		}
		switch {
		case i == nil:
			unknown = unknown || names
		case owner.Archived:
			waits = owner.RequireOpen()
		case !slices.ContainsFunc(found, func(f *email.Intake) bool { return f.EntityID == i.EntityID }):
			found = append(found, i)
		}
	}
	switch {
	case len(found) > 0:
		return found, nil
	case waits != nil:
		return nil, waits
	case unknown || m.Entity == uuid.Nil:
		return nil, fault.Missing("recipient")
	}
	return m.ofEntity(ctx)
}

// ofEntity returns the intake of Entity.
func (m *Mailbox) ofEntity(ctx context.Context) ([]*email.Intake, error) {
	e, err := m.Owners.GetForOperator(ctx, m.Entity)
	if err == nil {
		err = e.RequireOpen()
	}
	var i *email.Intake
	if err == nil {
		i, err = m.Get(ctx, identity.System(e.OrganizationID), e.ID)
	}
	if fault.CodeOf(err) == fault.CodeNotFound {
		// The operator can correct the configuration, and the message is received then.
		return nil, fault.New(fault.Conflict, fault.CodeConflict, "There is no entity %s, which EMAIL_IMAP_ENTITY names.", m.Entity)
	}
	if err != nil {
		return nil, err
	}
	return []*email.Intake{i}, nil
}

// tokensOf returns what can be the token of an entity in an address. names reports whether the address is one
// that only an entity can have or had.
func (m *Mailbox) tokensOf(address string) (tokens []string, names bool) {
	at := strings.LastIndexByte(address, '@')
	if at < 1 {
		return nil, false
	}
	local, tag, _ := strings.Cut(strings.ToLower(address[:at]), "+")
	if m.Domain != "" && strings.EqualFold(address[at+1:], m.Domain) {
		tokens, names = append(tokens, local), true
	}
	if tag != "" {
		tokens, names = append(tokens, tag), names || isToken(tag)
	}
	return tokens, names
}

// first returns the intake with the first token that an entity has, and the entity; nil for none.
func (m *Mailbox) first(ctx context.Context, tokens []string) (*email.Intake, *entity.Entity, error) {
	for _, token := range tokens {
		if i, owner, err := m.withToken(ctx, token); err != nil || i != nil {
			return i, owner, err
		}
	}
	return nil, nil, nil
}
