package ledgersync

import (
	"context"

	"docledger/domain/accounting"
	"docledger/domain/entity"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// Coding contains the choices that were learned or set for a supplier (domain D8). It belongs to one
// integration, because the ids are the ledger's. Codings stores the first three members.
type Coding struct {
	ContactID string
	AccountID string
	TaxRates  []entity.TaxMapping // the rates that a person chose

	// The fields from here are of the supplier's record. Codings does not store them.

	// Lines are the lines of the supplier's last approved invoice, by folded description.
	Lines map[string]invoice.Line
	Own   Defaults // what a person set for the supplier
	Usual Defaults // what the ledger's bills of the supplier usually have
}

// Defaults are a default account and tax rate; "" for none.
type Defaults struct {
	AccountID string
	TaxRate   DefaultRate
}

// DefaultRate is a tax rate of the ledger. Percent is nil if it is unknown.
type DefaultRate struct {
	ID      string
	Percent *money.Decimal
}

// fits reports whether the rate can be used for a line with a stated rate. Without a stated rate
// every rate fits.
func (d DefaultRate) fits(stated *money.Decimal) bool {
	return d.ID != "" && (stated == nil || d.Percent != nil && d.Percent.Equal(*stated))
}

// Codings stores the coding of suppliers.
type Codings interface {
	// Of returns the coding stored for a supplier's key. It returns the zero value if there is
	// none, or if the integration or key is empty.
	Of(ctx context.Context, organization, entity, integration uuid.UUID, supplier string) (Coding, error)
	// Keep stores the coding and replaces the previous one.
	Keep(ctx context.Context, organization, entity, integration uuid.UUID, supplier string, c Coding) error
}

// Ledger is the master data that is read from a ledger before a bill is created.
type Ledger struct {
	Rules    accounting.Rules
	Accounts []accounting.Account
	TaxRates []accounting.TaxRate
}

// Apply codes the lines of a newly extracted invoice: from the supplier's coding, then the mappings,
// then the defaults. A person's choices are kept.
func (c Coding) Apply(inv *invoice.Invoice, settings *entity.Settings) {
	for i := range inv.Lines {
		l := &inv.Lines[i]
		it := item{
			description: l.Description, rate: l.TaxRate, category: l.TaxCategory,
			account: l.AccountID, accountSource: l.AccountSource, taxRate: l.TaxRateID, taxSource: l.TaxSource,
		}
		l.AccountID, l.AccountSource = c.account(it, settings)
		l.TaxRateID, l.TaxSource = c.taxRate(it, settings)
	}
}

// kept reports whether an approver saw a choice, which is then not replaced.
func kept(id string, source invoice.CodingSource) bool {
	return id != "" && (source == invoice.CodedByHuman || source == invoice.CodedBySupplier || source == invoice.CodedByLedger)
}

func (c Coding) account(it item, settings *entity.Settings) (string, invoice.CodingSource) {
	switch line := c.Lines[invoice.FoldName(it.description)]; {
	case kept(it.account, it.accountSource):
		return it.account, it.accountSource
	case line.AccountID != "":
		return line.AccountID, invoice.CodedBySupplier
	case c.Own.AccountID != "":
		return c.Own.AccountID, invoice.CodedBySupplier
	case c.AccountID != "":
		return c.AccountID, invoice.CodedBySupplier
	case c.Usual.AccountID != "":
		return c.Usual.AccountID, invoice.CodedByLedger
	case settings.DefaultAccountID != "":
		return settings.DefaultAccountID, invoice.CodedByDefault
	}
	return "", ""
}

func (c Coding) taxRate(it item, settings *entity.Settings) (string, invoice.CodingSource) {
	if kept(it.taxRate, it.taxSource) {
		return it.taxRate, it.taxSource
	}
	if line := c.Lines[invoice.FoldName(it.description)]; kept(line.TaxRateID, line.TaxSource) && line.TaxCategory == it.category && sameRate(line.TaxRate, it.rate) {
		return line.TaxRateID, invoice.CodedBySupplier
	}
	general, own := mapped(settings.TaxMappings, it.category, it.rate), c.Own.TaxRate.fits(it.rate)
	learned := mapped(c.TaxRates, it.category, it.rate)
	switch {
	case own && general == "":
		return c.Own.TaxRate.ID, invoice.CodedBySupplier
	case learned != "":
		return learned, invoice.CodedBySupplier
	case general != "":
		return general, invoice.CodedByMapping
	case c.Usual.TaxRate.fits(it.rate):
		return c.Usual.TaxRate.ID, invoice.CodedByLedger
	case settings.DefaultTaxRateID != "":
		return settings.DefaultTaxRateID, invoice.CodedByDefault
	}
	return "", ""
}

func sameRate(a, b *money.Decimal) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Equal(*b)
}

// LearnLines adds what the lines of the supplier's last approved invoice are coded with. Of lines with
// the same description the first one counts.
func (c *Coding) LearnLines(lines []invoice.Line) {
	c.Lines = make(map[string]invoice.Line, len(lines))
	for _, l := range lines {
		key := invoice.FoldName(l.Description)
		if _, ok := c.Lines[key]; !ok && key != "" {
			c.Lines[key] = l
		}
	}
	*c = c.Learn(&invoice.Invoice{Content: invoice.Content{Lines: lines}}, c.ContactID)
	for _, l := range lines {
		if l.TaxSource == invoice.CodedBySupplier && l.TaxRateID != "" && l.TaxRate != nil {
			c.TaxRates = remapped(c.TaxRates, entity.TaxMapping{Category: l.TaxCategory, Rate: l.TaxRate.String(), TaxRateID: l.TaxRateID})
		}
	}
}

func mapped(mappings []entity.TaxMapping, category string, rate *money.Decimal) string {
	for _, m := range mappings {
		of, err := money.Parse(m.Rate)
		if err == nil && m.Category == category && rate != nil && rate.Equal(of) {
			return m.TaxRateID
		}
	}
	return ""
}

// Learn returns the coding to store after a sync: the account of the largest amount, and the tax
// rates that people chose.
func (c Coding) Learn(inv *invoice.Invoice, contact string) Coding {
	c.ContactID = contact
	sums := map[string]money.Decimal{}
	for _, l := range inv.Lines {
		if l.AccountID != "" && l.NetAmount != nil {
			sums[l.AccountID] = sums[l.AccountID].Add(l.NetAmount.Abs())
		}
		if l.TaxSource == invoice.CodedByHuman && l.TaxRateID != "" && l.TaxRate != nil {
			c.TaxRates = remapped(c.TaxRates, entity.TaxMapping{Category: l.TaxCategory, Rate: l.TaxRate.String(), TaxRateID: l.TaxRateID})
		}
	}
	best := money.Decimal{}
	for _, l := range inv.Lines {
		if sum, ok := sums[l.AccountID]; ok && sum.Cmp(best) > 0 {
			best, c.AccountID = sum, l.AccountID
		}
	}
	return c
}

// maxRemembered is the maximum number of tax rates stored for one supplier.
const maxRemembered = 50

func remapped(mappings []entity.TaxMapping, m entity.TaxMapping) []entity.TaxMapping {
	rate := money.MustParse(m.Rate)
	var out []entity.TaxMapping
	for _, old := range mappings {
		of, err := money.Parse(old.Rate)
		if err == nil && (old.Category != m.Category || !of.Equal(rate)) {
			out = append(out, old)
		}
	}
	out = append(out, m)
	return out[max(0, len(out)-maxRemembered):]
}

// code sets the account of every item and, if the bill carries tax, its tax rate.
func code(list []item, c Coding, settings *entity.Settings, ledger Ledger, taxed bool) error {
	for i := range list {
		it := &list[i]
		if it.accountSource != invoice.CodedByHuman && usable(it.account, ledger.Accounts) != nil {
			it.account, it.accountSource = "", ""
		}
		it.account, it.accountSource = c.account(*it, settings)
	}
	if err := inherit(list); err != nil {
		return err
	}
	for _, it := range list {
		if err := usable(it.account, ledger.Accounts); err != nil {
			return err
		}
	}
	for i := range list {
		it := &list[i]
		if !taxed {
			it.taxRate, it.taxSource = "", ""
			continue
		}
		if _, err := rateOf(it.taxRate, ledger.TaxRates); err != nil && it.taxSource != invoice.CodedByHuman {
			it.taxRate, it.taxSource = "", ""
		}
		it.taxRate, it.taxSource = c.taxRate(*it, settings)
		if err := it.chooseTaxRate(ledger.TaxRates); err != nil {
			return err
		}
	}
	return nil
}

// inherit gives items that are not lines the account of the largest line. It refuses lines without
// an account.
func inherit(list []item) error {
	at := largest(list, func(it item) bool { return it.account != "" && it.line >= 0 })
	for i := range list {
		it := &list[i]
		if it.account == "" && it.line < 0 && at >= 0 {
			it.account, it.accountSource = list[at].account, list[at].accountSource
		}
		if it.account == "" {
			return accounting.Refuse(accounting.CodeAccountMissing, "Without account: %q.", clip(it.description))
		}
	}
	return nil
}

func usable(id string, accounts []accounting.Account) error {
	for _, a := range accounts {
		if a.ID != id {
			continue
		}
		if err := a.RequireBookable(""); err != nil {
			return accounting.Refuse(accounting.CodeAccountUnusable, "Account %q does not accept bills.", a.Name).WithCause(err)
		}
		return nil
	}
	return accounting.Refuse(accounting.CodeAccountUnusable, "There is no account %s.", id)
}

// chooseTaxRate validates the chosen tax rate of the item against the ledger's rates. A choice by
// mapping, supplier or person is always used. The default is used if it has the stated rate or no
// rate is stated. Otherwise the only matching rate of the ledger is used; several matches are
// tax_rate_ambiguous.
func (it *item) chooseTaxRate(rates []accounting.TaxRate) error {
	if it.taxRate != "" {
		chosen, err := rateOf(it.taxRate, rates)
		if it.taxSource != invoice.CodedByDefault {
			return err
		}
		if err == nil && (it.rate == nil || chosen.Rate.Equal(*it.rate)) {
			return nil
		}
	}
	it.taxRate, it.taxSource = "", ""
	if it.rate == nil {
		return accounting.Refuse(accounting.CodeTaxRateMissing, "%q states no rate, and no default is set.", clip(it.description))
	}
	var fitting []accounting.TaxRate
	for _, r := range rates {
		if r.Purchases && r.State == accounting.InUse && r.Rate.Equal(*it.rate) {
			fitting = append(fitting, r)
		}
	}
	switch len(fitting) {
	case 0:
		return accounting.Refuse(accounting.CodeTaxRateMissing, "The invoice has %s%%.", it.rate)
	case 1:
		it.taxRate, it.taxSource = fitting[0].ID, invoice.CodedByMapping
		return nil
	}
	r := accounting.Refuse(accounting.CodeTaxRateAmbiguous, "For category %q at %s%%: %s.", it.category, it.rate,
		named(len(fitting), func(i int) string { return fitting[i].Name }))
	for _, f := range fitting {
		r = r.Or(f.ID, f.Name, "")
	}
	return r
}

func rateOf(id string, rates []accounting.TaxRate) (accounting.TaxRate, error) {
	for _, r := range rates {
		if r.ID != id {
			continue
		}
		if r.State != accounting.InUse || !r.Purchases {
			return r, accounting.Refuse(accounting.CodeTaxRateUnusable, "%q cannot be used in bills.", r.Name)
		}
		return r, nil
	}
	return accounting.TaxRate{}, accounting.Refuse(accounting.CodeTaxRateUnusable, "There is no tax rate %s.", id)
}

// clip limits the length of document text in messages.
func clip(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
