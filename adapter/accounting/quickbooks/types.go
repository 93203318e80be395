package quickbooks

import (
	"strings"

	"docledger/domain/accounting"
)

// wireTypes are the provider's account types by the name that the contract
// gives them (4.2, rule 3). On the wire most have spaces; a name of the
// contract in a query is refused.
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

// contractType is the contract's name of a type. One that the contract does not
// know is spelled in its manner.
func contractType(wire string) (name string, known bool) {
	if name, known = contractTypes[wire]; known {
		return name, true
	}
	return strings.NewReplacer(" ", "", "-", "").Replace(wire), false
}
