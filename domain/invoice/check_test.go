package invoice_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

func dec(s string) *money.Decimal {
	if s == "" {
		return nil
	}
	d := money.MustParse(s)
	return &d
}

func date(s string) calendar.Date {
	d, err := calendar.Parse(s)
	if err != nil {
		panic(err)
	}
	return d
}

// asked is the check context of the test entity.
var asked = invoice.CheckContext{
	Now:          time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC),
	EntityNames:  []string{"Example Ltd", "Example Trading"},
	EntityTaxIDs: nil,
}

// sound returns an invoice that passes every check: two lines of 50.00, an allowance of 10.00, a
// charge of 5.00, 19 % tax.
func sound() invoice.Content {
	return invoice.Content{
		Type: invoice.TypeInvoice, Number: "1", IssueDate: date("2026-11-20"), DueDate: date("2026-12-20"), Currency: "EUR",
		Seller:  invoice.Party{Name: "Seller GmbH", TaxID: "DE136695976"},
		Buyer:   invoice.Party{Name: "EXAMPLE, LTD."},
		Payment: invoice.Payment{IBAN: "DE89 3704 0044 0532 0130 00"},
		Lines: []invoice.Line{
			{Position: 1, NetAmount: dec("50.00"), TaxRate: dec("19")}, {Position: 2, NetAmount: dec("50.00"), TaxRate: dec("19.0")},
		},
		AllowancesCharges: []invoice.AllowanceCharge{{Amount: dec("10.00")}, {IsCharge: true, Amount: dec("5.00")}},
		Taxes:             []invoice.Tax{{Category: "S", Rate: dec("19"), Base: dec("95.00"), Amount: dec("18.05")}},
		LineTotal:         dec("100.00"), AllowanceTotal: dec("10.00"), ChargeTotal: dec("5.00"), NetTotal: dec("95.00"),
		TaxTotal: dec("18.05"), GrossTotal: dec("113.05"), PrepaidTotal: dec("13.00"), PayableRounding: dec("-0.05"), AmountDue: dec("100.00"),
	}
}

// failures returns the failed checks, each as "severity rule path".
func failures(checks []invoice.Check) []string {
	var out []string
	for _, c := range checks {
		if !c.Passed {
			out = append(out, fmt.Sprintf("%s %s %s", c.Severity, c.Rule, c.Path))
		}
	}
	slices.Sort(out)
	return out
}

func TestSoundInvoicePassesEveryRule(t *testing.T) {
	t.Parallel()
	checks := invoice.RunChecks(sound(), nil, asked)
	if failed := failures(checks); len(failed) > 0 {
		t.Errorf("failed: %v", failed)
	}
	if got := invoice.StatusAfter(checks); got != invoice.Extracted {
		t.Errorf("status %s", got)
	}
	tried := map[string]bool{}
	for _, c := range checks {
		tried[c.Rule] = true
	}
	for _, rule := range []string{
		invoice.RuleNumberStated, invoice.RuleDateStated, invoice.RuleCurrencyStated, invoice.RuleSellerStated, invoice.RuleTotalStated,
		invoice.RuleLinesSum, invoice.RuleAllowancesSum, invoice.RuleTaxPerRate, invoice.RuleTaxSum, invoice.RuleGrossSum, invoice.RuleDueSum,
		invoice.RuleIBANChecksum, invoice.RuleTaxIDChecksum, invoice.RuleDatesInOrder, invoice.RuleDatePlausible,
		invoice.RuleBuyerIsEntity, invoice.RuleIsPurchase,
	} {
		if !tried[rule] {
			t.Errorf("%s was not evaluated", rule)
		}
	}
}

func TestEachRuleFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*invoice.Content)
		want   []string
	}{
		"no number":             {func(c *invoice.Content) { c.Number = "" }, []string{"BLOCKING number_stated invoice_number"}},
		"no date":               {func(c *invoice.Content) { c.IssueDate = calendar.Date{} }, []string{"BLOCKING date_stated issue_date"}},
		"no currency":           {func(c *invoice.Content) { c.Currency = "" }, []string{"BLOCKING currency_stated currency"}},
		"no seller":             {func(c *invoice.Content) { c.Seller = invoice.Party{} }, []string{"BLOCKING seller_stated seller.name"}},
		"no total":              {func(c *invoice.Content) { c.GrossTotal, c.AmountDue = nil, nil }, []string{"BLOCKING total_stated gross_total"}},
		"a line too many":       {func(c *invoice.Content) { c.Lines = append(c.Lines, c.Lines[0]) }, []string{"BLOCKING lines_sum lines"}},
		"a line without amount": {func(c *invoice.Content) { c.Lines[0].NetAmount = nil }, []string{"BLOCKING lines_sum lines"}},
		"a blank number":        {func(c *invoice.Content) { c.Number = "  " }, []string{"BLOCKING number_stated invoice_number"}},
		"allowances":            {func(c *invoice.Content) { c.AllowancesCharges[0].Amount = dec("11.00") }, []string{"BLOCKING allowances_sum allowances"}},
		"charges":               {func(c *invoice.Content) { c.AllowancesCharges[1].Amount = dec("6.00") }, []string{"BLOCKING allowances_sum charges"}},
		"tax of a rate":         {func(c *invoice.Content) { c.Taxes[0].Rate = dec("20") }, []string{"BLOCKING tax_per_rate taxes[0]"}},
		"tax not stated":        {func(c *invoice.Content) { c.Taxes = append(c.Taxes, invoice.Tax{Amount: dec("1.00")}) }, []string{"BLOCKING tax_sum tax_total"}},
		"gross":                 {func(c *invoice.Content) { c.GrossTotal, c.AmountDue = dec("190.00"), dec("176.95") }, []string{"BLOCKING gross_sum gross_total"}},
		"due":                   {func(c *invoice.Content) { c.AmountDue = dec("101.00") }, []string{"BLOCKING due_sum amount_due"}},
		"net":                   {func(c *invoice.Content) { c.LineTotal = nil; c.Lines[0].NetAmount = dec("60.00") }, []string{"BLOCKING lines_sum net_total"}},
		"account":               {func(c *invoice.Content) { c.Payment.IBAN = "DE88370400440532013000" }, []string{"WARNING iban_checksum payment.iban"}},
		"tax identifier":        {func(c *invoice.Content) { c.Seller.TaxID = "DE136695975" }, []string{"WARNING tax_id_checksum seller.tax_id"}},
		"due before issue":      {func(c *invoice.Content) { c.DueDate = date("2026-11-19") }, []string{"WARNING dates_in_order due_date"}},
		"period": {func(c *invoice.Content) {
			c.BillingPeriod = invoice.Period{Start: date("2026-02-01"), End: date("2026-01-31")}
		}, []string{"WARNING dates_in_order billing_period.end"}},
		"future":        {func(c *invoice.Content) { c.IssueDate = date("2026-11-29") }, []string{"BLOCKING date_plausible issue_date"}},
		"long ago":      {func(c *invoice.Content) { c.IssueDate = date("2016-11-26") }, []string{"WARNING date_plausible issue_date"}},
		"another buyer": {func(c *invoice.Content) { c.Buyer.Name = "Other Ltd" }, []string{"WARNING buyer_is_entity buyer.name"}},
		"by the entity": {func(c *invoice.Content) { c.Seller = invoice.Party{Name: "Example Trading"} }, []string{"BLOCKING is_purchase seller.name"}},
	} {
		content := sound()
		c.change(&content)
		checks := invoice.RunChecks(content, nil, asked)
		if got := failures(checks); !slices.Equal(got, c.want) {
			t.Errorf("%s: failed %v, want %v", name, got, c.want)
		}
		want := invoice.Extracted
		if strings.HasPrefix(c.want[0], "BLOCKING") {
			want = invoice.NeedsReview
		}
		if got := invoice.StatusAfter(checks); got != want {
			t.Errorf("%s: status %s, want %s", name, got, want)
		}
	}
}

// TestNoFalseAlarm checks that valid variants of real invoices pass every check.
func TestNoFalseAlarm(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*invoice.Content){
		"half a cent on each line": func(c *invoice.Content) { c.Lines[0].NetAmount, c.Lines[1].NetAmount = dec("50.0049"), dec("50.0049") },
		"no sum of the lines":      func(c *invoice.Content) { c.LineTotal = nil },
		"no totals of allowances":  func(c *invoice.Content) { c.AllowanceTotal, c.ChargeTotal = nil, nil },
		"no line with an amount": func(c *invoice.Content) {
			for i := range c.Lines {
				c.Lines[i].NetAmount = nil
			}
		},
		"tomorrow, in the east":  func(c *invoice.Content) { c.IssueDate = date("2026-11-28") },
		"due on the day":         func(c *invoice.Content) { c.DueDate = c.IssueDate },
		"no due date":            func(c *invoice.Content) { c.DueDate = calendar.Date{} },
		"a national account":     func(c *invoice.Content) { c.Payment.IBAN = "5051-6628" },
		"a country without rule": func(c *invoice.Content) { c.Seller.TaxID = "RO124533553" },
		"no buyer":               func(c *invoice.Content) { c.Buyer = invoice.Party{} },
		"trading name":           func(c *invoice.Content) { c.Buyer = invoice.Party{Name: "Holding", TradingName: "example trading"} },
		"withheld from what is due": func(c *invoice.Content) {
			c.WithheldTotal, c.AmountDue = dec("20.00"), dec("80.00")
		},
		"withheld from the gross total": func(c *invoice.Content) {
			c.WithheldTotal, c.GrossTotal, c.AmountDue = dec("20.00"), dec("93.05"), dec("80.00")
		},
		"withheld, and not from what is due": func(c *invoice.Content) { c.WithheldTotal = dec("20.00") },
		"reverse charge with its rate": func(c *invoice.Content) {
			c.Taxes = []invoice.Tax{{Category: "AE", Rate: dec("19"), Base: dec("95.00"), Amount: dec("0.00")}}
			c.TaxTotal, c.GrossTotal, c.AmountDue = dec("0.00"), dec("95.00"), dec("81.95")
		},
		"the profile MINIMUM": func(c *invoice.Content) {
			*c = invoice.Content{Type: c.Type, Number: "1", IssueDate: c.IssueDate, Currency: "EUR", Seller: c.Seller,
				NetTotal: dec("95.00"), TaxTotal: dec("18.05"), GrossTotal: dec("113.05"), AmountDue: dec("50.00")}
		},
		"only what is due": func(c *invoice.Content) {
			*c = invoice.Content{Type: c.Type, Number: "1", IssueDate: c.IssueDate, Currency: "EUR", Seller: c.Seller, AmountDue: dec("50.00")}
		},
		"forint": func(c *invoice.Content) {
			*c = invoice.Content{Type: c.Type, Number: "1", IssueDate: c.IssueDate, Currency: "HUF", Seller: c.Seller,
				Taxes:    []invoice.Tax{{Category: "S", Rate: dec("27"), Base: dec("69180.00"), Amount: dec("18679.00")}},
				NetTotal: dec("69180.00"), TaxTotal: dec("18679.00"), GrossTotal: dec("87859.00")}
		},
		"negative": func(c *invoice.Content) {
			*c = invoice.Content{Type: c.Type, Number: "1", IssueDate: c.IssueDate, Currency: "EUR", Seller: c.Seller,
				Lines:     []invoice.Line{{NetAmount: dec("-100.00")}},
				LineTotal: dec("-100.00"), NetTotal: dec("-100.00"), TaxTotal: dec("-19.00"), GrossTotal: dec("-119.00"), AmountDue: dec("-119.00")}
		},
	} {
		content := sound()
		change(&content)
		if failed := failures(invoice.RunChecks(content, nil, asked)); len(failed) > 0 {
			t.Errorf("%s: failed %v", name, failed)
		}
	}
}

// TestToleranceEnds checks that rounding never explains more than one unit of the currency,
// regardless of the number of lines.
func TestToleranceEnds(t *testing.T) {
	t.Parallel()
	c := invoice.Content{Number: "1", Currency: "EUR", LineTotal: dec("1001.01")}
	for range 1000 {
		c.Lines = append(c.Lines, invoice.Line{NetAmount: dec("1.00")})
	}
	if got := failures(invoice.RunChecks(c, nil, invoice.CheckContext{})); !slices.Contains(got, "BLOCKING lines_sum lines") {
		t.Errorf("failed %v", got)
	}
}

func TestEntityIsComparedByTaxIdentifierFirst(t *testing.T) {
	t.Parallel()
	cc := asked
	cc.EntityTaxIDs = []string{"DE 136 695 976"}
	for name, c := range map[string]struct {
		buyer invoice.Party
		want  []string
	}{
		"same identifier, other name":     {invoice.Party{Name: "Other", TaxID: "DE136695976"}, nil},
		"same identifier without country": {invoice.Party{Name: "Other", TaxID: "136695976"}, nil},
		"same name, other identifier":     {invoice.Party{Name: "Example Ltd", TaxID: "DE143454214"}, []string{"WARNING buyer_is_entity buyer.name"}},
		"same name, no identifier":        {invoice.Party{Name: "Example Ltd"}, nil},
	} {
		content := sound()
		content.Seller, content.Buyer = invoice.Party{Name: "Seller"}, c.buyer
		if got := failures(invoice.RunChecks(content, nil, cc)); !slices.Equal(got, c.want) {
			t.Errorf("%s: failed %v, want %v", name, got, c.want)
		}
	}
}

func TestUnreadableValues(t *testing.T) {
	t.Parallel()
	unreadable := invoice.Evidence{Source: invoice.FromXML, SourceText: "12,34"}
	fields := map[string]invoice.Evidence{
		"due_date": unreadable, "lines[3].net_amount": unreadable, "lines[3].quantity": unreadable, "delivery_date": unreadable,
		"net_total": {Source: invoice.FromXML, Confidence: 1, SourceText: "95.00"}, "tax_total": {Source: invoice.ByHuman, Confidence: 1},
	}
	want := []string{
		"BLOCKING values_readable due_date", "BLOCKING values_readable lines[3].net_amount",
		"WARNING values_readable delivery_date", "WARNING values_readable lines[3].quantity",
	}
	if got := failures(invoice.RunChecks(sound(), fields, asked)); !slices.Equal(got, want) {
		t.Errorf("failed %v, want %v", got, want)
	}
}

func TestDatePlausibleInTheZoneOfTheEntity(t *testing.T) {
	t.Parallel()
	cc := asked
	cc.Now = time.Date(2026, 11, 27, 23, 0, 0, 0, time.UTC)
	content := sound()
	content.IssueDate, content.DueDate = date("2026-11-29"), calendar.Date{}
	if got := failures(invoice.RunChecks(content, nil, cc)); len(got) != 1 {
		t.Errorf("in UTC: failed %v", got)
	}
	cc.Zone = time.FixedZone("east", 2*60*60)
	if got := failures(invoice.RunChecks(content, nil, cc)); len(got) != 0 {
		t.Errorf("in the east: failed %v", got)
	}
}

func TestStatusAfter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		check invoice.Check
		want  invoice.Status
	}{
		{invoice.Check{Severity: invoice.Blocking}, invoice.NeedsReview},
		{invoice.Check{Severity: invoice.Blocking, Passed: true}, invoice.Extracted},
		{invoice.Check{Severity: invoice.Warning}, invoice.Extracted},
	} {
		if got := invoice.StatusAfter([]invoice.Check{c.check}); got != c.want {
			t.Errorf("%+v: %s, want %s", c.check, got, c.want)
		}
	}
}
