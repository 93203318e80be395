package convert

import (
	"docledger/domain/einvoice"
	"docledger/gen/backend"

	"github.com/google/uuid"
)

// ToAPIValidation returns the result of the official rules on the original of
// an invoice.
func ToAPIValidation(invoice uuid.UUID, v *einvoice.Verdict) backend.InvoiceValidation {
	out := backend.InvoiceValidation{
		InvoiceId: invoice, Outcome: string(v.Outcome), Format: orNull(v.Format), Customization: orNull(v.Customization), Note: orNull(v.Note),
		RuleSets: []backend.RuleSet{}, Findings: []backend.RuleFinding{},
	}
	for _, s := range v.RuleSets {
		out.RuleSets = append(out.RuleSets, backend.RuleSet{Profile: string(s.Profile), Version: s.Version})
	}
	for _, f := range v.Findings {
		out.Findings = append(out.Findings, backend.RuleFinding{
			Rule: f.Rule, Profile: string(f.Profile), Severity: string(f.Severity), Terms: some(f.Terms),
			Message: f.Message, Elements: some(f.Elements), Count: f.Count,
		})
	}
	return out
}
