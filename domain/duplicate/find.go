package duplicate

import (
	"context"
	"slices"
	"strings"
	"time"

	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// Match is another invoice that is the same invoice by a rule.
type Match struct {
	InvoiceID uuid.UUID
	EntityID  uuid.UUID
	Rule      invoice.DuplicateRule
}

// Recheck is an invoice of which the check not_a_duplicate is due again, because another invoice
// changed. Assistant reports that an assistant caused the change, or can have caused it.
type Recheck struct {
	InvoiceID uuid.UUID
	Assistant bool
}

// Repository stores what the rules compare, and the pairs that were found. All methods cover the
// whole organization: duplicates are found across entities, and callers show only what the user may
// see. They run within the caller's transaction.
type Repository interface {
	// Lock waits until no other transaction compares or changes invoices of the organization, so that
	// of two transactions at the same time one sees the other's invoice. A transaction that compares
	// invoices calls it before it locks anything else; otherwise two can wait for each other.
	Lock(ctx context.Context, organization uuid.UUID) error
	// InTurn runs fn in a transaction that has the lock of the organization. Within a process, one
	// transaction of an organization at a time waits for the lock, so that the others of the process
	// wait without a connection of the pool.
	InTurn(ctx context.Context, organization uuid.UUID, fn func(ctx context.Context) error) error
	// Bytes returns the key of the bytes of a stored invoice, see BytesKey.
	Bytes(ctx context.Context, organization, invoiceID uuid.UUID) (string, error)
	// Candidates returns the records that can match, except REJECTED invoices and the record itself.
	Candidates(ctx context.Context, organization uuid.UUID, r Record) ([]Record, error)
	// Dismissed returns the invoices of which a person decided that they differ from this one.
	Dismissed(ctx context.Context, organization, invoiceID uuid.UUID) ([]uuid.UUID, error)
	// Add stores the pairs of an invoice that is in no pair.
	Add(ctx context.Context, organization, invoiceID uuid.UUID, matches []Match, at time.Time) error
	// Keep replaces the pairs of the invoice, except dismissed ones and those with a REJECTED invoice.
	// It returns the matches that were no pair before, and the invoices of the pairs that it removed.
	Keep(ctx context.Context, organization, invoiceID uuid.UUID, matches []Match, at time.Time) (fresh []Match, ended []uuid.UUID, err error)
	// Dismiss records that two invoices differ. It returns a NotFound fault if they are no pair, and
	// invoice.ErrUnchanged if the pair is dismissed already.
	Dismiss(ctx context.Context, organization, invoiceID, other uuid.UUID, d invoice.Dismissal) error
	// Partners returns the invoices that are an undismissed pair with this one.
	Partners(ctx context.Context, organization, invoiceID uuid.UUID) ([]uuid.UUID, error)
	// Postpone stores that the check not_a_duplicate of invoices is due again. assistant is that of
	// Recheck; an earlier true is kept.
	Postpone(ctx context.Context, organization uuid.UUID, ids []uuid.UUID, assistant bool, at time.Time) error
	// Postponed returns at most limit postponed invoices of an organization, those that wait longest
	// first.
	Postponed(ctx context.Context, organization uuid.UUID, limit int) ([]Recheck, error)
	// PostponedFor returns the Recheck of an invoice; ok is false if there is none.
	PostponedFor(ctx context.Context, organization, invoiceID uuid.UUID) (r Recheck, ok bool, err error)
	// Rechecked removes the Recheck of an invoice.
	Rechecked(ctx context.Context, organization, invoiceID uuid.UUID) error
	// Defer lets the postponed check of an invoice wait until those before at were evaluated.
	Defer(ctx context.Context, organization, invoice uuid.UUID, at time.Time) error
	// Postponing returns at most limit organizations with postponed invoices, those with the invoice
	// that waits longest first.
	Postponing(ctx context.Context, limit int) ([]uuid.UUID, error)
	// Backfill stores the records of at most limit invoices of an earlier release, of any
	// organization. It returns their number.
	Backfill(ctx context.Context, limit int) (int, error)
}

// Detection compares invoices with the others of their organization. Its methods except InTurn run
// within the caller's transaction.
type Detection interface {
	// InTurn is Repository.InTurn.
	InTurn(ctx context.Context, organization uuid.UUID, fn func(ctx context.Context) error) error
	// Find compares an invoice with the stored ones. bytes is its BytesKey, or "" for that of the stored document.
	Find(ctx context.Context, inv *invoice.Invoice, bytes string) (Found, error)
	// FindNew is Find for an invoice that is not stored yet, so that nothing refers to it.
	FindNew(ctx context.Context, inv *invoice.Invoice, bytes string) (Found, error)
	// Keep stores what Find found for a stored invoice. Each invoice that is no longer in a pair with
	// it is evaluated again: a few at once, and many by the sweep. It returns the matches that were not known before. assistant reports that an
	// assistant caused the change, or can have caused it. SYSTEM then approves an invoice that is
	// evaluated again only if its entity permits assistants to approve.
	Keep(ctx context.Context, inv *invoice.Invoice, found Found, assistant bool) (fresh []Match, err error)
	// Rejected is Keep for an invoice that was rejected, which is no duplicate any more.
	Rejected(ctx context.Context, inv *invoice.Invoice, assistant bool) error
}

// Numbers finds invoices by their numbers.
type Numbers interface {
	// WithNumbers returns the invoices of an entity that have one of the numbers, compared as those of
	// duplicates, except REJECTED ones. It can omit invoices if there are more than two.
	WithNumbers(ctx context.Context, organization, entity uuid.UUID, numbers []string) ([]uuid.UUID, error)
}

// Found contains the matches of one invoice.
type Found struct {
	Matches []Match // all of them, dismissed ones included
	Open    []Match // those that no person dismissed
	// Assistant reports that the check is due because of a change that an assistant caused, or can
	// have caused. SYSTEM then approves the invoice only if its entity permits assistants to approve.
	Assistant bool
	New       bool // FindNew found them
}

// Find compares the invoice with the candidates. The caller has locked the record.
func Find(ctx context.Context, repo Repository, inv *invoice.Invoice, bytes string) (Found, error) {
	found, err := FindNew(ctx, repo, inv, bytes)
	found.New = false
	if err != nil || len(found.Matches) == 0 {
		return found, err
	}
	dismissed, err := repo.Dismissed(ctx, inv.OrganizationID, inv.ID)
	if err != nil {
		return Found{}, err
	}
	found.Open = slices.DeleteFunc(slices.Clone(found.Matches), func(m Match) bool { return slices.Contains(dismissed, m.InvoiceID) })
	return found, nil
}

// FindNew is Find for an invoice that is not stored yet, so that no person dismissed a match.
func FindNew(ctx context.Context, repo Repository, inv *invoice.Invoice, bytes string) (Found, error) {
	found := Found{New: true}
	r := Of(inv, bytes)
	candidates, err := repo.Candidates(ctx, inv.OrganizationID, r)
	if err != nil || len(candidates) == 0 {
		return found, err
	}
	equal := sameTotals(r, candidates)
	for _, c := range candidates {
		if rule := Compare(r, c); rule != "" && (rule != invoice.NearNumber || !linked(r, c, equal)) {
			found.Matches = append(found.Matches, Match{InvoiceID: c.InvoiceID, EntityID: c.EntityID, Rule: rule})
		}
	}
	found.Open = slices.Clone(found.Matches)
	return found, nil
}

// sameTotals returns the candidates of the day and the amount of a record.
func sameTotals(r Record, candidates []Record) []Record {
	return slices.DeleteFunc(slices.Clone(candidates), func(c Record) bool {
		return c.IssueDate != r.IssueDate || !equalAmounts(r, c)
	})
}

// Check returns the result of the rule not_a_duplicate. It names rules and no invoice, because its
// reader may not see the other invoice.
func (f Found) Check() invoice.Check {
	c := invoice.Check{Rule: invoice.RuleNotADuplicate, Severity: invoice.Blocking, Passed: len(f.Open) == 0, Path: "invoice_number"}
	if c.Passed {
		return c
	}
	c.Expected, c.Found = "no other invoice like this one", Rules(f.Open)
	if !f.Blocking() {
		c.Severity = invoice.Warning
	}
	return c
}

// Replace returns checks with the check of these matches instead of an earlier one.
func (f Found) Replace(checks []invoice.Check) []invoice.Check {
	others := slices.DeleteFunc(slices.Clone(checks), func(c invoice.Check) bool { return c.Rule == invoice.RuleNotADuplicate })
	return append(others, f.Check())
}

// Blocking reports whether a match needs a decision: every match except near_number.
func (f Found) Blocking() bool {
	return slices.ContainsFunc(f.Open, func(m Match) bool { return m.Rule != invoice.NearNumber })
}

// Rules returns the rules of matches, each once, in a fixed order.
func Rules(matches []Match) string {
	var rules []string
	for _, rule := range []invoice.DuplicateRule{invoice.SameBytes, invoice.SameNumber, invoice.SameInvoiceOtherForm, invoice.NearNumber} {
		if slices.ContainsFunc(matches, func(m Match) bool { return m.Rule == rule }) {
			rules = append(rules, string(rule))
		}
	}
	return strings.Join(rules, ", ")
}
