package store

import (
	"slices"
	"strings"

	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// maxChecks is the number of different texts of failed checks up to which they are read before the invoices.
const maxChecks = 200

// someFailed is the condition of the index of failed checks.
func someFailed(t string) string { return t + ".failed_checks <> ''" }

// readChecks reads which texts of failed checks match the filter. An organization has few of them, and the index of
// failed checks has the invoices of each. Without them, a list reads the text of each invoice with a failed check.
// possible is false if no invoice matches.
func (l *invoiceList) readChecks(db *gorm.DB) (possible bool, err error) {
	if len(l.filter.FailedChecks) == 0 {
		return true, nil
	}
	table := "invoices AS i"
	if !l.s.postgres {
		table += " INDEXED BY invoices_by_failed_checks"
	}
	first := func() *gorm.DB {
		return l.s.db.Table(table).Select("i.failed_checks").Where("i.organization_id = ? AND "+someFailed("i"), l.scope.OrganizationID).
			Order("i.failed_checks").Limit(1)
	}
	var texts []string
	err = db.Raw(`WITH RECURSIVE texts(failed_checks) AS (
			SELECT (?) UNION ALL SELECT (?) FROM texts WHERE texts.failed_checks IS NOT NULL
		) SELECT t.failed_checks FROM texts AS t WHERE t.failed_checks IS NOT NULL LIMIT ?`,
		first(), first().Where("i.failed_checks > texts.failed_checks"), maxChecks+1).Scan(&texts).Error
	if err != nil || len(texts) > maxChecks {
		return true, err
	}
	l.checks = []string{}
	for _, text := range texts {
		if failsOne(text, l.filter.FailedChecks) {
			l.checks = append(l.checks, text)
		}
	}
	return len(l.checks) > 0, nil
}

// failsOne reports whether a text of failed checks has one of the rules.
func failsOne(text string, rules []string) bool {
	return slices.ContainsFunc(rules, func(rule string) bool { return strings.Contains(text, ","+rule+",") })
}

// withChecks limits a query to the texts of failed checks that match, if they are read.
func (l *invoiceList) withChecks(q *gorm.DB, t string) *gorm.DB {
	if l.checks == nil {
		return q
	}
	return q.Where(t+".failed_checks IN ?", l.checks)
}

// partialList returns the part of the filter of a list by id of which a partial index has the invoices of each value in
// the order of their ids, if the filter has no other condition.
func (l *invoiceList) partialList() (valueList, bool) {
	switch {
	case l.order.expression != "":
	case l.checks != nil && l.entity == uuid.Nil && only(l.rest, func(f *invoice.Filter) { f.FailedChecks = nil }):
		return valueList{part: "failed_checks", table: "invoices", column: "failed_checks", values: anyOf(l.checks), only: true, where: someFailed("i")}, true
	case onlyOtherTypes(l.filter) && l.entity != uuid.Nil && only(l.rest, func(f *invoice.Filter) { f.Types = nil }):
		return valueList{part: "type", table: "invoices", column: "type", values: anyOf(l.rest.Types), only: true, where: "i.type <> 'INVOICE'"}, true
	case l.rest.HasDuplicate != nil && *l.rest.HasDuplicate && only(l.rest, func(f *invoice.Filter) { f.HasDuplicate = nil }):
		index := "invoices_with_duplicate"
		if l.entity != uuid.Nil {
			index = "invoices_of_entity_with_duplicate"
		}
		// The index has only the invoices of one value, and no column of it.
		return valueList{part: "duplicate", table: "invoices", index: index, values: []any{true}, only: true, where: containsRule(l.s.db, "i.failed_checks", invoice.RuleNotADuplicate)}, true
	}
	return valueList{}, false
}
