package einvoice

import (
	"iter"
	"strings"

	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/invoice"
)

// ublParty reads a seller or buyer (BG-4, BG-7). It uses the registered name, which
// identifies the legal debtor or creditor.
func (d *draft) ublParty(path string, p *invoice.Party, party xmltree.Elem) {
	trading := party.Path("PartyName", "Name").Text()
	for e := range party.Named("PartyLegalEntity") {
		d.text(path+".name", &p.Name, e.Child("RegistrationName").Text())
		d.text(path+".registration_id", &p.RegistrationID, e.Child("CompanyID").Text())
	}
	if p.Name != "" && oneLine(trading) != p.Name {
		p.TradingName = shorten(oneLine(trading), maxShort)
	}
	d.text(path+".name", &p.Name, trading)
	for e := range party.Named("PartyTaxScheme") {
		d.text(path+".name", &p.Name, e.Child("RegistrationName").Text())
	}
	for person := range party.Named("Person") {
		d.text(path+".name", &p.Name, person.Child("FirstName").Text()+" "+person.Child("FamilyName").Text())
	}
	d.text(path+".tax_id", &p.TaxID, ublTaxID(party))
	d.ublAddress(path+".address.", &p.Address, party.Child("PostalAddress"))
	contact := party.Child("Contact")
	d.text(path+".email", &p.Email, contact.Child("ElectronicMail").Text())
	d.text(path+".phone", &p.Phone, contact.Child("Telephone").Text())
	if endpoint := party.Child("EndpointID"); endpoint.Attr("schemeID") == "EM" {
		d.text(path+".email", &p.Email, endpoint.Text())
	}
}

// ublTaxID returns the VAT identifier (BT-31), or else the identifier of another tax
// (BT-32). Some countries use the element for a remark, such as a registration for
// another tax. A remark is not an identifier.
func ublTaxID(party xmltree.Elem) string {
	other := ""
	for e := range party.Named("PartyTaxScheme") {
		id, scheme := e.Child("CompanyID").Text(), e.Child("TaxScheme")
		if id == "" {
			continue
		}
		name := strings.ToUpper(scheme.Child("ID").Text())
		switch {
		case strings.Contains(name, "VAT"), name == "GST", strings.EqualFold(scheme.Child("TaxTypeCode").Text(), "VAT"):
			return id
		case other == "" && (name == "FC" || strings.ContainsAny(id, "0123456789")):
			other = id
		}
	}
	return other
}

func (d *draft) ublAddress(path string, a *invoice.Address, e xmltree.Elem) {
	street, number := e.Child("StreetName").Text(), e.Child("BuildingNumber").Text()
	if number != "" && !strings.Contains(street, number) {
		street += " " + number
	}
	d.text(path+"line1", &a.Line1, street)
	d.text(path+"line2", &a.Line2, e.Child("AdditionalStreetName").Text())
	for line := range e.Named("AddressLine") {
		d.text(path+"line3", &a.Line3, line.Child("Line").Text())
	}
	d.text(path+"city", &a.City, e.Child("CityName").Text())
	d.text(path+"postal_code", &a.PostalCode, e.Child("PostalZone").Text())
	d.text(path+"region", &a.Region, e.Child("CountrySubentity").Text())
	d.country(path+"country", &a.Country, e.Path("Country", "IdentificationCode").Text())
}

// texts collects the texts of elements.
func texts(elems iter.Seq[xmltree.Elem]) []string {
	var out []string
	for e := range elems {
		if len(out) == maxRows {
			break
		}
		out = append(out, e.Text())
	}
	return out
}
