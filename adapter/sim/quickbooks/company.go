package quickbooks

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

// Company is a company with its ledger.
type Company struct {
	RealmID       string // digits
	Name          string
	Country       string // ISO 3166-1 alpha-2; bills of a company in US carry no tax
	HomeCurrency  string
	MultiCurrency bool
	UsesTax       bool
	// MasksTaxIDs masks all but the last four characters of a vendor's tax identifier, as the
	// provider does for most applications in some countries.
	MasksTaxIDs  bool
	ClosedUntil  time.Time // the last day of the closed period; zero for none
	Accounts     []Account
	Vendors      []Vendor
	OtherNames   []string // of customers and employees
	TaxCodes     []TaxCode
	Currencies   []Currency // in addition to the home currency
	HomeCurrName string
}

// Account is an account of the chart.
type Account struct {
	ID             string // "" for the next number
	Name           string
	Number         string // AcctNum
	Type           string // AccountType, one of AccountTypes
	SubType        string
	Classification string // "" for the one of Type
	Currency       string // "" for the home currency
	Inactive       bool
}

// AccountTypes are the values of AccountType, with the Classification of each.
func AccountTypes() map[string]string {
	return map[string]string{
		"Bank": "Asset", "Accounts Receivable": "Asset", "Other Current Asset": "Asset", "Fixed Asset": "Asset", "Other Asset": "Asset",
		"Accounts Payable": "Liability", "Credit Card": "Liability", "Other Current Liability": "Liability", "Long Term Liability": "Liability",
		"Equity": "Equity", "Income": "Revenue", "Other Income": "Revenue",
		"Cost of Goods Sold": "Expense", "Expense": "Expense", "Other Expense": "Expense", nonPosting: "",
	}
}

const nonPosting = "Non-Posting"

// Vendor is a supplier.
type Vendor struct {
	ID            string
	DisplayName   string
	CompanyName   string
	Email         string
	TaxIdentifier string
	AccountNumber string
	Currency      string // "" for the home currency
	Inactive      bool
}

// TaxCode is the tax of a line.
type TaxCode struct {
	ID          string
	Name        string
	Description string
	Purchases   []Rate // purchase rates
	Sales       []Rate
	NotTaxable  bool
	Inactive    bool
}

// Rate is a rate of a tax code; each becomes a TaxRate.
type Rate struct {
	Name    string
	Percent string
}

// Currency is a currency of a company.
type Currency struct {
	Code, Name string
	Inactive   bool
}

// row is one record of a company.
type row struct {
	id               int
	name             string // replaces the number in the few records without one
	token            int    // SyncToken
	created, updated time.Time
	fields           object
	masked           bool
	sum              string // SHA-256 of an attachment
}

func (r *row) key() string {
	if r.name != "" {
		return r.name
	}
	return strconv.Itoa(r.id)
}

// shown is the row as in a response.
func (r *row) shown() object {
	out := object{
		"Id": r.key(), "SyncToken": strconv.Itoa(r.token), "domain": "QBO", "sparse": false,
		"MetaData": object{"CreateTime": r.created.Format(timeLayout), "LastUpdatedTime": r.updated.Format(timeLayout)},
	}
	for name, value := range r.fields {
		out[name] = value
	}
	if tax, ok := out["TaxIdentifier"].(string); ok && r.masked {
		const shown = 4
		out["TaxIdentifier"] = "XXXXXXX" + tax[max(0, len(tax)-shown):]
	}
	return out
}

// table contains all records of a kind in the order of their creation.
type table struct {
	rows []*row
	byID map[string]*row
	last int
}

// book is a company with its records.
type book struct {
	company Company
	tables  map[string]*table
	replays map[string]answer // by requestid
	made    []made            // bills and vendor credits, including deleted ones
}

// made identifies a document by kind and number.
type made struct {
	kind string
	row  *row
}

// firstID is the number of the first record of a kind. It is not 1, as in a real company.
var firstID = map[string]int{"Account": 31, "Vendor": 51, "TaxCode": 2, "TaxRate": 3, "CompanyCurrency": 1, "Bill": 145, "VendorCredit": 145, "Attachable": 5000}

func newBook(c Company, now time.Time) *book {
	b := &book{company: c, tables: map[string]*table{}, replays: map[string]answer{}}
	for name := range schemas {
		b.tables[name] = &table{byID: map[string]*row{}, last: max(firstID[name], 1) - 1}
	}
	for _, code := range c.TaxCodes {
		b.addTaxCode(code, now)
	}
	if c.MultiCurrency {
		for _, currency := range append([]Currency{{Code: c.HomeCurrency, Name: c.HomeCurrName}}, c.Currencies...) {
			b.add("CompanyCurrency", "", object{"Code": currency.Code, "Name": currency.Name, "Active": !currency.Inactive}, now)
		}
	}
	for _, account := range c.Accounts {
		b.addAccount(account, now)
	}
	for _, vendor := range c.Vendors {
		b.addVendor(vendor, now)
	}
	return b
}

// add adds a row; id "" means the next number.
func (b *book) add(kind, id string, fields object, now time.Time) *row {
	t := b.tables[kind]
	if kind == "Bill" || kind == "VendorCredit" { // transactions share one sequence of numbers
		t.last = max(b.tables["Bill"].last, b.tables["VendorCredit"].last)
	}
	t.last++
	r := &row{id: t.last, created: now, updated: now, fields: fields, masked: b.company.MasksTaxIDs}
	if n, err := strconv.Atoi(id); err == nil {
		r.id, t.last = n, max(t.last, n)
	} else if id != "" {
		r.name = id
	}
	t.rows = append(t.rows, r)
	t.byID[r.key()] = r
	return r
}

func (b *book) currency(code string) object {
	for _, r := range b.tables["CompanyCurrency"].rows {
		if r.fields["Code"] == code {
			return object{"value": code, "name": r.fields["Name"]}
		}
	}
	return object{"value": code, "name": b.company.HomeCurrName}
}

// takes reports whether bills may use a currency.
func (b *book) takes(code string) bool {
	if code == b.company.HomeCurrency {
		return true
	}
	for _, r := range b.tables["CompanyCurrency"].rows {
		if r.fields["Code"] == code && r.fields["Active"] == true {
			return true
		}
	}
	return false
}

// orHome is a currency, or the home currency for "".
func (b *book) orHome(code string) string {
	if code == "" {
		return b.company.HomeCurrency
	}
	return code
}

func (b *book) addAccount(a Account, now time.Time) *row {
	class := a.Classification
	if class == "" {
		class = AccountTypes()[a.Type]
	}
	fields := object{
		"Name": a.Name, "FullyQualifiedName": a.Name, "SubAccount": false, "Active": !a.Inactive, "AccountType": a.Type,
		"CurrentBalance": json.Number("0"), "CurrentBalanceWithSubAccounts": json.Number("0"), "CurrencyRef": b.currency(b.orHome(a.Currency)),
	}
	for name, value := range map[string]string{"Classification": class, "AccountSubType": a.SubType, "AcctNum": a.Number} {
		if value != "" {
			fields[name] = value
		}
	}
	return b.add("Account", a.ID, fields, now)
}

func (b *book) addVendor(v Vendor, now time.Time) *row {
	fields := object{
		"DisplayName": v.DisplayName, "PrintOnCheckName": v.DisplayName, "Active": !v.Inactive, "Balance": json.Number("0"), "Vendor1099": false,
		"CurrencyRef": b.currency(b.orHome(v.Currency)),
	}
	for name, value := range map[string]string{"CompanyName": v.CompanyName, "TaxIdentifier": v.TaxIdentifier, "AcctNum": v.AccountNumber} {
		if value != "" {
			fields[name] = value
		}
	}
	if v.Email != "" {
		fields["PrimaryEmailAddr"] = object{"Address": v.Email}
	}
	return b.add("Vendor", v.ID, fields, now)
}

func (b *book) addTaxCode(c TaxCode, now time.Time) *row {
	list := func(rates []Rate) object {
		details := []any{}
		for n, rate := range rates {
			r := b.add("TaxRate", "", object{
				"Name": rate.Name, "Description": rate.Name, "Active": !c.Inactive, "RateValue": number(rate.Percent),
				"AgencyRef": object{"value": "1"}, "SpecialTaxType": "NONE", "DisplayType": "ReadOnly",
				"EffectiveTaxRate": []any{object{"RateValue": number(rate.Percent), "EffectiveDate": "2010-01-01T00:00:00-08:00"}},
			}, now)
			details = append(details, object{
				"TaxRateRef": object{"value": r.key(), "name": rate.Name}, "TaxTypeApplicable": "TaxOnAmount", "TaxOrder": n,
			})
		}
		return object{"TaxRateDetail": details}
	}
	return b.add("TaxCode", c.ID, object{
		"Name": c.Name, "Description": c.Description, "Active": !c.Inactive, "Hidden": c.Inactive, "Taxable": !c.NotTaxable, "TaxGroup": true,
		"PurchaseTaxRateList": list(c.Purchases), "SalesTaxRateList": list(c.Sales), "TaxCodeConfigType": "USER_DEFINED",
	}, now)
}

// number is a number of JSON with the digits of s.
func number(s string) json.Number { return amount(decimal.RequireFromString(s)) }

func amount(d decimal.Decimal) json.Number { return json.Number(d.String()) }
