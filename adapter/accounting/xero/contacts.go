package xero

import (
	"context"
	"strings"

	"docledger/adapter/accounting/xero/client"
	"docledger/domain/accounting"
	"docledger/domain/integration"
)

const longestName = 255 // characters of a contact's name

// CreateContact implements accounting.ContactCreator. The contact is tied to no
// currency: the provider books each supplier in any.
func (c *Connector) CreateContact(ctx context.Context, a integration.Access, n accounting.NewContact, key string) (accounting.Contact, error) {
	at, err := tenant(a)
	if err != nil {
		return accounting.Contact{}, err
	}
	x := client.Contact{Name: cut(number(n.Name), longestName), Email: n.Email, TaxNumber: n.TaxID}
	if n.Address != (accounting.ContactAddress{}) {
		x.Addresses = []client.Address{{
			Type:  "POBOX", // where post goes to
			Line1: n.Address.Line1, Line2: n.Address.Line2, City: n.Address.City, Region: n.Address.Region,
			PostalCode: n.Address.PostalCode, Country: n.Address.Country,
		}}
	}
	made, err := c.client.CreateContact(ctx, at, x, key)
	if err != nil {
		return accounting.Contact{}, refused(err, contactCode)
	}
	return contact(made), nil
}

func contactCode(words string) accounting.Code {
	if strings.Contains(words, "already assigned") || strings.Contains(words, "must be unique") {
		return accounting.CodeContactNameTaken
	}
	return accounting.CodeRefused
}
