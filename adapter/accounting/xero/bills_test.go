package xero_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"docledger/adapter/accounting/xero"
	"docledger/adapter/sim/kit"
	sim "docledger/adapter/sim/xero"
	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/money"
	"docledger/domain/secret"
)

const (
	muster    = "c0de0000-0000-4000-80b1-000000000001"
	anAccount = "00000000-0000-4000-8000-000000000453"
	ours      = "01970000-0000-7000-8000-0123456789ab"
)

// plainBill returns a bill of one line without tax.
func plainBill() accounting.Bill {
	return accounting.Bill{
		Kind: accounting.PurchaseBill, Contact: muster, Number: "R-1", Reference: ours, Link: "https://docledger.example/i/1",
		Date: calendar.Date{Year: 2026, Month: 11, Day: 3}, Currency: "EUR", Stage: accounting.StageDraft, Tax: accounting.NoTax,
		Lines: []accounting.BillLine{{Description: "Paper", Amount: money.MustParse("12.00"), Account: anAccount}},
		Total: money.MustParse("12.00"),
	}
}

// taxed returns a fixture with an account and access to it.
func taxed(t testing.TB) (*xero.Connector, *fixture, integration.Access, string) {
	t.Helper()
	c, w := open(t, nil)
	a := w.entered(c)
	return c, w, a, w.AddAccount(a.Tenant, "Costs", "EXPENSE", false)
}

// TestCreateBillRequest checks the request body that the ledger receives.
func TestCreateBillRequest(t *testing.T) {
	t.Parallel()
	c, w, a, account := taxed(t)
	b := plainBill()
	price, quantity := money.MustParse("0.1234"), money.MustParse("3")
	b.Tax, b.Memo, b.Number = accounting.TaxExclusive, "Note", " R\t1 "
	b.Lines = []accounting.BillLine{
		{Description: "Fine", Quantity: &quantity, UnitPrice: &price, Amount: money.MustParse("0.37"), Account: account, TaxRate: "INPUT2", TaxAmount: money.MustParse("0.08")},
		{Description: " \x00 ", Quantity: &quantity, UnitPrice: &price, Amount: money.MustParse("0.38"), Account: account},
	}
	if _, err := c.CreateBill(context.Background(), a, b, "key-1"); err != nil {
		t.Fatal(err)
	}
	requests := w.sim.Kit.Requests()
	sent := requests[len(requests)-1]
	for name, want := range map[string]string{
		"Accept": "application/json", "Idempotency-Key": "key-1", "Xero-Tenant-Id": a.Tenant, "Content-Type": "application/json",
		"User-Agent": "docledger",
	} {
		if sent.Header[name] != want {
			t.Errorf("%s is %q, want %q", name, sent.Header[name], want)
		}
	}
	var body struct {
		Invoices []map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(sent.Body), &body); err != nil || len(body.Invoices) != 1 {
		t.Fatalf("%v: %s", err, sent.Body)
	}
	for name, want := range map[string]string{
		"Type": `"ACCPAY"`, "Contact": `{"ContactID":"` + muster + `"}`, "InvoiceNumber": `"R 1"`, "Date": `"2026-11-03"`,
		"Url": `"https://docledger.example/i/1#docledger-` + ours + `"`, "Status": `"DRAFT"`, "LineAmountTypes": `"Exclusive"`,
		"LineItems": `[{"Description":"Fine","Quantity":3,"UnitAmount":0.1234,"LineAmount":0.37,"AccountID":"` + account + `","TaxType":"INPUT2","TaxAmount":0.08},` +
			`{"Description":"-","Quantity":1,"UnitAmount":0.38,"LineAmount":0.38,"AccountID":"` + account + `","TaxType":"NONE","TaxAmount":0},{"Description":"Note"}]`,
	} {
		if got := string(body.Invoices[0][name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if _, there := body.Invoices[0]["DueDate"]; there {
		t.Error("a due date is sent although the bill has none")
	}
}

// TestStages checks that an approved bill has a due date and is posted.
func TestStages(t *testing.T) {
	t.Parallel()
	c, w, a, account := taxed(t)
	for stage, want := range map[accounting.Stage]string{
		accounting.StageDraft: "DRAFT", accounting.StageSubmitted: "SUBMITTED", accounting.StageAuthorised: "AUTHORISED",
	} {
		b := plainBill()
		b.Stage, b.Lines[0].Account, b.Number = stage, account, want
		booked, err := c.CreateBill(context.Background(), a, b, "key-"+strings.ToLower(want))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range w.sim.Documents(a.Tenant) {
			if d.ID == booked.ID && (d.Status != want || (d.DueDate == "2026-11-03") != (stage != accounting.StageDraft)) {
				t.Errorf("%s: the ledger holds %+v", stage, d)
			}
		}
	}
}

// TestReferences checks that docledger's reference is found in every place where it is written, and
// that ids of other applications are not treated as references.
func TestReferences(t *testing.T) {
	t.Parallel()
	c, w, a, account := taxed(t)
	for name, change := range map[string]func(*accounting.Bill){
		"a link":               func(*accounting.Bill) {},
		"no link":              func(b *accounting.Bill) { b.Link = "" },
		"a relative link":      func(b *accounting.Bill) { b.Link = "/invoices/1" },
		"a link with fragment": func(b *accounting.Bill) { b.Link += "#top" },
		"a credit note":        func(b *accounting.Bill) { b.Kind = accounting.SupplierCredit },
	} {
		b := plainBill()
		b.Lines[0].Account, b.Number = account, name
		change(&b)
		booked, err := c.CreateBill(context.Background(), a, b, "key-"+strings.ReplaceAll(name, " ", "-"))
		if err != nil || booked.Reference != ours {
			t.Errorf("%s: %+v, %v", name, booked, err)
		}
		read, err := c.Read(context.Background(), a, b.Kind, booked.ID)
		if err != nil || read.Reference != ours {
			t.Errorf("%s: read %+v, %v", name, read, err)
		}
	}
	typed := w.TypeBill(a.Tenant, accounting.PurchaseBill, muster, "typed", money.MustParse("1"))
	if read, err := c.Read(context.Background(), a, accounting.PurchaseBill, typed); err != nil || read.Reference != "" {
		t.Errorf("a bill typed by hand: %+v, %v", read, err)
	}
}

// TestCreditNoteAllocation checks that an approved credit note is allocated to the
// approved bills that it corrects, and that it exists even if the allocation fails.
func TestCreditNoteAllocation(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		stage   accounting.Stage // of both bills
		broken  string           // the call that fails
		settled string           // allocated of the credit note of 15.00, against two bills of 12.00
	}{
		"approved":             {accounting.StageAuthorised, "", "15.00"},
		"drafts":               {accounting.StageDraft, "", "0.00"},
		"the bill is unread":   {accounting.StageAuthorised, "GET /api.xro/2.0/Invoices/*", "0.00"},
		"the first is refused": {accounting.StageAuthorised, "PUT /api.xro/2.0/CreditNotes/*/Allocations", "0.00"},
	} {
		c, w, a, account := taxed(t)
		note := plainBill()
		note.Kind, note.Stage, note.Number, note.Lines[0].Amount = accounting.SupplierCredit, accounting.StageAuthorised, "C-1", money.MustParse("15.00")
		note.Lines[0].Account = account
		for n := range 2 {
			b := plainBill()
			b.Stage, b.Lines[0].Account, b.Number = tc.stage, account, fmt.Sprint("R-", n)
			booked, err := c.CreateBill(context.Background(), a, b, fmt.Sprint("bill-", n))
			if err != nil {
				t.Fatal(err)
			}
			note.Corrects = append(note.Corrects, accounting.Corrected{ID: booked.ID, Number: b.Number}, accounting.Corrected{Number: "unknown"})
		}
		if tc.broken != "" {
			w.must(w.sim.Kit.Inject(kit.Fault{Match: tc.broken, Times: 9, Action: "status:503"}))
		}
		for range 2 {
			if booked, err := c.CreateBill(context.Background(), a, note, "note"); err != nil || !booked.Total.Equal(money.MustParse("15")) {
				t.Errorf("%s: %+v, %v", name, booked, err)
			}
		}
		held := w.sim.Documents(a.Tenant)
		if last := held[len(held)-1]; len(held) != 3 || last.Settled != tc.settled {
			t.Errorf("%s: %d documents, settled %s, want %s", name, len(held), last.Settled, tc.settled)
		}
	}
}

func TestLongTexts(t *testing.T) {
	t.Parallel()
	c, w, a, account := taxed(t)
	b := plainBill()
	b.Number = strings.Repeat("9", 300)
	b.Lines[0].Account, b.Lines[0].Description, b.Memo = account, strings.Repeat("ä", 5000), strings.Repeat("m", 5000)
	booked, err := c.CreateBill(context.Background(), a, b, "key")
	if err != nil || !accounting.IsShortName(booked.Number, b.Number) {
		t.Fatalf("%+v, %v", booked, err)
	}
	if held := w.sim.Documents(a.Tenant)[0]; !strings.Contains(held.Lines[1].Description, b.Number) {
		t.Errorf("the whole number is lost: %+v", held)
	}
	found, err := c.Find(context.Background(), a, accounting.BillQuery{Kind: b.Kind, Contact: b.Contact, Number: b.Number, Reference: ours})
	if err != nil || len(found) != 1 {
		t.Errorf("found %+v, %v", found, err)
	}
}

// TestRefusalContainsProviderMessage checks that a refusal contains the ledger's message, and that its error text
// does not.
func TestRefusalContainsProviderMessage(t *testing.T) {
	t.Parallel()
	c, _, a, account := taxed(t)
	for name, tc := range map[string]struct {
		change func(*accounting.Bill)
		code   accounting.Code
		says   string
	}{
		"negative":      {func(b *accounting.Bill) { b.Lines[0].Amount = money.MustParse("-1") }, accounting.CodeRefused, "negative"},
		"no id":         {func(b *accounting.Bill) { b.Contact = "../x" }, accounting.CodeContactUnusable, ""},
		"no account id": {func(b *accounting.Bill) { b.Lines[0].Account = "453" }, accounting.CodeAccountUnusable, ""},
		"archived":      {func(b *accounting.Bill) { b.Contact = "c0de0000-0000-4000-80b1-000000000005" }, accounting.CodeContactUnusable, "archived"},
		"currency":      {func(b *accounting.Bill) { b.Currency = "SEK" }, accounting.CodeCurrency, "SEK"},
	} {
		b := plainBill()
		b.Lines[0].Account = account
		tc.change(&b)
		_, err := c.CreateBill(context.Background(), a, b, "key-"+strings.ReplaceAll(name, " ", "-"))
		r, ok := accounting.RefusalOf(err)
		if !ok || r.Code != tc.code || !strings.Contains(r.Message(), tc.says) || tc.says != "" && strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTaxFree(t *testing.T) {
	t.Parallel()
	c, w := open(t, nil)
	a := w.entered(c)
	a.Tenant = sim.UntaxedOrganization
	r, err := c.Rules(context.Background(), a)
	if err != nil || r.HasTax || r.BaseCurrency != "GBP" || fmt.Sprint(r.Currencies) != "[GBP]" {
		t.Errorf("rules %+v, %v", r, err)
	}
	b := plainBill()
	b.Currency, b.Tax, b.Contact = "GBP", accounting.TaxInclusive, "c0de0000-0000-4000-80b2-000000000001"
	b.Lines[0].Account = w.AddAccount(a.Tenant, "Costs", "EXPENSE", false)
	booked, err := c.CreateBill(context.Background(), a, b, "key")
	if err != nil || !booked.Total.Equal(b.Total) || !booked.TaxTotal.IsZero() {
		t.Errorf("%+v, %v", booked, err)
	}
}

func TestTenantsAreTakenOff(t *testing.T) {
	t.Parallel()
	c, w := open(t, nil)
	a := w.entered(c)
	for range 2 {
		if err := c.DisconnectTenant(context.Background(), a); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Accounts(context.Background(), a, nil); !errors.Is(err, integration.ErrTenantGone) {
		t.Errorf("disconnected: %v", err)
	}
	a.Tenant = sim.UntaxedOrganization
	if list, err := c.Accounts(context.Background(), a, nil); err != nil || len(list) == 0 {
		t.Errorf("the other tenant: %v", err)
	}
	if !c.RevokesAccount() {
		t.Error("a revocation ends every connection of the account")
	}
	w.Break("organizations", "status:503", 1)
	if err := c.DisconnectTenant(context.Background(), a); fault.CodeOf(err) != fault.CodeProviderUnavailable {
		t.Errorf("without a response: %v", err)
	}
}

// TestWrongClient checks that a wrong client secret is reported as the operator's fault, and that
// the secret appears nowhere.
func TestWrongClient(t *testing.T) {
	t.Parallel()
	const wrong = "canary-wrong-secret"
	c, _ := open(t, func(o *xero.Options) { o.ClientSecret = secret.New(wrong) })
	_, err := c.Refresh(context.Background(), secret.New("canary-refresh"))
	f, ok := fault.As(err)
	if !ok || f.Code != fault.CodeProviderSetup || errors.Is(err, integration.ErrReconnect) || !strings.Contains(f.Message, "operator") {
		t.Errorf("%v", err)
	}
	if _, err := c.Exchange(context.Background(), integration.Callback{Code: "x", RedirectURI: "http://localhost/"}); fault.CodeOf(err) != fault.CodeProviderSetup {
		t.Errorf("%v", err)
	}
	if strings.Contains(err.Error(), "canary") {
		t.Errorf("the error shows a secret: %v", err)
	}
}

func TestAttachmentNames(t *testing.T) {
	t.Parallel()
	c, _ := open(t, nil)
	for name, want := range map[string]string{
		"Rechnung.pdf": "Rechnung.pdf", `a<b>:"/\|?*+.pdf`: "a_b_________.pdf", "..": "document", "": "document", " x.pdf ": "x.pdf",
		"a\x00b\n.pdf": "a_b_.pdf", "Ünïcödé №.pdf": "Ünïcödé №.pdf", "\xff.pdf": "_.pdf",
		strings.Repeat("l", 300) + ".pdf":       strings.Repeat("l", 96) + ".pdf",
		"n." + strings.Repeat("l", 300):         "n." + strings.Repeat("l", 98),
		"../../etc/passwd":                      ".._.._etc_passwd",
		http.StatusText(http.StatusOK) + ".PDF": "OK.PDF",
	} {
		if got := c.AttachmentName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

// TestSalesInvoicesAreNoBills checks that an invoice to a customer who is also a supplier is not
// treated as the supplier's bill.
func TestSalesInvoicesAreNoBills(t *testing.T) {
	t.Parallel()
	c, w, a, _ := taxed(t)
	ctx := context.Background()
	id, err := w.sim.TypeDocument(a.Tenant, "ACCREC", muster, "R-1", "12.00")
	w.must(err)
	b := plainBill()
	found, err := c.Find(ctx, a, accounting.BillQuery{Kind: b.Kind, Contact: muster, Number: b.Number, Date: b.Date, Reference: ours})
	if err != nil || len(found) != 0 {
		t.Errorf("found %+v, %v", found, err)
	}
	if read, err := c.Read(ctx, a, accounting.PurchaseBill, id); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("read %+v, %v, want not_found", read, err)
	}
}

// TestSameBeginning checks that numbers and names with the same beginning stay different, and that a value
// that is too long does not prevent a contact.
func TestSameBeginning(t *testing.T) {
	t.Parallel()
	c, _, a, account := taxed(t)
	ctx := context.Background()
	ids, numbers := map[string]bool{}, map[string]bool{}
	for n, end := range []string{" North", " South"} {
		long := strings.Repeat("Long ", 52) + end
		made, err := c.CreateContact(ctx, a, accounting.NewContact{
			Name: long, TaxID: strings.Repeat("1", 51), Email: strings.Repeat("a", 250) + "@b.example",
			Address: accounting.ContactAddress{Line1: strings.Repeat("x", 501), City: strings.Repeat("y", 256), PostalCode: strings.Repeat("1", 51)},
		}, "contact-"+end[1:])
		if err != nil || !accounting.IsShortName(made.Name, long) {
			t.Fatalf("%s: %+v, %v", end, made, err)
		}
		b := plainBill()
		b.Lines[0].Account = account
		b.Number, b.Contact, b.Reference = long, made.ID, fmt.Sprintf("01970000-0000-7000-8000-0000000002%02d", n)
		bill, err := c.CreateBill(ctx, a, b, fmt.Sprintf("bill-%d", n))
		if err != nil {
			t.Fatal(err)
		}
		ids[made.ID], numbers[bill.Number] = true, true
	}
	if len(ids) != 2 || len(numbers) != 2 {
		t.Errorf("contacts %v, numbers %v", ids, numbers)
	}
}
