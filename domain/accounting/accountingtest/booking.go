package accountingtest

import (
	"context"
	"testing"

	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/integration"
	"docledger/domain/money"
)

// Bookkeeper is a connector that creates bills.
type Bookkeeper struct {
	Connector
	Booker         accounting.BillCreator
	ContactCreator accounting.ContactCreator
	Attacher       accounting.Attacher
}

// BookkeeperOf finds the capabilities of a connector that creates bills. The test fails if one is
// missing.
func BookkeeperOf(t testing.TB, p integration.Descriptor, connector any) Bookkeeper {
	t.Helper()
	b := Bookkeeper{Connector: Of(t, p, connector)}
	var ok [3]bool
	b.Booker, ok[0] = connector.(accounting.BillCreator)
	b.ContactCreator, ok[1] = connector.(accounting.ContactCreator)
	b.Attacher, ok[2] = connector.(accounting.Attacher)
	if ok != [3]bool{true, true, true} {
		t.Fatalf("%T lacks capabilities: %v", connector, ok)
	}
	return b
}

// The calls of BillCreator. CallFind may be several requests.
const (
	CallRules         Call = "rules"
	CallBook          Call = "book"
	CallFind          Call = "find bills"
	CallReadBill      Call = "read bill"
	CallCreateContact Call = "create contact"
	CallAttach        Call = "attach"
	CallAttachments   Call = "attachments"
)

// LedgerBill is a bill or a credit note in the ledger.
type LedgerBill struct {
	ID       string
	Kind     accounting.BillKind
	Contact  string
	Number   string
	Currency string
	Date     calendar.Date
	DueDate  calendar.Date
	Total    money.Decimal
	TaxTotal money.Decimal
	Lines    []LedgerLine // those with an amount
	Text     string       // all readable text: notes, links, descriptions
	Removed  bool
	Files    []string // names of the attachments
}

// LedgerLine is a line of a LedgerBill.
type LedgerLine struct {
	Account string // an id of AccountReader
	Amount  money.Decimal
	TaxRate string // an id of TaxRateReader; "" for no tax in any form of the ledger
}

// BookingWorld is a ledger seen from its own side. The first tenant's bills have tax, its chart
// has accounts of class Expense, and no period is closed.
type BookingWorld interface {
	World
	// Bills returns a tenant's bills in the order of their creation.
	Bills(tenant string) []LedgerBill
	// TypeBill enters a bill in the base currency as a user of the ledger would, dated today.
	TypeBill(tenant string, kind accounting.BillKind, contact, number string, total money.Decimal) (id string)
	// RemoveBill deletes or voids a bill as a user would.
	RemoveBill(tenant, id string)
	// Renumber changes the number of a bill as a user would.
	Renumber(tenant, id, number string)
	ClosePeriod(tenant string, until calendar.Date)
	// AddTaxRate adds a tax rate for lines of bills.
	AddTaxRate(tenant, name string, percent money.Decimal) (id string)
	// AddContact adds a supplier. Tests do not use its id.
	AddContact(tenant string, c accounting.Contact) (id string)
	// ForgetKeys removes the ledger's idempotency keys, as their expiry does.
	ForgetKeys()
}

// till is the state of a test of BillCreator.
type till struct {
	Bookkeeper
	BookingWorld
	tenant   string
	a        integration.Access
	currency string
	account  string
	contact  string
	rate     string // of 20 %
}

// RunBooking runs the contract of BillCreator. open returns a new ledger for each test.
func RunBooking(t *testing.T, open func(t testing.TB) (Bookkeeper, BookingWorld)) {
	for name, test := range map[string]func(*testing.T, *till){
		"rules":                     testRules,
		"book":                      testBook,
		"book with one key":         testBookOnce,
		"book after lost answers":   testBookLost,
		"book surely not":           testBookSurelyNot,
		"book at amounts":           testBookAmounts,
		"book at stated tax":        testBookStatedTax,
		"book in a currency":        testBookCurrency,
		"book many lines":           testBookManyLines,
		"book hostile text":         testBookHostileText,
		"book refused":              testBookRefused,
		"book in a closed period":   testBookClosed,
		"credit note":               testCreditNote,
		"find":                      testFind,
		"history":                   testHistory,
		"find after people":         testFindAfterPeople,
		"find a long number":        testFindLongNumber,
		"number twice":              testNumberTwice,
		"read":                      testRead,
		"contact created":           testContactCreated,
		"contact after lost answer": testContactLost,
		"contact name taken":        testContactTaken,
		"attach":                    testAttach,
		"attach after lost answer":  testAttachLost,
		"attach refused":            testAttachRefused,
		"booking outages":           testBookingOutages,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, w := open(t)
			test(t, newTill(t, b, w))
		})
	}
}

func newTill(t testing.TB, b Bookkeeper, w BookingWorld) *till {
	t.Helper()
	ctx := context.Background()
	x := &till{Bookkeeper: b, BookingWorld: w, tenant: w.Tenants()[0]}
	x.a = bundle{b.Connector, w}.enter(t, x.tenant)
	x.currency = must[accounting.Rules](t)(b.Booker.Rules(ctx, x.a)).BaseCurrency
	for _, acc := range must[[]accounting.Account](t)(b.Accounts.Accounts(ctx, x.a, accounting.ClassFilter{accounting.Expense})) {
		if x.account == "" && acc.RequireBookable("") == nil {
			x.account = acc.ID
		}
	}
	if x.account == "" {
		t.Fatal("the chart has no expense account")
	}
	x.contact = w.AddContact(x.tenant, accounting.Contact{Name: "Alpha Supplies", TaxID: "DE136695976", Email: "a@example.com"})
	x.rate = w.AddTaxRate(x.tenant, "Twenty", dec("20"))
	return x
}

func dec(s string) money.Decimal { return money.MustParse(s) }

var (
	issued = calendar.Date{Year: 2026, Month: 11, Day: 3}
	due    = calendar.Date{Year: 2026, Month: 12, Day: 3}
)

// bill is a bill of 100.00 and 20.00 tax; its reference is derived from number.
func (x *till) bill(number string) accounting.Bill {
	quantity, price := dec("4"), dec("25")
	return accounting.Bill{
		Kind: accounting.PurchaseBill, Contact: x.contact, Number: number, Reference: reference(number),
		Link: "https://docledger.example/invoices/" + reference(number), Date: issued, DueDate: due, Currency: x.currency,
		Stage: accounting.StageDraft, Tax: accounting.TaxExclusive,
		Lines: []accounting.BillLine{{
			Description: "Paper", Quantity: &quantity, UnitPrice: &price, Amount: dec("100.00"),
			Account: x.account, TaxRate: x.rate, TaxAmount: dec("20.00"),
		}},
		Taxes: []accounting.BillTax{{TaxRate: x.rate, Base: dec("100.00"), Amount: dec("20.00")}},
		Total: dec("120.00"),
	}
}

// reference derives an invoice's id from a short text.
func reference(of string) string {
	const zero = "01970000-0000-7000-8000-000000000000"
	h := uint64(14695981039346656037)
	for _, c := range []byte(of) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	digits := []byte(zero)
	for i := range 12 {
		digits[len(digits)-1-i] = "0123456789abcdef"[h>>(4*i)&15]
	}
	return string(digits)
}

func (x *till) wanted(b accounting.Bill) accounting.BillQuery {
	return accounting.BillQuery{Kind: b.Kind, Contact: b.Contact, Number: b.Number, Date: b.Date, Reference: b.Reference}
}

func (x *till) book(t testing.TB, b accounting.Bill) accounting.LedgerBill {
	t.Helper()
	return must[accounting.LedgerBill](t)(x.Booker.CreateBill(context.Background(), x.a, b, "key-"+b.Reference[24:]))
}

func (x *till) find(t testing.TB, b accounting.Bill) []accounting.LedgerBill {
	t.Helper()
	return must[[]accounting.LedgerBill](t)(x.Booker.Find(context.Background(), x.a, x.wanted(b)))
}

// one returns the only bill of the ledger.
func (x *till) one(t testing.TB) LedgerBill {
	t.Helper()
	bills := x.Bills(x.tenant)
	if len(bills) != 1 {
		t.Fatalf("the ledger holds %d bills, want one: %+v", len(bills), bills)
	}
	return bills[0]
}

func wantRefusal(t testing.TB, name string, err error, code accounting.Code) {
	t.Helper()
	r, ok := accounting.RefusalOf(err)
	if !ok || r.Code != code {
		t.Errorf("%s: %v, want a refusal with %s", name, err, code)
		return
	}
	if accounting.Uncertain(err) {
		t.Errorf("%s: a refusal is uncertain", name)
	}
}
