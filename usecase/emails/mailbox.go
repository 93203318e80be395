package emails

import (
	"context"
	"fmt"
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
	// Entity receives the messages that name no address of an entity; the zero UUID: none.
	Entity uuid.UUID
}

// RecipientsOf returns the intakes of addresses to which a message was sent: those of entities, also as
// the tag of another address (invoices+TOKEN@example.com). Without one it is that of Entity, or a
// NotFound fault.
func (m *Mailbox) RecipientsOf(ctx context.Context, addresses []string) ([]*email.Intake, error) {
	var found []*email.Intake
	for _, address := range addresses {
		i, err := m.recipient(ctx, address)
		if err != nil && fault.CodeOf(err) != fault.CodeNotFound {
			return nil, err
		}
		if err == nil && !slices.ContainsFunc(found, func(f *email.Intake) bool { return f.EntityID == i.EntityID }) {
			found = append(found, i)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	if m.Entity == uuid.Nil {
		return nil, fault.Missing("recipient")
	}
	e, err := m.Owners.GetForOperator(ctx, m.Entity)
	if err != nil {
		return nil, err
	}
	if e.Archived {
		return nil, fault.Missing("recipient")
	}
	i, err := m.Get(ctx, identity.System(e.OrganizationID), e.ID)
	if err != nil {
		return nil, err
	}
	return []*email.Intake{i}, nil
}

func (m *Mailbox) recipient(ctx context.Context, address string) (*email.Intake, error) {
	i, err := m.Lookup(ctx, address)
	if fault.CodeOf(err) != fault.CodeNotFound {
		return i, err
	}
	at := strings.LastIndexByte(address, '@')
	if at < 1 {
		return nil, err
	}
	_, tag, tagged := strings.Cut(strings.ToLower(address[:at]), "+")
	if !tagged {
		return nil, err
	}
	if i, err = m.ofToken(ctx, tag); err != nil {
		return nil, fmt.Errorf("find recipient: %w", err)
	}
	return i, nil
}
