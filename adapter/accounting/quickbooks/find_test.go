package quickbooks_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"docledger/domain/accounting"
)

// TestFindAsksForTheVendor checks that the search by date reads the bills of one vendor only. All
// vendors together can have thousands of bills of one date.
func TestFindAsksForTheVendor(t *testing.T) {
	t.Parallel()
	c, w, a := vat(t)
	b := plainBill()
	b.Number, b.Reference = "", ours
	made, err := c.CreateBill(context.Background(), a, b, "key-1")
	if err != nil {
		t.Fatal(err)
	}
	before := len(w.sim.Kit.Requests())
	found, err := c.Find(context.Background(), a, accounting.BillQuery{Kind: b.Kind, Contact: b.Contact, Reference: ours, Date: b.Date})
	if err != nil || len(found) != 1 || found[0].ID != made.ID {
		t.Fatalf("found %+v, %v", found, err)
	}
	asked := w.sim.Kit.Requests()[before:]
	if len(asked) != 1 {
		t.Fatalf("%d requests, want one", len(asked))
	}
	query, err := url.ParseQuery(asked[0].Query)
	if err != nil {
		t.Fatal(err)
	}
	if want := "TxnDate = '" + b.Date.String() + "' AND VendorRef = '" + b.Contact + "'"; !strings.Contains(query.Get("query"), want) {
		t.Errorf("asked %q, want %q in it", query.Get("query"), want)
	}
}
