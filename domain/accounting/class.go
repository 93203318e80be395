// Package accounting holds what docledger reads from, and books into,
// accounting software, in words of its own.
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

// filterNames are the values of the parameter account_types (interface 2.1), in
// the order of Classes.
var filterNames = []string{"ASSET", "LIABILITY", "EQUITY", "REVENUE", "EXPENSE", "BANK", "CREDIT_CARD"}

// ClassFilter is a choice of classes. The empty one chooses every account,
// those without a class too.
type ClassFilter []AccountClass

// ParseClassFilter reads account_types: filter values with commas between
// them. The order does not matter, a repeated value counts once.
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

// clip bounds what an answer repeats of a request.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Selects says whether an account of the class is chosen.
func (f ClassFilter) Selects(c AccountClass) bool { return len(f) == 0 || slices.Contains(f, c) }

// typeClass is a row of a mapping table.
type typeClass struct {
	name  string       // the provider's type as the contract spells it
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

// The ACCOUNTING_B types that the ledger posts to by itself: the bill is the
// payable, so no line of it can name one.
const (
	accountsReceivable = "AccountsReceivable"
	accountsPayable    = "AccountsPayable"
)

// NonPosting is the ACCOUNTING_B type that is unsupported for API operations:
// its accounts are shown, but nothing can be booked on them.
const NonPosting = "NonPosting"

// ClassOfA maps an ACCOUNTING_A account type to its class. A type that is not
// in the contract's table is an Expense, and known is false: the caller logs a
// warning.
func ClassOfA(accountType string) (c AccountClass, known bool) {
	for _, t := range typesA {
		if t.name == accountType {
			return t.class, true
		}
	}
	return Expense, false
}

// ClassOfB maps an ACCOUNTING_B account type, spelled as in the contract, to
// its class. It is "" for the types with a dash and for unknown ones: no
// filter value selects them. known is false for a type that is not in the
// table.
func ClassOfB(accountType string) (c AccountClass, known bool) {
	for _, t := range typesB {
		if t.name == accountType {
			return t.class, true
		}
	}
	return "", false
}

// TypesB lists the ACCOUNTING_B types, spelled as in the contract and in its
// order, that a filter selects. The empty filter selects all of them, which
// asks for no condition at all.
func TypesB(f ClassFilter) []string {
	var names []string
	for _, t := range typesB {
		if len(f) == 0 || t.class != "" && f.Selects(t.class) {
			names = append(names, t.name)
		}
	}
	return names
}

// TypesA lists the ACCOUNTING_A types of the contract's table, in its order.
func TypesA() []string {
	names := make([]string, len(typesA))
	for i, t := range typesA {
		names[i] = t.name
	}
	return names
}
