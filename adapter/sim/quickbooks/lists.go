package quickbooks

import (
	"net/http"
	"strings"
	"unicode/utf8"
)

// rowsOf returns the records of a kind. The company and its preferences are one record each,
// generated from the current state.
func (b *book) rowsOf(kind string) []*row {
	switch kind {
	case "CompanyInfo":
		return []*row{{id: 1, fields: b.info()}}
	case "Preferences":
		return []*row{{id: 1, fields: b.prefs()}}
	default:
		return b.tables[kind].rows
	}
}

func (b *book) info() object {
	c := b.company
	return object{
		"CompanyName": c.Name, "LegalName": c.Name, "Country": c.Country, "FiscalYearStartMonth": "January", "SupportedLanguages": "en",
		"CompanyAddr": object{"CountrySubDivisionCode": "", "Country": c.Country},
		"NameValue":   []any{object{"Name": "IndustryType", "Value": "Trade"}},
	}
}

func (b *book) prefs() object {
	c := b.company
	accounting := object{"FirstMonthOfFiscalYear": "January", "UseAccountNumbers": true, "ClassTrackingPerTxn": false}
	if !c.ClosedUntil.IsZero() {
		accounting["BookCloseDate"] = c.ClosedUntil.Format("2006-01-02")
	}
	return object{
		"AccountingInfoPrefs": accounting,
		"CurrencyPrefs":       object{"MultiCurrencyEnabled": c.MultiCurrency, "HomeCurrency": object{"value": c.HomeCurrency}},
		"TaxPrefs":            object{"UsingSalesTax": c.UsesTax, "PartnerTaxEnabled": c.UsesTax && c.Country == "US"},
		"VendorAndPurchasesPrefs": object{
			"BillableExpenseTracking": false, "TrackingByCustomer": false,
		},
	}
}

func (s *Server) companyInfo(c *call) answer {
	if c.PathValue("id") != c.book.company.RealmID {
		return s.refused(notFound())
	}
	return s.found(object{"CompanyInfo": c.book.rowsOf("CompanyInfo")[0].shown()})
}

func (s *Server) preferences(c *call) answer {
	return s.found(object{"Preferences": c.book.rowsOf("Preferences")[0].shown()})
}

// vendorFields are the writable fields of a new vendor with their maximum length; 0 for fields
// that are not text.
var vendorFields = map[string]int{
	"DisplayName": 100, "CompanyName": 100, "GivenName": 100, "FamilyName": 100, "PrintOnCheckName": 110, "AcctNum": 100, "TaxIdentifier": 20,
	"Notes": 4000, "PrimaryEmailAddr": 0, "PrimaryPhone": 0, "BillAddr": 0, "CurrencyRef": 0, "Active": 0, "TermRef": 0, "WebAddr": 0,
	"Vendor1099": 0, "sparse": 0, "domain": 0,
}

func (s *Server) createVendor(c *call) answer {
	in, f := input(c.body)
	if f == nil {
		f = c.book.checkVendor(in, c.Request)
	}
	if f != nil {
		return s.refused(f)
	}
	fields := object{
		"Active": true, "Balance": number("0"), "Vendor1099": false, "PrintOnCheckName": in["DisplayName"],
		"CurrencyRef": c.book.currency(c.book.orHome(str(in["CurrencyRef"]))),
	}
	for name, value := range in {
		if name != "CurrencyRef" && name != "sparse" && name != "domain" {
			fields[name] = value
		}
	}
	return s.found(object{"Vendor": c.book.add("Vendor", "", fields, s.Kit.Clock.Now()).shown()})
}

func (b *book) checkVendor(in object, r *http.Request) *fault {
	if in["Id"] != nil || r.URL.Query().Get("operation") != "" {
		return unsupported("update of Vendor")
	}
	for name, value := range in {
		most, known := vendorFields[name]
		given, isText := value.(string)
		switch {
		case !known:
			return badProperty(name)
		case most > 0 && !isText:
			return badProperty(name)
		case most > 0 && utf8.RuneCountInString(given) > most:
			return tooLong(name, most)
		}
	}
	name := str(in["DisplayName"])
	switch {
	case strings.TrimSpace(name) == "":
		return missingParameter("DisplayName")
	case strings.ContainsAny(name, ":\t\n"):
		return &fault{"2040", "Invalid String", "Invalid string. The string contains a colon, a tab or a new line", "DisplayName"}
	case b.named(name):
		return &fault{code: "6240", message: "Duplicate Name Exists Error", detail: "The name supplied already exists. : null"}
	}
	if code := str(in["CurrencyRef"]); code != "" && !b.takes(code) {
		return b.badCurrency(code)
	}
	return nil
}

func (b *book) badCurrency(code string) *fault {
	if !b.company.MultiCurrency {
		return business("Multi-currency should be enabled to perform this operation")
	}
	return badReference("Currency", code)
}

// named reports whether a name is in use. Vendors, customers and employees share one set of
// names.
func (b *book) named(name string) bool {
	for _, r := range b.tables["Vendor"].rows {
		if strings.EqualFold(str(r.fields["DisplayName"]), name) {
			return true
		}
	}
	for _, other := range b.company.OtherNames {
		if strings.EqualFold(other, name) {
			return true
		}
	}
	return false
}

func unsupported(what string) *fault {
	return &fault{code: "500", message: "Unsupported Operation", detail: "Operation " + what + " is not supported."}
}
