// Package review decides whether an invoice needs a review. It combines the checks of
// the invoice with its entity and settings.
package review

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"docledger/domain/einvoice"
	"docledger/domain/entity"
	"docledger/domain/invoice"
)

// watched are the values with a confidence that review_threshold applies to (domain
// D31).
var watched = []string{
	"invoice_number", "issue_date", "due_date", "currency", "seller.name", "buyer.name",
	"net_total", "tax_total", "gross_total", "amount_due",
}

// Evaluate runs the checks, adds the findings of the extraction, and sets the status.
// If SYSTEM may approve the invoice, Evaluate approves it (see ApproveUnattended).
// version is the version that is being written.
func Evaluate(inv *invoice.Invoice, e *entity.Entity, settings *entity.Settings, findings []invoice.Check, now time.Time, version int) {
	checks := invoice.RunChecks(inv.Content, inv.Fields, contextOf(e, settings, now))
	keepSuggestion(inv, checks)
	checks = append(checks, einvoiceChecks(findings, settings)...)
	if c, low := leastConfidence(inv, settings.ReviewThreshold); low {
		checks = append(checks, c)
	}
	inv.ApplyChecks(checks)
	ApproveUnattended(inv, settings, now, version)
}

// Findings returns the checks of an invoice that only the extraction can evaluate. A
// correction preserves them.
func Findings(inv *invoice.Invoice) []invoice.Check {
	return slices.DeleteFunc(slices.Clone(inv.Checks), func(c invoice.Check) bool {
		return !slices.Contains(invoice.ReadingRules(), c.Rule)
	})
}

// einvoiceChecks applies the entity's choice for each profile to the check of the
// official rules. It removes the check if no profile of the document counts.
func einvoiceChecks(findings []invoice.Check, settings *entity.Settings) []invoice.Check {
	var out []invoice.Check
	for _, c := range findings {
		if c.Rule == invoice.RuleEInvoice {
			if c = einvoiceCheck(c, settings); c.Rule == "" {
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// einvoiceCheck returns the check with the violated rules of the profiles whose
// effect is not OFF, or no check. A document whose rules were not judged fails it. It
// is BLOCKING if one of the profiles that decide its result is set to BLOCK.
func einvoiceCheck(c invoice.Check, settings *entity.Settings) invoice.Check {
	profiles := einvoice.ParseByProfile(c.Detail)
	if len(profiles) == 0 { // stored before profiles were: the result counts as a whole
		profiles = []einvoice.Violations{{Rules: strings.FieldsFunc(c.Found, func(r rune) bool { return r == ',' || r == ' ' })}}
	}
	effects := map[bool][]entity.EInvoiceRules{} // by whether the profile is violated or was not judged
	var rules []string
	unjudged := false
	for _, p := range profiles {
		effect := settings.EInvoiceEffect(p.Profile)
		if effect == entity.EInvoiceOff {
			continue
		}
		failed := p.Unjudged || len(p.Rules) > 0
		effects[failed] = append(effects[failed], effect)
		unjudged = unjudged || p.Unjudged
		for _, rule := range p.Rules {
			if !slices.Contains(rules, rule) {
				rules = append(rules, rule)
			}
		}
	}
	if len(effects) == 0 {
		return invoice.Check{}
	}
	c.Passed, c.Severity, c.Expected, c.Found = len(rules) == 0 && !unjudged, invoice.Warning, "", strings.Join(rules, ", ")
	if !c.Passed {
		c.Expected = invoice.NoViolatedRule
	}
	if unjudged {
		c.Found = invoice.NotJudged
	}
	if slices.Contains(effects[!c.Passed], entity.EInvoiceBlock) {
		c.Severity = invoice.Blocking
	}
	return c
}

func namesOf(e *entity.Entity) []string {
	var names []string
	for _, name := range append([]string{e.Name, e.LegalName}, e.Aliases...) {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

func contextOf(e *entity.Entity, settings *entity.Settings, now time.Time) invoice.CheckContext {
	zone, err := time.LoadLocation(settings.Timezone)
	if err != nil {
		zone = time.UTC
	}
	return invoice.CheckContext{Now: now, Zone: zone, EntityNames: namesOf(e), EntityTaxIDs: e.TaxIDs}
}

func leastConfidence(inv *invoice.Invoice, threshold float64) (invoice.Check, bool) {
	least, at := 1.0, ""
	for _, path := range watched {
		if ev, ok := inv.Fields[path]; ok && ev.Source != invoice.ByHuman && ev.Confidence < least {
			least, at = ev.Confidence, path
		}
	}
	if least >= threshold {
		return invoice.Check{}, false
	}
	return invoice.Check{
		Rule: invoice.RuleConfidence, Severity: invoice.Blocking, Path: at,
		Expected: fmt.Sprintf("at least %.2f", threshold), Found: fmt.Sprintf("%.2f", least),
	}, true
}
