package accounting

import (
	"errors"
	"fmt"

	"docledger/domain/fault"
	"docledger/domain/integration"
)

// Code is the machine-readable reason why a sync failed or waits: the closed set of
// `sync.error.code`.
type Code string

// The codes. Those of the second block are temporary and are retried.
const (
	CodeNotConnected      Code = "not_connected"
	CodeReconnectNeeded   Code = "reconnect_needed"
	CodeIncomplete        Code = "invoice_incomplete"
	CodeContactAmbiguous  Code = "contact_ambiguous"
	CodeContactUnusable   Code = "contact_unusable"
	CodeContactNameTaken  Code = "contact_name_taken"
	CodeAccountMissing    Code = "account_missing"
	CodeAccountUnusable   Code = "account_unusable"
	CodeTaxRateAmbiguous  Code = "tax_rate_ambiguous"
	CodeTaxRateMissing    Code = "tax_rate_missing"
	CodeTaxRateUnusable   Code = "tax_rate_unusable"
	CodeCurrency          Code = "currency_not_in_ledger"
	CodeTotalsDiffer      Code = "totals_differ"
	CodePeriodClosed      Code = "period_closed"
	CodeAlreadyInLedger   Code = "already_in_ledger"
	CodeRemovedInLedger   Code = "removed_in_ledger"
	CodeRefused           Code = "refused_by_ledger"
	CodeAttachmentRefused Code = "attachment_refused"
	CodeEntityArchived    Code = "entity_archived"

	CodeUnavailable     Code = "ledger_unavailable"
	CodeBusy            Code = "ledger_busy"
	CodeContactUnderWay Code = "contact_being_added"
	CodeUncertain       Code = "answer_lost"
	CodeSetup           Code = "provider_setup_incomplete"
	CodeOriginal        Code = "original_unavailable"
	CodeCancelled       Code = "cancelled"
	CodeHeld            Code = "held_after_restore"
	CodeInternal        Code = "internal"
)

// texts describes, for each code, the problem and what a person does next.
var texts = map[Code]struct{ message, action string }{
	CodeNotConnected:      {"The entity has no active accounting integration.", "Connect and set up an accounting integration for the entity, then sync again."},
	CodeReconnectNeeded:   {"The ledger no longer accepts the connection.", "Connect the accounting integration again; the invoice is then synced automatically."},
	CodeIncomplete:        {"The invoice lacks what every bill needs.", "Reopen the invoice, add what is missing, approve it and sync again."},
	CodeContactAmbiguous:  {"Several contacts of the ledger match the supplier.", "Set contact_id of the invoice to the right one, or merge the contacts in the ledger, then sync again."},
	CodeContactUnusable:   {"The contact cannot be used in the ledger.", "Choose another contact_id, or restore the contact in the ledger, then sync again."},
	CodeContactNameTaken:  {"The supplier's name belongs to a ledger contact that cannot send bills.", "Set contact_id of the invoice, or add the supplier in the ledger under another name, then sync again."},
	CodeAccountMissing:    {"No account is chosen for a line.", "Set account_id of the lines, or default_account_id in the entity's settings, then sync again."},
	CodeAccountUnusable:   {"An account cannot be used in the ledger.", "Choose another account_id for the lines, or another default_account_id in the settings, then sync again."},
	CodeTaxRateAmbiguous:  {"Several tax rates of the ledger match.", "Choose one by tax_mappings in the entity's settings, or tax_rate_id of the lines, then sync again."},
	CodeTaxRateMissing:    {"No tax rate of the ledger matches.", "Add the rate in the ledger, or choose one by tax_mappings in the entity's settings or tax_rate_id of the lines, then sync again."},
	CodeTaxRateUnusable:   {"A tax rate cannot be used in the ledger.", "Choose another tax_rate_id for the lines, or correct tax_mappings and default_tax_rate_id in the settings, then sync again."},
	CodeCurrency:          {"The ledger does not accept the invoice's currency.", "Add the currency in the ledger, or correct the invoice's, then sync again."},
	CodeTotalsDiffer:      {"The lines do not add up to the invoice's total.", "Reopen the invoice, correct its lines or totals, approve it and sync again."},
	CodePeriodClosed:      {"The ledger's period is closed for the invoice's date.", "Set posting_date to a day in an open period, or open the period in the ledger, then sync again."},
	CodeAlreadyInLedger:   {"The ledger has a bill of this supplier with the same number and total.", "Sync with link set to that bill to adopt it, or with force to create another bill."},
	CodeRemovedInLedger:   {"The bill was deleted or voided in the ledger.", "Sync again to create another bill, or reject the invoice."},
	CodeRefused:           {"The ledger refuses the bill.", "Correct what the message names, here or in the ledger, then sync again."},
	CodeAttachmentRefused: {"The ledger does not accept the original.", "Nothing needs to be done; the original stays here."},
	CodeUnavailable:       {"The ledger does not respond correctly.", "Nothing needs to be done; docledger retries automatically."},
	CodeSetup:             {"The ledger does not accept this service's application.", "The operator of the service must correct the application at the provider; docledger retries automatically."},
	CodeEntityArchived:    {"The entity is archived, so nothing is synced.", "Restore the entity with archived: false, then sync again."},
	CodeBusy:              {"The ledger accepts no more requests at the moment.", "Nothing needs to be done; docledger retries automatically."},
	CodeContactUnderWay:   {"The sync of another invoice is creating this supplier in the ledger.", "Nothing needs to be done; this sync continues as soon as the supplier exists."},
	CodeUncertain:         {"The ledger's response was lost; docledger checks whether the bill exists.", "Nothing needs to be done; docledger checks automatically."},
	CodeOriginal:          {"The original cannot be read at the moment, so it is not attached yet.", "Nothing needs to be done; docledger retries automatically."},
	CodeCancelled:         {"The operator of the service cancelled the sync. Nothing was sent to the ledger.", "Sync again to create the bill."},
	CodeHeld:              {"Syncs are paused: the service was restored from a backup, and its operator has not resumed work yet.", "Nothing needs to be done; the invoice is synced automatically after the operator resumes work."},
	CodeInternal:          {"An unexpected error occurred.", "docledger retries automatically. Inform the operator if the error persists."},
}

// Codes lists every code, in the order of texts.
func Codes() []Code {
	return []Code{
		CodeNotConnected, CodeEntityArchived, CodeReconnectNeeded, CodeIncomplete, CodeContactAmbiguous, CodeContactUnusable,
		CodeContactNameTaken, CodeAccountMissing, CodeAccountUnusable, CodeTaxRateAmbiguous, CodeTaxRateMissing,
		CodeTaxRateUnusable, CodeCurrency, CodeTotalsDiffer, CodePeriodClosed, CodeAlreadyInLedger,
		CodeRemovedInLedger, CodeRefused, CodeAttachmentRefused,
		CodeUnavailable, CodeBusy, CodeContactUnderWay, CodeUncertain, CodeSetup, CodeOriginal, CodeCancelled, CodeHeld, CodeInternal,
	}
}

// Text returns the meaning of a code.
func (c Code) Text() string { return texts[c].message }

// Action returns what a person does about a code.
func (c Code) Action() string { return texts[c].action }

var (
	// ErrNotSent is integration.ErrNotSent: the ledger never received the request.
	ErrNotSent = integration.ErrNotSent
	// ErrKeyReused reports that an idempotency key was used before with another bill. This call had
	// no effect; the effect of the first call is unknown.
	ErrKeyReused = errors.New("the idempotency key was used before with other values")
)

// Refusal is a business reason why no bill is created. Retrying without a change has no effect.
type Refusal struct {
	Code Code
	// Detail names the affected value, in the ledger's words if it comes from there; may be "". It
	// contains no token and at most 500 characters.
	Detail string
	// Bill is the existing bill, for CodeAlreadyInLedger and CodeRemovedInLedger.
	Bill *LedgerBill
	// Candidates are the matching records of the ledger, for the codes that report several matches.
	Candidates []Candidate
	cause      error
}

// Candidate is one of several matching records of the ledger.
type Candidate struct {
	ID   string
	Name string
	URL  string // "" for none
}

// maxCandidates is the maximum number of candidates in a refusal.
const maxCandidates = 20

// maxDetail is the maximum length of a ledger's message, in characters.
const maxDetail = 500

// Refuse returns a refusal; detail may be "".
func Refuse(c Code, format string, args ...any) *Refusal {
	detail := []rune(fmt.Sprintf(format, args...))
	if len(detail) > maxDetail {
		detail = append(detail[:maxDetail-1], '…')
	}
	return &Refusal{Code: c, Detail: string(detail)}
}

// WithCause returns a copy of r that wraps cause.
func (r *Refusal) WithCause(cause error) *Refusal {
	c := *r
	c.cause = cause
	return &c
}

// About returns a copy of r that names a bill of the ledger.
func (r *Refusal) About(b LedgerBill) *Refusal {
	c := *r
	c.Bill = &b
	return &c
}

// Or returns a copy of r with one more candidate.
func (r *Refusal) Or(id, name, url string) *Refusal {
	c := *r
	if len(c.Candidates) < maxCandidates {
		c.Candidates = append(c.Candidates[:len(c.Candidates):len(c.Candidates)], Candidate{id, name, url})
	}
	return &c
}

// Message returns the problem, including the detail.
func (r *Refusal) Message() string {
	if r.Detail == "" {
		return r.Code.Text()
	}
	return r.Code.Text() + " " + r.Detail
}

// Error implements error. It omits the detail, which may contain personal data.
func (r *Refusal) Error() string {
	if r.cause != nil {
		return fmt.Sprintf("%s: %v", r.Code, r.cause)
	}
	return string(r.Code)
}

// Unwrap returns the cause, if any.
func (r *Refusal) Unwrap() error { return r.cause }

// RefusalOf returns the refusal in err's chain, if there is one.
func RefusalOf(err error) (*Refusal, bool) {
	var r *Refusal
	ok := errors.As(err, &r)
	return r, ok
}

// Uncertain reports whether the bill may exist after CreateBill failed with err. The caller must
// then search the ledger before any other attempt. Every error that does not prove that the call
// had no effect is uncertain.
func Uncertain(err error) bool {
	if err == nil {
		return false
	}
	if _, refused := RefusalOf(err); refused {
		return false
	}
	if f, ok := fault.As(err); ok && (f.Kind == fault.Invalid || f.Kind == fault.NotFound) {
		return false
	}
	for _, surelyNot := range []error{
		ErrNotSent, integration.ErrReconnect, integration.ErrAccessRefused, integration.ErrTenantGone, integration.ErrRateLimited,
	} {
		if errors.Is(err, surelyNot) {
			return false
		}
	}
	return true
}
