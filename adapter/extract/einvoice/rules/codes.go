package rules

import (
	"embed"
	"strings"
)

// codeFiles contains the code lists. Each file has two lines with the name and
// version of the list, then the codes, separated by white space.
//
//go:embed codes/*.txt
var codeFiles embed.FS

// codeList is a set of codes.
type codeList map[string]struct{}

// has reports whether the code is in the list. A text with a space is never a code.
func (l codeList) has(code string) bool {
	_, ok := l[code]
	return ok
}

// CodeList is the name and version of a code list.
type CodeList struct{ File, Title, Version string }

// codeLists are the loaded lists.
var codeLists []CodeList

// list loads a code list. It panics if the file is missing or malformed; a test loads
// all lists.
func list(name string) codeList {
	data, err := codeFiles.ReadFile("codes/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	title, rest, _ := strings.Cut(string(data), "\n")
	version, rest, ok := strings.Cut(rest, "\n")
	title, titled := strings.CutPrefix(title, "# ")
	version, versioned := strings.CutPrefix(version, "# version: ")
	if !ok || !titled || !versioned {
		panic("code list " + name + " names no title or version")
	}
	codeLists = append(codeLists, CodeList{name, title, version})
	return codes(rest)
}

// codes returns a list with the codes in the text.
func codes(text string) codeList {
	out := codeList{}
	for _, c := range strings.Fields(text) {
		out[c] = struct{}{}
	}
	return out
}

// and returns the codes of both lists.
func (l codeList) and(other codeList) codeList {
	out := make(codeList, len(l)+len(other))
	for c := range l {
		out[c] = struct{}{}
	}
	for c := range other {
		out[c] = struct{}{}
	}
	return out
}

// CodeLists returns the code lists with their versions.
func CodeLists() []CodeList { return append([]CodeList(nil), codeLists...) }

var (
	invoiceTypes      = list("invoice_types")
	creditNoteTypes   = list("credit_note_types")
	currencies        = list("currencies")
	taxPointsUBL      = list("tax_points_ubl")
	taxPointsCII      = list("tax_points_cii")
	referenceSchemes  = list("references")
	subjectsUBL       = list("subjects_ubl")
	subjectsCII       = list("subjects_cii")
	identifierSchemes = list("identifier_schemes")
	classifications   = list("classifications")
	countriesUBL      = list("countries_ubl")
	countriesCII      = list("countries_cii")
	vatPrefixesUBL    = list("vat_prefixes_ubl")
	vatPrefixesCII    = list("vat_prefixes_cii")
	paymentMeans      = list("payment_means")
	vatCategories     = list("vat_categories")
	allowanceReasons  = list("allowance_reasons")
	chargeReasons     = list("charge_reasons")
	exemptionReasons  = list("exemption_reasons")
	units             = list("units")
	mimeTypes         = list("mime_types")
	addressSchemes    = list("address_schemes")

	peppolCurrencies      = list("peppol_currencies")
	peppolAddressSchemes  = list("peppol_address_schemes")
	peppolInvoiceTypes    = list("peppol_invoice_types")
	peppolCreditNoteTypes = list("peppol_credit_note_types")

	xrIdentifierSchemes = list("xrechnung_identifier_schemes")
	xrAddressSchemes    = list("xrechnung_address_schemes")
	xrClassifications   = list("xrechnung_classifications")
)
