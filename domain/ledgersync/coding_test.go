package ledgersync

import (
	"testing"

	"docledger/domain/entity"
	"docledger/domain/invoice"
)

// TestCodingOfASupplier expects that a line takes the coding of the line with the same description on the
// last approved invoice, else the default of the supplier, else what the ledger usually has, else the
// default of the entity (domain D8).
func TestCodingOfASupplier(t *testing.T) {
	t.Parallel()
	rate := func(id, percent string) DefaultRate { return DefaultRate{ID: id, Percent: opt(percent)} }
	approved := func(description, net, account string) invoice.Line {
		l := line(net, "20")
		l.Description, l.AccountID, l.AccountSource = description, account, invoice.CodedByDefault
		return l
	}
	all := Coding{
		Own:   Defaults{AccountID: "own", TaxRate: rate("own20", "20")},
		Usual: Defaults{AccountID: "usual", TaxRate: rate("usual20", "20")},
	}
	all.LearnLines([]invoice.Line{approved("Hosting", "10.00", "hosting"), approved("HOSTING", "90.00", "other"), approved("", "5.00", "none")})
	without := func(change func(*Coding)) Coding {
		c := all
		change(&c)
		return c
	}
	mapping := []entity.TaxMapping{{Category: "S", Rate: "20", TaxRateID: "mapped20"}}
	for name, tt := range map[string]struct {
		coding              Coding
		line                invoice.Line
		mappings            []entity.TaxMapping
		account, rate       string
		accountBy, taxRates invoice.CodingSource
	}{
		"the line with the same description": {all, approved("hosting", "1.00", ""), nil, "hosting", "own20", invoice.CodedBySupplier, invoice.CodedBySupplier},
		"another description":                {all, line("1.00", "20"), nil, "own", "own20", invoice.CodedBySupplier, invoice.CodedBySupplier},
		"no description":                     {all, approved("", "1.00", ""), nil, "own", "own20", invoice.CodedBySupplier, invoice.CodedBySupplier},
		"without a default, the account of the largest amount": {
			without(func(c *Coding) { c.Own = Defaults{} }), line("1.00", "20"), nil, "other", "usual20", invoice.CodedBySupplier, invoice.CodedByLedger,
		},
		"without an approved invoice, what the ledger usually has": {
			Coding{Usual: all.Usual}, line("1.00", "20"), nil, "usual", "usual20", invoice.CodedByLedger, invoice.CodedByLedger,
		},
		"without a supplier": {Coding{}, line("1.00", "20"), nil, "a1", "t0", invoice.CodedByDefault, invoice.CodedByDefault},
		"a mapping precedes the default rate of the supplier": {
			all, line("1.00", "20"), mapping, "own", "mapped20", invoice.CodedBySupplier, invoice.CodedByMapping,
		},
		"a mapping precedes the usual rate": {
			Coding{Usual: all.Usual}, line("1.00", "20"), mapping, "usual", "mapped20", invoice.CodedByLedger, invoice.CodedByMapping,
		},
		"default rates of another percentage": {all, line("1.00", "5"), mapping, "own", "t0", invoice.CodedBySupplier, invoice.CodedByDefault},
		"no rate on the line":                 {all, invoice.Line{Description: "Thing"}, mapping, "own", "own20", invoice.CodedBySupplier, invoice.CodedBySupplier},
	} {
		t.Run(name, func(t *testing.T) {
			tt.line.AccountID, tt.line.AccountSource = "", ""
			inv := &invoice.Invoice{Content: invoice.Content{Lines: []invoice.Line{tt.line}}}
			tt.coding.Apply(inv, &entity.Settings{DefaultAccountID: "a1", DefaultTaxRateID: "t0", TaxMappings: tt.mappings})
			l := inv.Lines[0]
			if l.AccountID != tt.account || l.AccountSource != tt.accountBy {
				t.Errorf("the account is %q by %s, want %q by %s", l.AccountID, l.AccountSource, tt.account, tt.accountBy)
			}
			if l.TaxRateID != tt.rate || l.TaxSource != tt.taxRates {
				t.Errorf("the tax rate is %q by %s, want %q by %s", l.TaxRateID, l.TaxSource, tt.rate, tt.taxRates)
			}
		})
	}
}

// TestChosenCodingIsKept expects that no coding replaces what a person chose or an approver saw, and that the
// tax rate of a person precedes the mappings on the next invoice of the supplier.
func TestChosenCodingIsKept(t *testing.T) {
	t.Parallel()
	coding := Coding{Own: Defaults{AccountID: "own"}}
	settings := &entity.Settings{DefaultAccountID: "a1", TaxMappings: []entity.TaxMapping{{Category: "S", Rate: "20", TaxRateID: "mapped20"}}}
	for source, kept := range map[invoice.CodingSource]bool{
		invoice.CodedByHuman: true, invoice.CodedBySupplier: true, invoice.CodedByLedger: true, invoice.CodedByDefault: false, invoice.CodedByMapping: false,
	} {
		l := line("1.00", "20")
		l.AccountID, l.AccountSource, l.TaxRateID, l.TaxSource = "chosen", source, "chosen20", source
		inv := &invoice.Invoice{Content: invoice.Content{Lines: []invoice.Line{l}}}
		coding.Apply(inv, settings)
		if got := inv.Lines[0]; (got.AccountID == "chosen") != kept || (got.TaxRateID == "chosen20") != kept {
			t.Errorf("a choice by %s became %q and %q", source, got.AccountID, got.TaxRateID)
		}
	}
	last := line("1.00", "20")
	last.Description, last.TaxRateID, last.TaxSource = "Other", "chosen20", invoice.CodedByHuman
	coding.LearnLines([]invoice.Line{last})
	inv := &invoice.Invoice{Content: invoice.Content{Lines: []invoice.Line{line("1.00", "20")}}}
	coding.Apply(inv, settings)
	if got := inv.Lines[0]; got.TaxRateID != "chosen20" || got.TaxSource != invoice.CodedBySupplier {
		t.Errorf("the rate of the next invoice is %q by %s, want that of a person", got.TaxRateID, got.TaxSource)
	}
}
