package review

import (
	"context"
	"fmt"
	"slices"

	"docledger/domain/entity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// Route returns the entity to which route_by_buyer moves the document of a new invoice: the only one
// of the others that has the buyer's tax identifier. It returns nil if the buyer has none, if the
// entity itself has it, or if several others have it (domain D12).
func Route(buyer invoice.Party, own *entity.Entity, others []entity.Entity) *entity.Entity {
	if buyer.HasTaxID(own.TaxIDs) {
		return nil
	}
	return only(own, others, func(e *entity.Entity) bool { return buyer.HasTaxID(e.TaxIDs) })
}

// only returns the only entity other than own that matches; nil if there is none or several.
func only(own *entity.Entity, others []entity.Entity, match func(*entity.Entity) bool) *entity.Entity {
	var found *entity.Entity
	for i := range others {
		switch e := &others[i]; {
		case e.ID == own.ID || !match(e):
		case found != nil:
			return nil
		default:
			found = e
		}
	}
	return found
}

func failedBuyer(c invoice.Check) bool { return c.Rule == invoice.RuleBuyerIsEntity && !c.Passed }

// Suggest names in the failed check buyer_is_entity the only other entity of the organization that is
// the buyer. It reads the entities only if the check failed.
func Suggest(ctx context.Context, inv *invoice.Invoice, own *entity.Entity, buyers entity.Buyers) error {
	if !slices.ContainsFunc(inv.Checks, failedBuyer) {
		return nil
	}
	others, err := buyers.Buyers(ctx, inv.OrganizationID)
	if err != nil {
		return fmt.Errorf("find the entity of the buyer: %w", err)
	}
	id := suggested(inv, own, others)
	for i := range inv.Checks {
		if failedBuyer(inv.Checks[i]) {
			inv.Checks[i].SuggestedEntityID = id
		}
	}
	return nil
}

// suggested returns the only other entity that is the buyer, by tax identifier, otherwise by name;
// Nil if there is none or several.
func suggested(inv *invoice.Invoice, own *entity.Entity, others []entity.Entity) uuid.UUID {
	byTaxID := func(e *entity.Entity) bool { return inv.Buyer.HasTaxID(e.TaxIDs) }
	match := func(e *entity.Entity) bool {
		return (inv.Buyer.TaxID == "" || len(e.TaxIDs) == 0) && inv.Buyer.HasName(namesOf(e))
	}
	if slices.ContainsFunc(others, func(e entity.Entity) bool { return e.ID != own.ID && byTaxID(&e) }) {
		match = byTaxID
	}
	if e := only(own, others, match); e != nil {
		return e.ID
	}
	return uuid.Nil
}

// keepSuggestion copies the suggestion of the previous checks if the result is the same.
func keepSuggestion(inv *invoice.Invoice, checks []invoice.Check) {
	for i := range checks {
		for _, before := range inv.Checks {
			if failedBuyer(checks[i]) && failedBuyer(before) && checks[i].Found == before.Found && checks[i].Expected == before.Expected {
				checks[i].SuggestedEntityID = before.SuggestedEntityID
			}
		}
	}
}
