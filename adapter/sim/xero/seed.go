package xero

// Ids of the default organizations, for tests and sandboxes.
const (
	TaxedOrganization   = "a3f4c6b2-6b0d-4a1f-8d65-0d0a5f0f1001" // registered for tax, accounts in EUR
	UntaxedOrganization = "a3f4c6b2-6b0d-4a1f-8d65-0d0a5f0f1002" // not registered for tax, accounts in GBP
)

// DefaultOrganizations are two organizations: one is registered for tax, the other is not. Each
// has a chart with every account type that docledger maps, one that it does not map (PAYG), a
// bank account that is a credit card, and an archived account.
func DefaultOrganizations() []Organization {
	return []Organization{
		{
			ID: TaxedOrganization, Name: "Blue Harbour Trading", LegalName: "Blue Harbour Trading Limited",
			CountryCode: "IE", BaseCurrency: "EUR", TaxNumber: "IE6388047V", PaysTax: true,
			Accounts: chart("EUR", "INPUT2"), Contacts: contacts("b1"),
			TaxRates: []TaxRate{
				{Name: "20% (VAT on Expenses)", TaxType: "INPUT2", ReportTaxType: "INPUT", Rate: "20"},
				{Name: "23% (VAT on Expenses)", TaxType: "INPUT23", ReportTaxType: "INPUT", Rate: "23"},
				{Name: "19% (VAT on Expenses)", TaxType: "TAX001", ReportTaxType: "INPUT", Rate: "19"},
				{Name: "13.5% (VAT on Expenses)", TaxType: "TAX002", ReportTaxType: "INPUT", Rate: "13.5"},
				{Name: "7% (VAT on Expenses)", TaxType: "TAX003", ReportTaxType: "INPUT", Rate: "7"},
				{Name: "Zero Rated Expenses", TaxType: "ZERORATEDINPUT", ReportTaxType: "INPUT", Rate: "0"},
				{Name: "EC Acquisitions", TaxType: "ECACQUISITIONS", ReportTaxType: "ECACQUISITIONS", Rate: "0"},
				{Name: "20% (VAT on Income)", TaxType: "OUTPUT2", ReportTaxType: "OUTPUT", Rate: "20", NotForExpenses: true},
				{Name: "17.5% (old)", TaxType: "SRINPUT", ReportTaxType: "INPUT", Rate: "17.5", Status: archived},
				{Name: "No VAT", TaxType: "NONE", ReportTaxType: "NONE", Rate: "0"},
			},
			Currencies: []Currency{
				{"EUR", "Euro"}, {"GBP", "British Pound"}, {"USD", "United States Dollar"}, {"CHF", "Swiss Franc"},
			},
		},
		{
			ID: UntaxedOrganization, Name: "Small Workshop", LegalName: "Small Workshop",
			CountryCode: "GB", BaseCurrency: "GBP", PaysTax: false,
			Accounts: chart("GBP", "NONE"), Contacts: contacts("b2"),
			TaxRates:   []TaxRate{{Name: "No VAT", TaxType: "NONE", ReportTaxType: "NONE", Rate: "0"}},
			Currencies: []Currency{{"GBP", "British Pound"}},
		},
	}
}

func chart(currency, tax string) []Account {
	const none = "NONE"
	return []Account{
		{Name: "Business Bank Account", Type: "BANK", Class: "ASSET", TaxType: none, Code: "090", BankAccountType: "BANK", BankNumber: "306090123456", CurrencyCode: currency},
		{Name: "Savings Account", Type: "BANK", Class: "ASSET", TaxType: none, BankAccountType: "BANK", BankNumber: "306090654321", CurrencyCode: currency},
		{Name: "Company Card", Type: "BANK", Class: "ASSET", TaxType: none, Code: "092", BankAccountType: "CREDITCARD", BankNumber: "1234", CurrencyCode: currency},
		{Name: "Accounts Receivable", Type: "CURRENT", Class: "ASSET", TaxType: none, Code: "610", SystemAccount: "DEBTORS"},
		{Name: "Accrued Income", Type: "CURRENT", Class: "ASSET", TaxType: none, Code: "615"},
		{Name: "Accounts Payable", Type: "CURRLIAB", Class: "LIABILITY", TaxType: none, Code: "800", SystemAccount: "CREDITORS"},
		{Name: "Accruals", Type: "CURRLIAB", Class: "LIABILITY", TaxType: none, Code: "805"},
		{Name: "Rounding", Type: "CURRLIAB", Class: "LIABILITY", TaxType: none, Code: "860", SystemAccount: "ROUNDING"},
		{Name: "Depreciation", Type: "DEPRECIATN", Class: "EXPENSE", TaxType: none, Code: "416"},
		{Name: "Cost of Goods Sold", Type: "DIRECTCOSTS", Class: "EXPENSE", TaxType: tax, Code: "310"},
		{Name: "Owner's Share Capital", Type: "EQUITY", Class: "EQUITY", TaxType: none, Code: "970"},
		{Name: "Office Expenses", Type: "EXPENSE", Class: "EXPENSE", TaxType: tax, Code: "453", Description: "General expenses of the office"},
		{Name: "Office Equipment", Type: "FIXED", Class: "ASSET", TaxType: tax, Code: "710"},
		{Name: "Inventory", Type: "INVENTORY", Class: "ASSET", TaxType: none, Code: "630"},
		{Name: "Loan", Type: "LIABILITY", Class: "LIABILITY", TaxType: none, Code: "900"},
		{Name: "Deposits Paid", Type: "NONCURRENT", Class: "ASSET", TaxType: none, Code: "760"},
		{Name: "Interest Income", Type: "OTHERINCOME", Class: "REVENUE", TaxType: none, Code: "270"},
		{Name: "Consulting & Accounting", Type: "OVERHEADS", Class: "EXPENSE", TaxType: tax, Code: "412"},
		{Name: "Prepayments", Type: "PREPAYMENT", Class: "ASSET", TaxType: none, Code: "620"},
		{Name: "Other Revenue", Type: "REVENUE", Class: "REVENUE", TaxType: none, Code: "260"},
		{Name: "Sales", Type: "SALES", Class: "REVENUE", TaxType: none, Code: "200"},
		{Name: "Bank Loan", Type: "TERMLIAB", Class: "LIABILITY", TaxType: none, Code: "910"},
		{Name: "PAYG Withholdings Payable", Type: "PAYG", Class: "LIABILITY", TaxType: none, Code: "825"},
		{Name: "Fax Machine Costs", Type: "EXPENSE", Class: "EXPENSE", TaxType: tax, Code: "499", Status: archived},
	}
}

// contacts are the default contacts. Each id ends with its index. Two names share a prefix, one
// contact is archived, and some are not suppliers.
func contacts(set string) []Contact {
	id := func(n string) string { return "c0de0000-0000-4000-80" + set + "-0000000000" + n }
	return []Contact{
		{ID: id("01"), Name: "Muster GmbH", Email: "billing@muster.example", TaxNumber: "DE123456789", IsSupplier: true, DefaultCurrency: "EUR"},
		{ID: id("02"), Name: "Muster Logistik GmbH", Email: "office@logistik.example", TaxNumber: "DE987654321", IsSupplier: true},
		{ID: id("03"), Name: "Paper & Pens Ltd", TaxNumber: "GB123456782", BankDetails: "GB29NWBK60161331926819", IsSupplier: true},
		{ID: id("04"), Name: "New Vendor", Email: "hello@vendor.example"},
		{ID: id("05"), Name: "Closed Shop", Status: archived, IsSupplier: true},
	}
}
