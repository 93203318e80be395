package xero

import (
	"context"
	"strings"
	"unicode/utf8"

	"docledger/adapter/accounting/xero/client"
	"docledger/domain/accounting"
	"docledger/domain/integration"
)

const (
	longestName   = 255 // characters of a contact name
	longestTaxID  = 50
	longestEmail  = 255
	longestStreet = 500 // characters of an address line
	longestPlace  = 255 // characters of a city or region
	longestPostal = 50
	longestLand   = 50 // characters of a country
)

// CreateContact implements accounting.ContactCreator. The contact has no fixed currency: the
// provider accepts bills of each supplier in any currency. A tax id or e-mail address that is too long
// for the provider is omitted, because a truncated value could belong to someone else.
func (c *Connector) CreateContact(ctx context.Context, a integration.Access, n accounting.NewContact, key string) (accounting.Contact, error) {
	at, err := tenant(a)
	if err != nil {
		return accounting.Contact{}, err
	}
	x := client.Contact{Name: accounting.ShortName(oneLine(n.Name), n.Name, longestName)}
	if utf8.RuneCountInString(n.TaxID) <= longestTaxID {
		x.TaxNumber = n.TaxID
	}
	if utf8.RuneCountInString(n.Email) <= longestEmail {
		x.Email = n.Email
	}
	if n.Address != (accounting.ContactAddress{}) {
		x.Addresses = []client.Address{{
			Type:  "POBOX", // the postal address
			Line1: cut(oneLine(n.Address.Line1), longestStreet), Line2: cut(oneLine(n.Address.Line2), longestStreet),
			City: cut(oneLine(n.Address.City), longestPlace), Region: cut(oneLine(n.Address.Region), longestPlace),
			PostalCode: cut(oneLine(n.Address.PostalCode), longestPostal), Country: cut(oneLine(n.Address.Country), longestLand),
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
