package accountingtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/integration"
)

func testRules(t *testing.T, x *till) {
	ctx := context.Background()
	r := must[accounting.Rules](t)(x.Booker.Rules(ctx, x.a))
	if !slices.Contains(r.Currencies, r.BaseCurrency) || len(r.BaseCurrency) != 3 || !r.HasTax || r.Decimals < 2 || !r.ClosedUntil.IsZero() {
		t.Errorf("rules %+v", r)
	}
	until := calendar.Date{Year: 2026, Month: 9, Day: 30}
	x.ClosePeriod(x.tenant, until)
	if r := must[accounting.Rules](t)(x.Booker.Rules(ctx, x.a)); r.ClosedUntil != until {
		t.Errorf("closed until %s, want %s", r.ClosedUntil, until)
	}
}

func testBook(t *testing.T, x *till) {
	b := x.bill("R-1")
	b.Memo = "Purchase order 4711"
	got := x.book(t, b)
	if got.ID == "" || got.Kind != b.Kind || got.Contact != b.Contact || got.Number != b.Number || got.Reference != b.Reference ||
		got.Currency != x.currency || !got.Total.Equal(b.Total) || !got.TaxTotal.Equal(dec("20")) || got.Removed {
		t.Errorf("booked %+v", got)
	}
	held := x.one(t)
	if held.ID != got.ID || held.Kind != b.Kind || held.Contact != b.Contact || held.Number != b.Number || held.Currency != b.Currency ||
		held.Date != b.Date || held.DueDate != b.DueDate || !held.Total.Equal(b.Total) || !held.TaxTotal.Equal(dec("20")) {
		t.Errorf("the ledger holds %+v", held)
	}
	if len(held.Lines) != 1 || held.Lines[0].Account != x.account || held.Lines[0].TaxRate != x.rate || !held.Lines[0].Amount.Equal(dec("100")) {
		t.Errorf("lines %+v", held.Lines)
	}
	if !contains(held.Text, b.Reference) {
		t.Errorf("no text contains the reference in %q", held.Text)
	}
	// The contact did not change.
	for _, c := range must[[]accounting.Contact](t)(x.Contacts.Contacts(context.Background(), x.a)) {
		if c.ID == x.contact && (c.Name != "Alpha Supplies" || c.Email != "a@example.com") {
			t.Errorf("booking changed the contact to %+v", c)
		}
	}
}

func testBookOnce(t *testing.T, x *till) {
	b := x.bill("R-1")
	first := x.book(t, b)
	for range 3 {
		if again := x.book(t, b); again.ID != first.ID {
			t.Errorf("booked %s and %s with one key", first.ID, again.ID)
		}
	}
	x.one(t)
	other := b
	other.Lines = slices.Clone(b.Lines)
	other.Lines[0].Description = "Cardboard"
	if again, err := x.Booker.CreateBill(context.Background(), x.a, other, "key-"+b.Reference[24:]); err == nil {
		if again.ID != first.ID {
			t.Errorf("the key with another bill booked %s", again.ID)
		}
	} else if !errors.Is(err, accounting.ErrKeyReused) || !accounting.Uncertain(err) {
		t.Errorf("the key with another bill: %v", err)
	}
	x.one(t)
}

func testBookLost(t *testing.T, x *till) {
	for n, f := range []Failure{AnswerLost, NonsenseLost} {
		b := x.bill(fmt.Sprintf("R-%d", n))
		x.Break(CallBook, f, 1)
		_, err := x.Booker.CreateBill(context.Background(), x.a, b, "key-"+b.Reference[24:])
		x.Repair()
		if !accounting.Uncertain(err) {
			t.Errorf("%s: %v is not uncertain", f, err)
		}
		if x.Count(CallBook) != 2*n+1 {
			t.Errorf("%s: %d calls so far; only its caller may try again", f, x.Count(CallBook))
		}
		found := x.find(t, b)
		if len(found) != 1 || found[0].Reference != b.Reference || !found[0].Total.Equal(b.Total) {
			t.Fatalf("%s: found %+v", f, found)
		}
		if again := x.book(t, b); again.ID != found[0].ID {
			t.Errorf("%s: booked %s again as %s", f, found[0].ID, again.ID)
		}
		if bills := x.Bills(x.tenant); len(bills) != n+1 {
			t.Errorf("%s: the ledger holds %d bills", f, len(bills))
		}
	}
}

func testBookSurelyNot(t *testing.T, x *till) {
	b := x.bill("R-1")
	for f, want := range map[Failure]error{Status429: integration.ErrRateLimited, Status401: integration.ErrAccessRefused} {
		x.Break(CallBook, f, 1)
		_, err := x.Booker.CreateBill(context.Background(), x.a, b, "key-"+b.Reference[24:])
		x.Repair()
		if !errors.Is(err, want) || accounting.Uncertain(err) {
			t.Errorf("%s: %v", f, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.Booker.CreateBill(ctx, x.a, b, "key-"+b.Reference[24:]); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	if bills := x.Bills(x.tenant); len(bills) != 0 {
		t.Errorf("the ledger holds %+v", bills)
	}
	if found := x.find(t, b); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
	x.book(t, b)
	x.one(t)
}

func testBookAmounts(t *testing.T, x *till) {
	for name, tt := range map[string]struct {
		change       func(*accounting.Bill)
		total, taxes string
	}{
		"exclusive": {func(*accounting.Bill) {}, "120", "20"},
		"inclusive": {func(b *accounting.Bill) {
			price := dec("30")
			b.Tax, b.Lines[0].Amount, b.Lines[0].UnitPrice = accounting.TaxInclusive, dec("120.00"), &price
		}, "120", "20"},
		"inclusive and nothing reclaimed": {func(b *accounting.Bill) {
			b.Tax, b.Lines[0].Amount, b.Lines[0].TaxRate, b.Lines[0].TaxAmount = accounting.TaxInclusive, dec("120.00"), "", dec("0")
			b.Lines[0].Quantity, b.Lines[0].UnitPrice, b.Taxes = nil, nil, nil
		}, "120", "0"},
		"none": {func(b *accounting.Bill) {
			b.Tax, b.Lines[0].TaxRate, b.Lines[0].TaxAmount, b.Taxes, b.Total = accounting.NoTax, "", dec("0"), nil, dec("100.00")
		}, "100", "0"},
		"deduction": {func(b *accounting.Bill) {
			b.Lines = append(b.Lines, accounting.BillLine{
				Description: "Discount", Amount: dec("-10.00"), Account: x.account, TaxRate: x.rate, TaxAmount: dec("-2.00"),
			})
			b.Taxes[0].Base, b.Taxes[0].Amount, b.Total = dec("90.00"), dec("18.00"), dec("108.00")
		}, "108", "18"},
		"taxed and not": {func(b *accounting.Bill) {
			b.Lines = append(b.Lines, accounting.BillLine{Description: "Deposit", Amount: dec("7.50"), Account: x.account})
			b.Total = dec("127.50")
		}, "127.50", "20"},
		"price and quantity round otherwise": {func(b *accounting.Bill) {
			quantity, price := dec("3"), dec("33.3333")
			b.Lines[0].Quantity, b.Lines[0].UnitPrice = &quantity, &price
		}, "120", "20"},
	} {
		b := x.bill(name)
		tt.change(&b)
		got := x.book(t, b)
		if !got.Total.Equal(dec(tt.total)) || !got.TaxTotal.Equal(dec(tt.taxes)) {
			t.Errorf("%s: booked at %s with tax %s, want %s and %s", name, got.Total, got.TaxTotal, tt.total, tt.taxes)
		}
		bills := x.Bills(x.tenant)
		held := bills[len(bills)-1]
		if held.ID != got.ID || !held.Total.Equal(got.Total) || !held.TaxTotal.Equal(got.TaxTotal) || len(held.Lines) != len(b.Lines) {
			t.Errorf("%s: the ledger holds %+v", name, held)
		}
	}
}

// testBookStatedTax creates a bill with tax that differs by 0.01 from the ledger's own
// computation. The returned totals must equal those in the ledger.
func testBookStatedTax(t *testing.T, x *till) {
	b := x.bill("R-1")
	line := b.Lines[0]
	line.Quantity, line.UnitPrice, line.Amount, line.TaxAmount = nil, nil, dec("0.33"), dec("0.07")
	b.Lines = []accounting.BillLine{line, line, line}
	b.Lines[2].TaxAmount = dec("0.06")
	b.Taxes[0].Base, b.Taxes[0].Amount, b.Total = dec("0.99"), dec("0.20"), dec("1.19")
	got := x.book(t, b)
	held := x.one(t)
	if !held.Total.Equal(got.Total) || !held.TaxTotal.Equal(got.TaxTotal) {
		t.Errorf("returned %s with tax %s, the ledger has %+v", got.Total, got.TaxTotal, held)
	}
	if !got.Total.Within(b.Total, dec("0.03")) {
		t.Errorf("booked at %s, stated %s", got.Total, b.Total)
	}
}

func testBookCurrency(t *testing.T, x *till) {
	rules := must[accounting.Rules](t)(x.Booker.Rules(context.Background(), x.a))
	for _, code := range rules.Currencies {
		b := x.bill("R-" + code)
		b.Currency = code
		if code != rules.BaseCurrency {
			// A ledger may bind a contact to one currency.
			b.Contact = must[accounting.Contact](t)(x.ContactCreator.CreateContact(context.Background(), x.a,
				accounting.NewContact{Name: "Supplier of " + code, Currency: code}, "contact-"+b.Reference[24:])).ID
		}
		if got := x.book(t, b); got.Currency != code || !got.Total.Equal(b.Total) {
			t.Errorf("%s: booked %+v", code, got)
		}
	}
	b := x.bill("R-XTS")
	b.Currency = "XTS"
	_, err := x.Booker.CreateBill(context.Background(), x.a, b, "key-xts")
	wantRefusal(t, "unknown currency", err, accounting.CodeCurrency)
}

func testBookManyLines(t *testing.T, x *till) {
	const lines = 300
	b := x.bill("R-1")
	line := b.Lines[0]
	line.Quantity, line.UnitPrice, line.Amount, line.TaxAmount = nil, nil, dec("1.00"), dec("0.20")
	b.Lines = slices.Repeat([]accounting.BillLine{line}, lines)
	b.Taxes[0].Base, b.Taxes[0].Amount, b.Total = dec("300.00"), dec("60.00"), dec("360.00")
	if got := x.book(t, b); !got.Total.Equal(b.Total) {
		t.Errorf("booked %+v", got)
	}
	if held := x.one(t); len(held.Lines) != lines {
		t.Errorf("the ledger holds %d lines", len(held.Lines))
	}
}

// testBookHostileText uses numbers of 21 characters, which every ledger stores completely.
func testBookHostileText(t *testing.T, x *till) {
	for _, text := range []string{
		`O'Neil&"Söhne"\<b>%27`, `1' OR '1' = '1`, `100%_[x]`, "日本語/№ 7", `" AND Type=="ACCREC`, `\`, `R\'1`,
	} {
		b := x.bill(text)
		b.Lines[0].Description, b.Memo = text+"\n"+text, text
		got := x.book(t, b)
		if got.Number != text {
			t.Errorf("number %q, want %q", got.Number, text)
		}
		found := x.find(t, b)
		if len(found) != 1 || found[0].ID != got.ID || found[0].Reference != b.Reference {
			t.Errorf("%q: found %+v", text, found)
		}
	}
}

func testBookRefused(t *testing.T, x *till) {
	expense := must[[]accounting.Account](t)(x.Accounts.Accounts(context.Background(), x.a, accounting.ClassFilter{accounting.Expense}))[0]
	archived := x.AddAccount(x.tenant, "Former costs", expense.Type, true)
	for name, tt := range map[string]struct {
		spoil func(*accounting.Bill)
		code  accounting.Code
	}{
		"archived account": {func(b *accounting.Bill) { b.Lines[0].Account = archived }, accounting.CodeAccountUnusable},
		"unknown account":  {func(b *accounting.Bill) { b.Lines[0].Account = unknownLike(x.account) }, accounting.CodeAccountUnusable},
		"unknown contact":  {func(b *accounting.Bill) { b.Contact = unknownLike(x.contact) }, accounting.CodeContactUnusable},
		"unknown tax rate": {func(b *accounting.Bill) { b.Lines[0].TaxRate, b.Taxes[0].TaxRate = "999999", "999999" }, accounting.CodeTaxRateUnusable},
	} {
		b := x.bill(name)
		tt.spoil(&b)
		_, err := x.Booker.CreateBill(context.Background(), x.a, b, "key-"+b.Reference[24:])
		wantRefusal(t, name, err, tt.code)
	}
	if bills := x.Bills(x.tenant); len(bills) != 0 {
		t.Errorf("the ledger holds %+v", bills)
	}
}

// unknownLike is an unknown id of the same form.
func unknownLike(id string) string {
	out := []byte(id)
	for i, c := range out {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'f' {
			out[i] = '9'
		}
	}
	return string(out)
}

func testBookClosed(t *testing.T, x *till) {
	x.ClosePeriod(x.tenant, issued)
	b := x.bill("R-1")
	b.Stage = accounting.StageAuthorised // some ledgers accept drafts in a closed period
	_, err := x.Booker.CreateBill(context.Background(), x.a, b, "key-"+b.Reference[24:])
	wantRefusal(t, "closed period", err, accounting.CodePeriodClosed)
	b.Date = calendar.Date{Year: 2026, Month: 11, Day: 10}
	b.Number, b.Reference = "R-2", reference("R-2")
	x.book(t, b)
	x.one(t)
}
