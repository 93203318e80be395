package email

import (
	"context"
	"fmt"

	"docledger/domain/document"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// Lists reads the rules of entities.
type Lists interface {
	// Get returns the intake of an entity within the scope, or nil if it has none.
	Get(ctx context.Context, s identity.Scope, entity uuid.UUID) (*Intake, error)
}

// In returns the e-mail of a document that is moved to another entity; nil if no e-mail brought it.
// The rules of that entity decide whether the sender is accepted, because its invoices are approved
// by its settings. The pages of a merged document can come from several senders, so none is
// accepted. The result is a copy.
func In(ctx context.Context, lists Lists, d *document.Document, entity uuid.UUID) (*document.Email, error) {
	if d.Email == nil || d.EntityID == entity {
		return d.Email, nil
	}
	e := *d.Email
	e.Accepted = false
	if Result(e.DMARC) == Pass && len(d.MergedFrom) == 0 {
		rules, err := lists.Get(ctx, identity.System(d.OrganizationID).Scope(), entity)
		if err != nil {
			return nil, fmt.Errorf("find the accepted senders of the entity: %w", err)
		}
		e.Accepted = rules != nil && rules.Lists(e.From)
	}
	return &e, nil
}
