package invoice

import (
	"slices"
	"strings"

	"docledger/domain/fault"
)

// WarningRules returns the rules that can fail with severity WARNING. An entity may ignore these
// rules when SYSTEM approves (domain D31). A failure with severity BLOCKING is never ignored, even
// for one of these rules.
func WarningRules() []string {
	return []string{
		RuleValuesReadable, RuleIBANChecksum, RuleTaxIDChecksum, RuleDatesInOrder, RuleDatePlausible,
		RuleBuyerIsEntity, RulePaidAlready, RuleBankAccountKnown, RulePageAgrees, RuleSingleInvoice, RuleLinesReadable, RuleSignsTurned, RuleEInvoice, RuleEmbeddedReadable,
		RuleNotADuplicate,
	}
}

// FailedChecks returns the failed checks, except warnings of the ignored rules.
func (inv *Invoice) FailedChecks(ignored []string) []Check {
	return slices.DeleteFunc(slices.Clone(inv.Checks), func(c Check) bool {
		return c.Passed || c.Severity == Warning && slices.Contains(ignored, c.Rule)
	})
}

// CheckDetails returns checks in the form of `details.checks` of an error. The members are those of
// a check in the API.
func CheckDetails(checks []Check) []map[string]any {
	out := make([]map[string]any, len(checks))
	for i, c := range checks {
		out[i] = map[string]any{
			"rule": c.Rule, "severity": string(c.Severity), "passed": c.Passed,
			"field": orNil(c.Path), "expected": orNil(c.Expected), "found": orNil(c.Found),
		}
	}
	return out
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// requireAcknowledged refuses an approval unless acknowledged names every rule with a failed
// BLOCKING check and only rules with a failed check.
func (inv *Invoice) requireAcknowledged(acknowledged []string) error {
	failed := inv.FailedChecks(nil)
	blocking := slices.DeleteFunc(slices.Clone(failed), func(c Check) bool { return c.Severity != Blocking })
	var missing, other []string
	for _, c := range blocking {
		if !slices.Contains(acknowledged, c.Rule) && !slices.Contains(missing, c.Rule) {
			missing = append(missing, c.Rule)
		}
	}
	for _, rule := range acknowledged {
		if !slices.ContainsFunc(failed, func(c Check) bool { return c.Rule == rule }) {
			other = append(other, rule)
		}
	}
	if missing == nil && other == nil {
		return nil
	}
	var says []string
	if missing != nil {
		says = append(says, "The invoice has failed checks that need an acknowledgement: "+strings.Join(missing, ", ")+
			". Compare them with the original, then correct the invoice or name them in acknowledge_checks.")
	}
	if other != nil {
		says = append(says, "No check of these acknowledged rules failed: "+strings.Join(other, ", ")+
			". Get the invoice again and name only rules that failed.")
	}
	return fault.New(fault.Conflict, fault.CodeChecksFailed, "%s", strings.Join(says, " ")).
		With("status", string(inv.Status)).With("checks", CheckDetails(blocking))
}
