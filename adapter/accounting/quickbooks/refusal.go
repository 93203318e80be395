package quickbooks

import (
	"context"
	"slices"

	"docledger/adapter/accounting/quickbooks/client"
	"docledger/domain/accounting"
	"docledger/infrastructure/httpclient"
)

// refused returns a refusal if the ledger rejects the bill permanently, and the translated error
// otherwise.
func (c *Connector) refused(ctx context.Context, at client.Access, b accounting.Bill, err error) error {
	f := httpclient.FailureOf(err)
	if !client.IsRefusal(f) {
		return translate(err)
	}
	switch f.Code() {
	case client.CodePeriodClosed:
		return accounting.Refuse(accounting.CodePeriodClosed, "%s", f.Words()).WithCause(f)
	case client.CodeDuplicate:
		return c.duplicate(ctx, at, b, f)
	case client.CodeLapsed, client.CodeNoPermission:
		return accounting.Refuse(accounting.CodeRefused, "%s", f.Words()).WithCause(f)
	}
	r := c.diagnose(ctx, at, b)
	if r == nil {
		r = accounting.Refuse(accounting.CodeRefused, "%s", f.Words())
	}
	return r.WithCause(f)
}

// onlySameTail reports whether the ledger refuses a bill although no bill has its whole number: the
// provider compares only the part that it stores.
func (c *Connector) onlySameTail(ctx context.Context, at client.Access, b accounting.Bill, err error) bool {
	f := httpclient.FailureOf(err)
	if !client.IsRefusal(f) || f.Code() != client.CodeDuplicate || b.AllowDuplicate || number(b.Number) == oneLine(b.Number) {
		return false
	}
	found, err := c.find(ctx, at, accounting.BillQuery{Kind: b.Kind, Contact: b.Contact, Number: b.Number})
	return err == nil && len(found) == 0
}

// duplicate identifies the bill that already has the number, if it can be found.
func (c *Connector) duplicate(ctx context.Context, at client.Access, b accounting.Bill, f *httpclient.Failure) error {
	r := accounting.Refuse(accounting.CodeAlreadyInLedger, "%s", f.Words()).WithCause(f)
	found, err := c.find(ctx, at, accounting.BillQuery{Kind: b.Kind, Contact: b.Contact, Number: b.Number})
	if err != nil || len(found) == 0 {
		return r
	}
	there, err := c.booked(found[0])
	if err != nil {
		return r
	}
	return r.About(there)
}

// diagnose finds the cause of a refusal: the provider's codes state that an object is missing or
// inactive, but not which. It returns nil if every object of the bill is usable or cannot be read.
func (c *Connector) diagnose(ctx context.Context, at client.Access, b accounting.Bill) *accounting.Refusal {
	for _, look := range []func(context.Context, client.Access, accounting.Bill) *accounting.Refusal{
		c.badCurrency, c.badContact, c.badAccount, c.badTaxRate,
	} {
		if r := look(ctx, at, b); r != nil {
			return r
		}
	}
	return nil
}

func (c *Connector) badCurrency(ctx context.Context, at client.Access, b accounting.Bill) *accounting.Refusal {
	p, err := c.client.Preferences(ctx, at)
	if err != nil || b.Currency == "" {
		return nil
	}
	list, err := c.currencies(ctx, at, p)
	if err != nil || slices.ContainsFunc(list, func(x accounting.Currency) bool { return x.Code == b.Currency }) {
		return nil
	}
	return accounting.Refuse(accounting.CodeCurrency, "It is %s.", b.Currency)
}

func (c *Connector) badContact(ctx context.Context, at client.Access, b accounting.Bill) *accounting.Refusal {
	list, err := c.client.Vendors(ctx, at, client.Equal("Id", b.Contact), client.WithInactive)
	if err != nil {
		return nil
	}
	i := slices.IndexFunc(list, func(x client.Vendor) bool { return x.ID == b.Contact })
	switch {
	case i < 0:
		return accounting.Refuse(accounting.CodeContactUnusable, "The ledger has no contact %s.", b.Contact)
	case !list[i].Active:
		return accounting.Refuse(accounting.CodeContactUnusable, "The contact %s is inactive.", list[i].DisplayName)
	case b.Currency != "" && list[i].CurrencyRef.Value != "" && list[i].CurrencyRef.Value != b.Currency:
		return accounting.Refuse(accounting.CodeContactUnusable, "The contact %s accepts bills in %s only; this bill is in %s.",
			list[i].DisplayName, list[i].CurrencyRef.Value, b.Currency)
	}
	return nil
}

func (c *Connector) badAccount(ctx context.Context, at client.Access, b accounting.Bill) *accounting.Refusal {
	ids := named(b, func(l accounting.BillLine) string { return l.Account })
	list, err := c.client.Accounts(ctx, at, client.OneOf("Id", ids), client.WithInactive)
	if err != nil {
		return nil
	}
	for _, id := range ids {
		i := slices.IndexFunc(list, func(x client.Account) bool { return x.ID == id })
		switch {
		case i < 0:
			return accounting.Refuse(accounting.CodeAccountUnusable, "The ledger has no account %s.", id)
		case !list[i].Active:
			return accounting.Refuse(accounting.CodeAccountUnusable, "The account %s is inactive.", list[i].Name)
		case list[i].AccountType == wireTypes[accounting.NonPosting]:
			return accounting.Refuse(accounting.CodeAccountUnusable, "The account %s does not accept postings.", list[i].Name)
		}
	}
	return nil
}

func (c *Connector) badTaxRate(ctx context.Context, at client.Access, b accounting.Bill) *accounting.Refusal {
	ids := named(b, func(l accounting.BillLine) string { return l.TaxRate })
	if len(ids) == 0 {
		return nil
	}
	list, err := c.taxRates(ctx, at)
	if err != nil {
		return nil
	}
	for _, id := range ids {
		i := slices.IndexFunc(list, func(x accounting.TaxRate) bool { return x.ID == id })
		switch {
		case i < 0:
			return accounting.Refuse(accounting.CodeTaxRateUnusable, "The ledger has no tax rate %s.", id)
		case list[i].State != accounting.InUse:
			return accounting.Refuse(accounting.CodeTaxRateUnusable, "The tax rate %s is inactive.", list[i].Name)
		case !list[i].Purchases:
			return accounting.Refuse(accounting.CodeTaxRateUnusable, "The tax rate %s is not for purchases.", list[i].Name)
		}
	}
	return nil
}

// named returns the distinct values that the lines of a bill refer to.
func named(b accounting.Bill, of func(accounting.BillLine) string) (ids []string) {
	for _, l := range b.Lines {
		if id := of(l); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
