// Package accounting defines the data that docledger reads from accounting software, and the
// bills that it creates there, independently of a provider.
package accounting

import (
	"slices"
	"strings"

	"docledger/domain/fault"
)

// AccountClass is the unified category of an account (interface 2.1).
type AccountClass string

// The classes.
const (
	Asset      AccountClass = "Asset"
	Liability  AccountClass = "Liability"
	Equity     AccountClass = "Equity"
	Revenue    AccountClass = "Revenue"
	Expense    AccountClass = "Expense"
	Bank       AccountClass = "Bank"
	CreditCard AccountClass = "CreditCard"
)

// Classes lists the classes in the order of the contract.
func Classes() []AccountClass {
	return []AccountClass{Asset, Liability, Equity, Revenue, Expense, Bank, CreditCard}
}

// filterNames are the values of the parameter account_types (interface 2.1), in the order of
// Classes.
var filterNames = []string{"ASSET", "LIABILITY", "EQUITY", "REVENUE", "EXPENSE", "BANK", "CREDIT_CARD"}

// ClassFilter is a set of classes. The empty filter selects every account, including those
// without a class.
type ClassFilter []AccountClass

// ParseClassFilter parses account_types: filter values separated by commas. The order is
// irrelevant. A repeated value counts once.
func ParseClassFilter(text string) (ClassFilter, error) {
	var f ClassFilter
	for name := range strings.SplitSeq(text, ",") {
		n := slices.Index(filterNames, name)
		if n < 0 {
			return nil, fault.InvalidField("account_types", "holds %q; the values are %s", clip(name), strings.Join(filterNames, ", "))
		}
		if c := Classes()[n]; !slices.Contains(f, c) {
			f = append(f, c)
		}
	}
	return f, nil
}

// clip limits the part of a request that a message repeats.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Selects reports whether the filter selects the accounts of a class.
func (f ClassFilter) Selects(c AccountClass) bool { return len(f) == 0 || slices.Contains(f, c) }

// typeClass is a row of a mapping table.
type typeClass struct {
	name  string       // the provider's type as docs/interface.md spells it
	class AccountClass // "" for none
}

// typesA is the table of ACCOUNTING_A (interface 4.2, rule 1).
var typesA = []typeClass{
	{"BANK", Bank},
	{"CURRENT", Asset},
	{"CURRLIAB", Liability},
	{"DEPRECIATN", Expense},
	{"DIRECTCOSTS", Expense},
	{"EQUITY", Equity},
	{"EXPENSE", Expense},
	{"FIXED", Asset},
	{"INVENTORY", Asset},
	{"LIABILITY", Liability},
	{"NONCURRENT", Asset},
	{"OTHERINCOME", Revenue},
	{"OVERHEADS", Expense},
	{"PREPAYMENT", Asset},
	{"REVENUE", Revenue},
	{"SALES", Revenue},
	{"TERMLIAB", Liability},
}

// typesB is the table of ACCOUNTING_B (interface 4.2, rule 3).
var typesB = []typeClass{
	{"Bank", Bank},
	{accountsReceivable, ""},
	{"OtherCurrentAsset", Asset},
	{"FixedAsset", Asset},
	{"OtherAsset", Asset},
	{accountsPayable, ""},
	{"CreditCard", CreditCard},
	{"OtherCurrentLiability", Liability},
	{"LongTermLiability", Liability},
	{"Equity", Equity},
	{"Income", Revenue},
	{"OtherIncome", Revenue},
	{"CostofGoodsSold", Expense},
	{"Expense", Expense},
	{"OtherExpense", Expense},
	{NonPosting, ""},
}

// The ACCOUNTING_B types to which the ledger posts automatically: the bill is the payable, so
// that no line of it can use one.
const (
	accountsReceivable = "AccountsReceivable"
	accountsPayable    = "AccountsPayable"
)

// NonPosting is the ACCOUNTING_B type that API operations do not support. Its accounts are listed
// but cannot be used in a bill.
const NonPosting = "NonPosting"

// ClassOfA maps an ACCOUNTING_A account type to its class. A type that is not in the table is an
// Expense, and known is false: the caller logs a warning.
func ClassOfA(accountType string) (c AccountClass, known bool) {
	for _, t := range typesA {
		if t.name == accountType {
			return t.class, true
		}
	}
	return Expense, false
}

// ClassOfB maps an ACCOUNTING_B account type, spelled as in docs/interface.md, to its class. The
// class is "" for the types with a dash and for unknown ones: no filter value selects them. known
// is false for a type that is not in the table.
func ClassOfB(accountType string) (c AccountClass, known bool) {
	for _, t := range typesB {
		if t.name == accountType {
			return t.class, true
		}
	}
	return "", false
}

// TypesB lists the ACCOUNTING_B types that a filter selects, spelled and ordered as in
// docs/interface.md. The empty filter selects all of them, so that the query needs no condition.
func TypesB(f ClassFilter) []string {
	var names []string
	for _, t := range typesB {
		if len(f) == 0 || t.class != "" && f.Selects(t.class) {
			names = append(names, t.name)
		}
	}
	return names
}

// TypesA lists the ACCOUNTING_A types in the order of docs/interface.md.
func TypesA() []string {
	names := make([]string, len(typesA))
	for i, t := range typesA {
		names[i] = t.name
	}
	return names
}
