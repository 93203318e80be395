package quickbooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/accounting/quickbooks"
	sim "docledger/adapter/sim/quickbooks"
	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/money"
)

const (
	bessie = "51" // the first vendor of the generated data
	ours   = "01970000-0000-7000-8000-0123456789ab"
)

// plainBill returns a bill of one line without tax.
func plainBill() accounting.Bill {
	return accounting.Bill{
		Kind: accounting.PurchaseBill, Contact: bessie, Number: "R-1", Reference: ours, Link: "https://docledger.example/i/1",
		Date: calendar.Date{Year: 2026, Month: 11, Day: 3}, Currency: "GBP", Stage: accounting.StageDraft, Tax: accounting.NoTax,
		Lines: []accounting.BillLine{{Description: "Paper", Amount: money.MustParse("12.00"), Account: "45"}},
		Total: money.MustParse("12.00"),
	}
}

// vat returns a fixture with access to the company whose bills carry tax.
func vat(t testing.TB) (*quickbooks.Connector, *fixture, integration.Access) {
	t.Helper()
	c, w := open(t, nil)
	return c, w, w.entered(c, sim.VATCompany)
}

// TestCreateBillRequest checks the request body that the ledger receives.
func TestCreateBillRequest(t *testing.T) {
	t.Parallel()
	c, w, a := vat(t)
	b := plainBill()
	b.Tax, b.Memo, b.Number, b.AllowDuplicate = accounting.TaxInclusive, "Note", " R\t1 ", true
	b.Lines = []accounting.BillLine{
		{Description: "Fine", Amount: money.MustParse("0.37"), Account: "45", TaxRate: "2", TaxAmount: money.MustParse("0.06")},
		{Description: " \x00 ", Amount: money.MustParse("0.38"), Account: "45"},
	}
	if _, err := c.CreateBill(context.Background(), a, b, "key-1"); err != nil {
		t.Fatal(err)
	}
	requests := w.sim.Kit.Requests()
	sent := requests[len(requests)-1]
	for name, want := range map[string]string{"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "docledger"} {
		if sent.Header[name] != want {
			t.Errorf("%s is %q, want %q", name, sent.Header[name], want)
		}
	}
	if q := "include=allowduplicatedocnum&minorversion=75&requestid=key-1"; sent.Query != q {
		t.Errorf("query %q, want %q", sent.Query, q)
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal([]byte(sent.Body), &body); err != nil {
		t.Fatalf("%v: %s", err, sent.Body)
	}
	for name, want := range map[string]string{
		"VendorRef": `{"value":"51"}`, "DocNumber": `"R 1"`, "TxnDate": `"2026-11-03"`, "CurrencyRef": `{"value":"GBP"}`, "GlobalTaxCalculation": `"TaxExcluded"`,
		"PrivateNote": `"docledger ` + ours + `\nhttps://docledger.example/i/1\nNote"`,
		"Line": `[{"DetailType":"AccountBasedExpenseLineDetail","Amount":0.31,"Description":"Fine","AccountBasedExpenseLineDetail":{"AccountRef":{"value":"45"},"TaxCodeRef":{"value":"2"}}},` +
			`{"DetailType":"AccountBasedExpenseLineDetail","Amount":0.38,"AccountBasedExpenseLineDetail":{"AccountRef":{"value":"45"},"TaxCodeRef":{"value":"9"}}}]`,
	} {
		if got := string(body[name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if _, there := body["DueDate"]; there {
		t.Error("a due date is sent although the bill has none")
	}
}

// TestQueriesCarryOneType checks that each query for accounts has one type condition, in the
// spelling of the wire format.
func TestQueriesCarryOneType(t *testing.T) {
	t.Parallel()
	c, w, a := vat(t)
	before := len(w.sim.Kit.Requests())
	list, err := c.Accounts(context.Background(), a, accounting.ClassFilter{accounting.Asset, accounting.CreditCard})
	if err != nil {
		t.Fatal(err)
	}
	var conditions []string
	for _, r := range w.sim.Kit.Requests()[before:] {
		q, err := url.ParseQuery(r.Query)
		if err != nil {
			t.Fatal(err)
		}
		_, condition, _ := strings.Cut(q.Get("query"), "WHERE ")
		condition, _, _ = strings.Cut(condition, " AND Active")
		conditions = append(conditions, condition)
	}
	want := []string{"AccountType = 'Other Current Asset'", "AccountType = 'Fixed Asset'", "AccountType = 'Other Asset'", "AccountType = 'Credit Card'"}
	if !slices.Equal(conditions, want) {
		t.Errorf("asked %q, want %q", conditions, want)
	}
	classes := map[string]string{}
	for _, x := range list {
		classes[x.Type] = x.Class
	}
	if fmt.Sprint(classes) != "map[Credit Card:CreditCard Fixed Asset:FixedAsset Other Asset:OtherAsset Other Current Asset:OtherCurrentAsset]" {
		t.Errorf("classes %v", classes)
	}
}

func TestTaxCodes(t *testing.T) {
	t.Parallel()
	c, _, a := vat(t)
	list, err := c.TaxRates(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, x := range list {
		got[x.Name] = fmt.Sprintf("%s %t %s", x.Rate, x.Purchases, x.State)
	}
	for name, want := range map[string]string{
		"20.0% S": "20 true ACTIVE", "12.0% split": "12 true ACTIVE", "20.0% sales only": "20 false ACTIVE", "17.5% S": "17.5 true ARCHIVED",
		"No VAT": "0 true ACTIVE",
	} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
}

// TestWithoutTax creates a bill in a company whose bills carry no tax and that has one currency.
func TestWithoutTax(t *testing.T) {
	t.Parallel()
	c, w := open(t, nil)
	a := w.entered(c, sim.USCompany)
	r, err := c.Rules(context.Background(), a)
	if err != nil || r.HasTax || r.BaseCurrency != "USD" || fmt.Sprint(r.Currencies) != "[USD]" {
		t.Errorf("rules %+v, %v", r, err)
	}
	list, err := c.TaxRates(context.Background(), a)
	if err != nil || slices.ContainsFunc(list, func(x accounting.TaxRate) bool { return x.Purchases }) {
		t.Errorf("tax rates %+v, %v", list, err)
	}
	b := plainBill()
	b.Currency, b.Tax = "USD", accounting.TaxInclusive
	booked, err := c.CreateBill(context.Background(), a, b, "key")
	if err != nil || !booked.Total.Equal(b.Total) || !booked.TaxTotal.IsZero() {
		t.Errorf("%+v, %v", booked, err)
	}
	b.Currency = "EUR"
	_, err = c.CreateBill(context.Background(), a, b, "key-2")
	if r, ok := accounting.RefusalOf(err); !ok || r.Code != accounting.CodeCurrency {
		t.Errorf("another currency: %v", err)
	}
	contacts, err := c.Contacts(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range contacts {
		if strings.Contains(x.TaxID, "X") {
			t.Errorf("a masked tax id is treated as a tax id: %+v", x)
		}
	}
	made, err := c.CreateContact(context.Background(), a, accounting.NewContact{Name: "Masked: Ltd", TaxID: "12-3456789", Currency: "USD"}, "contact")
	if err != nil || made.TaxID != "12-3456789" || made.Name != "Masked- Ltd" {
		t.Errorf("%+v, %v", made, err)
	}
}

// TestRefusalNamesTheObject checks that a refusal names the object that cannot be used, and that its error
// text contains no names.
func TestRefusalNamesTheObject(t *testing.T) {
	t.Parallel()
	c, w, a := vat(t)
	typed := w.TypeBill(a.Tenant, accounting.PurchaseBill, bessie, "taken", money.MustParse("3"))
	accounts, err := c.Accounts(context.Background(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	unposted := accounts[slices.IndexFunc(accounts, func(x accounting.Account) bool { return x.Class == accounting.NonPosting })].ID
	for name, tc := range map[string]struct {
		change func(*accounting.Bill)
		code   accounting.Code
		says   string
	}{
		"negative":         {func(b *accounting.Bill) { b.Lines[0].Amount = money.MustParse("-1") }, accounting.CodeRefused, "0 or greater"},
		"no id":            {func(b *accounting.Bill) { b.Contact = "../x" }, accounting.CodeContactUnusable, ""},
		"no account id":    {func(b *accounting.Bill) { b.Lines[0].Account = "x" }, accounting.CodeAccountUnusable, ""},
		"inactive":         {func(b *accounting.Bill) { b.Contact = "54" }, accounting.CodeContactUnusable, "Closed Shop"},
		"other currency":   {func(b *accounting.Bill) { b.Currency = "EUR" }, accounting.CodeContactUnusable, "GBP only"},
		"currency":         {func(b *accounting.Bill) { b.Currency = "SEK" }, accounting.CodeCurrency, "SEK"},
		"no postings":      {func(b *accounting.Bill) { b.Lines[0].Account = unposted }, accounting.CodeAccountUnusable, "Estimates"},
		"rate of sales":    {func(b *accounting.Bill) { b.Lines[0].TaxRate = "7" }, accounting.CodeTaxRateUnusable, "sales only"},
		"former rate":      {func(b *accounting.Bill) { b.Lines[0].TaxRate = "8" }, accounting.CodeTaxRateUnusable, "17.5"},
		"number once more": {func(b *accounting.Bill) { b.Number = "taken" }, accounting.CodeAlreadyInLedger, "DocNumber=taken"},
	} {
		b := plainBill()
		tc.change(&b)
		_, err := c.CreateBill(context.Background(), a, b, "key-"+strings.ReplaceAll(name, " ", "-"))
		r, ok := accounting.RefusalOf(err)
		if !ok || r.Code != tc.code || !strings.Contains(r.Message(), tc.says) || tc.says != "" && strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if tc.code == accounting.CodeAlreadyInLedger && (r.Bill == nil || r.Bill.ID != typed) {
			t.Errorf("%s: names %+v", name, r.Bill)
		}
	}
}

// TestReferences checks that docledger's reference is found anywhere in the note, and that ids of
// other applications are not treated as references.
func TestReferences(t *testing.T) {
	t.Parallel()
	c, _, a := vat(t)
	other := "01970000-0000-7000-8000-ffffffffffff"
	for name, change := range map[string]func(*accounting.Bill){
		"plain":         func(*accounting.Bill) {},
		"no link":       func(b *accounting.Bill) { b.Link = "" },
		"a credit note": func(b *accounting.Bill) { b.Kind = accounting.SupplierCredit },
		"another's id":  func(b *accounting.Bill) { b.Memo = "docledger " + other },
		"a long memo":   func(b *accounting.Bill) { b.Memo = strings.Repeat("ä", 5000) },
	} {
		b := plainBill()
		b.Number = name
		change(&b)
		booked, err := c.CreateBill(context.Background(), a, b, "key-"+strings.Trim(strings.ReplaceAll(name, " ", "-"), "'"))
		if err != nil || booked.Reference != ours {
			t.Errorf("%s: %+v, %v", name, booked, err)
			continue
		}
		read, err := c.Read(context.Background(), a, b.Kind, booked.ID)
		if err != nil || read.Reference != ours {
			t.Errorf("%s: read %+v, %v", name, read, err)
		}
	}
}

func TestAttachmentNames(t *testing.T) {
	t.Parallel()
	c, _ := open(t, nil)
	for name, want := range map[string]string{
		"Rechnung.pdf": "Rechnung.pdf", `a<b>:"/\|?*+.pdf`: "a_b_________.pdf", "..": "document", "": "document", " x.pdf ": "x.pdf",
		"a\x00b\n.pdf": "a_b_.pdf", "Ünïcödé №.pdf": "Ünïcödé №.pdf", "\xff.pdf": "_.pdf", "../../etc/passwd": ".._.._etc_passwd",
		strings.Repeat("l", 300) + ".pdf": strings.Repeat("l", 96) + ".pdf",
	} {
		if got := c.AttachmentName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

// TestMissingObjects covers a contact in a currency that the ledger lacks, and a file for a
// bill that does not exist.
func TestMissingObjects(t *testing.T) {
	t.Parallel()
	c, _, a := vat(t)
	_, err := c.CreateContact(context.Background(), a, accounting.NewContact{Name: "Nova", Currency: "XTS"}, "contact")
	if r, ok := accounting.RefusalOf(err); !ok || r.Code != accounting.CodeCurrency {
		t.Errorf("contact: %v", err)
	}
	f := accounting.File{Filename: "a.pdf", MediaType: "application/pdf", SizeBytes: 5, Content: strings.NewReader("%PDF-")}
	if _, err := c.Attach(context.Background(), a, accounting.PurchaseBill, "99999", f); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("attach: %v", err)
	}
}

// TestLongNumbers checks that numbers of more than 21 characters are compared as a whole, whichever
// part of them is equal.
func TestLongNumbers(t *testing.T) {
	t.Parallel()
	c, w, a := vat(t)
	ctx := context.Background()
	numbers := []string{
		"INVOICE/2026/11/000000000001", "INVOICE/2026/11/000000000002", "INVOICE/2025/11/000000000001", "/2026/11/000000000001", "INVOICE/2026/11/00000",
	}
	ids := map[string]string{}
	for n, number := range numbers {
		b := plainBill()
		b.Number, b.Reference = number, fmt.Sprintf("01970000-0000-7000-8000-0000000000%02d", n)
		made, err := c.CreateBill(ctx, a, b, fmt.Sprintf("key-%d", n))
		if n == 3 { // the whole number of this one is the end of another
			if _, refused := accounting.RefusalOf(err); !refused {
				t.Errorf("%s: %v, want the refusal of the ledger", number, err)
			}
			b.AllowDuplicate = true
			made, err = c.CreateBill(ctx, a, b, "key-again")
		}
		if err != nil || made.Number != number {
			t.Fatalf("%s: %+v, %v", number, made, err)
		}
		ids[number] = made.ID
	}
	for _, number := range numbers {
		found, err := c.Find(ctx, a, accounting.BillQuery{Kind: accounting.PurchaseBill, Contact: bessie, Number: number})
		if err != nil || len(found) != 1 || found[0].ID != ids[number] || found[0].Number != number {
			t.Errorf("%s: found %+v, %v", number, found, err)
		}
	}
	// A bill that an earlier release created holds the beginning of the number.
	w.must(w.sim.Renumber(sim.VATCompany, "Bill", ids[numbers[0]], numbers[0][:21]))
	found, err := c.Find(ctx, a, accounting.BillQuery{Kind: accounting.PurchaseBill, Contact: bessie, Number: numbers[0]})
	if err != nil || len(found) != 1 || found[0].ID != ids[numbers[0]] {
		t.Errorf("the beginning of the number: found %+v, %v", found, err)
	}
	// A bill that a person entered has only a part of the number.
	typed := w.TypeBill(sim.VATCompany, accounting.PurchaseBill, bessie, numbers[1][7:], money.MustParse("1"))
	found, err = c.Find(ctx, a, accounting.BillQuery{Kind: accounting.PurchaseBill, Contact: bessie, Number: numbers[1]})
	if err != nil || len(found) != 2 || found[1].ID != typed {
		t.Errorf("entered by a person: found %+v, %v", found, err)
	}
}

// TestForgedNumber checks that no text of an invoice is read as its whole number.
func TestForgedNumber(t *testing.T) {
	t.Parallel()
	c, _, a := vat(t)
	ctx := context.Background()
	const forged = "INVOICE/2026/11/000000000001"
	b := plainBill()
	b.Number, b.Link = forged[7:], ""
	b.Memo = "Purchase order 1\nNumber: " + forged + "\u2028 Number: " + forged
	b.Corrects = []accounting.Corrected{{Number: "1\n Number: " + forged}}
	made, err := c.CreateBill(ctx, a, b, "key-1")
	if err != nil || made.Number != b.Number {
		t.Fatalf("made %+v, %v", made, err)
	}
	found, err := c.Find(ctx, a, accounting.BillQuery{Kind: accounting.PurchaseBill, Contact: bessie, Number: forged})
	if err != nil || len(found) != 0 {
		t.Errorf("found %+v, %v", found, err)
	}
}

// TestSameTailKey checks that the second call of a bill has a key that no other bill has.
func TestSameTailKey(t *testing.T) {
	t.Parallel()
	c, _, a := vat(t)
	ctx := context.Background()
	for n, number := range []string{"INVOICE/2026/11/000000000001", "INVOICE/2025/11/000000000001", "R-17"} {
		b := plainBill()
		b.Number, b.Reference = number, fmt.Sprintf("01970000-0000-7000-8000-0000000001%02d", n)
		made, err := c.CreateBill(ctx, a, b, []string{"key-1", "key-2", "key-2t"}[n])
		if err != nil || made.Number != number {
			t.Errorf("%s: %+v, %v", number, made, err)
		}
	}
}

// TestLongNames checks that vendors with the same first 100 characters are different vendors.
func TestLongNames(t *testing.T) {
	t.Parallel()
	c, _, a := vat(t)
	ctx := context.Background()
	ids := map[string]bool{}
	for _, end := range []string{" North", " South"} {
		name := strings.Repeat("Long Name ", 10) + end
		made, err := c.CreateContact(ctx, a, accounting.NewContact{
			Name: name, Address: accounting.ContactAddress{Line1: strings.Repeat("x", 501), PostalCode: strings.Repeat("1", 31), City: "a\nb"},
		}, "contact"+end[1:])
		if err != nil || !accounting.IsShortName(made.Name, name) {
			t.Fatalf("%s: %+v, %v", end, made, err)
		}
		ids[made.ID] = true
	}
	if len(ids) != 2 {
		t.Errorf("vendors %v", ids)
	}
}
