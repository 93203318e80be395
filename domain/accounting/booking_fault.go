package accounting

import (
	"errors"
	"fmt"

	"docledger/domain/fault"
	"docledger/domain/integration"
)

// Code is the machine-readable reason why a booking failed or waits: the
// closed set of `sync.error.code`.
type Code string

// The codes. Those of the second block pass by themselves and are tried again.
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

	CodeUnavailable     Code = "ledger_unavailable"
	CodeBusy            Code = "ledger_busy"
	CodeContactUnderWay Code = "contact_being_added"
	CodeUncertain       Code = "answer_lost"
	CodeOriginal        Code = "original_unavailable"
	CodeCancelled       Code = "cancelled"
	CodeHeld            Code = "held_after_restore"
	CodeInternal        Code = "internal"
)

// texts say, for each code, what is the matter and what a person does next.
var texts = map[Code]struct{ message, action string }{
	CodeNotConnected:      {"The entity has no accounting integration that works.", "Connect and set up an accounting integration for the entity, then sync again."},
	CodeReconnectNeeded:   {"The ledger no longer accepts the connection.", "Connect the accounting integration again; the invoice is then synced by itself."},
	CodeIncomplete:        {"The invoice lacks what every bill needs.", "Reopen the invoice, add what is missing, approve it and sync again."},
	CodeContactAmbiguous:  {"Several contacts of the ledger fit the supplier.", "Set contact_id of the invoice to the right one, or merge the contacts in the ledger, then sync again."},
	CodeContactUnusable:   {"The contact can't be used in the ledger.", "Choose another contact_id, or restore the contact in the ledger, then sync again."},
	CodeContactNameTaken:  {"The ledger has given the supplier's name to somebody who can't send bills.", "Set contact_id of the invoice, or add the supplier in the ledger under another name, then sync again."},
	CodeAccountMissing:    {"No account is chosen for a line.", "Set account_id of the lines, or default_account_id in the entity's settings, then sync again."},
	CodeAccountUnusable:   {"An account can't be used in the ledger.", "Choose another account_id for the lines, or another default_account_id in the settings, then sync again."},
	CodeTaxRateAmbiguous:  {"Several tax rates of the ledger fit.", "Choose one by tax_mappings in the entity's settings, or tax_rate_id of the lines, then sync again."},
	CodeTaxRateMissing:    {"No tax rate of the ledger fits.", "Add the rate in the ledger, or choose one by tax_mappings in the entity's settings or tax_rate_id of the lines, then sync again."},
	CodeTaxRateUnusable:   {"A tax rate can't be used in the ledger.", "Choose another tax_rate_id for the lines, or correct tax_mappings and default_tax_rate_id in the settings, then sync again."},
	CodeCurrency:          {"The ledger does not take the invoice's currency.", "Add the currency in the ledger, or correct the invoice's, then sync again."},
	CodeTotalsDiffer:      {"The lines do not come to the invoice's total.", "Reopen the invoice, correct its lines or totals, approve it and sync again."},
	CodePeriodClosed:      {"The ledger's period is closed for the invoice's date.", "Set posting_date to a day in an open period, or open the period in the ledger, then sync again."},
	CodeAlreadyInLedger:   {"The ledger has a bill of this supplier with the same number and total.", "Sync with link set to that bill to adopt it, or with force to book nevertheless."},
	CodeRemovedInLedger:   {"The bill was deleted or voided in the ledger.", "Sync again to book it anew, or reject the invoice."},
	CodeRefused:           {"The ledger refuses the bill.", "Correct what the message names, here or in the ledger, then sync again."},
	CodeAttachmentRefused: {"The ledger does not take the original.", "Nothing needs to be done; the original stays here."},
	CodeUnavailable:       {"The ledger does not answer as it should.", "Nothing needs to be done; it is tried again by itself."},
	CodeBusy:              {"The ledger takes no more requests for now.", "Nothing needs to be done; it is tried again by itself."},
	CodeContactUnderWay:   {"Another invoice of this supplier is adding the supplier to the ledger.", "Nothing needs to be done; this one goes on as soon as the supplier is there."},
	CodeUncertain:         {"The ledger's answer was lost; the ledger is asked whether the bill is there.", "Nothing needs to be done; it is read back by itself."},
	CodeOriginal:          {"The original can't be read at the moment, so that it is not attached yet.", "Nothing needs to be done; it is tried again by itself."},
	CodeCancelled:         {"The operator of the service has cancelled the booking; the ledger was told nothing of it.", "Sync again to have it booked."},
	CodeHeld:              {"Nothing is booked for now: the service was restored from a backup, and its operator has not let the work go on yet.", "Nothing needs to be done; it is booked by itself as soon as the operator has looked."},
	CodeInternal:          {"Something went wrong here.", "It is tried again by itself; tell the operator if it stays."},
}

// Codes lists the closed set, in the order of its texts here.
func Codes() []Code {
	return []Code{
		CodeNotConnected, CodeReconnectNeeded, CodeIncomplete, CodeContactAmbiguous, CodeContactUnusable,
		CodeContactNameTaken, CodeAccountMissing, CodeAccountUnusable, CodeTaxRateAmbiguous, CodeTaxRateMissing,
		CodeTaxRateUnusable, CodeCurrency, CodeTotalsDiffer, CodePeriodClosed, CodeAlreadyInLedger,
		CodeRemovedInLedger, CodeRefused, CodeAttachmentRefused,
		CodeUnavailable, CodeBusy, CodeContactUnderWay, CodeUncertain, CodeOriginal, CodeCancelled, CodeHeld, CodeInternal,
	}
}

// Text says what a code means.
func (c Code) Text() string { return texts[c].message }

// Action says what a person does about it.
func (c Code) Action() string { return texts[c].action }

var (
	// ErrNotSent is integration.ErrNotSent: the ledger never received the request.
	ErrNotSent = integration.ErrNotSent
	// ErrKeyReused says that an idempotency key was used before with another
	// bill. The ledger did nothing now; what the first call did is uncertain.
	ErrKeyReused = errors.New("the idempotency key was used before with other values")
)

// Refusal is a business reason why something is not booked. Trying again
// without a change is of no use.
type Refusal struct {
	Code Code
	// Detail says which value it is about, in the ledger's words where they
	// come from there; may be "". It holds no token and no more than 500
	// characters.
	Detail string
	// Bill is the bill that is there already, with CodeAlreadyInLedger and
	// CodeRemovedInLedger.
	Bill *LedgerBill
	// Candidates are the things of the ledger to choose from, with codes that
	// say that several fit.
	Candidates []Candidate
	cause      error
}

// Candidate is one of several things of the ledger.
type Candidate struct {
	ID   string
	Name string
	URL  string // "" for none
}

// maxCandidates bounds how many of them are told.
const maxCandidates = 20

// maxDetail bounds what is kept of a ledger's words, in characters.
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

// Or returns a copy of r with one more thing to choose from.
func (r *Refusal) Or(id, name, url string) *Refusal {
	c := *r
	if len(c.Candidates) < maxCandidates {
		c.Candidates = append(c.Candidates[:len(c.Candidates):len(c.Candidates)], Candidate{id, name, url})
	}
	return &c
}

// Message says what is the matter, the detail included.
func (r *Refusal) Message() string {
	if r.Detail == "" {
		return r.Code.Text()
	}
	return r.Code.Text() + " " + r.Detail
}

// Error implements error. It leaves the detail out, which may name people.
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

// Uncertain says that, after Book failed with err, the bill may be there: the
// ledger must be asked before anything else is tried. Whatever does not say
// for sure that nothing was done is uncertain.
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
