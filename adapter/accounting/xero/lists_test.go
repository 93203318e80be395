package xero_test

import (
	"context"
	"slices"
	"testing"

	"docledger/domain/accounting"
)

// TestBankAccountOfContact checks the bank account of a contact, which identifies suppliers without
// a tax identifier.
func TestBankAccountOfContact(t *testing.T) {
	t.Parallel()
	c, w := open(t, nil)
	list, err := c.Contacts(context.Background(), w.entered(c))
	w.must(err)
	i := slices.IndexFunc(list, func(x accounting.Contact) bool { return x.Name == "Paper & Pens Ltd" })
	if i < 0 || list[i].BankAccount != "GB29NWBK60161331926819" {
		t.Errorf("contacts %+v", list)
	}
}
