package invoice_test

import (
	"slices"
	"strings"
	"testing"

	"docledger/domain/invoice"
)

func TestPaidAlready(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*invoice.Content)
		path   string // of the failed check; "" for none
	}{
		"nothing due": {func(c *invoice.Content) { c.PrepaidTotal, c.AmountDue = dec("113.00"), dec("0.00") }, "amount_due"},
		"prepaid in full, no amount due": {func(c *invoice.Content) {
			c.PayableRounding, c.PrepaidTotal, c.AmountDue = nil, dec("113.05"), nil
		}, "prepaid_total"},
		"prepaid in part":  {func(*invoice.Content) {}, ""},
		"nothing invoiced": {func(c *invoice.Content) { *c = invoice.Content{GrossTotal: dec("0.00"), AmountDue: dec("0.00")} }, ""},
		"withheld in full": {func(c *invoice.Content) {
			*c = invoice.Content{GrossTotal: dec("10.00"), WithheldTotal: dec("10.00"), AmountDue: dec("0.00")}
		}, ""},
		"terms":               {func(c *invoice.Content) { c.Payment.Terms = "Thank you. Paid by credit card." }, "payment.terms"},
		"terms of one word":   {func(c *invoice.Content) { c.Payment.Terms = "BEZAHLT" }, "payment.terms"},
		"note in German":      {func(c *invoice.Content) { c.Note = "Ware wie besehen.\nBetrag  dankend erhalten" }, "note"},
		"note in French":      {func(c *invoice.Content) { c.Note = "Facture acquittée le 03.11.2026" }, "note"},
		"note in Polish":      {func(c *invoice.Content) { c.Note = "Faktura zapłacona." }, "note"},
		"no payment required": {func(c *invoice.Content) { c.Payment.Terms = "No payment required" }, "payment.terms"},
		"retention of title":  {func(c *invoice.Content) { c.Note = "Goods remain our property until paid in full." }, ""},
		"retention, German": {func(c *invoice.Content) {
			c.Note = "Eigentum bleibt vorbehalten, bis die Ware vollständig bezahlt ist"
		}, ""},
		"if paid":                {func(c *invoice.Content) { c.Note = "If already paid, please ignore this." }, ""},
		"if paid, German":        {func(c *invoice.Content) { c.Note = "Sollten Sie bereits bezahlt haben, danken wir." }, ""},
		"not paid":               {func(c *invoice.Content) { c.Note = "This has not been paid" }, ""},
		"payable":                {func(c *invoice.Content) { c.Payment.Terms = "To be paid within 30 days" }, ""},
		"payable, German":        {func(c *invoice.Content) { c.Payment.Terms = "Zahlbar bis 20.12.2026 ohne Abzug" }, ""},
		"a part of it":           {func(c *invoice.Content) { c.Note = "Already paid: EUR 13.00" }, ""},
		"nothing of it":          {func(c *invoice.Content) { c.Note = "Already paid 0,00 €" }, ""},
		"a way to pay":           {func(c *invoice.Content) { c.Payment.Terms = "This invoice can be paid online" }, ""},
		"ways to pay":            {func(c *invoice.Content) { c.Payment.Terms = "Invoices may be paid by credit card" }, ""},
		"a way to pay, German":   {func(c *invoice.Content) { c.Payment.Terms = "Die Rechnung kann bar bezahlt werden" }, ""},
		"ways to pay, German":    {func(c *invoice.Content) { c.Note = "Rechnungen können mit PayPal bezahlt werden" }, ""},
		"a way to pay, French":   {func(c *invoice.Content) { c.Note = "Peut être payée par carte" }, ""},
		"a request":              {func(c *invoice.Content) { c.Payment.Terms = "Invoice to be paid in cash" }, ""},
		"orders paid by card":    {func(c *invoice.Content) { c.Note = "Prices apply to orders paid by card" }, ""},
		"another invoice":        {func(c *invoice.Content) { c.Note = "Your previous invoice has been paid" }, ""},
		"a deposit":              {func(c *invoice.Content) { c.Note = "The deposit has been paid" }, ""},
		"a deposit, German":      {func(c *invoice.Content) { c.Note = "Die Anzahlung wurde bezahlt" }, ""},
		"this invoice":           {func(c *invoice.Content) { c.Note = "This invoice has been paid online" }, "note"},
		"paid as part of a word": {func(c *invoice.Content) { c.Note = "Unpaid in full" }, ""},
	} {
		content := sound()
		tt.change(&content)
		path, found := "", ""
		for _, c := range invoice.RunChecks(content, nil, asked) {
			if c.Rule == invoice.RulePaidAlready && !c.Passed {
				path, found = c.Path, c.Found
			}
			if c.Rule == invoice.RulePaidAlready && c.Severity != invoice.Warning {
				t.Errorf("%s: severity %s", name, c.Severity)
			}
		}
		if path != tt.path {
			t.Errorf("%s: path %q, want %q (found %q)", name, path, tt.path, found)
		}
	}
}

func TestPaidAlreadyShowsABoundedText(t *testing.T) {
	t.Parallel()
	content := sound()
	content.Note = "Already paid " + strings.Repeat("é", 10_000)
	if s := content.Settlement(); !s.Full || len([]rune(s.Text)) > 200 {
		t.Errorf("full %v, text of %d characters", s.Full, len([]rune(s.Text)))
	}
	if !slices.Contains(invoice.WarningRules(), invoice.RulePaidAlready) {
		t.Error("an entity cannot ignore the rule")
	}
}
