package quickbooks_test

import (
	"net/url"
	"testing"

	"docledger/adapter/sim/quickbooks"
)

func TestQueries(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	if err := w.sim.Seed(w.realm, "Vendor", 1200); err != nil {
		t.Fatal(err)
	}
	for statement, want := range map[string]int{
		"SELECT * FROM Vendor": 100,
		"SELECT * FROM Vendor WHERE Active IN (true, false) STARTPOSITION 1001 MAXRESULTS 1000": 205,
		"select * from vendor startposition 5 maxresults 7":                                     7,
		"select * from Vendor startposition 5000":                                               0,
		"select * from Vendor where DisplayName like '%ns%'":                                    1,
		"select * from Vendor where DisplayName like '%n\\'s%'":                                 2,
		"select * from Vendor where DisplayName LIKE 'brown%PENS'":                              1,
		"select * from Vendor where DisplayName IN ('Seeded 1','Seeded 2', 'unknown')":          2,
		"select * from Vendor where Id = '51'":                                                  1,
		"select * from Vendor where Id = 'x'":                                                   0,
		"select * from Vendor where Active = false and DisplayName like 'Closed%'":              1,
		"select * from Account where AccountType = 'Other Current Asset'":                       1,
		"select * from Account where AccountType IN ('Bank','Credit Card')":                     3,
		"select * from TaxCode where Active in (true,false)":                                    8,
		"select * from TaxCode where Taxable = false":                                           1,
		"select * from TaxRate where RateValue >= '19'":                                         4,
		"select * from CompanyCurrency":                                                         3,
		"select * from CompanyInfo":                                                             1,
		"select * from Preferences":                                                             1,
		"select * from Vendor where MetaData.CreateTime > '2026-03-02T09:29:00Z' maxresults 3":  3,
		"select * from Bill": 0,
	} {
		r := w.query(200, statement)
		got := 0
		for name, v := range r.body["QueryResponse"].(m) {
			if list, ok := v.([]any); ok {
				got = len(list)
				if n := r.at("QueryResponse", "maxResults"); n != float64(got) {
					t.Errorf("%s: maxResults %v of %s", statement, n, name)
				}
			}
		}
		if got != want || want == 0 && len(r.body["QueryResponse"].(m)) != 0 {
			t.Errorf("%s: %d rows, want %d", statement, got, want)
		}
	}
	if n := w.query(200, "SELECT COUNT(*) FROM Vendor WHERE Active IN (true,false)").at("QueryResponse", "totalCount"); n != 1205.0 {
		t.Errorf("count %v", n)
	}
	list := w.query(200, "select * from Account orderby Name desc maxresults 2").list("Account")
	if list[0].(m)["Name"] != "Security Deposits" || list[1].(m)["Name"] != "Savings" {
		t.Errorf("order %v", list)
	}
	if r := w.do(200, "POST", "query", "select * from Account maxresults 1", "Content-Type", "application/text"); len(r.list("Account")) != 1 {
		t.Errorf("posted: %s", r.raw)
	}
}

func TestQueriesRefused(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	for statement, code := range map[string]string{
		"":                        "4000",
		"select":                  "4000",
		"select Name from Vendor": "4000",
		"select * from Vendor where DisplayName = 'a' OR DisplayName = 'b'":     "4000",
		"select * from Vendor where (DisplayName = 'a')":                        "4000",
		"select * from Vendor where DisplayName = 'O'Neill'":                    "4000",
		"select * from Vendor where DisplayName = 'open":                        "4000",
		`select * from Vendor where DisplayName = 'open\`:                       "4000",
		"select * from Vendor where DisplayName = bare":                         "4000",
		"select * from Vendor where DisplayName IN ()":                          "4000",
		"select * from Vendor where DisplayName != 'a'":                         "4000",
		"select * from Vendor, Account":                                         "4000",
		"select * from Vendor maxresults 0":                                     "4000",
		"select * from Vendor maxresults 10 startposition 1":                    "4000",
		"select * from Vendor where":                                            "4000",
		"select%20*%20from%20Vendor":                                            "4000",
		"select * from Vendor maxresults 1001":                                  "4001",
		"select * from Nothing":                                                 "4001",
		"select * from Vendor where Iban = 'x'":                                 "4001",
		"select * from Vendor orderby Iban":                                     "4001",
		"select * from Vendor where Active = 'maybe'":                           "4001",
		"select * from Bill where TxnDate = 'yesterday'":                        "4001",
		"select * from Bill where TotalAmt > '1e99999999'":                      "4001",
		"select * from Account where AccountType = 'OtherCurrentAsset'":         "10000",
		"select * from Account where AccountType IN ('Bank','CostofGoodsSold')": "10000",
		"select * from Account where AccountType = 'accounts payable'":          "10000",
	} {
		r := w.do(400, "GET", "query?query="+url.QueryEscape(statement), nil)
		if r.code() != code {
			t.Errorf("%s: %s, want %s", statement, r.raw, code)
		}
	}
}
