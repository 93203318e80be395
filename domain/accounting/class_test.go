package accounting_test

import (
	"slices"
	"strings"
	"testing"

	"docledger/domain/accounting"
	"docledger/domain/fault"
)

// TestClassesOfA checks every row of the ACCOUNTING_A table, and the additional types that the
// provider has used.
func TestClassesOfA(t *testing.T) {
	t.Parallel()
	table := map[string]accounting.AccountClass{
		"BANK": "Bank", "CURRENT": "Asset", "CURRLIAB": "Liability", "DEPRECIATN": "Expense", "DIRECTCOSTS": "Expense",
		"EQUITY": "Equity", "EXPENSE": "Expense", "FIXED": "Asset", "INVENTORY": "Asset", "LIABILITY": "Liability",
		"NONCURRENT": "Asset", "OTHERINCOME": "Revenue", "OVERHEADS": "Expense", "PREPAYMENT": "Asset", "REVENUE": "Revenue",
		"SALES": "Revenue", "TERMLIAB": "Liability",
	}
	for name, want := range table {
		if c, known := accounting.ClassOfA(name); c != want || !known {
			t.Errorf("%s is %q, known %t; want %q", name, c, known, want)
		}
	}
	if got := accounting.TypesA(); len(got) != len(table) {
		t.Errorf("%d types, want %d", len(got), len(table))
	}
	for _, name := range []string{"PAYG", "PAYGLIABILITY", "SUPERANNUATIONEXPENSE", "SUPERANNUATIONLIABILITY", "WAGESEXPENSE", "bank", " BANK", ""} {
		if c, known := accounting.ClassOfA(name); c != accounting.Expense || known {
			t.Errorf("the unknown type %q is %q, known %t; want Expense and a warning", name, c, known)
		}
	}
	for _, name := range accounting.TypesA() {
		if c, _ := accounting.ClassOfA(name); c == accounting.CreditCard {
			t.Errorf("%s is a credit card; ACCOUNTING_A has none", name)
		}
	}
}

// TestClassesOfB checks every row of the ACCOUNTING_B table, including those with a dash.
func TestClassesOfB(t *testing.T) {
	t.Parallel()
	table := map[string]accounting.AccountClass{
		"Bank": "Bank", "AccountsReceivable": "", "OtherCurrentAsset": "Asset", "FixedAsset": "Asset", "OtherAsset": "Asset",
		"AccountsPayable": "", "CreditCard": "CreditCard", "OtherCurrentLiability": "Liability", "LongTermLiability": "Liability",
		"Equity": "Equity", "Income": "Revenue", "OtherIncome": "Revenue", "CostofGoodsSold": "Expense", "Expense": "Expense",
		"OtherExpense": "Expense", "NonPosting": "",
	}
	for name, want := range table {
		if c, known := accounting.ClassOfB(name); c != want || !known {
			t.Errorf("%s is %q, known %t; want %q", name, c, known, want)
		}
	}
	if c, known := accounting.ClassOfB("Other Current Asset"); c != "" || known {
		t.Errorf("an unknown type is %q, known %t", c, known)
	}
	all := accounting.TypesB(nil)
	if len(all) != len(table) {
		t.Errorf("without a filter %d types, want %d", len(all), len(table))
	}
	var selected []string
	for _, class := range accounting.Classes() {
		names := accounting.TypesB(accounting.ClassFilter{class})
		for _, name := range names {
			if table[name] != class {
				t.Errorf("the filter %s selects %s", class, name)
			}
		}
		selected = append(selected, names...)
	}
	for name, class := range table {
		if got := slices.Contains(selected, name); got != (class != "") {
			t.Errorf("%s selected by a filter: %t", name, got)
		}
	}
}

func TestParseClassFilter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]accounting.ClassFilter{
		"ASSET": {accounting.Asset},
		"ASSET,LIABILITY,EQUITY,REVENUE,EXPENSE,BANK,CREDIT_CARD": accounting.Classes(),
		"CREDIT_CARD,BANK": {accounting.CreditCard, accounting.Bank},
		"EXPENSE,EXPENSE":  {accounting.Expense},
	} {
		if got, err := accounting.ParseClassFilter(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q gives %v, %v", text, got, err)
		}
	}
	long := strings.Repeat("x", 5000)
	for text, names := range map[string]string{
		"": `""`, "asset": `"asset"`, "ASSET,": `""`, "ASSET, BANK": `" BANK"`, "CreditCard": `"CreditCard"`, "ASSET,FOO,BANK": `"FOO"`,
		"BANK' OR 'a'='a": `"BANK' OR 'a'='a"`, long: `"xxx`,
	} {
		_, err := accounting.ParseClassFilter(text)
		f, ok := fault.As(err)
		if !ok || f.Kind != fault.Invalid || len(f.Fields) != 1 || f.Fields[0].Field != "account_types" ||
			!strings.Contains(f.Message, names) || len(f.Message) > 300 {
			t.Errorf("%.40q gives %v", text, err)
		}
	}
}

func TestBookableAccounts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		account accounting.Account
		ok      bool
	}{
		"in use":      {accounting.Account{Class: "Expense", State: accounting.InUse}, true},
		"archived":    {accounting.Account{Class: "Expense", State: accounting.Archived}, false},
		"non-posting": {accounting.Account{Class: accounting.NonPosting, State: accounting.InUse}, false},
		"payable":     {accounting.Account{Class: "AccountsPayable", State: accounting.InUse}, false},
		"receivable":  {accounting.Account{Class: "AccountsReceivable", State: accounting.InUse}, false},
		"reserved":    {accounting.Account{Class: "Asset", State: accounting.InUse, Reserved: true}, false},
	} {
		err := tc.account.RequireBookable("default_account_id")
		if (err == nil) != tc.ok || err != nil && fault.CodeOf(err) != fault.CodeInvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}
