package xero

import (
	"context"
	"strings"

	"docledger/adapter/accounting/xero/client"
	"docledger/domain/accounting"
	"docledger/domain/integration"
)

const longestName = 255 // characters of a contact name

// CreateContact implements accounting.ContactCreator. The contact has no fixed currency: the
// provider accepts bills of each supplier in any currency.
func (c *Connector) CreateContact(ctx context.Context, a integration.Access, n accounting.NewContact, key string) (accounting.Contact, error) {
	at, err := tenant(a)
	if err != nil {
		return accounting.Contact{}, err
	}
	x := client.Contact{Name: cut(number(n.Name), longestName), Email: n.Email, TaxNumber: n.TaxID}
	if n.Address != (accounting.ContactAddress{}) {
		x.Addresses = []client.Address{{
			Type:  "POBOX", // the postal address
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
