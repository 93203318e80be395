package accountingtest

import (
	"context"
	"testing"

	"docledger/domain/accounting"
	"docledger/domain/fault"
)

func (x *till) credit(number string) accounting.Bill {
	b := x.bill(number)
	b.Kind = accounting.SupplierCredit
	return b
}

func testCreditNote(t *testing.T, x *till) {
	bill := x.book(t, x.bill("R-1"))
	b := x.credit("C-1")
	b.Corrects = []accounting.Corrected{{ID: bill.ID, Number: bill.Number}, {Number: "R-0"}}
	got := x.book(t, b)
	if got.Kind != accounting.SupplierCredit || !got.Total.Equal(dec("120")) || !got.TaxTotal.Equal(dec("20")) || got.Reference != b.Reference {
		t.Errorf("booked %+v", got)
	}
	if again := x.book(t, b); again.ID != got.ID {
		t.Errorf("booked %s and %s with one key", got.ID, again.ID)
	}
	bills := x.Bills(x.tenant)
	if len(bills) != 2 || bills[1].Kind != accounting.SupplierCredit || !bills[1].Total.Equal(dec("120")) {
		t.Fatalf("the ledger holds %+v", bills)
	}
	for _, number := range []string{"R-1", "R-0"} {
		if !contains(bills[1].Text, number) {
			t.Errorf("no text says that it corrects %s in %q", number, bills[1].Text)
		}
	}
	found := x.find(t, b)
	if len(found) != 1 || found[0].ID != got.ID || found[0].Kind != accounting.SupplierCredit || found[0].Reference != b.Reference {
		t.Errorf("found %+v", found)
	}
	read := must[accounting.LedgerBill](t)(x.Booker.Read(context.Background(), x.a, b.Kind, got.ID))
	if read.Reference != b.Reference || read.Removed {
		t.Errorf("read %+v", read)
	}
	// A bill with the same number is another bill.
	asBill := x.bill("C-1")
	if found := x.find(t, asBill); len(found) != 0 {
		t.Errorf("looking for a bill found %+v", found)
	}
	x.RemoveBill(x.tenant, got.ID)
	if read, err := x.Booker.Read(context.Background(), x.a, b.Kind, got.ID); err == nil && !read.Removed || err != nil && fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("read a removed one as %+v, %v", read, err)
	}
}

func testFind(t *testing.T, x *till) {
	b := x.bill("R-1")
	if found := x.find(t, b); found == nil || len(found) != 0 {
		t.Errorf("found %+v in an empty ledger, want an empty list", found)
	}
	other := x.AddContact(x.tenant, accounting.Contact{Name: "Beta Supplies"})
	typed := x.TypeBill(x.tenant, accounting.PurchaseBill, x.contact, "R-1", dec("120"))
	x.TypeBill(x.tenant, accounting.PurchaseBill, other, "R-1", dec("120"))
	x.TypeBill(x.tenant, accounting.PurchaseBill, x.contact, "R-10", dec("120"))
	x.TypeBill(x.tenant, accounting.PurchaseBill, x.contact, "r-2", dec("120"))
	found := x.find(t, b)
	if len(found) != 1 || found[0].ID != typed || found[0].Reference != "" || found[0].Number != "R-1" || found[0].Contact != x.contact ||
		!found[0].Total.Equal(dec("120")) || found[0].Currency != x.currency || found[0].Removed {
		t.Fatalf("found %+v, want %s", found, typed)
	}
	b.AllowDuplicate = true
	own := x.book(t, b)
	found = x.find(t, b)
	if len(found) != 2 || found[0].ID != typed || found[1].ID != own.ID || found[1].Reference != b.Reference {
		t.Errorf("found %+v, want %s and %s", found, typed, own.ID)
	}
	stranger := b
	stranger.Reference = reference("another invoice")
	if found := x.find(t, stranger); len(found) != 2 || found[1].Reference != b.Reference {
		t.Errorf("looking for another invoice of the number found %+v", found)
	}
}

func testFindAfterPeople(t *testing.T, x *till) {
	b := x.bill("R-1")
	own := x.book(t, b)
	x.Renumber(x.tenant, own.ID, "R-1 (paid)")
	if found := x.find(t, b); len(found) != 1 || found[0].ID != own.ID || found[0].Reference != b.Reference {
		t.Errorf("after its number was changed: found %+v", found)
	}
	x.RemoveBill(x.tenant, own.ID)
	if found := x.find(t, b); len(found) > 1 || len(found) == 1 && !found[0].Removed {
		t.Errorf("after it was removed: found %+v", found)
	}
	next := x.bill("R-2")
	removed := x.book(t, next)
	x.RemoveBill(x.tenant, removed.ID)
	for _, f := range x.find(t, next) {
		if !f.Removed {
			t.Errorf("a removed bill is found as %+v", f)
		}
	}
}

func testFindLongNumber(t *testing.T, x *till) {
	b := x.bill("INVOICE/2026/11/0000000000000000000000000001234")
	own := x.book(t, b)
	found := x.find(t, b)
	if len(found) != 1 || found[0].ID != own.ID || found[0].Reference != b.Reference {
		t.Errorf("found %+v", found)
	}
	if held := x.one(t); !contains(held.Number+" "+held.Text, b.Number) {
		t.Errorf("no text contains the whole number: %+v", held)
	}
}

func testNumberTwice(t *testing.T, x *till) {
	x.TypeBill(x.tenant, accounting.PurchaseBill, x.contact, "R-1", dec("99"))
	b := x.bill("R-1")
	b.AllowDuplicate = true
	x.book(t, b)
	if bills := x.Bills(x.tenant); len(bills) != 2 {
		t.Errorf("the ledger holds %d bills", len(bills))
	}
}

func testRead(t *testing.T, x *till) {
	ctx := context.Background()
	b := x.bill("R-1")
	own := x.book(t, b)
	read := must[accounting.LedgerBill](t)(x.Booker.Read(ctx, x.a, b.Kind, own.ID))
	if read.ID != own.ID || read.Number != b.Number || read.Reference != b.Reference || !read.Total.Equal(b.Total) || read.Removed {
		t.Errorf("read %+v", read)
	}
	x.RemoveBill(x.tenant, own.ID)
	if read, err := x.Booker.Read(ctx, x.a, b.Kind, own.ID); err == nil && !read.Removed || err != nil && fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("a removed bill: %+v, %v", read, err)
	}
	for _, id := range []string{unknownLike(own.ID), "no-such-bill", "../" + own.ID, "a'b", ""} {
		_, err := x.Booker.Read(ctx, x.a, b.Kind, id)
		if f, ok := fault.As(err); !ok || f.Kind != fault.NotFound {
			t.Errorf("bill %q: %v, want NotFound", id, err)
		}
	}
}
