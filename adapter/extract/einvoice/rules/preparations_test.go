package rules

import "strings"

// preparations returns changes of a base document that make other rules apply: VAT
// categories, countries, means of payment and profiles.
func preparations(base string) []string {
	out := []string{""}
	if base == "ubl-credit-note" {
		return append(out, countriesOf(base)...)
	}
	for _, c := range []string{"Z", "E", "AE", "K", "G", "O", "L", "M", "B"} {
		out = append(out, categoryChange(base, c))
	}
	out = append(out, countriesOf(base)...)
	code := "set //PaymentMeansCode "
	if base == "cii" {
		code = "set " + settlementPath("SpecifiedTradeSettlementPaymentMeans") + "/TypeCode "
	}
	for _, means := range []string{"30", "48", "49", "59", "50", "93", "31"} {
		out = append(out, code+means)
	}
	claim := "set CustomizationID "
	if base == "cii" {
		claim = "set ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID "
	}
	return append(out, claim+xrCIUS, claim+xrExtension, claim+xrCVD)
}

// categoryChange sets the VAT category of the whole document.
func categoryChange(base, code string) string {
	percent := "0"
	if code == "L" || code == "M" {
		percent = "19"
	}
	var steps []string
	if base == "cii" {
		steps = append(steps, "set //CategoryCode "+code, "set //RateApplicablePercent "+percent)
		if code == "O" {
			steps = append(steps, "del //RateApplicablePercent")
		}
		sum := settlementPath("SpecifiedTradeSettlementHeaderMonetarySummation")
		tax := settlementPath("ApplicableTradeTax")
		if percent == "0" {
			steps = append(steps, "set "+tax+"/CalculatedAmount 0", "set "+sum+"/TaxTotalAmount 0", "set "+sum+"/TaxTotalAmount[2] 0",
				"set "+sum+"/GrandTotalAmount 210.00", "set "+sum+"/DuePayableAmount 160.10", "add "+tax+" ExemptionReason=Exempt")
			if code == "Z" {
				steps = append(steps, "del "+tax+"/ExemptionReason")
			}
		}
		if code == "O" {
			steps = append(steps, "del //SpecifiedTaxRegistration")
		}
		return strings.Join(steps, " ; ")
	}
	for _, at := range []string{"AllowanceCharge/TaxCategory", "AllowanceCharge[2]/TaxCategory", "TaxTotal/TaxSubtotal/TaxCategory",
		"InvoiceLine/Item/ClassifiedTaxCategory", "InvoiceLine[2]/Item/ClassifiedTaxCategory"} {
		steps = append(steps, "set "+at+"/ID "+code, "set "+at+"/Percent "+percent)
	}
	if code == "O" {
		steps = append(steps, "del //Percent", "del AccountingSupplierParty/Party/PartyTaxScheme", "del AccountingSupplierParty/Party/PartyTaxScheme",
			"del AccountingCustomerParty/Party/PartyTaxScheme", "del TaxRepresentativeParty")
	}
	if percent == "0" {
		steps = append(steps, "set TaxTotal/TaxAmount 0", "set TaxTotal[2]/TaxAmount 0", "set TaxTotal/TaxSubtotal/TaxAmount 0",
			"set LegalMonetaryTotal/TaxInclusiveAmount 210.00", "set LegalMonetaryTotal/PayableAmount 160.10")
		if code != "Z" {
			steps = append(steps, "add TaxTotal/TaxSubtotal/TaxCategory TaxExemptionReason=Exempt")
		}
	}
	return strings.Join(steps, " ; ")
}

// countriesOf sets the country of both parties.
func countriesOf(base string) (out []string) {
	for _, country := range []string{"NO", "DK", "SE", "IT", "IS", "NL", "GR"} {
		vat := country + "123456785"
		if country == "GR" {
			vat = "EL094259216"
		}
		if base == "cii" {
			seller, buyer := sellerCII, buyerCII
			out = append(out, strings.Join([]string{
				"set " + seller + "/PostalTradeAddress/CountryID " + country, "set " + buyer + "/PostalTradeAddress/CountryID " + country,
				"set " + agreement + "/SellerTaxRepresentativeTradeParty/PostalTradeAddress/CountryID " + country,
				"set " + seller + "/SpecifiedTaxRegistration/ID " + vat, "attr " + seller + "/SpecifiedTaxRegistration/ID schemeID=VAT",
			}, " ; "))
			continue
		}
		out = append(out, strings.Join([]string{
			"set " + seller + "/PostalAddress/Country/IdentificationCode " + country, "set " + buyer + "/PostalAddress/Country/IdentificationCode " + country,
			"set TaxRepresentativeParty/PostalAddress/Country/IdentificationCode " + country,
			"set " + seller + "/PartyTaxScheme/CompanyID " + vat, "set " + buyer + "/PartyTaxScheme/CompanyID " + vat,
		}, " ; "))
	}
	return out
}
