package rules

import (
	"regexp"
	"strings"
)

// variables are values of the document that the rules of Peppol and XRechnung
// refer to.
type variables struct {
	process         string // number of the Peppol business process; "" if there is none
	supplierCountry string // country of the VAT identifier, or of the address; "XX" if there is none
	customerCountry string
	sellerCountry   string // as supplierCountry, without the tax representative
	german          bool   // seller and buyer have addresses in Germany
	dutchSeller     bool
	dutchBuyer      bool
	dutchAgent      bool
	seller, buyer   string // country codes of the addresses as stated
	currency        string
	extension, cvd  bool // the document claims the extension, or the profile for clean vehicles, of XRechnung
	creditNote      bool
	companyVAT      []string
	agentVAT        []string
	greekSeller     bool
	greekBuyer      bool
	swedishSeller   bool // address in Sweden
	swedishVAT      bool // and a Swedish VAT identifier
}

var peppolProcess = regexp.MustCompile(`urn:fdc:peppol\.eu:2017:poacc:billing:([0-9]{2}):1.0`)

// The values of XRechnung 3.0 for the specification identifier (BT-24).
const (
	xrCIUS      = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
	xrExtension = xrCIUS + "#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0"
	xrCVD       = xrCIUS + "#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_0.9"
)

// vatPaths are the paths of the variables' sources in a syntax.
type vatPaths struct {
	process, customization, currency          *selector
	sellerVAT, agentVAT, buyerVAT             *selector
	sellerCountry, buyerCountry, agentCountry *selector
}

var (
	pathsUBL = vatPaths{
		process: sel("/ProfileID"), customization: sel("/CustomizationID"), currency: sel("/DocumentCurrencyCode"),
		sellerVAT:     sel("/" + seller + "/PartyTaxScheme[TaxScheme/ID=VAT]/CompanyID"),
		agentVAT:      sel("/TaxRepresentativeParty/PartyTaxScheme[TaxScheme/ID=VAT]/CompanyID"),
		buyerVAT:      sel("/" + buyer + "/PartyTaxScheme[TaxScheme/ID=VAT]/CompanyID"),
		sellerCountry: sel("/" + seller + "/PostalAddress/Country/IdentificationCode"),
		buyerCountry:  sel("/" + buyer + "/PostalAddress/Country/IdentificationCode"),
		agentCountry:  sel("/TaxRepresentativeParty/PostalAddress/Country/IdentificationCode"),
	}
	pathsCII = vatPaths{
		process:       sel("/ExchangedDocumentContext/BusinessProcessSpecifiedDocumentContextParameter/ID"),
		customization: sel("/ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID"),
		currency:      sel("/" + settlement + "/InvoiceCurrencyCode"),
		// The CII artefact of Peppol searches for the scheme VAT.
		sellerVAT:     sel("/" + agreement + "/SellerTradeParty/SpecifiedTaxRegistration/ID[@schemeID=VAT]"),
		agentVAT:      sel("/" + agreement + "/SellerTaxRepresentativeTradeParty/SpecifiedTaxRegistration/ID[@schemeID=VAT]"),
		buyerVAT:      sel("/" + agreement + "/BuyerTradeParty/SpecifiedTaxRegistration/ID[@schemeID=VAT]"),
		sellerCountry: sel("/" + agreement + "/SellerTradeParty/PostalTradeAddress/CountryID"),
		buyerCountry:  sel("/" + agreement + "/BuyerTradeParty/PostalTradeAddress/CountryID"),
		agentCountry:  sel("/" + agreement + "/SellerTaxRepresentativeTradeParty/PostalTradeAddress/CountryID"),
	}
)

// v returns the variables and computes them once.
func (d *document) v() *variables {
	if d.vars != nil {
		return d.vars
	}
	p := &pathsUBL
	if d.cii {
		p = &pathsCII
	}
	v := &variables{currency: p.currency.first(d, nil).text()}
	d.vars = v
	if m := peppolProcess.FindStringSubmatch(p.process.first(d, nil).value()); m != nil {
		v.process = m[1]
	}
	customization := p.customization.first(d, nil).text()
	v.extension, v.cvd = customization == xrExtension, customization == xrCVD
	v.companyVAT, v.agentVAT = texts(d, p.sellerVAT), texts(d, p.agentVAT)
	sellerAddress, buyerAddress := p.sellerCountry.first(d, nil), p.buyerCountry.first(d, nil)
	v.seller, v.buyer = sellerAddress.text(), buyerAddress.text()
	v.sellerCountry = country(v.companyVAT, sellerAddress)
	v.supplierCountry = v.sellerCountry
	if len(v.companyVAT) == 0 && len(v.agentVAT) > 0 {
		v.supplierCountry = country(v.agentVAT, sellerAddress)
	}
	v.customerCountry = country(texts(d, p.buyerVAT), buyerAddress)
	sellerIn, buyerIn := strings.ToUpper(sellerAddress.value()), strings.ToUpper(buyerAddress.value())
	v.german = sellerIn == "DE" && buyerIn == "DE"
	v.dutchSeller, v.dutchBuyer = sellerIn == "NL", buyerIn == "NL"
	v.dutchAgent = strings.ToUpper(p.agentCountry.first(d, nil).value()) == "NL"
	v.greekSeller = v.supplierCountry == "GR" || v.supplierCountry == "EL"
	v.greekBuyer = v.customerCountry == "GR" || v.customerCountry == "EL"
	v.creditNote = d.root.name == "CreditNote"
	v.swedishSeller = v.seller == "SE"
	for _, vat := range v.companyVAT {
		v.swedishVAT = v.swedishVAT || v.swedishSeller && strings.HasPrefix(vat, "SE")
	}
	return v
}

func texts(d *document, s *selector) []string {
	var out []string
	s.each(d, nil, func(n *node) bool {
		out = append(out, n.text())
		return true
	})
	return out
}

// country returns the country of the first VAT identifier, or of the address.
func country(vat []string, address *node) string {
	switch {
	case len(vat) > 0:
		return strings.ToUpper(normalize(cut(vat[0], 2)))
	case address != nil:
		return strings.ToUpper(address.value())
	}
	return "XX"
}

// where restricts a check to documents that satisfy the condition.
func (c *check) where(matches func(v *variables) bool) *check {
	if c == nil {
		return nil
	}
	ok := c.ok
	return &check{c.in, func(d *document, n *node) bool { return !matches(d.v()) || ok(d, n) }}
}
