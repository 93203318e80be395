package quickbooks

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// documentFields are the writable fields of a bill or a vendor credit.
var documentFields = []string{
	"VendorRef", "Line", "TxnDate", "DueDate", "DocNumber", "CurrencyRef", "ExchangeRate", "GlobalTaxCalculation", "PrivateNote",
	"APAccountRef", "SalesTermRef", "DepartmentRef", "TxnTaxDetail", "sparse", "domain",
}

const (
	longestNumber = 21
	longestNote   = 4000
	excluded      = "TaxExcluded"
	inclusive     = "TaxInclusive"
	notApplicable = "NotApplicable"
)

// writeDocument creates or deletes a bill or a vendor credit.
func (s *Server) writeDocument(kind string) operation {
	return func(c *call) answer {
		in, f := input(c.body)
		if f != nil {
			return s.refused(f)
		}
		switch operation := c.URL.Query().Get("operation"); {
		case operation == "delete":
			return s.deleteDocument(c.book, kind, in)
		case operation != "" || in["Id"] != nil:
			return s.refused(unsupported("update of " + kind))
		}
		r, f := c.book.create(kind, in, c.URL.Query().Get("include") == "allowduplicatedocnum", s.Kit.Clock.Now())
		if f != nil {
			return s.refused(f)
		}
		return s.found(object{kind: r.shown()})
	}
}

func (s *Server) deleteDocument(b *book, kind string, in object) answer {
	id := str(in["Id"])
	r := b.tables[kind].byID[id]
	switch {
	case id == "":
		return s.refused(missingParameter("Id"))
	case r == nil:
		return s.refused(notFound())
	case str(in["SyncToken"]) != r.shown()["SyncToken"]:
		return s.refused(&fault{code: "5010", message: "Stale Object Error", detail: "Stale Object Error : You and someone else were working on this at the same time."})
	}
	b.remove(kind, id)
	return s.found(object{kind: object{"status": "Deleted", "domain": "QBO", "Id": id}})
}

// remove deletes a document. Its attachments remain.
func (b *book) remove(kind, id string) bool {
	t := b.tables[kind]
	r := t.byID[id]
	if r == nil {
		return false
	}
	delete(t.byID, id)
	t.rows = slices.DeleteFunc(t.rows, func(x *row) bool { return x == r })
	return true
}

// create creates a document from a request.
func (b *book) create(kind string, in object, duplicates bool, now time.Time) (*row, *fault) {
	fields := object{"TxnDate": now.Format("2006-01-02")}
	for name, value := range in {
		if !slices.Contains(documentFields, name) {
			return nil, badProperty(name)
		}
		if name != "sparse" && name != "domain" && name != "TxnTaxDetail" && value != nil {
			fields[name] = value
		}
	}
	for _, check := range []func(string, object) *fault{b.checkVendorRef, b.checkDates, b.checkTexts} {
		if f := check(kind, fields); f != nil {
			return nil, f
		}
	}
	if n := str(fields["DocNumber"]); n != "" && !duplicates {
		if f := b.checkNumber(kind, n, str(fields["VendorRef"])); f != nil {
			return nil, f
		}
	}
	if f := b.checkLines(fields); f != nil {
		return nil, f
	}
	b.settle(kind, fields)
	if fields["TotalAmt"].(json.Number)[0] == '-' {
		return nil, business("Transaction amount must be 0 or greater.")
	}
	r := b.add(kind, "", fields, now)
	b.made = append(b.made, made{kind, r})
	return r, nil
}

func (b *book) checkVendorRef(_ string, in object) *fault {
	id := str(in["VendorRef"])
	vendor := b.tables["Vendor"].byID[id]
	switch {
	case id == "":
		return missingParameter("VendorRef")
	case vendor == nil:
		return badReference("Vendors", id)
	case vendor.fields["Active"] == false:
		return notFound()
	}
	in["VendorRef"] = object{"value": id, "name": vendor.fields["DisplayName"]}
	own := str(vendor.fields["CurrencyRef"])
	code := str(in["CurrencyRef"])
	if code == "" {
		if b.company.MultiCurrency && own != b.company.HomeCurrency {
			return missingParameter("CurrencyRef")
		}
		code = own
	}
	if !b.takes(code) {
		return b.badCurrency(code)
	}
	if code != own {
		return business("The currency of the transaction is invalid for the vendor")
	}
	in["CurrencyRef"] = b.currency(code)
	return nil
}

func (b *book) checkDates(kind string, in object) *fault {
	for _, name := range []string{"TxnDate", "DueDate"} {
		if in[name] == nil {
			continue
		}
		if _, err := time.Parse("2006-01-02", str(in[name])); err != nil {
			return &fault{"2090", "Invalid Date", "Invalid Date : " + name, name}
		}
	}
	if kind == "VendorCredit" && in["DueDate"] != nil {
		return badProperty("DueDate")
	}
	if kind == "Bill" && in["DueDate"] == nil {
		in["DueDate"] = in["TxnDate"]
	}
	on, _ := day(str(in["TxnDate"]))
	if !b.company.ClosedUntil.IsZero() && !on.After(b.company.ClosedUntil) {
		return &fault{code: "6210", message: "Account Period Closed, Cannot Update Through Services",
			detail: "Account Period Closed, Cannot Update Through Services : The account period has closed and the account books cannot be updated through through the QBO Services API."}
	}
	return nil
}

func (b *book) checkTexts(_ string, in object) *fault {
	for name, most := range map[string]int{"DocNumber": longestNumber, "PrivateNote": longestNote} {
		if utf8.RuneCountInString(str(in[name])) > most {
			return tooLong(name, most)
		}
	}
	if how := str(in["GlobalTaxCalculation"]); how != "" && !slices.Contains([]string{excluded, inclusive, notApplicable}, how) {
		return badProperty("GlobalTaxCalculation")
	}
	return nil
}

func (b *book) checkNumber(kind, number, vendor string) *fault {
	for _, r := range b.tables[kind].rows {
		if strings.EqualFold(str(r.fields["DocNumber"]), number) && str(r.fields["VendorRef"]) == vendor {
			return &fault{code: "6140", message: "Duplicate Document Number Error",
				detail: "Duplicate Document Number Error : You must specify a different number. This number has already been used. DocNumber=" +
					number + " is assigned to TxnType=" + kind + " with TxnId=" + r.key()}
		}
	}
	return nil
}

// checkLines validates the lines against the chart and the tax codes, and numbers them.
func (b *book) checkLines(in object) *fault {
	lines, _ := in["Line"].([]any)
	if len(lines) == 0 {
		return missingParameter("Line")
	}
	for n, one := range lines {
		line, _ := one.(object)
		detail, _ := line["AccountBasedExpenseLineDetail"].(object)
		value, isNumber := line["Amount"].(json.Number)
		switch {
		case str(line["DetailType"]) != "AccountBasedExpenseLineDetail" || detail == nil:
			return badProperty("DetailType")
		case !isNumber:
			return missingParameter("Line.Amount")
		case utf8.RuneCountInString(str(line["Description"])) > longestNote:
			return tooLong("Line.Description", longestNote)
		}
		if _, ok := plainNumber(value.String()); !ok {
			return badProperty("Line.Amount")
		}
		if f := b.checkAccount(detail); f != nil {
			return f
		}
		if f := b.checkTax(in, detail); f != nil {
			return f
		}
		line["Id"], line["LineNum"] = strconv.Itoa(n+1), n+1
	}
	return nil
}

func (b *book) checkAccount(detail object) *fault {
	id := str(detail["AccountRef"])
	account := b.tables["Account"].byID[id]
	switch {
	case id == "":
		return missingParameter("AccountRef")
	case account == nil:
		return badReference("Accounts", id)
	case account.fields["Active"] == false:
		return notFound()
	case account.fields["AccountType"] == nonPosting:
		return business("The account %s does not take postings", account.fields["Name"])
	}
	detail["AccountRef"] = object{"value": id, "name": account.fields["Name"]}
	if detail["BillableStatus"] == nil {
		detail["BillableStatus"] = "NotBillable"
	}
	return nil
}

// taxed reports whether bills of the company have tax.
func (b *book) taxed() bool { return b.company.UsesTax && b.company.Country != "US" }

func (b *book) checkTax(in, detail object) *fault {
	if !b.taxed() {
		delete(in, "GlobalTaxCalculation")
		detail["TaxCodeRef"] = object{"value": "NON"}
		return nil
	}
	id := str(detail["TaxCodeRef"])
	code := b.tables["TaxCode"].byID[id]
	switch {
	case str(in["GlobalTaxCalculation"]) == notApplicable:
		if id != "" {
			return business("Tax codes cannot be used where tax is not applicable")
		}
	case id == "":
		return business("Make sure all your transactions have a GST/HST rate before you save.")
	case code == nil:
		return badReference("TaxCode", id)
	case code.fields["Active"] == false:
		return notFound()
	case code.fields["Taxable"] == true && len(ratesOf(code)) == 0:
		return business("The tax code %s cannot be used for purchases", code.fields["Name"])
	}
	return nil
}

// ratesOf returns the references to the purchase rates of a tax code.
func ratesOf(code *row) []any {
	list, _ := code.fields["PurchaseTaxRateList"].(object)
	details, _ := list["TaxRateDetail"].([]any)
	return details
}
