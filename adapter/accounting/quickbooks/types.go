package quickbooks

import (
	"strings"

	"docledger/domain/accounting"
)

// wireTypes maps the contract's names of account types (interface 4.2, rule 3) to the provider's.
// On the wire most have spaces; the provider refuses a contract name in a query.
var wireTypes = map[string]string{
	"Bank":                  "Bank",
	"AccountsReceivable":    "Accounts Receivable",
	"OtherCurrentAsset":     "Other Current Asset",
	"FixedAsset":            "Fixed Asset",
	"OtherAsset":            "Other Asset",
	"AccountsPayable":       "Accounts Payable",
	"CreditCard":            "Credit Card",
	"OtherCurrentLiability": "Other Current Liability",
	"LongTermLiability":     "Long Term Liability",
	"Equity":                "Equity",
	"Income":                "Income",
	"OtherIncome":           "Other Income",
	"CostofGoodsSold":       "Cost of Goods Sold",
	"Expense":               "Expense",
	"OtherExpense":          "Other Expense",
	accounting.NonPosting:   "Non-Posting",
}

var contractTypes = func() map[string]string {
	out := map[string]string{}
	for name, wire := range wireTypes {
		out[wire] = name
	}
	return out
}()

// contractType returns the contract's name of a type. It converts the spelling of a type that the
// contract does not list.
func contractType(wire string) (name string, known bool) {
	if name, known = contractTypes[wire]; known {
		return name, true
	}
	return strings.NewReplacer(" ", "", "-", "").Replace(wire), false
}
