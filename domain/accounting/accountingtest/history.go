package accountingtest

import (
	"context"
	"slices"
	"testing"

	"docledger/domain/accounting"
)

func testHistory(t *testing.T, x *till) {
	history, ok := x.Booker.(accounting.HistoryReader)
	if !ok {
		t.Fatalf("%T does not read the history of bills", x.Booker)
	}
	bill := x.bill("H-1")
	made := x.book(t, bill)
	want := accounting.BillCoding{Bill: made.ID, Contact: x.contact, Account: x.account, TaxRate: x.rate}
	list := must[[]accounting.BillCoding](t)(history.BillCodings(context.Background(), x.a, bill.Date))
	if !slices.Contains(list, want) {
		t.Errorf("the codings since the day of the bill: %+v, want %+v among them", list, want)
	}
	if usual := accounting.UsualCodings(list)[x.contact]; usual != (accounting.Usual{Account: x.account, TaxRate: x.rate}) {
		t.Errorf("the usual coding of the contact: %+v", usual)
	}
	later := must[[]accounting.BillCoding](t)(history.BillCodings(context.Background(), x.a, bill.Date.AddDays(1)))
	if slices.Contains(later, want) {
		t.Error("a bill from before the day is listed")
	}
	x.RemoveBill(x.tenant, made.ID)
	if slices.Contains(must[[]accounting.BillCoding](t)(history.BillCodings(context.Background(), x.a, bill.Date)), want) {
		t.Error("a removed bill is listed")
	}
}
