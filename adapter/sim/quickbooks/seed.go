package quickbooks

// Realm ids of the default companies, for tests and sandboxes.
const (
	VATCompany = "9341450000000001" // in GB: bills have tax, several currencies
	USCompany  = "9341450000000002" // in US: bills have no tax, one currency
)

// DefaultCompanies are two companies. One has tax on bills and several currencies, the other is
// in US. Each has a chart with every account type of the API and an inactive account.
func DefaultCompanies() []Company {
	return []Company{
		{
			RealmID: VATCompany, Name: "Red Brick Traders", Country: "GB", HomeCurrency: "GBP", HomeCurrName: "British Pound Sterling",
			MultiCurrency: true, UsesTax: true, Accounts: chart("GBP"), Vendors: append(vendors("GBP"), Vendor{
				DisplayName: "Muster GmbH", CompanyName: "Muster GmbH", Email: "billing@muster.example", TaxIdentifier: "DE123456789", Currency: "EUR",
			}),
			OtherNames: []string{"First Customer Ltd", "Erin Employee"},
			TaxCodes: []TaxCode{
				{Name: "20.0% S", Description: "Standard rate", Purchases: []Rate{{"Standard 20% (Purchases)", "20"}}, Sales: []Rate{{"Standard 20% (Sales)", "20"}}},
				{Name: "5.0% R", Description: "Reduced rate", Purchases: []Rate{{"Reduced 5% (Purchases)", "5"}}, Sales: []Rate{{"Reduced 5% (Sales)", "5"}}},
				{Name: "0.0% Z", Description: "Zero rated", Purchases: []Rate{{"Zero 0% (Purchases)", "0"}}, Sales: []Rate{{"Zero 0% (Sales)", "0"}}},
				{Name: "19.0% DE", Description: "Foreign rate", Purchases: []Rate{{"19% (Purchases)", "19"}}},
				{Name: "12.0% split", Description: "Two rates at once", Purchases: []Rate{{"Federal 5%", "5"}, {"Provincial 7%", "7"}}},
				{Name: "20.0% sales only", Description: "On sales alone", Sales: []Rate{{"Special 20% (Sales)", "20"}}},
				{Name: "17.5% S", Description: "Former standard rate", Purchases: []Rate{{"Standard 17.5% (Purchases)", "17.5"}}, Inactive: true},
				{Name: "No VAT", Description: "Out of scope", NotTaxable: true},
			},
			Currencies: []Currency{
				{Code: "EUR", Name: "Euro"}, {Code: "USD", Name: "United States Dollar"}, {Code: "SEK", Name: "Swedish Krona", Inactive: true},
			},
		},
		{
			RealmID: USCompany, Name: "Corner Garage", Country: "US", HomeCurrency: "USD", HomeCurrName: "United States Dollar",
			UsesTax: true, MasksTaxIDs: true, Accounts: chart("USD"), Vendors: vendors("USD"), OtherNames: []string{"Cool Cars"},
			TaxCodes: []TaxCode{
				{ID: "TAX", Name: "TAX", Description: "TAX"},
				{ID: "NON", Name: "NON", Description: "NON", NotTaxable: true},
				{Name: "California", Description: "California", Sales: []Rate{{"California", "8"}}},
			},
		},
	}
}

func chart(currency string) []Account {
	return []Account{
		{Name: "Checking", Number: "1000", Type: "Bank", SubType: "Checking", Currency: currency},
		{Name: "Savings", Type: "Bank", SubType: "Savings", Currency: currency},
		{Name: "Accounts Receivable (A/R)", Number: "1100", Type: "Accounts Receivable", SubType: "AccountsReceivable"},
		{Name: "Prepaid Expenses", Number: "1200", Type: "Other Current Asset", SubType: "PrepaidExpenses"},
		{Name: "Office Equipment", Number: "1500", Type: "Fixed Asset", SubType: "FurnitureAndFixtures"},
		{Name: "Security Deposits", Number: "1800", Type: "Other Asset", SubType: "SecurityDeposits"},
		{Name: "Accounts Payable (A/P)", Number: "2000", Type: "Accounts Payable", SubType: "AccountsPayable"},
		{Name: "Company Card", Number: "2100", Type: "Credit Card", SubType: "CreditCard"},
		{Name: "Accrued Liabilities", Number: "2200", Type: "Other Current Liability", SubType: "OtherCurrentLiabilities"},
		{Name: "Bank Loan", Number: "2700", Type: "Long Term Liability", SubType: "NotesPayable"},
		{Name: "Owner's Equity", Number: "3000", Type: "Equity", SubType: "OwnersEquity"},
		{Name: "Sales", Number: "4000", Type: "Income", SubType: "SalesOfProductIncome"},
		{Name: "Interest Earned", Number: "4900", Type: "Other Income", SubType: "InterestEarned"},
		{Name: "Cost of Goods Sold", Number: "5000", Type: "Cost of Goods Sold", SubType: "SuppliesMaterialsCogs"},
		{Name: "Office Expenses", Number: "6000", Type: "Expense", SubType: "OfficeGeneralAdministrativeExpenses"},
		{Name: "Legal & Professional Fees", Number: "6100", Type: "Expense", SubType: "LegalProfessionalFees"},
		{Name: "Penalties", Number: "8000", Type: "Other Expense", SubType: "PenaltiesSettlements"},
		{Name: "Estimates", Number: "9000", Type: nonPosting, SubType: "NonPosting"},
		{Name: "Fax Machine Costs (deleted)", Number: "6900", Type: "Expense", SubType: "EquipmentRental", Inactive: true},
	}
}

// vendors are the default vendors. Two names share a prefix and one vendor is inactive.
func vendors(currency string) []Vendor {
	return []Vendor{
		{DisplayName: "Books by Bessie", Email: "books@bessie.example", AccountNumber: "1345", Currency: currency},
		{DisplayName: "Brown's Paper & Pens", CompanyName: "Brown's Paper & Pens Ltd", TaxIdentifier: "GB123456782", Currency: currency},
		{DisplayName: "Brown's Logistics", Email: "office@logistics.example", Currency: currency},
		{DisplayName: "Closed Shop (deleted)", Currency: currency, Inactive: true},
	}
}
