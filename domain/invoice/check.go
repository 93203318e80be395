package invoice

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/money"
)

// The rules. The comments name the business rules of EN 16931-1 that the arithmetic rules
// implement.
const (
	RuleNumberStated   = "number_stated"   // BR-02
	RuleDateStated     = "date_stated"     // BR-03
	RuleCurrencyStated = "currency_stated" // BR-05
	RuleSellerStated   = "seller_stated"   // BR-06
	RuleTotalStated    = "total_stated"    // BR-14, BR-15
	RuleValuesReadable = "values_readable"

	RuleLinesSum      = "lines_sum"      // BR-CO-10
	RuleAllowancesSum = "allowances_sum" // BR-CO-11 to BR-CO-13
	RuleTaxPerRate    = "tax_per_rate"   // BR-CO-17, BR-S-08
	RuleTaxSum        = "tax_sum"        // BR-CO-14
	RuleGrossSum      = "gross_sum"      // BR-CO-15
	RuleDueSum        = "due_sum"        // BR-CO-16

	RuleIBANChecksum  = "iban_checksum"
	RuleTaxIDChecksum = "tax_id_checksum"
	RuleDatesInOrder  = "dates_in_order" // BR-29
	RuleDatePlausible = "date_plausible"
	RuleBuyerIsEntity = "buyer_is_entity"
	RuleIsPurchase    = "is_purchase"
	RulePaidAlready   = "paid_already"

	// RuleConfidence fails if the confidence of a value is below the entity's review_threshold.
	// Package domain/review evaluates it.
	RuleConfidence = "confidence_sufficient"
	// RuleBankAccountKnown fails if a bank account was not used by the supplier before (domain D8).
	// Package domain/supplier evaluates it.
	RuleBankAccountKnown = "bank_account_known"

	// Rules that need the document and cannot be evaluated from the values alone; see ReadingRules.
	RuleSingleCurrency = "single_currency"
	RuleSignsTurned    = "signs_turned"
	RulePageAgrees     = "page_agrees"
	RuleSingleInvoice  = "single_invoice"
	// RuleLinesReadable fails if a table of lines cannot be read or found.
	RuleLinesReadable = "lines_readable"
	// RuleEmbeddedReadable fails if the data embedded in a PDF is damaged. The pages were extracted
	// instead.
	RuleEmbeddedReadable = "embedded_data_readable"
	// RuleEInvoice fails if an electronic invoice violates fatal rules of the profiles that it
	// claims. The entity's settings determine its severity.
	RuleEInvoice = "einvoice_rules"

	// RuleNotADuplicate fails if another invoice of the organization is the same invoice. Package
	// domain/duplicate evaluates it.
	RuleNotADuplicate = "not_a_duplicate"
)

// Texts of the check RuleEInvoice.
const (
	NoViolatedRule = "no violated rule"
	NotJudged      = "not judged, because the document is too large"
)

// ReadingRules returns the rules that only an extraction can evaluate. RunChecks does not evaluate
// them, so their results are kept when an invoice is corrected.
func ReadingRules() []string {
	return []string{RuleSingleCurrency, RuleSignsTurned, RulePageAgrees, RuleSingleInvoice, RuleLinesReadable, RuleEmbeddedReadable, RuleEInvoice}
}

// Unreadable reports whether the document states a value that could not be read. Such a value is
// empty, and its evidence has a source text and no confidence.
func (e Evidence) Unreadable() bool { return e.Confidence == 0 && e.SourceText != "" }

// CheckContext is what the checks need in addition to the invoice.
type CheckContext struct {
	Now          time.Time
	Zone         *time.Location // the entity's time zone; nil means UTC
	EntityNames  []string       // name, legal name and aliases of the entity
	EntityTaxIDs []string
}

// RunChecks evaluates every rule that applies to the content. It omits a rule if the document does
// not state the values that the rule needs. fields is the evidence by path.
func RunChecks(c Content, fields map[string]Evidence, cc CheckContext) []Check {
	e := &checker{c: &c, fields: fields, cc: cc}
	e.stated()
	e.readable()
	e.arithmetic()
	e.identifiers()
	e.dates()
	e.parties()
	e.paid()
	return e.checks
}

// StatusAfter returns Extracted if no BLOCKING check failed, and NeedsReview otherwise.
func StatusAfter(checks []Check) Status {
	for _, c := range checks {
		if !c.Passed && c.Severity == Blocking {
			return NeedsReview
		}
	}
	return Extracted
}

type checker struct {
	c      *Content
	fields map[string]Evidence
	cc     CheckContext
	checks []Check
}

func (e *checker) add(rule string, severity Severity, passed bool, path, expected, found string) {
	e.checks = append(e.checks, Check{Rule: rule, Severity: severity, Passed: passed, Path: path, Expected: expected, Found: found})
}

// stated checks that the values that every bill needs are present.
func (e *checker) stated() {
	c := e.c
	total := Show(c.GrossTotal)
	if total == "" {
		total = Show(c.AmountDue)
	}
	for _, need := range []struct{ rule, path, found, expected string }{
		{RuleNumberStated, "invoice_number", c.Number, "a number"},
		{RuleDateStated, "issue_date", c.IssueDate.String(), "a date of issue"},
		{RuleCurrencyStated, "currency", c.Currency, "a currency"},
		{RuleSellerStated, "seller.name", c.Seller.Name, "a seller"},
		{RuleTotalStated, "gross_total", total, "a total"},
	} {
		if need.found = strings.TrimSpace(need.found); need.found != "" {
			need.expected = ""
		}
		e.add(need.rule, Blocking, need.found != "", need.path, need.expected, need.found)
	}
}

// criticalPaths are the values that a correct bill needs. A missing or wrong one makes the bill
// wrong.
var criticalPaths = []string{
	"invoice_number", "issue_date", "due_date", "currency", "seller.name",
	"net_total", "tax_total", "gross_total", "prepaid_total", "amount_due", "withheld_total",
}

var lineAmount = regexp.MustCompile(`^(lines|taxes|allowances|charges)\[\d+\]\.(net_amount|amount)$`)

// readable reports stated values that could not be read. A corrected value has other evidence and
// is not reported.
func (e *checker) readable() {
	for _, path := range slices.Sorted(maps.Keys(e.fields)) {
		ev := e.fields[path]
		if !ev.Unreadable() {
			continue
		}
		severity := Warning
		if slices.Contains(criticalPaths, path) || lineAmount.MatchString(path) {
			severity = Blocking
		}
		e.add(RuleValuesReadable, severity, false, path, "a value that can be read", ev.SourceText)
	}
}

// oldest is the age up to which an issue date is plausible. It exceeds the period in which tax
// offices allow a claim.
const oldest = 10 // years

func (e *checker) dates() {
	c := e.c
	if !c.IssueDate.IsZero() && !c.DueDate.IsZero() {
		e.add(RuleDatesInOrder, Warning, !c.DueDate.Before(c.IssueDate), "due_date", "not before "+c.IssueDate.String(), c.DueDate.String())
	}
	if p := c.BillingPeriod; !p.Start.IsZero() && !p.End.IsZero() {
		e.add(RuleDatesInOrder, Warning, !p.End.Before(p.Start), "billing_period.end", "not before "+p.Start.String(), p.End.String())
	}
	if c.IssueDate.IsZero() || e.cc.Now.IsZero() {
		return
	}
	zone := e.cc.Zone
	if zone == nil {
		zone = time.UTC
	}
	today := calendar.Of(e.cc.Now.In(zone))
	last := today.AddDays(1) // the seller's day can be one day ahead of the entity's
	if last.Before(c.IssueDate) {
		e.add(RuleDatePlausible, Blocking, false, "issue_date", "not after "+last.String(), c.IssueDate.String())
		return
	}
	first := calendar.Of(today.Time().AddDate(-oldest, 0, 0))
	e.add(RuleDatePlausible, Warning, !c.IssueDate.Before(first), "issue_date", "not before "+first.String(), c.IssueDate.String())
}

// parties checks that the invoice is addressed to the entity and not issued by it.
func (e *checker) parties() {
	c := e.c
	if len(e.cc.EntityNames) == 0 && len(e.cc.EntityTaxIDs) == 0 {
		return
	}
	names := strings.Join(e.cc.EntityNames, ", ")
	if is, comparable := c.Buyer.isOneOf(e.cc.EntityNames, e.cc.EntityTaxIDs); comparable {
		e.add(RuleBuyerIsEntity, Warning, is, "buyer.name", names, c.Buyer.Name)
	}
	if is, comparable := c.Seller.isOneOf(e.cc.EntityNames, e.cc.EntityTaxIDs); comparable {
		e.add(RuleIsPurchase, Blocking, !is, "seller.name", "another than "+names, c.Seller.Name)
	}
}

// isOneOf compares a party with the names and tax identifiers of an entity: by tax identifier if both
// have one, otherwise by name. comparable is false if there is nothing to compare.
func (p Party) isOneOf(names, taxIDs []string) (is, comparable bool) {
	if FoldTaxID(p.TaxID) != "" && len(taxIDs) > 0 {
		return p.HasTaxID(taxIDs), true
	}
	for _, name := range []string{p.Name, p.TradingName} {
		if FoldName(name) != "" {
			comparable = true
		}
	}
	return p.HasName(names), comparable
}

// HasTaxID reports whether the tax identifier of the party is one of these.
func (p Party) HasTaxID(taxIDs []string) bool {
	return slices.ContainsFunc(taxIDs, func(own string) bool { return SameTaxID(p.TaxID, own) })
}

// HasName reports whether a name of the party is one of these, regardless of notation.
func (p Party) HasName(names []string) bool {
	for _, name := range []string{FoldName(p.Name), FoldName(p.TradingName)} {
		if name != "" && slices.ContainsFunc(names, func(own string) bool { return FoldName(own) == name }) {
			return true
		}
	}
	return false
}

// sameTaxID compares two folded identifiers. One of them may lack the country prefix of two
// letters.
func sameTaxID(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	const shortest = 6 // shorter texts are not identifiers
	return len(b) >= shortest && len(a) == len(b)+2 && strings.HasSuffix(a, b) && isLetter(a[0]) && isLetter(a[1])
}

// SameTaxID reports whether two tax identifiers are equal, regardless of notation. An empty
// identifier equals none.
func SameTaxID(a, b string) bool {
	a, b = FoldTaxID(a), FoldTaxID(b)
	return a != "" && b != "" && sameTaxID(a, b)
}

// FoldIBAN returns an account number in the form used for comparison.
func FoldIBAN(s string) string { return alphanumeric(s) }

func isLetter(c byte) bool { return 'A' <= c && c <= 'Z' }

func decimal(s string) money.Decimal { return money.MustParse(s) }
