package quickbooks

import (
	"context"
	"strings"
	"unicode/utf8"

	"docledger/adapter/accounting/quickbooks/client"
	"docledger/domain/accounting"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

const (
	longestName   = 100 // characters of a vendor name
	longestTaxID  = 20
	longestEmail  = 100
	longestStreet = 500 // characters of an address line
	longestPlace  = 255 // characters of a city, region or country
	longestPostal = 30
)

// CreateContact implements accounting.ContactCreator. A vendor keeps the currency of its first bill
// forever. A tax id or e-mail address that is too long for the provider is omitted, because a
// truncated value could belong to someone else.
func (c *Connector) CreateContact(ctx context.Context, a integration.Access, n accounting.NewContact, key string) (accounting.Contact, error) {
	at, err := company(a)
	if err != nil {
		return accounting.Contact{}, err
	}
	v := client.NewVendor{DisplayName: name(n.Name)}
	if utf8.RuneCountInString(n.TaxID) <= longestTaxID {
		v.TaxIdentifier = n.TaxID
	}
	if n.Email != "" && utf8.RuneCountInString(n.Email) <= longestEmail {
		v.PrimaryEmailAddr = &client.Email{Address: n.Email}
	}
	if n.Currency != "" {
		v.CurrencyRef = &client.Ref{Value: n.Currency}
	}
	if n.Address != (accounting.ContactAddress{}) {
		v.BillAddr = &client.Address{
			Line1: cut(oneLine(n.Address.Line1), longestStreet), Line2: cut(oneLine(n.Address.Line2), longestStreet),
			City: cut(oneLine(n.Address.City), longestPlace), CountrySubDivisionCode: cut(oneLine(n.Address.Region), longestPlace),
			PostalCode: cut(oneLine(n.Address.PostalCode), longestPostal), Country: cut(oneLine(n.Address.Country), longestPlace),
		}
	}
	made, err := c.client.CreateVendor(ctx, at, v, key)
	if err != nil {
		return accounting.Contact{}, c.notCreated(ctx, at, n, err)
	}
	out := contact(made)
	if out.TaxID == "" {
		out.TaxID = v.TaxIdentifier // the provider may mask it
	}
	return out, nil
}

// name returns a name in the form that the provider accepts: without colons. A name that is too long
// differs from every other name with the same beginning.
func name(s string) string {
	return accounting.ShortName(strings.ReplaceAll(oneLine(s), ":", "-"), s, longestName)
}

func (c *Connector) notCreated(ctx context.Context, at client.Access, n accounting.NewContact, err error) error {
	f := httpclient.FailureOf(err)
	if !client.IsRefusal(f) {
		return translate(err)
	}
	if f.Code() == client.CodeDuplicateName {
		return accounting.Refuse(accounting.CodeContactNameTaken, "It is %s.", name(n.Name)).WithCause(f)
	}
	if r := c.badCurrency(ctx, at, accounting.Bill{Currency: n.Currency}); r != nil {
		return r.WithCause(f)
	}
	return accounting.Refuse(accounting.CodeRefused, "%s", f.Words()).WithCause(f)
}
