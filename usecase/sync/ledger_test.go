package sync_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	gosync "sync"

	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/money"
)

// ledger is a small ledger in memory that can fail in every way.
type ledger struct {
	mu       gosync.Mutex
	bills    []*held
	keys     map[string]string // key → id of the bill, and of the contact
	accounts []accounting.Account
	rates    []accounting.TaxRate
	contacts []accounting.Contact
	rules    accounting.Rules
	limits   accounting.AttachmentLimits
	calls    map[string]int
	// meets returns the outcome of each call.
	meets func(ctx context.Context, call string) happening
}

// held is a bill in the ledger.
type held struct {
	accounting.LedgerBill
	bill  accounting.Bill
	files []accounting.Attachment
}

// happening is the outcome of a call.
type happening struct {
	before error // the call is refused so, and does nothing
	after  error // the call does its work, and then its response is this
}

func newLedger() *ledger {
	d := money.MustParse
	return &ledger{
		keys: map[string]string{}, calls: map[string]int{},
		accounts: []accounting.Account{
			{ID: "a-office", Name: "Office", State: accounting.InUse}, {ID: "a-travel", Name: "Travel", State: accounting.InUse},
		},
		rates: []accounting.TaxRate{
			{ID: "t-19", Name: "19 %", Rate: d("19"), Purchases: true, State: accounting.InUse},
			{ID: "t-5a", Name: "5 %", Rate: d("5"), Purchases: true, State: accounting.InUse},
			{ID: "t-5b", Name: "5 % too", Rate: d("5"), Purchases: true, State: accounting.InUse},
		},
		contacts: []accounting.Contact{{ID: "c-alpha", Name: "Alpha GmbH", TaxID: "DE136695976", State: accounting.InUse}},
		rules:    accounting.Rules{BaseCurrency: "EUR", Currencies: []string{"EUR", "USD"}, HasTax: true, Decimals: 2},
		limits:   accounting.AttachmentLimits{MaxBytes: 1 << 20, MediaTypes: []string{"application/pdf"}},
	}
}

// unavailable is the error of a connector for 5xx responses, lost connections
// and timeouts.
func unavailable() error {
	return integration.Unavailable(integration.AccountingA, 0, errors.New("cut off"))
}

func busy() error { return integration.RateLimited(integration.AccountingA, 0, nil) }

// enter counts a call and applies its outcome.
func (l *ledger) enter(ctx context.Context, call string) (after error, err error) {
	l.mu.Lock()
	l.calls[call]++
	meets := l.meets
	l.mu.Unlock()
	if meets == nil {
		return nil, ctx.Err()
	}
	h := meets(ctx, call)
	return h.after, h.before
}

func (l *ledger) Rules(ctx context.Context, _ integration.Access) (accounting.Rules, error) {
	after, err := l.enter(ctx, "rules")
	return l.rules, errors.Join(err, after)
}

func (l *ledger) Accounts(ctx context.Context, _ integration.Access, _ accounting.ClassFilter) ([]accounting.Account, error) {
	after, err := l.enter(ctx, "accounts")
	return l.accounts, errors.Join(err, after)
}

func (l *ledger) TaxRates(ctx context.Context, _ integration.Access) ([]accounting.TaxRate, error) {
	after, err := l.enter(ctx, "tax rates")
	return l.rates, errors.Join(err, after)
}

func (l *ledger) Contacts(ctx context.Context, _ integration.Access) ([]accounting.Contact, error) {
	after, err := l.enter(ctx, "contacts")
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.contacts), errors.Join(err, after)
}

func (l *ledger) CreateContact(ctx context.Context, _ integration.Access, c accounting.NewContact, key string) (accounting.Contact, error) {
	after, err := l.enter(ctx, "create contact")
	if err != nil {
		return accounting.Contact{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if id, ok := l.keys[key]; ok {
		return l.contacts[slices.IndexFunc(l.contacts, func(c accounting.Contact) bool { return c.ID == id })], after
	}
	made := accounting.Contact{ID: fmt.Sprintf("c-%d", len(l.contacts)), Name: c.Name, TaxID: c.TaxID, State: accounting.InUse}
	l.contacts = append(l.contacts, made)
	l.keys[key] = made.ID
	return made, after
}

func (l *ledger) CreateBill(ctx context.Context, _ integration.Access, b accounting.Bill, key string) (accounting.LedgerBill, error) {
	after, err := l.enter(ctx, "book")
	if err != nil {
		return accounting.LedgerBill{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if id, ok := l.keys[key]; ok {
		return l.byID(id).LedgerBill, after
	}
	h := &held{bill: b, LedgerBill: accounting.LedgerBill{
		ID: fmt.Sprintf("b-%d", len(l.bills)+1), Kind: b.Kind, Contact: b.Contact, Number: b.Number, Currency: b.Currency,
		Reference: b.Reference, URL: "https://ledger.example/bills/" + b.Number,
	}}
	for _, line := range b.Lines {
		h.Total = h.Total.Add(line.Amount)
		if b.Tax == accounting.TaxExclusive {
			h.Total, h.TaxTotal = h.Total.Add(line.TaxAmount), h.TaxTotal.Add(line.TaxAmount)
		}
	}
	l.bills = append(l.bills, h)
	l.keys[key] = h.ID
	return h.LedgerBill, after
}

func (l *ledger) byID(id string) *held {
	for _, h := range l.bills {
		if h.ID == id {
			return h
		}
	}
	return nil
}

func (l *ledger) Find(ctx context.Context, _ integration.Access, w accounting.BillQuery) ([]accounting.LedgerBill, error) {
	after, err := l.enter(ctx, "find")
	if err = errors.Join(err, after); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	found := []accounting.LedgerBill{}
	for _, h := range l.bills {
		if h.Kind == w.Kind && (h.Reference == w.Reference || h.Contact == w.Contact && h.Number == w.Number) {
			found = append(found, h.LedgerBill)
		}
	}
	return found, nil
}

func (l *ledger) Read(ctx context.Context, _ integration.Access, _ accounting.BillKind, id string) (accounting.LedgerBill, error) {
	after, err := l.enter(ctx, "read")
	if err = errors.Join(err, after); err != nil {
		return accounting.LedgerBill{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.byID(id); h != nil {
		return h.LedgerBill, nil
	}
	return accounting.LedgerBill{}, fault.Missing("bill")
}

func (l *ledger) AttachmentLimits() accounting.AttachmentLimits { return l.limits }

func (l *ledger) AttachmentName(filename string) string { return filename }

func (l *ledger) Attachments(ctx context.Context, _ integration.Access, _ accounting.BillKind, id string) ([]accounting.Attachment, error) {
	after, err := l.enter(ctx, "attachments")
	if err = errors.Join(err, after); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.byID(id).files), nil
}

func (l *ledger) Attach(ctx context.Context, _ integration.Access, _ accounting.BillKind, id string, f accounting.File) (accounting.Attachment, error) {
	after, err := l.enter(ctx, "attach")
	if err != nil {
		return accounting.Attachment{}, err
	}
	n, err := io.Copy(io.Discard, f.Content)
	if err != nil || n != f.SizeBytes {
		return accounting.Attachment{}, fmt.Errorf("%d bytes of %d: %w", n, f.SizeBytes, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	made := accounting.Attachment{Filename: f.Filename, SizeBytes: f.SizeBytes}
	l.byID(id).files = append(l.byID(id).files, made)
	return made, after
}

// typeBill creates a bill like a user of the ledger.
func (l *ledger) typeBill(contact, number, total string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := &held{LedgerBill: accounting.LedgerBill{
		ID: fmt.Sprintf("b-%d", len(l.bills)+1), Kind: accounting.PurchaseBill, Contact: contact, Number: number, Total: money.MustParse(total),
	}}
	l.bills = append(l.bills, h)
	return h.ID
}

func (l *ledger) remove(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byID(id).Removed = true
}

// forgetKeys expires the idempotency keys of the ledger.
func (l *ledger) forgetKeys() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys = map[string]string{}
}

func (l *ledger) closePeriod(until calendar.Date) { l.rules.ClosedUntil = until }

// references counts the bills by docledger reference.
func (l *ledger) references() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	count := map[string]int{}
	for _, h := range l.bills {
		if h.Reference != "" && !h.Removed {
			count[h.Reference]++
		}
	}
	return count
}
