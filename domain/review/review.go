// Package review decides whether an invoice needs a review. It combines the checks of
// the invoice with its entity and settings.
package review

import (
	"fmt"
	"slices"
	"time"

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
	checks = append(checks, einvoiceSeverity(findings, settings.EInvoiceRules)...)
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

// einvoiceSeverity sets the severity of the check of the official rules to the
// entity's setting, or removes the check.
func einvoiceSeverity(findings []invoice.Check, setting entity.EInvoiceRules) []invoice.Check {
	var out []invoice.Check
	for _, c := range findings {
		if c.Rule == invoice.RuleEInvoice {
			switch setting {
			case entity.EInvoiceOff:
				continue
			case entity.EInvoiceBlock:
				c.Severity = invoice.Blocking
			default:
				c.Severity = invoice.Warning
			}
		}
		out = append(out, c)
	}
	return out
}

func contextOf(e *entity.Entity, settings *entity.Settings, now time.Time) invoice.CheckContext {
	zone, err := time.LoadLocation(settings.Timezone)
	if err != nil {
		zone = time.UTC
	}
	var names []string
	for _, name := range append([]string{e.Name, e.LegalName}, e.Aliases...) {
		if name != "" {
			names = append(names, name)
		}
	}
	return invoice.CheckContext{Now: now, Zone: zone, EntityNames: names, EntityTaxIDs: e.TaxIDs}
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
